"""Figures of reports beside those of the slow computation."""

from collections.abc import Callable, Iterator
from datetime import date, datetime
from typing import Any, NamedTuple

import pytest
from tests.service.reports.sprint_by_sprint import SprintBySprint

from backlit.model.reports.document import ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit


class Expected(NamedTuple):
    """What a report has to show: its figures, and where they stand in its document."""

    report: ReportName
    what: str
    read: Callable[[ReportDocument], object]
    figures: object


def expected_of(
    slow: SprintBySprint, unit: ReportUnit, days: int, *, times_of: int | None = None
) -> Iterator[Expected]:
    """Return what reports show of a coverage, a team and a unit; `days` count where the coverage is everything.

    `times_of` is the number of days whose cycle times are asked for, None for all.
    """
    yield Expected(ReportName.BURNDOWN, "rows", _rows, slow.burndown(days))
    if unit is ReportUnit.HOURS:
        return
    yield Expected(ReportName.BURNUP, "rows", _rows, slow.burnup(days))
    yield Expected(ReportName.SCOPE, "rows", _rows, slow.scope_change(days))
    yield Expected(ReportName.CUMULATIVE_FLOW, "rows", _rows, slow.flow(days))
    everywhere = SprintBySprint(slow.project, None, slow.team, slow.unit)
    yield Expected(ReportName.FORECAST, "rows", _rows, slow.forecast(everywhere.samples()))
    if unit is ReportUnit.ITEMS:
        times, rows = slow.cycle_times(times_of)
        yield Expected(ReportName.CYCLE_TIME, "summary", _summary, times)
        yield Expected(ReportName.CYCLE_TIME, "rows", _rows, rows)
        yield Expected(ReportName.AGE, "rows", _rows, slow.ages())
        people = {name: row for name, row in slow.people().items() if any(row)}
        yield Expected(ReportName.PEOPLE, "rows", _loads, people)
        yield Expected(ReportName.ESTIMATES, "rows", _numbers, slow.estimates())


def velocity_of(slow: SprintBySprint) -> Iterator[Expected]:
    summary, rows = slow.velocity()
    yield Expected(ReportName.VELOCITY, "summary", _summary, summary)
    yield Expected(ReportName.VELOCITY, "rows", _rows, rows)


def _rows(document: ReportDocument) -> object:
    return document.rows


def _summary(document: ReportDocument) -> object:
    return list(document.summary.values())


def _loads(document: ReportDocument) -> object:
    return {row[0]: list(row[1:4]) for row in document.rows if any(row[1:4])}


def _numbers(document: ReportDocument) -> object:
    return {row[0]: row[1] for row in document.rows}


def figures(value: object) -> list[Any]:
    """Return the figures of a table one after the other."""
    if isinstance(value, dict):
        return [figure for key in sorted(value, key=str) for figure in (key, *figures(value[key]))]
    if isinstance(value, list | tuple):
        return [figure for each in value for figure in figures(each)]
    return [value]


def differences(name: str, found: list[Any], expected: list[Any], days: float = 1e-9) -> list[str]:
    """Return the figures that differ, numbers and times by more than so many (days)."""
    if len(found) != len(expected):
        return [f"{name}: {len(found)} figures, not {len(expected)}: {found}, not {expected}"]
    pairs = enumerate(zip(found, expected, strict=True))
    return [
        f"{name}, figure {number}: {one!r}, not {other!r}"
        for number, (one, other) in pairs
        if not _is_same(one, other, days)
    ]


def _is_same(one: object, other: object, days: float) -> bool:
    if isinstance(other, datetime):
        one = datetime.fromisoformat(one) if isinstance(one, str) else one
        assert isinstance(one, datetime)
        return abs((one - other).total_seconds()) <= days * 86400
    if isinstance(one, date | str) or one is None or not isinstance(other, int | float):
        return one == other
    return bool(one == pytest.approx(other, abs=days))
