"""Moving things in the order: numbers that show it at once, and the entries that bring the service to it."""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backlit.store.changes import Change, Subject
from backlit.store.database import transaction
from backlit.store.edits import show
from backlit.store.entries import EntryKind, EntryState, OutboxEntry
from backlit.store.files import Writer
from backlit.store.lineup import Beside, Lineup, Place, beside_of
from backlit.store.ranks import lay_numbers


@dataclass(frozen=True, slots=True)
class Block:
    """What is moved as one, in its order, and all of one lineup."""

    project_id: int
    parent_id: int | None
    ids: tuple[int, ...]


def lineup_of(writer: Writer, block: Block) -> Lineup:
    """The order that a block stands in."""
    return Lineup(writer.mirror.connection, block.project_id, block.parent_id)


def reorder(writer: Writer, block: Block, beside: Sequence[Beside], *, is_local: bool) -> bool:
    """Move a block beside something, as a new act; False where nothing is left of what it was to stand beside."""
    lineup = lineup_of(writer, block)
    former = {item_id: lineup.former(item_id, block.ids) for item_id in block.ids}
    numbers = lineup.put(block.ids, beside)
    if numbers is None:
        return False
    wanted: dict[int, list[Beside]] = {}
    for at, item_id in enumerate(block.ids):
        wanted[item_id] = [("after", block.ids[at - 1]), *beside] if at else list(beside)
    entries = [_entry(block, item_id, wanted[item_id], former[item_id], is_local=is_local) for item_id in block.ids]
    with transaction(writer.mirror.connection):
        lay_numbers(writer.mirror, numbers)
        with writer.journal.transaction():
            writer.journal.add(entries)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
    show(writer, block.ids)
    _tell(writer, numbers)
    return True


def move_back(writer: Writer, entries: Sequence[OutboxEntry], step: int) -> list[OutboxEntry]:
    """Move what some entries moved to where it stood before, from the top on, in the transaction that is open."""
    block = _block_of(writer, entries)
    lineup = lineup_of(writer, block)
    is_local = any(each.state is EntryState.KEPT for each in entries)
    stood = {each.item_id: beside_of(each.base) for each in entries}
    former = {item_id: lineup.former(item_id, block.ids) for item_id in block.ids}
    moved: list[OutboxEntry] = []
    for item_id in [each.item_id for each in sorted(entries, key=lambda each: each.id)]:
        numbers = lineup.put([item_id], stood[item_id])
        if numbers is not None:
            lay_numbers(writer.mirror, numbers)
            writer.journal.ranks.put(block.project_id, numbers, is_local=is_local)
            moved.append(_entry(block, item_id, stood[item_id], former[item_id], is_local=is_local))
            _tell(writer, numbers)
    return writer.journal.add(moved, step)


def _block_of(writer: Writer, entries: Sequence[OutboxEntry]) -> Block:
    """The block that entries moved, in the order in which it stands now."""
    sql = "SELECT CASE WHEN rank_id = id THEN NULL ELSE parent_id END FROM items WHERE id = ?"
    found = writer.mirror.connection.execute(sql, (entries[0].item_id,)).fetchone()
    parent_id = found[0] if found else None
    lineup = Lineup(writer.mirror.connection, entries[0].project_id, parent_id)
    places = [lineup.place_of(each.item_id) or Place(0.0, each.item_id) for each in entries]
    ids = tuple(each.id for each in sorted(places, key=lambda each: (each.number, each.id)))
    return Block(entries[0].project_id, parent_id, ids)


def _entry(
    block: Block, item_id: int, beside: Sequence[Beside], former: Sequence[Beside], *, is_local: bool
) -> OutboxEntry:
    payload: Mapping[str, object] = {"beside": list(beside)}
    state = EntryState.KEPT if is_local else EntryState.WAITING
    base = {"beside": list(former)}
    return OutboxEntry(0, time.time(), block.project_id, item_id, EntryKind.RANK, payload, base, state=state)


def _tell(writer: Writer, numbers: Mapping[int, float]) -> None:
    writer.signal.publish(Change(Subject.ITEMS, frozenset(numbers), frozenset({"BacklogPriority"})))
