"""Items in conflict, and the dialog that settles them."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.store.service_items import of_type
from tests.store.world import World, sent, until
from tests.tui.bare_app import text_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.items.conflict_dialog import ConflictDialog

TEXT = "As a guest\nI want\nto pay\nby card"


async def contest(world: World, store: Store, mine: dict[str, object], theirs: dict[str, object]) -> int:
    """Maya and jon have changed the same item; jon was first."""
    item_id = await of_type(world)
    await store.items.edit([item_id], {"Description": TEXT})
    await sent(store)
    world.faults.is_down = True
    await store.items.edit([item_id], mine)
    await world.rival.work_items.update(item_id, theirs)
    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.conflicts == 1, store.outbox_entries)
    return item_id


async def contest_names(world: World, store: Store) -> int:
    return await contest(
        world,
        store,
        {"Name": "Mine [b]", "Estimate": "777", "Status": "Ready For Test"},
        {"Name": "Theirs", "Estimate": "888"},
    )


@asynccontextmanager
async def settling(opened: Open, store: Store, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
    """The dialog, opened from the outbox."""
    async with opened(store, size) as pilot:
        await pilot.press("g", "o", "enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, ConflictDialog), text_of(pilot.app)
        yield pilot
