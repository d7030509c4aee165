"""The history of an item: its creation, comments and files, the user's own changes, and the last change by others."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from backlit.store.files.files import LocalDatabase
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import FieldNews, Item
from backlit.store.records.people import Person
from backlit.store.views.items import Attachments, Comments

JUST_SAVED = timedelta(minutes=2)
"""Time between an event and the server's last change within which they are taken for the same one."""


class EventKind(StrEnum):
    """The kind of event."""

    CREATED = "created"
    CHANGED = "changed"
    COMMENTED = "commented"
    ATTACHED = "attached"
    EDITED = "edited"
    """Changed on the server; the values before are not known."""


class ItemEvent(Struct, frozen=True):
    """An event in the life of an item. `at` is server time; `author` is empty for an unknown one.

    `fields` holds the values before and after of a change, `text` that of a comment, the name of a file, or the type of
    a new item. `state` is that of the user's own change.
    """

    id: int
    kind: EventKind
    at: datetime | None
    author: str
    fields: tuple[FieldNews, ...] = ()
    text: str = ""
    state: EntryState = EntryState.SENT


class ItemHistory:
    """Events of items, as far as this machine knows them: the service has no audit log of items."""

    def __init__(
        self, files: LocalDatabase, me: Callable[[], Person | None], server_time: Callable[[datetime], datetime]
    ) -> None:
        self._files = files
        self._me = me
        self._server_time = server_time

    def of_item(self, item: Item) -> list[ItemEvent]:
        own = list(self._own(item.id))
        found = [*self._service_events(item), *own]
        at, by = item.last_modified_at, item.last_modified_by
        is_told = any(each.author == by for each in own)  # a change is sent later than it was made
        if at is not None and not is_told and all(abs(each.at - at) > JUST_SAVED for each in found if each.at):
            found.append(ItemEvent(0, EventKind.EDITED, at, by))
        known = sorted(found, key=lambda each: (each.at is None, str(each.at)), reverse=True)
        joined = [_joined(list(events)) for _, events in groupby(known, _minute_of)]
        return [replace(each, id=number) for number, each in enumerate(joined, 1)]

    def _service_events(self, item: Item) -> Iterator[ItemEvent]:
        yield ItemEvent(0, EventKind.CREATED, item.created_at, item.created_by, text=item.type)
        for comment in Comments(self._files).of_item(item.id):
            state = EntryState.WAITING if comment.pending else EntryState.SENT
            yield ItemEvent(0, EventKind.COMMENTED, comment.created_at, comment.author, text=comment.text, state=state)
        for file in Attachments(self._files).of_item(item.id):
            yield ItemEvent(0, EventKind.ATTACHED, file.created_at, file.author, text=file.name)

    def _own(self, item_id: int) -> Iterator[ItemEvent]:
        me = self._me()
        author = me.username if me else ""
        real_id = self._files.journal.real_id(item_id)
        where = "item_id = ? AND kind = ? AND state <> ?"
        values = (real_id, EntryKind.EDIT.value, EntryState.DISCARDED.value)
        for entry in self._files.journal.entries.select(where, values):
            at = self._server_time(datetime.fromtimestamp(entry.created_at, UTC))
            yield ItemEvent(0, EventKind.CHANGED, at, author, fields=_fields(entry), state=entry.state)


def _minute_of(event: ItemEvent) -> object:
    """Return a key that files of one author and minute share; other events have their own."""
    if event.kind is not EventKind.ATTACHED or event.at is None:
        return id(event)
    return event.author, event.at.replace(second=0, microsecond=0)


def _joined(events: list[ItemEvent]) -> ItemEvent:
    return replace(events[0], text=", ".join(each.text for each in events)) if len(events) > 1 else events[0]


def _fields(entry: OutboxEntry) -> tuple[FieldNews, ...]:
    return tuple(FieldNews(key, entry.base.get(key), value) for key, value in entry.payload.items())
