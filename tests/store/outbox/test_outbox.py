"""The outbox: everything arrives, once, and nobody's change is overwritten silently."""

import asyncio
from typing import Any

import orjson
import pytest
from msgspec.structs import replace
from tests.store.service_items import fields, of_type
from tests.store.store_items import shown
from tests.store.world import Said, World, raised, sent, until

from backlit.model.errors import BadRequest
from backlit.store import ConnectionState, EntryState, RowSign, Store, StoreChange, Subject, ViewSpec
from backlit.store.remote.reachability import RetryPauses

NEVER_AGAIN = RetryPauses(first_pause=600.0, longest_pause=600.0)
"""Pauses after a failure that no test waits for."""


async def test_an_edit_is_shown_at_once_and_sent_behind(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    world.faults.delay = 0.1

    await store.items.edit([item_id], {"Name": "Mine", "Estimate": 5})
    assert shown(store, item_id).fields["Name"] == "Mine"
    assert shown(store, item_id).sign is RowSign.PENDING
    assert shown(store, item_id).base["Name"] != "Mine"

    await sent(store)
    assert (await fields(world, item_id))["Name"] == "Mine"
    assert (await fields(world, item_id))["Estimate"] == "5"
    assert shown(store, item_id).sign is RowSign.NONE
    assert shown(store, item_id).last_modified_by == "maya"


async def test_values_that_are_already_so_are_not_sent(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)

    await store.items.edit([item_id], {"Name": shown(store, item_id).fields["Name"], "Description": ""} | {"Tags": []})
    await sent(store)

    assert world.faults.count("PUT") <= 1


async def test_two_people_editing_different_fields_both_win(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    await world.rival.work_items.update(item_id, {"Name": "Jon's", "Tags": ["jon", "both"]})

    await store.items.edit([item_id], {"Estimate": "13", "Tags": ["maya"]})
    await sent(store)

    found = await fields(world, item_id)
    assert (found["Name"], found["Estimate"]) == ("Jon's", "13")
    assert {"jon", "both", "maya"} <= set(found["Tags"])  # type: ignore[call-overload] # a list of text
    assert shown(store, item_id).fields["Name"] == "Jon's"


async def test_a_conflict_waits_with_both_sides_and_blocks_nobody_else(world: World) -> None:
    store = await world.online()
    item_id, other_id = await of_type(world), await of_type(world, "Bug")
    await world.rival.work_items.update(item_id, {"Name": "Jon's"})

    await store.items.edit([item_id, other_id], {"Name": "Maya's"})
    await sent(store)

    (entry,) = store.outbox_entries()
    assert (entry.state, entry.theirs) == (EntryState.CONFLICT, {"Name": "Jon's"})
    assert "jon" in entry.reason
    assert store.outbox.conflicts == 1
    assert shown(store, item_id).fields["Name"] == "Maya's"
    assert shown(store, item_id).sign is RowSign.CONFLICT
    assert (await fields(world, item_id))["Name"] == "Jon's"
    assert (await fields(world, other_id))["Name"] == "Maya's"


async def test_a_conflict_is_settled_by_sending_again_or_by_giving_up(world: World) -> None:
    store = await world.online()
    item_id, other_id = await of_type(world), await of_type(world, "Bug")
    for each in (item_id, other_id):
        await world.rival.work_items.update(each, {"Name": "Jon's"})
    await store.items.edit([item_id, other_id], {"Name": "Maya's"})
    await until(lambda: store.outbox.conflicts == 2)
    first, second = store.outbox_entries()

    await store.conflicts.retry(first.id)
    await store.conflicts.discard(second.id)
    await until(lambda: not store.outbox_entries())

    assert (await fields(world, item_id))["Name"] == "Maya's"
    assert shown(store, other_id).fields["Name"] == "Jon's"
    assert shown(store, other_id).sign is RowSign.NONE


async def test_what_is_the_same_on_both_sides_is_no_conflict(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    await world.rival.work_items.update(item_id, {"Name": "The same"})

    await store.items.edit([item_id], {"Name": "The same"})
    await sent(store)

    assert store.outbox_entries() == ()
    assert world.faults.count("PUT") == 0


async def test_edits_of_one_item_arrive_in_order(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    world.faults.delay = 0.02

    for number in range(5):
        await store.items.edit([item_id], {"Name": f"Version {number}"})
    await sent(store)

    assert (await fields(world, item_id))["Name"] == "Version 4"
    assert store.outbox_entries() == ()


async def test_what_the_service_refuses_stays_with_its_reason(world: World) -> None:
    store = await world.online()
    item_id, other_id = await of_type(world), await of_type(world, "Bug")
    await world.rival.work_items.delete(item_id)

    await store.items.edit([item_id, other_id], {"Name": "Too late"})
    await sent(store)

    (entry,) = store.outbox_entries()
    assert entry.state is EntryState.REFUSED
    assert entry.reason
    assert store.conflicts.is_gone(entry)
    assert store.outbox.refused == 1
    assert shown(store, item_id).sign is RowSign.REFUSED
    assert (await fields(world, other_id))["Name"] == "Too late"


async def test_a_new_item_gets_its_real_id_and_what_was_done_to_it_meanwhile_follows(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    changes: list[StoreChange] = []
    store.subscribe(changes.append)

    temporary = await store.items.add("Story", {"Name": "New", "Estimate": "3"})
    task = await store.items.add("Task", {"Name": "Under it", "ParentID": temporary})
    await store.items.edit([temporary], {"Name": "New, renamed"})
    await store.items.comment(temporary, "First!")
    rows = [row for row in store.view(ViewSpec()).rows(0, 1000) if row.id < 0]
    assert [(row.name, row.sign) for row in rows] == [
        ("New, renamed", RowSign.PENDING),
        ("Under it", RowSign.PENDING),
    ]
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    made, below = shown(store, temporary), shown(store, task)
    assert made.id > 0
    assert (await fields(world, made.id))["Name"] == "New, renamed"
    assert (await fields(world, below.id))["ParentID"] == made.id
    assert [comment.text for comment in store.comments.of_item(temporary)] == ["First!"]
    assert [comment.pending for comment in store.comments.of_item(made.id)] == [False]
    assert any(change.renamed == {temporary: made.id} for change in changes if change.kind is Subject.ITEMS)
    assert [row.id for row in store.view(ViewSpec()).rows(0, 1000) if row.id < 0] == []
    assert await world.names() == [*(await world.names())[:-2], "New, renamed", "Under it"]


@pytest.mark.parametrize("lost", [1, 2])
async def test_an_item_whose_answer_was_lost_is_not_made_twice(world: World, lost: int) -> None:
    store = await world.online()
    world.faults.lost_answers["POST"] = lost

    ids = [
        await store.items.add("Bug", {"Name": "Just once", "Severity": severity})
        for severity in ("1 - Critical", "4 - Low")
    ]
    await sent(store)
    while store.outbox.pending:
        await store.refresh()

    assert (await world.names()).count("Just once") == 2
    severities = [(await fields(world, shown(store, each).id))["Severity"] for each in ids]
    assert severities == ["1 - Critical", "4 - Low"]


@pytest.mark.parametrize("is_by_rival", [False, True])
async def test_an_item_that_was_not_made_is_not_taken_for_one_of_the_same_name(world: World, is_by_rival: bool) -> None:
    world.waits = RetryPauses(first_pause=0.02, longest_pause=0.1, in_transit=0.2)
    store = await world.online()
    bug = {"type": "Bug", "projectId": 1, "fields": {"Name": "The same"}}
    lost = [Said(504)]

    async def overtake(method: str, _path: str) -> None:
        if is_by_rival and method == "POST" and lost:
            await world.rival.work_items.create(bug)

    world.faults.before = overtake
    world.faults.says = lambda method, _path: lost.pop() if method == "POST" and lost else None
    for _ in range(1 if is_by_rival else 2):
        await store.items.add("Bug", {"Name": "The same"})
    await sent(store)

    assert (await world.names()).count("The same") == 2


async def test_an_item_has_a_sign_while_its_comment_waits(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    world.faults.is_down = True
    await store.items.comment(item_id, "Hello")
    waiting = await sign_of(store, item_id)
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert waiting is RowSign.PENDING
    assert await sign_of(store, item_id) is RowSign.NONE


async def sign_of(store: Store, item_id: int) -> RowSign:
    view = store.view(ViewSpec(with_done=True))
    await view.load()
    at = view.index_of(item_id)
    assert at is not None
    return view.rows(at, at + 1)[0].sign


async def test_a_comment_whose_answer_was_lost_is_not_made_twice(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    before = len(store.comments.of_item(item_id))
    world.faults.lost_answers["POST"] = 1

    await store.items.comment(item_id, "Only once")
    await store.items.comment(item_id, "Only once")
    await sent(store)
    while store.outbox.pending:
        await store.refresh()

    page = await world.rival.work_items.comments(item_id).page(top=1000)
    assert [each["description"] for each in page.results].count("Only once") == 2
    assert [comment.text for comment in store.comments.of_item(item_id)][before:] == ["Only once"] * 2


async def test_an_edit_whose_answer_was_lost_counts_once(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    world.faults.lost_answers["PUT"] = 1

    await store.items.edit([item_id], {"Name": "Arrived"})
    await sent(store)

    assert (await fields(world, item_id))["Name"] == "Arrived"
    assert store.outbox_entries() == ()


async def test_an_edit_whose_answer_was_lost_is_compared_again_at_once(world: World) -> None:
    world.waits = NEVER_AGAIN
    store, item_id = await world.online(), await of_type(world)
    world.faults.cut_answers["PUT"] = 1

    await store.items.edit([item_id], {"Name": "Arrived"})
    await sent(store)

    assert store.outbox_entries() == ()


async def test_a_change_between_the_comparison_and_the_edit_is_a_conflict(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    names = ["Jon's"]

    async def overtake(method: str, _path: str) -> None:
        if method == "PUT" and names:
            await world.rival.work_items.update(item_id, {"Name": names.pop()})

    world.faults.before = overtake
    await store.items.edit([item_id], {"Name": "Maya's"})
    await until(lambda: store.outbox.conflicts, store.outbox_entries)

    assert (await fields(world, item_id))["Name"] == "Jon's"


async def test_an_echo_of_another_item_is_no_success(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    echo = {**await world.rival.work_items.get(item_id), "id": item_id + 1, "fields": {"Name": "Mine"}}
    echoes = [Said(200, (), orjson.dumps(echo))]
    world.faults.says = lambda method, _path: echoes.pop() if method == "PUT" and echoes else None

    await store.items.edit([item_id], {"Name": "Mine"})
    await sent(store)

    assert (await fields(world, item_id))["Name"] == "Mine"


async def test_a_value_that_the_service_does_not_accept_is_a_rejection(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    echo = await world.rival.work_items.get(item_id)
    world.faults.says = lambda method, _path: Said(200, (), orjson.dumps(echo)) if method == "PUT" else None

    await store.items.edit([item_id], {"Name": "Mine"})
    await until(lambda: store.outbox.refused, store.outbox_entries)

    assert store.outbox_entries()[0].reason == f"The server kept Name = {echo['fields']['Name']}."


async def test_an_entry_that_failed_is_not_sent_again_with_the_next_one(world: World) -> None:
    world.waits = NEVER_AGAIN
    store, item_id, other_id = await world.online(), await of_type(world), await of_type(world, "Bug")
    path = f"/api/v1/workitems/{item_id}"
    world.faults.says = lambda method, asked: Said(500) if (method, asked) == ("PUT", path) else None

    await store.items.edit([item_id], {"Name": "Fails"})
    await until(lambda: [each.attempts for each in store.outbox_entries()] == [1])
    await store.items.edit([other_id], {"Name": "Arrives"})
    await until(lambda: len(store.outbox_entries()) == 1)

    assert world.faults.requests.count(("PUT", path)) == 1
    assert (await fields(world, other_id))["Name"] == "Arrives"


async def test_an_edit_in_transit_counts_as_sent_before_its_first_request(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    world.faults.stalls = frozenset({f"/workitems/{item_id}"})

    await store.items.edit([item_id], {"Name": "Perhaps"})
    await until(lambda: [each.state for each in store.outbox_entries()] == [EntryState.SENDING])

    assert store.outbox_entries()[0].known_id == 0


async def test_a_preset_of_the_service_is_no_conflict_for_later_edits_of_a_new_item(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    temporary = await store.items.add("Story", {"Name": "New"})
    await store.items.edit([temporary], {"Status": "In Progress"})
    await store.items.edit([temporary], {"Status": "Done", "Estimate": "3"})

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    made = store.item(temporary)
    assert made is not None
    found = await fields(world, made.id)
    assert (found["Status"], found["Estimate"]) == ("Done", "3")
    assert store.outbox_entries() == ()


async def test_a_value_that_another_user_set_in_a_new_item_is_a_conflict_for_later_edits(world: World) -> None:
    world.waits = NEVER_AGAIN
    store = await world.online()
    world.faults.lost_answers["POST"] = 1
    temporary = await store.items.add("Bug", {"Name": "New"})
    await until(lambda: store.outbox_entries()[0].reason)
    await store.items.edit([temporary], {"Priority": 1})
    made = (await world.rival.work_items.page(filter="Name eq 'New'")).results[0]["id"]
    await world.rival.work_items.update(made, {"Priority": 7})

    await store.refresh()
    await sent(store)

    assert store.outbox.conflicts == 1
    assert (await fields(world, made))["Priority"] == 7


async def test_new_tasks_of_a_deleted_item_are_given_up(world: World) -> None:
    world.waits = NEVER_AGAIN
    store, item_id = await world.online(), await of_type(world)
    world.faults.says = lambda method, _path: Said(500) if method == "POST" else None
    await store.items.add("Task", {"Name": "Below it", "ParentID": item_id})
    await until(lambda: store.outbox_entries()[0].reason)

    await store.deletions.delete_items([item_id])
    await sent(store)

    assert store.outbox_entries() == ()
    assert all(row.name != "Below it" for row in store.view(ViewSpec()).rows(0, 500))


async def test_of_two_unconfirmed_items_a_renamed_one_is_taken_for_neither(world: World) -> None:
    world.waits = replace(NEVER_AGAIN, in_transit=0.0)
    store = await world.online()
    world.faults.lost_answers["POST"] = 2
    for name in ("First", "Second"):
        await store.items.add("Bug", {"Name": name})
    await until(lambda: len([each for each in store.outbox_entries() if each.reason]) == 2)
    made = (await world.rival.work_items.page(filter="Name eq 'First'")).results[0]["id"]
    await world.rival.work_items.update(made, {"Name": "Jon's name for it"})

    await store.refresh()
    await sent(store)

    (entry,) = store.outbox_entries()
    assert (entry.state, entry.fields["Name"]) == (EntryState.REFUSED, "First")
    assert f"#{made}" in entry.reason


async def test_of_two_unconfirmed_items_of_a_name_each_finds_its_own(world: World) -> None:
    world.waits = replace(NEVER_AGAIN, in_transit=0.0)
    store = await world.online()
    world.faults.lost_answers["POST"] = 2
    made = [await store.items.add("Bug", {"Name": "Twin", "Priority": number}) for number in (1, 2)]
    await until(lambda: len([each for each in store.outbox_entries() if each.reason]) == 2)

    await store.refresh()
    await sent(store)

    assert [found.fields["Priority"] for each in made if (found := store.item(each))] == [1, 2]
    assert (await world.rival.work_items.page(filter="Name eq 'Twin'")).total == 2


async def test_a_new_item_that_is_given_up_takes_with_it_what_was_to_follow(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    temporary = await store.items.add("Story", {"Name": "Never mind"})
    await store.items.add("Task", {"Name": "Under it", "ParentID": temporary})
    await store.items.comment(temporary, "Hm")
    await until(lambda: store.connection.state is ConnectionState.OFFLINE)
    await until(lambda: all(entry.state is EntryState.WAITING for entry in store.outbox_entries()))

    await store.conflicts.discard(store.outbox_entries()[0].id)

    assert store.outbox_entries() == ()
    assert store.item(temporary) is None
    assert store.outbox.pending == 0


async def test_many_edits_are_one_step_and_all_arrive(world: World) -> None:
    store = await world.online()
    ids = [row.id for row in store.view(ViewSpec()).rows(0, 20) if row.type in {"Story", "Bug"}]

    await store.items.edit(ids, {"Estimate": "21"})
    assert len({entry.step for entry in store.outbox_entries()}) <= 1
    await sent(store)

    assert {(await fields(world, each))["Estimate"] for each in ids} == {"21"}


async def test_bad_values_are_refused_before_they_are_journalled(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    wrong = {
        "Name": " ",
        "Status": "Nearly",
        "AreaID": 999_999,
        "AssignedToID": 4711,
        "Priority": 1.5,
        "BacklogPriority": 1.0,
        "WorkRemaining": 1.0,
        "Nonsense": 1,
        "Tags": "a",
        "Description": "half a \ud83d",
    }

    error = await raised(store.items.edit([item_id], {**wrong, "Estimate": "8"}))

    assert isinstance(error, BadRequest)
    assert set(error.errors) == set(wrong)
    assert store.outbox_entries() == ()
    assert (await raised(store.items.add("Story", {}))).errors.keys() == {"Name"}
    assert (await raised(store.items.add("Task", {"Name": "x", "ParentID": 999_999}))).errors.keys() == {"ParentID"}
    assert (await raised(store.items.comment(item_id, "\n"))).errors
    assert (await raised(store.items.edit([999_999], {"Name": "x"}))).status == 404


async def test_a_deletion_waits_for_the_late_answer_of_a_new_task(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    service = world.faults.application

    async def answer_late(scope: Any, receive: Any, send: Any) -> None:
        answer: list[object] = []

        async def keep(message: object) -> None:
            answer.append(message)

        await service(scope, receive, keep)
        if scope["method"] == "POST":
            await asyncio.sleep(0.5)  # so long that the deletion would be over
        for message in answer:
            await send(message)

    world.faults.application = answer_late
    await store.items.add("Task", {"Name": "Below it", "ParentID": item_id})
    await until(lambda: world.faults.count("POST"))
    await store.deletions.delete_items([item_id])
    await sent(store)

    left = store.files.mirror.execute("SELECT id FROM items WHERE parent_id = ?", (item_id,)).fetchall()
    assert left == []
    assert store.outbox_entries() == ()
