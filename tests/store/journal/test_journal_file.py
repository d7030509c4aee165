"""A journal that others lock, delete or replace while it is used: nothing typed is lost, and it is said."""

import asyncio
import multiprocessing
import os
import sqlite3
import stat
import sys
from contextlib import closing
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
from tests.store.documents import item, no_service, offline_store, places_in
from tests.store.faulty_files import held
from tests.store.world import PATIENCE, until

from backlit.model.errors import StorageError
from backlit.store import Store
from backlit.store.journal.journal import Journal


def sentences(store: Store) -> list[str]:
    said: list[str] = []
    store.subscribe(lambda change: said.append(change.sentence) if change.sentence else None)
    return said


def kept(folder: Path) -> list[object]:
    """The names that a backlit which is started now finds in the journal."""
    with offline_store(folder) as store:
        return [entry.payload.get("Name") for entry in store.outbox_entries()]


async def test_an_edit_waits_aloud_for_a_locked_journal_and_is_made(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        said = sentences(store)
        with held(places_in(tmp_path).journal):
            editing = asyncio.create_task(store.items.edit([1], {"Name": "Typed meanwhile"}))
            await until(lambda: said)
            assert not editing.done()
        await editing

        assert said[0].startswith(f"Another process has locked the journal {places_in(tmp_path).journal}.")
        assert said[-1].startswith("The journal is unlocked")
        assert [entry.payload for entry in store.outbox_entries()] == [{"Name": "Typed meanwhile"}]


async def test_leaving_does_not_wait_for_a_journal_that_is_held(tmp_path: Path) -> None:
    store = Store(places_in(tmp_path), no_service)
    store.open()
    said = sentences(store)
    with held(places_in(tmp_path).journal):
        writing = asyncio.create_task(store.drafts.save("x", {"Name": "y"}))
        await until(lambda: said)

        await asyncio.wait_for(asyncio.to_thread(store.close), PATIENCE)

        with pytest.raises(StorageError, match="Another process has locked"):
            await writing


@pytest.mark.parametrize("how", ["IMMEDIATE", "EXCLUSIVE"])
def test_opening_says_that_the_journal_is_held(tmp_path: Path, how: str) -> None:
    with offline_store(tmp_path):
        pass
    with held(places_in(tmp_path).journal, how), pytest.raises(StorageError, match="Another process has locked"):
        Store(places_in(tmp_path), no_service).open()


@pytest.mark.parametrize("suffixes", [("",), ("", "-wal", "-shm")], ids=["file", "file and logs"])
async def test_a_deleted_journal_is_written_again_with_all_that_was_in_it(
    tmp_path: Path, suffixes: tuple[str, ...]
) -> None:
    journal = places_in(tmp_path).journal
    with offline_store(tmp_path, [item(1)]) as store:
        said = sentences(store)
        await store.items.edit([1], {"Name": "Before"})
        for suffix in suffixes:
            os.unlink(f"{journal}{suffix}")  # noqa: PTH108 - a name with a suffix
        await store.items.edit([1], {"Name": "After"})
        shown = [entry.payload["Name"] for entry in store.outbox_entries()]

        assert said == [f"The journal {journal} was deleted while in use. It was restored and no data is lost."]
        assert shown == ["Before", "After"]
        assert stat.S_IMODE(journal.stat().st_mode) == 0o600
    assert kept(tmp_path) == ["Before", "After"]


async def names_read_by_another_process(journal: Path) -> list[str]:
    program = """if True:
        import sqlite3, sys
        connection = sqlite3.connect(sys.argv[1])
        names = connection.execute("SELECT json_extract(payload, '$.Name') FROM entries ORDER BY id")
        print(*(name for (name,) in names))
        connection.close()
    """
    other = await asyncio.create_subprocess_exec(sys.executable, "-c", program, journal, stdout=asyncio.subprocess.PIPE)
    output, _ = await other.communicate()
    return output.decode().split()


async def test_another_process_that_closes_a_restored_journal_leaves_its_log_in_place(tmp_path: Path) -> None:
    journal = places_in(tmp_path).journal
    with offline_store(tmp_path, [item(1)]) as store:
        journal.unlink()
        await store.items.edit([1], {"Name": "Restored"})
        assert await names_read_by_another_process(journal) == ["Restored"]
        await store.items.edit([1], {"Name": "After"})

        assert await names_read_by_another_process(journal) == ["Restored", "After"]


async def test_an_edit_that_waits_for_a_lock_is_in_the_journal_that_another_process_restores(tmp_path: Path) -> None:
    journal = places_in(tmp_path).journal
    with offline_store(tmp_path, [item(1)]) as one, offline_store(tmp_path) as two:
        said = sentences(two)
        with held(journal):
            waiting = asyncio.create_task(two.items.edit([1], {"Name": "Waits"}))
            await until(lambda: said)
            journal.unlink()
            restoring = asyncio.create_task(one.items.edit([1], {"Name": "Restores"}))
            await asyncio.wait([restoring], timeout=0.1)
        await asyncio.gather(waiting, restoring)

    assert set(kept(tmp_path)) == {"Waits", "Restores"}


@pytest.mark.parametrize("mode", [None, 0o644])
def test_only_the_user_reads_the_journal(tmp_path: Path, mode: int | None) -> None:
    journal = places_in(tmp_path).journal
    if mode:
        Journal(journal).close()
        journal.chmod(mode)

    with offline_store(tmp_path):
        assert stat.S_IMODE(journal.stat().st_mode) == 0o600


async def test_a_journal_in_the_place_of_another_is_moved_aside(tmp_path: Path) -> None:
    journal = places_in(tmp_path).journal
    with offline_store(tmp_path / "other", [item(2)]) as other:
        await other.items.edit([2], {"Name": "Of a backup"})
    with offline_store(tmp_path, [item(1)]) as store:
        said = sentences(store)
        await store.items.edit([1], {"Name": "Before"})
        places_in(tmp_path / "other").journal.replace(journal)
        await store.items.edit([1], {"Name": "After"})
        aside = await asyncio.to_thread(lambda: next(tmp_path.glob("*.found-*")))

        assert said == [f"Another file replaced the journal and was moved to {aside}. No data is lost."]
    assert kept(tmp_path) == ["Before", "After"]
    with closing(sqlite3.connect(aside)) as backup:
        assert "Of a backup" in str(backup.execute("SELECT payload FROM entries").fetchall())


async def _edited(folder: Path, name: str, begin: Barrier, end: Barrier) -> None:
    with offline_store(folder) as store:
        await asyncio.to_thread(begin.wait, PATIENCE)
        await asyncio.to_thread(end.wait, PATIENCE)
        await store.items.edit([1], {"Name": name})


def _run(folder: Path, name: str, begin: Barrier, end: Barrier) -> None:
    asyncio.run(_edited(folder, name, begin, end))


@pytest.mark.slow
def test_two_processes_agree_on_the_journal_that_one_of_them_wrote_again(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    with offline_store(tmp_path, [item(1)]):
        pass
    begin, end = context.Barrier(3), context.Barrier(3)
    both = [context.Process(target=_run, args=(tmp_path, name, begin, end)) for name in ("One", "Two")]
    for each in both:
        each.start()
    begin.wait(PATIENCE)
    places_in(tmp_path).journal.unlink()
    end.wait(PATIENCE)
    for each in both:
        each.join(PATIENCE)

    assert [each.exitcode for each in both] == [0, 0]
    assert sorted(map(str, kept(tmp_path))) == ["One", "Two"]
