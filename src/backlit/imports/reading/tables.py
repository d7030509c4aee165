"""Rows of a file of separated values."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
MAX_CELL = 2**20
"""Longer cells are cut; no field of an item takes so much."""
_FIELD_LIMIT = 16 * 2**20
_MAY_BE_CUT = "the file may be cut off"


class TableRow(Struct, frozen=True):
    """A row with the physical line on which it begins. `cells` has a value for each heading."""

    line: int
    cells: Sequence[str]


class SourceTable(Struct, frozen=True):
    """The headings as written, the rows that have a value, and warnings about their shape."""

    headings: Sequence[str]
    rows: Sequence[TableRow]
    delimiter: str
    warnings: Sequence[tuple[int, str]] = ()

    @property
    def keys(self) -> Sequence[str]:
        return [heading_key(each) for each in self.headings]

    def columns(self) -> Mapping[str, Sequence[int]]:
        """Return the positions of each heading, by its key."""
        found: dict[str, list[int]] = {}
        for position, key in enumerate(self.keys):
            found.setdefault(key, []).append(position)
        return found


def heading_key(heading: str) -> str:
    """Return the form in which headings are compared: without case, surplus blanks and underscores."""
    return " ".join(heading.replace("\ufeff", "").replace("_", " ").split()).casefold()


def read_table(text: str, delimiter: str = "") -> SourceTable:
    """Read a file of separated values. Raises BadRequest for one without items."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    first, _, rest = text.partition("\n")
    lines_before = 0
    if first.lower().startswith("sep=") and len(first.rstrip()) <= 5:
        delimiter = delimiter or first[4:5] or "\t"
        text, lines_before = rest, 1
    delimiter = delimiter or _delimiter(text)
    csv.field_size_limit(_FIELD_LIMIT)
    table = table_of(_records(text, delimiter, lines_before), delimiter)
    last = table.rows[-1].line
    if _ends_within_quotes(text.split("\n")[last - lines_before - 1 :], delimiter):
        # The rest of the file is in that value: what else is said of its row is only that.
        others = [warning for warning in table.warnings if warning[0] != last]
        table = replace(table, warnings=[*others, (last, f"The file ends within a quoted value: {_MAY_BE_CUT}")])
    return table


def table_of(records: Iterable[tuple[int, Sequence[str]]], delimiter: str) -> SourceTable:
    """Return the table whose first filled record has the headings; a record has its line. Raises as `read_table`."""
    warnings: list[tuple[int, str]] = []
    headings: list[str] = []
    rows: list[TableRow] = []
    short: list[int] = []
    for line, cells in records:
        if not any(cell.strip() for cell in cells):
            continue
        if not headings:
            headings = [cell.replace("\ufeff", "").strip() for cell in cells]
            continue
        surplus = [cell for cell in cells[len(headings) :] if cell.strip()]
        if surplus:
            warnings.append((line, f"more values than headings: {surplus[0][:60]!r} is left out"))
        if len(cells) < len(headings):
            short.append(line)
        filled = [*cells[: len(headings)], *[""] * (len(headings) - len(cells))]
        if [cell.strip() for cell in filled] == headings:
            continue  # two exports were joined
        long = [cell for cell in filled if len(cell) > MAX_CELL]
        if long:
            warnings.append((line, f"a value of {len(long[0]):,} characters is cut"))
            filled = [cell[:MAX_CELL] for cell in filled]
        rows.append(TableRow(line, filled))
    if not rows:
        raise BadRequest("The file has no items.")
    if len(rows) > 1 and short == [rows[-1].line]:
        warnings.append((rows[-1].line, f"The last row alone has fewer values than there are headings: {_MAY_BE_CUT}"))
    return SourceTable(headings, rows, delimiter, warnings)


def _records(text: str, delimiter: str, lines_before: int = 0) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=False)
    line = lines_before + 1
    try:
        for cells in reader:
            yield line, cells
            line = lines_before + reader.line_num + 1
    except csv.Error as error:
        raise BadRequest(f"Line {line}: {error}.") from None


def _ends_within_quotes(last_lines: Sequence[str], delimiter: str) -> bool:
    try:
        for _ in csv.reader((f"{line}\n" for line in last_lines), delimiter=delimiter, strict=True):
            pass
    except csv.Error as error:
        return "unexpected end of data" in str(error)
    return False


def _delimiter(text: str) -> str:
    """Return the delimiter that gives the first record most cells: a heading may have line breaks in quotes."""
    counts = {each: len(next(_records(text[: 2**16], each), (1, [""]))[1]) for each in DELIMITERS}
    return max(counts, key=lambda each: counts[each])
