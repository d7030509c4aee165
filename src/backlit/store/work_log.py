"""Work done on tasks: the interface has no time entries, so it is in two fields and a comment (FEATURES 58)."""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import ItemType
from backlit.model.hours import hours_text
from backlit.store.changes import Change, Subject
from backlit.store.edits import edit_entry, show
from backlit.store.entries import EntryKind, OutboxEntry, payload_of
from backlit.store.files import Files, Writer
from backlit.store.rows import Document, fields_in, whole
from backlit.store.timer import end_timer
from backlit.store.values import is_same

COMPLETED, REMAINING = "WorkCompleted", "WorkRemaining"
MARK = "[time]"
"""What the comment of logged work begins with."""
_LAST_TYPE = "time entry type"
_DIGITS = 6
"""Digits after the point that sums are kept to, so that tenths add up as people add them."""


@dataclass(frozen=True, slots=True)
class Work:
    """Hours of one kind of work on a task; `remaining` is what is left after them, None for what was left less them."""

    hours: float
    entry_type: str = ""
    note: str = ""
    remaining: float | None = None

    @property
    def comment(self) -> str:
        """The comment that stands for a time entry: `[time] 2.5h Development: what was done`."""
        head = " ".join(part for part in (MARK, f"{hours_text(self.hours)}h", self.entry_type) if part)
        note = self.note.strip()
        return f"{head}: {note}" if note else head

    def changes(self, fields: Mapping[str, object]) -> dict[str, object]:
        """What it makes of a task's fields."""
        left = remaining_after(fields, self.hours) if self.remaining is None else self.remaining
        return {
            "WorkCompleted": round(_number(fields.get("WorkCompleted")) + self.hours, _DIGITS),
            "WorkRemaining": left,
        }


def remaining_after(fields: Mapping[str, object], hours: float) -> float:
    """What is left of a task's work after some hours of it; nothing where that was none, or less than they are."""
    return max(0.0, round(_number(fields.get(REMAINING)) - hours, _DIGITS))


def type_named(types: Sequence[str], typed: str) -> str:
    """A type of a project's time entries by its beginning; nothing for nothing. BadRequest for none, or several."""
    fitting = [each for each in types if each.casefold().startswith(typed.casefold())]
    exact = [each for each in fitting if each.casefold() == typed.casefold()]
    if not typed:
        return ""
    if len(exact or fitting) != 1:
        known = ", ".join(types) or "none; leave it empty"
        raise BadRequest(f"Type: one of this project's, {known}.")
    return (exact or fitting)[0]


class WorkLog:
    """Books work on tasks."""

    def __init__(self, files: Files, wake: Callable[[], None]) -> None:
        self._files = files
        self._wake = wake

    @property
    def last_type(self) -> str:
        """The type of entry that was chosen last; empty where none was."""
        return self._files.journal.settings.value(_LAST_TYPE) or ""

    async def log(self, task_id: int, work: Work, seen: Mapping[str, object] | None = None) -> None:
        """Change both fields at once and write the comment, as one step; a timer on the task ends with it.

        `seen` holds what the remaining work was when somebody typed another: over a newer value that is a conflict.
        Raises BadRequest for an item that is no task, or hours that are none; NotFound where it is not there.
        """
        if not (math.isfinite(work.hours) and work.hours > 0):
            raise BadRequest("Hours: more than nothing.", {COMPLETED: "More than nothing."})
        await self._files.write(lambda writer: _log(writer, task_id, work, seen or {}))
        self._wake()


def _log(writer: Writer, task_id: int, work: Work, seen: Mapping[str, object]) -> None:
    item_id, document = _task(writer, task_id)
    fields = fields_in(document)
    wanted = work.changes(fields)
    changed = {key: value for key, value in wanted.items() if not is_same(fields.get(key), value)}
    project_id = whole(document.get("projectId")) or 0
    comment = payload_of(work.comment, for_customers=False)
    given = {key: seen[key] for key in changed if key in seen and work.remaining is not None}
    entries = [
        edit_entry(item_id, document, changed, given),
        OutboxEntry(0, time.time(), project_id, item_id, EntryKind.COMMENT, comment),
    ]
    with writer.journal.transaction():
        end_timer(writer.journal, item_id)
        writer.journal.add(entries)
        writer.journal.settings.keep(_LAST_TYPE, work.entry_type)
    show(writer, [item_id])
    writer.signal.publish(Change(Subject.COMMENTS, frozenset({item_id})))
    writer.signal.publish(Change(Subject.TIMER))


def _task(writer: Writer, task_id: int) -> tuple[int, Document]:
    item_id = writer.journal.real_id(task_id)
    document = writer.mirror.effective(item_id)
    if document is None:
        raise NotFound(f"Item {task_id} is no longer there.")
    if document.get("type") != ItemType.TASK:
        raise BadRequest("Work is logged on tasks.")
    return item_id, document


def add_up(writer: Writer, entry: OutboxEntry, theirs: Mapping[str, object]) -> OutboxEntry:
    """Have logged hours come on top of what somebody logged meanwhile; the same sum twice would else lose one of them.

    Only for an entry that was never sent: of one that may have been, nobody knows whose hours they are. What remains
    is left to the merge where it was typed.
    """
    touched = [key for key in (COMPLETED, REMAINING) if key in entry.payload]
    is_known = all(is_same(entry.base.get(key), theirs.get(key)) for key in touched)
    if is_known or COMPLETED not in touched or not _is_log(writer, entry):
        return entry
    hours = _number(entry.payload[COMPLETED]) - _number(entry.base.get(COMPLETED))
    wanted: dict[str, object] = {COMPLETED: _sum(theirs, hours)}
    if REMAINING in touched and is_same(entry.payload[REMAINING], remaining_after(entry.base, hours)):
        wanted[REMAINING] = remaining_after(theirs, hours)
    base = {**entry.base, **{key: theirs.get(key) for key in wanted}}
    payload = {**entry.payload, **wanted}
    writer.journal.update(replace(writer.journal.entry(entry.id) or entry, payload=payload, base=base))
    show(writer, [entry.item_id])
    return replace(entry, payload=payload, base=base)


def _is_log(writer: Writer, entry: OutboxEntry) -> bool:
    """Whether an edit was made by logging work: its step has the comment too."""
    texts = [each.payload.get("text") for each in writer.journal.of_step(entry.step) if each.kind is EntryKind.COMMENT]
    return any(str(text).startswith(MARK) for text in texts)


def _sum(fields: Mapping[str, object], hours: float) -> float:
    return round(_number(fields.get(COMPLETED)) + hours, _DIGITS)


def _number(value: object) -> float:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else 0.0
