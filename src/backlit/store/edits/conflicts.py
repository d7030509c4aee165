"""Conflicts, resolved field by field, and rejected changes, resolved with new values."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import Enum
from functools import partial

import orjson
from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.edits.checks import ON_ADD, ON_EDIT, check, check_text
from backlit.store.edits.items import announce_objects, discard, show_without, update_overlay, with_dependents
from backlit.store.edits.nodes import show_trees
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import DELETES, NEED_ITEM, ON_NODES, EntryKind, EntryState, OutboxEntry
from backlit.store.records.item import Document, fields_in, moment
from backlit.store.records.merge import merge
from backlit.store.views.lookups import Lookups

UNRESOLVED = frozenset({EntryState.CONFLICT, EntryState.REFUSED})
_RESOLVED_ELSEWHERE = "This change is already resolved. See the outbox for its state."


class KeptSide(Enum):
    """The side whose value of a field is kept. A value that is neither side's needs no member."""

    MINE = "mine"
    THEIRS = "theirs"


class ContestedField(Struct, frozen=True):
    """A field in conflict: its value before the user's change, the user's value and the service's value."""

    key: str
    base: object
    mine: object
    theirs: object


class ConflictCase(Struct, frozen=True):
    """An entry to resolve. A conflict lists the clashing fields, a rejection lists all fields the entry sets.

    `last_id` is the latest of the later edits of these fields. Those edits wait behind the entry and are part of
    `mine`.
    """

    entry: OutboxEntry
    fields: tuple[ContestedField, ...]
    item_type: str
    last_id: int
    changed_by: str = ""
    changed_at: datetime | None = None


class Conflicts:
    """Access to cases and their resolution."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    def case(self, entry_id: int) -> ConflictCase | None:
        """Return the case of an entry. Comments, and entries that need no decision, return None."""
        entry = self._files.journal.entries.find(entry_id)
        if entry is None or entry.state not in UNRESOLVED or entry.kind not in {EntryKind.EDIT, EntryKind.ADD}:
            return None
        found = self._files.mirror.execute(
            "SELECT coalesce(base, doc) FROM documents WHERE id = ?", (entry.item_id,)
        ).fetchone()
        received: Document = orjson.loads(found[0]) if found and entry.kind is EntryKind.EDIT else {}
        return _case(entry, received, self._files.journal.entries.undelivered([entry.item_id]))

    def of_item(self, item_id: int) -> OutboxEntry | None:
        """Return the item's oldest unresolved entry, conflicts before rejections."""
        real_id = self._files.journal.real_id(item_id)
        found = [each for each in self._files.journal.entries.undelivered([real_id]) if each.state in UNRESOLVED]
        return min(found, key=lambda each: each.state is not EntryState.CONFLICT, default=None)

    def is_gone(self, entry: OutboxEntry) -> bool:
        """Report whether an entry was rejected because others deleted its item."""
        is_rejected = entry.kind in NEED_ITEM and entry.state is EntryState.REFUSED
        return is_rejected and self._files.journal.trash.of_gone_item(entry.item_id) is not None

    async def resolve(self, case: ConflictCase, decisions: Mapping[str, object]) -> None:
        """Resolve every field of a case by a `KeptSide` or a new value, and queue the result.

        The service's values at the time of the case become the base, so a later change on the service conflicts
        again. Nothing is sent if every decision keeps the service's value. Raises BadRequest, and then changes
        nothing.
        """
        undecided = [field.key for field in case.fields if field.key not in decisions]
        if undecided:
            raise BadRequest("Resolve every field first.", dict.fromkeys(undecided, "Not resolved yet."))
        is_new = case.entry.kind is EntryKind.ADD
        for field in case.fields:
            known = FIELD_BY_KEY.get(field.key)
            if is_new and known is not None and known.required and decisions[field.key] is KeptSide.THEIRS:
                raise BadRequest(f"{known.label} is required.", {field.key: f"{known.label} is required."})
        edited = {key: value for key, value in decisions.items() if not isinstance(value, KeptSide)}
        values = check(case.item_type, edited, self._lookups, ON_ADD if is_new else ON_EDIT)
        await self._files.edit(partial(_resolve, case=case, decisions={**decisions, **values}))

    async def rewrite(self, entry_id: int, text: str) -> None:
        """Queue a rejected comment again with a new text.

        Raises BadRequest for an empty text or an entry of another kind.
        """
        check_text(text, self._lookups.limits())
        await self._files.edit(partial(_rewrite, entry_id=entry_id, text=text))

    async def retry(self, entry_id: int) -> None:
        """Queue a rejected or conflicting entry again. A conflict is resolved in favour of the user's values."""
        await self._files.edit(lambda writer: _retry(writer, entry_id))

    async def discard(self, entry_id: int) -> None:
        """Discard an entry, and with a new item every entry that depends on it. The act can be undone.

        A deletion that may have reached the service is looked up, and the deleted object is restored. Raises
        BadRequest while the entry is being sent, because it may already have taken effect.
        """
        await self._files.edit(lambda writer: _discard(writer, entry_id))


def _case(entry: OutboxEntry, received: Document, undelivered: list[OutboxEntry]) -> ConflictCase:
    own = entry.fields
    theirs = {**entry.theirs, **fields_in(received)}
    keys = set(own)
    if entry.state is EntryState.CONFLICT:
        keys = {*entry.theirs, *merge(entry.base, own, theirs).conflicts} & keys
    later = _later(undelivered, entry.id, keys)
    mine = dict(own)
    for each in later:
        mine |= each.payload
    return ConflictCase(
        entry=entry,
        fields=tuple(
            ContestedField(key, entry.base.get(key), mine[key], theirs.get(key)) for key in own if key in keys
        ),
        item_type=str(received.get("type") or entry.payload.get("type") or ""),
        last_id=later[-1].id if later else entry.id,
        changed_by=str(received.get("lastModifiedBy") or ""),
        changed_at=moment(received.get("lastModifiedAt")),
    )


def _resolve(writer: WriteContext, case: ConflictCase, decisions: Mapping[str, object]) -> None:
    entry = writer.journal.entries.find(case.entry.id)
    if entry is None or entry.state is not case.entry.state or entry.payload != case.entry.payload:
        raise BadRequest(_RESOLVED_ELSEWHERE)
    keys = {field.key for field in case.fields}
    later = _later(writer.journal.entries.undelivered([entry.item_id]), entry.id, keys)
    decided = {field.key: (field, decisions[field.key]) for field in case.fields}
    kept = {key: _value(*each) for key, each in decided.items() if each[1] is not KeptSide.THEIRS}
    base = {field.key: field.theirs for field in case.fields if field.key in kept}
    resolved = [each for each in later if each.id <= case.last_id]
    if entry.kind is EntryKind.EDIT and (len(resolved) == len(later) or not kept):
        _resolve_as_step(writer, [entry, *resolved], keys, replace(entry, payload=kept, base=base))
    else:
        rest = _without(replace(entry, payload=entry.fields), keys)
        again = _with(entry, {**rest.payload, **kept}, {**rest.base, **base} if entry.kind is EntryKind.EDIT else {})
        writer.journal.update_all([again, *(_without(each, keys) for each in resolved)])
    _tell(writer, entry)


def _resolve_as_step(
    writer: WriteContext, entries: Sequence[OutboxEntry], keys: set[str], decided: OutboxEntry
) -> None:
    """Resolve as one undoable act: discard the contested values and journal the decided ones as a new edit.

    The contested part becomes discarded entries of its own, because the rest of each entry is still sent.
    """
    first, *later = entries
    given_up = [replace(_only(each, keys), state=EntryState.DISCARDED) for each in entries]
    fresh = replace(decided, state=EntryState.WAITING, reason="", attempts=0, known_id=None, theirs={})
    rest = _without(first, keys)
    with writer.journal.transaction():
        step = writer.journal.undo_log.begin()
        kept = writer.journal.add([*given_up, *([fresh] if fresh.payload else [])], step)
        for each, original in zip(kept, entries, strict=False):
            writer.journal.undo_log.stand_for(each.id, original.id, step)
        writer.journal.undo_log.withdraw([each.id for each in kept[: len(given_up)]], step)
        if rest.state is not EntryState.DISCARDED:
            rest = replace(rest, state=EntryState.WAITING, reason="", attempts=0, theirs={})
        writer.journal.update_all([rest, *(_without(each, keys) for each in later)])


def _rewrite(writer: WriteContext, entry_id: int, text: str) -> None:
    entry = writer.journal.entries.find(entry_id)
    if entry is None or entry.kind is not EntryKind.COMMENT or entry.state is not EntryState.REFUSED:
        raise BadRequest(_RESOLVED_ELSEWHERE)
    again = replace(entry, payload={**entry.payload, "text": text}, state=EntryState.WAITING, reason="", attempts=0)
    writer.journal.update(again)
    _tell(writer, entry)
    announce_objects(writer, [entry])


def _retry(writer: WriteContext, entry_id: int) -> None:
    entry = writer.journal.entries.find(entry_id)
    if entry is None or entry.state not in UNRESOLVED:
        return
    base = {**entry.base, **entry.theirs}
    again = replace(entry, state=EntryState.WAITING, reason="", base=base, theirs={}, attempts=0)
    along = writer.journal.entries.along(entry)
    writer.journal.update_all([again, *(replace(each, state=EntryState.WAITING) for each in along)])
    update_overlay(writer, [entry.item_id, *(each.item_id for each in along)])
    if entry.kind in ON_NODES:
        show_trees(writer)
    writer.signal.publish(StoreChange(Subject.OUTBOX))


def _discard(writer: WriteContext, entry_id: int) -> None:
    entry = writer.journal.entries.find(entry_id)
    if entry is None or entry.state in {EntryState.SENT, EntryState.DISCARDED}:
        return
    discarded = with_dependents(writer, [entry])
    recalls = [each.recall() for each in discarded if each.kind in DELETES and each.may_have_been_sent]
    with writer.journal.transaction():
        discard(writer, discarded)
        step = writer.journal.undo_log.begin()
        writer.journal.undo_log.withdraw([each.id for each in discarded], step)
        writer.journal.add(recalls, step)
    show_without(writer, discarded)


def _tell(writer: WriteContext, entry: OutboxEntry) -> None:
    update_overlay(writer, [entry.item_id])
    writer.signal.publish(StoreChange(Subject.ITEMS, frozenset({entry.item_id}), frozenset({"sign"})))
    writer.signal.publish(StoreChange(Subject.OUTBOX))


def _later(undelivered: Sequence[OutboxEntry], entry_id: int, keys: set[str]) -> list[OutboxEntry]:
    return [each for each in undelivered if each.kind is EntryKind.EDIT and each.id > entry_id and each.touched & keys]


def _value(field: ContestedField, decision: object) -> object:
    return field.mine if decision is KeptSide.MINE else decision


def _only(entry: OutboxEntry, keys: set[str]) -> OutboxEntry:
    payload = {key: value for key, value in entry.payload.items() if key in keys}
    return replace(entry, payload=payload, base={key: entry.base.get(key) for key in payload}, theirs={}, reason="")


def _with(entry: OutboxEntry, fields: Mapping[str, object], base: Mapping[str, object]) -> OutboxEntry:
    """Return the entry with the decided fields, ready to send. An entry without changes is discarded."""
    payload = {**entry.payload, "fields": fields} if entry.kind is EntryKind.ADD else fields
    state = EntryState.WAITING if fields else EntryState.DISCARDED
    return replace(entry, payload=payload, base=base, theirs={}, state=state, reason="", attempts=0)


def _without(entry: OutboxEntry, keys: set[str]) -> OutboxEntry:
    payload = {key: value for key, value in entry.payload.items() if key not in keys}
    base = {key: value for key, value in entry.base.items() if key not in keys}
    state = entry.state if payload else EntryState.DISCARDED
    return replace(entry, payload=payload, base=base, state=state)
