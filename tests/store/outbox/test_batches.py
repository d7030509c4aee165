"""New items of an import, many in one request: in their order, each once, and those that the service rejects told."""

import pytest
from msgspec.structs import replace
from tests.store.world import World, sent, until

from backlit.store import Store
from backlit.store.edits.imports import NewItem, NewPlace
from backlit.store.records.entry import EntryState
from backlit.store.records.people import TreeKind

pytestmark = pytest.mark.slow

NAMES = [f"Imported {number}" for number in range(5)]
ITEMS = [NewItem("Story", {"Name": name}) for name in NAMES]


async def imported(world: World) -> list[str]:
    return [name for name in await world.names() if name in NAMES]


async def written(store: Store, *items: NewItem) -> None:
    store.pin_project(1)
    await store.imports.write("Jira SHOP", items)


async def test_an_import_goes_in_one_request_and_keeps_its_order(world: World) -> None:
    store = await world.online()
    before = world.faults.count("POST")

    await written(store, *ITEMS)
    await sent(store)

    assert world.faults.count("POST") == before + 1
    assert await imported(world) == NAMES


async def test_items_wait_for_those_above_them_whose_iteration_is_not_there_yet(world: World) -> None:
    store = await world.online()
    store.pin_project(1)
    sprints = ["Sprint 901", "Sprint 902"]
    items = [replace(item, places={"IterationID": name}) for item, name in zip(ITEMS, sprints, strict=False)]

    step = await store.imports.make_places([NewPlace(TreeKind.ITERATIONS, name) for name in sprints])
    await store.imports.write("Jira SHOP", [*items, *ITEMS[2:]], step=step)
    await sent(store)

    assert await imported(world) == NAMES


async def test_items_whose_answer_was_lost_are_found_and_not_made_again(world: World) -> None:
    world.waits = replace(world.waits, first_pause=0.01, in_transit=0.0)
    store = await world.online()
    world.faults.lost_answers["POST"] = 1

    await written(store, *ITEMS, ITEMS[0])
    await sent(store)

    assert world.faults.lost_answers["POST"] == 0
    assert await imported(world) == [*NAMES, NAMES[0]]


async def test_one_item_that_the_service_rejects_keeps_none_of_the_others(world: World) -> None:
    store = await world.online()
    wrong = NewItem("Story", {"Name": "Wrong", "Status": "Nowhere"})

    await written(store, *ITEMS[:2], wrong, *ITEMS[2:])
    await until(lambda: [each.state for each in store.outbox_entries()] == [EntryState.REFUSED], store.outbox_entries)

    assert "Status" in store.outbox_entries()[0].reason
    assert await imported(world) == NAMES
