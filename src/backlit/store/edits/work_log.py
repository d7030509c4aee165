"""Logged work: a time entry, or where the service has none two fields and a comment."""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import date

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import hours_text
from backlit.model.errors import BadRequest
from backlit.model.field_values import Misfit, parse_hours
from backlit.model.fields import ItemType
from backlit.store.edits.items import announce_objects, edit_entry, present, update_overlay
from backlit.store.edits.timer import end_timer
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import EntryKind, OutboxEntry, new_comment, new_entry
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.merge import is_same
from backlit.store.records.object_kinds import TIME_ENTRIES
from backlit.store.records.work import COMPLETED, LEFT_KEY, REMAINING, number_in, remaining_after, work_after
from backlit.store.views.lookups import Lookups

MARK = "[time]"
"""The start of a comment that records logged work."""
_LAST_TYPE = "time entry type"


class LoggedWork(Struct, frozen=True):
    """Logged hours on a task. `remaining` is the work left after them, None to subtract them from the old value.

    `day` is that of the work, None for the day of the log.
    """

    hours: float
    entry_type: str = ""
    note: str = ""
    remaining: float | None = None
    day: date | None = None

    @property
    def comment(self) -> str:
        """The comment that records the hours: `[time] 2.5h Development on 2026-03-01: a note`."""
        day = f"on {self.day.isoformat()}" if self.day is not None else ""
        head = " ".join(part for part in (MARK, f"{hours_text(self.hours)}h", self.entry_type, day) if part)
        note = self.note.strip()
        return f"{head}: {note}" if note else head

    def changes(self, fields: Mapping[str, object]) -> dict[str, object]:
        return work_after(fields, self.hours, self.remaining)


def type_named(types: Sequence[str], typed: str) -> str:
    """Return the time entry type that a typed prefix names.

    An empty text returns an empty text. Raises BadRequest for an unknown or ambiguous prefix.
    """
    fitting = [each for each in types if each.casefold().startswith(typed.casefold())]
    exact = [each for each in fitting if each.casefold() == typed.casefold()]
    if not typed:
        return ""
    if len(exact or fitting) != 1:
        known = ", ".join(types) or "none, leave it empty"
        raise BadRequest(f"Type: choose one of {known}.")
    return (exact or fitting)[0]


class WorkLog:
    """Work logging on tasks."""

    def __init__(self, files: LocalDatabase, lookups: Lookups, today: Callable[[], date]) -> None:
        self._files = files
        self._lookups = lookups
        self._today = today

    @property
    def last_type(self) -> str:
        return self._files.journal.settings.value(_LAST_TYPE) or ""

    @property
    def has_entries(self) -> bool:
        """Whether the service has time entries, so that no comment stands for one."""
        return self._lookups.announces(TIME_ENTRIES.extension)

    @property
    def counts(self) -> bool:
        """Whether logged hours change the work fields of their task: the project may keep the two apart."""
        return not self.has_entries or self._lookups.works_from_time()

    async def log(self, task_id: int, work: LoggedWork, seen: Mapping[str, object] | None = None) -> None:
        """Make a time entry; without those, change both work fields and write the comment, as one step.

        Stops the task's timer. `seen` holds the remaining work that the user saw before typing another value: a newer
        value conflicts. Raises Forbidden for a reader, BadRequest for an item that is no task and for hours that are
        not positive, NotFound for an unknown item.
        """
        self._lookups.need_writer()
        if not (math.isfinite(work.hours) and work.hours > 0):
            raise BadRequest("Hours: enter more than 0.", {COMPLETED: "Enter more than 0."})
        if not self.has_entries:
            await self._files.edit(lambda writer: _log(writer, task_id, work, seen or {}))
            return
        try:
            parse_hours(work.hours)
        except Misfit as misfit:
            raise BadRequest(misfit.sentence_for_people("Hours")) from None
        types, me = self._lookups.time_entry_types(), self._lookups.me()
        if types and not work.entry_type:  # such a project takes no entry without one
            work = replace(work, entry_type=self.last_type if self.last_type in types else types[0])
        by = TimeOf(me.id if me else None, work.day or self._today(), counts=self.counts)
        await self._files.edit(lambda writer: _log_entry(writer, task_id, work, by))


class TimeOf(Struct, frozen=True):
    """Whose time an entry is, of which day, and whether it counts in the work fields of its task."""

    user_id: int | None
    day: date
    counts: bool


def _log_entry(writer: WriteContext, task_id: int, work: LoggedWork, by: TimeOf) -> None:
    item_id, document = _task(writer, task_id)
    fields = fields_in(document)
    payload: dict[str, object] = {
        "userId": by.user_id,
        "date": f"{by.day.isoformat()}T00:00:00",
        "hours": work.hours,
        "type": work.entry_type or None,
        "note": work.note.strip() or None,
    }
    base, entries = dict[str, object](), list[OutboxEntry]()
    if by.counts:
        base = {key: fields.get(key) for key in (COMPLETED, REMAINING)}
        payload |= {} if work.remaining is None else {LEFT_KEY: work.remaining}
    elif work.remaining is not None and not is_same(fields.get(REMAINING), work.remaining):
        entries.append(edit_entry(item_id, document, {REMAINING: work.remaining}))
    entries.insert(0, new_entry(EntryKind.LOG_TIME, id_in(document, "projectId"), payload, item_id, base))
    _write(writer, item_id, work, entries)


def _log(writer: WriteContext, task_id: int, work: LoggedWork, seen: Mapping[str, object]) -> None:
    item_id, document = _task(writer, task_id)
    fields = fields_in(document)
    wanted = work.changes(fields)
    changed = {key: value for key, value in wanted.items() if not is_same(fields.get(key), value)}
    project_id = id_in(document, "projectId")
    given = {key: seen[key] for key in changed if key in seen and work.remaining is not None}
    entries = [
        edit_entry(item_id, document, changed, given),
        new_comment(project_id, item_id, work.comment),
    ]
    _write(writer, item_id, work, entries)


def _write(writer: WriteContext, item_id: int, work: LoggedWork, entries: Sequence[OutboxEntry]) -> None:
    with writer.journal.transaction():
        end_timer(writer.journal, item_id)
        written = writer.journal.add(entries)
        writer.journal.settings.keep(_LAST_TYPE, work.entry_type)
    update_overlay(writer, [item_id])
    announce_objects(writer, written)
    writer.signal.publish(StoreChange(Subject.TIMER))


def _task(writer: WriteContext, task_id: int) -> tuple[int, Document]:
    item_id, document = present(writer, task_id)
    if document.get("type") != ItemType.TASK:
        raise BadRequest("Work can only be logged on tasks.")
    return item_id, document


def add_up(writer: WriteContext, entry: OutboxEntry, theirs: Mapping[str, object]) -> OutboxEntry:
    """Add logged hours to the hours that another user logged in the meantime.

    Without it, two equal sums would merge into one and hours would be lost. Applies only to an entry that was never
    sent, because the hours of any other may already be counted. A typed remaining value is left to the merge.
    """
    touched = [key for key in (COMPLETED, REMAINING) if key in entry.payload]
    is_known = all(is_same(entry.base.get(key), theirs.get(key)) for key in touched)
    if is_known or COMPLETED not in touched or not _is_log(writer, entry):
        return entry
    hours = number_in(entry.payload, COMPLETED) - number_in(entry.base, COMPLETED)
    wanted: dict[str, object] = {COMPLETED: work_after(theirs, hours)[COMPLETED]}
    if REMAINING in touched and is_same(entry.payload[REMAINING], remaining_after(entry.base, hours)):
        wanted[REMAINING] = remaining_after(theirs, hours)
    base = {**entry.base, **{key: theirs.get(key) for key in wanted}}
    payload = {**entry.payload, **wanted}
    writer.journal.update(replace(writer.journal.entries.find(entry.id) or entry, payload=payload, base=base))
    update_overlay(writer, [entry.item_id])
    return replace(entry, payload=payload, base=base)


def _is_log(writer: WriteContext, entry: OutboxEntry) -> bool:
    """Report whether an edit logs work: its step also holds the comment."""
    texts = [
        each.payload.get("text")
        for each in writer.journal.entries.of_step(entry.step)
        if each.kind is EntryKind.COMMENT
    ]
    return any(str(text).startswith(MARK) for text in texts)
