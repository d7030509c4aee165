"""Comments and attachments in the mirror. Contents of files stay on the service."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence

import orjson

from backlit.store.records.entry import EntryKind, OutboxEntry, is_for_customers
from backlit.store.records.item import Document, id_in, moment, whole
from backlit.store.sqlite.database import SqliteTable, transaction
from backlit.store.sqlite.ids import ids_json


class _ItemChildTable(SqliteTable, ABC):
    """A table of objects below items."""

    table: str

    def put(self, received: Iterable[Document]) -> frozenset[int]:
        """Store received objects. Returns the ids of their items."""
        rows = [row for each in received if (row := self._row(each)) is not None]
        if rows:
            values = ", ".join("?" * len(rows[0]))
            with transaction(self._connection):
                sql = f"INSERT OR REPLACE INTO {self.table} VALUES ({values})"  # noqa: S608 # a constant and marks
                self._connection.executemany(sql, rows)
        return frozenset(int(str(row[1])) for row in rows)

    def replace_all(self, item_id: int, received: Sequence[Document]) -> bool:
        with transaction(self._connection):
            before = self._of_item(item_id)
            self._delete_replaced(item_id, received)
            self.put(received)
            return before != self._of_item(item_id)

    def remove(self, ids: Iterable[int]) -> None:
        sql = f"DELETE FROM {self.table} WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # a constant
        with transaction(self._connection):
            self._connection.execute(sql, (ids_json(ids),))

    def _of_item(self, item_id: int) -> list[tuple[object, ...]]:
        sql = f"SELECT * FROM {self.table} WHERE item_id = ? ORDER BY id"  # noqa: S608 # a constant
        return self._connection.execute(sql, (item_id,)).fetchall()

    @abstractmethod
    def _row(self, document: Document) -> tuple[object, ...] | None:
        """Return the columns of an object, id and item first, or None for an unusable document."""

    @abstractmethod
    def _delete_replaced(self, item_id: int, received: Sequence[Document]) -> None: ...


class CommentTable(_ItemChildTable):
    """The table of comments."""

    table = "comments"

    def _delete_replaced(self, item_id: int, _received: Sequence[Document]) -> None:
        self._connection.execute("DELETE FROM comments WHERE item_id = ? AND pending = 0", (item_id,))

    def documents(self, item_ids: Iterable[int]) -> list[Document]:
        return self._documents("item_id IN (SELECT value FROM json_each(?)) AND pending = 0", ids_json(item_ids))

    def document(self, comment_id: int) -> Document | None:
        return next(iter(self._documents("id = ? AND pending = 0", comment_id)), None)

    def _documents(self, where: str, value: object) -> list[Document]:
        sql = f"SELECT doc FROM comments WHERE {where} ORDER BY id"  # noqa: S608 # constants only
        return [orjson.loads(doc) for (doc,) in self._connection.execute(sql, (value,))]

    def _row(self, document: Document) -> tuple[object, ...] | None:
        comment_id, item_id = whole(document.get("id")), whole(document.get("workItemId"))
        if comment_id is None or item_id is None:
            return None
        created = document.get("createdAt")
        return (
            comment_id,
            item_id,
            id_in(document, "projectId"),
            str(document.get("description") or ""),
            str(document.get("createdBy") or ""),
            created if moment(created) else None,
            int(document.get("type") != "Feedback"),
            0,
            orjson.dumps(document),
        )

    def put_pending(self, item_ids: Iterable[int], undelivered: Sequence[OutboxEntry], author: str) -> None:
        """Replace the pending comments of some items by those of the undelivered entries."""
        wanted = set(item_ids)
        self._connection.execute(
            "DELETE FROM comments WHERE pending = 1 AND item_id IN (SELECT value FROM json_each(?))",
            (ids_json(wanted),),
        )
        self._connection.executemany(
            "INSERT OR REPLACE INTO comments VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    *(entry.temporary_id, entry.item_id, entry.project_id, entry.payload["text"], author, None),
                    *(int(not is_for_customers(entry.payload)), 1, None),
                )
                for entry in undelivered
                if entry.kind is EntryKind.COMMENT and entry.item_id in wanted
            ],
        )


class MirroredAttachments(_ItemChildTable):
    """The table of attachments."""

    table = "attachments"

    def _delete_replaced(self, item_id: int, received: Sequence[Document]) -> None:
        """Delete the attachments of an item. Without files of comments in the list, known ones are kept.

        The interface does not specify whether the list includes them.
        """
        has_comments_too = any(each.get("commentId") is not None for each in received)
        self._connection.execute(
            "DELETE FROM attachments WHERE item_id = ?1"
            " AND (?2 OR comment_id IS NULL OR comment_id NOT IN (SELECT id FROM comments WHERE item_id = ?1))",
            (item_id, has_comments_too),
        )

    def _row(self, document: Document) -> tuple[object, ...] | None:
        attachment_id, item_id = whole(document.get("id")), whole(document.get("workItemId"))
        if attachment_id is None or item_id is None:
            return None
        project_id = id_in(document, "projectId")
        return attachment_id, item_id, project_id, whole(document.get("commentId")), orjson.dumps(document)

    def item_of(self, attachment_id: int) -> int | None:
        sql = "SELECT item_id FROM attachments WHERE id = ?"
        found = self._connection.execute(sql, (attachment_id,)).fetchone()
        return None if found is None else int(found[0])
