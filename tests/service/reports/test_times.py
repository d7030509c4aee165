"""Tests of cumulative flow, cycle and lead time, and age: the examples of their definition."""

from collections.abc import Callable

import pytest
from tests.service.reports.histories import SPRINT, RecordedProject, cells, local, row_of, utc

from backlit.model.statuses import StatusGroup
from backlit.service.reports.cycle_time import percentile

NOW = utc("30 Nov 11:30")
GROUPS = {"Blocked": StatusGroup.IN_PROGRESS, "Parked": StatusGroup.EXCLUDED, "Accepted": StatusGroup.DONE}


def project() -> RecordedProject:
    found = RecordedProject(groups=GROUPS)
    found.has_sprint(SPRINT, "2 Nov", "6 Nov")
    return found


def worked(p: RecordedProject) -> None:
    p.create(1, utc("2 Nov 08:00"), IterationID=SPRINT)
    p.change(1, utc("3 Nov 08:00"), Status="In Progress")
    p.change(1, utc("5 Nov 20:00"), Status="Done")


def reopened(p: RecordedProject) -> None:
    worked(p)
    p.change(1, utc("6 Nov 08:00"), Status="Not Done")
    p.change(1, utc("7 Nov 08:00"), Status="Done")


def started_again(p: RecordedProject) -> None:
    p.create(1, utc("2 Nov 08:00"), IterationID=SPRINT)
    p.change(1, utc("3 Nov 08:00"), Status="In Progress")
    p.change(1, utc("4 Nov 08:00"), Status="Not Done")
    p.change(1, utc("5 Nov 08:00"), Status="In Progress")
    p.change(1, utc("5 Nov 20:00"), Status="Done")


def never_started(p: RecordedProject) -> None:
    p.create(1, utc("2 Nov 08:00"), IterationID=SPRINT)
    p.change(1, utc("5 Nov 20:00"), Status="Done")


@pytest.mark.parametrize(
    ("script", "cycle", "lead"),
    [
        (worked, 2.5, 3.5),
        (reopened, 4, 5),
        (started_again, 2.5, 3.5),
        (never_started, None, 3.5),
        (lambda p: p.create(1, utc("2 Nov 08:00"), IterationID=SPRINT, Status="Done"), None, 0),
        (
            lambda p: p.create(1, utc("2 Nov 08:00"), IterationID=SPRINT, Status="Done", splitFrom=7),
            None,
            None,
        ),
    ],
    ids=["worked on", "reopened", "started again", "never started", "imported as done", "part of a split"],
)
def test_cycle_and_lead_time(
    script: Callable[[RecordedProject], None], cycle: float | None, lead: float | None
) -> None:
    recorded = project()
    script(recorded)

    found = recorded.report("cycle-time", NOW)

    assert found.columns == ("ID", "Item", "Type", "Started", "Done", "Cycle", "Lead")
    assert cells(found, "Cycle") == [cycle]
    assert cells(found, "Lead") == [lead]


def test_cycle_time_has_no_row_for_what_was_done_and_then_deferred() -> None:
    recorded = project()
    worked(recorded)
    recorded.change(1, utc("7 Nov 08:00"), Status="Parked")

    assert recorded.report("cycle-time", NOW).rows == []


def test_cycle_time_of_the_last_days_has_what_became_done_in_them() -> None:
    recorded = project()
    worked(recorded)
    recorded.change(1, utc("6 Nov 08:00"), Name="Renamed")

    assert len(recorded.report("cycle-time", utc("6 Nov 12:00"), None, days=2).rows) == 1
    assert recorded.report("cycle-time", utc("7 Nov 12:00"), None, days=2).rows == []


def test_cycle_time_of_what_was_there_when_the_history_began_is_unknown() -> None:
    recorded = project()
    worked(recorded)
    recorded.since = utc("4 Nov 00:00")

    found = recorded.report("cycle-time", NOW)

    assert cells(found, "Cycle") == [None]
    assert cells(found, "Lead") == [3.5]


@pytest.mark.parametrize(("confidence", "expected"), [(50, 3), (85, 10), (95, 10)])
def test_percentile_is_the_nearest_rank(confidence: int, expected: float) -> None:
    assert percentile([10, 1, 3, 2, 4], confidence) == expected


def test_age_counts_from_the_last_change_of_status_alone() -> None:
    recorded = project()
    recorded.create(1, utc("1 Nov 08:00"), AssignedToID=1)
    recorded.change(1, utc("20 Nov 08:00"), Status="Blocked")
    recorded.change(1, utc("25 Nov 08:00"), BacklogPriority=3.0, AssignedToID=2, IterationID=SPRINT)

    found = recorded.report("age", NOW, None)

    assert found.columns == ("Days", "ID", "Item", "Status", "Owner", "Since")
    assert row_of(found, 10)["Status"] == "Blocked"
    assert row_of(found, 10)["Owner"] == "jon"
    assert found.notes == ("#1 has been Blocked for 10 days (since 20 Nov).",)


def test_age_counts_days_of_the_project() -> None:
    recorded = project()
    recorded.create(1, local("29 Nov 12:00"))
    recorded.change(1, local("29 Nov 23:30"), Status="In Progress")

    assert cells(recorded.report("age", local("30 Nov 00:10"), None), "Days") == [1]


def test_renamed_status_keeps_its_age() -> None:
    recorded = project()
    recorded.create(1, utc("1 Nov 08:00"))
    recorded.change(1, utc("20 Nov 08:00"), Status="Stalled")
    recorded.change(1, utc("25 Nov 08:00"), Status="Blocked", is_rename=True)

    assert cells(recorded.report("age", NOW, None), "Days") == [10]


def test_earlier_statuses_have_the_meaning_of_their_new_names() -> None:
    recorded = project()
    recorded.create(1, utc("1 Nov 08:00"), IterationID=SPRINT)
    recorded.change(1, utc("3 Nov 08:00"), Status="Stalled")
    recorded.change(1, utc("25 Nov 08:00"), Status="Blocked", is_rename=True)

    assert cells(recorded.report("cumulative-flow", NOW), "In progress") == [0, 1, 1, 1, 1]


def test_age_of_what_was_there_when_the_history_began_is_at_least_as_old() -> None:
    recorded = project()
    recorded.create(1, utc("1 Nov 08:00"), Status="Blocked")
    recorded.since = utc("20 Nov 08:00")

    found = recorded.report("age", NOW, None)

    assert cells(found, "Days") == [10]
    assert "#1 has been Blocked for 10 days or more." in found.notes


def test_cumulative_flow_has_the_items_of_each_group_by_day() -> None:
    recorded = project()
    recorded.create(1, utc("1 Nov 08:00"), Estimate="5", IterationID=SPRINT)
    recorded.create(2, utc("1 Nov 08:00"), Estimate="3", IterationID=SPRINT, Status="Limbo")
    recorded.change(1, local("3 Nov 08:00"), Status="Blocked")
    recorded.change(1, local("4 Nov 08:00"), Status="Ready For Test")
    recorded.change(1, local("5 Nov 08:00"), Status="Accepted")
    recorded.change(2, local("6 Nov 08:00"), Status="Parked")

    found = recorded.report("cumulative-flow", NOW)

    assert found.unit == "items"
    assert found.columns == ("Day", "Not started", "In progress", "Ready for test", "Done")
    assert [row[1:] for row in found.rows] == [(2, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (1, 0, 0, 1), (0, 0, 0, 1)]
