"""The report of a sprint: its figures, what changed in its scope, and the velocity."""

from datetime import date, datetime, timedelta

from msgspec.structs import replace
from tests.model.reports.documents import day, document

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.reports.sprint_summary import SprintSummary

COLUMNS = ("Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of")
CHANGES: list[dict[str, CellValue]] = [
    {"day": day(3), "id": 7, "item": "Pay *now*", "cause": "Added", "amount": 3},
    {"day": day(4), "id": 8, "item": "Ship", "cause": "Moved out", "amount": 5},
]


def same_time(at: datetime) -> datetime:
    return at


def summary(as_of: date, details: list[dict[str, CellValue]], *notes: str) -> SprintSummary:
    row: tuple[CellValue, ...] = ("Sprint 9", 13, 2, 7, 8, 0, as_of)
    figures = document(ReportName.VELOCITY, COLUMNS, [row], notes=notes)
    velocity = {"median": 29, "mean": 20, "low": 0, "high": 31, "sprints": 3}
    scope: ReportDocument = document(ReportName.SCOPE, ("Day", "Scope"), [(day(2), 13)], details=details)
    whole = document(ReportName.VELOCITY, COLUMNS, [], velocity)
    return SprintSummary("Sprint 9", day(2), day(15), figures, whole, scope)


def test_an_ended_sprint_has_its_spill_over_and_each_change() -> None:
    late = "Sprint 9: 5 pts done after the end, in no velocity."

    assert summary(day(4), CHANGES, late).markdown(same_time) == (
        "# Sprint 9\n\n2 Mar – 15 Mar 2026\n\n"
        "| Committed | Change | Done | Spill-over | Late |\n| ---: | ---: | ---: | ---: | ---: |\n"
        "| 13 | +2 | 7 | 8 | 0 |\n\n"
        "## Scope changes\n\n"
        "| Day | ID | Item | Cause | Points |\n| --- | ---: | --- | --- | ---: |\n"
        "| 3 Mar | \\#7 | Pay \\*now\\* | Added | +3 |\n| 4 Mar | \\#8 | Ship | Moved out | −5 |\n\n"
        "## Velocity\n\n29 pts (median of 3 sprints, 0–31; mean 20)\n\n"
        f"- {late}\n"
    )


def test_a_running_sprint_has_remaining_work_and_may_have_no_change() -> None:
    text = summary(day(5), []).markdown(same_time)

    assert "| Committed | Change | Done | Remaining | Late |" in text
    assert "No change since the commitment." in text


def test_the_times_of_start_and_close_stand_beside_the_days_in_the_readers_zone() -> None:
    events = {"started_at": datetime(2026, 3, 2, 8, 30), "closed_at": datetime(2026, 3, 15, 23, 30)}

    text = replace(summary(day(4), []), **events).markdown(lambda at: at + timedelta(hours=1))

    assert "2 Mar – 15 Mar 2026, started on 2 Mar at 09:30, closed on 16 Mar at 00:30\n" in text
