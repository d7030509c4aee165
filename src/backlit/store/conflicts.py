"""What the service did not take, and how the user settles it: conflicts field by field, refusals with other values."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum
from functools import partial

import orjson

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Settable
from backlit.store.changes import Change, Subject
from backlit.store.checks import check, check_text
from backlit.store.edits import Edits, show
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.store.files import Files, Writer
from backlit.store.merge import merge
from backlit.store.rows import Document, fields_in, moment

UNSETTLED = frozenset({EntryState.CONFLICT, EntryState.REFUSED})
_SETTLED_ELSEWHERE = "It is settled already; what it was about may be seen in the outbox."


class Keep(Enum):
    """Whose value of a field is kept; the third way is another value."""

    MINE = "mine"
    THEIRS = "theirs"


@dataclass(frozen=True, slots=True)
class Contested:
    """One field: before the user's change, as the user wants it by now, and as the service has it."""

    key: str
    base: object
    mine: object
    theirs: object


@dataclass(frozen=True, slots=True)
class Case:
    """One entry to be settled, as it is shown to the user: in a conflict the fields that clash, else all it sets.

    `last_id` is the latest of the later edits of these fields; they wait behind the entry and are part of `mine`.
    """

    entry: OutboxEntry
    fields: tuple[Contested, ...]
    item_type: str
    last_id: int
    changed_by: str = ""
    changed_at: datetime | None = None


class Conflicts:
    """Reads cases and settles them; an attribute of the store."""

    def __init__(self, files: Files, edits: Edits) -> None:
        self._files = files
        self._edits = edits

    def case(self, entry_id: int) -> Case | None:
        """What there is to settle about an entry; None where there is nothing, and for comments."""
        entry = self._files.journal.entry(entry_id)
        if entry is None or entry.state not in UNSETTLED or entry.kind not in {EntryKind.EDIT, EntryKind.ADD}:
            return None
        found = self._files.mirror.execute(
            "SELECT coalesce(base, doc) FROM documents WHERE id = ?", (entry.item_id,)
        ).fetchone()
        received: Document = orjson.loads(found[0]) if found and entry.kind is EntryKind.EDIT else {}
        return _case(entry, received, self._files.journal.undelivered([entry.item_id]))

    def of_item(self, item_id: int) -> OutboxEntry | None:
        """The oldest entry of an item that waits to be settled, conflicts before refusals."""
        real_id = self._files.journal.real_id(item_id)
        found = [each for each in self._files.journal.undelivered([real_id]) if each.state in UNSETTLED]
        return min(found, key=lambda each: each.state is not EntryState.CONFLICT, default=None)

    async def settle(self, case: Case, decisions: Mapping[str, object]) -> None:
        """Decide every field of a case, each by a `Keep` or by another value, and have what is left sent.

        What the service had when the case was read becomes the base: a change made there since then is a conflict
        again. Where theirs is kept throughout, nothing is sent. Raises BadRequest, then nothing is changed.
        """
        undecided = [field.key for field in case.fields if field.key not in decisions]
        if undecided:
            raise BadRequest("Some fields are not decided yet.", dict.fromkeys(undecided, "It is not decided yet."))
        is_new = case.entry.kind is EntryKind.ADD
        for field in case.fields:
            known = FIELD_BY_KEY.get(field.key)
            if is_new and known is not None and known.required and decisions[field.key] is Keep.THEIRS:
                raise BadRequest(f"{known.label} is needed.", {field.key: f"{known.label} is needed."})
        edited = {key: value for key, value in decisions.items() if not isinstance(value, Keep)}
        settable = frozenset({Settable.ALWAYS, Settable.ON_CREATE} if is_new else {Settable.ALWAYS})
        values = check(case.item_type, edited, self._edits, settable)
        await self._files.write(partial(_settle, case=case, decisions={**decisions, **values}))
        self._edits.wake()

    async def rewrite(self, entry_id: int, text: str) -> None:
        """Send a refused comment again with another text; raises BadRequest where there is none, or nothing to send."""
        check_text(text)
        await self._files.write(partial(_rewrite, entry_id=entry_id, text=text))
        self._edits.wake()


def _case(entry: OutboxEntry, received: Document, undelivered: list[OutboxEntry]) -> Case:
    own = _fields(entry)
    theirs = {**entry.theirs, **fields_in(received)}
    keys = set(own)
    if entry.state is EntryState.CONFLICT:
        keys = {*entry.theirs, *merge(entry.base, own, theirs).conflicts} & keys
    later = [each for each in undelivered if _is_later(each, entry.id) and each.touched & keys]
    mine = dict(own)
    for each in later:
        mine |= {key: value for key, value in each.payload.items() if key in keys}
    return Case(
        entry=entry,
        fields=tuple(Contested(key, entry.base.get(key), mine[key], theirs.get(key)) for key in own if key in keys),
        item_type=str(received.get("type") or entry.payload.get("type") or ""),
        last_id=later[-1].id if later else entry.id,
        changed_by=str(received.get("lastModifiedBy") or ""),
        changed_at=moment(received.get("lastModifiedAt")),
    )


def _settle(writer: Writer, case: Case, decisions: Mapping[str, object]) -> None:
    entry = writer.journal.entry(case.entry.id)
    if entry is None or entry.state is not case.entry.state or entry.payload != case.entry.payload:
        raise BadRequest(_SETTLED_ELSEWHERE)
    keys = {field.key for field in case.fields}
    later = [
        each
        for each in writer.journal.undelivered([entry.item_id])
        if _is_later(each, entry.id) and each.touched & keys
    ]
    decided = {field.key: (field, decisions[field.key]) for field in case.fields}
    kept = {key: _value(*each) for key, each in decided.items() if each[1] is not Keep.THEIRS}
    base = {field.key: field.theirs for field in case.fields if field.key in kept}
    settled = [each for each in later if each.id <= case.last_id]
    if entry.kind is EntryKind.EDIT and (len(settled) == len(later) or not kept):
        _settle_as_step(writer, [entry, *settled], keys, replace(entry, payload=kept, base=base))
    else:
        rest = _without(replace(entry, payload=_fields(entry)), keys)
        again = _with(entry, {**rest.payload, **kept}, {**rest.base, **base} if entry.kind is EntryKind.EDIT else {})
        writer.journal.update_all([again, *(_without(each, keys) for each in settled)])
    _tell(writer, entry)


def _settle_as_step(writer: Writer, entries: Sequence[OutboxEntry], keys: set[str], decided: OutboxEntry) -> None:
    """Settle by an act that can be taken back: what was contested is given up, and what was decided is a new edit.

    What is given up is kept as entries of its own, as the rest of the entries that it was in goes on.
    """
    first, *later = entries
    given_up = [replace(_only(each, keys), state=EntryState.DISCARDED) for each in entries]
    fresh = replace(decided, state=EntryState.WAITING, reason="", attempts=0, known_id=None, theirs={})
    rest = _without(first, keys)
    with writer.journal.transaction():
        step = writer.journal.steps.begin()
        kept = writer.journal.add([*given_up, *([fresh] if fresh.payload else [])], step)
        for each, original in zip(kept, entries, strict=False):
            writer.journal.steps.stand_for(each.id, original.id, step)
        writer.journal.steps.withdraw([each.id for each in kept[: len(given_up)]], step)
        if rest.state is not EntryState.DISCARDED:
            rest = replace(rest, state=EntryState.WAITING, reason="", attempts=0, theirs={})
        writer.journal.update_all([rest, *(_without(each, keys) for each in later)])


def _rewrite(writer: Writer, entry_id: int, text: str) -> None:
    entry = writer.journal.entry(entry_id)
    if entry is None or entry.kind is not EntryKind.COMMENT or entry.state is not EntryState.REFUSED:
        raise BadRequest(_SETTLED_ELSEWHERE)
    again = replace(entry, payload={**entry.payload, "text": text}, state=EntryState.WAITING, reason="", attempts=0)
    writer.journal.update(again)
    _tell(writer, entry)
    writer.signal.publish(Change(Subject.COMMENTS, frozenset({entry.item_id})))


def _tell(writer: Writer, entry: OutboxEntry) -> None:
    show(writer, [entry.item_id])
    writer.signal.publish(Change(Subject.ITEMS, frozenset({entry.item_id}), frozenset({"sign"})))
    writer.signal.publish(Change(Subject.OUTBOX))


def _fields(entry: OutboxEntry) -> Mapping[str, object]:
    return fields_in(entry.payload) if entry.kind is EntryKind.ADD else entry.payload


def _is_later(other: OutboxEntry, entry_id: int) -> bool:
    return other.kind is EntryKind.EDIT and other.id > entry_id


def _value(field: Contested, decision: object) -> object:
    return field.mine if decision is Keep.MINE else decision


def _only(entry: OutboxEntry, keys: set[str]) -> OutboxEntry:
    """The part of an edit that concerns some fields."""
    payload = {key: value for key, value in entry.payload.items() if key in keys}
    return replace(entry, payload=payload, base={key: entry.base.get(key) for key in payload}, theirs={}, reason="")


def _with(entry: OutboxEntry, fields: Mapping[str, object], base: Mapping[str, object]) -> OutboxEntry:
    """The entry with what was decided, to be sent again; one that wants nothing any more is given up."""
    payload = {**entry.payload, "fields": fields} if entry.kind is EntryKind.ADD else fields
    state = EntryState.WAITING if fields else EntryState.DISCARDED
    return replace(entry, payload=payload, base=base, theirs={}, state=state, reason="", attempts=0)


def _without(entry: OutboxEntry, keys: set[str]) -> OutboxEntry:
    """A later edit without what was decided together with the one before it."""
    payload = {key: value for key, value in entry.payload.items() if key not in keys}
    base = {key: value for key, value in entry.base.items() if key not in keys}
    state = entry.state if payload else EntryState.DISCARDED
    return replace(entry, payload=payload, base=base, state=state)
