"""Comments and attachments in the mirror. Contents of files stay on the service."""

import sqlite3
from collections.abc import Iterable, Sequence

import orjson

from backlit.store.records.entry import EntryKind, OutboxEntry, is_for_customers
from backlit.store.records.item import Document, moment, whole
from backlit.store.sqlite.database import ids_json, transaction

_COLUMNS = "id, item_id, project_id, text, author, created_at, is_internal, pending, doc"
_INSERT_COMMENT = f"INSERT OR REPLACE INTO comments ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"  # noqa: S608 # constants


class Comments:
    """The table of comments, through the mirror's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, received: Iterable[Document]) -> frozenset[int]:
        """Store received comments. Returns the ids of their items."""
        rows = [row for each in received if (row := _comment_row(each)) is not None]
        with transaction(self._connection):
            self._connection.executemany(_INSERT_COMMENT, rows)
        return frozenset(int(str(row[1])) for row in rows)

    def replace_all(self, item_id: int, received: Iterable[Document]) -> bool:
        """Replace all comments of an item. Reports whether anything changed."""
        with transaction(self._connection):
            before = self._of_item(item_id)
            self._connection.execute("DELETE FROM comments WHERE item_id = ? AND pending = 0", (item_id,))
            self.put(received)
            return before != self._of_item(item_id)

    def documents(self, item_ids: Iterable[int]) -> list[Document]:
        """Return the received comments of some items, oldest first, as the service sent them."""
        return self._documents("item_id IN (SELECT value FROM json_each(?)) AND pending = 0", ids_json(item_ids))

    def document(self, comment_id: int) -> Document | None:
        """Return a received comment."""
        return next(iter(self._documents("id = ? AND pending = 0", comment_id)), None)

    def _documents(self, where: str, value: object) -> list[Document]:
        sql = f"SELECT doc FROM comments WHERE {where} ORDER BY id"  # noqa: S608 # constants only
        return [orjson.loads(doc) for (doc,) in self._connection.execute(sql, (value,))]

    def _of_item(self, item_id: int) -> list[tuple[object, ...]]:
        return self._connection.execute("SELECT * FROM comments WHERE item_id = ? ORDER BY id", (item_id,)).fetchall()

    def remove(self, comment_ids: Iterable[int]) -> None:
        """Delete comments, temporary ones too."""
        with transaction(self._connection):
            self._connection.execute(
                "DELETE FROM comments WHERE id IN (SELECT value FROM json_each(?))", (ids_json(comment_ids),)
            )

    def put_pending(self, item_ids: Iterable[int], undelivered: Sequence[OutboxEntry], author: str) -> None:
        """Replace the pending comments of some items by those of the undelivered entries."""
        wanted = set(item_ids)
        self._connection.execute(
            "DELETE FROM comments WHERE pending = 1 AND item_id IN (SELECT value FROM json_each(?))",
            (ids_json(wanted),),
        )
        self._connection.executemany(
            _INSERT_COMMENT,
            [
                (
                    *(entry.temporary_id, entry.item_id, entry.project_id, entry.payload["text"], author, None),
                    *(int(not is_for_customers(entry.payload)), 1, None),
                )
                for entry in undelivered
                if entry.kind is EntryKind.COMMENT and entry.item_id in wanted
            ],
        )


def _comment_row(document: Document) -> tuple[object, ...] | None:
    comment_id, item_id = whole(document.get("id")), whole(document.get("workItemId"))
    if comment_id is None or item_id is None:
        return None
    created = document.get("createdAt")
    return (
        comment_id,
        item_id,
        whole(document.get("projectId")) or 0,
        str(document.get("description") or ""),
        str(document.get("createdBy") or ""),
        created if moment(created) else None,
        int(document.get("type") != "Feedback"),
        0,
        orjson.dumps(document),
    )


class MirroredAttachments:
    """The table of attachments, through the mirror's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, received: Iterable[Document]) -> frozenset[int]:
        """Store received attachments. Returns the ids of their items."""
        rows = [row for each in received if (row := _row(each)) is not None]
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO attachments VALUES (?, ?, ?, ?, ?)", rows)
        return frozenset(int(str(row[1])) for row in rows)

    def replace_all(self, item_id: int, received: Sequence[Document]) -> bool:
        """Replace the attachments of an item. Reports whether anything changed.

        The interface does not specify whether the list includes files of comments. If it includes none, known
        ones are kept.
        """
        has_comments_too = any(each.get("commentId") is not None for each in received)
        with transaction(self._connection):
            before = self._of_item(item_id)
            self._connection.execute(
                "DELETE FROM attachments WHERE item_id = ?1"
                " AND (?2 OR comment_id IS NULL OR comment_id NOT IN (SELECT id FROM comments WHERE item_id = ?1))",
                (item_id, has_comments_too),
            )
            self.put(received)
            return before != self._of_item(item_id)

    def _of_item(self, item_id: int) -> list[tuple[object, ...]]:
        return self._connection.execute(
            "SELECT * FROM attachments WHERE item_id = ? ORDER BY id", (item_id,)
        ).fetchall()

    def item_of(self, attachment_id: int) -> int | None:
        """Return the item of an attachment, or None for an unknown attachment."""
        sql = "SELECT item_id FROM attachments WHERE id = ?"
        found = self._connection.execute(sql, (attachment_id,)).fetchone()
        return None if found is None else int(found[0])

    def remove(self, attachment_ids: Iterable[int]) -> None:
        """Delete attachments."""
        with transaction(self._connection):
            self._connection.execute(
                "DELETE FROM attachments WHERE id IN (SELECT value FROM json_each(?))", (ids_json(attachment_ids),)
            )


def _row(document: Document) -> tuple[object, ...] | None:
    attachment_id, item_id = whole(document.get("id")), whole(document.get("workItemId"))
    if attachment_id is None or item_id is None:
        return None
    project_id = whole(document.get("projectId")) or 0
    return attachment_id, item_id, project_id, whole(document.get("commentId")), orjson.dumps(document)
