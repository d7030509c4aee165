"""Items that are created again from a copy: with their tasks, comments, relations, criteria and links."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from backlit.store.edits.deletions import is_settable
from backlit.store.files.files import WriteContext
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.object_changes.kinds import DELETIONS
from backlit.store.records.entry import (
    OBJECT_DELETION_BY_CREATION,
    TARGET_KEY,
    EntryCause,
    EntryKind,
    OutboxEntry,
    new_comment,
    new_entry,
)
from backlit.store.records.item import Document, fields_in, id_in, moment, whole


def restore(writer: WriteContext, copy: ItemCopy, step: int) -> Iterator[OutboxEntry]:
    """Journal the creation of a copied item, in the open transaction. The old id leads to the new one.

    The cause is a restoration, unless the step undoes an act.
    """
    written = list(made_of(writer, copy, step, EntryCause.RESTORE))
    yield from written
    yield from writer.journal.add(_objects_again(writer, copy.objects), step)


def made_of(
    writer: WriteContext, copy: ItemCopy, step: int, cause: EntryCause = EntryCause.ASKED
) -> Iterator[OutboxEntry]:
    """Journal a new item with the tasks and comments of a copy. Of a restoration, old ids lead to the new ones."""
    made = _made(writer, copy.item, step, cause)
    yield made
    yield from _commented(writer, made, copy, step)
    for task in copy.tasks:
        again = _made(writer, {**task, "fields": {**fields_in(task), "ParentID": made.item_id}}, step, cause)
        yield again
        yield from _commented(writer, again, copy, step, whole(task.get("id")))


def _made(writer: WriteContext, document: Document, step: int, cause: EntryCause) -> OutboxEntry:
    fields = {
        key: value
        for key, value in fields_in(document).items()
        if is_settable(key, is_new=True) and value not in (None, "", [])
    }
    if "ParentID" in fields:
        fields["ParentID"] = writer.journal.renames.followed(id_in(fields, "ParentID"))
    project_id = id_in(document, "projectId")
    payload = {"type": document.get("type"), "projectId": project_id, "fields": fields}
    (entry,) = writer.journal.add([replace(new_entry(EntryKind.ADD, project_id, payload), cause=cause)], step)
    old_id = whole(document.get("id"))
    if old_id and cause is EntryCause.RESTORE:
        writer.journal.follow({old_id: entry.item_id})
    return entry


def _commented(
    writer: WriteContext, made: OutboxEntry, copy: ItemCopy, step: int, old_id: int | None = None
) -> Iterable[OutboxEntry]:
    """Yield an item's comments, each preceded by a line with its original author and time."""
    wanted = copy.item_id if old_id is None else old_id
    entries = [
        replace(new_comment(made.project_id, made.item_id, _retold(comment)), cause=EntryCause.RESTORE)
        for comment in copy.comments
        if comment.get("workItemId") == wanted
    ]
    return writer.journal.add(entries, step)


def _retold(comment: Document) -> str:
    written_at = moment(comment.get("createdAt"))
    when = f" on {written_at:%Y-%m-%d at %H:%M}" if written_at else ""
    return f"{comment.get('createdBy') or 'Someone'} wrote{when}:\n\n{comment.get('description') or ''}"


def _objects_again(writer: WriteContext, objects: Mapping[str, Iterable[Document]]) -> Iterator[OutboxEntry]:
    """Yield the creations of what was below an item; a relation comes back with the later one of its deleted ends."""
    followed = writer.journal.renames.followed
    for creation_kind, documents in objects.items():
        deletion = DELETIONS[OBJECT_DELETION_BY_CREATION[EntryKind(creation_kind)]]
        for document in documents:
            entry = deletion.of(document)
            again = deletion(entry).creation(followed(entry.item_id))
            ends = [again.item_id]
            if TARGET_KEY in again.payload:
                ends.append(followed(id_in(again.payload, TARGET_KEY)))
                again = again.with_targets({id_in(again.payload, TARGET_KEY): ends[-1]})
            if all(end < 0 or writer.mirror.effective(end) is not None for end in ends):
                yield replace(again, cause=EntryCause.RESTORE)
