"""Characters of the screen for terminals that have ASCII alone, each as wide as what it stands for."""

from rich.cells import cell_len

from backlit.model.ascii_signs import in_ascii

_ONE_CELL = {
    "…": ".",
    "⋯": ".",
    "→": ">",
    "▸": ">",
    "←": "<",
    "⇄": "=",
    "≠": "x",
    "¬": "-",
    "±": "~",
    "␡": "?",
    "ß": "s",
    "€": "E",
    "○": "o",
    "◐": "-",
    "◑": "=",
    "●": "@",
    "✓": "*",
    "▌": "|",
    "█": "#",
    "░": ".",
    "⊣": "]",
    "╌": " ",
}
"""Signs whose likeness is longer than the sign, or is that of another sign beside it."""


class AsciiCells(dict[int, str]):
    """A table of `str.translate`, which is filled as characters come."""

    def __missing__(self, code: int) -> str:
        """Return a character's likeness of the same width; question marks where it has none."""
        character = chr(code)
        width = cell_len(character)
        if character.isascii():
            found = character
        else:
            braille = {0x2800: " "}.get(code, ".") if 0x2800 <= code <= 0x28FF else ""  # the dots of charts
            likeness = braille or _ONE_CELL.get(character) or in_ascii(character) or "?"
            found = (likeness if len(likeness) <= width else likeness[:width]).ljust(width, "?" if width > 1 else " ")
        self[code] = found
        return found
