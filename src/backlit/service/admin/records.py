"""A workspace as JSON objects, one a row, and back: the lines of an export.

The first is a header; then one for each row, `{"table", "row"}`, each after what it refers to; then
`{"ids", "last"}` with the last id given in a table, so that none is given twice; then the contents of
attachments, `{"contents": digest, "size", "data": base64}`, a piece to a line. Documents of items are not
among them, as they are rendered anew from the other columns, nor is the key of cursors: those of another place are
refused.
"""

import base64
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Date, DateTime, LargeBinary, Table, delete, func, insert, inspect, select, text
from sqlalchemy.exc import StatementError
from sqlalchemy.types import TypeEngine

from backlit.model.errors import BadRequest, StorageError
from backlit.model.fields import ALL_TYPES
from backlit.service.admin.rendering import rewrite
from backlit.service.admin.row_checks import checked_row
from backlit.service.admin.workspace import administrator_stamp
from backlit.service.files.interface import ContentStore, IncomingContent, is_digest
from backlit.service.rules.checks import is_id
from backlit.service.storage.columns import METADATA
from backlit.service.storage.migrations import VERSION, begin_history, follow_ids, renew_cursors
from backlit.service.storage.schema import (
    ROOT_PARENT,
    activity_marks,
    areas,
    attachments,
    change_texts,
    changes,
    custom_fields,
    files_place,
    iteration_log,
    iterations,
    login_attempts,
    login_sessions,
    mentions,
    projects,
    read_activities,
    refresh_families,
    refresh_tokens,
    schema_version,
    signing_keys,
    users,
    verification_codes,
    work_items,
    workspace,
)

NAME = "backlit workspace"
EXPORT_FORMAT = 1
OLDEST_SCHEMA = 8
"""The oldest schema whose exports can be read: what they lack is preset by `_PRESET`."""
ROWS_IN_MEMORY = 500
"""Rows in memory at once."""
CONTENT_LINE_BYTES = 192 * 1024
"""Bytes of contents per line."""
SECRET_TABLES = {signing_keys, refresh_families, refresh_tokens, verification_codes, login_sessions, login_attempts}
"""Tables of tokens, sessions and attempts."""
HISTORY_TABLES = {changes, change_texts, iteration_log, workspace, mentions, activity_marks, read_activities}
"""Tables of the history; an import without them begins a history of its own."""
TABLES = tuple(table for table in METADATA.sorted_tables if table not in {schema_version, files_place})
"""All tables of the workspace's contents, each after the tables it refers to."""

Record = dict[str, Any]

_READABLE = range(OLDEST_SCHEMA, VERSION + 1)
_TABLE_BY_NAME = {table.name: table for table in TABLES}
_COUNTED = {name for name, table in _TABLE_BY_NAME.items() if table.autoincrement_column is not None}
_PRESET: Mapping[Table, Record] = {
    users: {"password_hash": None},
    projects: {"work_from_time": True},
    custom_fields: {"is_due": False},
}
"""Columns that an export may lack: without secrets, and of an older schema."""
_MADE_ANEW = {work_items.c.doc: "", workspace.c.cursor_key: ""}
"""Columns that an import makes anew, and what stands for them until then."""


def header(moment: datetime) -> Record:
    return {"format": NAME, "version": EXPORT_FORMAT, "schema": VERSION, "writtenAt": moment.isoformat()}


def rows(connection: Connection, *, with_secrets: bool = True, with_history: bool = True) -> Iterator[Record]:
    """Read every row of every table, a batch at a time, and the last ids."""
    left_out = (set() if with_secrets else SECRET_TABLES) | (set() if with_history else HISTORY_TABLES)
    for table in TABLES:
        if table not in left_out:
            yield from _rows_of(connection, table, with_secrets=with_secrets)
    for table in TABLES:
        if table.autoincrement_column is not None and (last := _last_id(connection, table)):
            yield {"ids": str(table.name), "last": last}


def contents(connection: Connection, files: ContentStore) -> Iterator[Record]:
    """Read the contents of all attachments in pieces, each contents once; missing ones are left out."""
    for digest, size in contents_named(connection):
        if files.has(digest):
            for start in range(0, max(size, 1), CONTENT_LINE_BYTES):
                piece = b"".join(files.read(digest, start, min(start + CONTENT_LINE_BYTES, size)))
                yield {"contents": digest, "size": size, "data": base64.b64encode(piece).decode()}


def contents_named(connection: Connection) -> list[tuple[str, int]]:
    """Return the digest and size of all contents that attachments name; raise StorageError for what is no digest."""
    columns = attachments.c.digest, func.max(attachments.c.size), func.min(attachments.c.id)
    found = connection.execute(select(*columns).group_by(columns[0]).order_by(columns[0])).all()
    for digest, _, first in found:
        if not is_digest(digest):
            raise StorageError(
                f"The digest {digest[:80]!r} of attachment {first} is not 64 lower-case hexadecimal digits."
                " Delete the attachment from its work item, then try again."
            )
    return [(digest, size) for digest, size, _ in found]


def load(connection: Connection, files: ContentStore, lines: Iterable[Record], kept: list[str]) -> dict[str, int]:
    """Write the rows and contents of an export into an empty workspace; return the row count of each table.

    Adds contents that are new in the store to `kept`. Raises BadRequest that names the invalid line.
    """
    loader = _Loader(connection, files, kept)
    connection.execute(delete(workspace))
    numbered = enumerate(lines, 1)
    _check_header(next(numbered, (1, {}))[1])
    try:
        for number, record in numbered:
            loader.take(number, record)
        loader.finish()
    finally:
        loader.close()
    follow_ids(connection)
    for name, last in loader.last_ids.items():
        table = _TABLE_BY_NAME[name]
        _set_last_id(connection, table, max(last, _last_id(connection, table)))
    _must_have_sizes(connection, loader.sizes)
    renew_cursors(connection)
    stamp = administrator_stamp(connection)
    if workspace.name not in loader.counts:
        begin_history(connection, stamp.at)
    for project_id in connection.execute(select(projects.c.id)).scalars().all():
        _must_have_roots(connection, project_id)
        rewrite(connection, project_id, ALL_TYPES, None, stamp)
    return loader.counts


def _must_have_roots(connection: Connection, project_id: int) -> None:
    for nodes in (areas, iterations):
        root = select(func.count()).where(nodes.c.project_id == project_id, nodes.c.parent_id == ROOT_PARENT)
        if connection.execute(root).scalar_one() != 1:
            raise BadRequest(f"Project {project_id} needs one root in {nodes.name}. No data was imported.")


def _must_have_sizes(connection: Connection, sizes: Mapping[str, int]) -> None:
    for digest, size in contents_named(connection):
        if sizes.get(digest, size) != size:
            raise BadRequest(
                f"The contents {digest} have {sizes[digest]} bytes, an attachment says {size}. No data was imported."
            )


class _Loader:
    """Loader of records: writes rows in batches and contents in pieces."""

    def __init__(self, connection: Connection, files: ContentStore, kept: list[str]) -> None:
        self.counts: dict[str, int] = {}
        self.sizes: dict[str, int] = {}
        self.last_ids: dict[str, int] = {}
        self._connection, self._files, self._kept = connection, files, kept
        self._table: Table | None = None
        self._rows: list[Record] = []
        self._first = 0
        self._incoming: IncomingContent | None = None
        self._digest = ""

    def take(self, number: int, record: Record) -> None:
        match record:
            case {"table": str(name), "row": dict(row)} if name in _TABLE_BY_NAME:
                self._take_row(number, _TABLE_BY_NAME[name], row)
            case {"ids": str(name), "last": last} if name in _COUNTED and is_id(last):
                self.last_ids[name] = last
            case {"contents": str(digest), "data": str(data)}:
                self._take_piece(number, digest, data)
            case _:
                raise BadRequest(f"Line {number} is neither a row, nor ids, nor contents. No data was imported.")

    def finish(self) -> None:
        self._write_rows()
        self._keep()

    def close(self) -> None:
        if self._incoming is not None:
            incoming, self._incoming = self._incoming, None
            self._files.forget(incoming)

    def _take_row(self, number: int, table: Table, row: Record) -> None:
        if table is not self._table or len(self._rows) == ROWS_IN_MEMORY:
            self._write_rows()
            self._table, self._first = table, number
        row = {**_PRESET.get(table, {}), **row}
        row = {**row, **{column.name: value for column, value in _MADE_ANEW.items() if column.table is table}}
        names = {column.name for column in table.c}
        if row.keys() != names:
            wrong = ", ".join(sorted(row.keys() ^ names))
            raise BadRequest(f"Line {number}: a row of {table.name} lacks or should not have: {wrong}.")
        try:
            self._rows.append(checked_row(table, row))
        except BadRequest as error:
            place = " ".join(str(part) for part in (table.name, row.get("id")) if part is not None)
            raise BadRequest(f"Line {number}, {place}: {error.message} No data was imported.") from None

    def _write_rows(self) -> None:
        if self._table is None or not self._rows:
            return
        try:
            self._connection.execute(insert(self._table), self._rows)
        except StatementError as error:
            where = f"Lines {self._first} to {self._first + len(self._rows) - 1}"
            raise BadRequest(f"{where}: rows of {self._table.name} could not be stored: {error.orig}.") from error
        name = str(self._table.name)
        self.counts[name] = self.counts.get(name, 0) + len(self._rows)
        self._rows = []

    def _take_piece(self, number: int, digest: str, data: str) -> None:
        if digest != self._digest or self._incoming is None:
            self._keep()
            if not is_digest(digest):
                raise BadRequest(
                    f"Line {number}: the digest {digest[:80]!r} is not 64 lower-case hexadecimal digits;"
                    " nothing was imported."
                )
            self._incoming, self._digest = self._files.begin(), digest
        try:
            self._incoming.write(base64.b64decode(data, validate=True))
        except ValueError:
            raise BadRequest(f"Line {number}: the contents are not base64. No data was imported.") from None

    def _keep(self) -> None:
        if self._incoming is None:
            return
        self._incoming.finish()
        if self._incoming.digest != self._digest:
            raise BadRequest(f"The contents {self._digest} do not match their digest. No data was imported.")
        self.sizes[self._digest] = self._incoming.size
        keep_new(self._files, self._incoming, self._kept)
        self.close()
        self.counts["contents"] = self.counts.get("contents", 0) + 1


def keep_new(files: ContentStore, incoming: IncomingContent, kept: list[str]) -> None:
    if not files.has(incoming.digest):
        kept.append(incoming.digest)
    files.keep(incoming)


def _check_header(record: Record) -> None:
    if record.get("format") != NAME:
        raise BadRequest("This is not an export: its first line has no header of a backlit workspace.")
    if record.get("version") != EXPORT_FORMAT or record.get("schema") not in _READABLE:
        raise BadRequest(
            f"The export is of schema {record.get('schema')}, and this backlit reads schema {OLDEST_SCHEMA} to"
            f" {VERSION}. Import it with the version that wrote it, then upgrade."
        )


def _rows_of(connection: Connection, table: Table, *, with_secrets: bool) -> Iterator[Record]:
    columns = [column for column in table.c if column not in _MADE_ANEW]
    if not with_secrets:
        columns = [column for column in columns if column is not users.c.password_hash]
    writers = [(str(column.name), _writer(column.type)) for column in columns]
    found = connection.execute(
        select(*columns).order_by(*table.primary_key), execution_options={"yield_per": ROWS_IN_MEMORY}
    )
    for row in found:
        yield {
            "table": table.name,
            "row": {name: write(value) for (name, write), value in zip(writers, row, strict=True)},
        }


def _writer(kind: TypeEngine[Any]) -> Callable[[Any], Any]:
    if isinstance(kind, LargeBinary):
        return lambda value: None if value is None else base64.b64encode(value).decode()
    if isinstance(kind, DateTime | Date):
        return lambda value: None if value is None else value.isoformat()
    return lambda value: value


def _last_id(connection: Connection, table: Table) -> int:
    column = table.autoincrement_column
    assert column is not None
    highest = connection.execute(select(func.coalesce(func.max(column), 0))).scalar_one()
    if connection.dialect.name == "sqlite":
        if not _counts_ids(connection):
            return int(highest)
        given = text("SELECT seq FROM sqlite_sequence WHERE name = :name")
        return max(int(highest), int(connection.execute(given, {"name": table.name}).scalar() or 0))
    name = connection.execute(select(func.pg_get_serial_sequence(table.name, column.name))).scalar_one()
    given = text(f"SELECT last_value FROM {name} WHERE is_called")  # noqa: S608  the database's own name for it
    return max(int(highest), int(connection.execute(given).scalar() or 0))


def _set_last_id(connection: Connection, table: Table, last: int) -> None:
    column = table.autoincrement_column
    assert column is not None
    if connection.dialect.name != "sqlite":
        sequence = func.pg_get_serial_sequence(table.name, column.name)
        connection.execute(select(func.setval(sequence, last, True)))
    elif _counts_ids(connection):
        place = {"name": table.name, "last": last}
        connection.execute(text("DELETE FROM sqlite_sequence WHERE name = :name"), place)
        connection.execute(text("INSERT INTO sqlite_sequence (name, seq) VALUES (:name, :last)"), place)


def _counts_ids(connection: Connection) -> bool:
    return inspect(connection).has_table("sqlite_sequence")


def category_of(record: Mapping[str, Any]) -> str:
    """Return the category of a record in reports: its table, or `contents`."""
    return str(record.get("table") or ("contents" if "contents" in record else ""))
