"""Items that two people have changed."""

from tests.store.service_items import of_type
from tests.store.world import World, until

from backlit.store import Store
from backlit.store.edits.conflicts import ConflictCase


async def contested(world: World, mine: dict[str, object], theirs: dict[str, object]) -> tuple[Store, int]:
    """Maya and jon have changed the same item; jon was first."""
    store, item_id = await world.online(), await of_type(world)
    await world.rival.work_items.update(item_id, theirs)
    await store.items.edit([item_id], mine)
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    return store, item_id


def case_of(store: Store) -> ConflictCase:
    entry = store.outbox_entries()[0]
    case = store.conflicts.case(entry.id)
    assert case is not None
    return case
