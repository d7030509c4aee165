"""The list of an import: what each column and value of the file becomes, below the heads of their tables."""

from collections.abc import Iterator, Mapping, Sequence

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip

from backlit.imports.mapping_rows import MappingRow, MappingTable
from backlit.model.fields import FIELD_BY_KEY
from backlit.tui.drawing.text import fit, safe
from backlit.tui.widgets.headed_list import HeadedList
from backlit.tui.widgets.side_lines import HEADING

HEADS: Mapping[MappingTable, str] = {
    MappingTable.COLUMNS: "Columns",
    MappingTable.TYPES: "Types",
    MappingTable.STATUSES: "Statuses",
    MappingTable.PRIORITIES: "Priorities",
    MappingTable.PEOPLE: "People",
    MappingTable.ITERATIONS: "Iterations",
}
NO_VALUE: Mapping[MappingTable, str] = {
    MappingTable.COLUMNS: "read with another column",
    MappingTable.PRIORITIES: "none",
    MappingTable.PEOPLE: "unassigned",
    MappingTable.ITERATIONS: "the backlog",
}
"""The words for an empty value."""
LEFT_OUT = "-"
ROLE_LABELS: Mapping[str, str] = {
    LEFT_OUT: "left out",
    "type": "Type",
    "parent": "Parent",
    "feature": "Feature",
    "comment": "Comment",
    "created": "Created",
    "author": "Author",
    "due": "Due date",
    "url": "Address",
    "key": "Key",
    "rank": "Rank",
    "criteria": "Criteria",
}
"""The words for what columns hold that is no field."""
LABEL_SHARE = 0.45
"""Share of the width for the names of the file."""
INDENT = 2


class ImportChoice(Struct, frozen=True):
    """A decision about the whole import, beside the rows of the mapping."""

    name: str
    words: str


class ImportEntry(Struct, frozen=True):
    """A line of the list: the head of a table, a row of the mapping, or a choice."""

    id: int
    head: str = ""
    row: MappingRow | None = None
    choice: ImportChoice | None = None


def value_words(row: MappingRow, labels: Mapping[str, str]) -> str:
    """Return what a column or a value becomes; `labels` are those of the project's own fields."""
    if not row.value:
        return NO_VALUE.get(row.table, "")
    if row.table is not MappingTable.COLUMNS:
        return row.value
    field = FIELD_BY_KEY.get(row.value)
    return ROLE_LABELS.get(row.value) or (field.label if field else labels.get(row.value, row.value))


class ImportList(HeadedList[ImportEntry]):
    """The mapping of a file; the cursor passes over the heads."""

    def __init__(self) -> None:
        super().__init__(id="mapping")
        self._labels: Mapping[str, str] = {}

    def is_head(self, entry: ImportEntry) -> bool:
        return bool(entry.head)

    @property
    def row(self) -> MappingRow | None:
        return self.current.row if self.current else None

    @property
    def choice(self) -> ImportChoice | None:
        return self.current.choice if self.current else None

    def show_rows(self, rows: Sequence[MappingRow], choices: Sequence[ImportChoice], labels: Mapping[str, str]) -> None:
        self._labels = labels
        self.show([*_entries(rows, choices)])

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        entry, width = self.entries[index], self.size.width
        if entry.head:
            return self.draw_parts([(fit(entry.head, max(0, width - 1)), HEADING)], is_cursor=False)
        row, choice = entry.row, entry.choice
        name = row.name if row else choice.name if choice else ""
        words = value_words(row, self._labels) if row else choice.words if choice else ""
        types = f" ({', '.join(row.types)})" if row and not row.is_for_all else ""
        count = f"  {row.count:,}" if row and row.count else ""
        room = max(0, width - 2 - 2 * INDENT - len(count))  # the scrollbar has the last cell
        label = round(room * LABEL_SHARE)
        is_out = row is not None and row.table is MappingTable.COLUMNS and row.value == LEFT_OUT
        is_plain = is_out or (row is not None and not row.value)
        parts = [
            (" " * INDENT + fit(safe(name), label), "foreground"),
            ("  ", "foreground"),
            (fit(safe(words + types), max(0, room - label)), "muted" if is_plain else "foreground"),
            (count, "muted"),
        ]
        assert cell_len("".join(text for text, _ in parts)) <= width
        return self.with_scrollbar(self.draw_parts(parts, is_cursor=is_cursor), index)


def _entries(rows: Sequence[MappingRow], choices: Sequence[ImportChoice]) -> Iterator[ImportEntry]:
    number, table = 0, None
    if choices:
        yield ImportEntry(-1, "Choices")
    for choice in choices:
        number += 1
        yield ImportEntry(number, choice=choice)
    for row in rows:
        if row.table is not table:
            table = row.table
            yield ImportEntry(-2 - list(MappingTable).index(table), HEADS[table])
        number += 1
        yield ImportEntry(number, row=row)
