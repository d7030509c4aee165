"""Listings: rows as a table for people, and in the formats that programs read."""

import argparse
import sys
from collections import Counter, namedtuple
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime

from backlit.cli.output import note, table, write_document, write_json, write_json_lines
from backlit.cli.pager import write_paged
from backlit.model.dates import write_datetime
from backlit.model.errors import UnknownName
from backlit.model.plain import plain

TYPE_CHECKING = False  # typing takes 4 ms
if TYPE_CHECKING:
    from typing import Any

Row = Mapping[str, object]
"""Values by the names of columns. A datetime is of the service: UTC without a zone."""
NO_ITEMS = "No items match."


# typing, with its NamedTuple, takes 4 ms.
class Column(namedtuple("Column", ("name", "heading", "is_right", "is_usual"), defaults=(False, True))):  # noqa: PYI024
    """A field of a listing: its name in options and JSON, and its heading. A listing has the usual ones by itself."""

    __slots__ = ()


def chosen_columns(arguments: argparse.Namespace, columns: Sequence[Column]) -> list[Column]:
    """Return the columns that `--json=FIELDS` or `--columns` names, else the usual ones; raise UnknownName."""
    names = arguments.json if isinstance(arguments.json, tuple) else getattr(arguments, "columns", ())
    return named_columns(names, columns) if names else [each for each in columns if each.is_usual]


def named_columns(names: Iterable[str], columns: Sequence[Column]) -> list[Column]:
    """Return the columns of some names; raise UnknownName."""
    by_name = {each.name.lower().replace(" ", "-"): each for each in columns}
    names = [name.replace(" ", "-") for name in names]
    for name in names:
        if name.lower() not in by_name:
            usual = ", ".join(each.name for each in columns if each.is_usual)
            from backlit.model.nearest import did_you_mean

            near = did_you_mean(name, [each.name for each in columns]) or f" Fields: {usual}."
            raise UnknownName(f"There is no field “{plain(name, 60)}”.{near}")
    return [by_name[name.lower()] for name in names]


def is_table(arguments: argparse.Namespace) -> bool:
    """Return whether a listing is an aligned table: where it is wanted, and on a terminal without a format."""
    is_free = arguments.format is None and not arguments.json
    return arguments.format == "table" or (is_free and sys.stdout.isatty())


def write_rows(
    arguments: argparse.Namespace,
    columns: Sequence[Column],
    rows: Sequence[Row],
    documents: Sequence[object] | None = None,
    *,
    local: Callable[[datetime], datetime] | None = None,
    nothing: str = "Nothing to list.",
    groups: Sequence[Column] = (),
    below: str = "",
) -> None:
    """Write rows in the chosen format; JSON without chosen fields has whole documents, if there are any.

    `groups` are the columns whose values head the rows of a table; in other formats they stand first. `below` is said
    below a table on a terminal.
    """
    format_name = "json" if arguments.json else arguments.format
    is_for_people = is_table(arguments)
    if groups and not is_for_people:
        columns = [*groups, *(each for each in columns if each not in groups)]
    if format_name in {"json", "ndjson"}:
        is_flat = isinstance(arguments.json, tuple) or bool(getattr(arguments, "columns", ()))
        if documents is None or is_flat:
            documents = flat_documents(columns, rows)
        if format_name == "json":
            write_json(list(documents))
        else:
            write_json_lines(documents)
        return
    if not rows and format_name in {None, "table"}:
        note(arguments, nothing)
        return
    times = local if is_for_people or format_name == "md" else None
    cells = [[cell_text(row.get(each.name), times) for each in columns] for row in rows]
    if not is_for_people:
        _WRITERS[format_name or ""](columns, cells)
        return
    lines = _table_lines(columns, cells)
    if groups:
        lines = list(_below_headings(lines, [_group_words(row, groups, local) for row in rows]))
    if below and sys.stdout.isatty():
        lines.append(below)
    text = "".join(f"{line}\n" for line in lines)
    if format_name is None:
        write_paged(arguments, text)
    else:
        sys.stdout.write(text)


def _group_words(row: Row, groups: Sequence[Column], local: Callable[[datetime], datetime] | None) -> str:
    """Return the values of a row's groups in a line."""
    return " · ".join(plain(_in_one_line(group_text(row.get(each.name), local))) or "none" for each in groups)


def group_text(value: object, local: Callable[[datetime], datetime] | None) -> str:
    """Return the value of a group as text; a time is grouped by its day."""
    return cell_text(local(value).date() if local and isinstance(value, datetime) else value, None)


def _below_headings(lines: Sequence[str], words: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table, and above the first row of each group its words with the number of its rows."""
    counts, before = Counter(words), None
    yield lines[0]
    for line, group in zip(lines[1:], words, strict=True):
        if group != before:
            yield from ("", f"{group} ({counts[group]})")
        yield line
        before = group


def flat_documents(columns: Sequence[Column], rows: Iterable[Row]) -> list[dict[str, object]]:
    return [{each.name: _json_value(row.get(each.name)) for each in columns} for row in rows]


def _json_value(value: object) -> object:
    if isinstance(value, datetime):
        return f"{write_datetime(value)}Z"
    return value.isoformat() if isinstance(value, date) else value


def cell_text(value: object, local: Callable[[datetime], datetime] | None) -> str:
    if value is None:
        return ""
    if type(value) is str:  # nearly all are: a seventh of the time of a long listing
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return f"{write_datetime(value)}Z" if local is None else local(value).isoformat(" ", "minutes")
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return str(value)


def _table_lines(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> list[str]:
    right = frozenset(at for at, each in enumerate(columns) if each.is_right)
    return table([each.heading for each in columns], [list(map(_in_one_line, row)) for row in rows], right)


def _write_tabs(_columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    for row in rows:
        print("\t".join(plain(_in_one_line(cell)) for cell in row))


def _write_headed_tabs(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    _write_tabs(columns, [[each.name for each in columns], *rows])


def write_csv(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    import csv
    import io

    text = io.StringIO()
    csv.writer(text).writerows([[each.name for each in columns], *rows])
    _write_exactly(text.getvalue())


def _write_export(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    from backlit.model.spreadsheets import defused

    write_csv(columns, [list(map(defused, row)) for row in rows])


def _write_excel(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    """Write CSV that Excel opens as UTF-8, which it does where the file begins with a byte order mark."""
    first, *rest = columns
    _write_export([first._replace(name=f"\ufeff{first.name}"), *rest], rows)


def _write_markdown(columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
    lines = [[each.heading for each in columns], ["--:" if each.is_right else "---" for each in columns]]
    lines += [[plain(_in_one_line(cell)).replace("\\", "\\\\").replace("|", "\\|") for cell in row] for row in rows]
    write_document("".join(f"| {' | '.join(line)} |\n" for line in lines))


def _write_exactly(text: str) -> None:
    """Write a text as it is; a terminal, which would obey control characters, gets it without them."""
    if sys.stdout.isatty():
        text = "".join(f"{plain(line)}\n" for line in text.splitlines())
    write_document(text)


def _in_one_line(text: str) -> str:
    if text.isprintable():
        return text
    return " ".join(text.replace("\t", " ").splitlines()) if any(sign in text for sign in "\t\n\r") else text


_WRITERS: "Mapping[str, Callable[[Sequence[Column], Any], None]]" = {
    "export": _write_export,
    "excel": _write_excel,
    "": _write_tabs,
    "tsv": _write_headed_tabs,
    "csv": write_csv,
    "md": _write_markdown,
}
