"""What others did since the user last looked, as rows of the journal: one for each item with news, no other."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import orjson

from backlit.store.database import ids_json, transaction

_COLUMNS = "item_id, project_id, kind, type, name, base, comments, authors, noted_at"


class NewsKind(StrEnum):
    """What happened to the item."""

    CHANGED = "changed"
    NEW = "new"
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class NewsRecord:
    """One item's news; `base` has the changed fields as the user last saw them, `comments` the ids not seen yet.

    `authors` are those who are known to have done it, the latest first; `noted_at` is the service's time of the latest
    news, or this machine's for what is gone.
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
        """Whether it says nothing (any more)."""
        return self.kind is NewsKind.CHANGED and not self.base and not self.comments


@dataclass(frozen=True, slots=True)
class Marks:
    """How far a project has been taken up: larger ids are new. None for comments that cannot be listed."""

    item_id: int
    comment_id: int | None


class News:
    """Reads and writes the tables of news through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def marks(self, project_id: int) -> Marks | None:
        """How far a project has been taken up; None before its first load is complete."""
        found = self._connection.execute(
            "SELECT item_id, comment_id FROM news_marks WHERE project_id = ?", (project_id,)
        ).fetchone()
        return Marks(*found) if found else None

    def set_marks(self, project_id: int, marks: Marks) -> None:
        """Note how far a project has been taken up."""
        with transaction(self._connection):
            self._connection.execute(
                "INSERT OR REPLACE INTO news_marks VALUES (?, ?, ?)", (project_id, marks.item_id, marks.comment_id)
            )

    def records(self, item_ids: Iterable[int]) -> dict[int, NewsRecord]:
        """The news of some items, of those that have any."""
        sql = f"SELECT {_COLUMNS} FROM news WHERE item_id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constant
        found = self._connection.execute(sql, (ids_json(item_ids),))
        return {record.item_id: record for record in map(_record, found)}

    def put(self, records: Iterable[NewsRecord]) -> frozenset[int]:
        """Write records, and forget those that say nothing; returns the ids of those that were written or forgotten."""
        written = list(records)
        with transaction(self._connection):
            self.forget(record.item_id for record in written if record.is_empty)
            self._connection.executemany(
                f"INSERT OR REPLACE INTO news ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 # constant
                [_row(record) for record in written if not record.is_empty],
            )
        return frozenset(record.item_id for record in written)

    def forget(self, item_ids: Iterable[int]) -> int:
        """The user has seen these items as they are; returns how many had news."""
        with transaction(self._connection):
            return self._connection.execute(
                "DELETE FROM news WHERE item_id IN (SELECT value FROM json_each(?))", (ids_json(item_ids),)
            ).rowcount

    def forget_project(self, project_id: int | None) -> int:
        """The user has seen everything of a project, or of all; returns how many items had news."""
        with transaction(self._connection):
            return self._connection.execute(
                "DELETE FROM news WHERE project_id = ifnull(?, project_id)", (project_id,)
            ).rowcount

    def ids(self, project_id: int) -> list[int]:
        """The items of a project that have news, the latest news first."""
        found = self._connection.execute(
            "SELECT item_id FROM news WHERE project_id = ? ORDER BY noted_at DESC, item_id DESC", (project_id,)
        )
        return [item_id for (item_id,) in found]

    def comment_ids(self, project_id: int) -> list[int]:
        """The comments of a project that were not seen yet."""
        found = self._connection.execute(
            "SELECT comment.value FROM news, json_each(news.comments) AS comment WHERE project_id = ?", (project_id,)
        )
        return [comment_id for (comment_id,) in found]

    def count(self, project_id: int) -> int:
        """How many items of a project have news; read from an index of nothing but those."""
        found = self._connection.execute("SELECT count(*) FROM news WHERE project_id = ?", (project_id,)).fetchone()
        return int(found[0])


def _row(record: NewsRecord) -> tuple[object, ...]:
    return (
        record.item_id,
        record.project_id,
        record.kind.value,
        record.type,
        record.name,
        *(orjson.dumps(each).decode() for each in (dict(record.base), list(record.comments), list(record.authors))),
        record.noted_at,
    )


def _record(values: tuple[object, ...]) -> NewsRecord:
    item_id, project_id, kind, item_type, name, base, comments, authors, noted_at = values
    return NewsRecord(
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
