"""Logged time: hours by person, type or Feature and day, or week where the days are many."""

from collections.abc import Callable, Sequence
from datetime import date, timedelta

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.amounts import hours_text
from backlit.model.dates import monday_of, week_name
from backlit.model.reports.document import CellValue, FigureSource, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.time_groups import TimeGroup
from backlit.model.working_days import DAY, days_between
from backlit.service.reports.context import ReportContext, ReportQuestion

MOST_DAYS = 14
"""Days with a column each; of more days, each week has one."""
_WEEK = timedelta(days=7)
_TOTAL = "Total"


class LoggedHours(Struct, frozen=True):
    """A time entry, with the iteration, the team and the Feature of its task."""

    day: date
    hours: float
    user_id: int
    type: str | None
    iteration_id: int | None = None
    team_id: int | None = None
    feature: str | None = None


def logged_days(question: ReportQuestion, days: Sequence[date], today: date) -> Sequence[date]:
    """Return the days that are asked about: of a sprint, some up to today, or a week, which is this one by itself."""
    if not question.is_of_week:
        return days
    first = monday_of(question.week or today)
    return list(days_between(first, first + _WEEK - DAY))


def logged_time(context: ReportContext) -> ReportDocument:
    question, group = context.question, context.question.by or TimeGroup.PERSON
    days = logged_days(question, context.days, context.today)
    selection = context.selection
    entries = [
        entry
        for entry in context.logged
        if selection.covers(entry.iteration_id) and selection.team_id in {None, entry.team_id}
    ]
    shown = [entry for entry in entries if days[0] <= entry.day <= days[-1]]
    others = sum(entry.hours for entry in entries) - sum(entry.hours for entry in shown)
    column_of: Callable[[date], str] = date.isoformat if len(days) <= MOST_DAYS else week_name
    columns = list(dict.fromkeys(map(column_of, days)))
    hours: dict[str | None, dict[str, float]] = {}
    for entry in shown:
        row, column = hours.setdefault(_key(context, group, entry), {}), column_of(entry.day)
        row[column] = row.get(column, 0.0) + entry.hours
    labels = sorted(hours, key=lambda label: (label is None, (label or "").casefold(), label or ""))
    rows: list[tuple[CellValue, ...]] = [
        (group.nothing if label is None else label, *(hours[label].get(column, 0.0) for column in columns), total)
        for label in labels
        for total in [sum(hours[label].values())]
    ]
    summary: dict[str, CellValue] = {
        "hours": sum(entry.hours for entry in shown),
        "entries": len(shown),
        "people": len({entry.user_id for entry in shown}),
    }
    elsewhere = f"{hours_text(others)} h of its tasks are on other days, and not included."
    notes = [elsewhere] if len(entries) > len(shown) else []
    titles = (group.value.capitalize(), *columns, _TOTAL)
    document = context.document(ReportName.TIME, summary, titles, rows)
    about = f"{context.names.project}, {week_name(days[0])}" if question.is_of_week else context.about
    return replace(document, about=about, source=FigureSource.NOW, since=None, notes=notes)


def _key(context: ReportContext, group: TimeGroup, entry: LoggedHours) -> str | None:
    match group:
        case TimeGroup.PERSON:
            return context.person(entry.user_id)
        case TimeGroup.TYPE:
            return entry.type
        case TimeGroup.FEATURE:
            return entry.feature
