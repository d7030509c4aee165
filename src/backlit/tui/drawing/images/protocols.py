"""Which way the terminal shows pictures: by the protocol that it is known for, else as half blocks.

Nothing is asked of the terminal: an answer that comes late over a slow line would be taken for keys.
"""

import base64
import fcntl
import io
import struct
import sys
import termios
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.style import Style
from textual.geometry import Region

from backlit.tui.drawing.images.half_blocks import background_of
from backlit.tui.drawing.images.sixel import sixel_picture
from backlit.tui.drawing.theme_styles import Looks

if TYPE_CHECKING:
    from PIL.Image import Image

_KITTY_TERMINALS = ("xterm-kitty", "xterm-ghostty", "wezterm")
_KITTY_PROGRAMS = frozenset({"ghostty", "WezTerm"})
_SIXEL_TERMINALS = ("foot", "mlterm", "contour", "yaft")
_SIXEL_PROGRAMS = frozenset({"mintty", "iTerm.app"})
_MULTIPLEXERS = ("tmux", "screen")
_CHUNK = 4096
_IMAGE = 1217
"""Our number for the picture that is shown; there is one at a time."""
USUAL_CELL = (10, 20)
"""Points of a cell where the terminal does not say; right in its shape at least."""


class PictureWay(StrEnum):
    """What `images` in config.toml may name."""

    KITTY = "kitty"
    SIXEL = "sixel"
    BLOCKS = "blocks"


def way_of(wanted: str, environment: Mapping[str, str]) -> PictureWay:
    """The way that was named, else the one that the terminal is known for; blocks inside tmux and screen."""
    if wanted in set(PictureWay):
        return PictureWay(wanted)
    terminal, program = environment.get("TERM", ""), environment.get("TERM_PROGRAM", "")
    if {"TMUX", "STY"} & environment.keys() or terminal.startswith(_MULTIPLEXERS):
        return PictureWay.BLOCKS
    if terminal.startswith(_KITTY_TERMINALS) or program in _KITTY_PROGRAMS or "KITTY_WINDOW_ID" in environment:
        return PictureWay.KITTY
    if terminal.startswith(_SIXEL_TERMINALS) or program in _SIXEL_PROGRAMS:
        return PictureWay.SIXEL
    return PictureWay.BLOCKS


def cell_size() -> tuple[int, int] | None:
    """The width and height of a cell in points, if the terminal says so; SSH passes it on."""
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
    """How many cells a picture fills of those there are, in its own shape; at most four times its size."""
    width, height = picture.width / cell[0], picture.height / cell[1]
    scale = min(columns / width, rows / height, 4.0)
    return max(1, min(columns, round(width * scale))), max(1, min(rows, round(height * scale)))


def kitty_picture(picture: "Image", columns: int, rows: int, cell: tuple[int, int]) -> str:
    """The sequences that show a picture at the cursor, in kitty's protocol; slow."""
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


def kitty_gone() -> str:
    """The sequence that takes the picture away again."""
    return f"\x1b_Ga=d,d=I,i={_IMAGE},q=2\x1b\\"


def _at_place(column: int, row: int, sequence: str) -> str:
    """A sequence that draws at a place of the screen, counted from 0, and leaves the cursor where it was."""
    return f"\x1b7\x1b[{row + 1};{column + 1}H{sequence}\x1b8"


class TerminalPicture:
    """A picture that the terminal draws itself, over cells that are empty."""

    def __init__(self, picture: "Image", way: PictureWay) -> None:
        self._picture = picture
        self._way = way
        self._cell = cell_size()

    def fits(self, looks: Looks) -> bool:
        """Whether the terminal draws it: in colours, and sixels only where the size of a cell is known."""
        is_known = self._way is PictureWay.KITTY or (self._way is PictureWay.SIXEL and self._cell is not None)
        return is_known and not looks.is_colourless

    def sequence(self, region: Region, style: Style) -> str:
        """What draws it at a place of the screen; slow."""
        cell = self._cell or USUAL_CELL
        columns, rows = cells_for(self._picture, region.width, region.height, cell)
        if self._way is PictureWay.KITTY:
            return kitty_gone() + _at_place(region.x, region.y, kitty_picture(self._picture, columns, rows, cell))
        ground = background_of(style)
        drawn = sixel_picture(self._picture, columns * cell[0], rows * cell[1], ground)
        return _at_place(region.x, region.y, drawn)

    def gone(self) -> str:
        """What takes it away; sixels go with the cells that are drawn over them."""
        return kitty_gone() if self._way is PictureWay.KITTY else ""
