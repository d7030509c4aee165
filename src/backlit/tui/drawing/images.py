"""Images in the terminal: as half blocks or by kitty's protocol. Needs Pillow, of the extra `images`.

The terminal is never queried: a late answer over a slow line would be taken for keys.
"""

import base64
import fcntl
import io
import struct
import sys
import termios
import warnings
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style
from textual.geometry import Region

from backlit.tui.drawing.text import Line

if TYPE_CHECKING:
    from PIL.Image import Image


HOW_TO = "Images need Pillow: pip install '.[images]' in a checkout."
MAX_IMAGE_SIDE = 1600
"""Pixels to which the longer side of an image is reduced; a terminal has fewer."""
MAX_IMAGE_PIXELS = 60_000_000
"""Pixels of the largest image that is decoded."""
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_SHADES = " ░▒▓█"


class ImageError(Exception):
    """Raised for an image that cannot be shown; the text is a sentence for the user."""


def read_image(content: bytes) -> "Image":
    """Decode an image, also a truncated one; slow. Raises ImageError."""
    try:
        from PIL import Image, ImageFile, UnidentifiedImageError
    except ImportError:
        raise ImageError(HOW_TO) from None
    # The part of an image that was downloaded is better than an error.
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        with warnings.catch_warnings():
            # Pillow warns about large images on stderr, which is the screen; the limit below refuses them.
            warnings.simplefilter("ignore")
            found = Image.open(io.BytesIO(content), formats=_FORMATS)
            if found.width * found.height > MAX_IMAGE_PIXELS:
                raise ImageError(f"{found.width:,} × {found.height:,} pixels are too many to show.")
            found.thumbnail((MAX_IMAGE_SIDE, MAX_IMAGE_SIDE))
            return found.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError) as error:
        raise ImageError("The file could not be read as an image.") from error


def image_lines(picture: "Image", width: int, height: int, background: str, *, is_colourless: bool) -> list[Line]:
    """Fit an image into cells; transparent parts show the background (`#rrggbb`)."""
    from PIL import Image

    scale = min(width / picture.width, 2 * height / picture.height, 4.0)
    across, down = max(1, round(picture.width * scale)), max(1, round(picture.height * scale))
    ground = Image.new("RGBA", (across, down + down % 2), background)
    fitted = picture.resize((across, down))
    ground.paste(fitted, (0, 0), fitted)
    points = ground.convert("L" if is_colourless else "RGB").load()
    assert points is not None, "a picture in memory has points"
    rows = range(0, down, 2)
    if is_colourless:
        return [[Segment("".join(_shade(points[x, y], points[x, y + 1]) for x in range(across)))] for y in rows]
    pairs = [
        [Style(color=_colour(points[x, y]), bgcolor=_colour(points[x, y + 1])) for x in range(across)] for y in rows
    ]
    return [[Segment("▀", each) for each in row] for row in pairs]


def background_of(style: Style) -> str:
    colour = style.bgcolor
    return colour.triplet.hex if colour is not None and colour.triplet is not None else "#000000"


def _colour(point: object) -> Color:
    assert isinstance(point, tuple), "a point of colour has three parts"
    return Color.from_rgb(*point[:3])


def _shade(above: object, below: object) -> str:
    assert isinstance(above, int | float), "a point without colour is a number"
    assert isinstance(below, int | float), "a point without colour is a number"
    return _SHADES[min(len(_SHADES) - 1, int((above + below) / 2 * len(_SHADES) / 256))]


_KITTY_TERMINALS = ("xterm-kitty", "xterm-ghostty", "wezterm")
_KITTY_PROGRAMS = frozenset({"ghostty", "WezTerm"})
_MULTIPLEXERS = ("tmux", "screen")
_CHUNK = 4096
_IMAGE = 1217
"""Our id for the image; the terminal shows one at a time."""
USUAL_CELL = (10, 20)
"""Pixels of a cell where the terminal does not say; at least the proportions are right."""


class ImageProtocol(StrEnum):
    """A value of `images` in config.toml."""

    KITTY = "kitty"
    BLOCKS = "blocks"


def choose_protocol(wanted: str, environment: Mapping[str, str]) -> ImageProtocol:
    """Return the configured protocol, else the one that the terminal is known for; blocks inside tmux and screen."""
    if wanted in set(ImageProtocol):
        return ImageProtocol(wanted)
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if {"TMUX", "STY"} & environment.keys() or terminal.startswith(_MULTIPLEXERS):
        return ImageProtocol.BLOCKS
    if terminal.startswith(_KITTY_TERMINALS) or program in _KITTY_PROGRAMS or "KITTY_WINDOW_ID" in environment:
        return ImageProtocol.KITTY
    return ImageProtocol.BLOCKS


def cell_size() -> tuple[int, int] | None:
    """Return the width and height of a cell in pixels, if the terminal says so; SSH passes it on."""
    for file in (sys.__stdin__, sys.__stdout__, sys.__stderr__):
        try:
            descriptor = file.fileno() if file is not None else -1
            rows, columns, width, height = struct.unpack("HHHH", fcntl.ioctl(descriptor, termios.TIOCGWINSZ, bytes(8)))
        except (OSError, ValueError):
            continue
        if rows and columns and width >= columns and height >= rows:
            return width // columns, height // rows
    return None


def cells_for(picture: "Image", columns: int, rows: int, cell: tuple[int, int]) -> tuple[int, int]:
    """Return the columns and rows that an image fills in its own proportions, at most four times its size."""
    width, height = picture.width / cell[0], picture.height / cell[1]
    scale = min(columns / width, rows / height, 4.0)
    return max(1, min(columns, round(width * scale))), max(1, min(rows, round(height * scale)))


def kitty_image(picture: "Image", columns: int, rows: int, cell: tuple[int, int]) -> str:
    """Return the sequences that show an image at the cursor by kitty's protocol; slow."""
    file = io.BytesIO()
    points = (columns * cell[0], rows * cell[1])
    (picture.resize(points) if points[0] < picture.width else picture).save(file, "PNG")
    data = base64.standard_b64encode(file.getvalue()).decode()
    chunks = [data[at : at + _CHUNK] for at in range(0, len(data), _CHUNK)]
    first = f"a=T,f=100,i={_IMAGE},p=1,c={columns},r={rows},C=1,q=2,"
    return "".join(
        f"\x1b_G{first if number == 0 else ''}m={int(number < len(chunks) - 1)};{chunk}\x1b\\"
        for number, chunk in enumerate(chunks)
    )


def kitty_removal() -> str:
    return f"\x1b_Ga=d,d=I,i={_IMAGE},q=2\x1b\\"


def _at_place(column: int, row: int, sequence: str) -> str:
    """Return a sequence that draws at a place of the screen, counted from 0, and restores the cursor."""
    return f"\x1b7\x1b[{row + 1};{column + 1}H{sequence}\x1b8"


class TerminalImage:
    """An image that the terminal itself draws over empty cells, by kitty's protocol."""

    def __init__(self, picture: "Image") -> None:
        self._picture = picture
        self._cell = cell_size() or USUAL_CELL

    def sequence(self, region: Region) -> str:
        """Return the sequence that draws it in a region of the screen; slow."""
        columns, rows = cells_for(self._picture, region.width, region.height, self._cell)
        return kitty_removal() + _at_place(region.x, region.y, kitty_image(self._picture, columns, rows, self._cell))
