"""Inbox: changes, creations, deletions and comments by other users that the user has not seen yet."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import orjson
from msgspec import Struct

from backlit.model.fields import FIELD_BY_KEY
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.inbox import InboxRecord, NewsKind
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.item import FieldNews, fields_in, moment
from backlit.store.sqlite.database import ids_json

if TYPE_CHECKING:
    from backlit.store.views.items import CommentEntry

FEED = 500
"""The number of comments in the feed."""
LATEST = 40
"""The number of items among which the latest changes by others are sought."""

_ORDER = {key: number for number, key in enumerate(FIELD_BY_KEY)}


class AuthorNews(Struct, frozen=True):
    """What one author changed."""

    author: str
    fields: tuple[FieldNews, ...]


class ItemNews(Struct, frozen=True):
    """The unseen changes of an item. A deleted item has only a name, a new item no `fields`.

    `authors` are the known authors, the latest first, empty if the service names none. `changes` are the changes of
    each, where the service's history told them; `fields` are those of all.
    """

    item_id: int
    kind: NewsKind
    type: str
    name: str
    fields: tuple[FieldNews, ...]
    comments: "tuple[CommentEntry, ...]"
    authors: tuple[str, ...]
    at: datetime | None
    changes: tuple[AuthorNews, ...] = ()


class Inbox:
    """The current project's unseen changes, and the record of those that the user has seen."""

    def __init__(self, files: LocalDatabase, signal: Signal, project: Callable[[], int | None]) -> None:
        self._files = files
        self._signal = signal
        self._project = project

    def unread(self) -> int:
        """Count the items with unseen changes. Cheap enough for every repaint."""
        return self._files.journal.inbox.count(self._project() or 0)

    def ids(self) -> list[int]:
        return self._files.journal.inbox.ids(self._project() or 0)

    def news(self, item_id: int) -> ItemNews | None:
        record = self._files.journal.inbox.records([item_id]).get(item_id)
        if record is None:
            return None
        found = self._files.mirror.execute(
            "SELECT coalesce(base, doc) FROM documents WHERE id = ?", (item_id,)
        ).fetchone()
        has = fields_in(orjson.loads(found[0])) if found else {}
        from backlit.store.views.items import comments_in

        return ItemNews(
            item_id,
            record.kind,
            record.type,
            str(has.get("Name") or record.name),
            _fields(record, has),
            comments_in(
                self._files.mirror, "id IN (SELECT value FROM json_each(?)) ORDER BY id", ids_json(record.comments)
            ),
            tuple(record.authors),
            moment(record.noted_at),
            tuple(AuthorNews(each.author, _sorted(each.fields)) for each in record.changes),
        )

    def feed(self) -> "tuple[CommentEntry, ...]":
        from backlit.store.views.items import comments_in

        return comments_in(
            self._files.mirror,
            f"project_id = ? AND pending = 0 ORDER BY created_at DESC, id DESC LIMIT {FEED}",
            self._project() or 0,
        )

    def latest(self) -> Sequence[int]:
        """Return the items of the latest changes, the latest first."""
        rows = self._files.mirror.execute(
            "SELECT id FROM items WHERE project_id = ? ORDER BY modified_at DESC, id LIMIT ?",
            (self._project() or 0, LATEST),
        )
        return [item_id for (item_id,) in rows]

    def unread_comments(self) -> frozenset[int]:
        return frozenset(self._files.journal.inbox.comment_ids(self._project() or 0))

    async def seen(self, item_ids: Iterable[int]) -> None:
        """Mark items and their comments as seen. Costs nothing without unseen changes."""
        found = self._files.journal.inbox.records(self._files.journal.real_id(each) for each in item_ids)
        if found:
            await self._files.write(lambda writer: self._forget(writer, found))

    def _forget(self, writer: WriteContext, records: dict[int, InboxRecord]) -> None:
        if writer.journal.inbox.forget(records):
            self._signal.publish(StoreChange(Subject.INBOX, frozenset(records)))

    async def all_seen(self, *, everywhere: bool = False) -> None:
        project_id = None if everywhere else self._project() or 0

        def act(writer: WriteContext) -> None:
            if writer.journal.inbox.forget_project(project_id):
                self._signal.publish(StoreChange(Subject.INBOX))

        await self._files.write(act)


def _fields(record: InboxRecord, has: Mapping[str, object]) -> tuple[FieldNews, ...]:
    """Return the changed fields; those that may all be the user's own are none."""
    if record.is_unsure:
        return ()
    if not record.changes:
        return _sorted({key: (before, has.get(key)) for key, before in record.base.items()})
    first = {key: before for each in record.changes for key, (before, _) in each.fields.items()}
    latest = {key: after for each in reversed(record.changes) for key, (_, after) in each.fields.items()}
    return _sorted({key: (before, latest[key]) for key, before in first.items()})


def _sorted(fields: Mapping[str, tuple[object, object]]) -> tuple[FieldNews, ...]:
    return tuple(FieldNews(key, *fields[key]) for key in sorted(fields, key=_place))


def _place(key: str) -> tuple[int, str]:
    """Return the field's position in the field table. Custom fields come last."""
    return _ORDER.get(key, len(_ORDER)), key
