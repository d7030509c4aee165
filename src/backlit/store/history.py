"""Undo and redo: they walk the journal, across restarts, one act at a time, and write like any other act."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from backlit.model.fields import ItemType
from backlit.store.changes import Change, Subject
from backlit.store.deletions import deletion_of, deletion_of_comment, journal_deletions, withdraw
from backlit.store.edits import edit_entry, show, take_out, with_followers
from backlit.store.entries import ON_COMMENTS, ON_NODES, EntryKind, EntryState, OutboxEntry, payload_of
from backlit.store.files import Files, Writer
from backlit.store.lookups import Lookups
from backlit.store.nodes import show_trees
from backlit.store.reordering import move_back
from backlit.store.restoring import restore
from backlit.store.reversals import (
    Delete,
    DeleteComment,
    FieldChange,
    Final,
    Missing,
    Move,
    Named,
    Reading,
    Rerank,
    Restore,
    Return,
    Told,
    Withdraw,
    Write,
    WriteComment,
    WriteNode,
)
from backlit.store.rows import Document, fields_in, whole
from backlit.store.steps import ActState

DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Reversal:
    """What undoing an act, or doing it again, writes."""

    act: int
    is_redo: bool
    changes: tuple[FieldChange, ...] = ()
    given_up: tuple[Named, ...] = ()
    """New items that were never sent."""
    deleted: tuple[Named, ...] = ()
    """Items that are deleted for good."""
    returned: tuple[Named, ...] = ()
    """Items that come back as they were, as nothing of it was sent."""
    made_again: tuple[Named, ...] = ()
    """Deleted items that are made anew, under new ids, with their tasks and comments."""
    comments_deleted: tuple[str, ...] = ()
    comments_written: tuple[str, ...] = ()
    moved: tuple[Named, ...] = ()
    """Items that go back to where they stood in the order."""
    nodes: tuple[OutboxEntry, ...] = ()
    """What is done to areas and iterations: entries to be given up, taken up again, or written."""
    final: tuple[OutboxEntry, ...] = ()
    """What the service did to areas and iterations that nothing brings back."""
    missing: tuple[int, ...] = ()
    """Items that are gone, so that nothing can be done to them."""
    item_ids: frozenset[int] = field(default=frozenset())
    """All that it does something to."""

    @property
    def is_grave(self) -> bool:
        """Whether the user is to agree to it first: many items, something for good, or over somebody's change."""
        is_contested = any(change.is_contested for change in self.changes)
        changed = self.item_ids - {each.id for each in self.moved}
        return len(changed) > 1 or bool(self.deleted or self.made_again) or is_contested

    @property
    def is_impossible(self) -> bool:
        """Whether all that it would be done to is gone."""
        return bool(self.missing or self.final) and not self.item_ids


class History:
    """What the user did, as far as it can be taken back, and what was taken back, as far as it can be done again."""

    def __init__(self, files: Files, lookups: Lookups, wake: Callable[[], None]) -> None:
        self._files = files
        self._lookups = lookups
        self._wake = wake

    async def to_undo(self) -> Reversal | None:
        """What `undo` would do; None where there is nothing to undo. Raises BadRequest as `undo` does."""
        return await self._ask(is_redo=False)

    async def to_redo(self) -> Reversal | None:
        """What `redo` would do; None where nothing was undone since the last act."""
        return await self._ask(is_redo=True)

    async def undo(self) -> Reversal | None:
        """Take the last act back; returns what was done, None where there is nothing to undo.

        What was sent is taken back by an act like any other, so what somebody changed since becomes a conflict. Where
        all items of the act are gone, nothing is done and the act is passed over from then on. Raises BadRequest while
        it is not clear whether the service has it.
        """
        return await self._do(is_redo=False)

    async def redo(self) -> Reversal | None:
        """Do again what was undone last; returns and raises as `undo` does."""
        return await self._do(is_redo=True)

    async def _ask(self, *, is_redo: bool) -> Reversal | None:
        soft = self._soft()

        def act(writer: Writer) -> Reversal | None:
            act, told = _next(writer, soft, is_redo=is_redo)
            return None if act is None else _described(writer, act, told, is_redo=is_redo)

        return await self._files.write(act)

    async def _do(self, *, is_redo: bool) -> Reversal | None:
        soft = self._soft()
        done = await self._files.write(lambda writer: _revert(writer, soft, is_redo=is_redo))
        self._wake()
        return done

    def _soft(self) -> dict[str, str | None]:
        """The status that stands for deleted, by type."""
        return {kind.value: deleted_status(self._lookups.statuses(kind)) for kind in ItemType}


def deleted_status(statuses: Iterable[str]) -> str | None:
    """The status that stands for deleted, among those of a type; None where there is none (FEATURES rule 27)."""
    return next((status for status in statuses if status.strip().casefold() == DELETED), None)


def _next(writer: Writer, soft: dict[str, str | None], *, is_redo: bool) -> tuple[int | None, list[Told]]:
    """The next act in line, and the moves; acts of which nothing is left are passed over."""
    steps = writer.journal.steps
    for act in list(steps.to_redo() if is_redo else steps.to_undo()):
        reading = Reading(writer, act, soft)
        if not reading.is_void:
            return act, list(reading.moves())
        steps.set_state(act, ActState.OVER)
    return None, []


def _described(writer: Writer, act: int, told: Sequence[Told], *, is_redo: bool) -> Reversal:
    moves = [move for move, _ in told]

    def named(wanted: Iterable[int]) -> tuple[Named, ...]:
        return tuple(_named(writer.mirror.effective(item_id) or {"id": item_id}) for item_id in wanted)

    unsent = [move.entry for move in moves if isinstance(move, Withdraw)]
    again = [move.entry for move in moves if isinstance(move, Return)]
    ranked = [each for move in moves if isinstance(move, Rerank) for each in move.entries]
    made_again = tuple(_named(move.copy.item) for move in moves if isinstance(move, Restore))
    back = [_of_entry(each) for each in again if each.kind is EntryKind.ADD]
    return Reversal(
        act=act,
        is_redo=is_redo,
        changes=tuple(change for _, changes in told for change in changes),
        given_up=named(each.item_id for each in unsent if each.kind is EntryKind.ADD),
        deleted=named(move.item_id for move in moves if isinstance(move, Delete)),
        returned=(*(_of_entry(each) for each in unsent if each.kind is EntryKind.DELETE), *back),
        made_again=made_again,
        comments_deleted=(
            *(str(each.payload["text"]) for each in unsent if each.kind is EntryKind.COMMENT),
            *(move.text for move in moves if isinstance(move, DeleteComment)),
        ),
        comments_written=(
            *(str(each.payload["text"]) for each in unsent if each.kind is EntryKind.DELETE_COMMENT),
            *(str(each.payload["text"]) for each in again if each.kind is EntryKind.COMMENT),
            *(move.text for move in moves if isinstance(move, WriteComment)),
        ),
        nodes=tuple(
            move.entry
            for move in moves
            if isinstance(move, Withdraw | Return | WriteNode) and move.entry.kind in ON_NODES
        ),
        final=tuple(move.entry for move in moves if isinstance(move, Final)),
        missing=tuple(move.item_id for move in moves if isinstance(move, Missing)),
        moved=named(each.item_id for each in ranked),
        item_ids=frozenset(
            {_item_id(move) for move in moves if not isinstance(move, Missing | Rerank | Final)}
            | {each.item_id for each in ranked}
        ),
    )


def _item_id(move: Withdraw | Return | Restore | Write | Delete | DeleteComment | WriteComment | WriteNode) -> int:
    match move:
        case Withdraw(entry) | Return(entry):
            return entry.item_id
        case Restore(copy):
            return copy.item_id
        case _:
            return move.item_id


def _named(document: Document) -> Named:
    name = str(fields_in(document).get("Name") or "")
    return Named(whole(document.get("id")) or 0, str(document.get("type") or ""), name)


def _of_entry(entry: OutboxEntry) -> Named:
    """What an entry that makes or deletes an item calls it."""
    fields = entry.payload.get("fields")
    name = fields.get("Name") if isinstance(fields, dict) else entry.payload.get("name")
    return Named(entry.item_id, str(entry.payload.get("type") or ""), str(name or ""))


def _revert(writer: Writer, soft: dict[str, str | None], *, is_redo: bool) -> Reversal | None:
    act, told = _next(writer, soft, is_redo=is_redo)
    if act is None:
        return None
    described = _described(writer, act, told, is_redo=is_redo)
    if described.is_impossible:
        writer.journal.steps.set_state(act, ActState.OVER)
        return described
    unsent = with_followers(writer, [move.entry for move, _ in told if isinstance(move, Withdraw)])
    with writer.journal.transaction():
        step = writer.journal.steps.go_on(act, ActState.DONE if is_redo else ActState.UNDONE)
        withdraw(writer, unsent, step)
        written = [entry for move, _ in told for entry in _carried_out(writer, move, step)]
    take_out(writer, unsent)
    show(writer, [entry.item_id for entry in written])
    commented = frozenset(entry.item_id for entry in written if entry.kind in ON_COMMENTS)
    if commented:
        writer.signal.publish(Change(Subject.COMMENTS, commented))
    if described.nodes:
        show_trees(writer)
    writer.signal.publish(Change(Subject.OUTBOX))
    return described


def _carried_out(writer: Writer, move: Move, step: int) -> Iterator[OutboxEntry]:
    """Journal a move; yields the entries that are to be laid over."""
    match move:
        case Write(item_id, payload, base):
            document = writer.mirror.effective(item_id) or {}
            yield from writer.journal.add([replace(edit_entry(item_id, document, payload), base=base)], step)
        case Return(entry):
            returned = replace(entry, state=EntryState.WAITING, item_id=writer.journal.renames.followed(entry.item_id))
            writer.journal.update(returned)
            yield returned
        case Rerank(entries):
            yield from move_back(writer, entries, step)
        case WriteNode(entry):
            yield from writer.journal.add([entry], step)
        case Delete(item_id):
            yield from journal_deletions(writer, [deletion_of(writer, item_id)], step)
        case Restore(copy):
            yield from restore(writer, copy, step)
        case DeleteComment(item_id, comment_id, text):
            project_id = (writer.mirror.effective(item_id) or {}).get("projectId")
            known = {"id": comment_id, "workItemId": item_id, "projectId": project_id, "description": text}
            comment = writer.mirror.comments.document(comment_id) or known  # a read from before it may have hidden it
            yield from writer.journal.add([deletion_of_comment(comment)], step)
        case WriteComment():
            yield from writer.journal.add([_comment(writer, move)], step)


def _comment(writer: Writer, move: WriteComment) -> OutboxEntry:
    project_id = whole((writer.mirror.effective(move.item_id) or {}).get("projectId")) or 0
    payload = payload_of(move.text, for_customers=move.for_customers)
    return OutboxEntry(0, time.time(), project_id, move.item_id, EntryKind.COMMENT, payload)
