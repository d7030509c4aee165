"""Inbox: changes, creations, deletions and comments by other users that the user has not seen yet."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

import orjson
from msgspec import Struct

from backlit.model.fields import FIELD_BY_KEY
from backlit.model.mentions import names_in
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.inbox import EVERY, InboxRecord, NewsKind, ReadMark
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.item import FieldNews, fields_in, moment
from backlit.store.records.people import Person
from backlit.store.remote.capabilities import UNREAD, announces
from backlit.store.sqlite.ids import ids_json

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


class NewsReason(StrEnum):
    """Why news are for the user in person; the first that holds."""

    MENTION = "mention"
    ASSIGNMENT = "assignment"


class PersonalNews(Struct, frozen=True):
    """What of an item's news is for the user in person: one of its comments, or the item itself (0)."""

    item_id: int
    reason: NewsReason
    comment_id: int = 0


class ItemNews(Struct, frozen=True):
    """The unseen changes of an item. A deleted item has only a name, a new item no `fields`.

    `authors` are the known authors, the latest first, empty if the service names none. `changes` are the changes of
    each, where the service's history told them; `fields` are those of all. `sentences` are the service's words for
    what is neither a field nor a comment.
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
    sentences: tuple[str, ...] = ()
    reason: NewsReason | None = None


class Inbox:
    """The current project's unseen changes, and the record of those that the user has seen."""

    def __init__(
        self,
        files: LocalDatabase,
        signal: Signal,
        project: Callable[[], int | None],
        me: Callable[[], Person | None],
        server_now: Callable[[], datetime],
    ) -> None:
        """`server_now` is the service's time."""
        self._files = files
        self._signal = signal
        self._project = project
        self._me = me
        self._server_now = server_now

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

        comments = comments_in(
            self._files.mirror, "id IN (SELECT value FROM json_each(?)) ORDER BY id", ids_json(record.comments)
        )
        fields = _fields(record, has)
        return ItemNews(
            item_id,
            record.kind,
            record.type,
            str(has.get("Name") or record.name),
            fields,
            comments,
            tuple(record.authors),
            moment(record.noted_at),
            tuple(AuthorNews(each.author, _sorted(each.fields)) for each in record.changes),
            tuple(record.sentences),
            _first_reason(_personal(self._me(), record, has, fields, comments)),
        )

    def personal(self, item_ids: Iterable[int] | None = None) -> frozenset[PersonalNews]:
        """Return what is for the user in person among the unseen changes of some items, or of all."""
        records = self._files.journal.inbox.records(self.ids() if item_ids is None else item_ids)
        records = {each.item_id: each for each in records.values() if each.project_id == self._project()}
        me = self._me()
        if me is None or not records:
            return frozenset()
        from backlit.store.views.items import comments_in

        mirror = self._files.mirror
        found = mirror.execute(
            "SELECT id, coalesce(base, doc) FROM documents WHERE id IN (SELECT value FROM json_each(?))",
            (ids_json(records),),
        )
        values = {item_id: fields_in(orjson.loads(doc)) for item_id, doc in found}
        new_ids = [comment_id for record in records.values() for comment_id in record.comments]
        by_item: dict[int, list[CommentEntry]] = {}
        for comment in comments_in(mirror, "id IN (SELECT value FROM json_each(?))", ids_json(new_ids)):
            by_item.setdefault(comment.item_id, []).append(comment)
        personal: set[PersonalNews] = set()
        for item_id, record in records.items():
            has = values.get(item_id, {})
            personal.update(_personal(me, record, has, _fields(record, has), by_item.get(item_id, ())))
        return frozenset(personal)

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
        marks = [ReadMark(each.project_id, each.item_id, each.noted_at) for each in records.values() if each.noted_at]
        self._keep_read(writer, marks)
        if writer.journal.inbox.forget(records):
            self._signal.publish(StoreChange(Subject.INBOX, frozenset(records)))

    def _keep_read(self, writer: WriteContext, marks: Sequence[ReadMark]) -> None:
        """Keep what was read for a service that tells the user's other machines."""
        if marks and announces(writer.mirror.note(CAPABILITIES), UNREAD):
            writer.journal.inbox.keep_read(marks)
            self._files.wake()

    async def all_seen(self, *, everywhere: bool = False) -> None:
        project_id = None if everywhere else self._project() or 0
        now = self._server_now().isoformat()

        def act(writer: WriteContext) -> None:
            noted = [each.noted_at for each in writer.journal.inbox.of_project(project_id) if each.noted_at]
            # What comes to this project meanwhile was not seen; of other projects this machine has no list.
            until = now if project_id is None else max(noted, default=None)
            if until is not None:
                self._keep_read(writer, [ReadMark(project_id or EVERY, EVERY, until)])
            if writer.journal.inbox.forget_project(project_id):
                self._signal.publish(StoreChange(Subject.INBOX))

        await self._files.write(act)


def _personal(
    me: Person | None,
    record: InboxRecord,
    has: Mapping[str, object],
    fields: Sequence[FieldNews],
    comments: "Sequence[CommentEntry]",
) -> Iterator[PersonalNews]:
    if me is None:
        return
    name = me.username.lower()
    description = next((each for each in fields if each.key == "Description"), None)
    if description is None and record.kind is NewsKind.NEW:
        description = FieldNews("Description", None, has.get("Description"))
    before, after = (str(text or "") for text in (description.before, description.after)) if description else ("", "")
    if name in names_in(after) and name not in names_in(before):
        yield PersonalNews(record.item_id, NewsReason.MENTION)
    for comment in comments:
        if name in names_in(comment.text):
            yield PersonalNews(record.item_id, NewsReason.MENTION, comment.id)
    is_given = record.kind is NewsKind.NEW and has.get("AssignedToID") == me.id
    if is_given or any(each.key == "AssignedToID" and each.after == me.id for each in fields):
        yield PersonalNews(record.item_id, NewsReason.ASSIGNMENT)


def _first_reason(personal: Iterable[PersonalNews]) -> NewsReason | None:
    reasons = {each.reason for each in personal}
    return next((each for each in NewsReason if each in reasons), None)


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
