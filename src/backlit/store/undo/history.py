"""Undo and redo: one act at a time, from the journal, across restarts. Each writes like any other act."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import ItemType
from backlit.model.trees import NO_TOTALS
from backlit.store.edits.deletions import copy_of_item, deleted_status, deletion_of, journal_deletions, withdraw
from backlit.store.edits.items import announce_objects, edit_entry, show_without, update_overlay, with_dependents
from backlit.store.edits.nodes import show_trees
from backlit.store.edits.rank_order import move_back
from backlit.store.edits.restored_items import restore
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.undo_log import ActState, ItemCopy
from backlit.store.object_changes.kinds import CHANGES, object_creation
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import (
    OBJECT_CREATIONS,
    OBJECT_DELETIONS,
    OBJECT_EDITS,
    ON_NODES,
    RECALLS,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.work import number_in
from backlit.store.undo.items import UndoPlan
from backlit.store.undo.nodes import opposite, restore_nodes, return_nodes
from backlit.store.undo.operations import (
    DeleteItemOperation,
    DeleteNodeOperation,
    DeleteObjectOperation,
    DiscardEntryOperation,
    EditItemOperation,
    EditNodeOperation,
    FieldChange,
    IrreversibleNodeChange,
    MissingItem,
    NamedItem,
    NamedObject,
    RecallDeletionOperation,
    RecreateItemOperation,
    RecreateNodesOperation,
    RecreateObjectOperation,
    RestoreEntryOperation,
    RestoreRanksOperation,
    TransformBackOperation,
    UndoEffect,
    UndoOperation,
    WritingOperation,
)
from backlit.store.views.lookups import Lookups


class Reversal(Struct, frozen=True):
    """The effects of an undo or redo."""

    act: int
    is_redo: bool
    changes: tuple[FieldChange, ...] = ()
    given_up: tuple[NamedItem, ...] = ()
    """New items that were never sent and are discarded."""
    deleted: tuple[NamedItem, ...] = ()
    """Items to delete permanently."""
    returned: tuple[NamedItem, ...] = ()
    """Items that return unchanged, because their deletion was never sent."""
    made_again: tuple[NamedItem, ...] = ()
    """Deleted items that are created again under new ids, with their tasks and comments."""
    new_ids: tuple[int, ...] = ()
    """The temporary ids of `made_again`, once they are created."""
    objects_deleted: tuple[NamedObject, ...] = ()
    objects_made_again: tuple[NamedObject, ...] = ()
    moved: tuple[NamedItem, ...] = ()
    """Items that return to their former position."""
    nodes: tuple[OutboxEntry, ...] = ()
    """Changes of areas and iterations: entries to discard, to restore or to write; an edit has what it leads to."""
    nodes_deleted: tuple[DeleteNodeOperation, ...] = ()
    """Areas and iterations to delete on the service, which has them or may have them."""
    nodes_made: tuple[RecreateNodesOperation, ...] = ()
    """Deleted areas and iterations that are created again under new ids, with their subtrees."""
    recalled: tuple[OutboxEntry, ...] = ()
    """Deletions of unclear outcome. Each is looked up, and a deleted object is restored."""
    final: tuple[IrreversibleNodeChange, ...] = ()
    """Changes of areas and iterations that cannot be undone, with the reason."""
    missing: tuple[int, ...] = ()
    """Deleted items, which cannot be changed any more."""
    item_ids: frozenset[int] = field(default=frozenset())
    """All affected items."""

    @property
    def is_grave(self) -> bool:
        """True if the user has to confirm: many items, a permanent change, or another user's change."""
        is_contested = any(change.is_contested for change in self.changes)
        changed = self.item_ids - {each.id for each in self.moved}
        is_felt = len(self.nodes_deleted) > 1 or any(
            each.moved != NO_TOTALS or each.is_changed for each in self.nodes_deleted
        )
        return len(changed) > 1 or bool(self.deleted or self.made_again) or is_contested or is_felt

    @property
    def is_impossible(self) -> bool:
        return bool(self.missing or self.final) and not self.item_ids


class UndoHistory:
    """The undoable and redoable acts."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def to_undo(self) -> Reversal | None:
        return await self._ask(is_redo=False)

    async def to_redo(self) -> Reversal | None:
        return await self._ask(is_redo=True)

    async def acts(self, limit: int, *, is_redo: bool = False) -> list[int]:
        """Return the steps of the next acts that can be undone or made again, the next one first."""
        soft = self._soft()
        return await self._files.write(lambda writer: list(islice(_acts(writer, soft, is_redo=is_redo), limit)))

    async def undo(self) -> Reversal | None:
        """Undo the last act and return the effects, or None with nothing to undo.

        Sent changes are reverted by a new act, so another user's later change becomes a conflict. A possibly
        created object is deleted once its creation is confirmed, a possibly deleted one is looked up. If all
        items of the act are gone, nothing happens and later calls skip the act.
        """
        return await self._do(is_redo=False)

    async def redo(self) -> Reversal | None:
        return await self._do(is_redo=True)

    async def create_again(self, item_id: int) -> int:
        """Create an item that others deleted again, with the user's unsent edits and comments, as one step.

        Returns the new temporary id. Raises NotFound without a copy of the item.
        """
        return await self._files.edit(lambda writer: _create_again(writer, item_id))

    async def restore_copy(self, item_id: int) -> int:
        """Create a deleted item again from its copy in the trash, as one step; return the new temporary id.

        Raises NotFound without a copy, BadRequest for an item that is not deleted, or whose deletion waits.
        """
        return await self._files.edit(lambda writer: _restore_copy(writer, item_id))

    async def _ask(self, *, is_redo: bool) -> Reversal | None:
        soft = self._soft()

        def act(writer: WriteContext) -> Reversal | None:
            act, told = _next(writer, soft, is_redo=is_redo)
            return None if act is None else _described(writer, act, told, is_redo=is_redo)

        return await self._files.write(act)

    async def _do(self, *, is_redo: bool) -> Reversal | None:
        soft = self._soft()
        return await self._files.edit(lambda writer: _revert(writer, soft, is_redo=is_redo))

    def _soft(self) -> dict[str, str | None]:
        """Return the status that means deleted, by type."""
        return {kind.value: deleted_status(self._lookups.statuses(kind)) for kind in ItemType}


def _next(writer: WriteContext, soft: dict[str, str | None], *, is_redo: bool) -> tuple[int | None, list[UndoEffect]]:
    undo_log = writer.journal.undo_log
    for act in list(undo_log.to_redo() if is_redo else undo_log.to_undo()):
        plan = UndoPlan(writer, act, soft)
        if not plan.is_void:
            return act, list(plan.moves())
        undo_log.set_state(act, ActState.OVER)
    return None, []


def _acts(writer: WriteContext, soft: dict[str, str | None], *, is_redo: bool) -> Iterator[int]:
    undo_log = writer.journal.undo_log
    acts = list(undo_log.to_redo() if is_redo else undo_log.to_undo())
    return (act for act in acts if not UndoPlan(writer, act, soft).is_void)


def _described(writer: WriteContext, act: int, told: Sequence[UndoEffect], *, is_redo: bool) -> Reversal:
    moves = [move for move, _ in told]

    def named(wanted: Iterable[int]) -> tuple[NamedItem, ...]:
        return tuple(_named(writer.mirror.effective(item_id) or {"id": item_id}) for item_id in wanted)

    unsent = [move.entry for move in moves if isinstance(move, DiscardEntryOperation)]
    again = [move.entry for move in moves if isinstance(move, RestoreEntryOperation)]
    ranked = [each for move in moves if isinstance(move, RestoreRanksOperation) for each in move.entries]
    made_again = tuple(_named(move.copy.item) for move in moves if isinstance(move, RecreateItemOperation))
    back = [_of_entry(each) for each in again if each.kind is EntryKind.ADD]
    return Reversal(
        act=act,
        is_redo=is_redo,
        changes=tuple(change for _, changes in told for change in changes),
        given_up=named(each.item_id for each in unsent if each.kind is EntryKind.ADD),
        deleted=named(
            move.item_id
            for move in moves
            if isinstance(move, DeleteItemOperation)
            or (isinstance(move, RestoreEntryOperation) and move.entry.kind is EntryKind.DELETE)
        ),
        returned=(*(_of_entry(each) for each in unsent if each.kind is EntryKind.DELETE), *back),
        made_again=made_again,
        objects_deleted=_named_objects(
            *(each for each in unsent if each.kind in OBJECT_CREATIONS),
            *(each for each in again if each.kind in OBJECT_DELETIONS),
            *(move.entry for move in moves if isinstance(move, DeleteObjectOperation)),
        ),
        objects_made_again=_named_objects(
            *(each for each in unsent if each.kind in OBJECT_DELETIONS),
            *(each for each in again if each.kind in OBJECT_CREATIONS),
            *(each for each in (*unsent, *again) if each.kind in OBJECT_EDITS),
            *(move.entry for move in moves if isinstance(move, RecreateObjectOperation)),
        ),
        nodes=tuple(
            _node_entry(move)
            for move in moves
            if isinstance(move, DiscardEntryOperation | RestoreEntryOperation | EditNodeOperation)
            and move.entry.kind in ON_NODES - RECALLS
        ),
        nodes_deleted=tuple(
            replace(move, entry=_timeless(move.entry)) for move in moves if isinstance(move, DeleteNodeOperation)
        ),
        nodes_made=tuple(move for move in moves if isinstance(move, RecreateNodesOperation)),
        recalled=tuple(move.entry for move in moves if isinstance(move, RecallDeletionOperation)),
        final=tuple(move for move in moves if isinstance(move, IrreversibleNodeChange)),
        missing=tuple(move.item_id for move in moves if isinstance(move, MissingItem)),
        moved=named(each.item_id for each in ranked),
        item_ids=frozenset(
            {move.item_id for move in moves if isinstance(move, WritingOperation)}
            | {each.item_id for each in ranked}
            | {item_id for move in moves if isinstance(move, RecreateNodesOperation) for item_id in move.item_ids}
        ),
    )


def _node_entry(move: DiscardEntryOperation | RestoreEntryOperation | EditNodeOperation) -> OutboxEntry:
    is_discarded_edit = isinstance(move, DiscardEntryOperation) and move.entry.kind is EntryKind.NODE_EDIT
    return _timeless(opposite(move.entry) if is_discarded_edit else move.entry)


def _timeless(entry: OutboxEntry) -> OutboxEntry:
    """Return an entry without its moment: new ones of two readings are equal, so that a question can be confirmed."""
    return replace(entry, created_at=0.0)


def _named_objects(*entries: OutboxEntry) -> tuple[NamedObject, ...]:
    changes = [(CHANGES[entry.kind](entry), entry.item_id) for entry in entries]
    return tuple(
        NamedObject(change.noun, change.text_with_item, change.again, change.redone, item_id, change.nouns)
        for change, item_id in changes
    )


def _named(document: Document) -> NamedItem:
    name = str(fields_in(document).get("Name") or "")
    return NamedItem(id_in(document), str(document.get("type") or ""), name)


def _of_entry(entry: OutboxEntry) -> NamedItem:
    fields = entry.payload.get("fields")
    name = fields.get("Name") if isinstance(fields, dict) else entry.payload.get("name")
    return NamedItem(entry.item_id, str(entry.payload.get("type") or ""), str(name or ""))


def _revert(writer: WriteContext, soft: dict[str, str | None], *, is_redo: bool) -> Reversal | None:
    act, told = _next(writer, soft, is_redo=is_redo)
    if act is None:
        return None
    described = _described(writer, act, told, is_redo=is_redo)
    if described.is_impossible:
        writer.journal.undo_log.set_state(act, ActState.OVER)
        return described
    unsent = with_dependents(writer, [move.entry for move, _ in told if isinstance(move, DiscardEntryOperation)])
    with writer.journal.transaction():
        step = writer.journal.undo_log.go_on(act, ActState.DONE if is_redo else ActState.UNDONE)
        withdraw(writer, unsent, step)
        written = _written(writer, [move for move, _ in told], step)
    show_without(writer, unsent)
    update_overlay(writer, [entry.item_id for entry in written])
    announce_objects(writer, written)
    if described.nodes or any(entry.kind in ON_NODES for entry in written):
        show_trees(writer)
    writer.signal.publish(StoreChange(Subject.OUTBOX))
    return replace(described, new_ids=tuple(_new_ids(described.made_again, written)))


def _new_ids(made_again: Sequence[NamedItem], written: Sequence[OutboxEntry]) -> Iterator[int]:
    added = iter([each for each in written if each.kind is EntryKind.ADD])
    for named in made_again:
        yield next((each.item_id for each in added if replace(_of_entry(each), id=named.id) == named), 0)


def _create_again(writer: WriteContext, item_id: int) -> int:
    document, copy = writer.mirror.effective(item_id), writer.journal.trash.of_gone_item(item_id)
    if document is not None:
        copy = _with_gone_tasks(writer, copy_of_item(writer, document), copy)
    if copy is None:
        raise NotFound(f"There is no copy of item {item_id}.")
    unsent = writer.journal.entries.undelivered([item_id, *map(id_in, copy.tasks)])
    fields = dict(fields_in(copy.item))
    for entry in unsent:
        if entry.kind is EntryKind.EDIT and entry.item_id == item_id:
            fields |= entry.payload
    with writer.journal.transaction():
        step = writer.journal.undo_log.begin()
        withdraw(writer, unsent, step)
        again = replace(copy, item={**copy.item, "fields": fields}, objects=_received_only(copy.objects))
        written = list(restore(writer, again, step))
        written += writer.journal.add(
            [
                creation.on_item(writer.journal.renames.followed(creation.entry.item_id))
                for creation in map(object_creation, unsent)
                if creation is not None
            ],
            step,
        )
    show_without(writer, unsent)
    gone = writer.mirror.remove_items([item_id])
    update_overlay(writer, [entry.item_id for entry in written])
    made = written[0].item_id
    writer.signal.publish(StoreChange(Subject.ITEMS, gone | {made}, renamed={item_id: made}))
    announce_objects(writer, written)
    return made


def _received_only(objects: Mapping[str, Sequence[Document]]) -> dict[str, list[Document]]:
    return {kind: [each for each in documents if id_in(each) > 0] for kind, documents in objects.items()}


def _restore_copy(writer: WriteContext, item_id: int) -> int:
    if writer.mirror.effective(item_id) is not None:
        raise BadRequest(f"Item {item_id} is not deleted.")
    if writer.journal.entries.undelivered([item_id]):
        # The new item takes over the entries of the old one, its deletion too.
        raise BadRequest(f"The deletion of item {item_id} has not been sent yet. Take it back: backlit undo")
    copy = writer.journal.trash.of_item(item_id)
    if copy is None:
        raise NotFound(f"There is no copy of item {item_id}. See: backlit trash")
    with writer.journal.transaction():
        written = list(restore(writer, copy, writer.journal.undo_log.begin()))
    update_overlay(writer, [entry.item_id for entry in written])
    made = written[0].item_id
    writer.signal.publish(StoreChange(Subject.ITEMS, frozenset(entry.item_id for entry in written)))
    announce_objects(writer, written)
    return made


def _with_gone_tasks(writer: WriteContext, copy: ItemCopy, kept: ItemCopy | None) -> ItemCopy:
    """Return a copy with the kept tasks that others deleted together with the item, and their comments."""
    if kept is None:
        return copy
    tasks = [each for each in kept.tasks if writer.mirror.effective(id_in(each)) is None]
    gone = set(map(id_in, tasks))
    comments = [each for each in kept.comments if each.get("workItemId") in gone]
    return replace(copy, tasks=[*copy.tasks, *tasks], comments=[*copy.comments, *comments])


def _written(writer: WriteContext, moves: Sequence[UndoOperation], step: int) -> list[OutboxEntry]:
    """Journal the operations: restored nodes after the entries that may name them, discarded node entries last."""
    restored = [move for move in moves if isinstance(move, RecreateNodesOperation)]
    returned = [move.entry for move in moves if isinstance(move, RestoreEntryOperation) and move.entry.kind in ON_NODES]
    written = [entry for move in moves for entry in _carried_out(writer, move, step)]
    written += _ranked_again(writer, moves, step)
    written += restore_nodes(writer, restored, {each.item_id for each in written}, step)
    return [*written, *return_nodes(writer, returned, step)]


def _ranked_again(writer: WriteContext, moves: Sequence[UndoOperation], step: int) -> list[OutboxEntry]:
    """Give items that are back in their project their former places, from the top on."""
    ranks = [each for move in moves if isinstance(move, TransformBackOperation) for each in move.ranks]
    if not ranks:
        return []
    update_overlay(writer, [each.item_id for each in ranks])
    return move_back(writer, sorted(ranks, key=lambda each: number_in(each.base, "at")), step)


def _carried_out(writer: WriteContext, move: UndoOperation, step: int) -> Iterator[OutboxEntry]:
    match move:
        case EditItemOperation(item_id, payload, base, original):
            document = writer.mirror.effective(item_id) or {}
            entry = replace(edit_entry(item_id, document, payload), base=base)
            yield from _standing_for(writer, original, writer.journal.add([entry], step), step)
        case RestoreEntryOperation(entry) if entry.kind not in ON_NODES:
            item_id = writer.journal.renames.followed(entry.item_id)
            returned = replace(entry, state=EntryState.WAITING, item_id=item_id)
            writer.journal.update(returned)
            yield from _standing_for(writer, entry.id, [returned], step)
        case RecallDeletionOperation(entry):
            writer.journal.update(replace(entry, state=EntryState.DISCARDED))
            writer.journal.undo_log.withdraw([entry.id], step)
            yield from (entry, *writer.journal.add([entry.recall()], step))
        case RestoreRanksOperation(entries):
            yield from move_back(writer, entries, step)
        case EditNodeOperation(entry) | DeleteNodeOperation(entry) | RecreateObjectOperation(entry):
            yield from writer.journal.add([entry], step)
        case TransformBackOperation(entries=entries):
            yield from writer.journal.add(entries, step)
        case DeleteObjectOperation(entry, original):
            yield from _standing_for(writer, original, writer.journal.add([entry], step), step)
        case DeleteItemOperation(item_id, original):
            deletions = journal_deletions(writer, [deletion_of(writer, item_id)], step)
            yield from _standing_for(writer, original, deletions, step)
        case RecreateItemOperation(copy):
            yield from restore(writer, copy, step)


def _standing_for(
    writer: WriteContext, original: int, added: Sequence[OutboxEntry], step: int
) -> Sequence[OutboxEntry]:
    for each in added if original else ():
        writer.journal.undo_log.stand_for(each.id, original, step)
    return added
