"""Grooming sessions for tests: items that lack something, and the queue by keys."""

from tests.store.world import World, until
from tests.tui.list_steps import items, press, shown
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.groom.screen import GroomScreen


async def unestimated(world: World, store: Store, count: int, *types: str) -> list[int]:
    """The first open stories and bugs, without their estimates."""
    ids = [row.id for row in await shown(store) if row.type in (types or ("Story", "Bug"))][:count]
    assert len(ids) == count
    for item_id in ids:
        await world.rival.work_items.update(item_id, {"Estimate": None})
    await store.refresh()
    assert all("estimate" in [rule.id for rule in store.ready_check.faults([each])[each]] for each in ids)
    return ids


async def queue_of(pilot: Pilot[None], ids: list[int]) -> None:
    """Select some items of the backlog, in its order, and open the queue."""
    backlog = items(pilot)
    for item_id in ids:
        row = backlog.find_row(item_id)
        assert row is not None
        await press(pilot, *str(row + 1), "G", "space")
    await press(pilot, "g", "q")
    await until(lambda: isinstance(pilot.app.screen, GroomScreen))
    await pilot.pause()


def current(pilot: Pilot[None]) -> int:
    screen = pilot.app.screen
    assert isinstance(screen, GroomScreen)
    return screen.current().id


async def answer(pilot: Pilot[None], label: str, digit: str) -> None:
    """Go to a question and give an answer."""
    screen = pilot.app.screen
    assert isinstance(screen, GroomScreen)
    for key in (*"kkkkkkkkk", *"jjjjjjjjj"):
        asked = screen.questions.current
        if asked is not None and asked.field.label == label:
            break
        await press(pilot, key)
    await press(pilot, digit)


async def unplanned(world: World, store: Store) -> int:
    """A story without an estimate in the backlog."""
    (item_id,) = await unestimated(world, store, 1, "Story")
    root = next(each.id for each in store.lookups.iterations().values() if "\\" not in each.path)
    await world.rival.work_items.update(item_id, {"IterationID": root, "Status": "Not Done", "Maturity": "5 - Mature"})
    await store.refresh()
    return item_id


def item_fields(store: Store, item_id: int) -> dict[str, object]:
    item = store.item(item_id)
    assert item is not None
    return dict(item.fields)
