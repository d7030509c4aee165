"""Cells of the terminal: their characters, their attributes, and the sequences that switch between those."""

from functools import lru_cache

from rich.cells import split_graphemes
from rich.color import Color, ColorSystem
from rich.style import Style
from textual.strip import Strip

_ON = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
_NAMES = (
    *("bold", "dim", "italic", "underline", "blink", "blink2", "reverse", "conceal", "strike"),
    *("underline2", "frame", "encircle", "overline"),
)
"""The attributes of a style, a bit each, in the order of the codes that switch them on."""
_OFF = (
    *((0b11, "22"), (0b100, "23"), (0b10_0000_1000, "24"), (0b11_0000, "25"), (1 << 6, "27"), (1 << 7, "28")),
    *((1 << 8, "29"), (0b1100_0000_0000, "54"), (1 << 12, "55")),
)
"""Groups of attributes, and the code that switches each off."""
VISIBLE = 0b1_1111_0100_1000
"""Attributes that show on a blank: lines of all kinds, and reversed colours."""
RESET = "\x1b[m"


class CellStyle:
    """Attributes, colours and link of a cell; equal styles are one object, to be compared by identity."""

    __slots__ = ("attributes", "background", "blank", "colour", "link")

    def __init__(self, attributes: int, colour: str, background: str, link: str) -> None:
        self.attributes = attributes
        self.colour = colour
        self.background = background
        self.link = link
        is_same = attributes & VISIBLE or not (attributes or colour)
        self.blank: CellStyle = self if is_same else cell_style(0, "", background, link)
        """The style that draws a blank alike."""

    def on_background_of(self, other: "CellStyle") -> "CellStyle":
        """Return the nearest style that draws a blank as another one does."""
        if other.attributes & VISIBLE:
            return other
        return cell_style(self.attributes & ~VISIBLE, self.colour, other.background, other.link)


@lru_cache(maxsize=8192)
def cell_style(attributes: int, colour: str, background: str, link: str) -> CellStyle:
    """Return the one object for a style; a second object would have cells written needlessly."""
    return CellStyle(attributes, colour, background, link)


PLAIN = cell_style(0, "", "", "")
"""The attributes after a reset."""


@lru_cache(maxsize=8192)
def cell_style_of(style: Style | None, system: ColorSystem) -> CellStyle:
    """Return the cell style of a rich style on a terminal with so many colours."""
    if style is None:
        return PLAIN
    attributes = sum(1 << bit for bit, name in enumerate(_NAMES) if getattr(style, name))
    link = style.link if style.link and style.link.isprintable() else ""
    return cell_style(attributes, _codes(style.color, system), _codes(style.bgcolor, system, is_background=True), link)


def _codes(colour: Color | None, system: ColorSystem, *, is_background: bool = False) -> str:
    if colour is None or colour.is_default:
        return ""
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground=not is_background))


@lru_cache(maxsize=8192)
def change(before: CellStyle, after: CellStyle) -> str:
    """Return the shorter sequence from one style to another: the differences, or a reset and all attributes."""
    codes: list[str] = []
    attributes = before.attributes
    for group, off in _OFF:
        if attributes & ~after.attributes & group:
            codes.append(off)
            attributes &= ~group
    codes += _switched_on(after.attributes & ~attributes)
    if before.colour != after.colour:
        codes.append(after.colour or "39")
    if before.background != after.background:
        codes.append(after.background or "49")
    differing = ";".join(codes)
    whole = ";".join(part for part in (*_switched_on(after.attributes), after.colour, after.background) if part)
    anew = f"0;{whole}" if whole else ""
    drawn = f"\x1b[{anew if len(anew) < len(differing) else differing}m" if codes else ""
    return drawn if before.link == after.link else f"{drawn}\x1b]8;;{after.link}\x1b\\"


def _switched_on(attributes: int) -> list[str]:
    return [on for bit, on in enumerate(_ON) if attributes >> bit & 1]


_SINGLE = frozenset(
    chr(code)
    for part in ((0x20, 0x7F), (0xA0, 0xAD), (0xAE, 0x300), (0x2010, 0x2028), (0x2190, 0x2300), (0x2500, 0x25FD))
    for code in range(*part)
)
"""Common characters that are one cell wide and never combine."""
_NARROW = 0x1100
"""Code below which no character is wide; combining ones come with their base."""
_SYMBOLS = range(0x2000, 0x2E80)
_WIDE = (range(0x2E80, 0xD7A4), range(0xF900, 0xFB00), range(0xFF01, 0xFF61), range(0x20000, 0x3FFFE))

_LETTERS_OF_FLAGS = frozenset(map(chr, range(0x1F1E6, 0x1F200)))


def cells_of(strip: Strip, system: ColorSystem) -> tuple[list[str], list[CellStyle]]:
    """Return the character of each cell, empty for the second cell of a wide one, and the attributes of each.

    A combining character is in the cell of its base. Control segments have no cells.
    """
    characters: list[str] = []
    styles: list[CellStyle] = []
    for text, style, control in strip:
        if control:
            continue
        here = cell_style_of(style, system)
        before = len(characters)
        characters.extend(text if text.isascii() or _SINGLE.issuperset(text) else _clusters(text))
        styles.extend([here] * (len(characters) - before))
    return characters, styles


def _clusters(text: str) -> list[str]:
    cells: list[str] = []
    is_half = False  # True behind the first letter of a flag, whose two letters are one character
    for start, end, width in split_graphemes(text)[0]:
        if is_half and text[start] in _LETTERS_OF_FLAGS:
            cells[-1:] = [cells[-1] + text[start:end], ""]
            is_half = False
        elif width:
            cells.append(text[start:end])
            cells.extend([""] * (width - 1))
            is_half = text[start] in _LETTERS_OF_FLAGS
    return cells


@lru_cache(maxsize=4096)
def is_agreed(cluster: str) -> bool:
    """Return whether terminals agree on the width; they do not for emoji and for combining characters."""
    if len(cluster) > 1:
        return False
    code = ord(cluster)
    if code < _NARROW or code in _SYMBOLS:
        return split_graphemes(cluster)[1] == 1
    return any(code in each for each in _WIDE) and split_graphemes(cluster)[1] == 2
