"""The outbox by itself: one call sends what can be sent, and says when more can be."""

import asyncio

import orjson
import pytest
from msgspec.structs import replace
from tests.store.documents import item, node
from tests.store.outbox.outboxes import AT_ONCE, items, journalled, outbox_of, states, writes
from tests.store.reading import Begin, Reading
from tests.store.world import Said, raised, until

from backlit.model.errors import Unavailable
from backlit.store import EntryState, Store, StoreChange
from backlit.store.edits.nodes import NewNode
from backlit.store.edits.work_log import LoggedWork
from backlit.store.outbox.queue import FAILURES
from backlit.store.records.changes import Subject
from backlit.store.records.entry import EntryKind, OutboxEntry, new_entry
from backlit.store.records.people import TreeKind
from backlit.store.remote.reachability import MAX_CONCURRENT_REQUESTS, RetryPauses

LATE = RetryPauses(first_pause=60.0, longest_pause=60.0, in_transit=60.0)


async def test_only_what_the_service_took_counts_as_delivered(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1, 2, 3))
    reading.server.change("jon", 2, {"Name": "By Jon"})
    await reading.store.items.edit([1, 2, 3], {"Name": "Mine"})

    assert await outbox.send() is None

    assert (outbox.delivered, writes(reading)) == (2, ["PUT 1", "PUT 3"])
    assert states(reading.store) == [("conflict", 0, "jon changed Name in the meantime.")]


async def test_an_entry_that_failed_rests_until_its_time_or_a_hurry(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1, 2))
    reading.faults.says = lambda method, path: Said(500) if (method, path[-2:]) == ("PUT", "/1") else None
    await reading.store.items.edit([1, 2], {"Name": "Mine"})

    pause = await outbox.send()
    failed, first = states(reading.store), writes(reading)
    rest = await outbox.send()
    again = writes(reading)
    outbox.hurry()
    await outbox.send()

    assert [(state, attempts) for state, attempts, _ in failed] == [("waiting", 1)]
    assert first.count("PUT 2") == 1
    assert (again, set(writes(reading))) == ([], {"PUT 1"})
    assert 30.0 - 1 <= (rest or 0.0) <= (pause or 0.0) <= 60.0
    assert [attempts for _, attempts, _ in states(reading.store)] == [2]


async def test_an_entry_that_keeps_failing_is_rejected(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    reading.faults.says = lambda method, _: Said(500, body=b'{"message": "Broken."}') if method == "PUT" else None
    await reading.store.items.edit([1], {"Name": "Mine"})
    for _ in range(FAILURES - 1):
        outbox.hurry()
        await outbox.send()
    before = [state for state, *_ in states(reading.store)]

    outbox.hurry()
    period = await outbox.send()

    assert before == ["waiting"]
    ((state, _, reason),) = states(reading.store)
    assert (state, period, reason.partition(":")[0]) == ("refused", None, "The server failed repeatedly")


async def test_an_outage_ends_the_sending_and_counts_against_no_entry(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    reading.faults.is_down = True
    await reading.store.items.edit([1], {"Name": "Mine"})

    error = await raised(outbox.send())
    waiting = states(reading.store)
    reading.faults.is_down = False
    outbox.hurry()
    period = await outbox.send()

    assert isinstance(error, Unavailable)
    assert [(state, attempts) for state, attempts, _ in waiting] == [("waiting", 0)]
    assert (period, reading.store.outbox_entries(), reading.server.names()) == (None, (), {1: "Mine"})


async def test_a_few_items_are_sent_at_once_and_each_by_one_request(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(*range(1, 8)))
    held = asyncio.Event()

    async def hold(method: str, _path: str) -> None:
        if method == "PUT":
            await held.wait()

    reading.faults.before = hold
    await reading.store.items.edit(range(1, 8), {"Name": "First"})
    await reading.store.items.edit([1, 2], {"Estimate": "5"})
    sending = asyncio.create_task(outbox.send())
    await until(lambda: sum(method == "PUT" for method, _ in reading.faults.requests) >= MAX_CONCURRENT_REQUESTS)
    for _ in range(20):
        await asyncio.sleep(0)
    in_transit = writes(reading)
    held.set()
    await sending

    assert sorted(in_transit) == ["PUT 1", "PUT 2", "PUT 3", "PUT 4"]
    assert sorted(writes(reading)) == ["PUT 1", "PUT 2", "PUT 5", "PUT 6", "PUT 7"]
    assert {each["fields"]["Name"] for each in reading.server.items.values()} == {"First"}


@pytest.mark.parametrize(("later", "sent"), [({"Name": "Later"}, []), ({"Estimate": "5"}, ["PUT 1"])])
async def test_a_conflict_holds_later_changes_of_the_same_field(
    begin: Begin, later: dict[str, object], sent: list[str]
) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    reading.server.change("jon", 1, {"Name": "By Jon"})
    await reading.store.items.edit([1], {"Name": "Mine"})
    await outbox.send()
    await reading.store.items.edit([1], later)

    await outbox.send()

    assert writes(reading) == sent


async def test_everything_on_a_new_item_waits_for_it_and_goes_to_its_number(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    reading.store.choose_project(7)
    new_id = await reading.store.items.add("Story", {"Name": "New"})
    await reading.store.items.edit([new_id], {"Estimate": "5"})
    await reading.store.items.comment(new_id, "Look")

    await outbox.send()

    (made,) = set(reading.server.items) - {1}
    assert writes(reading) == ["POST workitems", f"PUT {made}", "POST comments"]
    assert reading.server.items[made]["fields"]["Estimate"] == "5"
    assert [each["workItemId"] for each in reading.server.comments.values()] == [made]
    assert (outbox.delivered, reading.store.outbox_entries()) == (3, ())


async def test_new_items_are_sent_in_the_order_of_their_creation(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    reading.store.choose_project(7)
    for name in ("One", "Two", "Three"):
        await reading.store.items.add("Story", {"Name": name})

    await outbox.send()

    assert [name for _, name in sorted(reading.server.names().items())] == ["Item 1", "One", "Two", "Three"]


async def test_an_item_in_a_new_area_waits_for_the_area(begin: Begin) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    area = new_entry(EntryKind.EDIT, 7, {"AreaID": -999_999_000}, 1, {"AreaID": 1})
    await journalled(reading.store, area)

    assert await outbox.send() is None

    assert (writes(reading), [state for state, *_ in states(reading.store)]) == ([], ["waiting"])


@pytest.mark.parametrize(("parent_id", "sent"), [(11, []), (12, ["POST areas"])])
async def test_a_new_node_may_be_one_of_its_name_below_its_parent_only(
    begin: Begin, parent_id: int, sent: list[str]
) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, [])
    store.choose_project(7)
    known = [node(11, "Root", projectId=7), node(12, "A", 11, projectId=7)]
    await store.files.write(lambda writer: writer.mirror.put_resources("areas", 7, known))
    await store.nodes.add(TreeKind.AREAS, 11, NewNode("New"))
    (entry,) = store.outbox_entries()
    await store.files.write(lambda writer: writer.journal.update(replace(entry, known_id=12)))
    listed = orjson.dumps({"results": [*known, node(13, "New", parent_id, projectId=7)]})
    made = orjson.dumps(node(14, "New", 11, projectId=7))
    reading.faults.says = lambda method, _: Said(200, body=made if method == "POST" else listed)

    await outbox.send()

    assert (writes(reading), store.outbox_entries()) == (sent, ())


# Deletions that were undone


async def test_an_undone_deletion_posts_the_comments_of_the_item_and_of_its_tasks(begin: Begin) -> None:
    reading = await begin()
    store = reading.store
    outbox = await outbox_of(reading, [*items(1), item(2, project=7, kind="Task", ParentID=1)])
    store.choose_project(7)
    reading.server.comment("jon", 1, "On the item")
    of_task = reading.server.comment("jon", 2, "On its task")
    await store.files.write(lambda writer: writer.mirror.comments.replace_all(2, [of_task]))
    await store.deletions.delete_items([1])
    await outbox.send()

    await store.history.undo()

    posted = [str(each.payload["text"]) for each in store.outbox_entries() if each.kind is EntryKind.COMMENT]
    assert [text.splitlines()[-1] for text in posted] == ["On the item", "On its task"]


async def undone_deletion(reading: Reading, *, kept: bool = True) -> OutboxEntry:
    """Journal the deletion of item 1 that may have been done, and the entry that undoes it."""
    if kept:
        await reading.store.deletions.delete_items([1])
        (deletion,) = reading.store.outbox_entries()
    else:
        (deletion,) = await journalled(reading.store, new_entry(EntryKind.DELETE, 7, {"name": "Item 1"}, 1))
    await reading.store.files.write(lambda writer: writer.journal.update(replace_state(deletion, EntryState.DISCARDED)))
    (recall,) = await journalled(reading.store, deletion.recall())
    return recall


def replace_state(entry: OutboxEntry, state: EntryState) -> OutboxEntry:
    return replace(entry, state=state)


def sentences(store: Store) -> list[str]:
    heard: list[str] = []
    store.subscribe(lambda change: heard.append(change.sentence) if change.sentence else None)
    return heard


@pytest.mark.parametrize(("waits", "is_clear"), [(AT_ONCE, True), (LATE, False)])
async def test_an_item_that_is_still_there_was_not_deleted_once_no_request_can_arrive(
    begin: Begin, waits: RetryPauses, *, is_clear: bool
) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1), waits)
    heard = sentences(reading.store)
    await undone_deletion(reading)

    period = await outbox.send()

    assert heard == ["#1 was not deleted and is unchanged."] * is_clear
    assert (period is None, reading.store.outbox_entries() == ()) == (is_clear, is_clear)
    assert (reading.ids(), writes(reading)) == ([1] * is_clear, [])


async def test_an_item_that_is_gone_is_made_again_with_its_tasks_and_comments(begin: Begin) -> None:
    reading = await begin()
    task = item(2, project=7, kind="Task", ParentID=1)
    outbox = await outbox_of(reading, [*items(1), task])
    said = [reading.server.comment("pat", 1, "Keep this"), reading.server.comment("pat", 2, "Of the task")]
    await reading.store.files.write(lambda writer: writer.mirror.comments.put(said))
    changes: list[StoreChange] = []
    reading.store.subscribe(changes.append)
    heard = sentences(reading.store)
    recall = await undone_deletion(reading)
    reading.server.items.clear()

    await outbox.send()

    entries = reading.store.files.journal.entries
    assert {each.step for each in entries.select("kind = 'add'", ())} == {recall.step}
    assert [each.state.value for each in entries.select("kind IN ('delete', 'recall')", ())] == ["sent", "sent"]
    kinds = {each.kind for each in changes if each.ids & {1}}
    assert kinds >= {Subject.ITEMS, Subject.COMMENTS}
    assert reading.store.item(1) is None
    made = sorted(reading.server.items)
    assert heard == ["#1 was already deleted. It is restored with a new number."]
    assert [reading.server.items[each]["type"] for each in made] == ["Story", "Task"]
    assert reading.server.items[made[1]]["fields"]["ParentID"] == made[0]
    comments = [(each["workItemId"], each["description"]) for each in reading.server.comments.values()][2:]
    assert {each: text.splitlines()[-1] for each, text in comments} == {
        made[0]: "Keep this",
        made[1]: "Of the task",
    }
    assert reading.ids() == made
    assert next(each.renamed for each in changes if 1 in each.renamed) != {}


@pytest.mark.parametrize("kept", [True, False], ids=["made again already", "without a copy"])
async def test_an_item_is_made_again_once_and_from_a_copy(begin: Begin, *, kept: bool) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    changes: list[StoreChange] = []
    await undone_deletion(reading, kept=kept)
    if kept:
        await reading.store.files.write(lambda writer: writer.journal.renames.follow({1: 9}))
    reading.server.items.clear()
    reading.store.subscribe(changes.append)

    await outbox.send()

    assert (writes(reading), reading.ids()) == ([], [])
    assert [each.renamed for each in changes if each.renamed] == []


@pytest.mark.parametrize("is_gone", [True, False])
async def test_an_undo_that_was_taken_back_changes_nothing(begin: Begin, *, is_gone: bool) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    heard = sentences(reading.store)
    recall = await undone_deletion(reading)

    async def take_back(method: str, path: str) -> None:
        if (method, path[-2:]) == ("GET", "/1"):
            await reading.store.files.write(
                lambda writer: writer.journal.update(replace_state(recall, EntryState.DISCARDED))
            )

    reading.faults.before = take_back
    if is_gone:
        reading.server.items.clear()
    await outbox.send()

    assert (heard, writes(reading)) == ([], [])


@pytest.mark.parametrize("is_gone", [True, False])
async def test_a_comment_is_written_again_if_it_is_gone(begin: Begin, *, is_gone: bool) -> None:
    reading = await begin()
    outbox = await outbox_of(reading, items(1))
    heard = sentences(reading.store)
    deletion = new_entry(EntryKind.DELETE_COMMENT, 7, {"id": 5, "text": "Keep this", "type": "Feedback"}, 1)
    (deletion,) = await journalled(reading.store, replace_state(deletion, EntryState.DISCARDED))
    (recall,) = await journalled(reading.store, deletion.recall())
    reading.faults.says = lambda _, path: (
        Said(404 if is_gone else 200, body=b'{"id": 5}') if "comments/5" in path else None
    )

    await outbox.send()

    said = [(each["description"], each["workItemId"]) for each in reading.server.comments.values()]
    assert said == [("Keep this", 1)] * is_gone
    posted = reading.store.files.journal.entries.select("kind = 'comment'", ())
    assert [(each.payload["type"], each.step) for each in posted] == [("Feedback", recall.step)] * is_gone
    is_again = "The comment on #1 was already deleted. It is posted again."
    assert heard == [is_again if is_gone else "The comment was not deleted and is unchanged."]


async def test_hours_of_two_people_add_up_once_and_are_shown(begin: Begin) -> None:
    reading = await begin()
    task = item(2, project=7, kind="Task", ParentID=1, WorkCompleted=1.0, WorkRemaining=8.0)
    outbox = await outbox_of(reading, [*items(1), task])
    await reading.store.work_log.log(2, LoggedWork(2.0, "", "Mine"))
    reading.server.change("jon", 2, {"WorkCompleted": 4.0, "WorkRemaining": 5.0})
    reading.faults.says = lambda method, _: Said(500) if method == "PUT" else None

    await outbox.send()
    found = reading.store.item(2)
    shown = [found.fields[key] for key in ("WorkCompleted", "WorkRemaining")] if found else []
    entry = next(each for each in reading.store.outbox_entries() if each.kind is EntryKind.EDIT)
    reading.faults.says = lambda _method, _path: None
    outbox.hurry()
    await outbox.send()

    assert shown == [6.0, 3.0]
    assert (entry.payload, entry.base) == (
        {"WorkCompleted": 6.0, "WorkRemaining": 3.0},
        {"WorkCompleted": 4.0, "WorkRemaining": 5.0},
    )
    sent = reading.server.items[2]["fields"]
    assert (sent["WorkCompleted"], sent["WorkRemaining"]) == (6.0, 3.0)
