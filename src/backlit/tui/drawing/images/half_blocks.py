"""Pictures as half blocks: two points of colour in every cell. Needs Pillow, which comes with the extra `images`."""

import io
import warnings
from typing import TYPE_CHECKING

from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from backlit.tui.drawing.markdown import Line

if TYPE_CHECKING:
    from PIL.Image import Image

HOW_TO = "pip install 'backlit[images]' shows pictures here."
LARGEST = 1600
"""Points of the longer side that are kept of a picture; a terminal has fewer."""
MOST_POINTS = 60_000_000
"""Larger pictures are not unpacked."""
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP", "BMP")
_SHADES = " ░▒▓█"


class NoPicture(Exception):
    """A picture that cannot be shown; the text is the sentence that says why."""


def read_picture(content: bytes) -> "Image":
    """Unpack a picture as far as it came; slow. Raises NoPicture."""
    try:
        from PIL import Image, ImageFile, UnidentifiedImageError
    except ImportError:
        raise NoPicture(HOW_TO) from None
    ImageFile.LOAD_TRUNCATED_IMAGES = True
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = Image.open(io.BytesIO(content), formats=_FORMATS)
            if found.width * found.height > MOST_POINTS:
                raise NoPicture(f"{found.width:,} × {found.height:,} points are more than are unpacked here.")
            found.thumbnail((LARGEST, LARGEST))
            return found.convert("RGBA")
    except (UnidentifiedImageError, OSError, ValueError, SyntaxError, EOFError, IndexError, TypeError) as error:
        raise NoPicture("It is called a picture, but cannot be read as one.") from error


def picture_lines(picture: "Image", width: int, height: int, background: str, *, is_colourless: bool) -> list[Line]:
    """Fit a picture into cells; what is see-through shows the background (`#rrggbb`)."""
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
    return [[_half_block(points[x, y], points[x, y + 1]) for x in range(across)] for y in rows]


def background_of(style: Style) -> str:
    """The colour under a picture that is see-through; black where it is the terminal's own."""
    colour = style.bgcolor
    return colour.triplet.hex if colour is not None and colour.triplet is not None else "#000000"


def _half_block(above: object, below: object) -> Segment:
    return Segment("▀", Style(color=_colour(above), bgcolor=_colour(below)))


def _colour(point: object) -> Color:
    assert isinstance(point, tuple), "a point of colour has three parts"
    return Color.from_rgb(*point[:3])


def _shade(above: object, below: object) -> str:
    assert isinstance(above, int | float), "a point without colour is a number"
    assert isinstance(below, int | float), "a point without colour is a number"
    return _SHADES[min(len(_SHADES) - 1, int((above + below) / 2 * len(_SHADES) / 256))]
