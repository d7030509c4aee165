"""The history of an item from the service's records: read by pages, kept for reading offline, and folded."""

from datetime import datetime, timedelta
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.world import World, raised, sent

from backlit.model.errors import Offline
from backlit.store import EntryState, Store
from backlit.store.records.item import FieldNews
from backlit.store.records.item_changes import KeptHistory
from backlit.store.views.item_history import EventKind, ItemEvent, folded

NOON = datetime(2026, 3, 2, 12)


async def new_item(store: Store) -> int:
    temporary = await store.items.add("Story", {"Name": "Fresh", "Description": "One line."})
    await sent(store)
    return store.files.journal.real_id(temporary)


def events(store: Store, item_id: int, key: str = "") -> list[ItemEvent]:
    item = store.item(item_id)
    assert item is not None
    return store.item_history.of_item(item, key)


async def changed_often(world: World, item_id: int, count: int) -> None:
    for number in range(count):
        await world.rival.work_items.update(item_id, {"Name": f"Name {number}"})


async def test_changes_have_their_authors_and_values_the_latest_first(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await world.rival.work_items.update(item_id, {"Estimate": "5", "Status": "In Progress"})
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "A word"})
    await store.items.edit([item_id], {"Description": "Another line."})
    await sent(store)

    await store.item_history.read(item_id)

    text, comment, change, creation = events(store, item_id)
    assert (text.author, text.fields) == ("maya", (FieldNews("Description", "One line.", "Another line."),))
    assert (comment.kind, comment.author, comment.text) == (EventKind.COMMENTED, "jon", "A word")
    assert {(each.key, each.before, each.after) for each in change.fields} >= {
        ("Estimate", None, "5"),
        ("Status", "Not Done", "In Progress"),
    }
    assert (creation.kind, creation.author, creation.text) == (EventKind.CREATED, "maya", "Story")
    assert store.item_history.source(item_id).is_complete


async def test_a_deleted_comment_and_a_move_in_the_order_are_events(world: World, store: Store) -> None:
    item_id = await new_item(store)
    made = await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "A word"})
    await world.rival.comments.delete(made["id"])
    await world.rival.work_items.act(item_id, "rank", {"top": True})

    await store.item_history.read(item_id)

    moved, removed, *_ = events(store, item_id)
    assert (moved.kind, moved.author, moved.fields) == (EventKind.MOVED, "jon", ())
    assert (removed.kind, removed.text) == (EventKind.REMOVED, "the comment “A word”")


async def test_what_is_below_an_item_is_told_by_its_name(world: World, store: Store) -> None:
    item_id = await new_item(store)
    jon, place = world.rival, {"workItemId": item_id}
    relation = await jon.resource("relations").create({**place, "type": "Blocked By", "targetId": 1})
    await jon.resource("links").create({**place, "displayText": "Survey", "url": "https://example.org"})
    criterion = await jon.resource("acceptancecriteria").create({**place, "title": "It works"})
    await jon.resource("acceptancecriteria").update(criterion["id"], {"status": "Pass"})
    await jon.resource("relations").delete(relation["id"])

    await store.item_history.read(item_id)

    told = [(each.kind, each.text) for each in events(store, item_id)[:-1]]
    assert told == [
        (EventKind.REMOVED, f"a relation #1 Blocks #{item_id}"),
        (EventKind.CHANGED, "a criterion “It works” → passed"),
        (EventKind.ADDED, "a criterion “It works”"),
        (EventKind.ADDED, "a link “Survey”"),
        (EventKind.ADDED, f"a relation #1 Blocks #{item_id}"),
    ]


async def test_a_file_is_told_with_the_description_that_it_came_with(
    world: World, store: Store, tmp_path: Path
) -> None:
    item_id = await new_item(store)
    (tmp_path / "plan.csv").write_text("1")
    attachment_id = await store.transfers.upload(item_id, tmp_path / "plan.csv", lambda *_: None)
    await store.transfers.describe(attachment_id, "The plan of March")
    await world.rival.attachments.update(attachment_id, {"description": ""})

    await store.item_history.read(item_id)

    emptied, attached, *_ = events(store, item_id)
    assert emptied.text == "the description of plan.csv, now empty"
    assert attached.kind is EventKind.ATTACHED
    assert attached.text == "plan.csv “The plan of March”"


async def test_older_changes_are_read_page_by_page_and_each_once(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await changed_often(world, item_id, 60)

    await store.item_history.read(item_id)
    first = store.item_history.source(item_id)
    await store.item_history.read(item_id, is_older=True)
    await store.item_history.read(item_id, is_older=True)

    whole = store.item_history.source(item_id)
    assert (first.has_more, whole.has_more, whole.is_complete) == (True, False, True)
    names = [step.fields[0].after for event in events(store, item_id)[:-1] for step in event.steps or (event,)]
    assert names == [f"Name {number}" for number in reversed(range(60))]


async def test_a_page_that_does_not_meet_what_is_known_begins_anew(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await store.item_history.read(item_id)
    await changed_often(world, item_id, 60)

    await store.item_history.read(item_id)

    assert store.item_history.source(item_id).has_more
    assert EventKind.CREATED not in {event.kind for event in events(store, item_id)}


def test_a_row_of_a_restored_database_replaces_what_was_known() -> None:
    row = {"revision": 7, "at": "2026-03-02T12:00:00.000"}
    kept = KeptHistory([row, {"revision": 6, "at": "2026-03-02T11:00:00.000"}], None, True, 1.0)
    same, other = (KeptHistory([{"revision": 7, "at": at}], 7, False, 2.0) for at in (row["at"], "2026-03-03T12:00:00"))

    assert [each["revision"] for each in kept.begun_with(same).rows] == [7, 6]
    assert kept.begun_with(other) == other


async def test_what_was_read_stays_readable_without_a_connection(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await world.rival.work_items.update(item_id, {"Estimate": "5"})
    await store.item_history.read(item_id)
    await world.close(store)
    world.faults.is_down = True
    offline = world.store()

    error = await raised(offline.item_history.read(item_id))
    await offline.items.edit([item_id], {"Name": "Unsent"})

    assert isinstance(error, Offline)
    unsent, change, creation = events(offline, item_id)
    assert (unsent.state, unsent.fields[0].after) == (EntryState.WAITING, "Unsent")
    assert (change.author, change.fields) == ("jon", (FieldNews("Estimate", None, "5"),))
    assert creation.kind is EventKind.CREATED
    assert offline.item_history.source(item_id).read_at is not None


async def test_a_change_that_was_sent_after_the_last_reading_is_told_from_this_machine(
    world: World, store: Store
) -> None:
    item_id = await new_item(store)
    await store.item_history.read(item_id)
    await store.items.edit([item_id], {"Estimate": "8"})
    await sent(store)

    change, _ = events(store, item_id)
    assert (change.author, change.fields) == ("maya", (FieldNews("Estimate", None, "8"),))


async def test_an_item_from_before_the_history_says_where_that_begins(world: World, store: Store) -> None:
    (old,) = (await world.rival.work_items.page(order="id", top=1)).results
    world.forget_history(old["id"])
    await world.rival.work_items.update(old["id"], {"Name": "Renamed"})
    await store.refresh()

    await store.item_history.read(old["id"])

    source = store.item_history.source(old["id"])
    renamed, created = events(store, old["id"])
    assert (source.is_complete, source.begins_at) == (False, renamed.at)
    assert (created.id, created.kind, created.author) == (0, EventKind.CREATED, old["createdBy"])


async def test_a_service_without_a_history_is_never_asked_for_one(world: World, store: Store) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    item_id = await new_item(store)
    await world.rival.work_items.update(item_id, {"Estimate": "5"})
    await store.refresh()

    await store.item_history.read(item_id)

    assert not any(path.endswith("/history") for _, path in world.faults.requests)
    assert not store.item_history.source(item_id).is_offered
    assert [event.kind for event in events(store, item_id)] == [EventKind.CREATED]


async def test_a_field_keeps_to_its_changes(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await world.rival.work_items.update(item_id, {"Estimate": "5", "Name": "Both"})
    await world.rival.work_items.update(item_id, {"Name": "Alone"})
    await store.item_history.read(item_id)

    (change,) = events(store, item_id, "Estimate")
    assert change.fields == (FieldNews("Estimate", None, "5"),)


async def test_a_deleted_item_takes_its_kept_history_along(world: World, store: Store) -> None:
    item_id = await new_item(store)
    await store.item_history.read(item_id)

    await store.deletions.delete_items([item_id])
    await sent(store)

    assert not store.item_history.source(item_id).is_recorded


# Folding


def step(number: int, minutes: int = 0, author: str = "maya", key: str = "Estimate") -> ItemEvent:
    fields = (FieldNews(key, str(number - 1), str(number)),)
    return ItemEvent(number, EventKind.CHANGED, NOON + timedelta(minutes=minutes), author, fields)


def test_equal_words_of_one_person_and_sitting_are_one_event() -> None:
    alike = [replace(step(number), fields=(), text="a criterion") for number in (3, 2)]
    other = replace(step(1), fields=(), text="a link")

    first, last = folded([*alike, other])

    assert [each.id for each in first.steps] == [3, 2]
    assert last == other


def test_steps_of_one_person_and_sitting_are_one_event_with_both_ends() -> None:
    (event,) = folded([step(3, 12), step(2, 5), step(1)])

    assert event.fields == (FieldNews("Estimate", "0", "3"),)
    assert [each.id for each in event.steps] == [3, 2, 1]


def test_a_change_and_its_undo_stay_apart() -> None:
    undo = replace(step(2), fields=(FieldNews("Estimate", "1", "0"),))

    assert list(folded([undo, step(1)])) == [undo, step(1)]


@pytest.mark.parametrize("earlier", [step(1, author="jon"), step(1, minutes=-11), step(1, key="Status")])
def test_others_later_ones_and_other_fields_stay_apart(earlier: ItemEvent) -> None:
    assert list(folded([step(2), earlier])) == [step(2), earlier]


def test_changes_of_a_long_text_stay_apart() -> None:
    events = [step(2, key="Description"), step(1, key="Description")]

    assert list(folded(events)) == events
