"""Cards moved between columns, and the values of new cards, as functions over a store; no application runs."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

import pytest
from msgspec.structs import replace
from tests.store.documents import item, node, offline_store, put, put_nouns

from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.filters import In, Literal, Property
from backlit.model.settings.user_settings import RELEASE
from backlit.store import Store, ViewSpec
from backlit.tui.board.card_edits import card_preset, column_spec, limit_warning, move_between_columns
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import CardGrid
from backlit.tui.fields.field_edits import BulkChange

COLUMNS = (
    BoardColumn("Not Done", ("Not Done", "Open"), limit=2),
    BoardColumn("In Progress", ("In Progress", "Active"), limit=1),
    BoardColumn("Ready For Test", ("Ready For Test",)),
    BoardColumn("no status", (None,), takes_cards=False),
    BoardColumn("Done", ("Done", "Closed"), limit=1),
)
STATUSES = {1: "Not Done", 2: "In Progress", 3: "Active", 4: "Done", 5: "Elsewhere", 6: "Not Done"}
TYPES = {3: "Issue"}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    documents = [item(each, kind=TYPES.get(each, "Story"), Status=status) for each, status in STATUSES.items()]
    with offline_store(tmp_path, documents) as store:
        nodes = [node(20, "Shop"), node(21, "S1", 20)]
        put_nouns(store, iterations=nodes, user=[{"id": 3, "name": "zoe"}])
        yield store


async def grid_of(store: Store, columns: Sequence[BoardColumn] = COLUMNS) -> CardGrid:
    alike = tuple(each.values for each in columns if len(each.values) > 1)
    view = store.view(ViewSpec(group=("Status",), with_done=True, alike=alike))
    await view.load()
    return CardGrid(columns, view.outline.headers, [], set(), None)


async def moved(store: Store, steps: int, ids: Sequence[int], columns: Sequence[BoardColumn] = COLUMNS) -> BulkChange:
    act = move_between_columns(store, "Status", await grid_of(store, columns), steps)
    return act.bulk_change(store.batch.items(list(ids)), store.lookups)


AWAY, FIRST, LAST = "It is not on the board.", "Already in the first column.", "Already in the last column."
NEITHER = "An issue has no status “Not done” or “Open”."
UNTESTED = "An issue has no status “Testing”."
PAST = f"{UNTESTED} 2L skips the column."
DEFAULT = "Added with the default status."


@pytest.mark.parametrize(
    ("steps", "changes", "left_out", "words"),
    [
        (1, {1: "In Progress", 2: "Ready For Test"}, {PAST, LAST, AWAY}, "In Progress is over its limit: 2 of 1."),
        (2, {1: "Ready For Test", 2: "Done", 3: "Closed"}, {LAST, AWAY}, "Done is over its limit: 3 of 1."),
        (9, {1: "Done", 2: "Done", 3: "Closed"}, {LAST, AWAY}, "Done is over its limit: 4 of 1."),
        (-1, {2: "Not Done", 4: "Ready For Test"}, {FIRST, NEITHER, AWAY}, "Not Done is over its limit: 3 of 2."),
        (
            -2,
            {2: "Not Done", 4: "In Progress"},
            {FIRST, NEITHER, AWAY},
            "Not Done is over its limit: 3 of 2. In Progress is over its limit: 2 of 1.",
        ),
    ],
)
async def test_each_card_moves_from_its_own_column(
    store: Store, steps: int, changes: Mapping[int, str], left_out: AbstractSet[str], words: str
) -> None:
    plan = await moved(store, steps, [1, 2, 3, 4, 5])

    way = "right" if steps > 0 else "left"
    assert plan.act.label == f"Status: {'one column' if abs(steps) == 1 else f'up to {abs(steps)} columns'} {way}"
    assert plan.changes == {number: {"Status": status} for number, status in changes.items()}
    assert set(plan.left_out) == left_out
    assert limit_warning(await grid_of(store), FIELD_BY_KEY["Status"], plan) == words


async def test_limits_that_a_move_exceeds_are_named_one_after_the_other(store: Store) -> None:
    plan = await moved(store, 1, [1, 6])
    both = move_between_columns(store, "Status", await grid_of(store), 2).bulk_change(
        store.batch.items([1, 2, 6]), store.lookups
    )
    full = (*COLUMNS[:2], replace(COLUMNS[2], limit=1), *COLUMNS[3:])

    assert limit_warning(await grid_of(store), FIELD_BY_KEY["Status"], plan) == "In Progress is over its limit: 4 of 1."
    assert limit_warning(await grid_of(store, full), FIELD_BY_KEY["Status"], both) == (
        "Ready For Test is over its limit: 2 of 1. Done is over its limit: 2 of 1."
    )
    exact = await moved(store, -1, [2])
    roomy = (replace(COLUMNS[0], limit=3), *COLUMNS[1:])
    assert limit_warning(await grid_of(store, roomy), FIELD_BY_KEY["Status"], exact) == ""


async def test_no_column_beyond_is_offered_where_none_takes_cards(store: Store) -> None:
    assert set((await moved(store, 1, [3], COLUMNS[:4])).left_out) == {UNTESTED}
    crossed = await moved(store, -1, [3], (COLUMNS[2], COLUMNS[0], COLUMNS[1]))
    assert set(crossed.left_out) == {f"{NEITHER} 2H skips the column."}


LANE = ("AreaID", 5)


def test_a_new_card_has_the_values_of_its_column_and_lane_that_its_type_can_have(store: Store) -> None:
    cases: Sequence[tuple[str, ItemType, BoardColumn | None, tuple[str, object] | None, object, object]] = (
        ("Status", ItemType.ISSUE, COLUMNS[1], LANE, {"AreaID": 5, "Status": "Active"}, []),
        ("Status", ItemType.STORY, COLUMNS[1], None, {"Status": "In Progress"}, []),
        ("Status", ItemType.STORY, COLUMNS[3], LANE, {"AreaID": 5}, []),
        ("Status", ItemType.STORY, None, LANE, {"AreaID": 5}, []),
        ("Status", ItemType.ISSUE, COLUMNS[0], LANE, {"AreaID": 5}, [f"{NEITHER} {DEFAULT}"]),
        (
            "Status",
            ItemType.TASK,
            COLUMNS[2],
            None,
            {},
            [f"A task has no status “Testing”. {DEFAULT}"],
        ),
        ("Severity", ItemType.STORY, COLUMNS[0], None, {}, ["Added without severity: a story has none."]),
        ("Severity", ItemType.BUG, COLUMNS[0], None, {"Severity": "Not Done"}, []),
        (RELEASE, ItemType.STORY, BoardColumn("R1", (24, 25)), None, {"IterationID": 24}, []),
        ("Status", ItemType.STORY, None, ("Tags", "\x1fa\x1fb\x1f"), {"Tags": ["a", "b"]}, []),
        ("Status", ItemType.STORY, None, ("Tags", None), {}, []),
        ("Status", ItemType.STORY, None, ("AssignedToID", None), {}, []),
        ("Status", ItemType.STORY, None, ("type", "Bug"), {}, []),
        ("Status", ItemType.STORY, None, ("Severity", "High"), {}, []),
        ("Status", ItemType.STORY, None, ("CalculatedEstimate", "3"), {}, []),
    )
    for key, kind, column, lane, values, reasons in cases:
        assert card_preset(store, key, kind, column, lane) == (values, reasons)


async def test_the_cards_of_a_column_are_those_of_its_lane_in_the_filter_of_the_board(store: Store) -> None:
    put(
        store,
        [item(11, Tags=["b", "a"], AreaID=5), item(12, Tags=["a"]), item(13, Tags=["a", "b", "c"], Status="Open")],
    )
    unfiltered = ViewSpec(group=("type", "Status"), with_done=True)
    among = replace(unfiltered, filter=In(Property("id"), (Literal(1), Literal(2), Literal(12))))
    cases: Sequence[tuple[ViewSpec, int, tuple[str, object] | None, list[int]]] = (
        (unfiltered, 0, None, [1, 6, 11, 12, 13]),
        (unfiltered, 4, None, [4]),
        (among, 0, None, [1, 12]),
        (among, 1, None, [2]),
        (unfiltered, 0, ("Tags", "\x1fa\x1fb\x1f"), [11]),
        (unfiltered, 0, ("Tags", "\x1fa\x1f"), [12]),
        (unfiltered, 0, ("Tags", None), [1, 6]),
        (unfiltered, 0, ("AreaID", 5), [11]),
        (among, 0, ("AreaID", 1), [1, 12]),
        (unfiltered, 1, ("type", "Issue"), [3]),
        (unfiltered, 0, ("AssignedToID", None), [1, 6, 11, 12, 13]),
    )
    for spec, column, lane, expected in cases:
        view = store.view(column_spec(store, "Status", spec, COLUMNS[column], lane))
        await view.load()

        assert (lane, list(view.ids())) == (lane, expected)
        assert view.spec.group == ()


@pytest.mark.parametrize(("around", "expected"), [(21, [11]), (20, [1, 6, 12]), (None, [1, 6, 12])])
async def test_a_card_is_ranked_among_those_of_the_leading_iteration_or_among_the_others(
    store: Store, around: object, expected: list[int]
) -> None:
    put(store, [item(11, IterationID=21), item(12, IterationID=None)])
    spec = ViewSpec(group=("Status",), with_done=True, leading=frozenset({21}))

    view = store.view(column_spec(store, "Status", spec, COLUMNS[0], None, around=around))
    await view.load()

    assert list(view.ids()) == expected
    assert not view.spec.leading
