"""A disk that is full, read-only or damaged: a sentence with the path, nothing shown that is not kept, no crash."""

import shutil
from pathlib import Path

import pytest
from tests.store.documents import item, no_service, offline_store, places_in
from tests.store.faulty_files import no_room, settled, tear
from tests.store.world import World, raised, until

from backlit.model.errors import StorageError
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.files.files import inspect_journal
from backlit.store.journal.journal import Journal


def name_of(store: Store, item_id: int) -> object:
    found = store.item(item_id)
    return found and found.fields["Name"]


async def test_an_edit_that_the_disk_refuses_is_refused_and_not_shown(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        with no_room():
            error = await raised(store.items.edit([1], {"Name": "Never written"}))

        assert isinstance(error, StorageError)
        assert str(places_in(tmp_path).journal) in error.message
        assert (name_of(store, 1), store.outbox_entries(), store.outbox.pending) == ("Item 1", (), 0)


async def test_once_there_is_room_the_edit_is_made(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        with no_room():
            await raised(store.items.edit([1], {"Name": "Written later"}))

        await store.items.edit([1], {"Name": "Written later"})

        assert name_of(store, 1) == "Written later"


def test_a_full_disk_is_said_when_the_files_are_made(tmp_path: Path) -> None:
    store = Store(places_in(tmp_path), no_service)

    with no_room(), pytest.raises(StorageError, match=str(tmp_path)):
        store.open()


async def test_reading_goes_on_where_nothing_can_be_written(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store, no_room():
        assert [row.id for row in store.view(ViewSpec()).rows(0, 9)] == [1, 2]


async def test_a_full_disk_while_syncing_is_said_and_over_by_itself(world: World) -> None:
    store = await world.online()
    await world.rival.work_items.update(1, {"Name": "Changed by Jon"})

    with no_room():
        await raised(store.refresh())
        assert store.connection.state in {ConnectionState.FAILED, ConnectionState.OFFLINE}
    await store.refresh()

    await until(lambda: name_of(store, 1) == "Changed by Jon", lambda: store.connection)


def test_a_file_where_a_directory_should_be_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.raises(StorageError, match="file"):
        Store(places_in(tmp_path / "file" / "below"), no_service).open()


@pytest.mark.parametrize("name", ["mirror", "journal"])
def test_a_directory_where_a_file_should_be_is_named(tmp_path: Path, name: str) -> None:
    path = getattr(places_in(tmp_path), name)
    path.mkdir()

    with pytest.raises(StorageError, match=f"{path} cannot be"):
        Store(places_in(tmp_path), no_service).open()


async def test_an_edit_in_a_log_that_a_killed_process_left_is_found(tmp_path: Path) -> None:
    with offline_store(tmp_path / "alive", [item(1)]) as store:
        await store.items.edit([1], {"Name": "Made before the kill"})
        shutil.copytree(tmp_path / "alive", tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm"))

    with offline_store(tmp_path / "killed") as left:
        assert name_of(left, 1) == "Made before the kill"
        assert left.outbox.pending == 1


async def test_a_log_that_was_cut_off_loses_what_was_not_whole_and_opens(tmp_path: Path) -> None:
    with offline_store(tmp_path / "alive", [item(1)]) as store:
        await store.items.edit([1], {"Name": "Whole"})
        await store.items.edit([1], {"Name": "Cut"})
        shutil.copytree(tmp_path / "alive", tmp_path / "killed", ignore=shutil.ignore_patterns("*-shm"))
    log = tmp_path / "killed" / "journal.sqlite-wal"
    log.write_bytes(log.read_bytes()[:-100])

    with offline_store(tmp_path / "killed") as left:
        assert [entry.payload for entry in left.outbox_entries()] == [{"Name": "Whole"}]
        assert name_of(left, 1) == "Whole"


@pytest.mark.parametrize("is_for_reading", [False, True])
def test_an_empty_journal_is_damage_and_stays_empty(tmp_path: Path, *, is_for_reading: bool) -> None:
    path = tmp_path / "journal.db"
    Journal(path).close()
    assert path.stat().st_size > 0
    path.write_bytes(b"")

    with pytest.raises(StorageError, match=f"{path} is damaged: the file is empty. Restore a backup"):
        Journal(path, is_for_reading=is_for_reading)

    assert path.stat().st_size == 0
    assert [each.name for each in tmp_path.iterdir()] == ["journal.db"]
    assert inspect_journal(path).fault == "The file is empty."


async def test_a_journal_that_is_damaged_while_it_is_used_is_said_and_kept(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Before"})
        settled(store)
        tear(places_in(tmp_path).journal)
        torn = places_in(tmp_path).journal.read_bytes()

        error = await raised(store.items.edit([1], {"Name": "After"}))
        with pytest.raises(StorageError, match="Restore a backup"):
            store.outbox_entries()

        assert isinstance(error, StorageError)
        assert f"{places_in(tmp_path).journal} is damaged" in error.message
        assert name_of(store, 1) == "Before"
    assert places_in(tmp_path).journal.read_bytes() == torn


async def test_a_journal_torn_before_the_start_is_said_and_kept(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Before"})
        settled(store)
    tear(places_in(tmp_path).journal)
    torn = places_in(tmp_path).journal.read_bytes()

    with pytest.raises(StorageError, match=f"{places_in(tmp_path).journal} is damaged.*Restore a backup"):
        Store(places_in(tmp_path), no_service).open()

    assert places_in(tmp_path).journal.read_bytes() == torn
