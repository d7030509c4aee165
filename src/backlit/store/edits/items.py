"""User edits: journalled on disk, laid over the mirror, announced to the screens."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.store.edits.checks import ON_ADD, ON_EDIT, check, check_text
from backlit.store.edits.nodes import show_trees
from backlit.store.edits.rank_order import RankedBlock, reorder
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.entry import (
    ITEM_PLACES,
    OBJECT_CREATIONS,
    ON_NODES,
    ON_OBJECTS,
    RECALLS,
    TRANSFORMS,
    EntryCause,
    EntryKind,
    EntryState,
    OutboxEntry,
    new_comment,
    new_entry,
)
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.merge import is_same
from backlit.store.views.lookups import Lookups


class ItemWithTasks(Struct, frozen=True):
    """A new item, the fields of the tasks below it, and the values of its acceptance criteria.

    `after` is the item that it follows in the backlog's order.
    """

    type: str
    fields: Mapping[str, object]
    tasks: Sequence[Mapping[str, object]] = ()
    after: int | None = None
    criteria: Sequence[Mapping[str, object]] = ()


CheckedFamily = tuple[OutboxEntry, Sequence[OutboxEntry]]
"""The entries that create an item and its tasks."""


class ItemEdits:
    """Edits of items, new items and comments. Each method returns after the change is on disk and visible."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def edit(
        self,
        item_ids: Sequence[int],
        changes: Mapping[str, object],
        seen: Mapping[str, object] | None = None,
        cause: EntryCause = EntryCause.ASKED,
    ) -> None:
        """Change the same fields of some items, as one step.

        Unchanged values are skipped. `seen` holds the values that the user started from: a newer value in the
        store merges or conflicts and is never overwritten. Raises BadRequest that names each invalid key,
        NotFound for an unknown item, and then changes nothing.
        """
        await self.edit_each(dict.fromkeys(item_ids, changes), dict.fromkeys(item_ids, seen or {}), cause)

    async def edit_each(
        self,
        changes: Mapping[int, Mapping[str, object]],
        seen: Mapping[int, Mapping[str, object]] | None = None,
        cause: EntryCause = EntryCause.ASKED,
    ) -> None:
        self._lookups.need_writer()
        bases: dict[int, Mapping[str, object]] = {}
        checked: dict[tuple[str, int], Mapping[str, object]] = {}  # each change is checked once for each type
        wanted = {}
        for given_id, each in changes.items():
            item_id, item_type, _ = self.found(given_id)
            key = (item_type, id(each))
            if key not in checked:
                checked[key] = check(item_type, each, self._lookups, ON_EDIT)
            wanted[item_id] = checked[key]
            bases[item_id] = (seen or {}).get(given_id, {})
        await self._files.edit(lambda writer: _edit(writer, wanted, bases, cause))

    def found(self, item_id: int) -> tuple[int, str, int]:
        """Return an item's current id, type and project. The id may become real between two reads."""
        for _ in range(2):
            real_id = self._files.journal.real_id(item_id)
            sql = "SELECT id, type, project_id FROM items WHERE id = ?"
            found: tuple[int, str, int] | None = self._files.mirror.execute(sql, (real_id,)).fetchone()
            if found is not None:
                return found
        raise NotFound(f"Item {item_id} was deleted.")

    async def add(self, item_type: str, fields: Mapping[str, object]) -> int:
        """Create an item in the current project and return its temporary id.

        The temporary id stays valid until the process ends. The service presets the omitted keys. Raises
        BadRequest that names each invalid key.
        """
        return (await self.add_families([ItemWithTasks(item_type, fields)]))[0]

    async def add_families(self, families: Sequence[ItemWithTasks], cause: EntryCause = EntryCause.ASKED) -> list[int]:
        """Create items with tasks below them, as one step. Returns the items' temporary ids. See `add`."""
        self._lookups.need_writer()
        made, after = self.checked(families), [each.after for each in families]

        def act(writer: WriteContext) -> list[int]:
            entries = add_checked(writer, made, cause, after)
            _add_criteria(writer, entries, [each.criteria for each in families])
            return ids_of(entries)

        return await self._files.edit(act)

    def checked(self, families: Sequence[ItemWithTasks]) -> list[CheckedFamily]:
        """Return the entries that create items with tasks below them; raise BadRequest that names each invalid key."""
        return [
            (self._new(each.type, each.fields), [self._new(ItemType.TASK, task, is_below=True) for task in each.tasks])
            for each in families
        ]

    async def keep(self, item_type: str, fields: Mapping[str, object], reason: str) -> int:
        """Keep a new item in the outbox, unsent, until the user decides. Returns its temporary id. See `add`."""
        entry = replace(self._new(item_type, fields), state=EntryState.REFUSED, reason=reason)
        return (await self._files.write(lambda writer: ids_of(add_checked(writer, [(entry, [])]))))[0]

    def _new(self, item_type: str, fields: Mapping[str, object], *, is_below: bool = False) -> OutboxEntry:
        """Return the checked entry that creates an item. A task of a new item gets its parent later."""
        if item_type not in set(ItemType):
            raise BadRequest(f"Unknown type {item_type}.", {"type": "Unknown type."})
        project_id = self._lookups.need_project()
        required = {
            field.key: None
            for field in FIELD_BY_KEY.values()
            if field.required and field.applies_to(item_type) and not (is_below and field.key == "ParentID")
        }
        values = check(item_type, {**required, **fields}, self._lookups, ON_ADD)
        if "ParentID" in values:
            values["ParentID"] = self._parent(id_in(values, "ParentID"))
        given = {key: value for key, value in values.items() if value is not None}
        payload = {"type": item_type, "projectId": project_id, "fields": given}
        return new_entry(EntryKind.ADD, project_id, payload)

    def _parent(self, item_id: int) -> int:
        fault = "The parent of a task must be an item of the same project, not a task."
        try:
            real_id, item_type, project_id = self.found(item_id)
        except NotFound:
            raise BadRequest(fault, {"ParentID": fault}) from None
        if item_type == ItemType.TASK or project_id != self._lookups.project_id:
            raise BadRequest(fault, {"ParentID": fault})
        return real_id

    async def comment(self, item_id: int, text: str, *, for_customers: bool = False) -> int:
        self._lookups.need_writer()
        check_text(text, self._lookups.limits())
        found_id, _, project_id = self.found(item_id)

        def act(writer: WriteContext) -> int:
            present(writer, found_id)
            entry = new_comment(project_id, found_id, text, for_customers=for_customers)
            written = journalled(writer, [entry])
            announce_objects(writer, written)
            return written[0].temporary_id

        return await self._files.edit(act)


def journalled(writer: WriteContext, entries: Sequence[OutboxEntry]) -> list[OutboxEntry]:
    """Commit a new act to the journal, lay it over the mirror and announce it."""
    # The journal first: a crash after it leaves a change that the next start lays over the mirror, the other way round
    # one that is shown and lost.
    written = writer.journal.add(entries)
    update_overlay(writer, [entry.item_id for entry in written])
    return written


def update_overlay(writer: WriteContext, item_ids: Sequence[int]) -> None:
    """Lay the journal over some items again and announce the changes."""

    def act() -> None:
        family = writer.mirror.hidden.family(item_ids, writer.journal.entries.undelivered(item_ids))
        writer.announce(writer.mirror.lay_over(family, writer.journal.entries.undelivered(family)))

    writer.change_mirror(act)


def present(writer: WriteContext, item_id: int) -> tuple[int, Document]:
    """Return an item's current id and document. Ids never change during a call on the writing thread."""
    real_id = writer.journal.real_id(item_id)
    document = writer.mirror.effective(real_id)
    if document is None:
        raise NotFound(f"Item {item_id} was deleted.")
    return real_id, document


def ids_of(entries: Iterable[OutboxEntry]) -> list[int]:
    return [entry.item_id for entry in entries]


def add_checked(
    writer: WriteContext,
    families: Sequence[CheckedFamily],
    cause: EntryCause = EntryCause.ASKED,
    after: Sequence[int | None] = (),
) -> list[OutboxEntry]:
    """Journal new items with their tasks as one step, and return the entries of the items."""
    for entry, _ in families:
        if entry.parent_id is not None:
            present(writer, entry.parent_id)
    parents = writer.journal.add([replace(entry, cause=cause) for entry, _ in families])
    step = parents[0].step if parents else None
    below = [
        replace(_under(task, parent), cause=cause)
        for parent, (_, tasks) in zip(parents, families, strict=True)
        for task in tasks
    ]
    made = [*parents, *(writer.journal.add(below, step) if below else ())]
    update_overlay(writer, [entry.item_id for entry in made])
    for entry, neighbour in zip(parents, after, strict=False):
        if neighbour is not None:
            block = RankedBlock(entry.project_id, None, (entry.item_id,))
            reorder(writer, block, [("after", writer.journal.real_id(neighbour))], is_local=False, step=step)
            update_overlay(writer, block.ids)
    return parents


def _add_criteria(
    writer: WriteContext, items: Sequence[OutboxEntry], criteria: Iterable[Sequence[Mapping[str, object]]]
) -> None:
    """Journal the acceptance criteria of new items, as part of their step."""
    made = [
        new_entry(EntryKind.ADD_CRITERION, item.project_id, values, item.item_id)
        for item, several in zip(items, criteria, strict=True)
        for values in several
    ]
    if made:
        written = writer.journal.add(made, items[0].step)
        update_overlay(writer, [entry.item_id for entry in written])
        announce_objects(writer, written)


def _under(task: OutboxEntry, parent: OutboxEntry) -> OutboxEntry:
    fields = {**task.fields, "ParentID": parent.item_id}
    return replace(task, payload={**task.payload, "fields": fields})


def _edit(
    writer: WriteContext,
    wanted: Mapping[int, Mapping[str, object]],
    seen: Mapping[int, Mapping[str, object]],
    cause: EntryCause,
) -> None:
    entries = []
    for found_id, values in wanted.items():
        item_id, document = present(writer, found_id)
        fields = fields_in(document)
        changed = {key: value for key, value in values.items() if not is_same(fields.get(key), value)}
        if changed:
            base = _knowing_own(writer, item_id, fields, seen[found_id])
            entries.append(replace(edit_entry(item_id, document, changed, base), cause=cause))
    if entries:
        journalled(writer, entries)


def _knowing_own(
    writer: WriteContext, item_id: int, fields: Mapping[str, object], seen: Mapping[str, object]
) -> Mapping[str, object]:
    """Return the seen values, with the user's own newer values instead where the screen lags behind the keyboard.

    Lists keep their seen value, because additions and removals merge.
    """
    moved = [key for key, value in seen.items() if not isinstance(value, list) and not is_same(fields.get(key), value)]
    if not moved:
        return seen
    own = writer.journal.entries.own_values(item_id)
    return {**seen, **{key: own[key] for key in moved if key in own and is_same(fields.get(key), own[key])}}


def edit_entry(
    item_id: int, document: Document, changed: Mapping[str, object], seen: Mapping[str, object] | None = None
) -> OutboxEntry:
    """Return the entry that changes fields of an item. `seen` overrides the document's values as the base."""
    fields = {**fields_in(document), **(seen or {})}
    modified = document.get("lastModifiedAt")
    base = {key: fields.get(key) for key in changed}
    entry = new_entry(EntryKind.EDIT, id_in(document, "projectId"), changed, item_id, base)
    return replace(entry, base_modified_at=modified if isinstance(modified, str) else None)


def discard(writer: WriteContext, discarded: Sequence[OutboxEntry]) -> None:
    """Discard entries in the journal. Raises BadRequest for an entry that is being sent, except for a mere lookup."""
    if any(each.state is EntryState.SENDING and each.kind not in RECALLS for each in discarded):
        raise BadRequest("The change is being sent. Try again in a moment.")
    writer.journal.update_all(replace(each, state=EntryState.DISCARDED) for each in discarded)


def show_without(writer: WriteContext, discarded: Sequence[OutboxEntry]) -> None:
    writer.release_ranks()
    made = [each.item_id for each in discarded if each.kind is EntryKind.ADD]
    # Tasks that were moved below a new item go back first, or they would go with it.
    update_overlay(writer, [each.item_id for each in discarded if each.kind in TRANSFORMS])
    gone = writer.mirror.remove_items(made)
    update_overlay(writer, [each.item_id for each in discarded if each.item_id not in gone])
    if gone:
        writer.signal.publish(StoreChange(Subject.ITEMS, gone))
    if any(each.kind in ON_NODES for each in discarded):
        _leave_places(writer, {each.node_id for each in discarded if each.kind is EntryKind.NODE_ADD})
        show_trees(writer)
    announce_objects(writer, discarded)
    writer.signal.publish(StoreChange(Subject.OUTBOX))


def announce_objects(
    writer: WriteContext, entries: Iterable[OutboxEntry], renamed: Mapping[int, int] | None = None
) -> None:
    """Announce the kinds of objects below items that entries change, each once with its items."""
    from backlit.store.object_changes.kinds import object_change  # the first rows come before the first edit

    item_ids: dict[Subject, set[int]] = {}
    fields: dict[frozenset[str], set[int]] = {}
    for entry in entries:
        if (change := object_change(entry)) is not None:
            item_ids.setdefault(change.subject, set()).update(change.items)
            if change.item_fields:
                fields.setdefault(change.item_fields, set()).update(change.items)
    for subject, ids in item_ids.items():
        writer.signal.publish(StoreChange(subject, frozenset(ids), renamed=renamed or {}))
    for keys, ids in fields.items():
        writer.signal.publish(StoreChange(Subject.ITEMS, frozenset(ids), keys))


def with_dependents(writer: WriteContext, entries: Sequence[OutboxEntry]) -> list[OutboxEntry]:
    """Return the entries and everything that depends on new items among them: later acts, tasks and relations.

    What goes along with a move depends on it.

    New nodes take along the acts on them and below them. Items moved into a new node keep their previous node.
    """
    made = {each.item_id for each in entries if each.kind is EntryKind.ADD}
    nodes = {each.node_id for each in entries if each.kind is EntryKind.NODE_ADD}
    objects = {each.temporary_id for each in entries if each.kind in OBJECT_CREATIONS}
    undelivered = writer.journal.entries.undelivered() if made or nodes or objects else []
    for each in undelivered:
        if each.kind in ON_NODES and each.needs & nodes:
            nodes.add(each.node_id)
            entries = [*entries, each]
    beside = (each for each in undelivered if each.kind in ON_OBJECTS | TRANSFORMS and each.needs & (made | objects))
    along = (each for entry in entries for each in writer.journal.entries.along(entry))
    entries = [*entries, *beside, *along]
    discarded = made | {each.item_id for each in undelivered if each.parent_id in made}
    found = {each.id: each for each in (*entries, *(each for each in undelivered if each.item_id in discarded))}
    return [found[entry_id] for entry_id in sorted(found)]


def _leave_places(writer: WriteContext, nodes: Collection[int]) -> None:
    """Move nothing into new nodes that were discarded. An entry without another change is discarded too."""
    items = [each for each in writer.journal.entries.undelivered() if each.places & set(nodes)] if nodes else []
    writer.journal.update_all(_without_places(each, nodes) for each in items)
    update_overlay(writer, [each.item_id for each in items])


def _without_places(entry: OutboxEntry, nodes: Collection[int]) -> OutboxEntry:
    kept = {key: value for key, value in entry.fields.items() if key not in ITEM_PLACES or value not in nodes}
    if entry.kind is EntryKind.ADD:
        return replace(entry, payload={**entry.payload, "fields": kept})
    base = {key: value for key, value in entry.base.items() if key in kept}
    return replace(entry, payload=kept, base=base, state=entry.state if kept else EntryState.DISCARDED)
