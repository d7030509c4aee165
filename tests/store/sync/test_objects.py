"""Relations, criteria, links and time entries as a store reads them from the service."""

from datetime import date

from tests.store.related import made, related, relations_in
from tests.store.service_items import of_type
from tests.store.world import World, sent, until

from backlit.store import Store

DAY = date(2026, 1, 5)


async def test_what_was_there_before_the_first_load_is_read(world: World) -> None:
    feature, story, bug = await made(world, "Feature"), await made(world), await made(world, "Bug")
    await related(world, story, "Parent", feature)
    await related(world, bug, "Blocks", story)
    body = {"workItemId": story, "title": "It works"}
    await world.rival.resource("acceptancecriteria").create(body)
    await world.rival.resource("links").create({"workItemId": story, "displayText": "A", "url": "https://a.example"})

    store = await world.online("fresh")

    assert relations_in(store, story) == {("Parent", feature), ("Blocked By", bug)}
    assert relations_in(store, feature) == {("Child", story)}
    assert store.relations.parents([story, bug]) == {story: feature}
    assert store.relations.open_blockers([story, bug, feature]) == {story: (bug,)}
    assert [each.title for each in store.criteria.of_item(story)] == ["It works"]
    assert store.criteria.counts([story, bug]) == {story: (0, 1)}
    assert [each.url for each in store.links.of_item(story)] == ["https://a.example"]


async def test_what_others_change_is_read_with_its_items(world: World) -> None:
    feature, story, bug = await made(world, "Feature"), await made(world), await made(world, "Bug")
    parent = await related(world, story, "Parent", feature)
    blocks = await related(world, bug, "Blocks", story)
    criteria = world.rival.resource("acceptancecriteria")
    criterion = (await criteria.create({"workItemId": story, "title": "Old"}))["id"]
    store = await world.online()

    other = await made(world, "Feature")
    await world.rival.resource("relations").update(parent, {"targetId": other})
    await world.rival.resource("relations").delete(blocks)
    await criteria.update(criterion, {"title": "New", "status": "Pass"})
    await store.refresh()

    assert relations_in(store, story) == {("Parent", other)}
    assert store.relations.children(other) == (story,)
    assert not store.relations.children(feature)
    assert not store.relations.of_item(bug)
    assert [(each.title, each.status) for each in store.criteria.of_item(story)] == [("New", "Pass")]
    assert store.criteria.counts([story]) == {story: (1, 1)}


async def test_a_deleted_feature_leaves_its_items_without_a_parent(world: World) -> None:
    feature, story = await made(world, "Feature"), await made(world)
    await related(world, story, "Parent", feature)
    store = await world.online()

    await world.rival.work_items.delete(feature)
    await store.refresh()

    assert store.item(feature) is None
    assert store.item(story) is not None
    assert not store.relations.parents([story])
    assert not store.relations.of_item(story)


async def test_an_item_keeps_place_and_state_of_its_own_below_a_done_feature(world: World) -> None:
    feature, story = await made(world, "Feature", Status="Done"), await made(world)
    store = await world.online()
    before = _place(store, story)

    await related(world, story, "Parent", feature)
    await store.refresh()
    await world.rival.work_items.update(story, {"Name": "Newer"})
    await store.refresh()

    assert store.relations.parents([story]) == {story: feature}
    assert _place(store, story) == before


def _place(store: Store, item_id: int) -> object:
    sql = "SELECT rank_priority, rank_id, is_open FROM items WHERE id = ?"
    return store.files.mirror.execute(sql, (item_id,)).fetchone()


async def test_a_roll_up_counts_what_is_below_and_not_the_features(world: World) -> None:
    top, feature = await made(world, "Feature"), await made(world, "Feature", Estimate="40")
    done, open_item = await made(world, Estimate="5", Status="Done"), await made(world, Estimate="8")
    for child, parent in ((feature, top), (done, feature), (open_item, feature), (await made(world, "Bug"), feature)):
        await related(world, child, "Parent", parent)
    await made(world, "Task", ParentID=open_item, WorkRemaining=3, WorkCompleted=1)
    store = await world.online()

    found = store.relations.roll_ups([top, feature, open_item])

    assert (found[top].items, found[top].points, found[top].points_done) == (3, 13.0, 5.0)
    assert (found[feature].items_done, found[feature].unestimated, found[feature].progress) == (1, 1, 5 / 13)
    assert (found[feature].work_remaining, found[feature].work_completed) == (3.0, 1.0)
    assert (found[open_item].items, found[open_item].points) == (1, 0)
    assert store.relations.below([top]) >= {feature, done, open_item}


async def test_an_own_new_item_has_nothing_below_it_to_read(world: World) -> None:
    store = await world.online()
    world.faults.requests.clear()

    new_id = await store.items.add("Story", {"Name": "New"})
    await sent(store)
    await store.refresh()
    asked_after_it = asked_for_objects(world)
    await world.rival.resource("links").create(
        {"workItemId": store.files.journal.real_id(new_id), "displayText": "A", "url": "https://a.example"}
    )
    await store.refresh()

    assert asked_after_it == []
    assert [each.url for each in store.links.of_item(new_id)] == ["https://a.example"]


def asked_for_objects(world: World) -> list[str]:
    nouns = ("relations", "acceptancecriteria", "links", "timeentries")
    return [path for _, path in world.faults.requests if path.endswith(nouns)]


async def test_a_service_without_the_extensions_is_asked_nothing(world: World) -> None:
    world.without_history()
    store = await world.online("fresh")

    await world.rival.work_items.update(await of_type(world), {"Name": "Newer"})
    await store.refresh()

    assert not asked_for_objects(world)
    assert not store.server.offers("relations")


async def test_hours_of_others_are_read_with_an_opened_task_and_for_the_days_that_are_asked_for(world: World) -> None:
    story = await made(world)
    tasks = [await made(world, "Task", ParentID=story) for _ in range(2)]
    times = world.rival.resource("timeentries")
    body = {"hours": 1, "type": "Development", "date": "2026-01-05"}
    entries = [(await times.create({**body, "taskId": task}))["id"] for task in tasks]
    store = await world.online("fresh")
    at_first = [store.time_entries.of_task(task) for task in tasks]

    await store.look_at(tasks[0])
    await until(lambda: store.time_entries.of_task(tasks[0]))
    opened = store.time_entries.of_days(1, DAY, DAY)
    await store.time_entries.read(DAY, DAY)
    read = store.time_entries.of_days(1, DAY, DAY)
    await times.delete(entries[0])
    await store.time_entries.read(DAY, DAY)

    assert at_first == [(), ()]
    assert [each.id for each in opened] == entries[:1]
    assert [each.id for each in read] == entries[::-1]
    assert [each.id for each in store.time_entries.of_days(1, DAY, DAY)] == entries[1:]
