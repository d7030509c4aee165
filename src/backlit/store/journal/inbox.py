"""The inbox in the journal: a row for each item that others changed since the user last saw it."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import orjson
from msgspec import Struct, field
from msgspec.json import decode, encode

from backlit.store.sqlite.database import SqliteTable, transaction
from backlit.store.sqlite.ids import ids_json

_COLUMNS = (
    "item_id, project_id, kind, type, name, base, comments, authors, noted_at, since, changes, is_unsure, sentences"
)
_IS_NEWS = "(is_unsure = 0 OR comments <> '[]' OR sentences <> '[]')"
EVERY = 0
"""In place of the id of a project or of an item: all of them."""


class NewsKind(StrEnum):
    """The kind of change."""

    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


class AuthorChanges(Struct, frozen=True):
    """What one author changed, by the service's history: the values before and after, by key."""

    author: str
    fields: Mapping[str, tuple[object, object]]


class InboxRecord(Struct, frozen=True):
    """The unseen changes of an item. `base` holds the changed fields as last seen, `comments` the unseen ids.

    `authors` are the known authors, the latest first. `noted_at` is the service's time of the latest change, or
    this machine's time for a deleted item. `since` is the time of the last change that the user saw. `changes` are
    those since then by author, the latest first, once the service's history told them; `is_unsure` stands until then
    where the changes may all be the user's own, made elsewhere. `sentences` are the service's words for what is
    neither a changed field nor a comment, such as an attached file.
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
    since: str | None = None
    changes: Sequence[AuthorChanges] = ()
    is_unsure: bool = False
    sentences: Sequence[str] = ()

    @property
    def is_empty(self) -> bool:
        return self.kind is NewsKind.CHANGED and not (self.base or self.comments or self.sentences)

    @property
    def is_exact(self) -> bool:
        """Report whether the service's history has nothing to add."""
        if self.kind is NewsKind.CHANGED:
            return self.since is None or (not self.is_unsure and (bool(self.changes) or not self.base))
        return self.kind is NewsKind.NEW or bool(self.authors)

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
            self.since,
            encode(self.changes).decode(),
            self.is_unsure,
            orjson.dumps(list(self.sentences)).decode(),
        )


class ReadMark(Struct, frozen=True):
    """What the user has read and the service does not know yet: an item's or a project's news until a time.

    EVERY stands for all items of the project, or for all projects.
    """

    project_id: int
    item_id: int
    until: str


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
                f"INSERT OR REPLACE INTO news ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 # constant
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

    def of_project(self, project_id: int | None) -> list[InboxRecord]:
        """Return the records of a project, or of all projects."""
        sql = f"SELECT {_COLUMNS} FROM news WHERE project_id = ifnull(?, project_id)"  # noqa: S608 # constant
        return list(map(_record, self._connection.execute(sql, (project_id,))))

    def keep_read(self, marks: Iterable[ReadMark]) -> None:
        """Keep what the user has read until the service was told; the later one of two times holds."""
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO news_read VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET until = max(until, excluded.until)",
                [(mark.project_id, mark.item_id, mark.until) for mark in marks],
            )

    def read_marks(self) -> list[ReadMark]:
        found = self._connection.execute("SELECT project_id, item_id, until FROM news_read")
        return [ReadMark(*row) for row in found]

    def drop_read(self, marks: Iterable[ReadMark]) -> None:
        """Forget what the service was told, unless the user has read on meanwhile."""
        with transaction(self._connection):
            self._connection.executemany(
                "DELETE FROM news_read WHERE project_id = ? AND item_id = ? AND until = ?",
                [(mark.project_id, mark.item_id, mark.until) for mark in marks],
            )

    def ids(self, project_id: int) -> list[int]:
        sql = f"SELECT item_id FROM news WHERE project_id = ? AND {_IS_NEWS} ORDER BY noted_at DESC, item_id DESC"  # noqa: S608 # constant
        return [item_id for (item_id,) in self._connection.execute(sql, (project_id,))]

    def inexact(self, project_id: int) -> list[InboxRecord]:
        """Return the records that the service's history has not confirmed yet, the latest first."""
        sql = f"SELECT {_COLUMNS} FROM news WHERE project_id = ? ORDER BY noted_at DESC, item_id DESC"  # noqa: S608 # constant
        found = map(_record, self._connection.execute(sql, (project_id,)))
        return [record for record in found if not record.is_exact]

    def comment_ids(self, project_id: int) -> list[int]:
        found = self._connection.execute(
            "SELECT comment.value FROM news, json_each(news.comments) AS comment WHERE project_id = ?", (project_id,)
        )
        return [comment_id for (comment_id,) in found]

    def count(self, project_id: int) -> int:
        """Count a project's items with unseen changes."""
        sql = f"SELECT count(*) FROM news WHERE project_id = ? AND {_IS_NEWS}"  # noqa: S608 # constant
        return int(self._connection.execute(sql, (project_id,)).fetchone()[0])


def _record(values: tuple[object, ...]) -> InboxRecord:
    item_id, project_id, kind, item_type, name, base, comments, authors, noted_at, since, changes, *last = values
    is_unsure, sentences = last
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
        None if since is None else str(since),
        decode(str(changes), type=tuple[AuthorChanges, ...]),
        bool(is_unsure),
        tuple(orjson.loads(str(sentences))),
    )
