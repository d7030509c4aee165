"""Velocity from records, against numbers computed by hand."""

from datetime import date, datetime, timedelta

import pytest

from backlit.model.reports.machine.daily import DayProgress
from backlit.model.reports.machine.documents import MachineReport
from backlit.model.reports.machine.velocity import IterationRecord, last_day_of_work, velocity
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.trees import NodeTotals
from backlit.model.working_days import WorkingDays

TODAY = date(2026, 3, 25)
REPORT = MachineReport(ReportName.VELOCITY, "Shop", ReportUnit.POINTS, datetime(2026, 3, 25, 12))


def progress(day: date, scope: float, done: float) -> DayProgress:
    return DayProgress(day, NodeTotals(int(scope > 0), scope), NodeTotals(int(done > 0), done))


def run(number: int, committed: float, scope: float, done: float, *, is_recorded: bool = True) -> IterationRecord:
    """A week that ended so many weeks ago."""
    end = TODAY - timedelta(days=7 * number)
    days = (progress(end - timedelta(6), committed, 0.0), progress(end, scope, done)) if is_recorded else ()
    return IterationRecord(f"Sprint {9 - number}", end - timedelta(6), end, days, progress(TODAY, scope, done))


def test_a_velocity_is_the_median_of_the_recorded_ends() -> None:
    document = velocity(
        REPORT, [run(4, 30, 31, 31), run(3, 30, 29, 29), run(2, 9, 9, 0), run(1, 9, 9, 9, is_recorded=False)]
    )

    assert document.rows[0] == ("Sprint 5", 30.0, 1.0, 31.0, 0.0, None, TODAY - timedelta(28))
    assert document.rows[3][:3] == ("Sprint 8", None, None)
    assert (document.figure("median"), document.figure("mean"), document.figure("sprints")) == (29.0, 20.0, 3.0)
    assert "From this machine's records of 3 of 4 ended sprints." in document.notes


def test_a_sprint_that_was_always_empty_and_one_that_runs_are_no_samples() -> None:
    document = velocity(REPORT, [run(2, 0, 0, 0), run(1, 31, 31, 31), run(0, 20, 20, 12)])

    assert (document.figure("median"), document.figure("sprints")) == (31.0, 1.0)
    assert [each["samples"] for each in document.details] == [0, 1, 0]


def test_carried_over_work_remains() -> None:
    moved = IterationRecord(
        "Sprint 8", TODAY, TODAY, (progress(TODAY, 5, 5),), progress(TODAY, 5, 5), NodeTotals(1, 8.0)
    )

    assert velocity(REPORT, [moved]).rows[0][1:5] == (5.0, 8.0, 5.0, 8.0)


@pytest.mark.parametrize(("end", "last"), [(13, 13), (14, 13), (15, 13), (16, 16)])
def test_the_last_day_of_work_is_no_weekend(end: int, last: int) -> None:
    assert last_day_of_work(date(2026, 3, 2), date(2026, 3, end), WorkingDays()) == date(2026, 3, last)


def test_the_last_day_of_work_is_one_of_the_project_and_the_end_where_nobody_works() -> None:
    start, end = date(2026, 3, 9), date(2026, 3, 15)
    sundays_off = WorkingDays(frozenset(range(6)), frozenset({date(2026, 3, 14)}))

    assert last_day_of_work(start, end, sundays_off) == date(2026, 3, 13)
    assert last_day_of_work(start, end, WorkingDays(frozenset())) == end
