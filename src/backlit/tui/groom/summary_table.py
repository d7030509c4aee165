"""The table of a grooming session's results, and the words for its changes and open checks."""

from collections.abc import Iterator, Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from backlit.model.amounts import estimate_text
from backlit.model.fields import Field, Kind
from backlit.model.ready_check import ReadyRule, RuleInputs
from backlit.store.grooming import FieldAnswer, GroomedItem
from backlit.store.records.merge import is_empty
from backlit.store.store import Store
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.drawing.themes import type_colour, type_sign
from backlit.tui.fields.field_edits import field_named
from backlit.tui.fields.values import ScreenFieldWords, short_words_of
from backlit.tui.widgets.item_rows import UNREADY_SIGN
from backlit.tui.widgets.line_list import BOLD, LineList

NONE = "–"
"""An empty value, before or after a change."""
TITLES = ("Changed", "Skipped", "Unchanged")
UNREADY, READY, DELETED = "Still not ready", "Ready", "Deleted"
SIGNS = {UNREADY: (UNREADY_SIGN, "warn"), READY: ("✓", "status-done")}
"""The signs before headings, and their colours."""
NARROW, GUTTER, ID_WIDTH, GAP = 70, 1, 5, 2
"""Cells below which a row has no gutter, those of the gutter and of the ids, and those behind names."""
MAX_OUTCOME, MAX_OUTCOME_PARTS = 26, 2
"""Most cells of what came of an item, and most reasons and changes that a row names; it counts the others."""
BLANK, HEADING = -2, -1
"""A blank line, and that of a heading."""


class SummaryRow(Struct, frozen=True):
    """An item with what came of it; without an item the heading of a group and the number of items."""

    name: str
    item: GroomedItem | None = None
    outcome: Sequence[str] = ()


class SummaryTable(LineList):
    """The shown items, those that are still not ready first, with the checks they fail and their changes."""

    def __init__(self, store: Store) -> None:
        super().__init__(id="summary")
        self._store = store
        self._rows: Sequence[SummaryRow] = ()

    def show(self, results: Sequence[GroomedItem]) -> None:
        rows, inputs = list[SummaryRow](), self._store.ready_check.rule_inputs()
        for title in (UNREADY, READY, DELETED):
            found = [each for each in results if _group_of(each) == title]
            rows += [SummaryRow(f"{title} {len(found):,}")] if found else []
            rows += [SummaryRow(each.name, each, [*self._outcome(each, inputs)]) for each in found]
        self._rows = rows
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
        yield from (rule.failure_label(inputs) for rule in each.open)
        for answer in (*each.answers, *each.others):
            by = "" if answer in each.answers else "by someone else "
            yield f"{by}{short_change(self._store, answer)}"

    # Laying out

    def lay_out(self, room: int) -> int:
        """Put a blank line between the groups where so many lines have room; return how many all of them take."""
        lines = [
            (at, line)
            for at, row in enumerate(self._rows)
            for line in ((HEADING,) if not at else (BLANK, HEADING) if row.item is None else (0,))
        ]
        self.row_lines = lines if len(lines) <= room else ()
        self.move_to(self.cursor)
        self.refresh()
        return len(self.row_lines or self._rows)

    def _widths(self, row: SummaryRow) -> tuple[int, int]:
        """Return the cells of its name, which has at least half of the row, and of what came of it."""
        room = max(0, self.size.width - self._lead - 4)
        outcome = min(cell_len(_few(row.outcome)), MAX_OUTCOME)
        name = min(cell_len(safe(row.name)), max(room // 2, room - outcome - GAP))
        return name, max(0, room - name - GAP)

    @property
    def _lead(self) -> int:
        """Cells of the cursor, the gutter and the ids."""
        return 1 + ID_WIDTH + GUTTER * (self.size.width >= NARROW)

    @property
    def is_cut(self) -> bool:
        """Whether the row under the cursor leaves a part of its texts out."""
        if self.current is None:
            return False
        row = self._rows[self.cursor]
        return len(row.outcome) > MAX_OUTCOME_PARTS or cell_len(_few(row.outcome)) > self._widths(row)[1]

    # Drawing

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:
        row = self._rows[index]
        if line == BLANK:
            return self.draw_parts((), is_cursor=False)
        if row.item is None:
            title, _, count = row.name.rpartition(" ")
            sign, colour = SIGNS.get(title, ("", ""))
            return self.draw_parts(
                [(sign and f"{sign} ", colour), (f"{title} ", BOLD), (count, "muted")], is_cursor=False
            )
        name_width, width = self._widths(row)
        number = str(row.item.item_id) if row.item.item_id > 0 else ""
        return self.draw_parts(
            [
                (fit_right(number, self._lead - 1) + " ", "muted"),
                (f"{type_sign(row.item.type) or ' '} ", type_colour(row.item.type)),
                (fit(row.name, name_width) + " " * GAP, "foreground"),
                (fit_right(_few(row.outcome), width), "muted" if row.item.open else "foreground"),
            ],
            is_cursor=is_cursor,
        )


def _group_of(each: GroomedItem) -> str:
    return DELETED if not each.type else UNREADY if each.open else READY


def _few(outcome: Sequence[str]) -> str:
    """Return what came of an item in a row: the first of its reasons and changes, and the number of the others."""
    more = len(outcome) - MAX_OUTCOME_PARTS
    return safe(", ".join(outcome[:MAX_OUTCOME_PARTS])) + (f" +{more}" if more > 0 else "")


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


def short_change(store: Store, answer: FieldAnswer) -> str:
    """Return the new value of a field, in words that need no label: → 3 pts, triaged, Somewhat mature."""
    field = field_named(answer.key, store.lookups)
    label = field.label.lower()
    if field.kind is Kind.BOOLEAN:
        return label if answer.after is True else f"not {label}"
    if is_empty(answer.after):
        return f"no {label}"
    if field.key == "Estimate":
        return f"→ {estimate_text(str(answer.after))}"
    return _value_words(store, field, answer.after)


def changes_of(store: Store, each: GroomedItem, colon: str) -> Iterator[str]:
    """Yield the changed fields with their values, those of other users named as such."""
    for answer in (*each.answers, *each.others):
        field = field_named(answer.key, store.lookups)
        values = (answer.before, answer.after)
        before, after = (NONE if is_empty(value) else _value_words(store, field, value) for value in values)
        by = "" if answer in each.answers else "by someone else: "
        yield f"{by}{field.label}{colon}{before} → {after}"
