"""Tests of workload, capacity and estimates: the examples of their definition."""

import pytest
from tests.service.reports.histories import SPRINT, RecordedProject, cells, row_of, utc

from backlit.model.planning import PersonalCapacity

NOW = utc("4 Nov 12:00")
MAYA, JON = 1, 2


def project(story_status: str = "Not Done") -> RecordedProject:
    recorded = RecordedProject()
    recorded.has_sprint(SPRINT, "2 Nov", "15 Nov")
    recorded.create(
        1, utc("1 Nov 08:00"), Estimate="5", AssignedToID=MAYA, AreaID=1, IterationID=SPRINT, Status=story_status
    )
    for item_id, owner, hours in ((2, JON, 4.0), (3, MAYA, 2.0)):
        recorded.create(
            item_id,
            utc("1 Nov 08:00"),
            type="Task",
            ParentID=1,
            AssignedToID=owner,
            AreaID=1,
            IterationID=SPRINT,
            WorkRemaining=hours,
        )
    return recorded


def test_people_have_the_points_of_their_items_and_the_hours_of_their_tasks() -> None:
    found = project().report("people", NOW)

    assert found.columns == ("Person", "Pts", "Items", "Hours")
    assert found.rows == [("jon", 0, 0, 4), ("maya", 5, 1, 2)]
    assert found.summary == {"points": 5, "items": 1, "hours": 6}


@pytest.mark.parametrize("status", ["Done", "Deferred"])
def test_people_have_nothing_of_a_story_that_is_not_open(status: str) -> None:
    assert project(status).report("people", NOW).rows == []


def test_work_without_an_owner_is_that_of_nobody() -> None:
    recorded = project()
    recorded.create(9, utc("2 Nov 08:00"), Estimate="3", IterationID=SPRINT)

    assert recorded.report("people", NOW).rows[-1] == ("unassigned", 3, 1, 0)


def test_people_over_their_capacity_are_named() -> None:
    recorded = project()
    recorded.change(2, utc("2 Nov 08:00"), WorkRemaining=60.0)
    recorded.usual_capacities = {JON: PersonalCapacity(8, 54)}

    found = recorded.report("people", NOW)

    assert found.columns == ("Person", "Pts", "Items", "Hours", "Capacity", "Hours capacity")
    assert row_of(found, "jon")["Hours capacity"] == 54
    assert row_of(found, "maya")["Capacity"] is None
    assert "jon 6 h over." in found.notes


def test_people_who_can_do_nothing_are_over_with_any_work() -> None:
    recorded = project()
    recorded.usual_capacities = {MAYA: PersonalCapacity(0)}

    assert "maya 5 pts over." in recorded.report("people", NOW).notes


def test_areas_have_the_work_below_them() -> None:
    assert project().report("areas", NOW).rows == [("Project", 5, 1, 6)]


def test_estimates_are_counted_by_number() -> None:
    recorded = project()
    for item_id, estimate in ((5, "5 pts"), (6, "2,5"), (7, "XL"), (8, None)):
        recorded.create(item_id, utc("2 Nov 08:00"), Estimate=estimate, IterationID=SPRINT)

    found = recorded.report("estimates", NOW)

    assert cells(found, "Estimate") == [2.5, 5, "not set", "no number"]
    assert cells(found, "Items") == [1, 2, 1, 1]
    assert cells(found, "% items") == [20, 40, 20, 20]
