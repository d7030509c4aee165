"""Filtering the backlog by the values of one field, driven by keys over a real store and service."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put_nouns
from tests.store.world import World, until
from tests.tui.bare_app import heading_of, line_with, missing, text_of
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.errors import BadRequest
from backlit.model.query import NameKind
from backlit.model.trees import NodeTotals
from backlit.store import Store, ViewSpec
from backlit.store.records.item import ItemRow
from backlit.store.records.people import TreeKind
from backlit.store.views.groups import Facet
from backlit.store.views.saved import SavedView
from backlit.tui.dialogs.pick import PickValuesDialog
from backlit.tui.lists.filtering import (
    AREA_FILTER,
    ITERATION_FILTER,
    OWNER_FILTER,
    TYPE_FILTER,
    FilterField,
    FilterState,
    NodeFilter,
    SharedFilter,
    both_queries,
    chosen_values,
    filter_choices,
    filter_list,
    filter_words,
    item_counts,
    text_and_query,
)


def title(pilot: Pilot[None]) -> str:
    return heading_of(pilot.app)


def ids_in(pilot: Pilot[None]) -> Sequence[int]:
    return list(items(pilot).ids_between(0, None))


def expected(rows: Sequence[ItemRow], **wanted: Sequence[object]) -> list[int]:
    return [row.id for row in rows if all(getattr(row, key) in values for key, values in wanted.items())]


@pytest.mark.slow
async def test_a_picked_status_filters_the_list_and_is_shown_in_the_title(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "s", *"prog", "enter")

        assert ids_in(pilot) == expected(rows, status=["In Progress"])
        assert "› status In progress" in title(pilot)


@pytest.mark.slow
async def test_tab_picks_several_and_they_are_selected_the_next_time(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"bug", "tab", *"risk", "tab", "enter")
        assert ids_in(pilot) == expected(rows, type=["Bug", "Risk"])
        assert "type Bug or Risk" in title(pilot)

        await press(pilot, "f", "t")
        assert line_with(pilot.app, "✓ × Bug  ")
        assert line_with(pilot.app, "✓ ◇ Risk  ")


@pytest.mark.slow
async def test_the_picker_counts_the_items_that_match_the_other_filters(store: Store, opened: Open) -> None:
    rows = await shown(store)
    count = len(expected(rows, type=["Bug"], status=["Not Done"]))
    async with opened(store) as pilot:
        await press(pilot, "f", "s", *"not", "enter", "f", "t", *"bug")

        assert f"{count} items" in line_with(pilot.app, "▌   × Bug")


@pytest.mark.slow
async def test_done_is_a_status_that_can_be_asked_for(store: Store, opened: Open) -> None:
    rows = await shown(store, with_done=True)
    async with opened(store) as pilot:
        await press(pilot, "f", "s", *"done", "enter")

        assert ids_in(pilot) == expected(rows, status=["Done"])


@pytest.mark.slow
async def test_a_filter_by_area_includes_the_areas_below(store: Store, opened: Open) -> None:
    tree = store.lookups.tree(TreeKind.AREAS)
    node = next(each for each in tree.walk() if tree.depth(each.id) == 1 and tree.children(each.id))
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "r", *node.name.lower(), "enter")

        assert ids_in(pilot) == expected(rows, area_id=tree.subtree_ids(node.id))
        assert f"area {node.name}" in title(pilot)


async def test_an_iteration_is_picked_by_name_or_by_its_relation_to_today(store: Store, opened: Open) -> None:
    rows = await shown(store)
    ids = store.names.ids(NameKind.ITERATION, "current", with_subtree=True)
    async with opened(store) as pilot:
        await press(pilot, "f", "i", *"the current", "enter")

        assert ids_in(pilot) == expected(rows, iteration_id=[*ids]) != []
        assert "iteration current" in title(pilot)


async def test_a_filter_by_nobody_finds_unassigned_items(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "a", *"unassigned", "enter")

        assert ids_in(pilot) == expected(rows, owner_id=[None])
        assert "› unassigned" in title(pilot)


@pytest.mark.slow
async def test_mine_is_mine_and_again_everybodys(store: Store, opened: Open) -> None:
    me = store.lookups.me()
    assert me is not None
    rows = await shown(store)
    async with opened(store) as pilot:
        assert items(pilot).go_to([row.id for row in rows if row.owner_id != me.id][-1])
        await press(pilot, "f", "m")
        assert ids_in(pilot) == expected(rows, owner_id=[me.id])
        assert items(pilot).cursor == 0
        assert "› mine" in title(pilot)

        await press(pilot, "f", "a")
        assert any("✓" in line for line in text_of(pilot.app).splitlines() if f" {me.display_name} " in line)

        await press(pilot, "escape", "f", "m")
        assert ids_in(pilot) == [row.id for row in rows]


@pytest.mark.slow
async def test_filters_hold_together_with_the_typed_text_and_escape_takes_them_off_one_by_one(
    store: Store, opened: Open
) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "/", *"a", "enter")
        assert ids_in(pilot) == [row.id for row in rows if row.type == "Story" and "a" in row.name.casefold()]

        await press(pilot, "escape")
        assert ids_in(pilot) == expected(rows, type=["Story"])

        await press(pilot, "escape")
        assert ids_in(pilot) == [row.id for row in rows]


@pytest.mark.slow
async def test_f0_clears_every_filter(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "f", "m", "/", *"a", "enter", "f", "0")

        assert ids_in(pilot) == [row.id for row in rows]
        assert missing(pilot.app, ["Open items"]) == []


@pytest.mark.slow
async def test_escape_in_the_picker_changes_nothing(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter")
        before = ids_in(pilot)
        await press(pilot, "f", "t", *"bug", "tab", "escape")

        assert ids_in(pilot) == before


@pytest.mark.slow
async def test_the_first_row_takes_a_filter_off(store: Store, opened: Open) -> None:
    rows = await shown(store)
    async with opened(store) as pilot:
        await press(pilot, "f", "t", *"story", "enter", "f", "t", *"any type", "enter")

        assert ids_in(pilot) == [row.id for row in rows]


@pytest.mark.slow
async def test_a_picker_takes_keys_before_its_counts_are_there(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("f", "t")
        assert isinstance(pilot.app.screen, PickValuesDialog)
        await press(pilot, *"bug", "enter")

        assert "type Bug" in title(pilot)


@pytest.mark.slow
async def test_a_renamed_iteration_clears_the_filter_with_a_message(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    used = {row.iteration_id for row in rows}
    node = next(each for each in store.lookups.iterations().values() if each.id in used and "\\" in each.path)
    async with opened(store) as pilot:
        await press(pilot, "f", "i", *node.name.lower(), "enter")
        assert f"iteration {node.name}" in title(pilot)

        await world.rival.auth.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))
        await world.rival.iterations.update(node.id, {"name": "Another name"})
        await store.refresh()
        await until(lambda: "cleared" in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: ids_in(pilot) == [row.id for row in rows])


def filtering_store(folder: Path) -> AbstractContextManager[Store]:
    """A store with areas of which two are called Web, a sprint of today and one called any, and two users."""

    @contextmanager
    def made() -> Iterator[Store]:
        with offline_store(folder) as store:
            days = {"startDate": store.today().isoformat(), "endDate": store.today().isoformat()}
            areas = [(10, "Root", -1), (11, "Web", 10), (12, "Shop", 11), (13, "API", 10), (14, "web", 13)]
            put_nouns(
                store,
                areas=[node(*each) for each in areas],
                iterations=[node(20, "Root"), node(21, "S1", 20, **days), node(22, "any", 20)],
                user=[{"id": 3, "name": "zoe"}, {"id": 4, "name": "bea"}],
            )
            yield store

    return made()


def test_items_are_counted_by_the_words_of_the_choices_and_nodes_with_those_below(tmp_path: Path) -> None:
    def counts(by: FilterField, *found: tuple[object, int]) -> dict[str, int]:
        return dict(item_counts(store, by, [Facet(value, NodeTotals(count)) for value, count in found]))

    with filtering_store(tmp_path) as store:
        areas = counts(AREA_FILTER, (10, 1), (11, 2), (12, 4), (13, 8), (14, 16), (None, 32))
        iterations = counts(ITERATION_FILTER, (20, 1), (21, 2), (22, 4))
        owners = counts(OWNER_FILTER, (3, 1), (99, 2), (None, 4))
        tasks = item_counts(store, TYPE_FILTER, [Facet("Task", NodeTotals(0, tasks=5))])

        assert [choice.value for choice in filter_choices(store, AREA_FILTER)] == [
            "none",
            r"Root\Web",
            "Shop",
            "API",
            r"Root\API\web",
        ]
        assert [choice.value for choice in filter_choices(store, ITERATION_FILTER)] == [
            "none",
            "current",
            "S1",
            r"Root\any",
        ]

    assert areas == {"Root": 63 - 32, r"Root\Web": 6, "Shop": 4, "API": 24, r"Root\API\web": 16, "none": 33}
    assert iterations == {
        "Root": 7,
        "S1": 2,
        r"Root\any": 4,
        "none": 1,
        "current": 2,
        "next": 0,
        "previous": 0,
    }
    assert (owners, tasks) == ({"zoe": 1, "99": 2, "none": 4}, {"Task": 5})


def test_choices_are_found_in_a_query_in_any_spelling_and_once(tmp_path: Path) -> None:
    with filtering_store(tmp_path) as store:
        found = chosen_values(filter_choices(store, OWNER_FILTER), ["ME", "Zoe", "BEA", "cem", "None"], store)

    assert found == ["zoe", "bea", "cem", "none"]


@pytest.mark.parametrize(
    ("typed", "text", "query"),
    [
        *(("  login ", "login", ""), ("#1042", "#1042", ""), ("", "", "")),
        *(("#tag", "", "#tag"), ("type:bug", "", "type:bug"), ("two words", "", "two words")),
        *(('"quoted"', "", '"quoted"'), ("-login", "", "-login"), ("C++", "C++", "")),
    ],
)
def test_a_single_word_is_part_of_a_name_and_all_else_a_query(typed: str, text: str, query: str) -> None:
    assert text_and_query(typed) == (text, query)


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("", []),
        ("owner:me", ["mine"]),
        ("owner:me,zoe", ["owner me or zoe"]),
        ("owner:none", ["unassigned"]),
        ("tag:a,none area:none", ["tag a or no tag", "no area"]),
        ("status:none", ["no status"]),
        (r"area:Root\Web", ["area Web"]),
        ("lint:any lint:none,estimate", ["not ready", "ready or no estimate"]),
        ("points>3 type=bug", ["points>3", "type bug"]),
        ("points:3", ["points:3"]),
    ],
)
def test_a_query_is_told_in_words_of_its_conditions(query: str, words: list[str]) -> None:
    assert filter_words(query) == words


def test_queries_of_two_sources_hold_together() -> None:
    node = NodeFilter(TreeKind.AREAS, 11, has_subtree=True)
    both = FilterState("a b", "type:bug or tag:x", node)

    assert [both_queries("a", "b or c"), both_queries("", "b"), both_queries("a", "")] == ["(a) (b or c)", "b", "a"]
    assert both.as_query("Root") == '((type:bug or tag:x) ("a b")) (area:"Root")'
    assert FilterState("#12", "", replace(node, has_subtree=False)).as_query("Root") == '(#12) (area="Root")'


@pytest.mark.parametrize("query", ["nonsense:x", "(type:bug"])
def test_a_query_that_cannot_be_read_leaves_the_filter_as_it_was(tmp_path: Path, query: str) -> None:
    class Place:
        def __init__(self, store: Store) -> None:
            self.store, self.shared, self.taken = store, SharedFilter(store), 0

        def take_filter(self) -> None:
            self.taken += 1

        def say(self, sentence: str, *, is_bad: bool = False) -> None:
            raise AssertionError(sentence, is_bad)

    with filtering_store(tmp_path) as store:
        place = Place(store)
        filter_list(place, FilterState(query="type:bug"))
        with pytest.raises(BadRequest):
            filter_list(place, FilterState(query=query))

    assert (place.shared.now, place.taken) == (FilterState(query="type:bug"), 1)


def test_a_cleared_filter_keeps_the_saved_view_alone() -> None:
    view = SavedView("Bugs", ViewSpec(query="type:bug", text="x"))
    filtering = replace(FilterState.of(view), query="type:bug tag:a", text="y", node=NodeFilter(TreeKind.AREAS, 1))

    assert (FilterState.of(view).query, FilterState.of(view).text) == ("type:bug", "x")
    assert (filtering.is_narrowed, filtering.cleared.is_narrowed) == (True, False)
    assert filtering.cleared == FilterState(query="type:bug", view=view)


@pytest.mark.parametrize(
    ("query", "before"),
    [("type:bug tag:a owner:me", "type:bug tag:a"), ("(type:bug) (tag:a)", "type:bug"), ("tag:a", "type:bug")],
)
def test_the_last_condition_goes_first_and_those_of_the_view_stay(query: str, before: str) -> None:
    view = SavedView("Bugs", ViewSpec(query="type:bug"))

    assert FilterState(query=query, view=view).without_last_condition == before
    assert FilterState(query="tag:a").without_last_condition == ""


@pytest.mark.parametrize(
    ("node", "areas", "iterations"),
    [
        (NodeFilter(TreeKind.AREAS, 11, has_subtree=True), {11, 12}, None),
        (NodeFilter(TreeKind.AREAS, 11), {11}, None),
        (NodeFilter(TreeKind.ITERATIONS, 20, has_subtree=True), None, {20, 21, 22}),
        (None, None, None),
    ],
)
def test_a_node_filters_by_itself_or_with_its_subtree(
    tmp_path: Path, node: NodeFilter | None, areas: set[int] | None, iterations: set[int] | None
) -> None:
    with filtering_store(tmp_path) as store:
        spec = FilterState("x", "type:bug", node).applied_to(ViewSpec(text="y", with_done=True), store)

    assert (spec.area_ids, spec.iteration_ids) == (areas, iterations)
    assert (spec.text, spec.query, spec.with_done) == ("x", "type:bug", True)


def test_a_node_of_the_filter_follows_its_new_id_and_stays_in_its_project(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        shared = SharedFilter(store)
        shared.now = replace(shared.now, node=NodeFilter(TreeKind.AREAS, -5))
        shared.rename({-6: 60})
        shared.rename({-5: 50})
        renamed = shared.now.node
        store.choose_project(2)
        shared.follow_project()

    assert renamed == NodeFilter(TreeKind.AREAS, 50)
    assert shared.now.node is None


def test_each_project_has_its_own_query(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        shared = SharedFilter(store)
        queries = []
        for project_id, query in ((1, "status:open"), (2, "type:bug"), (1, ""), (2, "")):
            store.choose_project(project_id)
            shared.follow_project()
            queries.append(shared.now.query)
            shared.now = replace(shared.now, query=query or shared.now.query)

    assert queries == ["", "", "status:open", "type:bug"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "back"),
    [
        ("/1", ["escape"]),
        ("/1", ["enter", "escape"]),
        ("/1", ["enter", "j", "escape"]),
        ([*":filter", "space", *"id:1,2", "enter"], ["escape"]),
        ("f!f!/1", ["enter", "escape"]),
        ([*"f!", *"/1"], ["enter", "escape", "escape"]),
    ],
)
async def test_escape_after_a_filter_returns_to_the_row_where_it_began(
    tmp_path: Path, opened: Open, keys: Sequence[str], back: Sequence[str]
) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 60)]) as store:
        async with opened(store) as pilot:
            await press(pilot, *"41j")
            began = items(pilot).current_id
            await press(pilot, *keys)
            await until(lambda: items(pilot).current_id != began, lambda: text_of(pilot.app))
            await press(pilot, *back)

            assert began == 42
            await until(lambda: items(pilot).current_id == began, lambda: text_of(pilot.app))


@pytest.mark.slow
@pytest.mark.parametrize("typed", ["grapefruit", "grapefruit juice"])
async def test_a_filter_that_no_name_matches_offers_the_texts_with_their_number(
    tmp_path: Path, opened: Open, typed: str
) -> None:
    documents = [item(1, Description="Grapefruit and its juice"), item(2, Description="juice of a grapefruit"), item(3)]
    with offline_store(tmp_path, documents) as store:
        async with opened(store) as pilot:
            await press(pilot, "/", *typed, "enter")
            await until(lambda: "Texts with" in text_of(pilot.app), lambda: text_of(pilot.app))
            empty, here = text_of(pilot.app), items(pilot).current_id
            await press(pilot, "j", "f", "1")
            await until(lambda: "0 of 3" not in title(pilot), lambda: text_of(pilot.app))

            assert here == 1
            assert ("in its name" in empty) == (typed == "grapefruit")
            assert ids_in(pilot) == [1, 2]
            assert items(pilot).current_id == 2
            assert "Item 3" not in text_of(pilot.app)
