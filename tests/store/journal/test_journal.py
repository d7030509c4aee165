"""The journal: what was acknowledged is there, whatever happens to the process, the files or the program."""

import asyncio
import random
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, no_service, offline_store, places_in
from tests.store.world import PATIENCE, World, sent, until

from backlit.model.errors import StorageError
from backlit.store import EntryKind, OutboxEntry, OutboxState, RowSign, ViewSpec
from backlit.store.files.files import WriteContext
from backlit.store.journal.schema import MIGRATIONS
from backlit.store.records.item import item_of

HOUSE = Path(__file__).resolve().parents[3]
FEW = 3
Acknowledged = list[tuple[str, int, int]]


async def edited_and_killed(folder: Path, item_ids: list[int], mode: str, seconds: float) -> Acknowledged:
    """Let a process edit a few times and for a while, kill it with signal 9, and return what it acknowledged."""
    ids = ",".join(str(each) for each in item_ids)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.store.editor", str(folder), ids, mode, cwd=HOUSE, stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    try:
        first = await asyncio.wait_for(process.stdout.readline(), 4 * PATIENCE)  # it imports all, beside other tests
        for _ in range(FEW):
            first += await asyncio.wait_for(process.stdout.readline(), PATIENCE)
        await asyncio.sleep(seconds)
    finally:
        process.send_signal(signal.SIGKILL)
    lines = (first + await process.stdout.read()).decode().splitlines(keepends=True)
    await process.wait()
    words = [line.split() for line in lines if line.endswith("\n")]
    return [(kind, int(item_id), int(number)) for kind, item_id, number in words]


async def assert_all_arrived_once(world: World, acknowledged: Acknowledged, item_id: int) -> None:
    """Each acknowledged item and comment is on the service, and none twice, acknowledged or not."""
    bugs = [name for name in await world.names() if name.startswith("Bug ")]
    page = await world.rival.work_items.comments(item_id).page(top=1000)
    comments = [each["description"] for each in page.results if each["description"].startswith("Comment ")]
    assert len(bugs) == len(set(bugs))
    assert len(comments) == len(set(comments))
    assert {f"Bug {number}" for kind, _, number in acknowledged if kind == "add"} <= set(bugs)
    assert {f"Comment {number}" for kind, _, number in acknowledged if kind == "comment"} <= set(comments)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.long_but("1")
async def test_what_was_acknowledged_before_a_kill_is_journalled_shown_and_arrives_once(
    world: World, seed: int
) -> None:
    store = await world.online()
    ids = [row.id for row in store.view(ViewSpec()).rows(0, 100) if row.type == "Story"][:3]
    await world.close(store)

    seconds = random.Random(seed).uniform(0.02, 0.3)
    acknowledged = await edited_and_killed(world.folder, ids, "offline", seconds)
    assert len(acknowledged) > FEW

    store = world.store()
    journalled = [entry.payload for entry in store.outbox_entries()]
    edits = [(item_id, number) for kind, item_id, number in acknowledged if kind == "edit"]
    assert [payload for _, number in edits if (payload := {"Name": f"Edit {number}"}) not in journalled] == []
    shown = {item_id: found for item_id in ids if (found := store.item(item_id))}
    assert {found.sign for found in shown.values()} == {RowSign.PENDING}
    for item_id, number in edits:
        assert int(str(shown[item_id].fields["Name"]).removeprefix("Edit ")) >= number
    drafts = [number for kind, _, number in acknowledged if kind == "draft"]
    assert not drafts or int(str((store.drafts.find("note") or {})["text"]).removeprefix("Draft ")) >= drafts[-1]

    store.start()
    await sent(store)
    for item_id in ids:
        there = await world.rival.work_items.get(item_id)
        assert there["fields"]["Name"] == shown[item_id].fields["Name"]
    await assert_all_arrived_once(world, acknowledged, ids[0])


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.long_but("1")
async def test_a_kill_while_sending_loses_nothing_and_doubles_nothing(tmp_path: Path, sample: Path, seed: int) -> None:
    world = World(tmp_path, sample)

    seconds = random.Random(seed).uniform(0.05, 0.6)
    acknowledged = await edited_and_killed(tmp_path, [1, 2, 3], "online", seconds)

    await world.start()
    store = world.store()
    store.start()
    await sent(store)
    assert store.outbox_entries() == ()
    last = {item_id: number for kind, item_id, number in acknowledged if kind == "edit"}
    for item_id, number in last.items():
        name = (await world.rival.work_items.get(item_id))["fields"]["Name"]
        assert int(name.removeprefix("Edit ")) >= number
    await assert_all_arrived_once(world, acknowledged, 1)
    await world.stop()


@pytest.mark.slow
async def test_a_process_killed_while_sending_does_not_send_twice(world: World) -> None:
    store = await world.online()
    world.faults.delay = 0.05
    for number in range(4):
        await store.items.add("Bug", {"Name": f"Half sent {number}"})
    await until(lambda: world.faults.count("POST") >= 3)
    await world.close(store)
    world.faults.delay = 0.0

    store = world.store()
    store.start()
    await sent(store)

    made = await world.names()
    assert [made.count(f"Half sent {number}") for number in range(4)] == [1, 1, 1, 1]


async def test_an_edit_journalled_but_not_yet_shown_is_shown_after_the_next_start(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        store.files.submit(
            lambda writer: writer.mirror.connection.execute("UPDATE items SET sign = 0, name = 'Item 1'")
        ).result()

    with offline_store(tmp_path) as store:
        (row,) = store.view(ViewSpec()).rows(0, 9)
        assert (row.name, row.sign) == ("Mine", RowSign.PENDING)


async def test_a_chained_edit_starts_from_the_pending_value(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "One"})
        await store.items.edit([1], {"Name": "Two", "Estimate": "3"})
        await store.items.edit([1], {"Name": "Two"})

        assert [(dict(entry.base), dict(entry.payload)) for entry in store.outbox_entries()] == [
            ({"Name": "Item 1"}, {"Name": "One"}),
            ({"Name": "One", "Estimate": None}, {"Name": "Two", "Estimate": "3"}),
        ]
        assert store.outbox == OutboxState(pending=2)


async def test_drafts_are_kept_replaced_and_thrown_away(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        await store.drafts.save("comment 7", {"text": "half a"})
        await store.drafts.save("comment 7", {"text": "half a sentence \ud83d", "cursor": 3})

        store.files.submit(
            lambda writer: writer.journal.drafts.save("comment 7", {"text": "of another window"})
        ).result()
        assert store.drafts.find("comment 7") == {"text": "of another window"}
        await store.drafts.save("comment 7", {"text": "half a sentence \ud83d", "cursor": 3})

    with offline_store(tmp_path) as store:
        assert store.drafts.find("comment 7") == {"text": "half a sentence \ud83d", "cursor": 3}
        await store.drafts.discard("comment 7")
        assert store.drafts.find("comment 7") is None


def test_the_chosen_project_is_remembered(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(5, project=2)]) as store:
        store.choose_project(2)
        assert [row.id for row in store.view(ViewSpec()).rows(0, 9)] == [5]

    from backlit.store import Store

    store = Store(places_in(tmp_path), no_service)
    store.open()
    assert store.project_id == 2
    store.close()


async def test_temporary_ids_are_never_given_twice_and_order_as_they_were_made(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        first = await store.items.add("Story", {"Name": "First"})
        await store.conflicts.discard(store.outbox_entries()[0].id)
    with offline_store(tmp_path) as store:
        second = await store.items.add("Story", {"Name": "Second"})
        third = await store.items.add("Story", {"Name": "Third"})

        assert first < second < third < 0
        assert [row.name for row in store.view(ViewSpec()).rows(0, 9)] == ["Second", "Third"]
        assert store.outbox_entries()[0].kind is EntryKind.ADD


async def test_what_is_journalled_while_a_new_item_gets_its_id_goes_to_that_id(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        temporary = await store.items.add("Story", {"Name": "New"})
        (made,) = store.outbox_entries()

        def act(writer: WriteContext) -> list[OutboxEntry]:
            writer.journal.deliver(made, 77)
            task = {"type": "Task", "projectId": 1, "fields": {"Name": "Under it", "ParentID": temporary}}
            comment = replace(made, item_id=temporary, kind=EntryKind.COMMENT, payload={"text": "Late"})
            return writer.journal.add([comment, replace(made, payload=task)])

        comment, task = await store.files.write(act)

        assert comment.item_id == 77
        assert task.parent_id == 77
        assert store.outbox_entries() == (comment, task)


def test_a_journal_that_cannot_be_read_is_left_as_it_is(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.make()
    places.journal.write_bytes(b"important, but not a database " * 100)
    before = places.journal.read_bytes()

    with pytest.raises(StorageError), offline_store(tmp_path):
        pass

    assert places.journal.read_bytes() == before


def test_a_journal_of_a_newer_version_is_left_as_it_is(tmp_path: Path) -> None:
    with offline_store(tmp_path):
        pass
    connection = sqlite3.connect(places_in(tmp_path).journal)
    connection.execute("PRAGMA user_version = 99")
    connection.close()

    with pytest.raises(StorageError, match="newer"), offline_store(tmp_path):
        pass


async def test_a_journal_of_the_first_version_is_brought_up_with_all_that_is_in_it(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.make()
    with closing(sqlite3.connect(places.journal)) as connection, connection:
        connection.executescript(MIGRATIONS[0] + "; PRAGMA user_version = 1")
        connection.executemany(
            "INSERT INTO entries (created_at, project_id, item_id, kind, payload, base, state, step)"
            " VALUES (1, 1, ?, 'edit', ?, ?, ?, ?)",
            [
                (1, '{"Name": "One"}', '{"Name": "Item 1"}', "waiting", 1),
                (2, '{"Name": "Two"}', '{"Name": "Item 2"}', "waiting", 1),
                (1, '{"Name": "Three"}', '{"Name": "One"}', "discarded", 3),
            ],
        )
    connection.close()

    with offline_store(tmp_path, [item(1), item(2)]) as store:
        assert [dict(entry.payload) for entry in store.outbox_entries()] == [{"Name": "One"}, {"Name": "Two"}]
        done = await store.history.undo()
        assert done is not None
        assert {change.item_id for change in done.changes} == {1, 2}
        assert store.outbox_entries() == ()
        await store.items.edit([1], {"Name": "Four"})
        assert [entry.step for entry in store.outbox_entries()] == [5]


def test_the_status_history_of_an_older_journal_is_kept(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    places.make()
    with closing(sqlite3.connect(places.journal)) as connection, connection:
        connection.executescript(";".join(MIGRATIONS[:9]) + "; PRAGMA user_version = 9")
        connection.executemany(
            "INSERT INTO stays VALUES (1, ?, 'In Progress', ?, ?)",
            [(7, "2026-03-02", None), (8, "2026-03-05", "2026-03-04")],
        )
    connection.close()

    with offline_store(tmp_path) as store:
        kept = store.files.submit(lambda writer: writer.journal.status_history.of_project(1)).result()
        changes = store.files.submit(lambda writer: writer.journal.status_history.changes(1)).result()

    assert changes == {item_id: [seen] for item_id, seen in kept.items()}
    assert [(item_id, seen.status, str(seen.since), seen.is_exact) for item_id, seen in kept.items()] == [
        (7, "In Progress", "2026-03-02", False),
        (8, "In Progress", "2026-03-05", True),
    ]


def test_nonsense_from_a_foreign_service_does_not_break_an_item() -> None:
    found = item_of({"id": "x", "fields": None, "createdAt": "yesterday", "type": None}, None, 0)

    assert (found.id, found.fields, found.created_at, found.type) == (0, {}, None, "")
