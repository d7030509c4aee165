"""What the user does: journalled and on disk, then laid over the mirror, then told to the screens."""

import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from backlit.model.errors import BadRequest, NotFound
from backlit.model.fields import FIELD_BY_KEY, ItemType, Settable
from backlit.store.changes import Change, Subject
from backlit.store.checks import check, check_text
from backlit.store.entries import (
    ITEM_PLACES,
    ON_COMMENTS,
    ON_NODES,
    RECALLED,
    RECALLS,
    EntryKind,
    EntryState,
    OutboxEntry,
    payload_of,
    recall_of,
)
from backlit.store.files import Writer
from backlit.store.lookups import Lookups
from backlit.store.nodes import show_trees
from backlit.store.ranks import release
from backlit.store.rows import Document, fields_in, whole
from backlit.store.values import is_same

_ON_EDIT = frozenset({Settable.ALWAYS})
_ON_ADD = frozenset({Settable.ALWAYS, Settable.ON_CREATE})


@dataclass(frozen=True, slots=True)
class Family:
    """An item that is to be made, and the fields of the tasks that are to be below it."""

    type: str
    fields: Mapping[str, object]
    tasks: Sequence[Mapping[str, object]] = ()


class Edits(Lookups):
    """Edits, new items, comments and drafts; each returns when the disk has it and the screens may show it."""

    wake: Callable[[], None] = staticmethod(lambda: None)
    """Called after an act, on any thread: there is something to send."""

    async def edit(
        self, item_ids: Sequence[int], changes: Mapping[str, object], seen: Mapping[str, object] | None = None
    ) -> None:
        """Change the same fields of some items, as one step.

        Values that are already so are left out. `seen` holds what the user changed the fields from, where the store
        may have something newer by now: that is not overwritten, it merges or is a conflict. Raises BadRequest naming
        the keys that are wrong, NotFound for an item that is not there; then nothing is changed at all.
        """
        await self.edit_each(dict.fromkeys(item_ids, changes), dict.fromkeys(item_ids, seen or {}))

    async def edit_each(
        self, changes: Mapping[int, Mapping[str, object]], seen: Mapping[int, Mapping[str, object]] | None = None
    ) -> None:
        """Change some items, each in its own way and from what was seen of it, as one step; `edit` says more."""
        bases: dict[int, Mapping[str, object]] = {}
        checked: dict[tuple[str, int], Mapping[str, object]] = {}  # the same change of a type is checked once
        wanted = {}
        for given_id, each in changes.items():
            item_id, item_type, _ = self._found(given_id)
            key = (item_type, id(each))
            if key not in checked:
                checked[key] = check(item_type, each, self, _ON_EDIT)
            wanted[item_id] = checked[key]
            bases[item_id] = (seen or {}).get(given_id, {})
        await self._files.write(lambda writer: _edit(writer, wanted, bases))
        self.wake()

    def _found(self, item_id: int) -> tuple[int, str, int]:
        """The id that an item has now, its type and its project; it may get its real id between two reads."""
        for _ in range(2):
            real_id = self._files.journal.real_id(item_id)
            sql = "SELECT id, type, project_id FROM items WHERE id = ?"
            found: tuple[int, str, int] | None = self._files.mirror.execute(sql, (real_id,)).fetchone()
            if found is not None:
                return found
        raise NotFound(f"Item {item_id} is no longer there.")

    async def add(self, item_type: str, fields: Mapping[str, object]) -> int:
        """Make an item in the current project; returns its temporary id, which stays good for as long as it runs.

        Keys that are not given are left to the service's presets. Raises BadRequest naming the keys that are wrong.
        """
        return (await self.add_families([Family(item_type, fields)]))[0]

    async def add_families(self, families: Sequence[Family]) -> list[int]:
        """Make items with tasks below them, as one step; returns the items' temporary ids. `add` says more."""
        made = [
            (self._new(each.type, each.fields), [self._new(ItemType.TASK, task, is_below=True) for task in each.tasks])
            for each in families
        ]
        item_ids = await self._files.write(lambda writer: _add(writer, made))
        self.wake()
        return item_ids

    def _new(self, item_type: str, fields: Mapping[str, object], *, is_below: bool = False) -> OutboxEntry:
        """The entry that makes an item, checked; one below another that is made with it gets its parent later."""
        if item_type not in set(ItemType):
            raise BadRequest(f"There is no type {item_type}.", {"type": "There is no such type."})
        if self.project_id is None:
            raise BadRequest("No project is chosen yet.")
        required = {
            field.key: None
            for field in FIELD_BY_KEY.values()
            if field.required and field.applies_to(item_type) and not (is_below and field.key == "ParentID")
        }
        values = check(item_type, {**required, **fields}, self, _ON_ADD)
        project_id = self.project_id
        if "ParentID" in values:
            values["ParentID"] = self._parent(whole(values["ParentID"]) or 0)
        given = {key: value for key, value in values.items() if value is not None}
        payload = {"type": item_type, "projectId": project_id, "fields": given}
        return OutboxEntry(0, time.time(), project_id, 0, EntryKind.ADD, payload)

    def _parent(self, item_id: int) -> int:
        fault = "A task belongs to an item of the same project that is not itself a task."
        try:
            real_id, item_type, project_id = self._found(item_id)
        except NotFound:
            raise BadRequest(fault, {"ParentID": fault}) from None
        if item_type == ItemType.TASK or project_id != self.project_id:
            raise BadRequest(fault, {"ParentID": fault})
        return real_id

    async def comment(self, item_id: int, text: str, *, for_customers: bool = False) -> int:
        """Write a comment; returns its temporary id. Raises BadRequest when there is no text."""
        check_text(text)
        found_id, _, project_id = self._found(item_id)

        def act(writer: Writer) -> int:
            _present(writer, found_id)
            entry = OutboxEntry(
                0, time.time(), project_id, found_id, EntryKind.COMMENT, payload_of(text, for_customers=for_customers)
            )
            written = journalled(writer, [entry])[0]
            writer.signal.publish(Change(Subject.COMMENTS, frozenset({written.item_id})))
            return written.temporary_id

        temporary_id = await self._files.write(act)
        self.wake()
        return temporary_id

    def draft(self, key: str) -> dict[str, object] | None:
        """What was being written under a key when the screen went away."""
        return self._files.journal.drafts.find(key)

    async def save_draft(self, key: str, content: Mapping[str, object]) -> None:
        """Keep what is being written; on disk when it returns."""
        kept = dict(content)
        await self._files.write(lambda writer: writer.journal.drafts.save(key, kept))

    async def discard_draft(self, key: str) -> None:
        """Throw a draft away; nothing happens where there is none."""
        await self._files.write(lambda writer: writer.journal.drafts.discard(key))

    def outbox_entries(self) -> tuple[OutboxEntry, ...]:
        """All that the service does not have yet, oldest first."""
        return tuple(self._files.journal.undelivered())

    async def retry(self, entry_id: int) -> None:
        """Send a refused or conflicting entry again; a conflict is then settled in favour of the user's values."""
        await self._files.write(lambda writer: _retry(writer, entry_id))
        self.wake()

    async def discard(self, entry_id: int) -> None:
        """Give an entry up, and with a new item all that was to follow it; an act that can be undone.

        A deletion that may have been done is looked for, and what is gone is made again.

        Raises BadRequest while it is being sent: it may have taken effect already.
        """
        await self._files.write(lambda writer: _discard(writer, entry_id))
        self.wake()


def journalled(writer: Writer, entries: Sequence[OutboxEntry]) -> list[OutboxEntry]:
    """The way of a new act into the journal: commit, lay over, tell."""
    written = writer.journal.add(entries)
    show(writer, [entry.item_id for entry in written])
    return written


def show(writer: Writer, item_ids: Sequence[int]) -> None:
    """Lay the journal over some items again and tell what that changed."""

    def act() -> None:
        family = writer.mirror.hidden.family(item_ids, writer.journal.undelivered(item_ids))
        writer.announce(writer.mirror.lay_over(family, writer.journal.undelivered(family)))

    writer.show(act)


def _present(writer: Writer, item_id: int) -> tuple[int, Document]:
    """An item with the id that it has on the writing thread, where no other can be given to it meanwhile."""
    real_id = writer.journal.real_id(item_id)
    document = writer.mirror.effective(real_id)
    if document is None:
        raise NotFound(f"Item {item_id} is no longer there.")
    return real_id, document


def _add(writer: Writer, families: Sequence[tuple[OutboxEntry, Sequence[OutboxEntry]]]) -> list[int]:
    for entry, _ in families:
        if entry.parent_id is not None:
            _present(writer, entry.parent_id)
    parents = writer.journal.add([entry for entry, _ in families])
    step = parents[0].step if parents else None
    below = [_under(task, parent) for parent, (_, tasks) in zip(parents, families, strict=True) for task in tasks]
    made = [*parents, *(writer.journal.add(below, step) if below else ())]
    show(writer, [entry.item_id for entry in made])
    return [entry.item_id for entry in parents]


def _under(task: OutboxEntry, parent: OutboxEntry) -> OutboxEntry:
    fields = {**fields_in(task.payload), "ParentID": parent.item_id}
    return replace(task, payload={**task.payload, "fields": fields})


def _edit(writer: Writer, wanted: Mapping[int, Mapping[str, object]], seen: Mapping[int, Mapping[str, object]]) -> None:
    entries = []
    for found_id, values in wanted.items():
        item_id, document = _present(writer, found_id)
        fields = fields_in(document)
        changed = {key: value for key, value in values.items() if not is_same(fields.get(key), value)}
        if changed:
            base = _knowing_own(writer, item_id, fields, seen[found_id])
            entries.append(edit_entry(item_id, document, changed, base))
    if entries:
        journalled(writer, entries)


def _knowing_own(
    writer: Writer, item_id: int, fields: Mapping[str, object], seen: Mapping[str, object]
) -> Mapping[str, object]:
    """What was seen, save where the value there is now is the user's own: keys come faster than screens follow.

    Lists stay as they were seen: what was put on and taken off since merges.
    """
    moved = [key for key, value in seen.items() if not isinstance(value, list) and not is_same(fields.get(key), value)]
    if not moved:
        return seen
    own = writer.journal.own_edits.values(item_id)
    return {**seen, **{key: own[key] for key in moved if key in own and is_same(fields.get(key), own[key])}}


def edit_entry(
    item_id: int, document: Document, changed: Mapping[str, object], seen: Mapping[str, object] | None = None
) -> OutboxEntry:
    """The entry that changes fields of an item from what was seen of them, else from what its document has."""
    fields = {**fields_in(document), **(seen or {})}
    modified = document.get("lastModifiedAt")
    return OutboxEntry(
        id=0,
        created_at=time.time(),
        project_id=whole(document.get("projectId")) or 0,
        item_id=item_id,
        kind=EntryKind.EDIT,
        payload=changed,
        base={key: fields.get(key) for key in changed},
        base_modified_at=modified if isinstance(modified, str) else None,
    )


def _retry(writer: Writer, entry_id: int) -> None:
    entry = writer.journal.entry(entry_id)
    if entry is None or entry.state not in {EntryState.REFUSED, EntryState.CONFLICT}:
        return
    base = {**entry.base, **entry.theirs}
    writer.journal.update(replace(entry, state=EntryState.WAITING, reason="", base=base, theirs={}, attempts=0))
    show(writer, [entry.item_id])
    if entry.kind in ON_NODES:
        show_trees(writer)
    writer.signal.publish(Change(Subject.OUTBOX))


def _discard(writer: Writer, entry_id: int) -> None:
    entry = writer.journal.entry(entry_id)
    if entry is None or entry.state in {EntryState.SENT, EntryState.DISCARDED}:
        return
    doomed = with_followers(writer, [entry])
    recalls = [recall_of(each) for each in doomed if each.kind in RECALLED and each.has_left]
    with writer.journal.transaction():
        discard(writer, doomed)
        step = writer.journal.steps.begin()
        writer.journal.steps.withdraw([each.id for each in doomed], step)
        writer.journal.add(recalls, step)
    take_out(writer, doomed)


def discard(writer: Writer, doomed: Sequence[OutboxEntry]) -> None:
    """Discard entries in the journal only; raises BadRequest for one that is on its way, save it only asks."""
    if any(each.state is EntryState.SENDING and each.kind not in RECALLS for each in doomed):
        raise BadRequest("It is being sent at this moment; try again when that is settled.")
    writer.journal.update_all(replace(each, state=EntryState.DISCARDED) for each in doomed)


def take_out(writer: Writer, doomed: Sequence[OutboxEntry]) -> None:
    """Show what is left without entries that were discarded."""
    release(writer)
    made = [each.item_id for each in doomed if each.kind is EntryKind.ADD]
    gone = writer.mirror.remove_items(made)
    show(writer, [each.item_id for each in doomed if each.item_id not in gone])
    if gone:
        writer.signal.publish(Change(Subject.ITEMS, gone))
    if any(each.kind in ON_NODES for each in doomed):
        _leave_places(writer, {each.node_id for each in doomed if each.kind is EntryKind.NODE_ADD})
        show_trees(writer)
    if any(each.kind in ON_COMMENTS for each in doomed):
        writer.signal.publish(Change(Subject.COMMENTS, frozenset(each.item_id for each in doomed)))
    writer.signal.publish(Change(Subject.OUTBOX))


def with_followers(writer: Writer, entries: Sequence[OutboxEntry]) -> list[OutboxEntry]:
    """Entries, with all that cannot be sent without the new items among them: acts on those, and their tasks.

    So with new nodes, for what is done to them and below them; items that were put into them stay where they were.
    """
    made = {each.item_id for each in entries if each.kind is EntryKind.ADD}
    nodes = {each.node_id for each in entries if each.kind is EntryKind.NODE_ADD}
    undelivered = writer.journal.undelivered() if made or nodes else []
    for each in undelivered:
        if each.kind in ON_NODES and each.needs & nodes:
            nodes.add(each.node_id)
            entries = [*entries, each]
    doomed = made | {each.item_id for each in undelivered if each.parent_id in made}
    found = {each.id: each for each in (*entries, *(each for each in undelivered if each.item_id in doomed))}
    return [found[entry_id] for entry_id in sorted(found)]


def _leave_places(writer: Writer, nodes: Collection[int]) -> None:
    """Have nothing put into new nodes that were given up; what was only that is given up too."""
    items = [each for each in writer.journal.undelivered() if each.places & set(nodes)] if nodes else []
    writer.journal.update_all(_without_places(each, nodes) for each in items)
    show(writer, [each.item_id for each in items])


def _without_places(entry: OutboxEntry, nodes: Collection[int]) -> OutboxEntry:
    fields = entry.payload if entry.kind is EntryKind.EDIT else fields_in(entry.payload)
    kept = {key: value for key, value in fields.items() if key not in ITEM_PLACES or value not in nodes}
    if entry.kind is EntryKind.ADD:
        return replace(entry, payload={**entry.payload, "fields": kept})
    base = {key: value for key, value in entry.base.items() if key in kept}
    return replace(entry, payload=kept, base=base, state=entry.state if kept else EntryState.DISCARDED)
