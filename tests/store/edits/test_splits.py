"""Items that are split: parts below them with tasks, criteria and points, as one step that is undone whole."""

from tests.store.related import criteria_at, criteria_in, made, related, relations_at, relations_in
from tests.store.service_items import fields
from tests.store.transformed import here, settled, there
from tests.store.world import World, raised

from backlit.model.errors import BadRequest
from backlit.store.edits.splits import SplitPart, rest_of_points


async def test_a_split_gives_each_part_its_own_and_is_undone_as_one(world: World) -> None:
    feature, story = await made(world, "Feature"), await made(world, Estimate="8", Tags=["ux"], Priority=2)
    await related(world, story, "Parent", feature)
    task, other = await made(world, "Task", ParentID=story), await made(world, "Task", ParentID=story)
    store = await world.online()
    await store.criterion_edits.add_all(story, ["Goes", "Both", "Stays"])
    await settled(world, store)
    goes, both, _ = (each.id for each in store.criteria.of_item(story))
    before = here(store, story), here(store, task), criteria_in(store, story)
    world.faults.is_down = True

    part = SplitPart("Rest", 5.0, [task], [goes], [both])
    (new,), left_out = await store.splits.split(story, [part], {"Name": "First"})
    shown = relations_in(store, new)
    await settled(world, store)

    item = store.item(new)
    assert item is not None
    assert not left_out
    assert shown == {("Parent", feature), ("Related", story)} == await relations_at(world, item.id)
    assert {key: item.fields[key] for key in ("Name", "Estimate", "Tags", "Priority")} == {
        "Name": "Rest",
        "Estimate": "5",
        "Tags": ["ux"],
        "Priority": 2,
    }
    assert ((await fields(world, story))["Estimate"], (await fields(world, story))["Name"]) == ("3", "First")
    assert [(await fields(world, each))["ParentID"] for each in (task, other)] == [item.id, story]
    assert [title for title, _ in await criteria_at(world, item.id)] == ["Goes", "Both"]
    assert [title for title, _ in await criteria_at(world, story)] == ["Both", "Stays"]
    assert await there(world, item.id) == here(store, item.id)
    await store.history.undo()
    await settled(world, store)
    after = here(store, story), here(store, task), criteria_in(store, story)
    assert (after[0], after[1], sorted(after[2])) == (before[0], before[1], sorted(before[2]))
    assert await there(world, story) == before[0]
    assert (await fields(world, item.id))["Status"] == "Deleted"
    assert store.outbox_entries() == ()


async def test_parts_stand_below_their_item(world: World) -> None:
    story = await made(world)
    await made(world)
    store = await world.online()

    ids, _ = await store.splits.split(story, [SplitPart("One"), SplitPart("Two")])
    await settled(world, store)

    order = await world.names()
    page = await world.rival.work_items.page(filter="projectId eq 1", order="BacklogPriority", top=1000)
    ranked = [each["fields"]["Name"] for each in page.results]
    at = ranked.index("One")
    assert {"One", "Two"} <= set(order)
    assert page.results[at - 1]["id"] == story
    assert ranked[at + 1] == "Two"
    assert len(ids) == 2


async def test_a_service_that_moves_no_tasks_gets_them_again(world: World) -> None:
    story = await made(world, Estimate="3")
    task = await made(world, "Task", "Look", ParentID=story, WorkRemaining=2.0)
    world.without_history()
    store = await world.online("fresh")

    (new,), _ = await store.splits.split(story, [SplitPart("Rest", 1.0, [task])])
    await settled(world, store)

    part = store.item(new)
    assert part is not None
    (again,) = store.batch.tasks_of(part.id)
    assert (again.name, again.fields["WorkRemaining"]) == ("Look", 2.0)
    assert (await fields(world, task))["Status"] == "Deleted"
    await store.history.undo()
    await settled(world, store)
    assert (await fields(world, task))["Status"] == "Not Done"
    assert (await fields(world, story))["Estimate"] == "3"


async def test_a_split_without_parts_names_or_of_a_task_is_refused(world: World) -> None:
    story = await made(world)
    task = await made(world, "Task", ParentID=story)
    store = await world.online()

    faults = [
        await raised(store.splits.split(story, [])),
        await raised(store.splits.split(story, [SplitPart(" ")])),
        await raised(store.splits.split(story, [SplitPart("x", -1.0)])),
        await raised(store.splits.split(task, [SplitPart("x")])),
    ]

    assert {type(each) for each in faults} == {BadRequest}
    assert store.outbox_entries() == ()


def test_points_that_stay_are_what_the_parts_leave() -> None:
    assert rest_of_points("8", [SplitPart("", 5.0), SplitPart("")]) == 3.0
    assert rest_of_points("3", [SplitPart("", 5.0)]) == 0.0
    assert rest_of_points("XL", [SplitPart("", 5.0)]) is None
