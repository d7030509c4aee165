"""The changes of objects below items, by the kind of their entries. A new kind of object is two rows."""

from collections.abc import Mapping

from backlit.store.object_changes.comments import CommentCreation, CommentDeletion
from backlit.store.object_changes.object_change import ObjectChange, ObjectCreation, ObjectDeletion
from backlit.store.records.entry import EntryKind, OutboxEntry

CREATIONS: Mapping[EntryKind, type[ObjectCreation]] = {EntryKind.COMMENT: CommentCreation}
DELETIONS: Mapping[EntryKind, type[ObjectDeletion]] = {EntryKind.DELETE_COMMENT: CommentDeletion}
CHANGES: Mapping[EntryKind, type[ObjectChange]] = {**CREATIONS, **DELETIONS}


def object_creation(entry: OutboxEntry) -> ObjectCreation | None:
    return CREATIONS[entry.kind](entry) if entry.kind in CREATIONS else None


def object_deletion(entry: OutboxEntry) -> ObjectDeletion | None:
    return DELETIONS[entry.kind](entry) if entry.kind in DELETIONS else None


def object_change(entry: OutboxEntry) -> ObjectChange | None:
    return CHANGES[entry.kind](entry) if entry.kind in CHANGES else None
