"""Restoration of a deleted item from its copy: a new item with its tasks, and its comments as text."""

import time
from collections.abc import Iterable, Iterator

from backlit.store.edits.deletions import is_settable
from backlit.store.files import Writer
from backlit.store.journal.undo_log import Copy
from backlit.store.records.entry import EntryKind, OutboxEntry
from backlit.store.records.item import Document, fields_in, moment, whole


def restore(writer: Writer, copy: Copy, step: int) -> Iterator[OutboxEntry]:
    """Journal the creation of a copied item, in the open transaction. The old id leads to the new one."""
    made = _made(writer, copy.item, step)
    yield made
    yield from _commented(writer, made, copy, step)
    for task in copy.tasks:
        again = _made(writer, {**task, "fields": {**fields_in(task), "ParentID": made.item_id}}, step)
        yield again
        yield from _commented(writer, again, copy, step, whole(task.get("id")))


def _made(writer: Writer, document: Document, step: int) -> OutboxEntry:
    fields = {
        key: value
        for key, value in fields_in(document).items()
        if is_settable(key, is_new=True) and value is not None and value not in ("", [])
    }
    if "ParentID" in fields:
        fields["ParentID"] = writer.journal.renames.followed(whole(fields["ParentID"]) or 0)
    project_id = whole(document.get("projectId")) or 0
    payload = {"type": document.get("type"), "projectId": project_id, "fields": fields}
    (entry,) = writer.journal.add([OutboxEntry(0, time.time(), project_id, 0, EntryKind.ADD, payload)], step)
    old_id = whole(document.get("id"))
    if old_id:
        writer.journal.follow(old_id, entry.item_id)
    return entry


def _commented(
    writer: Writer, made: OutboxEntry, copy: Copy, step: int, old_id: int | None = None
) -> Iterable[OutboxEntry]:
    """Yield an item's comments, each preceded by a line with its original author and time."""
    wanted = copy.item_id if old_id is None else old_id
    entries = [
        OutboxEntry(0, made.created_at, made.project_id, made.item_id, EntryKind.COMMENT, {"text": _retold(comment)})
        for comment in copy.comments
        if comment.get("workItemId") == wanted
    ]
    return writer.journal.add(entries, step)


def _retold(comment: Document) -> str:
    written_at = moment(comment.get("createdAt"))
    when = f" on {written_at:%Y-%m-%d at %H:%M}" if written_at else ""
    return f"{comment.get('createdBy') or 'Someone'} wrote{when}:\n\n{comment.get('description') or ''}"
