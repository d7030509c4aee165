"""Items that become another type: shown at once, sent once, undone with what was lost, and never half."""

import pytest
from tests.store.related import criteria_at, made, related, relations_at, relations_in
from tests.store.transformed import here, settled, there
from tests.store.world import World, raised, sent, until

from backlit.model.errors import BadRequest, Conflict
from backlit.store import EntryState
from backlit.store.remote.reachability import RetryPauses

EVIDENT_SOON = RetryPauses(first_pause=0.01, longest_pause=0.01, in_transit=0.05)


@pytest.mark.parametrize("is_online", [True, False], ids=["online", "offline"])
async def test_a_conversion_is_shown_sent_undone_with_what_was_lost_and_redone(world: World, is_online: bool) -> None:
    bug = await made(world, "Bug", Status="In Progress", Severity="2 - High", IsBlocking=True, Estimate="5")
    store = await world.online()
    before = here(store, bug)

    world.faults.is_down = not is_online
    await store.conversions.convert([bug], "Story")
    shown = here(store, bug)
    await settled(world, store)

    assert shown[0] == "Story"
    assert "Severity" not in shown[1]
    assert here(store, bug) == shown == await there(world, bug)
    for back, wanted in ((store.history.undo, before), (store.history.redo, shown), (store.history.undo, before)):
        await back()
        assert here(store, bug) == wanted
        await settled(world, store)
        assert here(store, bug) == wanted == await there(world, bug)
    assert store.outbox_entries() == ()


async def test_a_status_becomes_the_first_of_its_group_and_comes_back(world: World) -> None:
    story = await made(world, Status="Ready For Test")
    store = await world.online()

    await store.conversions.convert([story], "Issue", fields={"Severity": "1 - Critical"})
    await settled(world, store)
    converted = await there(world, story)
    await store.history.undo()
    await settled(world, store)

    assert (converted[1]["Status"], converted[1]["Severity"]) == ("Active", "1 - Critical")
    assert (await there(world, story))[1]["Status"] == "Ready For Test"


async def test_a_task_becomes_a_story_that_is_related_to_its_item_and_comes_back(world: World) -> None:
    parent = await made(world)
    task = await made(world, "Task", ParentID=parent, WorkRemaining=3.0)
    store = await world.online()
    before = here(store, task)

    await store.conversions.convert([task], "Story")
    at_once = relations_in(store, task)
    await settled(world, store)

    assert at_once == {("Related", parent)} == relations_in(store, task) == await relations_at(world, task)
    assert "ParentID" not in (await there(world, task))[1]
    await store.history.undo()
    await settled(world, store)
    assert here(store, task) == before == await there(world, task)
    assert relations_in(store, task) == set() == await relations_at(world, task)


async def test_a_story_becomes_a_task_without_its_feature_and_gets_it_back(world: World) -> None:
    feature, parent, story = await made(world, "Feature"), await made(world), await made(world, Estimate="3")
    await related(world, story, "Parent", feature)
    store = await world.online()

    outlook = await store.conversions.outlook(story, "Task", parent)
    await store.conversions.convert([story], "Task", parent)
    shown = here(store, story), relations_in(store, story)
    await settled(world, store)

    assert outlook.left == [f"its Feature #{feature}"]
    assert ("Estimate", "3") in {(each.key, each.before) for each in outlook.notable}
    assert shown[0][1]["ParentID"] == parent
    assert shown == (await there(world, story), set())
    await store.history.undo()
    await settled(world, store)
    assert await there(world, story) == here(store, story)
    assert await relations_at(world, story) == {("Parent", feature)} == relations_in(store, story)


async def test_a_conversion_waits_for_a_new_item_and_its_new_parent(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True

    parent = await store.items.add("Story", {"Name": "Above"})
    item = await store.items.add("Bug", {"Name": "Below", "Severity": "2 - High"})
    await store.conversions.convert([item], "Task", parent)
    await store.items.edit([item], {"WorkRemaining": 2.0})
    await settled(world, store)

    found, above = store.item(item), store.item(parent)
    assert found is not None
    assert above is not None
    assert (found.type, found.fields["ParentID"], found.fields["WorkRemaining"]) == ("Task", above.id, 2.0)
    assert await there(world, found.id) == here(store, found.id)


async def test_a_new_item_is_given_up_with_its_conversion(world: World) -> None:
    world.take_loaded()
    store = world.store()
    item = await store.items.add("Bug", {"Name": "New"})
    await store.conversions.convert([item], "Story")

    await store.deletions.delete_items([item])

    assert store.outbox_entries() == ()


async def test_a_lost_answer_converts_once(world: World) -> None:
    world.waits = EVIDENT_SOON
    bug = await made(world, "Bug")
    store = await world.online()
    world.faults.lost_answers["POST"] = 1

    await store.conversions.convert([bug], "Story")
    await sent(store)

    assert (await there(world, bug))[0] == "Story" == here(store, bug)[0]
    assert store.outbox_entries() == ()


async def test_what_the_type_forbids_is_said_before_anything_is_written(world: World) -> None:
    feature, story, parent = await made(world, "Feature"), await made(world), await made(world)
    await related(world, story, "Parent", feature)
    await made(world, "Task", ParentID=parent)
    store = await world.online()

    with_children = await raised(store.conversions.convert([feature], "Story"))
    with_tasks = await raised(store.conversions.convert([parent], "Task", story))
    without_parent = await raised(store.conversions.convert([story], "Task"))

    assert isinstance(with_children, Conflict)
    assert with_children.message == f"#{feature} is the parent of other items. Only a Feature can be."
    assert with_tasks.message == f"#{parent} has tasks, which a Task cannot have."
    assert (await store.conversions.outlook(parent, "Task", story)).fault == with_tasks.message
    assert isinstance(without_parent, BadRequest)
    assert store.outbox_entries() == ()


async def test_a_refused_conversion_is_taken_off_and_holds_what_came_after(world: World) -> None:
    parent = await made(world)
    task = await made(world, "Task", ParentID=parent)
    store = await world.online()
    world.faults.is_down = True
    await store.conversions.convert([task], "Bug")
    await store.items.edit([task], {"Severity": "2 - High"})
    entry = {"taskId": task, "date": "2026-03-11", "hours": 1, "type": "Testing"}
    await world.rival.resource("timeentries").create(entry)

    world.faults.is_down = False
    await store.refresh()
    await until(lambda: store.outbox.refused)

    refused = next(each for each in store.outbox_entries() if each.state is EntryState.REFUSED)
    assert refused.reason == f"#{task} has time entries, which only a Task can have. Delete them first."
    assert here(store, task)[0] == "Task" == (await there(world, task))[0]
    await store.history.undo()
    await store.history.undo()
    assert store.outbox_entries() == ()


async def test_a_service_that_cannot_convert_gets_a_copy_and_the_original_is_deleted(world: World) -> None:
    bug = await made(world, "Bug", "Doubled", Severity="2 - High", Estimate="5", Status="Not Done")
    task = await made(world, "Task", "Look", ParentID=bug)
    await world.rival.comments.create({"projectId": 1, "workItemId": bug, "description": "Seen."})
    world.without_history()
    store = await world.online("fresh")

    outlook = await store.conversions.outlook(bug, "Story")
    (copy,) = await store.conversions.convert([bug], "Story")
    await settled(world, store)

    new = store.item(copy)
    assert new is not None
    assert tuple(outlook.left) == ("its number", "its files", "its history")
    assert await there(world, new.id) == ("Story", {**here(store, new.id)[1], "Name": "Doubled", "Estimate": "5"})
    assert [each.text.partition("\n\n")[2] for each in store.comments.of_item(new.id)] == ["Seen."]
    assert [each.name for each in store.batch.tasks_of(new.id)] == ["Look"]
    assert {here(store, each)[1]["Status"] for each in (bug, task)} == {"Deleted"}
    await store.history.undo()
    await settled(world, store)
    assert (await there(world, bug))[1]["Status"] == "Not Done"
    assert (await there(world, new.id))[1]["Status"] == "Deleted"


async def test_criteria_stay_with_a_converted_item(world: World) -> None:
    story = await made(world)
    store = await world.online()
    world.faults.is_down = True

    await store.criterion_edits.add(story, "It works")
    await store.conversions.convert([story], "Bug")
    await settled(world, store)

    assert (await there(world, story))[0] == "Bug"
    assert await criteria_at(world, story) == [("It works", "Not Executed")]
