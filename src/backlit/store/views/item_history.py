"""The history of an item: the changes that the service recorded; without them, what this machine knows of it."""

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.resources import CriterionStatus
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.item_changes import ItemChangeTable
from backlit.store.records.entry import UNDELIVERED, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import FieldNews, Item
from backlit.store.records.item_changes import RENUMBERED, HistoryRecord, KeptHistory
from backlit.store.records.merge import is_long
from backlit.store.remote.capabilities import HISTORY
from backlit.store.views.items import Attachments, Comments
from backlit.store.views.lookups import Lookups

JUST_SAVED = timedelta(minutes=2)
"""Time between an event and the server's last change within which they are taken for the same one."""
ONE_SITTING = timedelta(minutes=10)
"""Time within which changes of one person to the same short fields are told as one."""
RANK = "BacklogPriority"
_NAME_KEYS = {"file": "name", "criterion": "title"}
"""The key of the name of an object below an item, by its kind."""
_ObjectNames = Mapping[tuple[str, int], str]
"""The latest known names of objects below an item, by kind and id."""


class EventKind(StrEnum):
    """The kind of event."""

    CREATED = "created"
    CHANGED = "changed"
    COMMENTED = "commented"
    ATTACHED = "attached"
    ADDED = "added"
    REMOVED = "deleted"
    MOVED = "moved"
    """Moved in the backlog's order."""
    EDITED = "edited"
    """Changed on the server; the values before are not known."""


class ItemEvent(Struct, frozen=True):
    """An event in the life of an item. `at` is server time; `author` is empty for an unknown one.

    `fields` holds the values before and after of a change, `text` that of a comment, the names and descriptions of
    files, or the type of a new item; `files` are the names alone. `state` is that of the user's own change. `cause` is
    the service's word for why, empty for an ordinary change; `made_at` is when the author's program says that it was
    made. `steps` are the changes of one that was folded, the latest first.
    """

    id: int
    kind: EventKind
    at: datetime | None
    author: str
    fields: tuple[FieldNews, ...] = ()
    text: str = ""
    files: tuple[str, ...] = ()
    state: EntryState = EntryState.SENT
    cause: str = ""
    made_at: datetime | None = None
    steps: "tuple[ItemEvent, ...]" = ()


class HistorySource(Struct, frozen=True):
    """Where the events of an item come from, and how far they reach.

    `is_offered` says that the service keeps a history, `is_recorded` that the events are of it. Older ones are still on
    the service where there `has_more`. A history that is not complete begins with the change of `begins_at`, None where
    there was none yet. `read_at` is this machine's time.
    """

    is_offered: bool
    is_recorded: bool = False
    has_more: bool = False
    is_complete: bool = False
    begins_at: datetime | None = None
    read_at: float | None = None


class ItemHistory:
    """Events of items. `read` asks the service for the newest recorded changes, or for the ones before."""

    def __init__(
        self,
        files: LocalDatabase,
        lookups: Lookups,
        server_time: Callable[[datetime], datetime],
        read: Callable[[int, bool], Awaitable[None]],
    ) -> None:
        self._files = files
        self._lookups = lookups
        self._server_time = server_time
        self._read = read

    @property
    def is_offered(self) -> bool:
        return self._lookups.announces(HISTORY)

    async def read(self, item_id: int, *, is_older: bool = False) -> None:
        """Read an item's recorded changes, if the service keeps any. Raises the error that prevents it."""
        real_id = self._files.journal.real_id(item_id)
        if self.is_offered and real_id > 0:
            await self._read(real_id, is_older)

    def source(self, item_id: int) -> HistorySource:
        kept = self._kept(item_id)
        if kept is None:
            return HistorySource(self.is_offered)
        has_more = kept.next is not None
        return HistorySource(
            is_offered=True,
            is_recorded=True,
            has_more=has_more,
            is_complete=kept.is_complete,
            begins_at=None if has_more or kept.is_complete else kept.oldest_at,
            read_at=kept.read_at,
        )

    def of_item(self, item: Item, key: str = "") -> list[ItemEvent]:
        """Return the events of an item, the latest first; `key` keeps to the changes of a field."""
        kept = self._kept(item.id)
        if kept is not None:
            return list(self._recorded(item, kept, key))
        own = list(self._own(item.id))
        found = [*self._service_events(item), *own]
        at, by = item.last_modified_at, item.last_modified_by
        is_told = any(each.author == by for each in own)  # a change is sent later than it was made
        if at is not None and not is_told and all(abs(each.at - at) > JUST_SAVED for each in found if each.at):
            found.append(ItemEvent(0, EventKind.EDITED, at, by))
        known = sorted(found, key=lambda each: (each.at is None, str(each.at)), reverse=True)
        joined = [_joined(list(events)) for _, events in groupby(known, _minute_of)]
        told = [event for each in joined if (event := _about(each, key)) is not None]
        return [replace(each, id=number) for number, each in enumerate(told, 1)]

    def _kept(self, item_id: int) -> KeptHistory | None:
        real_id = self._files.journal.real_id(item_id)
        return ItemChangeTable(self._files.mirror).of_item(real_id) if self.is_offered else None

    def _recorded(self, item: Item, kept: KeptHistory, key: str) -> Iterator[ItemEvent]:
        later = self._later(item.id, datetime.fromtimestamp(kept.read_at, UTC))
        unsent = [replace(each, id=-number) for number, each in enumerate(later, 1)]
        names = {
            (each.kind, each.object_id): name
            for each in reversed(kept.changes)
            if each.kind in _NAME_KEYS and (name := each.text(_NAME_KEYS[each.kind]))
        }
        changes = described([change for change in kept.changes if change.cause != RENUMBERED])
        told = [event_of(change, item.type, names) for change in changes]
        narrowed = (_about(each, key) for each in (*unsent, *told))
        yield from folded(each for each in narrowed if each is not None)
        if kept.next is None and not kept.is_complete and not key:
            yield ItemEvent(0, EventKind.CREATED, item.created_at, item.created_by, text=item.type)

    def _later(self, item_id: int, read_at: datetime) -> Iterator[ItemEvent]:
        """Yield what is still on this machine, and what was changed here since the history was read."""
        for comment in reversed(Comments(self._files).of_item(item_id)):
            if comment.pending:
                state = EntryState.WAITING
                yield ItemEvent(0, EventKind.COMMENTED, None, comment.author, text=comment.text, state=state)
        since = self._server_time(read_at)
        own = [each for each in self._own(item_id) if each.state in UNDELIVERED or (each.at and each.at > since)]
        yield from reversed(own)

    def _service_events(self, item: Item) -> Iterator[ItemEvent]:
        yield ItemEvent(0, EventKind.CREATED, item.created_at, item.created_by, text=item.type)
        for comment in Comments(self._files).of_item(item.id):
            state = EntryState.WAITING if comment.pending else EntryState.SENT
            yield ItemEvent(0, EventKind.COMMENTED, comment.created_at, comment.author, text=comment.text, state=state)
        for file in Attachments(self._files).of_item(item.id):
            yield ItemEvent(0, EventKind.ATTACHED, file.created_at, file.author, text=file.name, files=(file.name,))

    def _own(self, item_id: int) -> Iterator[ItemEvent]:
        me = self._lookups.me()
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


def _about(event: ItemEvent, key: str) -> ItemEvent | None:
    """Return an event as far as it is about a field; all of it without one, None where it is about others."""
    if not key:
        return event
    fields = tuple(each for each in event.fields if each.key == key)
    return replace(event, fields=fields) if fields else None


def event_of(change: HistoryRecord, item_type: str, names: _ObjectNames) -> ItemEvent:
    """Return a recorded change as an event of an item of a type."""
    event = ItemEvent(
        change.revision, EventKind.CHANGED, change.at, change.author, cause=change.cause, made_at=change.made_at
    )
    fields = tuple(FieldNews(key, before, after) for key, (before, after) in change.fields.items() if key != RANK)
    match change.kind, change.act:
        case "item", "created":
            return replace(event, kind=EventKind.CREATED, text=item_type, fields=fields)
        case "item", "changed" if not fields:
            return replace(event, kind=EventKind.MOVED, text="in the order")
        case "item", "changed":
            return replace(event, fields=fields)
        case "comment", "created":
            return replace(event, kind=EventKind.COMMENTED, text=change.text("description"))
        case "file", "created":
            words = f" “{change.text('description')}”" if change.text("description") else ""
            name = change.text("name")
            return replace(event, kind=EventKind.ATTACHED, text=f"{name}{words}", files=(name,))
        case "file", "changed" if "description" in change.fields:
            return replace(event, text=_description_words(change, names))
        case "comment" | "file" | "item", "removed":
            return replace(event, kind=EventKind.REMOVED, text=_removed_words(change))
        case kind, act if kind in _OBJECT_WORDS:
            noun, name_of = _OBJECT_WORDS[kind]
            told = _KIND_OF_ACT.get(act, EventKind.CHANGED)
            return replace(event, kind=told, text=f"{noun} {name_of(change, names)}".strip())
        case kind, act:
            # A kind that this program does not know yet has words of its own only.
            return replace(event, text=f"{kind} {act}")


def _related(change: HistoryRecord, _: _ObjectNames) -> str:
    """Return both ends of a relation; nothing where the history names none, as of one to another project."""
    ends = change.text("workItemId"), change.text("targetId")
    return f"#{ends[0]} {change.text('type')} #{ends[1]}" if all(ends) else ""


def _linked(change: HistoryRecord, _: _ObjectNames) -> str:
    return f"“{change.text('displayText')}”" if change.text("displayText") else ""


def _criterion(change: HistoryRecord, names: _ObjectNames) -> str:
    """Return the title of a criterion, where it is known, and the status that a change gave it."""
    title, status = names.get((change.kind, change.object_id)), change.text("status")
    outcome = f"→ {CriterionStatus.words_of(status)}" if change.act == "changed" and status else ""
    return f"“{title}” {outcome}".strip() if title else outcome


def _worked(change: HistoryRecord, _: _ObjectNames) -> str:
    return f"{change.text('hours')} h" if change.text("hours") else ""


_OBJECT_WORDS: Mapping[str, tuple[str, Callable[[HistoryRecord, _ObjectNames], str]]] = {
    "relation": ("a relation", _related),
    "link": ("a link", _linked),
    "criterion": ("a criterion", _criterion),
    "timeEntry": ("a time entry", _worked),
}
"""Objects below items: what people call one, and how its change names it."""
_KIND_OF_ACT = {"created": EventKind.ADDED, "removed": EventKind.REMOVED}


def described(changes: Sequence[HistoryRecord]) -> Sequence[HistoryRecord]:
    """Return changes, the latest first, without the descriptions that came with files: those stand with the file."""
    files = {each.object_id: each for each in changes if (each.kind, each.act) == ("file", "created")}

    def comes_with_file(change: HistoryRecord) -> bool:
        file = files.get(change.object_id)
        if (change.kind, change.act) != ("file", "changed") or set(change.fields) != {"description"} or file is None:
            return False
        is_close = change.at is not None and file.at is not None and change.at - file.at <= ONE_SITTING
        return is_close and change.author == file.author

    told = {each.object_id: each.fields for each in reversed(changes) if comes_with_file(each)}
    return [
        replace(each, fields={**each.fields, **told.get(each.object_id, {})})
        if each is files.get(each.object_id)
        else each
        for each in changes
        if not comes_with_file(each)
    ]


def _description_words(change: HistoryRecord, names: _ObjectNames) -> str:
    """Return words for the one value of a file that can be changed."""
    name = names.get((change.kind, change.object_id), "a file")
    what, (_, text) = f"the description of {name}", change.fields["description"]
    return f"{what}: “{text}”" if text else f"{what}, now empty"


def _removed_words(change: HistoryRecord) -> str:
    match change.kind:
        case "comment":
            return f"the comment “{change.text('description')}”"
        case "file":
            return f"the file {change.text('name')}"
        case noun:
            return f"the {noun}"


def folded(events: Iterable[ItemEvent]) -> Iterator[ItemEvent]:
    """Fold equal neighbours: what one person did to the same short fields in one sitting, the latest event first."""
    latest: ItemEvent | None = None
    for event in events:
        if latest is None:
            latest = event
        elif _is_alike(latest, event):
            latest = _together(latest, event)
        else:
            yield latest
            latest = event
    if latest is not None:
        yield latest


def _is_alike(later: ItemEvent, earlier: ItemEvent) -> bool:
    first = later.steps[-1] if later.steps else later
    if (later.kind, later.author, later.cause, later.state) != (
        earlier.kind,
        earlier.author,
        earlier.cause,
        earlier.state,
    ) or later.kind not in {EventKind.CHANGED, EventKind.MOVED, EventKind.ATTACHED}:
        return False
    if first.at is None or earlier.at is None or first.at - earlier.at > ONE_SITTING:
        return False
    if {each.key for each in first.fields} != {each.key for each in earlier.fields}:
        return False
    if later.kind is EventKind.CHANGED and not later.fields:
        return later.text == earlier.text  # words alone tell what was changed
    if _ends_where_it_began(later, earlier):
        return False
    return not any(is_long(each.key, each.before, each.after) for each in (*first.fields, *earlier.fields))


def _ends_where_it_began(later: ItemEvent, earlier: ItemEvent) -> bool:
    """Return whether a field would be from a value to the same one, as after an undo."""
    before = {each.key: each.before for each in earlier.fields}
    return any(before[each.key] == each.after for each in later.fields)


def _together(later: ItemEvent, earlier: ItemEvent) -> ItemEvent:
    before = {each.key: each.before for each in earlier.fields}
    fields = tuple(replace(each, before=before[each.key]) for each in later.fields)
    steps = (*(later.steps or (later,)), earlier)
    text = ", ".join(each.text for each in steps) if later.kind is EventKind.ATTACHED else later.text
    return replace(later, fields=fields, text=text, files=(*later.files, *earlier.files), steps=steps)


def _joined(events: list[ItemEvent]) -> ItemEvent:
    files = tuple(name for each in events for name in each.files)
    return replace(events[0], text=", ".join(files), files=files) if files else events[0]


def _fields(entry: OutboxEntry) -> tuple[FieldNews, ...]:
    return tuple(FieldNews(key, entry.base.get(key), value) for key, value in entry.payload.items())
