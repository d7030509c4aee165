"""Commands of lists against a target without an application: views, groups, orders, columns and filters."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns
from tests.tui.target import FakeTarget, rows_of, run

from backlit.config.settings import find_locations
from backlit.model.errors import BadRequest
from backlit.model.filters import SortKey
from backlit.model.settings.view_settings import ChosenColumn
from backlit.store import Store, TreeKind, ViewSpec
from backlit.store.views.groups import Facet
from backlit.store.views.saved import SavedView
from backlit.store.views.view_files import ViewFiles
from backlit.tui.commands.command import CannotAct
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.lists.filtering import (
    AREA_FILTER,
    OWNER_FILTER,
    FilterState,
    NodeFilter,
    SharedFilter,
    chosen_values,
    filter_choices,
    filter_words,
    item_counts,
    narrowed_filter,
    node_word,
    text_and_query,
)
from backlit.tui.lists.list_commands import nth_match
from backlit.tui.lists.list_screen import ColumnChoice
from backlit.tui.lists.saved_views import DEFAULT_VIEW

BUGS = SavedView(
    "Bugs", ViewSpec(query="type:bug", sort=(SortKey("Name"),)), (ChosenColumn("Status", 14), ChosenColumn("AreaID"))
)
MINE = SavedView("Mine", ViewSpec(query="owner:me"))
AREAS = [node(1, "Shop"), node(2, "Cart", 1), node(3, "Pay", 1), node(4, "Cart", 3), node(5, "None", 1)]
PEOPLE = [{"id": 7, "name": "zoe", "displayName": "Zoe"}, {"id": 8, "name": "abe", "displayName": "Abe"}]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [
        item(1, AreaID=2, AssignedToID=7),
        item(2, kind="Bug", AreaID=4),
        item(3, AreaID=1, Status="Done"),
        item(4, kind="Task", ParentID=1, AreaID=2, AssignedToID=8),
    ]
    with offline_store(tmp_path / "store", documents) as store:
        put_nouns(store, areas=AREAS, user=PEOPLE, iterations=[node(10, "Shop")])
        yield store


class FakeList(FakeTarget):
    """A `lists.list_commands.ListTarget` of the backlog with three tabs."""

    def __init__(self, store: Store, now: FilterState = FilterState(), answers: Sequence[object] = ()) -> None:  # noqa: B008
        super().__init__(store, answers=answers)
        self.shared, self.node = SharedFilter(store), now.node
        self.shared.views.tabs, self.shared.now = (DEFAULT_VIEW, BUGS, MINE), now
        self.spec = now.applied_to(now.view.spec, store)
        self.columns = ColumnChoice(store, lambda columns: self.shown.append([each.key for each in columns]))
        self.shown: list[list[str]] = []
        self.items = None
        self.begun: list[str] = []
        self.line = SimpleNamespace(note_row=lambda: None, close=lambda: None)
        self.near_filters: Sequence[FilterState] = ()

    def show_spec(self, spec: ViewSpec) -> None:
        self.spec = spec

    def take_filter(self) -> None:
        self.spec = self.shared.now.applied_to(self.spec, self.store)

    def show_saved(self, view: SavedView) -> None:
        self.shared.now = FilterState.of(view)

    def run_worker(self, work: object, *, group: str, exclusive: bool = False) -> None:  # noqa: ARG002 - begins none
        self.begun.append(group)


# Views


@pytest.mark.parametrize(
    ("view", "command_id", "count", "expected"),
    [
        (DEFAULT_VIEW, "view.next", None, "Bugs"),
        (DEFAULT_VIEW, "view.next", 2, "Mine"),
        (MINE, "view.next", None, "Open items"),
        (DEFAULT_VIEW, "view.previous", None, "Mine"),
        (MINE, "view.previous", 2, "Open items"),
    ],
)
async def test_views_are_gone_through_in_a_circle(
    store: Store, view: SavedView, command_id: str, count: int | None, expected: str
) -> None:
    target = FakeList(store, FilterState.of(view))

    await run(target, command_id, count)

    assert target.shared.now.view.name == expected


async def test_a_view_is_gone_to_by_its_number_or_name(store: Store) -> None:
    target = FakeList(store)
    found = []
    for letter, text in (("3", ""), ("1", ""), ("", "bugs"), ("", "mi"), ("", "2")):
        await run(target, "view.go", letter=letter, text=text)
        found.append(target.shared.now.view.name)

    assert found == ["Mine", "Open items", "Bugs", "Mine", "Bugs"]
    with pytest.raises(CannotAct, match="There is no view 4"):
        await run(target, "view.go", letter="4")
    with pytest.raises(CannotAct, match="Enter the name of a view: Open items, Bugs, Mine"):
        await run(target, "view.go")
    with pytest.raises(BadRequest, match=r"No view “x”\. Views: Open items, Bugs, Mine"):
        await run(target, "view.go", text="x")
    target.shared.views.tabs = (DEFAULT_VIEW,)
    with pytest.raises(CannotAct, match="This is the only view"):
        await run(target, "view.next")


@pytest.mark.parametrize(
    ("now", "query"),
    [
        (FilterState(text="sign in", query="type:bug"), '(type:bug) ("sign in")'),
        (FilterState(text="#12"), "#12"),
        (
            FilterState(query="owner:me", node=NodeFilter(TreeKind.AREAS, 3, has_subtree=True)),
            "(owner:me) (area:Shop\\\\Pay)",
        ),
        (FilterState(node=NodeFilter(TreeKind.AREAS, 2)), "area=Shop\\\\Cart"),
        (FilterState(node=NodeFilter(TreeKind.ITERATIONS, 10)), "iter=Shop"),
    ],
)
async def test_a_view_is_saved_with_the_whole_filter_and_shown(
    store: Store, tmp_path: Path, now: FilterState, query: str
) -> None:
    target = FakeList(store, now)
    target.columns.wishes = (ChosenColumn("Priority"),)
    target.shared.views.files = ViewFiles(find_locations({"BACKLIT_HOME": str(tmp_path)}), tmp_path)

    await run(target, "view.save", text=" Doors ")

    saved = target.shared.now.view
    assert (saved.name, saved.spec.query.replace('"', ""), saved.columns) == (
        "Doors",
        query.replace('"', ""),
        (ChosenColumn("Priority"),),
    )
    assert (saved.spec.text, saved.spec.area_ids, saved.spec.iteration_ids) == ("", None, None)
    assert target.said == [f"Saved as “Doors” in {target.shared.views.files.own}."]
    assert target.shared.views.names[-1] == "Doors"


async def test_the_name_of_a_view_is_asked_for_with_that_of_the_shown_one(store: Store, tmp_path: Path) -> None:
    target = FakeList(store, answers=[None, None])
    with pytest.raises(CannotAct, match="no configuration folder"):
        await run(target, "view.save")
    target.shared.views.files = ViewFiles(find_locations({"BACKLIT_HOME": str(tmp_path)}), tmp_path)

    await run(target, "view.save")
    target.shared.now = FilterState.of(BUGS)
    await run(target, "view.save")

    assert [each.input.value for each in target.asked if isinstance(each, LineDialog)] == ["", "Bugs"]
    assert target.said == []


# Groups, orders and columns


async def test_groups_and_orders_are_typed_or_picked(store: Store) -> None:
    target = FakeList(store, answers=[None, (SortKey("Status"), SortKey("type")), None, ()])
    steps = [
        ("list.group", "owner, area", (("AssignedToID", "AreaID"), ())),
        ("list.group", "", (("AssignedToID", "AreaID"), ())),
        ("list.group", "", (("Status", "type"), ())),
        ("list.group", "none", ((), ())),
        ("list.sort", "-priority, name", ((), (SortKey("Priority", descending=True), SortKey("Name")))),
        ("list.sort", "", ((), (SortKey("Priority", descending=True), SortKey("Name")))),
        ("list.sort", "", ((), ())),
    ]
    for command_id, text, expected in steps:
        await run(target, command_id, text=text)
        assert (target.spec.group, target.spec.sort) == expected, (command_id, text)

    offered = [each.value for each in rows_of(target.asked[0])]
    assert offered[:3] == [None, "AreaID", "IterationID"]
    assert not {"Name", "ParentID", "Description", "Estimate", "id"} & set(offered)
    assert "Name" in [each.value for each in rows_of(target.asked[2])]
    with pytest.raises(BadRequest, match="A list has at most 2 levels of groups"):
        await run(target, "list.group", text="owner area status")
    with pytest.raises(BadRequest):
        await run(target, "list.sort", text="nonsense")


async def test_columns_are_kept_for_the_plain_backlog_alone(store: Store) -> None:
    target = FakeList(store)
    await run(target, "list.columns", text="tags 14, area")
    kept = [each.key for each in store.columns.wishes()]
    target.shared.now = FilterState.of(BUGS)

    await run(target, "list.columns", text="status")
    other = [each.key for each in store.columns.wishes()]
    target.shared.now = FilterState()
    await run(target, "list.columns", text="usual")

    assert (kept, other, list(store.columns.wishes())) == (["Tags", "AreaID"], ["Tags", "AreaID"], [])
    assert target.shown[:2] == [["Tags", "AreaID"], ["Status"]]
    target.columns = ColumnChoice(store)
    with pytest.raises(CannotAct, match="The board has no list columns"):
        await run(target, "list.columns", text="tags")


async def test_picked_columns_keep_their_widths(store: Store) -> None:
    target = FakeList(store, answers=[None, (SortKey("Tags"), SortKey("Priority"))])
    target.columns.wishes = (ChosenColumn("Tags", 30), ChosenColumn("AreaID"))

    await run(target, "list.columns")
    await run(target, "list.columns")

    assert target.columns.wishes == (ChosenColumn("Tags", 30), ChosenColumn("Priority"))
    offered = [each.value for each in rows_of(target.asked[0])]
    assert (len(offered), "Name" in offered, offered.count("Status")) == (len(set(offered)), False, 1)


async def test_done_items_are_shown_and_hidden(store: Store) -> None:
    target = FakeList(store)
    found = []
    for _ in range(2):
        await run(target, "list.done")
        found.append(target.spec.with_done)

    assert found == [True, False]


# Filters


async def test_a_filter_by_values_replaces_that_of_its_field_alone(store: Store) -> None:
    target = FakeList(store, FilterState(query="owner:me type:bug"), [None, ("abe", "none"), ()])

    await run(target, "filter.owner")
    left = target.shared.now.query
    await run(target, "filter.owner")
    picked = target.shared.now.query
    await run(target, "filter.owner")

    assert left == "owner:me type:bug"
    assert sorted(picked.replace("(", " ").replace(")", " ").split()) == ["owner:abe,none", "type:bug"]
    assert target.shared.now.query == target.spec.query == "type:bug"
    assert [(each.value, each.label.split()[-1]) for each in rows_of(target.asked[0])][-2:] == [
        ("abe", "Abe"),
        ("zoe", "Zoe"),
    ]
    assert target.begun == ["facets"] * 3


async def test_mine_and_not_ready_are_turned_on_and_off(store: Store) -> None:
    target = FakeList(store, FilterState(query="owner:abe"))
    found = []
    for command_id in ("filter.mine", "filter.unready", "filter.mine", "filter.unready"):
        await run(target, command_id)
        found.append(target.shared.now.query)

    assert [filter_words(each) for each in found] == [["mine"], ["mine", "not ready"], ["not ready"], []]


async def test_nothing_is_mine_before_the_user_is_known(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store, pytest.raises(CannotAct, match="Your user is not known yet"):
        await run(FakeList(store), "filter.mine")


async def test_a_typed_query_is_narrowed_to_the_view(store: Store) -> None:
    target = FakeList(store, FilterState(query="status:open", view=BUGS, node=NodeFilter(TreeKind.AREAS, 2)))

    await run(target, "list.filter", text="owner:zoe")

    assert target.shared.now == FilterState("", "(type:bug) (owner:zoe)", NodeFilter(TreeKind.AREAS, 2), BUGS)
    assert (target.spec.query, target.spec.area_ids) == ("(type:bug) (owner:zoe)", frozenset({2}))
    with pytest.raises(BadRequest):
        await run(target, "list.filter", text="owner:")
    assert narrowed_filter(target, "pay", "type:bug").text == "pay"
    assert FilterState("x", "a b", NodeFilter(TreeKind.AREAS, 2), BUGS).cleared == FilterState(
        "", "type:bug", None, BUGS
    )


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        (" pay ", ("pay", "")),
        ("#12", ("#12", "")),
        ("#x", ("", "#x")),
        ('"pay"', ("", '"pay"')),
        ("pay now", ("", "pay now")),
        ("don't (", None),
        ("it's", ("it's", "")),
        ("", ("", "")),
    ],
)
def test_a_typed_filter_is_a_part_of_a_name_an_id_or_a_query(typed: str, expected: tuple[str, str] | None) -> None:
    if expected is None:
        with pytest.raises(BadRequest):
            text_and_query(typed)
    else:
        assert text_and_query(typed) == expected


def test_each_project_has_a_query_of_its_own(store: Store) -> None:
    put(store, [item(20, project=2)])
    shared = SharedFilter(store)
    shared.now = FilterState("pay", "owner:me", NodeFilter(TreeKind.AREAS, 2), BUGS)

    store.choose_project(2)
    shared.follow_project()
    other = shared.now
    shared.now = replace(other, query="status:open")
    store.choose_project(1)
    shared.follow_project()
    first = shared.now
    store.choose_project(2)
    shared.follow_project()
    shared.follow_project()

    assert (other.query, other.node, other.text) == ("type:bug", None, "pay")
    assert (first.query, shared.now.query) == ("owner:me", "status:open")


def test_a_filter_follows_a_node_that_gets_its_own_id(store: Store) -> None:
    shared = SharedFilter(store)
    shared.now = FilterState(node=NodeFilter(TreeKind.AREAS, -5, has_subtree=True))

    shared.rename({-5: 9})

    assert shared.now.node == NodeFilter(TreeKind.AREAS, 9, has_subtree=True)


def test_nodes_of_one_name_go_by_their_paths(store: Store) -> None:
    tree = store.lookups.tree(TreeKind.AREAS)

    assert [node_word(tree, each) for each in tree.walk()] == [
        *("Shop", "Shop\\Cart", "Pay", "Shop\\Pay\\Cart", "Shop\\None"),
    ]


async def test_choices_count_the_items_with_each_value(store: Store) -> None:
    view = store.view(ViewSpec(with_done=True))
    owners = item_counts(store, OWNER_FILTER, await view.facets("AssignedToID"))
    areas = item_counts(store, AREA_FILTER, await view.facets("AreaID"))

    assert (owners["zoe"], owners["abe"], owners["none"]) == (1, 1, 2)
    assert (areas["Shop\\Cart"], areas["Pay"], areas["none"]) == (1, 1, 1)
    assert item_counts(store, AREA_FILTER, [Facet(None, (await view.facets("AreaID"))[0].totals)])["none"] == 1


def test_values_of_a_query_are_found_among_the_choices(store: Store) -> None:
    choices = filter_choices(store, OWNER_FILTER)

    assert chosen_values(choices, ["ME", "Zoe", "Abe", "ghost"], store) == ["zoe", "abe", "ghost"]


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("owner:me", ["mine"]),
        ("owner:me,abe", ["owner me or abe"]),
        ("owner:none", ["unassigned"]),
        ("area:Shop\\Cart,none", ["area Cart or no area"]),
        ("lint:none", ["ready"]),
        ("type:bug status:open", ["type Bug", "status open"]),
        ("points>3", ["points>3"]),
        ("-type:bug", ["-type:bug"]),
    ],
)
def test_a_query_is_told_in_words(query: str, words: list[str]) -> None:
    assert [each.casefold() for each in filter_words(query)] == [each.casefold() for each in words]


@pytest.mark.parametrize(
    ("here", "steps", "expected"),
    [
        (1, 1, (3, False)),
        (3, 1, (5, False)),
        (5, 1, (3, True)),
        (4, 1, (5, False)),
        (4, -1, (3, False)),
        (3, -1, (5, True)),
        (3, 0, (3, False)),
        (3, 4, (3, True)),
        (None, 1, (3, False)),
    ],
)
def test_the_next_match_is_counted_from_the_cursor(here: int | None, steps: int, expected: tuple[int, bool]) -> None:
    assert nth_match([1, 2, 3, 4, 5], {3, 5}, here, steps) == expected
    assert nth_match([1, 2], {3}, here, steps) is None


async def test_a_near_filter_is_taken_by_the_digit_of_its_heading(store: Store) -> None:
    target = FakeList(store)
    target.near_filters = [FilterState(text="receipt"), FilterState(query="text:receipt")]

    await run(target, "filter.near", letter="2")
    assert target.shared.now == FilterState(query="text:receipt")
    with pytest.raises(CannotAct, match="numbers the filters that are near"):
        await run(target, "filter.near", letter="3")
