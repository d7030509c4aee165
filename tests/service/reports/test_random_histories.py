"""Every figure of random histories equals that of a second, slow computation from the list of events."""

from collections.abc import Iterator, Sequence
from itertools import product

import pytest
from tests.service.reports.comparisons import differences, expected_of, figures, velocity_of
from tests.service.reports.histories import BLUE, RED
from tests.service.reports.random_project import IN_RELEASE, RELEASE, RandomProject
from tests.service.reports.sprint_by_sprint import SprintBySprint

from backlit.model.reports.names import ReportName, ReportUnit

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
        expected = [*expected_of(slow, unit, BACKLOG_DAYS), *(() if unit is ReportUnit.HOURS else velocity_of(slow))]
        for each in expected:
            days = BACKLOG_DAYS if coverage is None and each.report is not ReportName.CYCLE_TIME else None
            document = project.report(each.report, project.now, coverage, team=team, unit=unit, days=days)
            yield (
                f"{each.report} ({each.what}) of {coverage}, team {team}, in {unit}",
                each.read(document),
                each.figures,
            )


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
