"""Tests of the forecast: the examples of its definition."""

from datetime import date

import pytest
from tests.service.reports.histories import SPRINT, RecordedProject, cells, sprint_with, utc

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportUnit
from backlit.service.reports.forecast import sprints_needed

NOW = utc("20 Nov 12:00")
FORTNIGHTS = (("21 Sep", "4 Oct"), ("5 Oct", "18 Oct"), ("19 Oct", "1 Nov"))


def forecast(samples: list[float], maximum: float | None, remaining: float) -> ReportDocument:
    """Ask in a running sprint that holds what remains."""
    project = RecordedProject()
    for sprint, (dates, done) in enumerate(zip(FORTNIGHTS[-len(samples) :], samples, strict=True), 10):
        sprint_with(project, sprint, dates, done, 1)
    project.has_sprint(SPRINT, "16 Nov", "29 Nov", max_capacity=maximum)
    project.create(1, utc("1 Sep 10:00"), Estimate=f"{remaining:g}", IterationID=SPRINT)
    return project.report("forecast", NOW, unit=ReportUnit.POINTS)


@pytest.mark.parametrize(
    ("samples", "maximum", "remaining", "sprints"),
    [
        ([32, 24, 0], 20, 23, [3, 4]),
        ([20, 20, 20], None, 41, [3, 3]),
        ([32, 24, 30], None, 0, [0, 0]),
        ([0, 0, 0], None, 1, [None, None]),
        ([10, 20], None, 15, [None, None]),
    ],
)
def test_forecast_of_the_remaining_work(
    samples: list[float], maximum: float | None, remaining: float, sprints: list[CellValue]
) -> None:
    found = forecast(samples, maximum, remaining)

    assert found.columns == ("Confidence", "Points", "Sprints", "Ends")
    assert found.summary["remaining"] == remaining
    assert cells(found, "Sprints") == sprints


@pytest.mark.parametrize(
    ("samples", "maximum", "points"),
    [([32, 24, 0], None, [24, 0]), ([32, 24, 30], 20, [20, 20]), ([10, 20], None, [None, None])],
)
def test_forecast_of_one_sprint(samples: list[float], maximum: float | None, points: list[CellValue]) -> None:
    assert cells(forecast(samples, maximum, 10), "Points") == points


@pytest.mark.parametrize(
    ("samples", "note"),
    [([10.0, 20.0], "Too little history for a forecast (2 sprints, 3 needed)."), ([0.0] * 3, "No end in sight.")],
)
def test_forecast_says_why_it_has_none(samples: list[float], note: str) -> None:
    assert note in forecast(samples, None, 10).notes


def test_forecast_ends_with_the_sprints_not_closed_yet_and_then_with_more_of_their_length() -> None:
    found = forecast([20, 20, 20], None, 41)

    assert cells(found, "Ends") == [date(2026, 12, 27)] * 2


def test_sprints_needed_are_exact_for_amounts_of_tenths() -> None:
    assert sprints_needed([0.1, 0.1, 0.1], 0.3, (50, 85)) == [3, 3]
