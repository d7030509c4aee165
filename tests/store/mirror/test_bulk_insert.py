"""Many items that come for the first time: what is written at once, and what behind it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from tests.store.documents import item, offline_store, places_in, put

from backlit.store import ViewSpec
from backlit.store.mirror.mirror import Mirror

MANY = 60


def held(mirror: Mirror) -> list[list[tuple[object, ...]]]:
    """All that a mirror holds of items."""
    while mirror.full_text.is_due:
        mirror.full_text.index_some()
    tables = ("items", "documents", "custom_values", "learnt", "words_due")
    rows = [mirror.connection.execute(f"SELECT * FROM {table} ORDER BY 1, 2").fetchall() for table in tables[:-1]]
    left = mirror.connection.execute("SELECT * FROM words_due").fetchall()
    mirror.connection.execute("CREATE VIRTUAL TABLE temp.spread USING fts5vocab(main, item_words, instance)")
    words = mirror.connection.execute("SELECT * FROM temp.spread ORDER BY 1, 2, 3, 4").fetchall()
    return [*rows, left, words]


def test_many_at_once_leave_the_same_as_one_by_one(tmp_path: Path) -> None:
    documents = [
        item(
            each,
            kind="Task" if each % 5 == 0 else "Bug",
            Status="Done" if each % 7 == 0 else "Not Done",
            Description=f"It broke on day {each}",
            **({"ParentID": MANY - each + 1} if each % 5 == 0 else {}),
            Score_cf=each % 3 or None,
            Places_cf=["here", "there"],
            Ready_cf=each % 2 == 0,
        )
        for each in range(1, MANY + 1)
    ]
    at_once, one_by_one = Mirror(tmp_path / "at_once"), Mirror(tmp_path / "one_by_one")

    at_once.put_items(documents[MANY // 3 :], [])
    at_once.put_items(documents, [])
    for each in documents:
        one_by_one.put_items([each], [])

    assert held(at_once) == held(one_by_one)
    at_once.close()
    one_by_one.close()


async def test_what_was_just_loaded_is_found(tmp_path: Path) -> None:
    documents = [item(each, Description=f"number n{each}x", Score_cf=each) for each in range(1, MANY + 1)]
    with offline_store(tmp_path) as store, store.files.indexing.held():
        put(store, documents)

        assert [hit.item_id for hit in await store.search.find(f"n{MANY}x")] == [MANY]
        view = store.view(ViewSpec(query="score:7"))
        await view.load()
        assert list(view.ids()) == [7]


async def test_what_a_killed_process_left_is_indexed_after_the_next_start(tmp_path: Path) -> None:
    mirror = Mirror(places_in(tmp_path).mirror)
    mirror.put_items([item(each, Name=f"n{each}x") for each in range(1, MANY + 1)], [])
    mirror.close()

    with offline_store(tmp_path) as store:
        for _ in range(3):
            await store.files.write(lambda _writer: None)

        assert not await store.files.write(lambda writer: writer.mirror.full_text.is_due)


async def test_an_edit_made_before_the_words_are_indexed_is_found_and_what_it_replaced_is_not(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store, store.files.indexing.held():
        put(store, [item(each, Name=f"n{each}x") for each in range(1, MANY + 1)])

        await store.items.edit([5], {"Name": "Refunds"})

        assert [hit.item_id for hit in await store.search.find("refund")] == [5]
        assert await store.search.find("n5x") == []
        assert [hit.item_id for hit in await store.search.find("n6x")] == [6]


async def test_an_item_that_goes_before_its_words_are_indexed_is_not_found(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store, store.files.indexing.held():
        put(store, [item(each, Name=f"n{each}x") for each in range(1, MANY + 1)])

        await store.files.write(lambda writer: writer.mirror.remove_items([5]))

        assert await store.search.find("n5x") == []


def test_the_store_closes_while_words_wait_and_the_rest_is_indexed_next_time(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(each) for each in range(1, 900)]):
        pass

    mirror = Mirror(places_in(tmp_path).mirror)
    while mirror.full_text.is_due:
        mirror.full_text.index_some()

    sql = "SELECT count(*) FROM item_words WHERE item_words MATCH 'item'"
    assert mirror.connection.execute(sql).fetchone() == (899,)
    mirror.close()


async def test_what_another_process_loads_is_found_while_it_loads(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store, offline_store(tmp_path) as other, other.files.indexing.held():
        put(other, [item(each, Name=f"n{each}x") for each in range(1, MANY + 1)])

        assert [hit.item_id for hit in await store.search.find("n5x")] == [5]


def test_a_mirror_without_the_list_of_what_waits_is_made_anew(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]):
        pass
    with closing(sqlite3.connect(places_in(tmp_path).mirror)) as connection, connection:
        connection.execute("DROP TABLE words_due")
    connection.close()

    with offline_store(tmp_path, [item(2)]) as store:
        assert store.item(1) is None
        assert store.item(2) is not None
