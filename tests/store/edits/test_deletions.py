"""Deleting for good: out of sight at once, done only to what is still as it was, and a copy is kept."""

import asyncio
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.service_items import exists, of_type, with_task
from tests.store.store_items import copy_of
from tests.store.world import PATIENCE, Said, World, raised, sent, until

from backlit.model.errors import NotFound
from backlit.store import EntryState, RowSign, Store, ViewSpec
from backlit.store.journal.undo_log import ItemCopy


def in_view(store: Store) -> list[int]:
    return [row.id for row in store.view(ViewSpec(with_done=True)).rows(0, 500)]


async def test_a_deleted_item_is_out_of_sight_at_once_with_its_tasks_and_then_gone(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    world.faults.is_down = True

    await store.deletions.delete_items([item_id])
    assert {item_id, task_id} & set(in_view(store)) == set()
    assert (store.item(item_id), store.item(task_id)) == (None, None)
    assert store.outbox.pending == 1

    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    assert not await exists(world, item_id)
    assert not await exists(world, task_id)
    await store.refresh()
    assert {item_id, task_id} & set(in_view(store)) == set()


async def test_a_change_between_the_comparison_and_the_deletion_keeps_the_item(world: World) -> None:
    store, item_id = await world.online(), await of_type(world)
    names = ["Jon's"]

    async def overtake(method: str, _path: str) -> None:
        if method == "DELETE" and names:
            await world.rival.work_items.update(item_id, {"Name": names.pop()})

    world.faults.before = overtake
    await store.deletions.delete_items([item_id])
    await until(lambda: store.outbox.conflicts or not store.outbox.pending, store.outbox_entries)

    assert await exists(world, item_id)
    assert store.outbox.conflicts == 1


async def test_what_goes_with_an_item_is_counted_before(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    tasks = await world.rival.work_items.tasks(item_id).page()
    await world.rival.comments.create({"projectId": 1, "workItemId": task_id, "description": "On the task"})
    await store.refresh()

    going = store.deletions.extent([item_id])

    comments = [
        await world.rival.work_items.comments(each).page() for each in (item_id, *(t["id"] for t in tasks.results))
    ]
    assert (going.items, going.tasks) == (1, tasks.total)
    assert going.comments == sum(each.total for each in comments)


async def test_sync_neither_brings_a_deleted_item_back_nor_reads_everything_again(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    await store.deletions.delete_items([item_id])
    await sent(store)
    await store.refresh()
    world.faults.requests.clear()

    await store.refresh()

    assert {item_id, task_id} & set(in_view(store)) == set()
    assert len([path for _, path in world.faults.requests if path.endswith("/workitems")]) == 2


async def test_a_deletion_that_waits_is_still_out_of_sight_after_a_restart(tmp_path: Path) -> None:
    task = item(2, kind="Task", ParentID=1)
    with offline_store(tmp_path, [item(1), task, item(3)]) as store:
        await store.deletions.delete_items([1])

    with offline_store(tmp_path, [{**task, "lastModifiedAt": "2026-03-03T10:00:00.000"}]) as store:
        assert in_view(store) == [3]
        await store.conflicts.discard(store.outbox_entries()[0].id)
        assert in_view(store) == [1, 2, 3]


async def test_a_mirror_filled_anew_hides_what_waits_to_be_deleted(tmp_path: Path) -> None:
    documents = [item(1), item(2, kind="Task", ParentID=1), item(3)]
    with offline_store(tmp_path, documents) as store:
        await store.deletions.delete_items([1])
    (tmp_path / "mirror.sqlite").unlink()

    with offline_store(tmp_path, documents) as store:
        assert in_view(store) == [3]


async def test_an_item_changed_by_somebody_meanwhile_is_not_deleted_and_comes_back(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    await world.rival.work_items.update(item_id, {"Name": "Jon still works on it"})

    await store.deletions.delete_items([item_id])
    await sent(store)

    (entry,) = store.outbox_entries()
    assert (entry.state, dict(entry.theirs)) == (EntryState.CONFLICT, {"Name": "Jon still works on it"})
    assert "jon" in entry.reason
    found = store.item(item_id)
    assert found is not None
    assert (found.sign, found.fields["Name"]) == (RowSign.CONFLICT, "Jon still works on it")
    assert task_id in in_view(store)
    assert await exists(world, item_id)

    await store.conflicts.retry(entry.id)
    await sent(store)
    assert not await exists(world, item_id)


@pytest.mark.parametrize(("status", "attempts"), [(403, 1), (412, 5)])
async def test_a_refused_deletion_comes_back_with_its_reason(world: World, status: int, attempts: int) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    world.faults.says = lambda method, _: Said(status) if method == "DELETE" else None

    await store.deletions.delete_items([item_id])
    await sent(store)

    (entry,) = store.outbox_entries()
    assert entry.state is EntryState.REFUSED
    assert entry.reason
    found = store.item(item_id)
    assert found is not None
    assert found.sign is RowSign.REFUSED
    assert world.faults.count("DELETE") == attempts


async def test_an_item_that_is_gone_already_counts_as_deleted(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    await world.rival.work_items.delete(item_id)

    await store.deletions.delete_items([item_id])
    await sent(store)

    assert store.outbox_entries() == ()
    assert item_id not in in_view(store)


async def test_an_answer_that_is_no_item_is_no_change_of_the_item_that_is_deleted(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    is_json = [(b"content-type", b"application/json")]
    answers = [Said(200, is_json, body) for body in (b"{}", b'{"id": %d, "fields": 7}' % item_id)]
    path = f"/workitems/{item_id}"
    world.faults.says = lambda method, asked: (
        answers.pop() if answers and method == "GET" and asked.endswith(path) else None
    )

    await store.deletions.delete_items([item_id])
    await sent(store)

    assert (answers, store.outbox_entries()) == ([], ())
    assert not await exists(world, item_id)


async def test_a_deletion_whose_answer_was_lost_is_done_once(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    world.faults.lost_answers["DELETE"] = 1

    await store.deletions.delete_items([item_id])
    await sent(store)

    assert store.outbox_entries() == ()
    assert not await exists(world, item_id)


async def test_what_waited_for_an_item_is_sent_before_it_is_deleted_and_does_not_hinder_it(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    world.faults.is_down = True
    await store.items.edit([item_id, task_id], {"Name": "Mine"})

    await store.deletions.delete_items([item_id])
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert not await exists(world, item_id)
    assert copy_of(store, item_id).item["fields"]["Name"] == "Mine"  # type: ignore[index] # an item's


async def test_the_copy_holds_the_item_with_its_tasks_and_with_comments_nobody_has_seen(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    world.faults.is_down = True
    await store.deletions.delete_items([item_id])
    assert copy_of(store, item_id).item["id"] == item_id
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "New"})

    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    copy = copy_of(store, item_id)
    assert task_id in [each["id"] for each in copy.tasks]
    assert "New" in [each["description"] for each in copy.comments]


async def test_the_copy_keeps_the_tasks_that_were_known_where_the_service_lists_none(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    world.faults.lacks = frozenset({"/tasks"})

    await store.deletions.delete_items([item_id])
    await sent(store)

    assert task_id in [each["id"] for each in copy_of(store, item_id).tasks]


async def test_a_change_of_a_task_that_comes_too_late_is_forgotten_with_its_item(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    goes_on = threading.Event()

    async def hold(method: str, path: str) -> None:
        if (method, path) == ("GET", f"/api/v1/workitems/{task_id}"):
            await asyncio.to_thread(goes_on.wait, PATIENCE)

    world.faults.before = hold
    await store.items.edit([task_id], {"Name": "Too late"})
    await until(lambda: ("GET", f"/api/v1/workitems/{task_id}") in world.faults.requests)
    await store.deletions.delete_items([item_id])
    await until(lambda: store.outbox.pending == 1)

    goes_on.set()
    await sent(store)

    assert store.outbox_entries() == ()


async def test_an_undone_deletion_makes_the_item_again_with_tasks_and_comments(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    there = await world.rival.work_items.get(item_id)
    tasks = await world.rival.work_items.tasks(item_id).page()
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Mind the gap"})
    await store.refresh()
    await store.deletions.delete_items([item_id])
    await sent(store)

    offered = await store.history.to_undo()
    assert offered is not None
    assert [each.id for each in offered.made_again] == [item_id]
    assert offered.is_grave
    await store.history.undo()
    await sent(store)

    new_id = store.files.journal.renames.followed(item_id)
    assert new_id > item_id
    again = await world.rival.work_items.get(new_id)
    assert again["fields"]["Name"] == there["fields"]["Name"]
    assert again["fields"]["Status"] == there["fields"]["Status"]
    assert (await world.rival.work_items.tasks(new_id).page()).total == tasks.total
    comments = await world.rival.work_items.comments(new_id).page(top=100)
    texts = [each["description"] for each in comments.results]
    assert [text for text in texts if text.startswith("jon wrote on ") and text.endswith("\n\nMind the gap")] != []


async def test_a_deletion_done_again_after_it_was_undone_is_for_good(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    await store.items.edit([item_id], {"Name": "Before"})
    await store.deletions.delete_items([item_id])
    await sent(store)
    await store.history.undo()
    await sent(store)

    again = await store.history.redo()
    await sent(store)

    assert again is not None
    assert len(again.deleted) == 1
    assert "Before" not in await world.names()


async def test_acts_before_a_deletion_can_be_undone_on_what_was_made_again(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    before = (await world.rival.work_items.get(item_id))["fields"]["Name"]
    await store.items.edit([item_id], {"Name": "Better"})
    await store.deletions.delete_items([item_id])
    await sent(store)
    await store.history.undo()
    await sent(store)

    await store.history.undo()
    await sent(store)

    new_id = store.files.journal.renames.followed(item_id)
    assert (await world.rival.work_items.get(new_id))["fields"]["Name"] == before


async def test_deleting_an_unsent_item_gives_it_up_and_undo_brings_it_back(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        new_id = await store.items.add("Story", {"Name": "New"})
        await store.items.comment(new_id, "A word")
        await store.deletions.delete_items([new_id])
        assert (in_view(store), store.outbox_entries()) == ([1], ())

        await store.history.undo()

        assert in_view(store) == [1, new_id]
        assert [comment.text for comment in store.comments.of_item(new_id)] == ["A word"]


async def test_one_item_that_is_not_there_keeps_all_from_being_deleted(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        assert isinstance(await raised(store.deletions.delete_items([1, 99])), NotFound)

        assert in_view(store) == [1]
        assert await store.history.to_undo() is None


async def test_an_own_comment_is_out_of_sight_at_once_and_then_gone(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    await store.items.comment(item_id, "A slip")
    await sent(store)
    (slip,) = [comment for comment in store.comments.of_item(item_id) if comment.text == "A slip"]
    world.faults.is_down = True

    await store.deletions.delete_comment(slip.id)
    assert slip.id not in [comment.id for comment in store.comments.of_item(item_id)]

    world.faults.is_down = False
    await store.refresh()
    await sent(store)
    texts = [each["description"] for each in (await world.rival.work_items.comments(item_id).page()).results]
    assert "A slip" not in texts


async def test_a_comment_of_somebody_else_comes_back_when_the_service_refuses(world: World) -> None:
    store = await world.online()
    item_id = await of_type(world)
    made = await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Jon's"})
    await store.refresh()
    world.faults.says = lambda method, _: Said(403) if method == "DELETE" else None

    await store.deletions.delete_comment(made["id"])
    await sent(store)

    assert [entry.state for entry in store.outbox_entries()] == [EntryState.REFUSED]
    assert made["id"] in [comment.id for comment in store.comments.of_item(item_id)]


async def test_a_comment_that_waits_is_given_up(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        comment_id = await store.items.comment(1, "A slip")

        await store.deletions.delete_comment(comment_id)
        assert (store.comments.of_item(1), store.outbox_entries()) == ((), ())

        await store.history.undo()
        assert [comment.text for comment in store.comments.of_item(1)] == ["A slip"]


async def test_the_last_copy_of_an_item_that_others_deleted_is_kept_while_changes_wait(world: World) -> None:
    store = await world.online()
    item_id, _ = await with_task(world)
    await world.rival.work_items.delete(item_id)
    await store.items.edit([item_id], {"Name": "Too late"})

    await store.refresh()
    await until(lambda: store.outbox.refused == 1, store.outbox_entries)

    assert copy_of(store, item_id).item["fields"]["Name"] == "Too late"  # type: ignore[index] # an item's


async def test_an_item_that_others_deleted_is_made_again_with_unsent_edits_and_comments(world: World) -> None:
    store = await world.online()
    item_id, task_id = await with_task(world)
    tasks = len(store.batch.tasks_of(item_id))
    await world.rival.work_items.delete(item_id)
    await store.items.edit([item_id], {"Name": "Not lost"})
    await store.items.comment(item_id, "Nor is this")
    await until(lambda: store.outbox.refused == 2, store.outbox_entries)

    made = await store.history.create_again(item_id)
    at_once = store.item(made)
    assert at_once is not None
    assert (at_once.fields["Name"], store.item(item_id)) == ("Not lost", None)
    assert "Nor is this" in [each.text for each in store.comments.of_item(made)]
    await sent(store)

    assert store.outbox_entries() == ()
    assert (store.item(item_id), store.item(task_id)) == (None, None)
    (document,) = (await world.rival.work_items.page(filter="Name eq 'Not lost'")).results
    comments = (await world.rival.work_items.comments(document["id"]).page()).results
    again = store.item(made)
    assert again is not None
    assert again.id == document["id"]
    assert "Nor is this" in [each["description"] for each in comments]
    assert len(store.batch.tasks_of(again.id)) == tasks > 0


def age_trash(folder: Path, days: float) -> None:
    """Have all copies lie in the trash for so long already."""
    with closing(sqlite3.connect(places_in(folder).journal)) as connection, connection:
        connection.execute("UPDATE trash SET kept_at = kept_at - ?", (days * 86_400,))


async def test_copies_are_kept_for_ninety_days_and_longer_while_the_deletion_waits(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        await store.deletions.delete_items([1])
        store.files.submit(lambda writer: writer.journal.trash.keep(ItemCopy(item(2)))).result()

    age_trash(tmp_path, 89)
    with offline_store(tmp_path) as store:
        assert copy_of(store, 2).item == item(2)

    age_trash(tmp_path, 2)
    with offline_store(tmp_path) as store:
        assert store.files.journal.trash.of_item(2) is None
        assert copy_of(store, 1).item == item(1)
