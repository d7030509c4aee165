"""Pictures as sixels: bands of six lines, one colour after the other."""

import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from PIL.Image import Image

BAND = 6
COLOURS = 128
"""Colours of a picture; a VT340 has 16, what draws sixels today 256 and more."""
_RUNS = re.compile(r"(.)\1{3,}", re.DOTALL)
_SIGNS = bytes(min(63 + bits, 126) for bits in range(256))


def sixel_picture(picture: "Image", width: int, height: int, background: str) -> str:
    """The sequence that shows a picture at the cursor, so many points wide and high; slow.

    What is see-through shows the background (`#rrggbb`). Whole bands are drawn, so that nothing hangs over.
    """
    from PIL import Image

    size = max(1, width), max(BAND, height - height % BAND)
    fitted = picture.resize(size)
    ground = Image.new("RGBA", size, background)
    ground.paste(fitted, (0, 0), fitted)
    indexed = ground.convert("RGB").quantize(COLOURS)
    points, across = indexed.tobytes(), size[0]
    bands = (points[at : at + BAND * across] for at in range(0, len(points), BAND * across))
    drawn = "-".join(_band(band, across) for band in bands)
    return f'\x1bP0;1q"1;1;{size[0]};{size[1]}{_palette(indexed)}{drawn}\x1b\\'


def _palette(indexed: "Image") -> str:
    values = indexed.getpalette() or []
    colours = zip(values[0::3], values[1::3], values[2::3], strict=True)
    return "".join(
        f"#{number};2;{round(red / 2.55)};{round(green / 2.55)};{round(blue / 2.55)}"
        for number, (red, green, blue) in enumerate(colours)
    )


def _band(points: bytes, width: int) -> str:
    rows = [points[at : at + width] for at in range(0, len(points), width)]
    return "$".join(f"#{colour}{_line(rows, colour, width)}" for colour in sorted(set(points)))


def _line(rows: list[bytes], colour: int, width: int) -> str:
    """Where a colour is in a band: a bit for each of the six rows, of all columns at once."""
    bits = 0
    for row, points in enumerate(rows):
        bits |= int.from_bytes(points.translate(_bit_where(colour, row)), "big")
    signs = bits.to_bytes(width, "big").translate(_SIGNS).decode("ascii").rstrip("?")
    return _RUNS.sub(lambda run: f"!{len(run[0])}{run[1]}", signs)


@cache
def _bit_where(colour: int, row: int) -> bytes:
    table = bytearray(256)
    table[colour] = 1 << row
    return bytes(table)
