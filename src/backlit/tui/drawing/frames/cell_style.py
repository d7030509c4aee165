"""How a cell looks on the terminal, and the shortest sequence that leads from one look to another."""

from functools import lru_cache

from rich.color import Color, ColorSystem
from rich.style import Style

_ON = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "21", "51", "52", "53")
_NAMES = (
    *("bold", "dim", "italic", "underline", "blink", "blink2", "reverse", "conceal", "strike"),
    *("underline2", "frame", "encircle", "overline"),
)
"""The attributes of a style, a bit each, in the order of what switches them on."""
_OFF = (
    *((0b11, "22"), (0b100, "23"), (0b10_0000_1000, "24"), (0b11_0000, "25"), (1 << 6, "27"), (1 << 7, "28")),
    *((1 << 8, "29"), (0b1100_0000_0000, "54"), (1 << 12, "55")),
)
"""Attributes that go together, and what switches them off."""
VISIBLE = 0b1_1111_0100_1000
"""Attributes that are seen on a blank: lines of all kinds, and reversed colours."""
RESET = "\x1b[m"


class Look:
    """Attributes, colours and link of a cell; there is one object for each look, to be compared by identity."""

    __slots__ = ("attributes", "background", "blank", "colour", "link")

    def __init__(self, attributes: int, colour: str, background: str, link: str) -> None:
        self.attributes = attributes
        self.colour = colour
        self.background = background
        self.link = link
        is_same = attributes & VISIBLE or not (attributes or colour)
        self.blank: Look = self if is_same else look(0, "", background, link)
        """The look of which a blank cannot be told from one in this look."""

    def on_ground_of(self, other: "Look") -> "Look":
        """A look that differs as little as may be from this one and shows blanks as the other does."""
        if other.attributes & VISIBLE:
            return other
        return look(self.attributes & ~VISIBLE, self.colour, other.background, other.link)


@lru_cache(maxsize=8192)
def look(attributes: int, colour: str, background: str, link: str) -> Look:
    """The one object for a look; a second one, were it forgotten, has cells written that need not be."""
    return Look(attributes, colour, background, link)


PLAIN = look(0, "", "", "")
"""How the terminal writes after a reset."""


@lru_cache(maxsize=8192)
def look_of(style: Style | None, system: ColorSystem) -> Look:
    """The look of a rich style on a terminal with so many colours."""
    if style is None:
        return PLAIN
    attributes = sum(1 << bit for bit, name in enumerate(_NAMES) if getattr(style, name))
    link = style.link if style.link and style.link.isprintable() else ""
    return look(attributes, _codes(style.color, system), _codes(style.bgcolor, system, is_ground=True), link)


def _codes(colour: Color | None, system: ColorSystem, *, is_ground: bool = False) -> str:
    if colour is None or colour.is_default:
        return ""
    return ";".join(colour.downgrade(system).get_ansi_codes(foreground=not is_ground))


@lru_cache(maxsize=8192)
def change(before: Look, after: Look) -> str:
    """The sequence after which cells are written in another look: what differs, or all of it anew, as is shorter."""
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
