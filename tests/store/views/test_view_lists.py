"""Views as people make them: queries, orders, groups, facets, and what they say of themselves."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import combinations
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, offline_store, places_in, put

from backlit.model.errors import BadRequest
from backlit.model.filters import SortKey
from backlit.model.trees import NodeTotals
from backlit.store import Store, ViewSpec
from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.store.views.query import plan_of
from backlit.store.views.view import ColumnValues, View

DOCUMENTS = [
    item(1, AssignedToID=6, Estimate="3", Tags=["ux"], Score_cf=5, Name="Zebra crossing"),
    item(2, AssignedToID=5, Estimate="5", IterationID=12, Score_cf=1, Name="apple pie"),
    item(3, kind="Task", ParentID=2, AssignedToID=5, IterationID=12, Name="Mango"),
    item(4, kind="Bug", AssignedToID=None, IterationID=11, Tags=["ux", "api"], Severity="1 - Critical"),
    item(5, kind="Bug", AssignedToID=5, Status="Done", IterationID=11, Estimate="8"),
]

NEAR, FAR = "2019-02-01", "2999-01-01"


@contextmanager
def filled(folder: Path) -> Iterator[Store]:
    """A store with people and iterations, without any service."""
    with offline_store(folder, DOCUMENTS) as store:
        users = [
            {"id": 5, "name": "zoe", "displayName": "Zoe Zimt"},
            {"id": 6, "name": "adam", "displayName": "Adam Ah"},
        ]
        iterations = [
            {"id": 1, "parentId": -1, "name": "Shop", "sequence": 1},
            {"id": 11, "parentId": 1, "name": "Sprint 2", "sequence": 2, "startDate": "2020-01-01", "endDate": FAR},
            {"id": 12, "parentId": 1, "name": "Sprint 1", "sequence": 1, "startDate": "2019-01-01", "endDate": NEAR},
        ]
        store.files.submit(lambda writer: writer.mirror.put_resources("user", 0, users)).result()
        store.files.submit(lambda writer: writer.mirror.put_resources("iterations", 1, iterations)).result()
        yield store


async def loaded(store: Store, spec: ViewSpec) -> View:
    view = store.view(spec)
    await view.load()
    return view


async def found(store: Store, query: str) -> list[int]:
    view = await loaded(store, ViewSpec(query=query))
    return [row.id for row in view.rows(0, 99)]


async def test_a_loaded_view_has_each_value_of_its_columns_once(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        fresh, view = (
            store.view(ViewSpec(query="type:story,task")),
            await loaded(store, ViewSpec(query="type:story,task")),
        )

        assert fresh.values is None
        assert view.values == ColumnValues(
            statuses=frozenset({view.rows(0, 1)[0].status}),
            estimates=frozenset({"3", "5", None}),
            owner_ids=frozenset({5, 6}),
            iteration_ids=frozenset({1, 12}),
        )


async def test_an_empty_view_has_no_values(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(text="nothing like it"))

        assert view.values == ColumnValues()


async def test_a_query_finds_with_the_names_of_the_project(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        assert await found(store, "@zoe") == [2, 3]
        assert await found(store, 'owner:"adam ah" or type:bug') == [1, 4]
        assert await found(store, "iter:previous") == [2, 3]
        assert await found(store, "iter:current") == [4]
        assert await found(store, "iter:none") == [1]
        assert await found(store, 'iter:"shop\\\\sprint 1" est:none') == [3]
        assert await found(store, "#ux -#api") == [1]
        assert await found(store, "score>=5") == [1]


async def test_asking_about_the_status_shows_what_is_done(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        assert await found(store, "status:done") == [5]
        assert await found(store, "status:open type:bug") == [4]


async def test_a_query_that_cannot_be_read_makes_no_view(tmp_path: Path) -> None:
    with filled(tmp_path) as store, pytest.raises(BadRequest, match="zoe"):
        store.view(ViewSpec(query="@nobody"))


@pytest.mark.parametrize(
    ("sort", "wanted"),
    [
        ((SortKey("Name"),), [2, 4, 3, 1]),
        ((SortKey("Score_cf", descending=True), SortKey("Name")), [1, 2, 4, 3]),
        ((SortKey("AssignedToID"),), [1, 2, 3, 4]),
        ((SortKey("AssignedToID", descending=True),), [2, 3, 1, 4]),
        ((SortKey("IterationID"), SortKey("Name", descending=True)), [1, 3, 2, 4]),
        ((SortKey("Severity"), SortKey("id", descending=True)), [4, 3, 2, 1]),
    ],
)
async def test_a_list_is_sorted_by_any_fields_with_none_last(
    tmp_path: Path, sort: tuple[SortKey, ...], wanted: list[int]
) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(sort=sort))

        assert [row.id for row in view.rows(0, 99)] == wanted


def told(lines: list[ItemRow | GroupLine]) -> list[object]:
    """Items as their ids, headers as level, value, items and points."""
    return [
        (each.level, each.value, each.count, each.points) if isinstance(each, GroupLine) else each.id for each in lines
    ]


async def test_groups_have_headers_with_items_and_points_and_are_in_the_order_of_names(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(group=("AssignedToID",)))

        assert told(view.lines(0, 99)) == [(1, 6, 1, 3.0), 1, (1, 5, 1, 5.0), 2, 3, (1, None, 1, 0.0), 4]
        assert told(view.lines(3, 5)) == [2, 3]
        assert (view.count, view.line_count) == (4, 7)
        assert (view.id_at(0), view.id_at(1), view.index_of(3), view.id_at(7)) == (None, 1, 4, None)


async def test_two_levels_of_groups_fold_each_by_itself_and_stay_folded(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(group=("IterationID", "type"), with_done=True))
        lines = [
            (1, 1, 1, 3.0),
            (2, "Story", 1, 3.0),
            1,
            (1, 12, 1, 5.0),
            (2, "Story", 1, 5.0),
            2,
            (2, "Task", 0, 0.0),
            3,
        ]
        assert told(view.lines(0, 8)) == lines

        view.fold((12,), is_folded=True)
        view.fold((1, "Story"), is_folded=True)
        await view.load()

        assert told(view.lines(0, 99)) == [*lines[:2], lines[3], (1, 11, 2, 8.0), (2, "Bug", 2, 8.0), 4, 5]
        assert view.index_of(2) is None
        assert [header.is_folded for header in view.lines(0, 3) if isinstance(header, GroupLine)] == [False, True, True]

        view.fold((12,), is_folded=False)
        assert view.index_of(2) == 4


@pytest.mark.parametrize("group", [(), ("type",), ("type", "Status")])
@pytest.mark.parametrize("folded", [None, 0, 1])
async def test_lines_are_found_by_their_place_and_by_their_item(
    tmp_path: Path, group: tuple[str, ...], folded: int | None
) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(group=group, with_done=True))
        if group and folded is not None:
            view.fold(view.outline.headers[folded].group, is_folded=True)
        lines = view.lines(0, 99)
        ids = [None if isinstance(each, GroupLine) else each.id for each in lines]

        assert view.line_count == len(lines)
        assert [view.id_at(at) for at in (-1, *range(len(lines) + 1))] == [None, *ids, None]
        assert [view.index_of(each) for each in ids if each] == [at for at, each in enumerate(ids) if each]
        assert view.index_of(99) is None
        assert all(view.index_of(each) is None for each in view.ids() if each not in ids)
        for start, stop in combinations(range(len(lines) + 1), 2):
            assert list(view.ids_on(start, stop)) == [each for each in ids[start:stop] if each]
            assert list(view.lines(start, stop)) == lines[start:stop]
        for header in view.outline.headers:
            assert len(view.ids_in(header.group)) == header.rows


async def test_an_edit_moves_an_item_to_its_new_group(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(group=("Tags",)))
        assert [header.value for header in view.outline.headers] == [("ux",), ("ux", "api"), None]

        await store.items.edit([1], {"Tags": []})
        await view.reload()

        assert [header.value for header in view.outline.headers] == [("ux", "api"), None]


async def test_facets_count_each_value_with_its_points_the_most_frequent_first(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(with_done=True))

        tags = [(facet.value, facet.totals) for facet in await view.facets("Tags")]
        owners = [(facet.value, facet.totals) for facet in await view.facets("AssignedToID")]

        assert tags == [(None, NodeTotals(2, 13.0, 1)), ("ux", NodeTotals(2, 3.0)), ("api", NodeTotals(1, 0.0))]
        assert owners == [(5, NodeTotals(2, 13.0, 1)), (6, NodeTotals(1, 3.0)), (None, NodeTotals(1, 0.0))]


@pytest.mark.slow
async def test_the_first_rows_take_a_bounded_search(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(n, Source="x" if n in {7, 8} else "y") for n in range(1, 9000)]) as store:
        view = store.view(ViewSpec(query="source:x"))
        before = [row.id for row in view.rows(0, 40)]
        is_known = view.count is not None
        await view.load()

        assert (before, is_known) == ([7], False)
        assert [row.id for row in view.rows(0, 40)] == [7, 8]


async def test_full_text_has_no_rows_before_it_is_loaded(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = store.view(ViewSpec(query="text:mango"))
        before = view.rows(0, 10)
        await view.load()

        assert (before, [row.id for row in view.rows(0, 10)]) == ([], [3])


async def test_a_sorted_list_has_no_rows_before_it_is_loaded(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        assert store.view(ViewSpec(sort=(SortKey("Name"),))).rows(0, 40) == []
        assert len(store.view(ViewSpec(sort=(SortKey("lastModifiedAt", descending=True),))).rows(0, 40)) == 4


@pytest.mark.parametrize(
    ("spec", "wanted"),
    [
        (ViewSpec(), "COVERING INDEX open_items_in_order"),
        (ViewSpec(with_done=True), "COVERING INDEX items_in_order"),
        (ViewSpec(text="x"), "COVERING INDEX open_items_in_order"),
        (
            ViewSpec(query="type:bug est>3 #ux severity:critical status:open changed<7d"),
            "COVERING INDEX items_in_order",
        ),
        (ViewSpec(group=("IterationID",)), "COVERING INDEX open_items_in_order"),
        (ViewSpec(sort=(SortKey("lastModifiedAt", descending=True),)), "COVERING INDEX items_by_change"),
        (ViewSpec(query="score:5"), "custom_values USING PRIMARY KEY"),
        (ViewSpec(query="text:zebra"), "VIRTUAL TABLE INDEX"),
    ],
)
async def test_hot_lists_are_answered_by_their_index(tmp_path: Path, spec: ViewSpec, wanted: str) -> None:
    with filled(tmp_path) as store:
        query = store.view(spec).query
        connection = sqlite3.connect(places_in(tmp_path).mirror)
        plan = " ; ".join(plan_of(connection, query.ids()))
        connection.close()

        assert wanted in plan
        assert ("TEMP B-TREE FOR ORDER BY" in plan) == (not query.is_covered)


async def test_a_view_says_what_ran_where(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        view = await loaded(
            store, ViewSpec(query="type:bug score:none source:x text:zebra a", sort=(SortKey("Score_cf"),))
        )

        said = "\n".join(view.explain())

    for part in ("sorted once", "type: compared in the rows", "Score_cf: looked up", "Source: read from", "full text",
                 "Names: searched", "0 rows", "never sent to the server"):  # fmt: skip
        assert part in said
    assert "SEARCH" not in said


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("type:bug", ("from an index", "type: compared in the order's index")),
        ("type:bug text:pedest", ("sorted once", "type: compared in the rows found by another condition")),
    ],
)
async def test_what_is_said_of_a_query_is_what_the_database_plans(
    tmp_path: Path, query: str, said: tuple[str, str]
) -> None:
    with filled(tmp_path) as store:
        view = await loaded(store, ViewSpec(query=query))
        explained = view.explain()
        with closing(sqlite3.connect(places_in(tmp_path).mirror)) as connection:
            plan = " ; ".join(plan_of(connection, view.query.ids()))

    text = "\n".join(explained)
    assert ("INDEX open_items_in_order" in plan) == ("from an index" in said[0])
    assert all(part in text for part in said)


LAST_CHANGED = (SortKey("lastModifiedAt", descending=True),)


@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (ViewSpec(), "Order: backlog order, from an index."),
        (ViewSpec(query="text:a"), "Order: backlog order, sorted once while loading the filtered items."),
        (ViewSpec(sort=LAST_CHANGED), "Order: last change first, from an index."),
        (ViewSpec(sort=LAST_CHANGED, group=("type",)), "Order: by type, lastModifiedAt, sorted once"),
        (ViewSpec(sort=(SortKey("Name"),)), "Order: by Name, sorted once while loading in the background."),
    ],
)
async def test_a_view_says_how_it_is_ordered(tmp_path: Path, spec: ViewSpec, said: str) -> None:
    with filled(tmp_path) as store:
        explained = (await loaded(store, spec)).explain()

    assert explained[0].startswith(said)


async def test_full_text_follows_edits_new_items_comments_and_deletions(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        await store.items.edit([1], {"Description": "Pedestrians wait"})
        new = await store.items.add("Story", {"Name": "Pedestrian light", "Description": ""})
        await store.items.comment(2, "See the pedestrian law")
        assert await found(store, "text:pedest") == [1, 2, new]

        await store.items.edit([1], {"Description": ""})
        for entry in store.outbox_entries():
            if entry.item_id in {new, 2}:
                await store.conflicts.discard(entry.id)
        assert await found(store, "text:pedest") == []

        put(store, [item(9, Description="ペデストリアンデッキ")])
        assert await found(store, "text:デッキ") == [9]
        store.files.submit(lambda writer: writer.mirror.remove_items([9])).result()
        assert await found(store, "text:デッキ") == []


async def test_items_of_leading_iterations_come_first_in_groups_without_an_order_of_their_own(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        put(store, [item(each, IterationID=7, Status=status) for each, status in ((90, "Not Done"), (91, "Done"))])
        put(store, [item(92, Status="Done", IterationID=1)])
        spec = ViewSpec(with_done=True, group=("Status",), latest=("Done",))
        usual = await loaded(store, spec)
        view = await loaded(store, replace(spec, leading=frozenset({7})))
        usual_first, first = usual.ids_in(("Not Done",)), view.ids_in(("Not Done",))

        assert list(first) == [90, *(each for each in usual_first if each != 90)]
        assert usual_first[0] != 90
        assert list(view.ids_in(("Done",))) == list(usual.ids_in(("Done",)))


async def test_values_that_count_as_one_make_one_group_in_the_order_of_the_list(tmp_path: Path) -> None:
    with filled(tmp_path) as store:
        alike = (("Done", "Not Done"),)
        view = await loaded(store, ViewSpec(with_done=True, group=("type", "Status"), alike=alike))
        figures = [(line.group, line.count, line.points) for line in view.lines(0, 99) if isinstance(line, GroupLine)]

        assert (("Bug", "Done"), 2, 8.0) in figures
        assert [row.id for row in view.lines(0, 99) if isinstance(row, ItemRow) and row.type == "Bug"] == [4, 5]
