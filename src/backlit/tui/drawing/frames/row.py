"""A row of the screen: the wanted cells, and the cells that the terminal shows."""

from rich.color import ColorSystem
from textual.strip import Strip

from backlit.tui.drawing.frames.cells import PLAIN, VISIBLE, CellStyle, cells_of
from backlit.tui.drawing.frames.escape_writer import Pen

_PLAIN = frozenset(map(chr, range(0x21, 0x7F)))
_LEAST_TO_EDGE = 4
_LEAST_ERASED = 12
"""Blanks from which on erasing is shorter than writing."""


class Row:
    """The wanted cells and those last written; None where the terminal's cell is unknown."""

    def __init__(self, width: int) -> None:
        self.characters: list[str] = [" "] * width
        self.styles: list[CellStyle] = [PLAIN] * width
        self.shown: list[str | None] = [None] * width
        self.shown_styles: list[CellStyle | None] = [None] * width
        self._strips: dict[int, Strip] = {}
        self._low, self._high = width, 0

    def put(self, x: int, strip: Strip, system: ColorSystem) -> None:
        """Take the cells of a strip; the same strip again costs nothing."""
        if self._strips.get(x) is strip:
            return
        characters, styles = cells_of(strip, system)
        end = min(x + len(characters), len(self.characters))
        self._cut(x)
        self._cut(end)
        self._forget_strips(x, end)
        self._strips[x] = strip
        self.characters[x:end] = characters[: end - x]
        self.styles[x:end] = styles[: end - x]
        self._low, self._high = min(self._low, x), max(self._high, end)

    def _cut(self, x: int) -> None:
        """Replace a wide character that a place cuts in two by blanks."""
        if x < len(self.characters) and not self.characters[x]:
            self.characters[x - 1 : x + 1] = " ", " "
            self._forget_strips(x - 1, x + 1)
            self._low, self._high = min(self._low, x - 1), max(self._high, x + 1)

    def _forget_strips(self, start: int, end: int) -> None:
        for x, strip in list(self._strips.items()):
            if x < end and x + strip.cell_length > start:
                del self._strips[x]

    def forget(self, start: int = 0, end: int | None = None) -> None:
        """Mark some cells as unknown; they are written when they are next painted."""
        end = len(self.characters) if end is None else min(end, len(self.characters))
        start = max(0, start)
        self.shown[start:end] = [None] * (end - start)
        self.shown_styles[start:end] = [None] * (end - start)
        self._forget_strips(start, end)

    def differs(self) -> bool:
        """Return whether painted cells may differ from the terminal's."""
        if self._low < self._high and self.characters == self.shown and self.styles == self.shown_styles:
            self._low, self._high = len(self.characters), 0
        return self._low < self._high

    def move_shown(self, other: "Row | None") -> None:
        """Take over the shown cells of another row, which the terminal moved here; None for unknown ones."""
        width = len(self.characters)
        self.shown = [None] * width if other is None else other.shown.copy()
        self.shown_styles = [None] * width if other is None else other.shown_styles.copy()
        self._low, self._high = 0, width

    def write(self, pen: Pen, y: int) -> None:
        """Write the differing cells, and note them as shown."""
        done = 0
        for x in self._differing():
            if x >= done:
                start = x if self.characters[x] else x - 1
                pen.bridge(start, y, self.characters, self.styles)
                done = start + self._write_cells(pen, start)
        low, high = self._low, self._high
        self.shown[low:high] = self.characters[low:high]
        self.shown_styles[low:high] = self.styles[low:high]
        self._low, self._high = len(self.characters), 0

    def _differing(self) -> list[int]:
        part = slice(self._low, self._high)
        cells = zip(self.characters[part], self.shown[part], self.styles[part], self.shown_styles[part], strict=True)
        return [
            x
            for x, (character, shown, style, shown_style) in enumerate(cells, self._low)
            if character != shown or (style is not shown_style and (character != " " or not self._is_shown(x)))
        ]

    def _is_shown(self, x: int) -> bool:
        character, shown_style = self.characters[x], self.shown_styles[x]
        if character != self.shown[x] or shown_style is None:
            return False
        style = self.styles[x]
        return shown_style is style or (character == " " and shown_style.blank is style.blank)

    def _write_cells(self, pen: Pen, x: int) -> int:
        """Write a run of cells from one on; returns its length."""
        character, style = self.characters[x], self.styles[x]
        if character == " ":
            return self._write_blanks(pen, x)
        pen.take(style)
        if character not in _PLAIN:
            width = 2 if x + 1 < len(self.characters) and not self.characters[x + 1] else 1
            pen.draw(character, width)
            return width
        end = self._end_of_words(x)
        pen.write("".join(self.characters[x:end]))
        return end - x

    def _end_of_words(self, x: int) -> int:
        """Return the end of the run of differing words with the attributes of a cell."""
        characters, styles, shown, shown_styles = self.characters, self.styles, self.shown, self.shown_styles
        style, end, high = styles[x], x + 1, self._high
        while end < high and styles[end] is style and (characters[end] != shown[end] or shown_styles[end] is not style):
            is_inside = characters[end] == " " and end + 1 < high and characters[end + 1] in _PLAIN
            if not is_inside and characters[end] not in _PLAIN:
                break
            end += 1
        return end

    def _write_blanks(self, pen: Pen, x: int) -> int:
        """Write or erase differing blanks of one background."""
        style, end = self.styles[x], self._end_of_blanks(x)
        if pen.style.blank is not style.blank:
            after = self.styles[end] if end < self._high else None
            pen.take(after if after and after.blank is style.blank else pen.style.on_background_of(style))
        count = end - x
        while count > 1 and (x + count > self._high or self._is_shown(x + count - 1)):
            count -= 1
        if pen.erases and not style.link and not style.attributes & VISIBLE:
            if end == len(self.characters) and count >= _LEAST_TO_EDGE:
                pen.erase(end - x, to_edge=True)
                return end - x
            if count >= _LEAST_ERASED:
                pen.erase(count, to_edge=False)
                return count
        pen.write(" " * count)
        return count

    def _end_of_blanks(self, x: int) -> int:
        blank = self.styles[x].blank
        end = x + 1
        while end < len(self.characters) and self.characters[end] == " " and self.styles[end].blank is blank:
            end += 1
        return end
