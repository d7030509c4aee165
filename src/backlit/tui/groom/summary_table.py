"""The table of a grooming session's results, and the words for its changes and open checks."""

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from textual.geometry import Region
from textual.strip import Strip

from backlit.model.ready_check import Ground, Rule
from backlit.store.grooming import Groomed
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right, wrapped
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.acts import field_named
from backlit.tui.fields.values import FieldWords
from backlit.tui.widgets.item_rows import UNREADY
from backlit.tui.widgets.line_list import LineList, heads_line

NONE = "–"
"""An empty value, before or after a change."""
TITLES = ("Changed", "Skipped", "Unchanged")
RESULT, NUMBER, GAP = 12, 6, 2
"""Cells of the first columns, and between the others."""
SIGN, OPEN = GAP, 2
"""Cells of the sign before open checks, and the place of their column."""
RESULT_LOOKS = {TITLES[0]: ("✓", "status-done"), TITLES[1]: (" ", "muted"), TITLES[2]: (" ", "muted")}
"""The sign and the colour of each result."""
LEAST_NAMES, LEAST_OPEN, ENOUGH_OPEN = 22, 14, 30
"""Cells that names have at least, below which there is no column for open checks, and that names leave to it."""
MOST, HEIGHTS = 0.5, (9, 2, 1)
"""Share of the screen's height that rows of several lines may take, and the most lines of a row, in turn."""


class SummaryTable(LineList):
    """The shown items by their result, with their changes and the checks they still fail."""

    HEADER_LINES = 1

    def __init__(self, store: Store) -> None:
        super().__init__(id="summary")
        self._store = store
        self._rows: Sequence[tuple[str, Groomed]] = ()
        self._texts: Sequence[tuple[str, str, str]] = ()
        """The name, the changes and the open checks of each row."""
        self._lines: Sequence[tuple[int, int]] = ()
        """The row and the line of each line on show, where there is room for all rows."""
        self._most = HEIGHTS[-1]
        """Most lines of a row."""
        self._needed = (GAP, GAP, GAP)
        """Cells that each of these columns needs for its longest text."""

    def show(self, results: Sequence[Groomed]) -> None:
        """Show the results; the cursor stays on its line."""
        self._rows = [(title, each) for title, found in grouped(results) for each in found]
        ground = self._store.ready_check.ground()
        self._texts = [self._texts_of(each, ground) for _, each in self._rows]
        columns = zip(*self._texts, ("", "", ""), strict=True)
        longest = (max(map(cell_len, column)) for column in columns)
        name, changes, still = (each and each + GAP for each in longest)  # the sign of a check is as wide as a gap
        self._needed = name, changes, still
        self.rows_replaced(self.cursor)

    @property
    def current(self) -> Groomed | None:
        """Return the result under the cursor."""
        return self._rows[self.cursor][1] if self.cursor < len(self._rows) else None

    def row_count(self) -> int:
        """Return the number of items."""
        return len(self._rows)

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the titles of the columns."""
        name, changes, still = self._widths()
        first = f" {'Result':<{RESULT}}{'ID':>{NUMBER - 1}}   "
        return heads_line(self, f"{first}{fit('Item', name)}{fit('Changes', changes)}{fit('Still open', still)}")

    @property
    def page(self) -> int:
        """Return the number of rows that fit."""
        return len(self._rows) if self._lines else super().page

    def place_at(self, y: int) -> tuple[int, int]:
        """Return the row on a line below the header, and the number of its line."""
        if not self._lines:
            return super().place_at(y)
        return self._lines[y] if y < len(self._lines) else (len(self._rows), 0)

    def refresh_row(self, index: int) -> None:
        """Repaint one row if it is in sight."""
        if not self._lines:
            super().refresh_row(index)
        elif (index, 0) in self._lines:
            y = self._lines.index((index, 0))
            self.refresh(Region(0, y + self.HEADER_LINES, self.size.width, self._height_of(index)))

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        """Draw a line of an item; the first one of a result has its sign."""
        title, each = self._rows[index]
        is_first = index == 0 or self._rows[index - 1][0] != title
        sign, colour = RESULT_LOOKS[title]
        number, kind = (str(each.item_id) if each.item_id > 0 else "", type_sign(each.type)) if not line else ("", "")
        names, changes, still = self._widths()
        last = self._height_of(index) - 1
        name, change, check = (self._line_of(index, at, line, last) for at in range(3))
        missing = UNREADY if check and not line else ""
        return self.draw_parts(
            [
                (fit("" if line else f"{sign if is_first else ' '} {title}", RESULT), colour),
                (fit_right(number, NUMBER - 1) + " ", "muted"),
                (f"{kind or ' '} ", type_colour(each.type)),
                (fit(name, names - GAP) + " " * GAP, "foreground"),
                (fit(change, changes - GAP) + " " * GAP if changes > GAP else "", "foreground"),
                *([(fit(missing, SIGN), "pending"), (fit(check, still - SIGN), "muted")] if still > SIGN else []),
            ],
            is_cursor=is_cursor,
        )

    def _line_of(self, index: int, column: int, line: int, last: int) -> str:
        """Return a line of a text; the last line of a row has the rest of the text."""
        lines = self._wrapped(index, column)
        lines = [*lines[:last], " ".join(lines[last:])]
        return lines[line] if line < len(lines) else ""

    def _wrapped(self, index: int, column: int) -> list[str]:
        """Return the lines of a text in its column; none where the column is not shown."""
        text, width = self._texts[index][column], self._widths()[column] - (SIGN if column == OPEN else GAP)
        return wrapped(text, width) if text and width > 0 else []

    def _height_of(self, index: int) -> int:
        return max(1, min(self._most, max(len(self._wrapped(index, column)) for column in range(3))))

    def _widths(self) -> tuple[int, int, int]:
        """Return the cells of names, changes and open checks; names are as wide as their texts where they can be."""
        room = self.size.width - RESULT - NUMBER - 4
        name, changes, still = self._needed
        name = min(name, max(LEAST_NAMES, room - changes - min(still, ENOUGH_OPEN)))
        changes = max(0, min(changes, room - name))
        still = room - name - changes
        return (name, changes, still) if still >= LEAST_OPEN else (min(room - changes, name + still), changes, 0)

    def share(self, height: int) -> None:
        """Take the lines of all rows; each is as high as its texts, or lower where the height has less room."""
        self._lines, self._most = (), HEIGHTS[-1]
        if self.HEADER_LINES + len(self._rows) <= height * MOST:
            self._take_lines(height)
        self.styles.height = self.HEADER_LINES + max(1, len(self._lines or self._rows))
        self.refresh()

    def _take_lines(self, height: int) -> None:
        for self._most in HEIGHTS:
            lines = [(at, line) for at in range(len(self._rows)) for line in range(self._height_of(at))]
            if self.HEADER_LINES + len(lines) <= height * MOST:
                self._lines = lines
                return

    @property
    def is_cut(self) -> bool:
        """Return whether the row under the cursor leaves out a part of its changes."""
        if not self._texts or not self._texts[self.cursor][1]:
            return False
        count = len(self._wrapped(self.cursor, 1))
        return not count or count > self._height_of(self.cursor)

    def _texts_of(self, each: Groomed, ground: Ground) -> tuple[str, str, str]:
        name = each.name if each.type else f"{each.name} (deleted)"
        return name, ", ".join(changes_of(self._store, each, " ")), listed(open_words(each.open, ground))


def open_words(rules: Sequence[Rule], ground: Ground) -> list[str]:
    """Return the checks that an item fails, in the words that the other screens use for them."""
    return [rule.said(ground).rstrip(".") for rule in rules]


def listed(words: Sequence[str]) -> str:
    """Return several sentences as one."""
    return ", ".join(each if not at else f"{each[:1].lower()}{each[1:]}" for at, each in enumerate(words))


def grouped(results: Sequence[Groomed]) -> Iterator[tuple[str, list[Groomed]]]:
    """Yield the items by their result, without empty groups."""
    groups: dict[str, list[Groomed]] = {title: [] for title in TITLES}
    for each in results:
        groups[TITLES[0] if each.answers else TITLES[1] if each.is_skipped else TITLES[2]].append(each)
    yield from ((title, found) for title, found in groups.items() if found)


def changes_of(store: Store, each: Groomed, colon: str) -> Iterator[str]:
    """Yield the changed fields with their values, those of other users named as such."""
    words = FieldWords(store)
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        values = (answer.before, answer.after)
        before, after = (NONE if is_empty(value) else words.shown(field, value) for value in values)
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{before} → {after}"
    if each.answers and each.is_skipped:
        yield "skipped"
