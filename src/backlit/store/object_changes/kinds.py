"""The changes of objects below items, by the kind of their entries. A new kind of object is a row in each."""

from collections.abc import Mapping

from backlit.store.object_changes.comments import CommentCreation, CommentDeletion
from backlit.store.object_changes.criteria import CriterionCreation, CriterionDeletion, CriterionEdit
from backlit.store.object_changes.links import LinkCreation, LinkDeletion, LinkEdit
from backlit.store.object_changes.object_change import ObjectChange, ObjectCreation, ObjectDeletion, ObjectEdit
from backlit.store.object_changes.relations import ParentChange, RelationCreation, RelationDeletion
from backlit.store.object_changes.time_entries import TimeCreation, TimeDeletion, TimeEdit
from backlit.store.records.entry import EntryKind, OutboxEntry

CREATIONS: Mapping[EntryKind, type[ObjectCreation]] = {
    EntryKind.COMMENT: CommentCreation,
    EntryKind.RELATE: RelationCreation,
    EntryKind.ADD_CRITERION: CriterionCreation,
    EntryKind.ADD_LINK: LinkCreation,
    EntryKind.LOG_TIME: TimeCreation,
}
EDITS: Mapping[EntryKind, type[ObjectEdit]] = {
    EntryKind.MOVE_PARENT: ParentChange,
    EntryKind.EDIT_CRITERION: CriterionEdit,
    EntryKind.EDIT_LINK: LinkEdit,
    EntryKind.EDIT_TIME: TimeEdit,
}
DELETIONS: Mapping[EntryKind, type[ObjectDeletion]] = {
    EntryKind.DELETE_COMMENT: CommentDeletion,
    EntryKind.UNRELATE: RelationDeletion,
    EntryKind.DELETE_CRITERION: CriterionDeletion,
    EntryKind.DELETE_LINK: LinkDeletion,
    EntryKind.DELETE_TIME: TimeDeletion,
}
CHANGES: Mapping[EntryKind, type[ObjectChange]] = {**CREATIONS, **EDITS, **DELETIONS}


def object_creation(entry: OutboxEntry) -> ObjectCreation | None:
    return CREATIONS[entry.kind](entry) if entry.kind in CREATIONS else None


def object_edit(entry: OutboxEntry) -> ObjectEdit | None:
    return EDITS[entry.kind](entry) if entry.kind in EDITS else None


def object_deletion(entry: OutboxEntry) -> ObjectDeletion | None:
    return DELETIONS[entry.kind](entry) if entry.kind in DELETIONS else None


def object_change(entry: OutboxEntry) -> ObjectChange | None:
    return CHANGES[entry.kind](entry) if entry.kind in CHANGES else None
