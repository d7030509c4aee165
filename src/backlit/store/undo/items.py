"""The operations of an undo or redo, found in the journal before anything is written."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from backlit.store.files.files import WriteContext
from backlit.store.mirror.overlay import laid_over
from backlit.store.object_changes.kinds import DELETIONS, object_creation, object_deletion, object_edit
from backlit.store.object_changes.object_change import ObjectChange, ObjectCreation, ObjectDeletion, ObjectEdit
from backlit.store.records.entry import (
    DELETES,
    OBJECT_CREATIONS,
    OBJECT_EDITS,
    ON_NODES,
    RECALLS,
    TRANSFORMS,
    EntryCause,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.merge import is_same, kept_otherwise, merge
from backlit.store.records.work import REMAINING, left_in, number_in, remaining_after, work_after
from backlit.store.undo.nodes import NodeReversals, opposite
from backlit.store.undo.operations import (
    DeleteItemOperation,
    DeleteObjectOperation,
    DiscardEntryOperation,
    EditItemOperation,
    EditNodeOperation,
    FieldChange,
    MissingItem,
    RecallDeletionOperation,
    RecreateItemOperation,
    RecreateObjectOperation,
    RestoreEntryOperation,
    RestoreRanksOperation,
    TransformBackOperation,
    UndoEffect,
)
from backlit.store.undo.transforms import TransformBack


class UndoPlan:
    """The operations that revert the latest step of an act.

    `soft` is the status that means deleted, by type, None for types without one.
    """

    def __init__(self, writer: WriteContext, act: int, soft: Mapping[str, str | None]) -> None:
        self._journal = writer.journal
        self._mirror = writer.mirror
        self._soft = soft
        latest = writer.journal.undo_log.latest(act)
        self._entries = [
            each for each in self._journal.entries.of_step(latest) if each.state is not EntryState.DISCARDED
        ]
        withdrawn = [self._journal.entries.find(entry_id) for entry_id in self._journal.undo_log.withdrawn(latest)]
        self._withdrawn = [each for each in withdrawn if each is not None]
        first = self._journal.entries.of_step(act)
        self._ids = {
            each.id: self._journal.renames.followed(each.item_id) for each in (*self._entries, *self._withdrawn)
        }
        self._of_item = _by_item(self._entries, self._ids)
        self._withdrawn_of_item = _by_item(self._withdrawn, self._ids)
        self._is_hard = any(each.kind is EntryKind.DELETE or _is_imported(each) for each in first)
        self._made = {self._id(each) for each in self._entries if each.kind is EntryKind.ADD}
        self._unsent = {
            each.item_id for each in self._entries if each.kind is EntryKind.ADD and not each.may_have_been_sent
        }
        self._nodes = NodeReversals(writer, self._entries, first)

    @property
    def is_void(self) -> bool:
        """True if every entry was discarded, so that nothing is left to revert."""
        return not self._entries and not self._withdrawn

    def moves(self) -> Iterator[UndoEffect]:
        """Yield the operations, the latest entry's first."""
        yield from self._moved_back([each for each in self._entries if _is_moved(each)])
        for entry in reversed(self._entries):
            if not _is_moved(entry):
                yield from self._taken_back(entry)
        returning = {each.item_id for each in self._withdrawn if each.kind is EntryKind.ADD}
        for entry in self._withdrawn:
            yield from self._returned(entry, returning)

    def _moved_back(self, entries: list[OutboxEntry]) -> Iterator[UndoEffect]:
        there = [replace(each, item_id=self._id(each)) for each in entries]
        for each in there:
            if self._mirror.effective(each.item_id) is None:
                yield MissingItem(each.item_id), ()
        moved = tuple(each for each in there if self._mirror.effective(each.item_id) is not None)
        if moved:
            yield RestoreRanksOperation(moved), ()

    def _id(self, entry: OutboxEntry) -> int:
        return self._ids[entry.id]

    def _taken_back(self, entry: OutboxEntry) -> Iterator[UndoEffect]:
        if not entry.may_have_been_sent:
            taken = list(self._partly_taken(entry))
            again = {key for each in self._withdrawn_of_item.get(entry.item_id, ()) for key in each.touched}
            again |= {each.key for _, changes in taken for each in changes}
            yield DiscardEntryOperation(entry), tuple(each for each in self._changes_of(entry) if each.key not in again)
            yield from taken
        elif entry.kind is EntryKind.EDIT:
            payload = {key: each for key, each in entry.payload.items() if not self._nodes.goes_along(entry, key)}
            yield from self._written(self._id(entry), {key: entry.base.get(key) for key in payload}, payload)
        elif entry.kind in TRANSFORMS:
            yield from self._transformed_back(entry)
        elif entry.state is not EntryState.SENT and entry.kind in DELETES:
            yield RecallDeletionOperation(entry), ()
        elif entry.kind not in RECALLS:
            yield from self._sent_taken_back(entry)

    def _sent_taken_back(self, entry: OutboxEntry) -> Iterator[UndoEffect]:
        if (creation := object_creation(entry)) is not None:
            yield from self._object_unmade(creation)
            return
        if (edit := object_edit(entry)) is not None:
            yield from self._object_changed_back(edit)
            return
        if (deletion := object_deletion(entry)) is not None:
            yield from self._object_restored(deletion)
            return
        match entry.kind:
            case EntryKind.ADD:
                yield from self._unmade(entry)
            case EntryKind.DELETE:
                yield from self._restored(entry)
            case EntryKind.NODE_EDIT:
                yield EditNodeOperation(opposite(entry)), ()
            case EntryKind.NODE_ADD:
                for move in self._nodes.unmade(entry):
                    yield move, ()
            case _:
                yield self._nodes.restored(entry), ()

    def _changes_of(self, entry: OutboxEntry) -> tuple[FieldChange, ...]:
        """Return the field changes of discarding an edit.

        The service's values return, in a conflict newer than the base.
        """
        if entry.kind in TRANSFORMS - {EntryKind.MOVE_ALONG}:
            return (_transform_change(entry, entry.item_id, is_back=True),)
        if entry.kind is not EntryKind.EDIT:
            return ()
        now = fields_in(self._mirror.effective(entry.item_id) or {})
        then = {**entry.base, **self._left(entry.item_id)}
        return tuple(FieldChange(entry.item_id, key, now.get(key), then.get(key)) for key in entry.payload)

    def _partly_taken(self, entry: OutboxEntry) -> Iterator[UndoEffect]:
        """Yield the operations for an edit that the service accepted only in part."""
        if entry.kind is not EntryKind.EDIT or entry.state is not EntryState.REFUSED:
            return
        received = fields_in(self._mirror.received([entry.item_id]).get(entry.item_id) or {})
        taken = {key: value for key, value in entry.payload.items() if not kept_otherwise({key: value}, received)}
        if taken:
            yield from self._written(entry.item_id, {key: entry.base.get(key) for key in taken}, taken)

    def _written(
        self, item_id: int, wanted: Mapping[str, object], before: Mapping[str, object], stands_for: int = 0
    ) -> Iterator[UndoEffect]:
        """Yield the operation that restores former values, except for values that other users changed since."""
        document = self._mirror.effective(item_id)
        if document is None:
            yield MissingItem(item_id), ()
            return
        shown = fields_in(document)
        now = {**shown, **self._left(item_id)}
        base = {key: now.get(key) if not kept_otherwise({key: value}, now) else value for key, value in before.items()}
        merged = merge(base, wanted, now)
        payload = {**merged.changes, **{key: wanted[key] for key in merged.conflicts}}
        if payload:
            expected = {key: base[key] if key in merged.conflicts else now.get(key) for key in payload}
            changes = tuple(
                FieldChange(item_id, key, shown.get(key), value, key in merged.conflicts)
                for key, value in payload.items()
            )
            yield EditItemOperation(item_id, payload, expected, stands_for), changes

    def _left(self, item_id: int) -> Mapping[str, object]:
        """Return the item's fields without the step's unsent edits."""
        unsent = [each for each in self._of_item.get(item_id, ()) if not each.may_have_been_sent]
        received = self._mirror.received([item_id]).get(item_id)
        keys = {key for each in unsent for key in each.touched}
        if received is None or not keys:
            return {}
        ids = {each.id for each in unsent}
        others = [each for each in self._journal.entries.undelivered([item_id]) if each.id not in ids]
        fields = fields_in(laid_over(received, others)[0])
        return {key: fields.get(key) for key in keys}

    def _unmade(self, entry: OutboxEntry) -> Iterator[UndoEffect]:
        item_id = self._id(entry)
        document = self._mirror.effective(item_id)
        if document is None:
            yield MissingItem(item_id), ()
            return
        status = self._soft.get(str(document.get("type")))
        if status is not None and not self._is_hard:
            yield from self._written(item_id, {"Status": status}, {"Status": fields_in(document).get("Status")})
        elif self._journal.renames.followed(entry.parent_id or 0) not in self._made:
            yield DeleteItemOperation(item_id), ()

    def _object_unmade(self, creation: ObjectCreation) -> Iterator[UndoEffect]:
        item_id = self._id(creation.entry)
        if self._is_hard and item_id in self._made:
            return
        if self._mirror.effective(item_id) is None:
            yield MissingItem(item_id), ()
            return
        object_id = self._journal.renames.followed(creation.object_id)
        known = {**creation.document(object_id), "workItemId": item_id}
        yield self._object_deletion(creation.deletion_kind, known), ()
        if creation.entry.kind is EntryKind.LOG_TIME:
            yield from self._work_back(creation.entry, item_id)

    def _work_back(self, entry: OutboxEntry, item_id: int) -> Iterator[UndoEffect]:
        """Yield the edit of the work that a deleted time entry does not give back, unless somebody changed it since."""
        now, hours = fields_in(self._mirror.effective(item_id) or {}), number_in(entry.payload, "hours")
        logged = work_after(entry.base, hours, left_in(entry.payload))[REMAINING] if entry.base else None
        after, before = remaining_after(now, -hours), entry.base.get(REMAINING)
        if logged is not None and is_same(now.get(REMAINING), logged) and not is_same(after, before):
            change = FieldChange(item_id, REMAINING, now.get(REMAINING), before)
            yield EditItemOperation(item_id, {REMAINING: before}, {REMAINING: after}), (change,)

    def _object_deletion(self, kind: EntryKind, known: Document, stands_for: int = 0) -> DeleteObjectOperation:
        """Return the deletion of an object, which an older read of the service may have hidden from the mirror."""
        deletion = DELETIONS[kind]
        document = self._mirror.objects[deletion.subject].document(id_in(known)) or known
        return DeleteObjectOperation(deletion.of(document), stands_for)

    def _restored(self, entry: OutboxEntry) -> Iterator[UndoEffect]:
        copy = self._journal.trash.of_entry(entry.id)
        parent_id = self._journal.renames.followed(id_in(fields_in(copy.item), "ParentID")) if copy else 0
        if copy is None or (parent_id and self._mirror.effective(parent_id) is None):
            yield MissingItem(entry.item_id), ()
        else:
            yield RecreateItemOperation(copy), ()

    def _object_restored(self, deletion: ObjectDeletion) -> Iterator[UndoEffect]:
        item_id = self._id(deletion.entry)
        if self._mirror.effective(item_id) is None:
            yield MissingItem(item_id), ()
        else:
            yield RecreateObjectOperation(deletion.creation(item_id)), ()

    def _object_changed_back(self, edit: ObjectEdit) -> Iterator[UndoEffect]:
        item_id = self._id(edit.entry)
        table = self._mirror.objects[edit.subject]
        object_id = self._latest_id(edit)
        if self._mirror.effective(item_id) is None or table.document(object_id) is None:
            yield MissingItem(item_id), ()
        else:
            yield RecreateObjectOperation(edit.inverse(item_id, object_id)), ()

    def _transformed_back(self, entry: OutboxEntry) -> Iterator[UndoEffect]:
        if entry.kind is EntryKind.MOVE_ALONG:
            return  # it goes back with what it went along with
        item_id = self._id(entry)
        document = self._mirror.effective(item_id)
        if document is None:
            yield MissingItem(item_id), ()
            return
        back = TransformBack(self._mirror.effective, self._journal.renames.followed)
        along = self._journal.entries.along(entry)
        entries, ranks = tuple(back.entries(entry, along)), tuple(back.ranks([entry, *along]))
        yield TransformBackOperation(item_id, entries, ranks), (_transform_change(entry, item_id, is_back=True),)

    def _latest_id(self, change: ObjectChange) -> int:
        """Return the id of an object now, which was perhaps deleted and made again."""
        object_id = self._journal.renames.followed(change.object_id)
        while True:
            again = self._journal.entries.restoring(object_id, change.creation_kind)
            if again is None:
                return object_id
            object_id = self._journal.renames.followed(again)

    def _returned(self, entry: OutboxEntry, returning: set[int]) -> Iterator[UndoEffect]:
        item_id = self._id(entry)
        if entry.kind in RECALLS:
            return  # a later entry creates it again if needed
        if entry.kind in {EntryKind.ADD, EntryKind.RANK, *ON_NODES} or entry.item_id in returning:
            yield RestoreEntryOperation(entry), ()
        elif item_id in self._unsent or self._mirror.effective(item_id) is None:
            yield MissingItem(item_id), ()
        elif entry.kind is EntryKind.EDIT:
            sent = {key for each in self._of_item.get(item_id, ()) if each.may_have_been_sent for key in each.touched}
            wanted = {key: value for key, value in entry.payload.items() if key not in sent}
            yield from self._written(item_id, wanted, {key: entry.base.get(key) for key in wanted}, entry.id)
        elif entry.kind in TRANSFORMS:
            shown = entry.kind is not EntryKind.MOVE_ALONG
            yield RestoreEntryOperation(entry), (_transform_change(entry, item_id, is_back=False),) if shown else ()
        elif entry.kind in OBJECT_CREATIONS | OBJECT_EDITS or self._is_looked_for(entry):
            yield RestoreEntryOperation(entry), ()
        elif entry.kind is EntryKind.DELETE:
            yield DeleteItemOperation(item_id, entry.id), ()
        else:
            known = DELETIONS[entry.kind](entry).document(item_id)
            yield self._object_deletion(entry.kind, known, entry.id), ()

    def _is_looked_for(self, entry: OutboxEntry) -> bool:
        open_recalls = [each for each in self._entries if each.kind in RECALLS and not each.may_have_been_sent]
        return any(each.payload.get("of") == entry.id for each in open_recalls)


def _transform_change(entry: OutboxEntry, item_id: int, *, is_back: bool) -> FieldChange:
    """Return what a conversion or a move is about: the type, the project or the parent."""
    key = next(key for key in ("type", "projectId", "ParentID") if key in entry.transformed_values)
    before, after = entry.base.get(key), entry.transformed_values[key]
    return FieldChange(item_id, key, after, before) if is_back else FieldChange(item_id, key, before, after)


def _is_imported(entry: OutboxEntry) -> bool:
    """Report whether an import made an item. Its undo leaves no item, not even one with the status Deleted."""
    return entry.kind is EntryKind.ADD and entry.cause is EntryCause.IMPORT


def _by_item(entries: Iterable[OutboxEntry], ids: Mapping[int, int]) -> Mapping[int, Sequence[OutboxEntry]]:
    """Return the entries by item, so that an undo of many items compares none of them with all others."""
    found: dict[int, list[OutboxEntry]] = {}
    for each in entries:
        found.setdefault(ids[each.id], []).append(each)
    return found


def _is_moved(entry: OutboxEntry) -> bool:
    return entry.kind is EntryKind.RANK and entry.state is not EntryState.REFUSED
