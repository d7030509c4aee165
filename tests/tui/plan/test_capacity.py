"""Loads, capacities and the draft's effect in words, without a screen."""

from collections.abc import Mapping, Sequence

import pytest

from backlit.model.person_load import PersonLoad
from backlit.model.planning import Capacity, PersonalCapacity, PlannedLoad, Velocity
from backlit.model.settings.user_settings import OwnCapacities
from backlit.store.planning.draft import PlannedValue
from backlit.store.planning.plan import PlanChange
from backlit.store.records.people import IterationEntry
from backlit.tui.drawing.charts import capacity_words
from backlit.tui.plan.capacity import (
    IterationChangeCounts,
    PeopleCapacities,
    count_changes,
    over_limits,
    people_words,
    velocity_words,
)
from backlit.tui.widgets.side_lines import Word


def text_of(parts: Sequence[Word]) -> str:
    return "".join(text for text, *_ in parts)


def change(number: int, place: int, fields: Mapping[str, PlannedValue], item_type: str = "Story") -> PlanChange:
    return PlanChange(number, item_type, "x", None, place, fields, {})


def test_the_draft_counts_what_comes_goes_and_changes_in_each_iteration() -> None:
    move = PlannedValue(1, 2)
    found = count_changes(
        [
            change(1, 1, {"IterationID": move}),
            change(2, 1, {"IterationID": move, "Estimate": PlannedValue("1", "2")}),
            change(3, 2, {"Estimate": PlannedValue("1", "2")}),
            change(4, 2, {}),
            change(5, 1, {"IterationID": move}, "Task"),
        ]
    )

    assert found == {
        None: IterationChangeCounts(comes=2, altered=1),
        2: IterationChangeCounts(comes=2),
        1: IterationChangeCounts(goes=2),
    }


@pytest.mark.parametrize(
    ("shift", "words", "unsaved"),
    [
        (IterationChangeCounts(), "", "No unsaved moves"),
        (IterationChangeCounts(3, 1, 2), "+3 −1 ~2", "3 unsaved moves, 2 changes w save"),
        (IterationChangeCounts(comes=1), "+1", "1 unsaved move w save"),
        (IterationChangeCounts(goes=1), "−1", "No unsaved moves"),
        (IterationChangeCounts(altered=1), "~1", "1 unsaved change w save"),
    ],
)
def test_a_shift_is_told_by_signs_and_in_words(shift: IterationChangeCounts, words: str, unsaved: str) -> None:
    assert (shift.words(), text_of(shift.unsaved_words())) == (words, unsaved)


@pytest.mark.parametrize(
    ("points", "least", "most", "words"),
    [
        (5.0, None, None, "5 pts"),
        (1.0, None, None, "1 pt"),
        (1.0, 3.0, 5.0, "1 pt, capacity 3–5  2 under"),
        (5.0, None, 5.0, "5 pts, max 5"),
        (6.5, 3.0, 5.0, "6.5 pts, capacity 3–5  1.5 over"),
        (3.0, 3.0, None, "3 pts, min 3"),
        (2.0, 3.0, None, "2 pts, min 3  1 under"),
        (2.0, 3.0, 5.0, "2 pts, capacity 3–5  1 under"),
        (2.0, None, 0.0, "2 pts"),
    ],
)
def test_a_load_is_told_with_its_capacity(points: float, least: float | None, most: float | None, words: str) -> None:
    assert text_of(capacity_words(PlannedLoad(points=points), Capacity(least, most))) == words


def sprint(name: str) -> IterationEntry:
    return IterationEntry(1, name, f"Project\\{name}", None, None, None, None, is_release=False)


OWN = OwnCapacities({"maya": PersonLoad(5.0, 10.0), "jon": PersonLoad(3.0)}, {"Sprint 2": {"jon": PersonLoad(8.0)}})
PEOPLE = PeopleCapacities({1: "maya", 2: "jon"}, OWN, {})
LOAD = PlannedLoad(
    people={1: PersonLoad(5.0, 10.5), 2: PersonLoad(4.0, 1.0), 3: PersonLoad(9.0), None: PersonLoad(2.0)}
)


def test_people_over_their_limits_are_named() -> None:
    assert over_limits(LOAD, PEOPLE, sprint("Sprint 1")) == [
        "maya has 10.5 of 10 h (local limit)",
        "jon has 4 of 3 pts (local limit)",
    ]
    assert over_limits(LOAD, PEOPLE, sprint("Sprint 2")) == ["maya has 10.5 of 10 h (local limit)"]
    both = PlannedLoad(people={1: PersonLoad(6.0, 11.0)})
    assert over_limits(both, PEOPLE, sprint("Sprint 1")) == ["maya has 6 of 5 pts and 11 of 10 h (local limit)"]


def test_capacities_of_the_service_hold_for_everybody_and_0_is_one() -> None:
    said = {1: PersonalCapacity(points=0.0), 2: PersonalCapacity(hours=0.5)}
    people = PeopleCapacities({1: "maya", 2: "jon"}, OWN, {}, lambda _iteration: said)

    assert over_limits(LOAD, people, sprint("Sprint 1")) == ["maya has 5 of 0 pts", "jon has 1 of 0.5 h"]
    assert text_of(people_words(LOAD, people, sprint("Sprint 1"), 60)) == (
        "user 3 9 · maya 5/0 · jon 4 1/0.5 h · unassigned 2"
    )


@pytest.mark.parametrize(
    ("width", "words"),
    [
        (60, "user 3 9 · maya 5/5 10.5/10 h · jon 4/3 · unassigned 2"),
        (54, "user 3 9 · maya 5/5 10.5/10 h · jon 4/3 · unassigned 2"),
        (53, "user 3 9 · maya 5/5 10.5/10 h · jon 4/3 · 1 more"),
        (38, "user 3 9 · maya 5/5 10.5/10 h · 2 more"),
        (37, "user 3 9 · 3 more"),
        (12, "user 3 9 …"),
    ],
)
def test_as_many_people_are_told_as_fit_the_fullest_first(width: int, words: str) -> None:
    assert text_of(people_words(LOAD, PEOPLE, sprint("Sprint 1"), width)) == words


def test_of_people_with_equal_points_the_one_with_more_hours_is_the_fullest() -> None:
    load = PlannedLoad(people={1: PersonLoad(2.0, 1.0), 2: PersonLoad(2.0, 3.0)})

    assert text_of(people_words(load, PEOPLE, sprint("Sprint 9"), 60)) == "jon 2/3 · maya 2/5 1/10 h"


def test_briefly_the_limit_still_says_what_it_is() -> None:
    limits = [Capacity(2, 9), Capacity(2, None), Capacity(None, 9)]

    words = [text_of(capacity_words(PlannedLoad(points=4.0), each, is_brief=True)) for each in limits]

    assert words == ["4, capacity 2–9", "4, min 2", "4, max 9"]


def test_amounts_over_a_limit_have_their_own_colour() -> None:
    colours = dict(people_words(LOAD, PEOPLE, sprint("Sprint 1"), 60))

    assert (colours["5/5"], colours["10.5/10 h"], colours["4/3"], colours["9"]) == (
        *("foreground", "conflict"),
        *("conflict", "foreground"),
    )


@pytest.mark.parametrize(
    ("velocity", "words", "brief"),
    [
        (Velocity(is_known=False), "Velocity not known yet", "velocity not known yet"),
        (Velocity(), "No velocity yet: no closed sprint.", "no velocity yet"),
        (
            Velocity(29.0, 20.0, 0.0, 31.0, 3),
            "Velocity 29 pts (median of 3 sprints, 0–31; mean 20)",
            "velocity 29 pts a sprint",
        ),
        (
            Velocity(24.5, 24.2, 19.0, 28.0, 6),
            "Velocity 24.5 pts (median of 6 sprints, 19–28; mean 24.2)",
            "velocity 24.5 pts a sprint",
        ),
        (
            Velocity(45.0, 45.0, 45.0, 45.0, 2, is_of_rounds=True),
            "Velocity 45 pts (median of 2 rounds of parallel sprints, 45–45; mean 45)",
            "velocity 45 pts a sprint",
        ),
        (
            Velocity(1.0, 1.0, 1.0, 1.0, 1, is_of_machine=True),
            "Velocity 1 pt (median of 1 sprint, 1–1; mean 1 of this machine)",
            "velocity 1 pt a sprint of this machine",
        ),
    ],
)
def test_the_velocity_is_a_median_with_its_range_and_mean(velocity: Velocity, words: str, brief: str) -> None:
    assert text_of(velocity_words(velocity)) == words
    assert text_of(velocity_words(velocity, is_brief=True)) == brief
