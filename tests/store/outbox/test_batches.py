"""What an import makes, many in one request: in their order, each once, and what the service rejects told."""

import pytest
from msgspec.structs import replace
from tests.store.world import Said, World, sent, until

from backlit.store import Store
from backlit.store.edits.imports import ImportedRelation, NewItem, NewPlace
from backlit.store.records.entry import EntryState
from backlit.store.records.people import TreeKind

pytestmark = pytest.mark.slow

NAMES = [f"Imported {number}" for number in range(5)]
ITEMS = [NewItem("Story", {"Name": name}) for name in NAMES]
COMMENTED = [
    NewItem("Story", {"Name": name}, comments=(f"{name}: first", f"{name}: second", "The same text")) for name in NAMES
]
TEXTS = sorted(text for item in COMMENTED for text in item.comments)


async def imported(world: World) -> list[str]:
    return [name for name in await world.names() if name in NAMES]


async def imported_texts(world: World) -> list[str]:
    listed = await world.rival.resource("comments").page(top=1000)
    return sorted(each["description"] for each in listed.results if each["description"] in TEXTS)


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


async def test_sprints_that_are_over_end_before_today_and_the_next_one_begins(world: World) -> None:
    store = await world.online()
    store.pin_project(1)
    names = {"Sprint 901": True, "Sprint 902": True, "Sprint 903": False, "Sprint 904": False}

    await store.imports.make_places([NewPlace(TreeKind.ITERATIONS, name, is_over=over) for name, over in names.items()])
    spans = {each.name: (each.start, each.end) for each in store.lookups.iterations().values() if each.name in names}

    today = store.today()
    assert [end < today for _, end in spans.values() if end] == [True, True, False, False]
    assert spans["Sprint 903"][0] == today


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


async def test_comments_of_an_import_go_in_one_request_and_in_their_order(world: World) -> None:
    store = await world.online()
    before = world.faults.count("POST")

    await written(store, *COMMENTED)
    await sent(store)
    items = (await world.rival.work_items.page(top=1000)).results
    first_id = next(each["id"] for each in items if each["fields"]["Name"] == NAMES[0])
    texts = [each["description"] for each in (await world.rival.work_items.comments(first_id).page()).results]

    assert world.faults.count("POST") == before + 2
    assert await imported_texts(world) == TEXTS
    assert texts == list(COMMENTED[0].comments)


async def test_comments_whose_answer_was_lost_are_found_and_not_made_again(world: World) -> None:
    world.waits = replace(world.waits, first_pause=0.01, in_transit=0.0)
    store = await world.online()

    async def lose(_method: str, path: str) -> None:
        if path.endswith("/comments/batch") and not world.faults.requests[:-1].count(("POST", path)):
            world.faults.lost_answers["POST"] = 1

    world.faults.before = lose
    await written(store, *COMMENTED)
    await sent(store)

    assert world.faults.lost_answers["POST"] == 0
    assert await imported_texts(world) == TEXTS


async def test_comments_go_one_by_one_where_the_service_rejects_them_together(world: World) -> None:
    store = await world.online()
    world.faults.says = lambda _method, path: Said(400) if path.endswith("/comments/batch") else None

    await written(store, *COMMENTED)
    await sent(store)

    assert await imported_texts(world) == TEXTS


async def test_relations_of_an_import_go_in_one_request_and_once(world: World) -> None:
    world.waits = replace(world.waits, first_pause=0.01, in_transit=0.0)
    store = await world.online()
    await written(store, NewItem("Feature", {"Name": "Shop"}), *ITEMS)
    await sent(store)
    ids = {row["fields"]["Name"]: row["id"] for row in (await world.rival.work_items.page(top=1000)).results}
    before = world.faults.count("POST")
    world.faults.lost_answers["POST"] = 1

    wanted = [ImportedRelation(ids[name], "Parent", ids["Shop"]) for name in NAMES]
    await store.imports.relate([*wanted, ImportedRelation(ids[NAMES[0]], "Blocks", ids[NAMES[1]])])
    await sent(store)
    listed = (await world.rival.resource("relations").page(filter=f"targetId eq {ids['Shop']}", top=100)).results

    assert world.faults.count("POST") == before + 1
    assert sorted(each["workItemId"] for each in listed) == sorted(ids[name] for name in NAMES)


async def test_an_imported_comment_mentions_nobody(world: World) -> None:
    store = await world.online()

    await written(store, NewItem("Story", {"Name": NAMES[0]}, comments=("@jon, look at this",)))
    await sent(store)
    news = (await world.rival.unread_activities(1, 100))["results"]

    assert [each["isFlagged"] for each in news if each["subject"] == "comment"] == [False]
