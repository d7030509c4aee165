"""Views: which items, in which order, at which cost."""

import asyncio
import sqlite3
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in, put

from backlit.model.filters import SortKey
from backlit.model.trees import NodeTotals
from backlit.store import RowSign, Store, StoreChange, Subject, TreeKind, ViewSpec
from backlit.store.mirror.schema import VERSION
from backlit.store.sqlite.database import connect
from backlit.store.views.query import query_of
from backlit.store.views.view import NOTED_CHANGES, View


def ids(store: Store, spec: ViewSpec, stop: int = 100) -> list[int]:
    return [row.id for row in store.view(spec).rows(0, stop)]


async def test_items_come_by_backlog_priority_with_tasks_under_their_item_and_the_unranked_last(tmp_path: Path) -> None:
    documents = [
        item(1, priority=30.0),
        item(2, priority=10.0),
        item(3, kind="Task", priority=99.0, ParentID=2),
        item(4, kind="Task", priority=5.0, ParentID=2),
        item(5, BacklogPriority=None),
        item(6, priority=20.0),
    ]

    with offline_store(tmp_path, documents) as store:
        view = store.view(ViewSpec())
        before = [row.id for row in view.rows(0, 100)]
        await view.load()

        assert before == [2, 4, 3, 6, 1, 5]
        assert [row.id for row in view.rows(0, 100)] == before
        assert (view.count, view.id_at(1), view.index_of(6), view.id_at(6)) == (6, 4, 3, None)


async def test_tasks_follow_when_their_item_is_ranked_anew_and_when_it_arrives_after_them(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(3, kind="Task", ParentID=2), item(4)]) as store:
        put(store, [item(2)])
        assert ids(store, ViewSpec()) == [1, 2, 3, 4]

        put(store, [item(2, priority=9.0) | {"lastModifiedAt": "2026-03-02T10:00:00.000"}])
        assert ids(store, ViewSpec()) == [1, 4, 2, 3]


async def test_text_is_found_in_any_case_and_a_number_sign_finds_one_item(tmp_path: Path) -> None:
    documents = [item(1, Name="Straße sperren"), item(2, Name="100% Rabatt"), item(3, Name="Weg")]

    with offline_store(tmp_path, documents) as store:
        assert ids(store, ViewSpec(text="STRASSE")) == [1]
        assert ids(store, ViewSpec(text="0% r")) == [2]
        assert ids(store, ViewSpec(text=" #3 ")) == [3]
        assert ids(store, ViewSpec(text="_")) == []
        assert ids(store, ViewSpec(text="#" + "9" * 30)) == []


async def test_done_items_other_projects_and_other_places_are_left_out(tmp_path: Path) -> None:
    documents = [
        item(1, AreaID=7, IterationID=8),
        item(2, AreaID=7),
        item(3, Status="Done", AreaID=7),
        item(4, project=2, AreaID=7),
    ]

    with offline_store(tmp_path, documents) as store:
        assert ids(store, ViewSpec()) == [1, 2]
        assert ids(store, ViewSpec(with_done=True)) == [1, 2, 3]
        assert ids(store, ViewSpec(area_ids=frozenset({7, 9}), iteration_ids=frozenset({8}))) == [1]
        assert ids(store, ViewSpec(area_ids=frozenset())) == []


async def test_totals_count_points_but_not_tasks(tmp_path: Path) -> None:
    documents = [
        item(1, Estimate="3", AreaID=1),
        item(2, Estimate="5,5 pts", AreaID=2),
        item(3, Estimate="XL", AreaID=2),
        item(4, kind="Task", ParentID=1, AreaID=1),
        item(5, Estimate="8", Status="Done", AreaID=2),
    ]

    with offline_store(tmp_path, documents) as store:
        view = store.view(ViewSpec())
        await view.load()

        assert view.totals == NodeTotals(3, 8.5, 1)
        assert store.lookups.totals(TreeKind.AREAS) == {1: NodeTotals(1, 3.0), 2: NodeTotals(2, 5.5)}


async def test_a_small_backlog_is_counted_by_its_first_query(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        assert view.count is None

        view.rows(0, 40)
        assert view.count == 2


@pytest.mark.parametrize("spec", [ViewSpec(), ViewSpec(with_done=True), ViewSpec(text="x")])
async def test_no_list_is_ever_sorted(tmp_path: Path, spec: ViewSpec) -> None:
    with offline_store(tmp_path):
        connection = connect(places_in(tmp_path).mirror, "NORMAL")
        query = query_of(spec, 1)
        for sql, values in (query.rows(100), query.ids()):
            plan = " ".join(str(step[3]) for step in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values))
            assert "items_in_order" in plan
            assert "TEMP B-TREE" not in plan
        connection.close()


@pytest.mark.parametrize("group", [(), ("Status",)])
async def test_totals_name_the_points_of_features_that_do_not_count_in_groups_too(
    tmp_path: Path, group: tuple[str, ...]
) -> None:
    documents = [item(1, kind="Feature", Estimate="8"), item(2, ParentID=1, Estimate="5"), item(3, Estimate="2")]

    with offline_store(tmp_path, documents) as store:
        view = store.view(ViewSpec(group=group))
        await view.load()

        assert view.totals == NodeTotals(3, 7.0, 0, 8.0)


@pytest.mark.parametrize("group", [(), ("Status",)])
async def test_deleted_items_are_listed_and_have_no_points_in_totals(tmp_path: Path, group: tuple[str, ...]) -> None:
    documents = [item(1, Status="Deleted", Estimate="8"), item(2, Status="Done", Estimate="5"), item(3, Estimate="2")]

    with offline_store(tmp_path, documents) as store:
        view = store.view(ViewSpec(with_done=True, group=group))
        await view.load()

        assert view.totals == NodeTotals(3, 7.0)
        assert await store.batch.totals([1, 2]) == NodeTotals(2, 5.0)


async def test_ids_totals_and_counts_of_places_come_from_indexes_alone(tmp_path: Path) -> None:
    with offline_store(tmp_path):
        connection = connect(places_in(tmp_path).mirror, "NORMAL")
        for sql, values in (query_of(ViewSpec(area_ids=frozenset({1})), 1).ids(), query_of(ViewSpec(), 1).totals()):
            plan = " ".join(str(step[3]) for step in connection.execute(f"EXPLAIN QUERY PLAN {sql}", values))
            assert "COVERING INDEX" in plan
        connection.close()


async def test_an_edit_that_does_not_touch_order_or_filter_keeps_the_ids_and_shows_in_the_row(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()
        view.rows(0, 2)
        await store.files.write(lambda writer: writer.mirror.put_items([item(3)], ()))  # announced to nobody

        await store.items.edit([2], {"Name": "Renamed", "Estimate": "5"})
        await view.reload()

        assert list(view.ids()) == [1, 2]
        assert view.rows(0, 2)[1].name == "Renamed"
        assert view.rows(0, 2)[1].sign is RowSign.PENDING
        assert view.totals == NodeTotals(3, 5.0)


ITEMS = Subject.ITEMS
CHANGES: list[tuple[ViewSpec, Subject, set[str], bool]] = [
    (ViewSpec(), ITEMS, {"Name", "lastModifiedAt"}, False),
    (ViewSpec(), ITEMS, {"Estimate"}, False),
    (ViewSpec(), ITEMS, set(), True),
    (ViewSpec(), ITEMS, {"BacklogPriority"}, True),
    (ViewSpec(), ITEMS, {"ParentID"}, True),
    (ViewSpec(), ITEMS, {"Status"}, True),
    (ViewSpec(with_done=True), ITEMS, {"Status"}, False),
    (ViewSpec(query="status:done"), ITEMS, {"Status"}, True),
    (ViewSpec(), ITEMS, {"AreaID", "IterationID"}, False),
    (ViewSpec(area_ids=frozenset({1})), ITEMS, {"AreaID"}, True),
    (ViewSpec(iteration_ids=frozenset({1})), ITEMS, {"IterationID"}, True),
    (ViewSpec(text="item"), ITEMS, {"Name"}, True),
    (ViewSpec(query="est<3"), ITEMS, {"Estimate"}, True),
    (ViewSpec(query="est:none"), ITEMS, {"Estimate"}, True),
    (ViewSpec(sort=(SortKey("Estimate"),)), ITEMS, {"Estimate"}, True),
    (ViewSpec(sort=(SortKey("Estimate"),)), ITEMS, {"Name"}, False),
    (ViewSpec(sort=(SortKey("Name"),)), ITEMS, {"Name"}, True),
    (ViewSpec(group=("AssignedToID",)), ITEMS, {"AssignedToID"}, True),
    (ViewSpec(group=("AssignedToID",)), ITEMS, {"Estimate"}, True),  # the headers have points
    (ViewSpec(sort=(SortKey("lastModifiedAt"),)), ITEMS, {"Severity", "lastModifiedAt"}, True),
    (ViewSpec(sort=(SortKey("lint"),)), ITEMS, {"Estimate"}, True),
    (ViewSpec(sort=(SortKey("lint"),)), ITEMS, {"IsTriaged"}, True),
    (ViewSpec(sort=(SortKey("lint"),)), ITEMS, {"Name"}, False),
    (ViewSpec(sort=(SortKey("lint"),)), Subject.TREES, set(), True),
    (ViewSpec(sort=(SortKey("Name"),)), Subject.TREES, set(), False),
    (ViewSpec(), Subject.TREES, set(), False),
    (ViewSpec(text="item"), Subject.TREES, set(), False),
    (ViewSpec(query="item"), Subject.TREES, set(), True),
    (ViewSpec(group=("IterationID",)), Subject.TREES, set(), True),
    (ViewSpec(), Subject.COMMENTS, set(), False),
    (ViewSpec(query="item"), Subject.COMMENTS, set(), False),
    (ViewSpec(query="text:other"), Subject.COMMENTS, set(), True),
    (ViewSpec(), Subject.PEOPLE, set(), False),
    (ViewSpec(query="text:other"), Subject.OUTBOX, set(), False),
]
"""Lists, changes, and whether each list is read again after its change."""
ALIKE = [
    item(2, Description="other item"),
    item(3, Description="other item", Status="Done"),
    item(4, Description="other item", Estimate="1"),
]
"""Items of which every list above shows one at least."""


async def test_a_view_is_read_again_after_a_change_of_what_it_depends_on(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Description="other item")]) as store:
        views = [store.view(spec) for spec, *_ in CHANGES]
        for view in views:
            await view.load()
        before = [list(view.ids()) for view in views]
        await store.files.write(lambda writer: writer.mirror.put_items(ALIKE, ()))  # announced to nobody

        for view, (_, kind, fields, _) in zip(views, CHANGES, strict=True):
            view.note(StoreChange(kind, frozenset({1}), frozenset(fields)))
            await view.reload()

        found = [list(view.ids()) != ids for view, ids in zip(views, before, strict=True)]
        assert list(zip(CHANGES, found, strict=True)) == [(each, each[-1]) for each in CHANGES]


@pytest.mark.parametrize(("changed", "shown"), [({1}, ["New 1", "Item 2"]), (set(), ["New 1", "New 2"])])
async def test_the_rows_of_a_change_are_read_again_and_all_where_it_names_none(
    tmp_path: Path, changed: set[int], shown: list[str]
) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()
        view.rows(0, 2)
        new = [item(number, Name=f"New {number}") for number in (1, 2)]
        await store.files.write(lambda writer: writer.mirror.put_items(new, ()))  # announced to nobody

        view.note(StoreChange(Subject.ITEMS, frozenset(changed), frozenset({"Name"} if changed else ())))
        await view.reload()

        assert [row.name for row in view.rows(0, 2)] == shown


async def test_a_view_that_could_not_note_all_changes_reads_its_ids_again(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()
        await store.files.write(lambda writer: writer.mirror.put_items([item(3)], ()))  # announced to nobody

        for _ in range(NOTED_CHANGES + 1):
            view.note(StoreChange(Subject.ITEMS, frozenset({1}), frozenset({"Name"})))
        await view.reload()

        assert list(view.ids()) == [1, 2, 3]


@pytest.mark.parametrize(
    ("spec", "change"),
    [
        (ViewSpec(), {"Status": "Done"}),
        (ViewSpec(area_ids=frozenset({1})), {"AreaID": 2}),
        (ViewSpec(iteration_ids=frozenset({1})), {"IterationID": 2}),
    ],
)
async def test_an_edit_that_takes_an_item_out_of_the_filter_takes_it_out_of_the_view(
    tmp_path: Path, spec: ViewSpec, change: dict[str, object]
) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(spec)
        await view.load()

        await store.items.edit([1], change)
        await view.reload()

        assert [row.id for row in view.rows(0, 9)] == [2]
        assert view.count == 1


async def test_a_row_whose_item_vanished_before_the_reload_is_blank(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        view = store.view(ViewSpec())
        await view.load()

        store.files.submit(lambda writer: writer.mirror.remove_items([1])).result()

        assert [row.name for row in view.rows(0, 2)] == ["", "Item 2"]


async def test_a_window_costs_the_same_in_a_large_backlog(tmp_path: Path) -> None:
    """The statements run for a window are counted, not timed."""
    for folder, size in ((tmp_path / "small", 300), (tmp_path / "large", 3000)):
        with offline_store(folder, [item(n) for n in range(1, size + 1)]) as store:
            view = store.view(ViewSpec())
            await view.load()
            steps = count()
            store.files.mirror.set_progress_handler(partial(_tick, steps), 100)
            view.rows(size - 45, size)
            store.files.mirror.set_progress_handler(None, 0)

            assert next(steps) < 60


def _tick(steps: Iterator[int]) -> int:
    next(steps)
    return 0


async def test_a_view_asked_for_twice_at_once_is_read_once_and_again_after_a_change(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        readings: list[object] = []

        async def read(ask: Callable[[sqlite3.Connection], object]) -> object:
            readings.append(ask)
            return await store.files.read(ask)

        view = View(ViewSpec(), 1, store.files.mirror, read)
        await asyncio.gather(view.reload(), view.reload())
        once = len(readings)
        view.note(StoreChange(Subject.ITEMS))
        await asyncio.gather(view.reload(), view.reload())

        assert (once, len(readings)) == (1, 2)


def test_opening_an_old_or_broken_mirror_makes_a_new_one(tmp_path: Path) -> None:
    places = places_in(tmp_path)
    with offline_store(tmp_path, [item(1)]):
        pass
    places.mirror.write_bytes(b"not a database, " * 300)

    with offline_store(tmp_path, [item(2)]) as store:
        assert ids(store, ViewSpec()) == [2]

    connection = connect(places.mirror, "NORMAL")
    connection.execute(f"PRAGMA user_version = {VERSION - 1}")
    connection.close()
    with offline_store(tmp_path) as store:
        assert ids(store, ViewSpec()) == []


def test_a_mirror_found_damaged_while_in_use_is_made_anew_at_the_next_start(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]):
        pass
    places_in(tmp_path).broken.touch()

    with offline_store(tmp_path) as store:
        assert ids(store, ViewSpec()) == []
    assert not places_in(tmp_path).broken.exists()


async def test_pending_edits_survive_a_new_mirror_and_show_as_soon_as_the_item_is_back(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Mine"})
        await store.items.add("Bug", {"Name": "New"})
    places_in(tmp_path).mirror.unlink()

    with offline_store(tmp_path) as store:
        assert [row.name for row in store.view(ViewSpec()).rows(0, 9)] == ["New"]
        put(store, [item(1)])
        assert [row.name for row in store.view(ViewSpec()).rows(0, 9)] == ["Mine", "New"]
