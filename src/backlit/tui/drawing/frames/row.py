"""A row of the screen: what it is to show, and what the terminal shows."""

from rich.color import ColorSystem
from textual.strip import Strip

from backlit.tui.drawing.frames.cell_style import PLAIN, VISIBLE, Look
from backlit.tui.drawing.frames.cells import cells_of
from backlit.tui.drawing.frames.escape_writer import Pen

_PLAIN = frozenset(map(chr, range(0x21, 0x7F)))
_LEAST_TO_EDGE = 4
_LEAST_ERASED = 12
"""Blanks from which on it is shorter to erase them than to write them."""


class Row:
    """Cells as they are wanted and as they were last written; None where nobody knows what the terminal shows."""

    def __init__(self, width: int) -> None:
        self.characters: list[str] = [" "] * width
        self.looks: list[Look] = [PLAIN] * width
        self.shown: list[str | None] = [None] * width
        self.shown_looks: list[Look | None] = [None] * width
        self._strips: dict[int, Strip] = {}
        self._low, self._high = width, 0

    def put(self, x: int, strip: Strip, system: ColorSystem) -> None:
        """Want the cells of a strip; one that is there already costs nothing."""
        if self._strips.get(x) is strip:
            return
        characters, looks = cells_of(strip, system)
        end = min(x + len(characters), len(self.characters))
        self._cut(x)
        self._cut(end)
        self._forget_strips(x, end)
        self._strips[x] = strip
        self.characters[x:end] = characters[: end - x]
        self.looks[x:end] = looks[: end - x]
        self._low, self._high = min(self._low, x), max(self._high, end)

    def _cut(self, x: int) -> None:
        """Leave two blanks of a wide character that a place lies in the middle of."""
        if x < len(self.characters) and not self.characters[x]:
            self.characters[x - 1 : x + 1] = " ", " "
            self._forget_strips(x - 1, x + 1)
            self._low, self._high = min(self._low, x - 1), max(self._high, x + 1)

    def _forget_strips(self, start: int, end: int) -> None:
        for x, strip in list(self._strips.items()):
            if x < end and x + strip.cell_length > start:
                del self._strips[x]

    def forget(self, start: int = 0, end: int | None = None) -> None:
        """Know no longer what the terminal shows in some cells; they are written when they are next painted."""
        end = len(self.characters) if end is None else min(end, len(self.characters))
        start = max(0, start)
        self.shown[start:end] = [None] * (end - start)
        self.shown_looks[start:end] = [None] * (end - start)
        self._forget_strips(start, end)

    def differs(self) -> bool:
        """Whether something painted since the last time may not be on the terminal."""
        if self._low < self._high and self.characters == self.shown and self.looks == self.shown_looks:
            self._low, self._high = len(self.characters), 0
        return self._low < self._high

    def move_shown(self, other: "Row | None") -> None:
        """Take over what another row shows, as the terminal moved it here; None where nobody knows."""
        width = len(self.characters)
        self.shown = [None] * width if other is None else other.shown.copy()
        self.shown_looks = [None] * width if other is None else other.shown_looks.copy()
        self._low, self._high = 0, width

    def write(self, pen: Pen, y: int) -> None:
        """Write the cells that differ, and note that they are shown."""
        done = 0
        for x in self._differing():
            if x >= done:
                start = x if self.characters[x] else x - 1
                pen.bridge(start, y, self.characters, self.looks)
                done = start + self._write_cells(pen, start)
        low, high = self._low, self._high
        self.shown[low:high] = self.characters[low:high]
        self.shown_looks[low:high] = self.looks[low:high]
        self._low, self._high = len(self.characters), 0

    def _differing(self) -> list[int]:
        part = slice(self._low, self._high)
        cells = zip(self.characters[part], self.shown[part], self.looks[part], self.shown_looks[part], strict=True)
        return [
            x
            for x, (character, shown, look, shown_look) in enumerate(cells, self._low)
            if character != shown or (look is not shown_look and (character != " " or not self._is_shown(x)))
        ]

    def _is_shown(self, x: int) -> bool:
        character, shown_look = self.characters[x], self.shown_looks[x]
        if character != self.shown[x] or shown_look is None:
            return False
        look = self.looks[x]
        return shown_look is look or (character == " " and shown_look.blank is look.blank)

    def _write_cells(self, pen: Pen, x: int) -> int:
        """Write what can be written together from a cell on; returns how many cells are done."""
        character, look = self.characters[x], self.looks[x]
        if character == " ":
            return self._write_blanks(pen, x)
        pen.take(look)
        if character not in _PLAIN:
            width = 2 if x + 1 < len(self.characters) and not self.characters[x + 1] else 1
            pen.draw(character, width)
            return width
        end = self._end_of_words(x)
        pen.write("".join(self.characters[x:end]))
        return end - x

    def _end_of_words(self, x: int) -> int:
        """Where the words that begin at a cell are in another look, have other signs, or are shown already."""
        characters, looks, shown, shown_looks = self.characters, self.looks, self.shown, self.shown_looks
        look, end, high = looks[x], x + 1, self._high
        while end < high and looks[end] is look and (characters[end] != shown[end] or shown_looks[end] is not look):
            is_inside = characters[end] == " " and end + 1 < high and characters[end + 1] in _PLAIN
            if not is_inside and characters[end] not in _PLAIN:
                break
            end += 1
        return end

    def _write_blanks(self, pen: Pen, x: int) -> int:
        """Write or erase blanks as far as they have one ground and are not shown."""
        look, end = self.looks[x], self._end_of_blanks(x)
        if pen.look.blank is not look.blank:
            after = self.looks[end] if end < self._high else None
            pen.take(after if after and after.blank is look.blank else pen.look.on_ground_of(look))
        count = end - x
        while count > 1 and (x + count > self._high or self._is_shown(x + count - 1)):
            count -= 1
        if pen.erases and not look.link and not look.attributes & VISIBLE:
            if end == len(self.characters) and count >= _LEAST_TO_EDGE:
                pen.erase(end - x, to_edge=True)
                return end - x
            if count >= _LEAST_ERASED:
                pen.erase(count, to_edge=False)
                return count
        pen.write(" " * count)
        return count

    def _end_of_blanks(self, x: int) -> int:
        blank = self.looks[x].blank
        end = x + 1
        while end < len(self.characters) and self.characters[end] == " " and self.looks[end].blank is blank:
            end += 1
        return end
