"""The columns of a board by each field, before and after its cards are known; no application runs."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns, state_project

from backlit.model.settings.user_settings import RELEASE, BoardSettings, ColumnSettings
from backlit.store import Store
from backlit.tui.board.columns import MAX_PEOPLE_COLUMNS, BoardColumns
from backlit.tui.fields.names import ListNames


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with a sprint that is over, one to come with a part, a release with a sprint, and two users."""
    with offline_store(tmp_path, [item(1), item(2, Status="Deleted")]) as store:
        over, later = [(store.today() + timedelta(days)).isoformat() for days in (-1, 9)]
        iterations = [
            node(20, "Shop"),
            node(21, "Over", 20, startDate="2020-01-01", endDate=over),
            node(22, "Later", 20, startDate=later, endDate=later),
            node(23, "Part", 22, startDate=later, endDate=later),
            node(24, "R1", 20, startDate=over, endDate=later, isRelease=True),
            node(25, "S1", 24, startDate=over, endDate=store.today().isoformat()),
        ]
        put_nouns(store, iterations=iterations, user=[{"id": 3, "name": "zoe"}, {"id": 4, "name": "Bea"}])
        yield store


def columns_of(store: Store, *configured: ColumnSettings) -> BoardColumns:
    return BoardColumns(store, BoardSettings(column=configured), ListNames(store))


def told(columns: BoardColumns, key: str, *, with_done: bool = False) -> list[tuple[object, ...]]:
    return [(each.name, each.values, each.is_optional) for each in columns.planned(key, with_done=with_done)]


def test_iterations_that_are_planned_into_have_a_column_without_cards(store: Store) -> None:
    assert told(columns_of(store), "IterationID") == [
        ("Backlog", (20, None), False),
        ("Over", (21,), True),
        ("Later", (22,), True),
        ("Part", (23,), False),
        ("R1", (24,), True),
        ("S1", (25,), False),
    ]


def test_releases_have_their_iterations_and_all_others_are_in_none(store: Store) -> None:
    assert told(columns_of(store), RELEASE) == [
        ("No release", (20, 21, 22, 23, None), False),
        ("R1", (24, 25), False),
    ]


def test_people_of_a_small_team_have_a_column_each_and_of_a_large_one_only_the_user(store: Store) -> None:
    small = told(columns_of(store), "AssignedToID")
    others = [{"id": number, "name": f"p{number:02}"} for number in range(10, 9 + MAX_PEOPLE_COLUMNS)]
    put_nouns(store, user=[{"id": 3, "name": "zoe"}, {"id": 4, "name": "Bea"}, *others])
    large = told(columns_of(store), "AssignedToID")

    assert small == [("unassigned", (None,), False), ("Bea", (4,), False), ("zoe", (3,), False)]
    assert len(large) == MAX_PEOPLE_COLUMNS + 2
    assert [name for name, _, is_optional in large if not is_optional] == ["unassigned", "zoe"]


@pytest.mark.parametrize(
    ("with_done", "shown"), [(False, []), (True, [("Done", "Closed"), ("Deferred",)])], ids=["open", "all"]
)
def test_columns_of_what_is_over_are_shown_empty_only_among_all_items(
    store: Store, with_done: bool, shown: Sequence[tuple[str, ...]]
) -> None:
    columns = columns_of(store).planned("Status", with_done=with_done)
    started = [("Not Done",), ("In Progress", "Active"), ("Ready For Test",)]

    assert [each.values for each in columns if not each.is_optional] == [*started, *shown]
    assert [each.values for each in columns if each.is_collapsed] == [("Deferred",), ("Deleted",), (None,)]
    assert [each.name for each in columns if each.is_done] == ["Done"]
    assert [each.name for each in columns if not each.takes_cards] == ["no status"]


def test_columns_without_cards_give_way_and_unknown_values_get_their_own(store: Store) -> None:
    columns = columns_of(store)
    planned = columns.planned("IterationID", with_done=False)

    found = columns.with_found("IterationID", planned, [21, None, 77])

    assert [each.name for each in found[:-1]] == ["Backlog", "Over", "Part", "S1"]
    assert (found[-1].values, found[-1].takes_cards) == ((77,), True)
    assert [each.takes_cards for each in columns.with_found("Status", [], [None])] == [False]


def test_columns_of_the_settings_join_values_in_the_place_of_the_first(store: Store) -> None:
    joined = ColumnSettings("IterationID", ("later", "Part", "nonsense"), "Soon", limit=3)
    both = ColumnSettings("IterationID", ("backlog", "S1"), is_collapsed=True)
    nothing = ColumnSettings("IterationID", ("nonsense",), "Never")
    other = ColumnSettings("AssignedToID", ("zoe",), "Zoe's")
    columns = columns_of(store, joined, both, nothing, other)

    assert [
        (each.name, each.values, each.limit, each.is_collapsed, each.is_optional)
        for each in columns.planned("IterationID", with_done=False)
    ] == [
        ("Backlog", (20, None, 25), None, True, False),
        ("Over", (21,), None, False, True),
        ("Soon", (22, 23), 3, False, False),
        ("R1", (24,), None, False, True),
    ]
    assert [each.name for each in columns.planned("AssignedToID", with_done=False)] == ["unassigned", "Bea", "Zoe's"]


def test_limits_of_the_project_hold_before_those_of_this_machine(store: Store) -> None:
    doing = ColumnSettings("Status", ("In Progress",), "Doing", limit=9)
    waiting = ColumnSettings("Status", ("Ready For Test",), limit=7)
    columns = columns_of(store, doing, waiting)
    before = limits_in(columns)
    state_project(store, wipLimits={"In Progress": 4, "Not Done": 20})

    assert before == {"Doing": 9, "Ready For Test": 7}
    assert limits_in(columns) == {"Not Done": 20, "Doing": 4, "Ready For Test": 7}


def limits_in(columns: BoardColumns) -> dict[str, int]:
    return {each.name: each.limit for each in columns.planned("Status", with_done=False) if each.limit}
