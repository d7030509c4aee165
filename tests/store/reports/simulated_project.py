"""What a simulation knows of its project: every change that it made, kept beside the service."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any

from msgspec.structs import replace

from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.events import ItemChange
from backlit.service.reports.history import Moment
from backlit.service.reports.iterations import ReportedIteration
from backlit.service.tables.changes import ChangeAct

FIRST_DAY = date(2032, 10, 4)
"""A Monday; the clock of the service never goes back, so that it lies after every day on which tests are run."""
DAYS_OF_SPRINT = 14
SPRINTS_OF_TEAM = 4
STORY_STATUSES = (
    *("Not Done", "Blocked", "In Progress", "Ready For Test", "Done", "Accepted"),
    *("Deferred", "Deleted", "Parked", "Limbo"),
)
OWN_MEANINGS = ("Blocked=in progress", "Accepted=done", "Parked=excluded", "Limbo=")
"""Groups of the project's own statuses; Limbo has none."""
TASK_STATUSES = ("Not Done", "In Progress", "Done", "Deleted")
ISSUE_STATUSES = ("Active", "Closed")
STATUSES: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("Story", "Bug"), STORY_STATUSES),
    "Task": TASK_STATUSES,
    "Issue": ISSUE_STATUSES,
}
CLOSED = frozenset({"Done", "Accepted", "Closed", "Deferred", "Deleted", "Parked"})
"""Statuses of what is neither open nor waits for anything."""


class SimulatedProject:
    """The list of events, and the items and iterations as they should be."""

    def __init__(self, calendar: ProjectCalendar) -> None:
        self.calendar = calendar
        self.now = datetime(2032, 9, 27, 8)
        self.events: list[ItemChange] = []
        self.values: dict[int, dict[str, Any]] = {}
        self.iterations: dict[int, ReportedIteration] = {}
        self.sprints: dict[int, tuple[date, date]] = {}
        self.releases: dict[int, tuple[int, ...]] = {}
        self.people: dict[int | None, str | None] = {None: None}

    def create(self, item_id: int, item_type: str, fields: Mapping[str, Any], split_from: int | None = None) -> None:
        values = {"type": item_type, **fields, "createdAt": self.now}
        if split_from is not None:
            values["splitFrom"] = split_from
        self.values[item_id] = values
        self._note(item_id, ChangeAct.CREATED, {key: (None, value) for key, value in values.items()})

    def change(self, item_id: int, changes: Mapping[str, Any]) -> None:
        old = self.values[item_id]
        fields = {key: (old.get(key), value) for key, value in changes.items() if old.get(key) != value}
        if fields:
            self.values[item_id] = {**old, **changes}
            self._note(item_id, ChangeAct.CHANGED, fields)

    def remove(self, item_id: int) -> None:
        for each in [*(task for task, _ in self.tasks_of(item_id)), item_id]:
            old = self.values.pop(each)
            self._note(each, ChangeAct.REMOVED, {key: (value, None) for key, value in old.items()})

    def _note(self, item_id: int, act: ChangeAct, fields: Mapping[str, tuple[Any, Any]]) -> None:
        self.events.append(ItemChange(len(self.events) + 1, self.now, item_id, act, fields))

    def start(self, iteration_id: int) -> None:
        moment = Moment(self.now, len(self.events) + 1)
        self.iterations[iteration_id] = replace(self.iterations[iteration_id], started=moment)

    def close(self, iteration_id: int) -> None:
        moment = Moment(self.now, len(self.events) + 1)
        self.iterations[iteration_id] = replace(self.iterations[iteration_id], closed=moment)

    def tasks_of(self, item_id: int) -> Iterator[tuple[int, dict[str, Any]]]:
        for each, values in list(self.values.items()):
            if values.get("ParentID") == item_id:
                yield each, values

    def of_types(self, *types: str) -> list[int]:
        return [item_id for item_id, values in self.values.items() if values["type"] in types]

    def unfinished(self, sprint: int) -> list[int]:
        return [
            item_id
            for item_id, values in self.values.items()
            if values["IterationID"] == sprint and values["type"] != "Task" and values["Status"] not in CLOSED
        ]

    def local(self, day: date, hour: float) -> datetime:
        """Return the service's time of so many hours after a day of the project began."""
        return self.calendar.start_of(day) + timedelta(hours=hour)

    @property
    def today(self) -> date:
        return self.calendar.day_of(self.now)


def dates_of(first: date, number: int) -> tuple[date, date]:
    """Return the first and the last day of a sprint, counted from 0."""
    start = first + timedelta(DAYS_OF_SPRINT * number)
    return start, start + timedelta(DAYS_OF_SPRINT - 1)


def with_zone(at: datetime, zone: Any) -> datetime:
    return at.replace(tzinfo=UTC).astimezone(zone)
