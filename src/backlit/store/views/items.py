"""Items read by id: whole items, comments and attachments."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

import orjson
from msgspec import Struct

from backlit.model.trees import NodeTotals
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.schema import TOTALS
from backlit.store.records.entry import BUSY, EntryKind
from backlit.store.records.item import Document, Item, id_in, item_of, moment, whole
from backlit.store.sqlite.ids import ids_json


class ItemBatch:
    """Reads of any set of items. Unknown ids are left out."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def items(self, item_ids: Sequence[int]) -> list[Item]:
        if not item_ids:
            return []  # as for the blockers of most items, each time the cursor rests
        found = self._files.mirror.execute(
            "SELECT doc, base, sign FROM documents JOIN items USING (id) WHERE id IN (SELECT value FROM json_each(?))"
            " ORDER BY rank_priority, rank_id, is_task, own_priority, id",
            (ids_json(item_ids),),
        )
        return [
            item_of(orjson.loads(doc), None if base is None else orjson.loads(base), sign) for doc, base, sign in found
        ]

    def tasks_of(self, item_id: int) -> list[Item]:
        found = self._files.mirror.execute(
            "SELECT id FROM items WHERE parent_id = ? AND is_task = 1 ORDER BY own_priority, id", (item_id,)
        )
        return self.items([task_id for (task_id,) in found])

    def open_tasks_of(self, item_ids: Iterable[int]) -> list[Item]:
        found = self._files.mirror.execute(
            "SELECT id FROM items WHERE parent_id IN (SELECT value FROM json_each(?)) AND is_task = 1 AND own_open = 1"
            " ORDER BY own_priority, id",
            (ids_json(item_ids),),
        )
        return self.items([task_id for (task_id,) in found])

    def task_counts(self, item_ids: Iterable[int]) -> Mapping[int, int]:
        sql = (
            "SELECT parent_id, count(*) FROM items WHERE parent_id IN (SELECT value FROM json_each(?))"
            " AND is_task = 1 AND own_open = 1 GROUP BY parent_id"
        )
        return dict(self._files.mirror.execute(sql, (ids_json(item_ids),)))

    def task_progress(self, item_ids: Iterable[int]) -> Mapping[int, tuple[int, int]]:
        """Return the number of done tasks and that of all tasks, of the items that have some."""
        sql = (
            "SELECT parent_id, count(*) - sum(own_open), count(*) FROM items"
            " WHERE parent_id IN (SELECT value FROM json_each(?)) AND is_task = 1 GROUP BY parent_id"
        )
        return {
            item_id: (done, count) for item_id, done, count in self._files.mirror.execute(sql, (ids_json(item_ids),))
        }

    def words(self, item_ids: Sequence[int]) -> str:
        """Return the counts of items and tasks; an unknown id counts as an item. A short read."""
        sql = "SELECT count(*) FROM items WHERE is_task = 1 AND id IN (SELECT value FROM json_each(?))"
        ((tasks,),) = self._files.mirror.execute(sql, (ids_json(item_ids),))
        return NodeTotals(len(item_ids) - tasks, tasks=tasks).words

    async def totals(self, item_ids: Iterable[int]) -> NodeTotals:
        ids = list(item_ids)

        def read(mirror: sqlite3.Connection) -> NodeTotals:
            sql = f"SELECT {TOTALS} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
            count, points, tasks, every = mirror.execute(sql, (ids_json(ids),)).fetchone()
            return NodeTotals(int(count), points, int(tasks), every - points)

        return await self._files.read(read)


class CommentEntry(Struct, frozen=True):
    """A comment. An unsent comment is pending and has a temporary id and no time."""

    id: int
    item_id: int
    text: str
    author: str
    created_at: datetime | None
    is_internal: bool
    pending: bool


def comments_in(mirror: sqlite3.Connection, where: str, value: object) -> tuple[CommentEntry, ...]:
    """Return the comments that meet a constant SQL condition with one value."""
    sql = f"SELECT id, item_id, text, author, created_at, is_internal, pending FROM comments WHERE {where}"  # noqa: S608 # constants
    return tuple(
        CommentEntry(comment_id, item_id, text, author, moment(created), bool(internal), bool(pending))
        for comment_id, item_id, text, author, created, internal, pending in mirror.execute(sql, (value,))
    )


class Comments:
    """The mirrored and the unsent comments, for screens."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def of_item(self, item_id: int) -> tuple[CommentEntry, ...]:
        """Return an item's comments, oldest first, unsent ones last, without those that wait for deletion."""
        real_id = self._files.journal.real_id(item_id)
        found = comments_in(self._files.mirror, "item_id = ? ORDER BY pending, id", real_id)
        return self._without_deleted(found, [real_id])

    def of_project(self, project_id: int) -> tuple[CommentEntry, ...]:
        """Return the comments of a project in the same order, which may be many."""
        found = comments_in(self._files.mirror, "project_id = ? ORDER BY pending, id", project_id)
        return self._without_deleted(found, None)

    def _without_deleted(
        self, comments: Iterable[CommentEntry], item_ids: Sequence[int] | None
    ) -> tuple[CommentEntry, ...]:
        deleted = {
            entry.payload.get("id")
            for entry in self._files.journal.entries.undelivered(item_ids, kind=EntryKind.DELETE_COMMENT)
            if entry.state in BUSY
        }
        return tuple(each for each in comments if each.id not in deleted)


class AttachmentEntry(Struct, frozen=True):
    """A file on an item or a comment. `size` is None if the service does not state it."""

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
    """The mirrored attachments, for screens."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files

    def of_item(self, item_id: int) -> tuple[AttachmentEntry, ...]:
        found = self._files.mirror.execute(
            "SELECT doc FROM attachments WHERE item_id = ? ORDER BY id", (self._files.journal.real_id(item_id),)
        )
        return tuple(_entry(orjson.loads(doc)) for (doc,) in found)


def _entry(document: Document) -> AttachmentEntry:
    return AttachmentEntry(
        id=id_in(document),
        item_id=id_in(document, "workItemId"),
        comment_id=whole(document.get("commentId")),
        name=str(document.get("name") or ""),
        description=str(document.get("description") or ""),
        size=whole(document.get("size")),
        author=str(document.get("createdBy") or ""),
        created_at=moment(document.get("createdAt")),
        is_internal=document.get("type") != "Feedback",
    )
