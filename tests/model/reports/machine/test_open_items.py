"""Age, estimates and loads of the local copy."""

from datetime import date, datetime

from backlit.model.reports.document import FigureSource
from backlit.model.reports.machine.documents import MachineReport
from backlit.model.reports.machine.open_items import (
    EstimateCount,
    OpenWorkload,
    StatusStart,
    TimeInStatus,
    age,
    estimates,
    workload,
)
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.statuses import StatusGroup
from backlit.model.trees import NodeTotals


def asked(name: ReportName) -> MachineReport:
    return MachineReport(name, "Sprint 9", ReportUnit.POINTS, datetime(2026, 3, 12, 12))


def test_ages_have_the_oldest_first_and_say_which_are_at_least_so_old() -> None:
    before = (StatusStart(date(2026, 3, 1), "In Progress"),)
    stays = [
        TimeInStatus(2, "Ship", "In Progress", "jon", date(2026, 3, 11)),
        TimeInStatus(1, "Pay", "Blocked", None, date(2026, 3, 2), True, "Story", date(2026, 2, 1), before),
    ]

    document = age(asked(ReportName.AGE), stays)

    assert [row[:5] for row in document.rows] == [(10, 1, "Pay", "Blocked", None), (1, 2, "Ship", "In Progress", "jon")]
    assert document.summary == {"items": 2, "oldest": 10}
    assert list(document.notes) == ["1 item is at least this old: this machine did not see the change of status."]
    assert [(step["id"], step["status"]) for step in document.details] == [
        *((1, None), (1, "In Progress"), (1, "Blocked")),
        (2, "In Progress"),
    ]


def test_estimates_have_small_ones_first_and_those_without_a_number_last() -> None:
    sizes = [
        EstimateCount(None, True, 1),
        EstimateCount(None, False, 1),
        EstimateCount(8.0, True, 1),
        EstimateCount(2.0, True, 1),
    ]

    document = estimates(asked(ReportName.ESTIMATES), sizes)

    assert document.rows == [
        (2.0, 1, 2.0, 25.0),
        (8.0, 1, 8.0, 25.0),
        ("not set", 1, 0.0, 25.0),
        ("no number", 1, 0.0, 25.0),
    ]
    assert document.source is FigureSource.NOW


def test_loads_are_the_sums_of_their_groups() -> None:
    jon = OpenWorkload("jon", {StatusGroup.IN_PROGRESS: NodeTotals(1, 5.0)}) + OpenWorkload(
        "jon", {StatusGroup.IN_PROGRESS: NodeTotals(1, 3.0), StatusGroup.NOT_STARTED: NodeTotals(2, 1.0)}, 4.0
    )

    document = workload(asked(ReportName.PEOPLE), [OpenWorkload("nobody"), jon])

    assert document.rows == [("jon", 9.0, 4, 4.0)]
    assert document.summary == {"points": 9.0, "items": 4, "hours": 4.0}
    assert list(document.details) == [
        {"person": "jon", "group": "in progress", "points": 8.0, "items": 2},
        {"person": "jon", "group": "not started", "points": 1.0, "items": 2},
    ]
