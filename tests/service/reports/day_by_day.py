"""A second, slow computation of every figure: it replays all events from nothing, day by day."""

from collections.abc import Callable, Collection, Iterator, Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache
from typing import Any, Protocol
from zoneinfo import ZoneInfo

from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.events import ItemChange
from backlit.service.reports.iterations import ReportedIteration

Values = dict[str, Any]
Rows = list[list[Any]]
NUMBERS = {"1": 1.0, "2": 2.0, "3": 3.0, "5": 5.0, "8": 8.0, "2,5": 2.5, "5 pts": 5.0}
GROUP = {
    "Not Done": "new", "Limbo": "new", None: "new",
    "Active": "work", "In Progress": "work", "Blocked": "work", "Ready For Test": "test",
    "Done": "done", "Accepted": "done", "Closed": "done",
    "Deferred": "out", "Deleted": "out", "Parked": "out",
}  # fmt: skip


class KeptHistory(Protocol):
    """What is known of a project beside the service: all events and the iterations."""

    now: datetime
    calendar: ProjectCalendar
    events: list[ItemChange]
    iterations: dict[int, ReportedIteration]

    @property
    def sprints(self) -> Mapping[int, tuple[date, date]]:
        """The first and the last day of each."""

    @property
    def releases(self) -> Mapping[int, Collection[int]]:
        """The sprints of each."""

    @property
    def people(self) -> Mapping[int | None, str | None]:
        """The names of owners by their ids."""


class DayByDay:
    """The figures of a project for a coverage (None: all), a team (None: all) and a unit."""

    def __init__(self, project: KeptHistory, coverage: int | None, team: int | None, unit: str) -> None:
        self.project, self.coverage, self.team, self.unit = project, coverage, team, unit
        self.zone = ZoneInfo(project.calendar.zone)
        self.today = self.local_day(project.now)
        self.snapshots: list[dict[int, Values]] = [{}]
        for event in project.events:
            state = {item_id: dict(values) for item_id, values in self.snapshots[-1].items()}
            if event.act.name in {"REMOVED", "LEFT"}:
                del state[event.item_id]
            else:
                state.setdefault(event.item_id, {}).update({key: new for key, (_, new) in event.fields.items()})
            self.snapshots.append(state)
        self.last = len(project.events)

    # Items

    def local_day(self, at: datetime) -> date:
        return at.replace(tzinfo=UTC).astimezone(self.zone).date()

    def until(self, day: date) -> int:
        """Return how many events happened by the end of a day."""
        return sum(self.local_day(event.at) <= day for event in self.project.events)

    def covered(self, coverage: int | None) -> set[int]:
        if coverage is None:
            return set(self.project.iterations)
        return {coverage, *self.project.releases.get(coverage, ())}

    def counts(self, state: dict[int, Values], item_id: int) -> bool:
        values = state[item_id]
        if values["type"] in {"Task", "Feedback"} or GROUP[values["Status"]] == "out":
            return False
        return values["type"] != "Feature" or not self.has_below(state, item_id)

    def has_below(self, state: dict[int, Values], item_id: int) -> bool:
        below = [each for each, values in state.items() if values.get("FeatureID") == item_id]
        return any(self.counts(state, each) or self.has_below(state, each) for each in below)

    def chosen(self, values: Values, coverage: int | None) -> bool:
        return values["IterationID"] in self.covered(coverage) and self.team in {None, values.get("TeamID")}

    @cache  # noqa: B019 - it lives as long as its test
    def scope(self, index: int, coverage: int | None) -> dict[int, Values]:
        state = self.snapshots[index]
        return {
            item_id: values
            for item_id, values in state.items()
            if self.chosen(values, coverage) and self.counts(state, item_id)
        }

    def worth(self, values: Values) -> float:
        return NUMBERS.get(values.get("Estimate") or "", 0.0) if self.unit == "points" else 1.0

    def total(self, items: dict[int, Values], wanted: Callable[[str], bool] = lambda _: True) -> float:
        return sum(self.worth(values) for values in items.values() if wanted(GROUP[values["Status"]]))

    # Bounds of an iteration

    def first_and_last_working(self, iteration: int) -> tuple[date, date]:
        found = self.project.iterations[iteration]
        calendar = self.project.calendar
        days, day = [], found.start
        while day <= found.end:
            if day.weekday() in calendar.working_days and day not in calendar.days_off:
                days.append(day)
            day += timedelta(1)
        return (days[0], days[-1]) if days else (found.start, found.end)

    def end(self, iteration: int) -> tuple[int, date, bool]:
        """Return the number of events before the end, its day, and whether it is over."""
        found = self.project.iterations[iteration]
        if found.closed is not None:
            return found.closed.revision - 1, self.local_day(found.closed.at), True
        return self.until(found.end), found.end, self.today > found.end

    def commitment(self, iteration: int) -> tuple[int, date, bool]:
        found = self.project.iterations[iteration]
        end, end_day, is_over = self.end(iteration)
        first, _ = self.first_and_last_working(iteration)
        if found.started is not None:
            index, day, is_past = found.started.revision - 1, self.local_day(found.started.at), True
        else:
            index, day, is_past = self.until(first), first, self.today > first
        if is_over and (not is_past or index > end):
            return end, min(day, end_day), True
        return index, min(day, end_day), is_past

    def days(self, count: int) -> list[date]:
        if self.coverage is None:
            return [self.today - timedelta(number) for number in range(count)][::-1]
        found = self.project.iterations[self.coverage]
        last = max(found.end, self.end(self.coverage)[1])
        return [found.start + timedelta(number) for number in range((last - found.start).days + 1)]

    def index_of(self, day: date) -> int | None:
        if day > self.today:
            return None
        if self.coverage is None:
            return self.until(day)
        end, end_day, _ = self.end(self.coverage)
        return None if day > end_day else min(self.until(day), end)

    # Reports by day

    def burndown(self, count: int) -> Rows:
        return [[day, *self._left_and_done(day), *self._ideal(day)] for day in self.days(count)]

    def _left_and_done(self, day: date) -> list[Any]:
        index = self.index_of(day)
        if index is None:
            return [None, None]
        if self.unit == "hours":
            return [self._open_hours(index), self._completed_hours(index)]
        items = self.scope(index, self.coverage)
        return [self.total(items, lambda group: group != "done"), self.total(items, lambda group: group == "done")]

    def _ideal(self, day: date) -> list[float]:
        if self.coverage is None:
            return []
        found, calendar = self.project.iterations[self.coverage], self.project.calendar
        index = self.commitment(self.coverage)[0]
        whole = self._open_hours(index) if self.unit == "hours" else self.total(self.scope(index, self.coverage))
        each = [found.start + timedelta(number) for number in range((found.end - found.start).days + 1)]
        worked = [one for one in each if one.weekday() in calendar.working_days and one not in calendar.days_off]
        worked = worked or each
        return [whole - whole * len([one for one in worked if one <= day]) / len(worked)]

    def _tasks(self, index: int) -> Iterator[Values]:
        for values in self.snapshots[index].values():
            if values["type"] == "Task" and self.chosen(values, self.coverage):
                yield values

    def _is_open_task(self, index: int, values: Values) -> bool:
        parent = self.snapshots[index].get(values["ParentID"])
        is_below_open = parent is None or GROUP[parent["Status"]] not in {"done", "out"}
        return GROUP[values["Status"]] not in {"done", "out"} and is_below_open

    def _open_hours(self, index: int) -> float:
        return sum(task.get("WorkRemaining") or 0 for task in self._tasks(index) if self._is_open_task(index, task))

    def _completed_hours(self, index: int) -> float:
        return sum(task.get("WorkCompleted") or 0 for task in self._tasks(index) if GROUP[task["Status"]] != "out")

    def burnup(self, count: int) -> Rows:
        rows: Rows = []
        for day in self.days(count):
            left, done = self._left_and_done(day)
            share = None if left is None or not left + done else 100 * done / (left + done)
            rows.append([day, done, None if left is None else left + done, share])
        return rows

    def flow(self, count: int) -> Rows:
        rows: Rows = []
        for day in self.days(count):
            index = self.index_of(day)
            items = {} if index is None else self.scope(index, self.coverage)
            amounts = [
                None if index is None else self.total(items, lambda group, wanted=name: group == wanted)  # type: ignore[misc]
                for name in ("new", "work", "test", "done")
            ]
            rows.append([day, *amounts])
        return rows

    # Scope change

    def scope_change(self, count: int) -> Rows:
        days = self.days(count)
        if self.coverage is None:
            first, first_day, is_past, last = self.until(days[0] - timedelta(1)), days[0], True, self.last
        else:
            first, first_day, is_past = self.commitment(self.coverage)
            last = min(self.end(self.coverage)[0], self.last)
        found: dict[date, dict[str, float]] = {}
        parts: dict[int, float] = {}
        for index in range(first, last):
            day = max(self.local_day(self.project.events[index].at), days[0])
            for cause, amount in self._causes(index, parts):
                causes = found.setdefault(day, {})
                causes[cause] = causes.get(cause, 0.0) + amount
        rows: Rows = []
        names = ("added", "in", "out", "estimated", "deferred", "deleted")
        for day in days:
            index_of_day = self.index_of(day)
            if index_of_day is None:
                rows.append([day, *[None] * 9])
                continue
            items = self.scope(index_of_day, self.coverage)
            amounts = [found.get(day, {}).get(name, 0.0) for name in names]
            change = amounts[0] + amounts[1] - amounts[2] + amounts[3] - amounts[4] - amounts[5]
            cells = [change, *amounts] if is_past and day >= first_day else [None] * 7
            rows.append([day, self.total(items), *cells, len(items)])
        return rows

    def _causes(self, index: int, parts: dict[int, float]) -> Iterator[tuple[str, float]]:
        """Return what the event at a position does to the scope, by comparing all items before and after."""
        event = self.project.events[index]
        before, after = self.scope(index, self.coverage), self.scope(index + 1, self.coverage)
        for item_id in sorted({*before, *after}):
            old, new = before.get(item_id), after.get(item_id)
            if item_id != event.item_id:
                if (old is None) != (new is None):
                    yield ("added", self.worth(new)) if new is not None else ("out", self.worth(old or {}))
            elif old is None and new is not None:
                yield from self._came(index, item_id, new, parts)
            elif new is None and old is not None:
                yield self._left(index, item_id), self.worth(old)
            elif old is not None and new is not None and self.worth(old) != self.worth(new):
                less = self.worth(old) - self.worth(new)
                taken = min(max(less, 0.0), parts.get(item_id, 0.0))
                parts[item_id] = parts.get(item_id, 0.0) - taken
                yield "out", taken
                yield "estimated", taken - less

    def _came(self, index: int, item_id: int, new: Values, parts: dict[int, float]) -> Iterator[tuple[str, float]]:
        old = self.snapshots[index].get(item_id)
        if old is None and new.get("splitFrom"):
            parts[new["splitFrom"]] = parts.get(new["splitFrom"], 0.0) + NUMBERS[new["Estimate"]]
            yield "out", -self.worth(new)
        elif old is None or self.chosen(old, self.coverage):
            yield "added", self.worth(new)
        else:
            yield "in", self.worth(new)

    def _left(self, index: int, item_id: int) -> str:
        new = self.snapshots[index + 1].get(item_id)
        if new is None:
            return "deleted" if self.project.events[index].act.name == "REMOVED" else "out"
        if self.chosen(new, self.coverage) and GROUP[new["Status"]] == "out":
            return "deleted" if new["Status"] == "Deleted" else "deferred"
        return "out"
