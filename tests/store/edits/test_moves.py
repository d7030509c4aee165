"""Items that move to another project, with what is theirs, and back; tasks that move below another item."""

import pytest
from tests.store.related import made, related, relations_at, relations_in
from tests.store.transformed import here, settled, there
from tests.store.world import World, raised, sent

from backlit.model.errors import BadRequest
from backlit.store import Store
from backlit.store.edits.moves import WithChildren, move_tasks
from backlit.store.remote.reachability import RetryPauses
from backlit.store.views.query import ViewSpec

EVIDENT_SOON = RetryPauses(first_pause=0.01, longest_pause=0.01, in_transit=0.05)
OTHER = 2


async def place(world: World, item_id: int) -> int:
    return int(str((await world.rival.work_items.get(item_id))["projectId"]))


def projects_of(store: Store, *item_ids: int) -> set[int]:
    return {item.project_id for each in item_ids if (item := store.item(each)) is not None}


async def sprint(world: World, project_id: int) -> int:
    page = await world.rival.iterations.page(filter=f"projectId eq {project_id} and name eq 'Sprint 15'")
    return int(page.results[0]["id"])


@pytest.mark.parametrize("is_online", [True, False], ids=["online", "offline"])
async def test_an_item_moves_with_its_tasks_and_comes_back_as_it_was(world: World, is_online: bool) -> None:
    own, other = await sprint(world, 1), await sprint(world, OTHER)
    area = (await world.rival.areas.page(filter="projectId eq 1 and parentId ne null")).results[-1]["id"]
    values = {"Estimate": "5", "IterationID": own, "AreaID": area, "Channel_cf": "Store", "Status": "Ready For Test"}
    story = await made(world, **values)
    task = await made(world, "Task", ParentID=story, WorkRemaining=2.0)
    feature = await made(world, "Feature")
    await related(world, story, "Parent", feature)
    store = await world.online()
    before = [here(store, each) for each in (story, task)]

    outlook = await store.moves.outlook(story, OTHER)
    world.faults.is_down = not is_online
    await store.moves.to_project([story], OTHER)
    at_once = projects_of(store, story, task), relations_in(store, story)
    await settled(world, store)

    assert at_once == ({OTHER}, set())
    assert [each.key for each in outlook.notable] == ["Channel_cf"]
    assert outlook.left == [f"its Feature #{feature}"]
    assert {await place(world, each) for each in (story, task)} == {OTHER}
    assert (await there(world, story))[1]["IterationID"] == other
    assert [here(store, each) for each in (story, task)] == [await there(world, each) for each in (story, task)]
    await store.history.undo()
    assert projects_of(store, story, task) == {1}
    await settled(world, store)
    assert [await there(world, each) for each in (story, task)] == before
    assert [here(store, each) for each in (story, task)] == before
    assert relations_in(store, story) == {("Parent", feature)} == await relations_at(world, story)
    await store.history.redo()
    await settled(world, store)
    assert {await place(world, each) for each in (story, task)} == {OTHER} == projects_of(store, story, task)
    assert store.outbox_entries() == ()


@pytest.mark.parametrize("is_sent", [True, False], ids=["sent", "unsent"])
async def test_undone_moves_give_the_places_in_the_order_back(world: World, is_sent: bool) -> None:
    feature, story, last = await made(world, "Feature"), await made(world), await made(world)
    await related(world, story, "Parent", feature)
    for each in (last, feature, story):
        await world.rival.work_items.act(each, "rank", {"top": True})
    store = await world.online()
    before = await order(store)
    world.faults.is_down = not is_sent

    await store.moves.to_project([feature, last], OTHER)
    if is_sent:
        await settled(world, store)
    await store.history.undo()
    at_once = await order(store)
    await settled(world, store)

    assert {feature, story, last} < {*before}
    assert at_once == before == await order(store)
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'")
    served = [each["id"] for each in page.results]
    assert [each for each in before if each in served] == [each for each in served if each in before]


async def order(store: Store) -> list[int]:
    view = store.view(ViewSpec())
    await view.load()
    return list(view.ids())


async def test_a_move_that_was_not_sent_is_undone_and_redone(world: World) -> None:
    story = await made(world)
    task = await made(world, "Task", ParentID=story)
    store = await world.online()
    world.faults.is_down = True

    await store.moves.to_project([story], OTHER)
    await store.history.undo()
    back = projects_of(store, story, task)
    await store.history.redo()

    assert back == {1}
    assert projects_of(store, story, task) == {OTHER}
    await settled(world, store)
    assert {await place(world, each) for each in (story, task)} == {OTHER}


@pytest.mark.parametrize("children", WithChildren)
async def test_a_feature_moves_with_all_below_or_leaves_it(world: World, children: WithChildren) -> None:
    feature, story = await made(world, "Feature"), await made(world)
    task = await made(world, "Task", ParentID=story)
    await related(world, story, "Parent", feature)
    store = await world.online()
    assert store.moves.items_below([feature]) == 1

    await store.moves.to_project([feature], OTHER, children)
    await settled(world, store)

    below = {OTHER} if children is WithChildren.MOVE else {1}
    assert projects_of(store, story, task) == below == {await place(world, each) for each in (story, task)}
    assert await place(world, feature) == OTHER
    assert bool(await relations_at(world, story)) is (children is WithChildren.MOVE)
    await store.history.undo()
    await settled(world, store)
    assert {await place(world, each) for each in (feature, story, task)} == {1}
    assert await relations_at(world, story) == {("Parent", feature)} == relations_in(store, story)


async def test_a_move_waits_for_what_was_made_before_it_and_holds_what_comes_after(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    story = await store.items.add("Story", {"Name": "New"})
    task = await store.items.add("Task", {"Name": "Below", "ParentID": story})
    await store.items.edit([task], {"WorkRemaining": 1.0})
    await store.moves.to_project([story], OTHER)
    await store.items.edit([task], {"WorkRemaining": 2.0})

    await settled(world, store)

    made_story, made_task = store.item(story), store.item(task)
    assert made_story is not None
    assert made_task is not None
    assert {await place(world, each.id) for each in (made_story, made_task)} == {OTHER}
    assert (await there(world, made_task.id))[1]["WorkRemaining"] == 2.0
    assert store.outbox_entries() == ()


async def test_a_lost_answer_moves_once(world: World) -> None:
    world.waits = EVIDENT_SOON
    story = await made(world)
    store = await world.online()
    world.faults.lost_answers["POST"] = 1

    await store.moves.to_project([story], OTHER)
    await sent(store)

    assert await place(world, story) == OTHER
    assert store.outbox_entries() == ()


async def test_a_task_moves_with_its_item_alone(world: World) -> None:
    task = await made(world, "Task", ParentID=await made(world))
    store = await world.online()

    refused = await raised(store.moves.to_project([task], OTHER))

    assert isinstance(refused, BadRequest)
    assert refused.message == f"#{task} is a Task, which moves with its item."
    assert (await raised(store.moves.to_project([await made(world)], 1))).message


async def test_a_service_that_cannot_move_gets_a_copy_and_the_original_is_deleted(world: World) -> None:
    story = await made(world, "Story", "Moved", Estimate="5", Channel_cf="Store")
    await made(world, "Task", "Below", ParentID=story)
    world.without_history()
    store = await world.online("fresh")

    (copy,) = await store.moves.to_project([story], OTHER)
    await settled(world, store)

    new = store.item(copy)
    assert new is not None
    assert await place(world, new.id) == OTHER
    assert (await there(world, new.id))[1]["Estimate"] == "5"
    assert (await world.rival.work_items.tasks(new.id).page()).total == 1
    assert (await there(world, story))[1]["Status"] == "Deleted"
    await store.history.undo()
    await settled(world, store)
    assert (await there(world, story))[1]["Status"] == "Not Done"


async def test_tasks_move_below_another_item_and_back(world: World) -> None:
    old = await made(world)
    task = await made(world, "Task", ParentID=old, WorkRemaining=2.0)
    store = await world.online()
    world.faults.is_down = True

    new = await store.items.add("Story", {"Name": "New"})
    await move_tasks(store.files, [task], new)
    await settled(world, store)

    above = store.item(new)
    assert above is not None
    assert (await there(world, task))[1]["ParentID"] == above.id == here(store, task)[1]["ParentID"]
    await store.history.undo()
    await settled(world, store)
    assert (await there(world, task))[1]["ParentID"] == old
