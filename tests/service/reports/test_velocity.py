"""Tests of velocity: the examples of its definition."""

import pytest
from tests.service.reports.histories import BLUE, RED, RecordedProject, cells, sprint_with, utc

from backlit.model.reports.document import CellValue, ReportDocument

NOW = utc("20 Nov 12:00")
FORTNIGHTS = (("21 Sep", "4 Oct"), ("5 Oct", "18 Oct"), ("19 Oct", "1 Nov"))
WEEKS = (
    *(("21 Sep", "27 Sep"), ("28 Sep", "4 Oct"), ("5 Oct", "11 Oct"), ("12 Oct", "18 Oct")),
    *(("19 Oct", "25 Oct"), ("26 Oct", "1 Nov"), ("2 Nov", "8 Nov")),
)


def project_with(sprints: list[tuple[tuple[str, str], float | None, int]]) -> RecordedProject:
    project = RecordedProject()
    for sprint, (dates, done, team) in enumerate(sprints, 10):
        sprint_with(project, sprint, dates, done, team)
    return project


def velocity(project: RecordedProject, team: int | None = None) -> ReportDocument:
    return project.report("velocity", NOW, None, team=team)


def of_one_team(dates: tuple[tuple[str, str], ...], done: list[float | None]) -> RecordedProject:
    return project_with([(span, amount, RED) for span, amount in zip(dates, done, strict=False)])


TWO_TEAMS = project_with(
    [
        (("19 Oct", "1 Nov"), 32, RED),
        (("26 Oct", "8 Nov"), 13, BLUE),
        (("2 Nov", "15 Nov"), 24, RED),
        (("9 Nov", "22 Nov"), 21, BLUE),
    ]
)


@pytest.mark.parametrize(
    ("project", "team", "expected"),
    [
        (of_one_team(FORTNIGHTS, [31, 29, 0]), None, (20, 29, 0, 31, 3)),
        (of_one_team(FORTNIGHTS, [31, 29, None]), None, (30, 30, 29, 31, 2)),
        (of_one_team((("19 Oct", "1 Nov"), ("16 Nov", "29 Nov")), [31, 12]), None, (31, 31, 31, 31, 1)),
        (of_one_team((("16 Nov", "29 Nov"),), [12]), None, (None, None, None, None, 0)),
        (of_one_team(WEEKS, [99, 10, 10, 10, 20, 20, 20]), None, (15, 15, 10, 20, 6)),
    ],
    ids=["one without done work", "one always empty", "one running", "none closed", "seven"],
)
def test_velocity_is_of_the_last_closed_sprints(
    project: RecordedProject, team: int | None, expected: tuple[CellValue, ...]
) -> None:
    summary = velocity(project, team).summary

    assert tuple(summary.values()) == expected


def test_velocity_of_parallel_sprints_is_that_of_their_rounds() -> None:
    found = TWO_TEAMS.report("velocity", utc("24 Nov 12:00"), None)

    assert tuple(found.summary.values()) == (45, 45, 45, 45, 2)
    assert "2 rounds of parallel sprints." in found.notes


def test_the_sprints_of_the_window_are_named() -> None:
    seven = velocity(of_one_team(WEEKS, [99, 10, 10, 10, 20, 20, 20]))
    rounds = TWO_TEAMS.report("velocity", utc("20 Nov 12:00"), None)

    assert [each["samples"] for each in seven.details] == [0, 1, 1, 1, 1, 1, 1]
    assert [each["samples"] for each in rounds.details] == [1, 1, 0, 0]


def test_velocity_of_a_team_is_that_of_its_own_sprints() -> None:
    found = TWO_TEAMS.report("velocity", utc("24 Nov 12:00"), None, team=RED)

    assert tuple(found.summary.values()) == (28, 28, 24, 32, 2)
    assert found.team == "Red"
    assert cells(found, "Done") == [32, 24]


def test_velocity_waits_for_all_sprints_of_a_round() -> None:
    found = velocity(TWO_TEAMS)

    assert found.summary["sprints"] == 1


def test_velocity_says_when_no_sprint_is_closed() -> None:
    found = velocity(of_one_team((("16 Nov", "29 Nov"),), [12]))

    assert "No velocity yet: no closed sprint." in found.notes


def test_velocity_has_a_row_for_a_sprint_without_done_work() -> None:
    found = velocity(of_one_team(FORTNIGHTS, [31, 29, 0]))

    assert found.columns == ("Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of")
    assert cells(found, "Done") == [31, 29, 0]
    assert cells(found, "Remaining") == [8, 8, 8]


def test_velocity_leaves_out_what_ended_before_the_history() -> None:
    project = of_one_team(FORTNIGHTS, [31, 29, 5])
    project.since = utc("10 Oct 00:00")

    found = velocity(project)

    assert found.summary["sprints"] == 2
    assert any("those of now" in note for note in found.notes)


def test_velocity_does_not_change_with_its_items_later() -> None:
    project = of_one_team(FORTNIGHTS, [31, 29, 5])
    before = velocity(project).summary

    for item_id in (100, 110, 120):
        project.remove(item_id, utc("18 Nov 10:00"))

    assert velocity(project).summary == before
