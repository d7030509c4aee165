"""Services that are not ours: no filters, small pages, no extensions; and what is learnt where nothing is told."""

from tests.store.test_sync import mirrored, on_service
from tests.store.world import World, sent

from backlit.model.fields import Kind
from backlit.store import Store
from backlit.store.lookups import told_field


async def test_a_service_that_ignores_filters_is_walked_through_and_nothing_is_missed(world: World) -> None:
    world.faults.ignores_filters = True
    world.faults.largest_page = 17
    store = await world.online()
    assert mirrored(store) == await on_service(world)

    changed, deleted = sorted(await on_service(world))[:2]
    await world.rival.work_items.update_document(changed, {"Name": "Changed"})
    await world.rival.work_items.delete(deleted)
    await store.refresh()

    assert mirrored(store) == await on_service(world)


async def test_small_pages_are_no_reason_to_miss_anything(world: World) -> None:
    world.faults.largest_page = 7
    store = await world.online()
    assert mirrored(store) == await on_service(world)

    for item_id in sorted(await on_service(world))[:20]:
        await world.rival.work_items.update_document(item_id, {"Name": "Changed"})
    await store.refresh()

    assert mirrored(store) == await on_service(world)


async def test_without_extensions_edits_arrive_and_fields_are_learnt_from_values(world: World) -> None:
    world.faults.lacks = frozenset({"/capabilities", "/comments"})
    store = await world.online()
    item_id = min(mirrored(store))

    await store.edit([item_id], {"Name": "Arrived"})
    await sent(store)

    assert (await on_service(world))[item_id] == "Arrived"
    kinds = {field.key: field.kind for field in store.custom_fields()}
    assert kinds["Channel_cf"] is Kind.TEXT
    assert kinds["NeedsLegalReview_cf"] is Kind.BOOLEAN
    assert store.statuses("Task") == ("Not Done", "In Progress", "Done", "Deleted")
    assert all(name == f"team {team_id}" for team_id, name in store.teams().items())
    assert store.tags() == tuple(sorted(set(store.tags())))


async def test_with_extensions_the_service_says_what_fields_and_teams_there_are(world: World) -> None:
    store: Store = await world.online()

    fields = {field.key: field for field in store.custom_fields()}
    assert fields["Channel_cf"].kind is Kind.CHOICE
    assert fields["Channel_cf"].choices == ("Web", "Store", "Phone")
    assert store.teams()
    assert not any(name.startswith("team ") for name in store.teams().values())


def test_a_definition_that_makes_no_sense_is_left_out() -> None:
    assert told_field("Channel_cf") is None
    assert told_field({"key": "Channel"}) is None
    field = told_field({"key": "X_cf", "kind": "unheard of", "types": ["Story", 3], "choices": None})
    assert field is not None
    assert (field.kind, field.types) == (Kind.TEXT, ("Story",))
