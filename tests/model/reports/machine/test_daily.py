"""Burndown, burnup and scope change from records, against numbers computed by hand on a small history."""

from collections.abc import Callable
from datetime import date, datetime, timedelta, timezone

import pytest
from msgspec.structs import replace

from backlit.model.reports.document import FigureSource, ReportDocument
from backlit.model.reports.machine.daily import (
    SCOPE_NOTE,
    DayProgress,
    RecordedPeriod,
    ScopeFlow,
    burndown,
    burnup,
    flow_of,
    scope_change,
)
from backlit.model.reports.machine.documents import NO_HISTORY, MachineReport
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.trees import NodeTotals
from backlit.model.working_days import WorkingDays

MONDAY, FRIDAY = date(2026, 3, 2), date(2026, 3, 6)
NOON = datetime(2026, 3, 5, 12)


def day(number: int) -> date:
    return date(2026, 3, number)


def progress(number: int, scope: tuple[int, float], done: tuple[int, float]) -> DayProgress:
    return DayProgress(day(number), NodeTotals(*scope), NodeTotals(*done))


HISTORY = (
    progress(1, (7, 30.0), (0, 0.0)),
    progress(2, (8, 40.0), (0, 0.0)),
    progress(3, (8, 40.0), (2, 8.0)),
    progress(5, (9, 45.0), (5, 20.0)),
)
"""A five-day iteration seen on Thursday: nothing was recorded on Wednesday; Sunday is before it."""
PERIOD = RecordedPeriod(MONDAY, FRIDAY, HISTORY)
FLOWS = {
    day(3): ScopeFlow(came=NodeTotals(1, 5.0), went=NodeTotals(1, 5.0)),
    day(5): ScopeFlow(came=NodeTotals(2, 8.0), went=NodeTotals(1, 1.0), sized=-2.0),
}


def asked(name: ReportName, unit: ReportUnit = ReportUnit.POINTS) -> MachineReport:
    return MachineReport(name, "Sprint 9", unit, NOON)


@pytest.mark.parametrize(
    ("before", "after", "flow"),
    [
        (None, None, ScopeFlow()),
        (None, 3.0, ScopeFlow(came=NodeTotals(1, 3.0))),
        (3.0, None, ScopeFlow(went=NodeTotals(1, 3.0))),
        (3.0, 5.0, ScopeFlow(sized=2.0)),
        (3.0, 0.0, ScopeFlow(sized=-3.0)),
    ],
)
def test_an_item_comes_goes_or_changes_its_size(before: float | None, after: float | None, flow: ScopeFlow) -> None:
    assert flow_of(before, after) == flow


def test_a_burndown_is_what_remained_at_each_record() -> None:
    document = burndown(asked(ReportName.BURNDOWN), PERIOD)

    assert document.rows == [
        (day(2), 40.0, 0.0, 32.0),
        (day(3), 32.0, 8.0, pytest.approx(24.0)),
        (day(4), None, None, pytest.approx(16.0)),
        (day(5), 25.0, 20.0, pytest.approx(8.0)),
        (day(6), None, None, pytest.approx(0.0)),
    ]
    assert document.figure("behind") == pytest.approx(17.0)
    assert document.source is FigureSource.MACHINE
    assert list(document.notes) == [
        NO_HISTORY,
        "3 of 4 days were recorded.",
        "No data for 4 Mar (backlit was not running).",
    ]


def test_the_ideal_line_is_level_on_a_weekend() -> None:
    document = burndown(asked(ReportName.BURNDOWN), RecordedPeriod(MONDAY, day(8), HISTORY))

    assert document.numbers("Ideal")[-3:] == (0.0, 0.0, 0.0)


def test_the_ideal_line_falls_on_the_working_days_of_the_project() -> None:
    work = WorkingDays(frozenset({0, 1, 2, 5}), frozenset({day(3)}))
    report = replace(asked(ReportName.BURNDOWN), work=work)

    document = burndown(report, RecordedPeriod(MONDAY, day(8), HISTORY))

    # Monday, Wednesday and Saturday; Tuesday is a day off.
    assert document.numbers("Ideal") == pytest.approx((80 / 3, 80 / 3, 40 / 3, 40 / 3, 40 / 3, 0, 0))


def test_a_report_in_the_zone_of_the_project_has_its_day_and_says_so() -> None:
    now = datetime(2026, 3, 5, 1, tzinfo=timezone(timedelta(hours=1)))
    report = replace(asked(ReportName.BURNDOWN), now=now, zone="Europe/Berlin")

    document = burndown(report, PERIOD)

    assert (document.time_zone, document.as_of) == ("Europe/Berlin", datetime(2026, 3, 5, 0))
    assert document.today == date(2026, 3, 5)


def test_a_period_has_no_ideal_line() -> None:
    document = burndown(asked(ReportName.BURNDOWN), replace(PERIOD, is_period=True))

    assert document.columns == ("Day", "Remaining", "Done")
    assert document.figure("behind") is None


def test_a_burnup_is_what_was_done_at_each_record() -> None:
    document = burnup(asked(ReportName.BURNUP, ReportUnit.ITEMS), PERIOD)

    assert document.rows[:3] == [(day(2), 0.0, 8.0, 0.0), (day(3), 2.0, 8.0, 25.0), (day(4), None, None, None)]
    assert document.figure("scope") == 9.0


def test_a_scope_change_knows_causes_where_the_log_explains_the_change() -> None:
    with_flows = scope_change(asked(ReportName.SCOPE), replace(PERIOD, flows=FLOWS))
    without = scope_change(asked(ReportName.SCOPE), PERIOD)

    assert with_flows.rows[1] == (day(3), 40.0, 0.0, 5.0, None, 5.0, 0.0, None, None, 8)
    assert with_flows.rows[3] == (day(5), 45.0, 5.0, 8.0, None, 1.0, -2.0, None, None, 9)
    assert (with_flows.figure("added"), with_flows.figure("movedOut")) == (13.0, 6.0)
    assert SCOPE_NOTE in with_flows.notes
    assert [row[2:7] for row in without.rows[3:4]] == [(5.0, None, None, None, None)]
    assert without.figure("added") is None


@pytest.mark.parametrize("make", [burndown, burnup, scope_change])
def test_a_report_without_a_record_has_a_row_for_each_day(
    make: Callable[[MachineReport, RecordedPeriod], ReportDocument],
) -> None:
    document = make(asked(ReportName.BURNDOWN), RecordedPeriod(MONDAY, FRIDAY, ()))

    assert [row[1] for row in document.rows] == [None] * 5
    assert all(value is None for value in document.summary.values())
