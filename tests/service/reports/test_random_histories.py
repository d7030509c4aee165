"""Every figure of random histories equals that of a second, slow computation from the list of events."""

from collections.abc import Iterator, Sequence
from datetime import date, datetime
from itertools import product
from typing import Any

import pytest
from tests.service.reports.histories import BLUE, RED
from tests.service.reports.random_project import IN_RELEASE, RELEASE, RandomProject
from tests.service.reports.sprint_by_sprint import SprintBySprint

from backlit.model.reports.document import ReportDocument
from backlit.model.reports.names import ReportUnit

COVERAGES = (*IN_RELEASE, 13, 20, 21, RELEASE, None)
TEAMS = (None, RED, BLUE)
BACKLOG_DAYS = 20


Question = tuple[int | None, int | None, ReportUnit]
"""A coverage, a team and a unit."""
EVERY_QUESTION = tuple(product(COVERAGES, TEAMS, ReportUnit))


def comparisons(project: RandomProject, questions: Sequence[Question]) -> Iterator[tuple[str, object, object]]:
    """Return the name of each report and coverage with its figures, and those of the slow computation."""
    for coverage, team, unit in questions:
        slow = SprintBySprint(project, coverage, team, unit.value)
        for name, found, expected in of_question(project, slow, unit):
            yield f"{name} of {coverage}, team {team}, in {unit}", found, expected


def of_question(project: RandomProject, slow: SprintBySprint, unit: ReportUnit) -> Iterator[tuple[str, object, object]]:
    def ask(name: str, asked: ReportUnit | None = unit) -> ReportDocument:
        days = BACKLOG_DAYS if slow.coverage is None and name != "cycle-time" else None
        return project.report(name, project.now, slow.coverage, team=slow.team, unit=asked, days=days)

    yield "burndown", ask("burndown").rows, slow.burndown(BACKLOG_DAYS)
    if unit is ReportUnit.HOURS:
        return
    yield "burnup", ask("burnup").rows, slow.burnup(BACKLOG_DAYS)
    yield "scope", ask("scope").rows, slow.scope_change(BACKLOG_DAYS)
    yield "cumulative flow", ask("cumulative-flow").rows, slow.flow(BACKLOG_DAYS)
    summary, rows = slow.velocity()
    yield "velocity", list(ask("velocity").summary.values()), summary
    yield "velocity by sprint", ask("velocity").rows, rows
    everywhere = SprintBySprint(project, None, slow.team, slow.unit)
    yield "forecast", ask("forecast").rows, slow.forecast(everywhere.samples())
    if unit is ReportUnit.ITEMS:
        times, rows = slow.cycle_times()
        yield "percentiles", list(ask("cycle-time").summary.values()), times
        yield "cycle time", ask("cycle-time").rows, rows
        yield "age", ask("age").rows, slow.ages()
        people = {row[0]: list(row[1:4]) for row in ask("people").rows if any(row[1:4])}
        yield "people", people, {name: row for name, row in slow.people().items() if any(row)}
        yield "estimates", {row[0]: row[1] for row in ask("estimates").rows}, slow.estimates()


def figures(value: object) -> list[Any]:
    """Return the figures of a table one after the other."""
    if isinstance(value, dict):
        return [figure for key in sorted(value, key=str) for figure in (key, *figures(value[key]))]
    if isinstance(value, list | tuple):
        return [figure for each in value for figure in figures(each)]
    return [value]


def differences(name: str, found: list[Any], expected: list[Any]) -> list[str]:
    if len(found) != len(expected):
        return [f"{name}: {len(found)} figures, not {len(expected)}"]
    pairs = enumerate(zip(found, expected, strict=True))
    return [
        f"{name}, figure {number}: {one!r}, not {other!r}" for number, (one, other) in pairs if not same(one, other)
    ]


def same(one: object, other: object) -> bool:
    if isinstance(one, date | datetime | str) or one is None or not isinstance(other, int | float):
        return one == other
    return one == pytest.approx(other, abs=1e-9)


def compared(seed: int, questions: Sequence[Question]) -> tuple[int, list[str]]:
    """Return the number of figures compared, and those that differ."""
    project = RandomProject(seed)
    count, wrong = 0, []
    for name, found, expected in comparisons(project, questions):
        count += len(figures(expected))
        wrong += differences(name, figures(found), figures(expected))
    return count, wrong


@pytest.mark.parametrize(
    ("seed", "question"),
    [(1, (12, None, ReportUnit.HOURS)), pytest.param(2, (11, RED, ReportUnit.ITEMS), marks=pytest.mark.slow)],
)
def test_figures_of_one_question_equal_those_of_the_slow_computation(seed: int, question: Question) -> None:
    count, wrong = compared(seed, [question])

    assert wrong == []
    assert count > 0


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 42))
def test_every_figure_equals_that_of_the_slow_computation(seed: int) -> None:
    count, wrong = compared(seed, EVERY_QUESTION)

    assert wrong == []
    assert count > 20_000
