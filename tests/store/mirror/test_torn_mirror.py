"""A mirror that is torn, gone or old while it is used, and after a start: it is made anew and nothing crashes."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in, put
from tests.store.faulty_files import tear
from tests.store.world import World, raised, sent, until

from backlit.model.errors import NotFound, StorageError
from backlit.model.statuses import StatusGroup
from backlit.store import ConnectionState, RowSign, Store, ViewSpec
from backlit.store.mirror.schema import VERSION
from backlit.store.sqlite.database import drop_database


def truncate(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:6000])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def checkpointed(store: Store) -> None:
    """Have all pages in the file itself and none in memory."""
    store.files.submit(
        lambda writer: writer.mirror.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    ).result()
    store.files.submit(lambda writer: writer.mirror.connection.execute("PRAGMA shrink_memory").fetchall()).result()


@pytest.mark.parametrize("spoil", [tear, truncate, empty])
async def test_a_mirror_torn_before_the_start_is_filled_again(world: World, spoil: Callable[[Path], None]) -> None:
    store = await world.online()
    count = len(store.view(ViewSpec()).rows(0, 999))
    await world.close(store)
    spoil(world.places("mine").mirror)

    store = await world.online()

    assert len(store.view(ViewSpec()).rows(0, 999)) == count


async def test_a_read_that_meets_damage_shows_the_mirror_as_it_is_loaded_again(world: World) -> None:
    store = await world.online()
    view = store.view(ViewSpec())
    ids = [row.id for row in view.rows(0, 999)]
    checkpointed(store)
    tear(world.places("mine").mirror)

    for item_id in ids:
        store.item(item_id)
    store.comments.of_item(ids[0])

    await until(lambda: len(store.view(ViewSpec()).rows(0, 999)) == len(ids), lambda: store.connection)
    await until(lambda: store.connection.state is ConnectionState.ONLINE)


async def test_a_write_that_meets_damage_is_refused_and_sent_at_most_once(world: World) -> None:
    store = await world.online()
    item_id = store.view(ViewSpec()).rows(0, 1)[0].id
    checkpointed(store)
    tear(world.places("mine").mirror)

    error = await raised(store.items.comment(item_id, "Written on torn paper"))
    assert isinstance(error, StorageError | NotFound)

    await until(lambda: store.item(item_id) is not None)
    await sent(store)
    page = await world.rival.work_items.comments(item_id).page(top=1000)
    assert [each["description"] for each in page.results].count("Written on torn paper") <= 1


async def test_a_mirror_that_is_deleted_while_it_is_used_is_filled_again(world: World) -> None:
    store = await world.online()
    count = len(store.view(ViewSpec()).rows(0, 999))
    for file in world.places("mine").mirror.parent.glob("mirror.sqlite*"):
        file.unlink()

    await until(world.places("mine").mirror.exists)
    await until(lambda: len(store.view(ViewSpec()).rows(0, 999)) == count)


def rows_of(store: Store) -> list[tuple[str, RowSign]]:
    return [(row.name, row.sign) for row in store.view(ViewSpec()).rows(0, 99)]


async def test_a_rebuilt_mirror_shows_the_journal_and_the_settings_before_the_next_load(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        store.files.own_groups = {"Limbo": StatusGroup.EXCLUDED}
        put(store, [item(1), item(2), item(3)])
        await store.items.edit([1], {"Name": "Mine"})
        await store.items.add("Story", {"Name": "New"})
        await store.deletions.delete_items([2])
        store.files.submit(lambda writer: writer.journal.ranks.put(1, {3: 0.5}, is_local=True)).result()

        store.files.renew()
        put(store, [item(4, Status="Limbo")])
        before = rows_of(store)
        put(store, [item(1), item(2), item(3)])

        pending = RowSign.PENDING
        assert before == [("New", pending)]
        assert rows_of(store) == [("Item 3", RowSign.NONE), ("Mine", pending), ("New", pending)]


def make_newer(path: Path) -> None:
    """Make the mirror anew as a later version of backlit does when it starts."""
    drop_database(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {VERSION + 1}")


async def test_a_mirror_that_a_newer_version_made_meanwhile_is_left_to_it_and_said(world: World) -> None:
    store = await world.online()
    path, view = world.places("mine").mirror, store.view(ViewSpec())
    ids = [row.id for row in view.rows(0, 999)]
    make_newer(path)

    await until(lambda: "A newer version" in store.connection.sentence, lambda: store.connection)

    assert store.connection.state is ConnectionState.FAILED
    assert [row.id for row in store.view(ViewSpec()).rows(0, 999)] == ids
    await store.items.edit([ids[0]], {"Name": "Left to the newer one"})
    assert store.files.journal.entries.undelivered([ids[0]])[0].payload == {"Name": "Left to the newer one"}
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (VERSION + 1,)


def test_a_newer_versions_mirror_is_not_thrown_away_at_the_start(tmp_path: Path) -> None:
    make_newer(places_in(tmp_path).mirror)

    with pytest.raises(StorageError, match=r"A newer version.*delete .*mirror\.sqlite"), offline_store(tmp_path):
        pass


def test_a_torn_journal_is_left_as_it_is_and_said(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]):
        pass
    journal = places_in(tmp_path).journal
    truncate(journal)
    before = journal.read_bytes()

    with pytest.raises(StorageError, match="Restore a backup"), offline_store(tmp_path):
        pass

    assert journal.read_bytes() == before


def tear_index(store: Store, path: Path, index: str) -> None:
    """Write garbage over the first page of an index, which reading items does not touch."""
    sql = "SELECT rootpage FROM sqlite_schema WHERE name = ?"
    (page,) = store.files.mirror.execute(sql, (index,)).fetchone()
    (size,) = store.files.mirror.execute("PRAGMA page_size").fetchone()
    checkpointed(store)
    with path.open("r+b") as file:
        file.seek((page - 1) * size)
        file.write(b"\xa5" * size)


async def test_an_edit_that_is_journalled_when_the_mirror_turns_out_damaged_is_made(world: World) -> None:
    store = await world.online()
    item_id = store.view(ViewSpec()).rows(0, 1)[0].id
    tear_index(store, world.places("mine").mirror, "open_by_area")

    await store.items.edit([item_id], {"Name": "Written on torn paper"})

    await until(lambda: (found := store.item(item_id)) and found.fields["Name"] == "Written on torn paper")
    await sent(store)
    assert (await world.names()).count("Written on torn paper") == 1
