"""Changes of rank order: the numbers that show it at once, and the entries that send it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backlit.store.edits.items import show
from backlit.store.edits.rank_order import Place, RankOrder, RankTarget, beside_of
from backlit.store.files.files import Writer
from backlit.store.records.changes import Change, Subject
from backlit.store.records.entry import EntryKind, EntryState, OutboxEntry
from backlit.store.sqlite.database import transaction


@dataclass(frozen=True, slots=True)
class Block:
    """Items that move together, in their order, all of one parent."""

    project_id: int
    parent_id: int | None
    ids: tuple[int, ...]


def rank_order_of(writer: Writer, block: Block) -> RankOrder:
    """Return the rank order that a block belongs to."""
    return RankOrder(writer.mirror.connection, block.project_id, block.parent_id)


def reorder(writer: Writer, block: Block, beside: Sequence[RankTarget], *, is_local: bool) -> bool:
    """Move a block next to something, as a new act. Returns False if every neighbour was deleted."""
    rank_order = rank_order_of(writer, block)
    former = {item_id: rank_order.former(item_id, block.ids) for item_id in block.ids}
    numbers = rank_order.put(block.ids, beside)
    if numbers is None:
        return False
    wanted: dict[int, list[RankTarget]] = {}
    for at, item_id in enumerate(block.ids):
        wanted[item_id] = [("after", block.ids[at - 1]), *beside] if at else list(beside)
    entries = [_entry(block, item_id, wanted[item_id], former[item_id], is_local=is_local) for item_id in block.ids]
    with transaction(writer.mirror.connection):
        writer.mirror.ranks.put(numbers)
        with writer.journal.transaction():
            writer.journal.add(entries)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
    show(writer, block.ids)
    _tell(writer, numbers)
    return True


def move_back(writer: Writer, entries: Sequence[OutboxEntry], step: int) -> list[OutboxEntry]:
    """Move items back to their positions before some entries, from the top on, in the open transaction."""
    block = _block_of(writer, entries)
    rank_order = rank_order_of(writer, block)
    is_local = any(each.state is EntryState.KEPT for each in entries)
    stood = {each.item_id: beside_of(each.base) for each in entries}
    former = {item_id: rank_order.former(item_id, block.ids) for item_id in block.ids}
    moved: list[OutboxEntry] = []
    for item_id in [each.item_id for each in sorted(entries, key=lambda each: each.id)]:
        numbers = rank_order.put([item_id], stood[item_id])
        if numbers is not None:
            writer.mirror.ranks.put(numbers)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
            moved.append(_entry(block, item_id, stood[item_id], former[item_id], is_local=is_local))
            _tell(writer, numbers)
    return writer.journal.add(moved, step)


def _block_of(writer: Writer, entries: Sequence[OutboxEntry]) -> Block:
    """Return the block that entries moved, in its present order."""
    sql = "SELECT CASE WHEN rank_id = id THEN NULL ELSE parent_id END FROM items WHERE id = ?"
    found = writer.mirror.connection.execute(sql, (entries[0].item_id,)).fetchone()
    parent_id = found[0] if found else None
    rank_order = RankOrder(writer.mirror.connection, entries[0].project_id, parent_id)
    places = [rank_order.place_of(each.item_id) or Place(0.0, each.item_id) for each in entries]
    ids = tuple(each.id for each in sorted(places, key=lambda each: (each.number, each.id)))
    return Block(entries[0].project_id, parent_id, ids)


def _entry(
    block: Block, item_id: int, beside: Sequence[RankTarget], former: Sequence[RankTarget], *, is_local: bool
) -> OutboxEntry:
    payload: Mapping[str, object] = {"beside": list(beside)}
    state = EntryState.KEPT if is_local else EntryState.WAITING
    base = {"beside": list(former)}
    return OutboxEntry(0, time.time(), block.project_id, item_id, EntryKind.RANK, payload, base, state=state)


def _tell(writer: Writer, numbers: Mapping[int, float]) -> None:
    writer.signal.publish(Change(Subject.ITEMS, frozenset(numbers), frozenset({"BacklogPriority"})))
