"""Loads, capacities, velocity and what it foretells."""

from datetime import date

import pytest

from backlit.model.person_load import PersonLoad
from backlit.model.planning import (
    Capacity,
    CapacityFit,
    LoadPart,
    PersonalCapacity,
    PlannedLoad,
    Velocity,
    capacity_in_sprint,
    forecast,
    loads,
    shares_round,
)
from backlit.model.settings.user_settings import OwnCapacities
from backlit.model.working_days import WorkingDays


@pytest.mark.parametrize(
    ("least", "most", "amount", "fit"),
    [
        (30, 40, 29, CapacityFit.UNDER),
        (30, 40, 30, CapacityFit.WITHIN),
        (30, 40, 40, CapacityFit.WITHIN),
        (30, 40, 40.5, CapacityFit.OVER),
        (None, 40, 0, CapacityFit.WITHIN),
        (30, None, 99, CapacityFit.WITHIN),
        (30, None, 29, CapacityFit.UNDER),
        (None, 40, 41, CapacityFit.OVER),
        (30, 0, 99, CapacityFit.WITHIN),
        (0, 0, 99, CapacityFit.OPEN),
        (None, None, 99, CapacityFit.OPEN),
    ],
)
def test_a_load_is_under_within_or_over_a_capacity(
    least: float | None, most: float | None, amount: float, fit: CapacityFit
) -> None:
    assert Capacity(least, most).fit(amount) is fit


def test_overload_counts_from_the_maximum() -> None:
    assert Capacity(30, 40).over(43.5) == 3.5
    assert [Capacity(30, 40).over(amount) for amount in (0, 30, 40)] == [0, 0, 0]
    assert [Capacity(30, most).over(1_000) for most in (None, 0)] == [0, 0]


def test_points_of_items_and_hours_of_tasks_are_added_up_apart() -> None:
    parts = [
        LoadPart(7, 1, 5.0, team=4),
        LoadPart(7, 1, None, hours=4.0, is_task=True, team=4),
        LoadPart(7, 1, None, hours=2.0, is_task=True, is_done=True, team=4),
        LoadPart(7, 2, 3.0, is_done=True),
        *(LoadPart(7, None, None), LoadPart(7, None, None)),
        LoadPart(8, 1, 13.0),
        LoadPart(None, 1, 99.0),
    ]

    found = loads(parts)

    people: dict[int | None, PersonLoad] = {1: PersonLoad(5.0, 6.0), 2: PersonLoad(3.0)}
    teams: dict[int | None, PersonLoad] = {4: PersonLoad(5.0, 6.0), None: PersonLoad(3.0)}
    assert found[7] == PlannedLoad(count=4, points=8.0, done=3.0, unestimated=2, hours=6.0, people=people, teams=teams)
    assert found[8].points == 13.0
    assert set(found) == {7, 8}


def test_a_type_without_estimates_is_not_missing_one() -> None:
    assert loads([LoadPart(7, None, None, takes_estimate=False)])[7].unestimated == 0


def test_neither_done_items_nor_tasks_count_as_unestimated_or_as_points() -> None:
    done, task = LoadPart(7, None, None, is_done=True), LoadPart(7, None, 2.0, hours=1.0, is_task=True)

    found = loads([done, task])[7]

    assert (found.count, found.unestimated, found.points, found.hours) == (1, 0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("user", "iteration", "points"), [("jon", "Sprint 1", 4.0), ("jon", "Sprint 2", 8.0), ("maya", "Sprint 1", 5.0)]
)
def test_the_capacity_of_an_iteration_is_used_before_the_usual_one(user: str, iteration: str, points: float) -> None:
    capacities = OwnCapacities(
        {"jon": PersonLoad(8.0), "maya": PersonLoad(5.0)}, {"Sprint 1": {"jon": PersonLoad(4.0)}}
    )

    assert capacities.of(user, iteration) == PersonLoad(points)
    assert capacities.of("ada", iteration) is None


def test_loads_are_added_person_by_person() -> None:
    one = PlannedLoad(1, 5.0, people={1: PersonLoad(5.0)})
    other = PlannedLoad(2, 4.0, 4.0, 1, 2.0, people={1: PersonLoad(1.0, 2.0), None: PersonLoad(3.0)})

    assert one + other == PlannedLoad(3, 9.0, 4.0, 1, 2.0, people={1: PersonLoad(6.0, 2.0), None: PersonLoad(3.0)})


@pytest.mark.parametrize(("samples", "forecast"), [(3, 29.0), (2, 0.0)])
def test_a_forecast_takes_the_median_of_three_samples(samples: int, forecast: float) -> None:
    assert Velocity(29.0, 20.0, 0.0, 31.0, samples).forecast == forecast


@pytest.mark.parametrize(("start", "is_one_round"), [(8, True), (9, False)])
def test_sprints_that_share_half_of_the_days_of_the_shorter_one_are_a_round(start: int, is_one_round: bool) -> None:
    opening, other = (date(2026, 3, 1), date(2026, 3, 14)), (date(2026, 3, start), date(2026, 3, start + 13))

    assert shares_round(opening, other) is is_one_round


@pytest.mark.parametrize(
    ("points", "rooms", "stretches"),
    [
        ([5, 5, 5, 8, 3], [12, 12], [(0, 2), (1, 3)]),  # in the order of the backlog
        ([8, 3], [2.3, 12], [(1, 2)]),  # an item larger than the space that is left waits for a room with more
        ([8, 3], [2.3, 6, 12], [(2, 2)]),
        ([20, 5], [12, 12], [(0, 1), (1, 2)]),  # an item larger than a whole room takes one alone
        ([20, 5], [2.3, 12, 12], [(1, 1), (2, 2)]),
        ([5, 20, 5], [12, 12, 12], [(0, 1), (1, 2), (2, 3)]),
        ([5, 20], [12, 10], [(0, 1), (1, 2)]),  # no room after it has more space
        ([20], [2.3, 0, 9], [(2, 1)]),
        ([12, 5], [11, 10], []),  # an item as large as a whole room waits for one
        ([12, 5], [11, 12], [(1, 1)]),
        ([5, 5], [0, -3, 10], [(2, 2)]),  # a room that is full already takes nothing
        ([5, 0, 0, 5], [5, 5], [(0, 3), (1, 4)]),  # unestimated items follow the item before them
        ([20, 5], [0, -3, 0], []),
    ],
)
def test_forecast_fills_rooms_with_what_fits_into_them(
    points: list[float], rooms: list[float], stretches: list[tuple[int, int]]
) -> None:
    assert list(forecast(points, rooms, 12)) == stretches


def test_loads_add_up_by_person_and_by_team() -> None:
    one = PlannedLoad(1, 3.0, people={5: PersonLoad(3.0)}, teams={1: PersonLoad(3.0)})
    other = PlannedLoad(1, 2.0, people={6: PersonLoad(2.0)}, teams={1: PersonLoad(1.0), None: PersonLoad(1.0)})

    both = one + other

    assert (both.count, both.points) == (2, 5.0)
    assert both.people == {5: PersonLoad(3.0), 6: PersonLoad(2.0)}
    assert both.teams == {1: PersonLoad(4.0), None: PersonLoad(1.0)}


@pytest.mark.parametrize(
    ("usual", "own", "expected"),
    [
        (PersonalCapacity(points=10, days_off=frozenset({date(2026, 11, 3), date(2026, 11, 4)})), None, (8, None)),
        (PersonalCapacity(hours=60, days_off=frozenset({date(2026, 11, 16)})), None, (None, 60)),
        (
            PersonalCapacity(points=10, days_off=frozenset({date(2026, 11, number) for number in range(2, 7)})),
            PersonalCapacity(points=7),
            (7, None),
        ),
        (None, None, (None, None)),
    ],
    ids=["maya", "jon", "ada", "kofi"],
)
def test_capacity_of_a_sprint_of_ten_working_days(
    usual: PersonalCapacity | None, own: PersonalCapacity | None, expected: tuple[float | None, float | None]
) -> None:
    working = WorkingDays(days_off=frozenset({date(2026, 11, 16)})).between(date(2026, 11, 2), date(2026, 11, 16))

    found = capacity_in_sprint(usual, own, working)

    assert (found.points, found.hours) == expected
