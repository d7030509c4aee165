"""What an edit writes into the journal: its base, its time, and what it refuses, in a store without a service."""

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, no_service, offline_store, places_in, put
from tests.store.world import raised

from backlit.model.errors import BadRequest, NotFound
from backlit.store import EntryState, OutboxEntry, Store
from backlit.store.edits.items import ItemWithTasks
from backlit.store.files.files import WriteContext

LATER = "2026-03-02T10:00:00.000"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [item(1, Tags=["a"]), item(2), item(3, kind="Task", ParentID=1), item(4, project=2)]
    with offline_store(tmp_path, documents) as made:
        yield made


def last(store: Store) -> OutboxEntry:
    return store.outbox_entries()[-1]


def settle(store: Store, state: EntryState) -> None:
    entry = replace(last(store), state=state)
    store.files.submit(lambda writer: writer.journal.update(entry)).result()


async def test_an_edit_keeps_the_values_and_the_time_it_started_from(store: Store) -> None:
    await store.items.edit([1], {"Name": "Mine", "Estimate": None, "Tags": ["a"]})

    entry = last(store)
    assert (entry.payload, entry.base) == ({"Name": "Mine"}, {"Name": "Item 1"})
    assert entry.base_modified_at == "2026-03-01T10:00:00.000"


@pytest.mark.parametrize(("now", "base"), [("First", "First"), ("Theirs", "Item 1")])
async def test_an_own_newer_value_is_the_base_and_that_of_others_is_not(store: Store, now: str, base: str) -> None:
    await store.items.edit([1], {"Name": "First"})
    settle(store, EntryState.SENT)
    put(store, [{**item(1, Name=now), "lastModifiedAt": LATER}])

    await store.items.edit([1], {"Name": "Second"}, {"Name": "Item 1"})

    assert last(store).base == {"Name": base}


@pytest.mark.parametrize("act", ["edit", "comment", "add a task", "delete"])
async def test_an_act_on_an_item_that_is_removed_before_it_is_written_is_refused(store: Store, act: str) -> None:
    may_go_on = threading.Event()

    def remove(writer: WriteContext) -> None:
        may_go_on.wait(10)
        writer.mirror.remove_items([2])

    removed = store.files.submit(remove)
    acts: dict[str, Callable[[], Coroutine[None, None, object]]] = {
        "edit": lambda: store.items.edit([2], {"Name": "Mine"}),
        "comment": lambda: store.items.comment(2, "Hello"),
        "add a task": lambda: store.items.add("Task", {"Name": "Below", "ParentID": 2}),
        "delete": lambda: store.deletions.delete_items([2]),
    }
    acting = asyncio.create_task(acts[act]())
    await asyncio.sleep(0)
    may_go_on.set()

    assert isinstance(await raised(acting), NotFound)
    removed.result()
    assert store.outbox_entries() == ()


async def test_a_list_keeps_the_values_that_were_seen(store: Store) -> None:
    await store.items.edit([1], {"Tags": ["a", "b"]})

    await store.items.edit([1], {"Tags": ["a", "c"]}, {"Tags": ["a"]})

    assert last(store).base == {"Tags": ["a"]}


@pytest.mark.parametrize("item_ids", [[1, 3], [3, 1], [1, 99], [99, 1]])
async def test_a_change_that_one_item_cannot_take_changes_none(store: Store, item_ids: list[int]) -> None:
    error = await raised(store.items.edit(item_ids, {"Estimate": "3"}))

    assert isinstance(error, NotFound if 99 in item_ids else BadRequest)
    assert store.outbox_entries() == ()


@pytest.mark.parametrize("parent_id", [3, 4, 99])
async def test_a_task_needs_a_parent_of_its_project_that_is_no_task(store: Store, parent_id: int) -> None:
    error = await raised(store.items.add("Task", {"Name": "New", "ParentID": parent_id}))

    assert isinstance(error, BadRequest)
    assert set(error.errors) == {"ParentID"}


async def test_what_is_being_sent_cannot_be_discarded(store: Store) -> None:
    await store.items.edit([1], {"Name": "Mine"})
    settle(store, EntryState.SENDING)

    assert isinstance(await raised(store.conflicts.discard(last(store).id)), BadRequest)
    assert last(store).state is EntryState.SENDING


@pytest.mark.parametrize(("name", "is_kept"), [("Under it", False), ("Beside it", True)])
async def test_a_new_item_takes_its_tasks_along(store: Store, name: str, is_kept: bool) -> None:
    made = await store.items.add("Story", {"Name": "New"})
    await store.items.add("Task", {"Name": name, "ParentID": 1 if is_kept else made})

    await store.conflicts.discard(store.outbox_entries()[0].id)

    assert [each.fields["Name"] for each in store.outbox_entries()] == [name] * is_kept


async def test_an_item_needs_a_known_type_and_a_project(tmp_path: Path, store: Store) -> None:
    other = Store(places_in(tmp_path / "other"), no_service)
    other.open()
    nowhere = await raised(other.items.add("Story", {"Name": "New"}))
    unplanned = await raised(other.plan.undo())
    other.close()
    unknown = await raised(store.items.add("Epic", {"Name": "New"}))

    assert isinstance(unknown, BadRequest)
    assert set(unknown.errors) == {"type"}
    assert (
        str(nowhere)
        == str(unplanned)
        == ("No project is open yet. Wait for the first load, or ask a manager to add you to a project.")
    )


async def test_acts_by_a_temporary_id_go_to_the_item_that_the_service_made(store: Store) -> None:
    made = await store.items.add("Story", {"Name": "New", "Estimate": None})
    add = last(store)

    def deliver(writer: WriteContext) -> None:
        writer.journal.deliver(add, 77)
        writer.mirror.rename({made: item(77, Name="Theirs")}, [])

    store.files.submit(deliver).result()
    await store.items.edit([made], {"Name": "Mine"}, {"Name": "New"})
    edit = last(store)
    await store.items.comment(made, "Look")
    comment = last(store)
    await store.items.add("Task", {"Name": "Below", "ParentID": made})
    task = last(store)
    settle_entry = replace(edit, state=EntryState.CONFLICT, theirs={"Name": "Theirs"})
    store.files.submit(lambda writer: writer.journal.update(settle_entry)).result()

    contested = store.conflicts.of_item(made)
    assert add.fields == {"Name": "New"}
    assert (edit.item_id, edit.base, comment.item_id, task.parent_id) == (77, {"Name": "New"}, 77, 77)
    assert contested is not None
    assert contested.id == edit.id
    assert store.deletions.extent([made]).items == store.deletions.extent([made, 77]).items == 1


async def test_an_act_belongs_to_the_project_of_its_item(store: Store) -> None:
    await store.items.edit([4], {"Name": "Mine"})
    await store.items.comment(4, "Look")

    assert [each.project_id for each in store.outbox_entries()] == [2, 2]


@pytest.mark.parametrize(
    ("kind", "fields", "faults"),
    [
        ("Story", {}, {"Name"}),
        ("Story", {"Name": None, "Estimate": True}, {"Name", "Estimate"}),
        ("Story", {"Name": "New", "WorkCompleted": 1.0, "Nothing": 1}, {"WorkCompleted", "Nothing"}),
        ("Task", {"Name": "New"}, {"ParentID"}),
    ],
)
async def test_a_new_item_is_refused_with_each_fault(
    store: Store, kind: str, fields: Mapping[str, object], faults: set[str]
) -> None:
    error = await raised(store.items.add(kind, fields))
    below = await raised(
        store.items.add_families([ItemWithTasks("Story", {"Name": "New"}, [{**fields, "ParentID": 4}])])
    )

    assert isinstance(error, BadRequest)
    assert isinstance(below, BadRequest)
    assert error.errors.keys() == faults
    assert all(error.errors[key] in str(error) for key in faults)
    assert store.outbox_entries() == ()


async def test_a_parent_is_chosen_with_a_new_task_only(store: Store) -> None:
    error = await raised(store.items.edit([3], {"ParentID": 2}))

    assert isinstance(error, BadRequest)
    assert set(error.errors) == {"ParentID"}


@pytest.mark.parametrize("text", ["", " \n", "a \ud800"])
async def test_a_comment_without_a_text_that_can_be_sent_is_refused(store: Store, text: str) -> None:
    error = await raised(store.items.comment(1, text))

    assert isinstance(error, BadRequest)
    assert set(error.errors) == {"description"}
