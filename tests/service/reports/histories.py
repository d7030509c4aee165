"""Small histories of a project, written event by event, and the reports about them."""

from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from backlit.model.planning import PersonalCapacity
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportUnit
from backlit.model.statuses import StatusGroup, StatusGroups
from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.context import ReportContext, ReportNames, ReportQuestion
from backlit.service.reports.events import ItemChange
from backlit.service.reports.history import Moment, history_of
from backlit.service.reports.iterations import ReportedIteration
from backlit.service.reports.reports import REPORTS
from backlit.service.tables.changes import ChangeAct

ROOT, SPRINT, NEXT, RELEASE, SECOND = 1, 2, 3, 4, 5
RED, BLUE = 1, 2
BERLIN = "Europe/Berlin"


def utc(text: str) -> datetime:
    """Read `2 Nov 15:00`, of 2026, as the service's time."""
    return datetime.strptime(f"2026 {text}", "%Y %d %b %H:%M")


def local(text: str, zone: str = BERLIN) -> datetime:
    """Read a time of a zone."""
    return utc(text).replace(tzinfo=ZoneInfo(zone)).astimezone(UTC).replace(tzinfo=None)


def day(text: str) -> date:
    return utc(f"{text} 00:00").date()


class RecordedProject:
    """A project whose items are changed one event after the other."""

    def __init__(self, zone: str = BERLIN, groups: Mapping[str, StatusGroup] | None = None) -> None:
        self.calendar = ProjectCalendar(zone)
        self.groups = StatusGroups(groups)
        self.iterations: dict[int, ReportedIteration] = {
            ROOT: ReportedIteration(ROOT, -1, "Project", date(2026, 1, 1), date(2026, 12, 31))
        }
        self.events: list[ItemChange] = []
        self.values: dict[int, dict[str, Any]] = {}
        self.since: datetime | None = None
        self.usual_capacities: dict[int, PersonalCapacity] = {}
        self.iteration_capacities: dict[int, dict[int, PersonalCapacity]] = {}
        self.names = ReportNames("Project", {RED: "Red", BLUE: "Blue"}, {1: "maya", 2: "jon"}, {1: "Project"})

    def has_sprint(
        self, iteration_id: int, start: str, end: str, *, parent: int = ROOT, **more: Any
    ) -> ReportedIteration:
        found = ReportedIteration(iteration_id, parent, f"Sprint {iteration_id}", day(start), day(end), **more)
        self.iterations[iteration_id] = found
        return found

    def create(self, item_id: int, at: datetime, **values: Any) -> None:
        kept = {"type": "Story", "Name": f"Item {item_id}", "Status": "Not Done", "IterationID": ROOT, "createdAt": at}
        self.values[item_id] = {**kept, **values}
        self._note(at, item_id, ChangeAct.CREATED, {key: (None, each) for key, each in self.values[item_id].items()})

    def change(self, item_id: int, at: datetime, *, is_rename: bool = False, **values: Any) -> None:
        old = self.values[item_id]
        fields = {key: (old.get(key), each) for key, each in values.items() if old.get(key) != each}
        self.values[item_id] = {**old, **values}
        self._note(at, item_id, ChangeAct.CHANGED, fields, is_rename=is_rename)

    def remove(self, item_id: int, at: datetime, act: ChangeAct = ChangeAct.REMOVED) -> None:
        old = self.values.pop(item_id)
        self._note(at, item_id, act, {key: (each, None) for key, each in old.items()})

    def _note(
        self,
        at: datetime,
        item_id: int,
        act: ChangeAct,
        fields: Mapping[str, tuple[Any, Any]],
        *,
        is_rename: bool = False,
    ) -> None:
        self.events.append(ItemChange(len(self.events) + 1, at, item_id, act, fields, is_rename))

    def moment(self, at: datetime) -> Moment:
        """Return the moment of an event of an iteration that comes after all events so far."""
        return Moment(at, len(self.events) + 1)

    def events_since(self) -> list[ItemChange]:
        since = self.since
        return [event for event in self.events if since is None or event.at >= since]

    def context(self, now: datetime, question: ReportQuestion | None = None) -> ReportContext:
        return ReportContext(
            history_of(self.values, self.events_since(), self.groups, self.since),
            self.iterations.values(),
            self.calendar,
            now,
            question,
            names=self.names,
            usual_capacities=self.usual_capacities,
            iteration_capacities=self.iteration_capacities,
        )

    def report(
        self,
        name: str,
        now: datetime,
        iteration: int | None = SPRINT,
        *,
        team: int | None = None,
        unit: ReportUnit | None = None,
        days: int | None = None,
    ) -> ReportDocument:
        question = REPORTS[name].completed(ReportQuestion(iteration, team, unit, days))
        return REPORTS[name].figure(self.context(now, question))


def cells(document: ReportDocument, column: str) -> list[CellValue]:
    place = list(document.columns).index(column)
    return [row[place] for row in document.rows]


def row_of(document: ReportDocument, first: CellValue) -> dict[str, CellValue]:
    """Return the cells by title of the row that begins with a value."""
    row = next(row for row in document.rows if row[0] == first)
    return dict(zip(document.columns, row, strict=True))


def nonzero(row: Mapping[str, CellValue], titles: Sequence[str]) -> dict[str, CellValue]:
    return {title: row[title] for title in titles if row[title]}


def sprint_with(project: RecordedProject, sprint: int, dates: tuple[str, str], done: float | None, team: int) -> None:
    """Add a sprint with so much done work, and as much left; None: without any item."""
    project.has_sprint(sprint, *dates)
    if done is None:
        return
    begin = utc(f"{dates[0]} 06:00")
    project.create(10 * sprint, utc("1 Sep 10:00"), Estimate=f"{done:g}", IterationID=sprint, TeamID=team)
    project.create(10 * sprint + 1, utc("1 Sep 10:00"), Estimate="8", IterationID=sprint, TeamID=team)
    if done:
        project.change(10 * sprint, begin, Status="Done")
