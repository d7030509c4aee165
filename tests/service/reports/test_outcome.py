"""Tests of commitment, end, done, spill-over, late and change of a sprint: the examples of their definition."""

from collections.abc import Callable
from datetime import date, datetime
from typing import Any

import pytest
from msgspec.structs import replace
from tests.service.reports.histories import NEXT, ROOT, SPRINT, RecordedProject, day, local, utc

from backlit.service.reports.outcome import SprintOutcome, outcome_of

ScriptOfEvents = Callable[[RecordedProject], object]
NOW = utc("20 Nov 12:00")


def project_with_sprint(**more: Any) -> RecordedProject:
    project = RecordedProject()
    project.has_sprint(SPRINT, "2 Nov", "15 Nov", **more)
    project.has_sprint(NEXT, "16 Nov", "29 Nov")
    return project


def outcome(project: RecordedProject, now: datetime = NOW) -> SprintOutcome:
    context = project.context(now)
    return outcome_of(project.iterations[SPRINT], context)


def plan_three(project: RecordedProject) -> None:
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    project.create(2, utc("2 Nov 15:00"), Estimate="3", IterationID=SPRINT)
    project.create(3, utc("3 Nov 08:00"), Estimate="2", IterationID=SPRINT)


def test_committed_is_the_scope_at_the_end_of_the_first_day() -> None:
    project = project_with_sprint()
    plan_three(project)

    assert outcome(project).committed == 8


def test_committed_waits_for_the_first_working_day() -> None:
    project = project_with_sprint()
    project.calendar = replace(project.calendar, days_off=frozenset({day("2 Nov")}))
    plan_three(project)

    assert outcome(project).committed == 10


def test_committed_is_the_scope_at_the_start_event() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    start = project.moment(utc("2 Nov 10:00"))
    project.create(2, utc("2 Nov 15:00"), Estimate="3", IterationID=SPRINT)
    project.create(3, utc("3 Nov 08:00"), Estimate="2", IterationID=SPRINT)
    project.iterations[SPRINT] = replace(project.iterations[SPRINT], started=start)

    assert outcome(project).committed == 5


def test_committed_is_that_of_the_first_day_where_nobody_works() -> None:
    project = project_with_sprint()
    project.calendar = replace(project.calendar, working_days=frozenset())
    plan_three(project)

    assert outcome(project).committed == 8


@pytest.mark.parametrize(
    ("change", "committed"),
    [
        ({"Estimate": "8"}, 8),
        ({"Status": "Done"}, 5),
        ({"Status": "Deferred"}, 0),
        (None, 0),
    ],
    ids=["re-estimated", "done", "deferred", "deleted"],
)
def test_committed_follows_the_planning_of_the_first_day(change: dict[str, Any] | None, committed: float) -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    if change is None:
        project.remove(1, utc("2 Nov 09:00"))
    else:
        project.change(1, utc("2 Nov 09:00"), **change)

    assert outcome(project).committed == committed


def test_committed_is_nothing_with_feedback_and_tasks_alone() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), type="Feedback", Status=None, IterationID=SPRINT)
    project.create(2, utc("30 Oct 10:00"), type="Task", IterationID=SPRINT)

    assert outcome(project).committed == 0


def done(item_id: int, at: datetime) -> ScriptOfEvents:
    return lambda project: project.change(item_id, at, Status="Done")


def moved(at: datetime, goal: int) -> ScriptOfEvents:
    return lambda project: project.change(1, at, IterationID=goal)


def reopened(at: datetime) -> ScriptOfEvents:
    return lambda project: project.change(2, at, Status="In Progress")


def split(at: datetime) -> ScriptOfEvents:
    def run(project: RecordedProject) -> None:
        project.create(9, at, Estimate="3", Status="Done", IterationID=SPRINT, splitFrom=1)
        project.change(1, at, Estimate="5", IterationID=NEXT)

    return run


def closed(at: datetime) -> ScriptOfEvents:
    def run(project: RecordedProject) -> None:
        project.iterations[SPRINT] = replace(project.iterations[SPRINT], closed=project.moment(at))

    return run


def added(project: RecordedProject) -> None:
    project.create(3, local("11 Nov 10:00"), Estimate="2", IterationID=SPRINT)
    project.change(3, local("12 Nov 10:00"), Status="Done")


B_DONE = done(2, local("10 Nov 10:00"))
MONDAY = local("16 Nov 09:30")


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        ([done(2, local("15 Nov 23:59"))], (5, 8, 0, 0)),
        ([done(2, local("16 Nov 00:15"))], (0, 13, 5, 0)),
        ([done(2, MONDAY), closed(MONDAY)], (5, 8, 0, 0)),
        ([done(2, local("10 Nov 10:00")), reopened(local("13 Nov 10:00"))], (0, 13, 0, 0)),
        ([B_DONE, reopened(local("17 Nov 10:00"))], (5, 8, 0, 0)),
        ([B_DONE, moved(local("13 Nov 10:00"), NEXT)], (5, 8, 0, 0)),
        ([B_DONE, moved(local("12 Nov 23:59"), NEXT)], (5, 0, 0, -8)),
        ([B_DONE, moved(local("13 Nov 10:00"), ROOT)], (5, 0, 0, -8)),
        ([B_DONE, moved(MONDAY, NEXT)], (5, 8, 0, 0)),
        ([B_DONE, split(MONDAY)], (8, 5, 0, 0)),
        ([B_DONE, closed(MONDAY), split(MONDAY)], (8, 5, 0, 0)),
        ([B_DONE, split(local("13 Nov 16:00"))], (8, 5, 0, 0)),
        ([B_DONE, added], (7, 8, 0, 2)),
        ([closed(local("13 Nov 16:00")), done(2, local("14 Nov 10:00"))], (0, 13, 5, 0)),
    ],
    ids=[
        "on the last minute",
        "after the end",
        "in the rollover that closes",
        "reopened before the end",
        "reopened after the end",
        "rolled over on the last working day",
        "moved on the day before",
        "moved to the backlog",
        "rolled over after the end",
        "split after the end",
        "split after a close of the same moment",
        "split on the last working day",
        "added and done",
        "done after the close",
    ],
)
def test_outcome_of_a_sprint(script: list[ScriptOfEvents], expected: tuple[float, float, float, float]) -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="8", IterationID=SPRINT)
    project.create(2, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    for step in script:
        step(project)

    found = outcome(project)

    assert found.committed == 13
    assert (found.done, found.remaining, found.late, found.change) == expected


def test_rolled_over_item_that_came_back_stands_once() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="8", IterationID=SPRINT)
    project.change(1, local("13 Nov 10:00"), IterationID=NEXT)
    project.change(1, local("13 Nov 11:00"), IterationID=SPRINT)

    assert outcome(project).remaining == 8


def test_item_that_was_done_elsewhere_counts_and_is_named() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="8", Status="Done")
    project.change(1, local("5 Nov 10:00"), IterationID=SPRINT)

    found = outcome(project)

    assert found.done == 8
    assert [item.id for item in found.done_before] == [1]


def test_close_after_the_end_date_prolongs_the_sprint() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="8", IterationID=SPRINT)
    project.change(1, local("17 Nov 10:00"), Status="Done")
    closed(local("17 Nov 11:00"))(project)

    assert outcome(project).done == 8
    assert outcome(project, local("17 Nov 10:30")).done == 8


def test_sprint_before_the_history_has_the_figures_of_now() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="8", IterationID=SPRINT)
    project.change(1, local("18 Nov 10:00"), Status="Done")
    project.since = utc("17 Nov 00:00")

    found = outcome(project)

    assert not found.is_seen
    assert found.committed is None
    assert found.done == 8
    assert found.late == 0


def test_history_that_begins_in_the_sprint_has_its_outcome_but_no_commitment() -> None:
    project = project_with_sprint()
    project.create(1, utc("30 Oct 10:00"), Estimate="8", IterationID=SPRINT)
    project.change(1, local("11 Nov 10:00"), Estimate="5")
    project.change(1, local("13 Nov 10:00"), Status="Done")
    project.since = utc("12 Nov 00:00")

    found = outcome(project)

    assert found.is_seen
    assert found.committed is None
    assert found.change is None
    assert found.done == 5


@pytest.mark.parametrize(
    ("at", "zone", "expected"),
    [
        ("24 Oct 22:30", "Europe/Berlin", date(2026, 10, 25)),
        ("25 Oct 22:30", "Europe/Berlin", date(2026, 10, 25)),
        ("1 Nov 23:30", "Europe/Berlin", date(2026, 11, 2)),
        ("30 Nov 11:30", "Europe/Berlin", date(2026, 11, 30)),
        ("30 Nov 11:30", "Pacific/Kiritimati", date(2026, 12, 1)),
        ("30 Nov 11:30", "America/Los_Angeles", date(2026, 11, 30)),
    ],
)
def test_day_of_an_event_is_that_of_the_project(at: str, zone: str, expected: date) -> None:
    project = RecordedProject(zone)

    assert project.calendar.day_of(utc(at)) == expected


def test_day_on_which_clocks_change_has_25_hours() -> None:
    calendar = RecordedProject().calendar
    length = calendar.end_of(day("25 Oct")) - calendar.start_of(day("25 Oct"))

    assert length.total_seconds() == 25 * 3600
