"""The inbox in the journal: a row for each item that others changed since the user last saw it."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import orjson
from msgspec import Struct, field

from backlit.store.sqlite.database import SqliteTable, ids_json, transaction

_COLUMNS = "item_id, project_id, kind, type, name, base, comments, authors, noted_at"


class NewsKind(StrEnum):
    """The kind of change."""

    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


class InboxRecord(Struct, frozen=True):
    """The unseen changes of an item. `base` holds the changed fields as last seen, `comments` the unseen ids.

    `authors` are the known authors, the latest first. `noted_at` is the service's time of the latest change, or
    this machine's time for a deleted item.
    """

    item_id: int
    project_id: int
    kind: NewsKind
    type: str
    name: str
    base: Mapping[str, object] = field(default_factory=dict)
    comments: Sequence[int] = ()
    authors: Sequence[str] = ()
    noted_at: str | None = None

    @property
    def is_empty(self) -> bool:
        return self.kind is NewsKind.CHANGED and not self.base and not self.comments

    @property
    def row(self) -> tuple[object, ...]:
        return (
            self.item_id,
            self.project_id,
            self.kind.value,
            self.type,
            self.name,
            *(orjson.dumps(each).decode() for each in (dict(self.base), list(self.comments), list(self.authors))),
            self.noted_at,
        )


class Watermarks(Struct, frozen=True):
    """The largest known ids of a project. Larger ids are new. None if comments cannot be listed."""

    item_id: int
    comment_id: int | None


class InboxTable(SqliteTable):
    """The tables of the inbox, through the journal's connection."""

    def watermarks(self, project_id: int) -> Watermarks | None:
        """Return a project's largest known ids, or None before its first load is complete."""
        found = self._connection.execute(
            "SELECT item_id, comment_id FROM news_marks WHERE project_id = ?", (project_id,)
        ).fetchone()
        return Watermarks(*found) if found else None

    def set_watermarks(self, project_id: int, marks: Watermarks) -> None:
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO news_marks VALUES (?, ?, ?)", (project_id, marks.item_id, marks.comment_id)
            )

    def records(self, item_ids: Iterable[int]) -> dict[int, InboxRecord]:
        sql = f"SELECT {_COLUMNS} FROM news WHERE item_id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constant
        found = self._connection.execute(sql, (ids_json(item_ids),))
        return {record.item_id: record for record in map(_record, found)}

    def put(self, records: Iterable[InboxRecord]) -> frozenset[int]:
        """Write records and delete empty ones. Returns the ids of both."""
        written = list(records)
        with transaction(self._connection):
            self.forget(record.item_id for record in written if record.is_empty)
            self._connection.executemany(
                f"INSERT OR REPLACE INTO news ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 # constant
                [record.row for record in written if not record.is_empty],
            )
        return frozenset(record.item_id for record in written)

    def forget(self, item_ids: Iterable[int]) -> int:
        """Mark items as seen. Returns the number of items that had unseen changes."""
        with transaction(self._connection):
            return self._connection.execute(
                "DELETE FROM news WHERE item_id IN (SELECT value FROM json_each(?))", (ids_json(item_ids),)
            ).rowcount

    def forget_project(self, project_id: int | None) -> int:
        with transaction(self._connection):
            return self._connection.execute(
                "DELETE FROM news WHERE project_id = ifnull(?, project_id)", (project_id,)
            ).rowcount

    def ids(self, project_id: int) -> list[int]:
        found = self._connection.execute(
            "SELECT item_id FROM news WHERE project_id = ? ORDER BY noted_at DESC, item_id DESC", (project_id,)
        )
        return [item_id for (item_id,) in found]

    def comment_ids(self, project_id: int) -> list[int]:
        found = self._connection.execute(
            "SELECT comment.value FROM news, json_each(news.comments) AS comment WHERE project_id = ?", (project_id,)
        )
        return [comment_id for (comment_id,) in found]

    def count(self, project_id: int) -> int:
        """Count a project's items with unseen changes, from a partial index."""
        found = self._connection.execute("SELECT count(*) FROM news WHERE project_id = ?", (project_id,)).fetchone()
        return int(found[0])


def _record(values: tuple[object, ...]) -> InboxRecord:
    item_id, project_id, kind, item_type, name, base, comments, authors, noted_at = values
    return InboxRecord(
        int(str(item_id)),
        int(str(project_id)),
        NewsKind(str(kind)),
        str(item_type),
        str(name),
        orjson.loads(str(base)),
        tuple(orjson.loads(str(comments))),
        tuple(orjson.loads(str(authors))),
        None if noted_at is None else str(noted_at),
    )
