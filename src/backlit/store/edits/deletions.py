"""Permanent deletion: everything below an item, its copy in the trash, and the entry that deletes it."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.errors import NotFound
from backlit.model.fields import FIELD_BY_KEY, Settable
from backlit.model.relations import RelationType
from backlit.store.edits.items import (
    announce_objects,
    discard,
    show_without,
    update_overlay,
    with_dependents,
)
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.journal.undo_log import ItemCopy
from backlit.store.mirror.overlay import laid_over
from backlit.store.mirror.schema import SHOWN
from backlit.store.object_changes.kinds import CREATIONS, DELETIONS
from backlit.store.records.entry import (
    BUSY,
    OBJECT_CREATIONS,
    OBJECT_DELETION_BY_CREATION,
    EntryKind,
    EntryState,
    OutboxEntry,
    new_entry,
)
from backlit.store.records.entry_values import TEMPORARY_IDS
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.lookups import Lookups

_DELETED = "deleted"
_KEPT_KINDS = (EntryKind.RELATE, EntryKind.ADD_CRITERION, EntryKind.ADD_LINK)
"""The creations of what is kept with a copy. Hours would count twice: the work fields of a task come back too."""
_OF_ITEMS = "item_id IN (SELECT value FROM json_each(?1))"
_SHOWN_OF_ITEMS = f"{SHOWN} AND {_OF_ITEMS}"
_TO_ITEMS = f"target_id IN (SELECT value FROM json_each(?1)) AND type <> '{RelationType.PARENT}'"  # noqa: S608 # constants
_OF_ITEMS_OR_TO_THEM = f"{SHOWN} AND ({_OF_ITEMS} OR ({_TO_ITEMS}))"
"""Relations that go with items; one to a child is counted with the child, which stays."""


class ItemDeletionExtent(Struct, frozen=True):
    """The extent of a deletion, as far as this machine knows it. `children` are items below them, which stay."""

    items: int
    tasks: int
    comments: int
    attachments: int
    relations: int = 0
    criteria: int = 0
    links: int = 0
    time_entries: int = 0
    children: int = 0

    def parts(self) -> list[str]:
        """Return what is deleted with the items, in words."""
        found = (
            (self.tasks, "task", ""),
            (self.comments, "comment", ""),
            (self.attachments, "file", ""),
            (self.relations, "relation", ""),
            (self.criteria, "criterion", "criteria"),
            (self.links, "link", ""),
            (self.time_entries, "time entry", "time entries"),
        )
        return [counted(count, noun, nouns) for count, noun, nouns in found if count]


class Deletions:
    """Permanent deletion of items and comments. Soft deletion is an edit of Status to `Deleted`."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    def extent(self, item_ids: Iterable[int]) -> ItemDeletionExtent:
        """Count everything that is deleted with some items. Tasks among them count as items."""
        ids = {self._files.journal.real_id(each) for each in item_ids}
        sql = "SELECT id, is_task FROM items WHERE parent_id IN (SELECT value FROM json_each(?))"
        below = dict(self._files.mirror.execute(sql, (ids_json(ids),)).fetchall())
        tasks = {item_id for item_id, is_task in below.items() if is_task} - ids
        every = ids | tasks
        return ItemDeletionExtent(
            len(ids),
            len(tasks),
            self._count("comments", every),
            self._count("attachments", every),
            relations=self._count("relations", every, _OF_ITEMS_OR_TO_THEM),
            criteria=self._count("criteria", every, _SHOWN_OF_ITEMS),
            links=self._count("links", every, _SHOWN_OF_ITEMS),
            time_entries=self._count("time_entries", every, _SHOWN_OF_ITEMS),
            children=len(below.keys() - tasks - ids),
        )

    def _count(self, table: str, item_ids: Iterable[int], where: str = _OF_ITEMS) -> int:
        sql = f"SELECT count(*) FROM {table} WHERE {where}"  # noqa: S608 # constants
        return int(self._files.mirror.execute(sql, (ids_json(item_ids),)).fetchone()[0])

    def is_own(self, author: str) -> bool:
        """Report whether the signed-in user wrote a comment. The service may name an author in two ways."""
        me = self._lookups.me()
        return me is not None and author.casefold() in {me.username.casefold(), me.display_name.casefold()}

    async def delete_items(self, item_ids: Iterable[int]) -> None:
        """Delete items permanently, as one step. Hides them at once and keeps a copy.

        A new item that may already be on the service is deleted as soon as its creation is confirmed. Raises
        NotFound for an unknown item, and then deletes nothing.
        """
        self._lookups.need_writer()
        ids = list(item_ids)
        await self._files.edit(lambda writer: _delete_items(writer, ids))

    async def delete_comment(self, comment_id: int) -> None:
        self._lookups.need_writer()
        await self._files.edit(lambda writer: delete_objects(writer, EntryKind.COMMENT, [comment_id]))


def deletion_of(writer: WriteContext, item_id: int) -> tuple[OutboxEntry, ItemCopy]:
    """Return the entry that deletes an item, and the copy to keep. Raises NotFound for an unknown item.

    The entry's base holds the settable fields as they will be once all pending changes are sent. The outbox
    compares it with the service.
    """
    document, received = writer.mirror.effective(item_id), writer.mirror.received([item_id]).get(item_id)
    if document is None or received is None:
        raise NotFound(f"Item {item_id} was deleted.")
    waiting = [entry for entry in writer.journal.entries.undelivered([item_id]) if entry.state in BUSY]
    fields = fields_in(laid_over(received, waiting)[0])
    entry = new_entry(
        EntryKind.DELETE,
        id_in(document, "projectId"),
        {"name": fields.get("Name"), "type": document.get("type")},
        item_id,
        {key: value for key, value in fields.items() if is_settable(key)},
    )
    return entry, copy_of_item(writer, document)


def deleted_status(statuses: Iterable[str]) -> str | None:
    """Return the status that means deleted, of a list of statuses."""
    return next((status for status in statuses if status.strip().casefold() == _DELETED), None)


def is_settable(key: str, *, is_new: bool = False) -> bool:
    field = FIELD_BY_KEY.get(key)
    if field is None:
        return key.endswith("_cf")
    return field.settable is Settable.ALWAYS or (is_new and field.settable is Settable.ON_CREATE)


def journal_deletions(
    writer: WriteContext, deletions: Sequence[tuple[OutboxEntry, ItemCopy]], step: int
) -> list[OutboxEntry]:
    entries = writer.journal.add([entry for entry, _ in deletions], step)
    for entry, (_, copy) in zip(entries, deletions, strict=True):
        writer.journal.trash.keep(copy, entry.id)
    return entries


def keep_last_copy(writer: WriteContext, item_id: int) -> None:
    """Keep a copy of an item that other users deleted, unless there is one already."""
    document = writer.mirror.effective(item_id)
    if document is not None and writer.journal.trash.of_gone_item(item_id) is None:
        writer.journal.trash.keep(copy_of_item(writer, document))


def copy_of_item(writer: WriteContext, document: Document) -> ItemCopy:
    item_id = id_in(document)
    found = writer.mirror.connection.execute(
        "SELECT id FROM items WHERE parent_id = ? AND is_task = 1 ORDER BY id", (item_id,)
    )
    tasks = [task for (task_id,) in found.fetchall() if (task := writer.mirror.effective(task_id)) is not None]
    ids = [item_id, *(id_in(task) for task in tasks)]
    objects = {kind.value: _shown_objects(writer, kind, ids) for kind in _KEPT_KINDS}
    kept = {kind: documents for kind, documents in objects.items() if documents}
    return ItemCopy(document, tasks, writer.mirror.comments.documents(ids), objects=kept)


def _shown_objects(writer: WriteContext, creation_kind: EntryKind, item_ids: Iterable[int]) -> list[Document]:
    subject = CREATIONS[creation_kind].subject
    table = next(each for each in writer.mirror.object_tables if each.kind.subject is subject)
    return table.shown_of_items(item_ids)


def deletions_of(writer: WriteContext, made: OutboxEntry) -> list[OutboxEntry]:
    """Return the undelivered permanent deletions of what an entry creates."""
    if made.kind is EntryKind.NODE_ADD:
        waiting = writer.journal.entries.undelivered(kind=EntryKind.NODE_DELETE, naming=made.temporary_id)
        return [each for each in waiting if each.node_id == made.temporary_id]
    if made.kind in OBJECT_CREATIONS:
        deletion_kind = OBJECT_DELETION_BY_CREATION[made.kind]
        return writer.journal.entries.undelivered([made.item_id], kind=deletion_kind, naming=made.temporary_id)
    return (
        writer.journal.entries.undelivered([made.item_id], kind=EntryKind.DELETE) if made.kind is EntryKind.ADD else []
    )


def _delete_items(writer: WriteContext, wanted: Sequence[int]) -> None:
    item_ids = list(dict.fromkeys(map(writer.journal.real_id, wanted)))  # ids do not change on this thread
    unsent = _unsent(writer, [each for each in item_ids if each < 0])
    given_up = {each.item_id for each in unsent if each.kind is EntryKind.ADD}
    deletions = [deletion_of(writer, each) for each in item_ids if each not in given_up]
    with writer.journal.transaction():
        step = writer.journal.undo_log.begin()
        journal_deletions(writer, deletions, step)
        withdraw(writer, unsent, step)
    show_without(writer, unsent)
    update_overlay(writer, [entry.item_id for entry, _ in deletions])


def _unsent(writer: WriteContext, item_ids: Sequence[int]) -> list[OutboxEntry]:
    """Return all journalled entries of those new items that were never sent. Discarding them deletes the items."""
    entries = writer.journal.entries.undelivered(item_ids, kind=EntryKind.ADD)
    return with_dependents(writer, [entry for entry in entries if not entry.may_have_been_sent])


def delete_objects(writer: WriteContext, creation_kind: EntryKind, wanted: Iterable[int]) -> None:
    """Delete objects below items, as one step. Those that were never sent are withdrawn."""
    of_kind, deletion = CREATIONS[creation_kind], DELETIONS[OBJECT_DELETION_BY_CREATION[creation_kind]]
    table = writer.mirror.objects[of_kind.subject]
    unsent: list[OutboxEntry] = []
    deletions: list[OutboxEntry] = []
    for object_id in map(writer.journal.real_id, wanted):
        made = writer.journal.entries.find(object_id - TEMPORARY_IDS) if object_id < 0 else None
        if made is not None and not made.may_have_been_sent:
            unsent.append(made)
            continue
        document = table.document(object_id) if made is None else of_kind(made).document(object_id)
        if document is None or (made is not None and made.state is EntryState.DISCARDED):
            raise NotFound(f"The {of_kind.noun} was deleted.")
        deletions.append(deletion.of(document))
    if not unsent and not deletions:
        return
    unsent = with_dependents(writer, unsent) if unsent else []
    with writer.journal.transaction():
        step = writer.journal.undo_log.begin()
        withdraw(writer, unsent, step)
        written = writer.journal.add(deletions, step)
    if unsent:
        show_without(writer, unsent)
    update_overlay(writer, [entry.item_id for entry in written])
    announce_objects(writer, written)


def withdraw(writer: WriteContext, entries: Sequence[OutboxEntry], step: int) -> None:
    discard(writer, entries)
    writer.journal.undo_log.withdraw([entry.id for entry in entries], step)
