"""Escape sequences: writes cells and tracks where the terminal has its cursor and which attributes are set."""

from collections.abc import Sequence

from backlit.tui.drawing.frames.cells import PLAIN, RESET, CellStyle, change, is_agreed

_BRIDGED = 5
"""Cells up to which rewriting is shorter than a cursor move."""


class Pen:
    """Writes cells; an uncertain position is reached by an absolute move."""

    def __init__(self, width: int, *, erases: bool) -> None:
        self.style = PLAIN
        self.erases = erases
        self._width = width
        self._parts: list[str] = []
        self._x: int | None = None
        self._y: int | None = None

    @property
    def sequence(self) -> str:
        """Return the sequence so far."""
        return "".join(self._parts)

    def say(self, sequence: str) -> None:
        """Write a sequence after which the position is unknown."""
        self._parts.append(sequence)
        self._x = self._y = None

    def go(self, x: int, y: int) -> None:
        """Move to a cell by the shortest way."""
        if self._x == x and self._y == y:
            return
        ways = [f"\x1b[{y + 1}H" if x == 0 and y else "\x1b[H" if x == y == 0 else f"\x1b[{y + 1};{x + 1}H"]
        if self._y == y:
            ways.append("\r" if x == 0 else f"\x1b[{x + 1}G")
            if self._x is not None:
                ways.append("\b" * (self._x - x) if x < self._x else _steps(x - self._x, "C"))
        elif self._x == x and self._y is not None:
            ways.append(_steps(self._y - y, "A") if y < self._y else _steps(y - self._y, "B"))
        self._parts.append(min((each for each in ways if each), key=len))
        self._x, self._y = x, y

    def bridge(self, x: int, y: int, characters: Sequence[str], styles: Sequence[CellStyle]) -> None:
        """Move to a cell of a row, rewriting the few cells before it where that is shorter."""
        at = self._x
        if at is None or self._y != y or not 0 < x - at <= _BRIDGED:
            self.go(x, y)
            return
        between = "".join(characters[at:x])
        cells = zip(between, styles[at:x], strict=False)
        if len(between) == x - at <= len(_steps(x - at, "C")) and between.isascii() and all(map(self._has, cells)):
            self._parts.append(between)
            self._x = x
        else:
            self.go(x, y)

    def _has(self, cell: tuple[str, CellStyle]) -> bool:
        character, style = cell
        return style is self.style or (character == " " and style.blank is self.style.blank)

    def take(self, style: CellStyle) -> None:
        """Switch to other attributes."""
        if style is not self.style:
            self._parts.append(change(self.style, style))
            self.style = style

    def draw(self, character: str, width: int) -> None:
        """Write a character at the cursor."""
        self._parts.append(character)
        if self._x is not None:
            end = self._x + width
            self._x = end if end < self._width and is_agreed(character) else None

    def write(self, text: str) -> None:
        """Write plain text at the cursor, a cell for each character."""
        self._parts.append(text)
        if self._x is not None:
            end = self._x + len(text)
            self._x = end if end < self._width else None

    def erase(self, cells: int, *, to_edge: bool) -> None:
        """Erase cells with the current background; the cursor stays."""
        self._parts.append("\x1b[K" if to_edge else f"\x1b[{cells}X")

    def scroll(self, top: int, bottom: int, lines: int) -> None:
        """Move the rows from `top` to before `bottom` up by so many lines, or down for a negative number."""
        self.take(PLAIN)
        move = f"\x1b[{lines if lines > 1 else ''}M" if lines > 0 else f"\x1b[{-lines if lines < -1 else ''}L"
        self._parts.append(f"\x1b[{top + 1};{bottom}r")
        self._x = self._y = None
        self.go(0, top)
        self.say(f"{move}\x1b[r")

    def rest(self) -> None:
        """Reset the attributes."""
        if self.style is not PLAIN:
            self._parts.append(RESET if not self.style.link else f"{RESET}\x1b]8;;\x1b\\")
            self.style = PLAIN


def _steps(count: int, direction: str) -> str:
    return f"\x1b[{count if count > 1 else ''}{direction}"
