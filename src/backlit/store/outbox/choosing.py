"""Which undelivered entries can be sent next, and which of them one request carries."""

from collections.abc import Collection, Mapping

from msgspec.structs import replace

from backlit.model.trees import ROOT_PARENT
from backlit.store.edits.rank_order import rank_neighbours
from backlit.store.files.files import WriteContext
from backlit.store.mirror.overlay import deleted_nodes
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.outbox.batches import BatchSending, CreationBatch
from backlit.store.records.entry import (
    BUSY,
    CREATES,
    ON_NODES,
    ON_RELATIONS,
    TRANSFORMS,
    EntryCause,
    EntryKind,
    EntryState,
    OutboxEntry,
)
from backlit.store.remote.capabilities import announces

_AHEAD = 200
"""The most waiting entries to scan for sendable ones."""


def take(
    writer: WriteContext, room: int, resting: Collection[int], senders: Mapping[EntryKind, BatchSending]
) -> tuple[list[CreationBatch], list[OutboxEntry]]:
    """Choose the next sendable entries and mark them as SENDING in advance.

    The first are creations of an import for one request each; there are none where the service does not take them so.
    """
    if room <= 0:
        return [], []
    chosen: list[OutboxEntry] = []
    offered = writer.mirror.note(CAPABILITIES)
    in_transit = writer.journal.entries.sending()
    batches = {
        kind: CreationBatch(sender, [each for each in in_transit if each.kind is kind])
        for kind, sender in senders.items()
        if announces(offered, sender.extension)
    }
    earlier: dict[tuple[object, int], _EarlierEntries] = {}
    # One after another: a relation may close a circle that is open once an earlier one is taken away. Those of one
    # request are in their order.
    related: set[object] = set()
    related_together: set[object] = set()
    turns, transforms = _StepOrder(), _TransformOrder(writer)
    behind = 0
    occupied: set[int] = set()
    held: set[int] = set()
    being_deleted = {each.item_id for each in in_transit if each.kind is EntryKind.DELETE}
    for entry in writer.journal.entries.outgoing():
        before = earlier.setdefault(_line(entry), _EarlierEntries())
        batch = batches.get(entry.kind)
        is_joining = batch is not None and batch.joins(entry)
        is_free = (
            _is_free(entry, before, batch)
            and _is_neighbour_there(entry, earlier)
            and _is_parent_certain(entry, earlier)
            and _are_tasks_certain(entry, earlier, resting)
            and entry.parent_id not in being_deleted
            and not (entry.kind in ON_RELATIONS and entry.payload.get("type") in related)
            and not (entry.kind in ON_RELATIONS and not is_joining and entry.payload.get("type") in related_together)
            and not occupied & deleted_nodes(entry)
            and turns.is_in_turn(entry)
            and transforms.is_in_turn(entry)
        )
        is_waiting = entry.state is EntryState.WAITING and entry.id not in resting
        is_free = is_free and (batch is None or batch.admits(entry))
        # An import keeps the order of its file: an item whose iteration is not there yet holds the items after it back.
        is_ordered = entry.cause is EntryCause.IMPORT and entry.kind is EntryKind.ADD and entry.parent_id is None
        is_free = is_free and not (is_ordered and entry.step in held)
        if is_ordered and entry.state in BUSY and any(node_id < ROOT_PARENT for node_id in entry.needs):
            held.add(entry.step)
        if is_waiting and is_free and batch is not None and is_joining:
            batch.add(entry)
        elif is_waiting and is_free:
            entry = replace(entry, state=EntryState.SENDING)  # noqa: PLW2901 # later entries see it as in transit
            chosen.append(entry)
        is_blocked = entry.step in held or before.is_sending
        behind += is_blocked or any(each.is_full for each in batches.values())
        if len(chosen) + sum(bool(each.entries) for each in batches.values()) == room or behind > _AHEAD:
            break
        before.add(entry)
        if entry.kind in ON_RELATIONS and entry.state in BUSY:
            is_together = batch is not None and batch.has(entry)
            (related_together if is_together else related).add(entry.payload.get("type"))
        turns.add(entry)
        transforms.add(entry)
        if entry.state in BUSY:
            occupied |= entry.places | entry.places_of_deleted
    together = [each for each in batches.values() if each.entries]
    if chosen or together:
        # Marked before the request leaves: after a crash in between, the next start asks the service whether the change
        # arrived before it sends it again.
        marked = [each if each.kind in CREATES else replace(each, known_id=0) for each in chosen]
        writer.journal.update_all([*marked, *(entry for each in together for entry in each.mark_sending())])
    return together, chosen


class _EarlierEntries:
    """Entries that come before others and must be sent in order with them.

    The look through 200 entries of an import was quadratic without what is noted of them: a quarter of its CPU.
    """

    def __init__(self) -> None:
        self.entries: list[OutboxEntry] = []
        self.is_sending = False
        self.known_ids: set[int] = set()
        """The known ids of those that may have been sent, and are not delivered."""

    def add(self, entry: OutboxEntry) -> None:
        self.entries.append(entry)
        self.is_sending = self.is_sending or entry.state is EntryState.SENDING
        if entry.known_id is not None and entry.state in BUSY:
            self.known_ids.add(entry.known_id)


_NONE = _EarlierEntries()


class _StepOrder:
    """The order within a rollover's step, of which an import has thousands of entries.

    What a rollover marks done counts in the iteration only before the close, what it moves is carried over only after
    it. A part is there before its item is smaller: the history would tell that the item was estimated anew.
    """

    def __init__(self) -> None:
        self._busy: set[int] = set()
        self._events: set[int] = set()
        self._sources: set[tuple[int, int]] = set()

    def is_in_turn(self, entry: OutboxEntry) -> bool:
        if entry.event is not None:
            return entry.step not in self._busy
        return entry.step not in self._events and (entry.step, entry.item_id) not in self._sources

    def add(self, entry: OutboxEntry) -> None:
        if entry.state not in BUSY:
            return
        self._busy.add(entry.step)
        if entry.event is not None:
            self._events.add(entry.step)
        if (source := entry.split_from) is not None:
            self._sources.add((entry.step, source))


class _TransformOrder:
    """The order around conversions and moves: each waits for what was changed before, and holds later changes back.

    The values of the old type or project are refused after it, and those of the new one before it.
    """

    def __init__(self, writer: WriteContext) -> None:
        self._writer = writer
        self._concerned: set[int] = set()
        self._transformed: set[int] = set()

    def is_in_turn(self, entry: OutboxEntry) -> bool:
        if entry.kind is EntryKind.DELETE:
            return True  # it needs neither a type nor a project
        if entry.kind is EntryKind.MOVE_ALONG or not self._transformed.isdisjoint(_items_of(entry)):
            return False
        return entry.kind not in TRANSFORMS or self._concerned.isdisjoint(self._transformed_by(entry))

    def add(self, entry: OutboxEntry) -> None:
        if entry.kind in TRANSFORMS:
            self._transformed |= self._transformed_by(entry)
        if entry.state in BUSY:
            self._concerned |= _items_of(entry)

    def _transformed_by(self, entry: OutboxEntry) -> set[int]:
        along = self._writer.journal.entries.along(entry)
        return {entry.item_id, *(each.item_id for each in along)}


def _items_of(entry: OutboxEntry) -> set[int]:
    """Return the items that an entry is about: its own, the one that it puts a new task below, and other ends."""
    parent_id = entry.parent_id
    return {entry.item_id, *entry.targets} if parent_id is None else {entry.item_id, parent_id}


def _line(entry: OutboxEntry) -> tuple[object, int]:
    """Return the key of entries that must be sent in order: of an item, of a tree, of new items and moves."""
    if entry.kind in ON_NODES:
        return (entry.payload.get("tree"), entry.project_id)
    is_of_order = entry.kind in {EntryKind.ADD, EntryKind.RANK}
    return (entry.kind, entry.project_id) if is_of_order else (None, entry.item_id)


_EarlierByLine = Mapping[tuple[object, int], _EarlierEntries]


def _is_neighbour_there(entry: OutboxEntry, earlier: _EarlierByLine) -> bool:
    """Report whether a move's nearest neighbour is not a new item that is still unsent."""
    if entry.kind is not EntryKind.RANK:
        return True
    (_, nearest), *_ = rank_neighbours(entry.payload)
    new = earlier.get((EntryKind.ADD, entry.project_id), _NONE)
    return not any(each.item_id == nearest and each.state in BUSY for each in new.entries)


def _is_parent_certain(entry: OutboxEntry, earlier: _EarlierByLine) -> bool:
    """Report whether no deletion of a new task's item is under way, or being taken back.

    The item may be gone already, and then be made again with another number, which the task follows.
    """
    before = earlier.get((None, entry.parent_id), _NONE) if entry.parent_id is not None else _NONE
    return not any(each.kind in {EntryKind.DELETE, EntryKind.RECALL} and each.state in BUSY for each in before.entries)


def _are_tasks_certain(entry: OutboxEntry, earlier: _EarlierByLine, resting: Collection[int]) -> bool:
    """Report whether a deletion overtakes no new task of its item, whose answer would bring a row without an item.

    One that failed and rests is given up with the item.
    """
    new = earlier.get((EntryKind.ADD, entry.project_id), _NONE) if entry.kind is EntryKind.DELETE else _NONE
    is_new_task = (
        each.parent_id == entry.item_id and each.state in BUSY and each.id not in resting for each in new.entries
    )
    return not any(is_new_task)


def _is_free(entry: OutboxEntry, earlier: _EarlierEntries, batch: CreationBatch | None) -> bool:
    """Report whether an entry waits for no other: an entry in transit, a new item or node, a blocked change.

    It does not wait for those that go in its batch.
    """
    if any(node_id < ROOT_PARENT for node_id in entry.needs):
        return False
    before = earlier.entries
    if entry.kind in ON_NODES:
        blocked = {each.node_id for each in before if each.touched & entry.touched}
        return not any(each.state in BUSY for each in before) and entry.node_id not in blocked
    if entry.kind is EntryKind.ADD:
        is_parent_there = (entry.parent_id or 0) >= 0
        is_line_free = not earlier.is_sending
        return is_parent_there and is_line_free and (batch is None or _is_order_sure(entry, earlier, batch))
    if entry.item_id < 0:
        return False
    if batch is not None and batch.joins(entry):
        before = [each for each in before if not batch.has(each)]
    return not any(each.state in BUSY or each.touched & entry.touched for each in before)


def _is_order_sure(entry: OutboxEntry, earlier: _EarlierEntries, batch: CreationBatch) -> bool:
    """Report whether a new item of a batch comes after no item that is being looked for."""
    return not batch.joins(entry) or earlier.known_ids <= {entry.known_id}
