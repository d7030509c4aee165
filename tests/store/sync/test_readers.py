"""Reads of a sync, one reader at a time: its requests, what it stores and where the next one goes on."""

from datetime import datetime, timedelta

import pytest
from tests.store.documents import item, put
from tests.store.reading import Begin, Reading
from tests.store.world import raised

from backlit.model.errors import BacklitError
from backlit.store.journal.inbox import NewsKind, Watermarks
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document
from backlit.store.remote.capabilities import FilterSupport
from backlit.store.remote.listing import DisobeyedError
from backlit.store.remote.probing import EARLIEST_STAMP
from backlit.store.sync.changes import OVERLAP, ChangeReader, feeds_of
from backlit.store.sync.deletions import DeletionScan, forget, known_ids
from backlit.store.sync.loading import MAX_SINGLE_REQUESTS, FirstLoad, FullScan

UNFILTERED = {"filtering": FilterSupport.IGNORED, "by_id": False, "dates": None}


def stamped(item_id: int, second: float) -> Document:
    return {**item(item_id, project=7), "lastModifiedAt": f"2026-03-02T10:00:{second:06.3f}"}


def at(second: float) -> str:
    return (datetime(2026, 3, 2, 10) + timedelta(seconds=second)).isoformat()


def since(second: int) -> str:
    return f"lastModifiedAt ge datetime'{at(second)}'"


# Comments of all items


async def comments(reading: Reading, **traits: object) -> None:
    await feeds_of(reading.client, reading.store.files)[0].run(reading.lists(**traits))


@pytest.mark.parametrize(
    ("traits", "key", "first", "second"),
    [
        ({}, "comments 7", ["id gt 0", "id gt 102", "id gt 104"], ["id gt 105"]),
        (UNFILTERED, "comments all", ["", "2", "4"], [""]),
        ({"orders": False, "page": 5}, "comments 7", ["id gt 0"], ["id gt 105"]),
    ],
)
async def test_comments_are_read_once(
    begin: Begin, traits: dict[str, object], key: str, first: list[str], second: list[str]
) -> None:
    reading = await begin(orders="orders" not in traits, filtering="ignored" if traits == UNFILTERED else "works")
    for number in range(5):
        reading.server.comment("jon", 1, f"Comment {number}")

    await comments(reading, **traits)
    asked = reading.asked()
    await comments(reading, **traits)

    assert (asked, reading.asked()) == (first, second)
    assert reading.ids("comments") == [101, 102, 103, 104, 105]
    assert await reading.note(key) == 105


@pytest.mark.parametrize(
    ("traits", "quirks", "asked"),
    [
        ({"orders": False}, {"orders": False}, ["id gt 0"]),  # a part of an unordered list
        ({}, {"filtering": "refused-as-bad"}, ["id gt 0"]),
        (UNFILTERED | {"orders": False}, {}, []),
        (UNFILTERED, {"orders": False, "filtering": "ignored"}, [""]),
    ],
)
async def test_comments_that_cannot_be_read_so_are_not_asked_for_again(
    begin: Begin, traits: dict[str, object], quirks: dict[str, object], asked: list[str]
) -> None:
    reading = await begin(**quirks)
    for number in range(3):
        reading.server.comment("jon", 1, f"Comment {number}")

    await comments(reading, **traits)
    first = reading.asked()
    await comments(reading, **traits)

    assert (first, reading.asked()) == (asked, [])
    assert reading.ids("comments") == []


async def test_comments_below_the_asked_ones_end_their_feed(begin: Begin) -> None:
    reading = await begin(filtering="ignored")
    reading.server.comment("jon", 1, "One")
    await reading.keep("comments 7", 101)

    await comments(reading)

    assert (reading.ids("comments"), await reading.note("comments 7")) == ([], -1)


async def test_comments_are_asked_for_again_after_an_outage(begin: Begin) -> None:
    reading = await begin()
    reading.server.comment("jon", 1, "One")
    reading.server.is_down = True

    await raised(comments(reading))
    reading.server.is_down = False
    await comments(reading)

    assert reading.ids("comments") == [101]


@pytest.mark.parametrize("traits", [{}, UNFILTERED])
async def test_comments_that_arrive_are_news_and_told_once(begin: Begin, traits: dict[str, object]) -> None:
    reading = await begin(filtering="ignored" if traits else "works")
    put(reading.store, [item(1, project=7)])
    await reading.store.files.write(lambda writer: writer.journal.inbox.set_watermarks(7, Watermarks(1, 100)))
    heard: list[StoreChange] = []
    reading.store.subscribe(heard.append)
    reading.server.comment("jon", 1, "Look")

    await comments(reading, **traits)
    told = [each for each in heard if each.kind in {Subject.COMMENTS, Subject.INBOX}]
    await comments(reading, **traits)

    assert [(each.kind, each.ids) for each in told] == [
        (Subject.INBOX, frozenset({1})),
        (Subject.COMMENTS, frozenset({1})),
    ]
    assert [each for each in heard if each.kind is Subject.COMMENTS] == told[1:]


# Changed items


@pytest.mark.parametrize(
    ("seconds", "mark", "asked", "newest"),
    [
        ((), None, [""], None),
        ((5, 6), None, [""], at(6)),
        ((5, 6, 7), None, ["", since(6)], at(7)),
        ((5, 5, 5, 7), None, ["", since(5), since(5) + " 2"], at(7)),
        ((5, 5, 5, 7, 7, 8), None, ["", since(5), since(5) + " 2", since(7), since(7) + " 2"], at(8)),
        ((5, 5.2, 5.3), at(7.1), [since(5), since(5) + " 2"], at(7.1)),
        ((5,), EARLIEST_STAMP.isoformat(), [f"lastModifiedAt ge datetime'{EARLIEST_STAMP.isoformat()}'"], at(5)),
        ((5, 6, 7), at(7), [since(5), since(6)], at(7)),
        ((5, 6, 7), at(9), [since(7)], at(9)),
    ],
)
async def test_changes_are_read_from_the_watermark_on(
    begin: Begin, seconds: tuple[int, ...], mark: str | None, asked: list[str], newest: str | None
) -> None:
    reading = await begin()
    reading.have(*(stamped(number, second) for number, second in enumerate(seconds, 1)))
    await reading.keep("watermark 7", mark)

    assert await ChangeReader(reading.lists(), reading.store.files).run() is None

    assert reading.asked() == asked
    overlap = timedelta() if mark == EARLIEST_STAMP.isoformat() else OVERLAP
    first = (datetime.fromisoformat(mark) - overlap).replace(microsecond=0).isoformat() if mark else ""
    assert reading.ids() == [number for number, second in enumerate(seconds, 1) if at(second) >= first]
    assert await reading.note("watermark 7") == newest


@pytest.mark.parametrize("is_ordered", [True, False])
async def test_changes_without_an_order_by_time_are_read_to_the_end(begin: Begin, *, is_ordered: bool) -> None:
    reading = await begin(orders=is_ordered)
    reading.have(*(stamped(number, number) for number in range(1, 6)))

    await ChangeReader(reading.lists(orders=is_ordered, by_change=False), reading.store.files).run()

    assert reading.asked() == ["", "2", "4"]
    assert (reading.ids(), await reading.note("watermark 7")) == ([1, 2, 3, 4, 5], at(5))


@pytest.mark.parametrize("traits", [UNFILTERED, {"by_id": False}])
@pytest.mark.parametrize(
    ("mark", "asked", "read"),
    [
        (None, ["", "2", "4"], [1, 2, 3, 4, 5]),
        (at(9), [""], []),
        (at(7), [""], [5]),
        (at(6), ["", "2"], [4, 5]),
        (at(4), ["", "2", "4"], [2, 3, 4, 5]),
    ],
)
async def test_the_latest_changes_are_read_down_to_the_watermark(
    begin: Begin, mark: str | None, asked: list[str], read: list[int], traits: dict[str, object]
) -> None:
    reading = await begin(filtering="ignored")
    reading.have(*(stamped(number, number) for number in range(1, 6)))
    await reading.keep("watermark 7", mark)

    total = await ChangeReader(reading.lists(**traits), reading.store.files).run()

    assert (total, reading.asked(), reading.ids()) == (5, asked, read)
    assert await reading.note("watermark 7") == max(mark or "", at(5))


async def test_an_item_without_a_time_of_change_is_stored(begin: Begin) -> None:
    reading = await begin(filtering="ignored")
    reading.have(stamped(1, 1), {**stamped(2, 2), "lastModifiedAt": None}, stamped(3, 9))
    await reading.keep("watermark 7", at(9))

    await ChangeReader(reading.lists(**UNFILTERED, page=9), reading.store.files).run()

    assert reading.ids() == [2, 3]


@pytest.mark.parametrize(("by_change", "mark", "asked"), [(True, at(3), [""]), (False, None, [])])
async def test_a_load_begins_with_the_newest_stamp(
    begin: Begin, *, by_change: bool, mark: str | None, asked: list[str]
) -> None:
    reading = await begin()
    reading.have(stamped(1, 2), stamped(2, 3), stamped(3, 1))

    await ChangeReader(reading.lists(by_change=by_change), reading.store.files).begin()

    assert (await reading.note("watermark 7"), reading.asked()) == (mark, asked)


# Loads


@pytest.mark.parametrize(
    ("ids", "traits", "asked"),
    [
        ([], {}, {"", "id gt 0"}),
        ([4, 5], {}, {"", "id gt 3"}),
        ([4, 5, 9], {}, {"", "id gt 3 and id le 6", "id gt 6"}),
        ([4, 5, 6, 9], {}, {"", "id gt 3 and id le 6", "id gt 5 and id le 6", "id gt 6"}),
        ([4, 5, 6], {"page": 9}, {"", "id gt 3"}),
        ([1, 2], {"orders": False}, {"", "id gt 1024", "id gt 0 and id le 1024"}),
        ([1, 1500], {"orders": False}, {"", "id gt 1500", "id gt 0 and id le 1500"}),
        ([1, 2048, 3000], {"orders": False, "page": 3}, {"", "id gt 3000", "id gt 0 and id le 3000"}),
    ],
)
async def test_a_first_load_asks_for_ranges_of_ids(
    begin: Begin, ids: list[int], traits: dict[str, object], asked: set[str]
) -> None:
    reading = await begin(orders=bool(traits.get("orders", True)))
    reading.have(*(item(each, project=7, priority=-each) for each in ids))

    assert await FirstLoad(reading.lists(**traits), reading.store.files, reading.told).run()

    assert set(reading.asked()) == asked
    assert reading.ids() == ids
    assert reading.progress[0] == (0, len(ids))
    assert reading.progress[-1] == (len(ids), len(ids))
    assert await reading.note("left 7") == {"left": [], "done": len(ids), "total": len(ids)}


@pytest.mark.parametrize("is_ordered", [True, False])
async def test_a_first_load_ends_with_each_item_once(begin: Begin, *, is_ordered: bool) -> None:
    reading = await begin(orders=is_ordered)
    ids = [*range(5, 40), *range(1000, 1010), 1031]
    reading.have(*(item(each, project=7, priority=each % 7) for each in ids))

    await FirstLoad(reading.lists(orders=is_ordered, page=4), reading.store.files, reading.told).run()

    assert reading.ids() == ids
    assert reading.progress[-1] == (len(ids), len(ids))


async def test_a_stopped_load_goes_on_with_the_ranges_that_are_left(begin: Begin) -> None:
    reading = await begin()
    reading.have(*(item(each, project=7) for each in range(1, 41)))
    load = FirstLoad(reading.lists(), reading.store.files, lambda done, _: load.stop() if done else None)

    is_complete = await load.run()
    some, note = reading.ids(), await reading.note("left 7")
    reading.asked()
    assert await FirstLoad(reading.lists(), reading.store.files, reading.told).run()

    assert not is_complete
    assert 2 <= len(some) <= 10
    assert isinstance(note, dict)
    assert (note["done"], note["total"]) == (len(some), 40)
    assert "" not in reading.asked()
    assert reading.progress[0] == (len(some), 40)
    assert (reading.ids(), reading.progress[-1]) == ([*range(1, 41)], (40, 40))


async def test_a_first_load_of_items_that_were_not_asked_for_is_refused(begin: Begin) -> None:
    reading = await begin(filtering="ignored")
    reading.have(*(item(each, project=7) for each in range(1, 9)))

    error: BacklitError = await raised(FirstLoad(reading.lists(), reading.store.files, reading.told).run())

    assert isinstance(error, DisobeyedError)


@pytest.mark.parametrize(
    ("missing", "asked"), [(MAX_SINGLE_REQUESTS, MAX_SINGLE_REQUESTS), (MAX_SINGLE_REQUESTS + 1, 0)]
)
async def test_a_scan_asks_for_a_few_missing_items(begin: Begin, missing: int, asked: int) -> None:
    reading = await begin(filtering="ignored")
    reading.have(*(item(each, project=7) for each in range(1, 4)))
    put(reading.store, [item(each, project=7) for each in range(1, missing + 4)])

    assert await FullScan(reading.lists(**UNFILTERED), reading.store.files, reading.told).run()

    single = [path for _, path, _ in reading.server.requests if path.rpartition("/")[2].isdigit()]
    assert (len(single), reading.ids(), reading.progress[-1]) == (asked, [1, 2, 3], (3, 3))


async def test_a_stopped_scan_deletes_nothing(begin: Begin) -> None:
    reading = await begin(filtering="ignored")
    reading.have(*(item(each, project=7) for each in range(1, 41)))
    put(reading.store, [item(99, project=7)])
    scan = FullScan(reading.lists(**UNFILTERED), reading.store.files, lambda *_: scan.stop())

    is_complete = await scan.run()

    assert not is_complete
    assert reading.ids() == [1, 2, 99]
    assert reading.asked() == [""]


async def test_a_load_that_is_stopped_after_its_last_page_is_complete(begin: Begin) -> None:
    reading = await begin()
    reading.have(item(1, project=7))
    load = FirstLoad(reading.lists(), reading.store.files, lambda done, _: load.stop() if done else None)

    assert await load.run()


async def test_a_scan_finds_an_item_that_moved_to_a_page_read_before(begin: Begin) -> None:
    reading = await begin(filtering="ignored")
    reading.have(*(item(each, project=7) for each in range(1, 5)))
    asked = 0

    async def move(_method: str, path: str) -> None:
        nonlocal asked
        asked += path.endswith("/workitems")
        reading.server.items[4]["fields"]["BacklogPriority"] = -1.0 if asked == 2 else 4.0

    reading.faults.before = move
    traits = {**UNFILTERED, "orders": False}

    assert await FullScan(reading.lists(**traits), reading.store.files, reading.told).run()

    assert (reading.ids(), asked) == ([1, 2, 3, 4], 4)


# Deletions


async def test_deleted_items_with_unsent_changes_are_counted_until_they_are_sent(begin: Begin) -> None:
    reading = await begin()
    known = [item(each, project=7) for each in range(1, 9)]
    put(reading.store, known)
    await reading.store.files.write(lambda writer: writer.journal.inbox.set_watermarks(7, Watermarks(9, 0)))
    await reading.store.items.edit([2, 7], {"Name": "Mine"})
    scan, asked, ids = DeletionScan(reading.store.files, 2), [], []
    for there in ([1, 3, 4, 5, 6, 8], [1, 3, 4, 5, 6, 8], [1, 3, 4, 5, 8], [1, 2, 3, 4, 5, 8], [1, 2, 3, 4, 5, 8]):
        reading.have(*(known[each - 1] for each in there))
        await scan.reconcile(reading.lists())
        asked.append(len(reading.asked()))
        ids.append(reading.ids())
    (second, seventh) = reading.store.outbox_entries()
    await reading.store.conflicts.discard(seventh.id)
    await scan.reconcile(reading.lists())

    assert ids == [[*range(1, 9)]] * 2 + [[1, 2, 3, 4, 5, 7, 8]] * 3
    assert [each == 1 for each in asked] == [False, True, False, False, True]
    assert (reading.ids(), second.item_id) == ([1, 2, 3, 4, 5, 8], 2)
    journal = reading.store.files.journal
    assert [journal.trash.of_item(each) is not None for each in (2, 7, 6)] == [True, True, False]
    assert {each: found.kind for each, found in journal.inbox.records([2, 6]).items()} == {6: NewsKind.GONE}


async def test_hidden_items_are_known_and_unsent_ones_are_not(begin: Begin) -> None:
    reading = await begin()
    put(reading.store, [item(1), item(2)])
    await reading.store.deletions.delete_items([2])
    await reading.store.items.add("Story", {"Name": "New"})

    assert await reading.store.files.write(known_ids) == {1, 2}


async def test_a_range_is_read_to_its_end(begin: Begin) -> None:
    reading = await begin()
    reading.have(*(item(each, project=7) for each in range(1, 10)))
    put(reading.store, [item(each, project=7) for each in (2, 3, 50)])

    await DeletionScan(reading.store.files, 20).reconcile(reading.lists())

    assert reading.ids() == [*range(1, 10)]


async def test_hidden_items_count_and_items_of_other_projects_do_not(begin: Begin) -> None:
    reading = await begin()
    reading.have(*(item(each, project=7) for each in range(1, 5)))
    put(reading.store, [*(item(each, project=7) for each in range(1, 5)), item(9, project=1)])
    await reading.store.deletions.delete_items([2])

    await DeletionScan(reading.store.files).reconcile(reading.lists())

    assert (reading.asked(), reading.ids()) == ([""], [1, 3, 4, 9])


async def test_deleted_items_are_told_with_their_comments(begin: Begin) -> None:
    reading = await begin()
    put(reading.store, [item(1, project=7), item(2, project=7)])
    heard: list[StoreChange] = []
    reading.store.subscribe(heard.append)

    await reading.store.files.write(lambda writer: forget(writer, {2}))
    told = [(each.kind, each.ids) for each in heard]
    await reading.store.files.write(lambda writer: forget(writer, {2}))

    assert [each for each in told if each[0] in {Subject.ITEMS, Subject.COMMENTS}] == [
        (Subject.ITEMS, frozenset({2})),
        (Subject.COMMENTS, frozenset({2})),
    ]
    assert [(each.kind, each.ids) for each in heard] == told
