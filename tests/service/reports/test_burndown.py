"""Tests of burndown and burnup: the examples of their definition."""

from datetime import date

import pytest
from msgspec.structs import replace
from tests.service.reports.histories import NEXT, ROOT, SPRINT, RecordedProject, cells, day, local, row_of, utc

from backlit.model.reports.names import ReportUnit

SUNDAY_NIGHT = local("9 Nov 00:00")


def week() -> RecordedProject:
    project = RecordedProject()
    project.has_sprint(SPRINT, "2 Nov", "8 Nov")
    project.has_sprint(NEXT, "9 Nov", "15 Nov")
    return project


def week_of_the_definition() -> RecordedProject:
    project = week()
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    project.create(2, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    project.change(1, local("3 Nov 23:50"), Status="Done")
    project.create(3, local("4 Nov 10:00"), Estimate="3", IterationID=SPRINT)
    project.change(1, local("4 Nov 11:00"), Status="In Progress")
    project.change(1, local("4 Nov 12:00"), Status="Done")
    project.change(2, local("5 Nov 10:00"), Estimate="8")
    project.change(3, local("6 Nov 10:00"), IterationID=ROOT)
    project.change(2, local("7 Nov 10:00"), Status="Done")
    return project


def test_burndown_of_a_week() -> None:
    found = week_of_the_definition().report("burndown", SUNDAY_NIGHT)

    assert found.columns == ("Day", "Remaining", "Done", "Ideal")
    assert cells(found, "Day") == [date(2026, 11, number) for number in range(2, 9)]
    assert cells(found, "Remaining") == [10, 5, 8, 11, 8, 0, 0]
    assert cells(found, "Done") == [0, 5, 5, 5, 5, 13, 13]
    assert cells(found, "Ideal") == pytest.approx([8, 6, 4, 2, 0, 0, 0])


def test_ideal_line_is_level_on_a_day_off() -> None:
    project = week_of_the_definition()
    project.calendar = replace(project.calendar, days_off=frozenset({day("4 Nov")}))

    found = project.report("burndown", SUNDAY_NIGHT)

    assert cells(found, "Ideal") == pytest.approx([7.5, 5, 5, 2.5, 0, 0, 0])


def test_ideal_line_goes_over_all_days_where_none_is_worked() -> None:
    project = week_of_the_definition()
    project.calendar = replace(project.calendar, working_days=frozenset())

    found = project.report("burndown", SUNDAY_NIGHT)

    assert cells(found, "Ideal") == pytest.approx([10 * (7 - number) / 7 for number in range(1, 8)])


def test_burndown_has_the_state_of_now_today_and_nothing_on_days_to_come() -> None:
    found = week_of_the_definition().report("burndown", local("5 Nov 09:00"))

    assert cells(found, "Remaining") == [10, 5, 8, 8, None, None, None]
    assert found.summary == pytest.approx({"committed": 10, "remaining": 8, "done": 5, "ideal": 2, "behind": 6})


def test_burndown_is_empty_after_a_close() -> None:
    project = week_of_the_definition()
    project.iterations[SPRINT] = replace(project.iterations[SPRINT], closed=project.moment(local("6 Nov 16:00")))

    found = project.report("burndown", SUNDAY_NIGHT)

    assert cells(found, "Remaining") == [10, 5, 8, 11, 8, None, None]
    assert cells(found, "Ideal") == pytest.approx([8, 6, 4, 2, 0, 0, 0])


def test_burndown_goes_on_to_a_close_after_the_end_date() -> None:
    project = week_of_the_definition()
    project.iterations[SPRINT] = replace(project.iterations[SPRINT], closed=project.moment(local("9 Nov 16:00")))

    found = project.report("burndown", local("20 Nov 10:00"))

    assert cells(found, "Day")[-1] == date(2026, 11, 9)
    assert cells(found, "Remaining") == [10, 5, 8, 11, 8, 0, 0, 0]


def test_burndown_without_history_of_the_commitment_has_no_ideal_line() -> None:
    project = week_of_the_definition()
    project.since = local("5 Nov 00:00")

    found = project.report("burndown", SUNDAY_NIGHT)

    assert cells(found, "Remaining") == [None, None, 8, 11, 8, 0, 0]
    assert cells(found, "Ideal") == [None] * 7
    assert found.summary["committed"] is None
    assert "The server's history begins on 5 Nov." in found.notes


def test_burndown_counts_items_where_none_ever_had_points() -> None:
    project = week()
    project.create(1, utc("30 Oct 10:00"), Estimate="XL", IterationID=SPRINT)

    found = project.report("burndown", SUNDAY_NIGHT)

    assert found.unit == "items"
    assert found.summary["committed"] == 1
    assert "No item has points: items are counted." in found.notes


def test_burndown_of_the_whole_backlog_has_no_ideal_line() -> None:
    found = week_of_the_definition().report("burndown", SUNDAY_NIGHT, None, days=3)

    assert found.columns == ("Day", "Remaining", "Done")
    assert found.rows == [
        (date(2026, 11, 7), 3, 13),
        (date(2026, 11, 8), 3, 13),
        (date(2026, 11, 9), 3, 13),
    ]


def test_burndown_of_a_team_moves_an_item_out_with_its_team() -> None:
    project = week()
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT, TeamID=1)
    project.create(2, utc("30 Oct 10:00"), Estimate="3", IterationID=SPRINT, TeamID=1)
    project.change(1, local("4 Nov 10:00"), TeamID=2)

    found = project.report("burndown", SUNDAY_NIGHT, team=1)

    assert cells(found, "Remaining") == [8, 8, 3, 3, 3, 3, 3]
    assert found.team == "Red"


def test_burnup_of_a_week() -> None:
    found = week_of_the_definition().report("burnup", SUNDAY_NIGHT)

    assert found.columns == ("Day", "Done", "Scope", "%")
    assert cells(found, "Scope") == [10, 10, 13, 16, 13, 13, 13]
    assert cells(found, "%") == pytest.approx([0, 50, 500 / 13, 500 / 16, 500 / 13, 100, 100])


def test_burnup_has_no_share_of_nothing() -> None:
    assert cells(week().report("burnup", SUNDAY_NIGHT), "%") == [None] * 7


def project_with_tasks() -> RecordedProject:
    project = week()
    project.create(1, utc("30 Oct 10:00"), Estimate="5", IterationID=SPRINT)
    project.create(2, utc("30 Oct 10:00"), Estimate="3", IterationID=NEXT)
    for item_id, parent, hours in ((11, 1, 6.0), (12, 1, 4.0), (13, 2, 2.0)):
        project.create(
            item_id, utc("30 Oct 11:00"), type="Task", ParentID=parent, IterationID=SPRINT, WorkRemaining=hours
        )
    return project


def test_hours_are_those_of_open_tasks_in_the_sprint_wherever_their_parents_are() -> None:
    found = project_with_tasks().report("burndown", SUNDAY_NIGHT, unit=ReportUnit.HOURS)

    assert found.columns == ("Day", "Remaining", "Completed", "Ideal")
    assert cells(found, "Remaining") == [12] * 7
    assert found.summary["committed"] == 12


@pytest.mark.parametrize(
    ("item_id", "status", "hours"),
    [(11, "Done", 6), (11, "Deleted", 6), (1, "Deferred", 2), (1, "Done", 2), (2, "Done", 10)],
)
def test_hours_of_what_is_done_or_excluded_are_none(item_id: int, status: str, hours: float) -> None:
    project = project_with_tasks()
    project.change(item_id, local("3 Nov 10:00"), Status=status)

    found = project.report("burndown", SUNDAY_NIGHT, unit=ReportUnit.HOURS)

    assert cells(found, "Remaining") == [12, *[hours] * 6]


def test_hours_rise_and_are_completed() -> None:
    project = project_with_tasks()
    project.change(11, local("3 Nov 10:00"), WorkRemaining=9.0, WorkCompleted=3.0)
    project.change(12, local("4 Nov 10:00"), WorkRemaining=None, WorkCompleted=4.0, Status="Done")

    found = project.report("burndown", SUNDAY_NIGHT, unit=ReportUnit.HOURS)

    assert cells(found, "Remaining") == [12, 15, 11, 11, 11, 11, 11]
    assert cells(found, "Completed") == [0, 3, 7, 7, 7, 7, 7]
    assert row_of(found, date(2026, 11, 3))["Ideal"] == pytest.approx(12 * 3 / 5)


def test_document_writes_numbers_and_days_for_csv_and_json() -> None:
    found = week_of_the_definition().report("burndown", local("3 Nov 12:00"))

    assert found.csv().splitlines()[:4] == [
        "Day,Remaining,Done,Ideal",
        "2026-11-02,10,0,8",
        "2026-11-03,10,0,6",
        "2026-11-04,,,4",
    ]
    assert list(found.wire()) == [
        *(
            "report",
            "about",
            "team",
            "unit",
            "source",
            "since",
            "asOf",
            "timeZone",
            "summary",
            "columns",
            "rows",
            "notes",
            "details",
        )
    ]
    assert found.wire()["rows"][2] == ["2026-11-04", None, None, 4]
