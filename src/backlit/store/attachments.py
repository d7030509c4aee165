"""Attachments: what is known of the files; their contents stay with the service until they are asked for."""

import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

import orjson

from backlit.store.database import ids_json, transaction
from backlit.store.rows import Document, moment, whole

if TYPE_CHECKING:
    from backlit.store.files import Files


@dataclass(frozen=True, slots=True)
class AttachmentEntry:
    """A file on an item, or on one of its comments; `size` is None where the service does not say."""

    id: int
    item_id: int
    comment_id: int | None
    name: str
    description: str
    size: int | None
    author: str
    created_at: datetime | None
    is_internal: bool


class Attachments:
    """The attachments that are known here, for screens."""

    def __init__(self, files: "Files") -> None:
        self._files = files

    def of_item(self, item_id: int) -> tuple[AttachmentEntry, ...]:
        """An item's files and those of its comments, oldest first."""
        found = self._files.mirror.execute(
            "SELECT doc FROM attachments WHERE item_id = ? ORDER BY id", (self._files.journal.real_id(item_id),)
        )
        return tuple(_entry(orjson.loads(doc)) for (doc,) in found)


class MirroredAttachments:
    """Writes the table of attachments through the mirror's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, received: Iterable[Document]) -> frozenset[int]:
        """Store attachments as the service sent them; says which items they belong to."""
        rows = [row for each in received if (row := _row(each)) is not None]
        with transaction(self._connection):
            self._connection.executemany("INSERT OR REPLACE INTO attachments VALUES (?, ?, ?, ?, ?)", rows)
        return frozenset(int(str(row[1])) for row in rows)

    def replace_all(self, item_id: int, received: Sequence[Document]) -> bool:
        """Store the attachments of one item, forgetting those that are gone; says whether that changed anything.

        Whether the files of its comments are among them is not specified: without any, those known here stay.
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
        """The item that an attachment belongs to; None where it is not known here."""
        sql = "SELECT item_id FROM attachments WHERE id = ?"
        found = self._connection.execute(sql, (attachment_id,)).fetchone()
        return None if found is None else int(found[0])

    def remove(self, attachment_ids: Iterable[int]) -> None:
        """Forget attachments."""
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


def _entry(document: Document) -> AttachmentEntry:
    return AttachmentEntry(
        id=whole(document.get("id")) or 0,
        item_id=whole(document.get("workItemId")) or 0,
        comment_id=whole(document.get("commentId")),
        name=str(document.get("name") or ""),
        description=str(document.get("description") or ""),
        size=whole(document.get("size")),
        author=str(document.get("createdBy") or ""),
        created_at=moment(document.get("createdAt")),
        is_internal=document.get("type") != "Feedback",
    )
