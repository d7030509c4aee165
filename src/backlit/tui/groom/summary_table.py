"""The table of a grooming session's results, and the words for its changes and open checks."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from backlit.model.fields import Field, Kind
from backlit.model.ready_check import ReadyRule, RuleInputs
from backlit.store.grooming import GroomedItem
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.field_edits import field_named
from backlit.tui.fields.values import ScreenFieldWords, short_words_of
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.line_list import BOLD, LineList

NONE = "–"
"""An empty value, before or after a change."""
TITLES = ("Changed", "Skipped", "Unchanged")
UNREADY, READY, DELETED = "Still not ready", "Ready", "Deleted"
NARROW, GUTTER, ID_WIDTH, GAP = 70, 1, 5, 2
"""Cells below which a row has no gutter, those of the gutter and of the ids, and those behind names."""
LEAST_NAMES, MOST_OUTCOME = 22, 25
"""Cells that names have at least, and most cells of what came of an item."""
HEIGHTS = ((4, True), (4, False), (2, False), (1, False))
"""Most lines of a row, and whether a blank one follows it, in turn, until all have room."""
READY_SIGN = "✓"
SIGNS = {READY_SIGN: "status-done", UNREADY_SIGN: "warn"}
"""The signs before what came of an item, and their colours."""
BLANK, HEADING = -2, -1
"""A blank line, and that of a heading."""


class SummaryRow(Struct, frozen=True):
    """An item with what came of it, a text a line; without an item the heading of a group and the number of items."""

    name: str
    item: GroomedItem | None = None
    outcome: Sequence[str] = ()


class SummaryTable(LineList):
    """The shown items, those that are still not ready first, with the checks they fail and their changes."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="summary")
        self._store = store
        self._rows: Sequence[SummaryRow] = ()
        self._most = 1
        """Most lines of a row."""
        self._needed = (0, 0)
        """Cells that the longest name and the longest outcome need."""

    def show(self, results: Sequence[GroomedItem]) -> None:
        inputs = self._store.ready_check.rule_inputs()
        rows: list[SummaryRow] = []
        for title in (UNREADY, READY, DELETED):
            found = [each for each in results if _group_of(each) == title]
            rows += [SummaryRow(f"{title} {len(found):,}")] if found else []
            rows += [SummaryRow(each.name, each, tuple(self._outcome(each, inputs))) for each in found]
        self._rows = rows
        items = [row for row in rows if row.item is not None]
        outcomes = [text for row in items for text in row.outcome]
        self._needed = (
            max((cell_len(safe(row.name)) for row in items), default=0),
            max(map(_cells, outcomes), default=0),
        )
        self.rows_replaced(self.cursor)
        self.move_to(self.cursor)

    @property
    def current(self) -> GroomedItem | None:
        return self._rows[self.cursor].item if self.cursor < len(self._rows) else None

    @property
    def place(self) -> tuple[int, int]:
        """The number of the item under the cursor, from 1, and that of all."""
        is_item = [row.item is not None for row in self._rows]
        return sum(is_item[: self.cursor + 1]), sum(is_item)

    def row_count(self) -> int:
        return len(self._rows)

    def move_to(self, index: int) -> None:
        """Move, over headings, and show the first heading with the first item."""
        index = max(0, min(index, len(self._rows) - 1))
        if self._rows and self._rows[index].item is None:
            index += 1 if index > self.cursor or not index else -1
        super().move_to(index)
        if index == 1 and self.top:
            self.show_from(0)

    def page_by(self, step: float, count: int) -> None:
        super().page_by(step, count)
        self.move_to(self.cursor)

    def row_of(self, number: int) -> int:
        items = [at for at, row in enumerate(self._rows) if row.item is not None]
        return items[: max(1, number)][-1] if items else 0

    def _outcome(self, each: GroomedItem, inputs: RuleInputs) -> Iterator[str]:
        changes = [*changes_of(self._store, each, " ")]
        if each.open:
            texts = [f"{UNREADY_SIGN} {listed(open_words(each.open, inputs))}", *changes]
        elif each.type:
            first, *others = changes or [READY]
            texts = [f"{READY_SIGN} {first}", *others]
        else:
            texts = changes
        return (f"{text}," if at < len(texts) else text for at, text in enumerate(texts, 1))

    # Laying out

    def lay_out(self, room: int) -> int:
        """Choose the lines of the rows, each as high as its texts, or lower where so many lines lack room.

        Return how many lines all of them take.
        """
        self.row_lines = ()
        for most, is_spaced in HEIGHTS:
            self._most = most
            lines = [(at, line) for at, row in enumerate(self._rows) for line in self._lines_of(row, is_spaced)]
            lines = lines[lines[:1] == [(0, BLANK)] :]
            if len(lines) <= room:
                self.row_lines = lines
                break
        self.move_to(self.cursor)
        self.refresh()
        return len(self.row_lines or self._rows)

    def _lines_of(self, row: SummaryRow, is_spaced: bool) -> Sequence[int]:
        if row.item is None:
            return (BLANK, HEADING)[self._most == 1 or is_spaced :]
        return [*range(min(self._most, self._height_of(row))), *(BLANK,) * is_spaced]

    def _height_of(self, row: SummaryRow) -> int:
        name, outcome = self._texts(row)
        return max(len(name), len(outcome))

    def _texts(self, row: SummaryRow) -> tuple[list[str], list[str]]:
        name, outcome = self._widths()
        return wrapped(row.name, name), [line for text in row.outcome for line in _hanging(text, outcome)]

    def _widths(self) -> tuple[int, int]:
        room = max(0, self.size.width - self._lead - 4)
        name, outcome = self._needed
        outcome = min(outcome, MOST_OUTCOME)
        name = min(name, max(LEAST_NAMES, room - outcome - GAP))
        return name, max(0, room - name - GAP)

    @property
    def _lead(self) -> int:
        """Cells of the cursor, the gutter and the ids."""
        return 1 + ID_WIDTH + GUTTER * (self.size.width >= NARROW)

    @property
    def is_cut(self) -> bool:
        """Whether the row under the cursor leaves a part of its texts out."""
        return self.current is not None and len(self._texts(self._rows[self.cursor])[1]) > self._most

    # Drawing

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        row = self._rows[index]
        if line == BLANK:
            return self.draw_parts((), is_cursor=False)
        if row.item is None:
            title, _, count = row.name.rpartition(" ")
            return self.draw_parts([(f"{title} ", BOLD), (count, "muted")], is_cursor=False)
        (name_width, width), (name, outcome) = self._widths(), self._texts(row)
        number = str(row.item.item_id) if row.item.item_id > 0 and not line else ""
        kind = type_sign(row.item.type) if not line else ""
        text = _line(outcome, line, self._most)
        sign = text[:1] if text[:1] in SIGNS else ""
        return self.draw_parts(
            [
                (fit_right(number, self._lead - 1) + " ", "muted"),
                (f"{kind or ' '} ", type_colour(row.item.type)),
                (fit(_line(name, line, self._most), name_width) + " " * GAP, "foreground"),
                (sign, SIGNS.get(sign, "")),
                (fit(text[len(sign) :], max(0, width - len(sign))), "muted" if row.item.open else "foreground"),
            ],
            is_cursor=is_cursor,
        )


def _group_of(each: GroomedItem) -> str:
    return DELETED if not each.type else UNREADY if each.open else READY


def _line(lines: Sequence[str], line: int, most: int) -> str:
    """Return a line of a text; the last of so many has the rest."""
    return " ".join(each.strip() for each in lines[line:]) if line == most - 1 else "".join(lines[line : line + 1])


def _cells(text: str) -> int:
    return cell_len(safe(text))


def _hanging(text: str, width: int) -> list[str]:
    """Return the lines of a text, all but a sign that it begins with indented."""
    sign, words = (text[:1], text[2:]) if text[:1] in SIGNS else (" ", text)
    return [f"{' ' if at else sign} {line}" for at, line in enumerate(wrapped(words, max(1, width - 2)))]


def open_words(rules: Sequence[ReadyRule], inputs: RuleInputs) -> list[str]:
    return [rule.failure_sentence(inputs).rstrip(".") for rule in rules]


def listed(words: Sequence[str]) -> str:
    return ", ".join(each if not at else f"{each[:1].lower()}{each[1:]}" for at, each in enumerate(words))


def grouped(results: Sequence[GroomedItem]) -> Iterator[tuple[str, list[GroomedItem]]]:
    groups: dict[str, list[GroomedItem]] = {title: [] for title in TITLES}
    for each in results:
        groups[TITLES[0] if each.answers else TITLES[1] if each.is_skipped else TITLES[2]].append(each)
    yield from ((title, found) for title, found in groups.items() if found)


def _value_words(store: Store, field: Field, value: object) -> str:
    if field.kind in {Kind.AREA, Kind.ITERATION}:
        return short_words_of(store, field.key, value)
    return ScreenFieldWords(store).shown(field, value)


def changes_of(store: Store, each: GroomedItem, colon: str) -> Iterator[str]:
    """Yield the changed fields with their values, those of other users named as such."""
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        values = (answer.before, answer.after)
        before, after = (NONE if is_empty(value) else _value_words(store, field, value) for value in values)
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{before} → {after}"
