"""Sprints of the sample: completed items of past ones, and progress of the current one."""

from collections.abc import Sequence
from datetime import date, datetime, time, timedelta

from msgspec.structs import replace

from backlit.service.tables.work_items import WorkItemRow

_LEAST_ITEMS = 250
"""Minimum number of items in a project with full sprints."""
_UNTOUCHED = 70
"""Number of first items that always stay in the backlog, as old plans."""
_SHARES = (0.8, 1.0, 0.86, 0.94, 1.08, 0.76, 0.97, 0.9, 1.04, 0.84)
"""Fill of successive sprints between their minimum and maximum."""
_SPARED = 3
"""Interval of the items that stay in the backlog."""
_GOLDEN_STEP = 0.618
_FIRST_HOUR, _HOURS = 9, 8
_DAY = timedelta(days=1)


class PastSprint:
    """A past sprint with its remaining points."""

    def __init__(self, sprint_id: int, start: date, end: date, room: float) -> None:
        self.id = sprint_id
        self.start = start
        self.end = end
        self.room = room

    def days_from(self, first: date) -> list[date]:
        every = (self.start + number * _DAY for number in range((self.end - self.start).days + 1))
        return [day for day in every if day >= first and day.weekday() < 5]


class PastSprints:
    """Completion of some backlog items in past sprints; takes a project's items in order of id.

    It draws no random numbers, so that all other items stay the same.
    """

    def __init__(self, sprints: Sequence[PastSprint], members: Sequence[tuple[int, str]], wanted: int) -> None:
        self._sprints = sprints if wanted >= _LEAST_ITEMS else ()
        self._members = members
        self._seen = 0
        self._done: dict[int, datetime] = {}

    def item(self, item: WorkItemRow, points: int, number: int) -> WorkItemRow:
        """Return an item, done in the first later sprint with room for it, or unchanged.

        `number` counts the project's items.
        """
        if number < _UNTOUCHED or not self._sprints:
            return item
        self._seen += 1
        if self._seen % _SPARED == 0:
            return item
        first = item.created_at.date() + 2 * _DAY
        for sprint in self._sprints:
            days = sprint.days_from(first) if sprint.room >= points else []
            if days:
                sprint.room -= points
                return self._finished(item, points, sprint, days)
        return item

    def _finished(self, item: WorkItemRow, points: int, sprint: PastSprint, days: Sequence[date]) -> WorkItemRow:
        at = time(_FIRST_HOUR + item.id % _HOURS, item.id * 7 % 60)
        day = days[int(len(self._done) * _GOLDEN_STEP % 1 * len(days))]
        self._done[item.id] = datetime.combine(day, at)
        owner = item.values["AssignedToID"] or self._members[len(self._done) % len(self._members)][0]
        own = {"Status": "Done", "IterationID": sprint.id, "AssignedToID": owner, "Estimate": str(points)}
        return replace(item, values={**item.values, **own}, last_modified_at=self._done[item.id])

    def task(self, task: WorkItemRow, parent: WorkItemRow) -> WorkItemRow:
        if parent.id not in self._done:
            return task
        hours = task.values["WorkRemaining"] + task.values["WorkCompleted"]
        own = {
            "Status": "Done",
            "IterationID": parent.values["IterationID"],
            "WorkRemaining": 0.0,
            "WorkCompleted": hours,
        }
        owner = task.values["AssignedToID"] or parent.values["AssignedToID"]
        values = {**task.values, **own, "AssignedToID": owner}
        return replace(task, values=values, last_modified_at=self._done[parent.id])


def room_in(number: int, capacity: float, taken: float) -> float:
    return max(0.0, capacity * _SHARES[number % len(_SHARES)] - taken)


_STATUSES = ("Done", "Done", "In Progress", "Done", "Not Done", "In Progress", "Ready For Test", "Done")
"""Statuses of the sprint's items in turn; the sprint is in its second week."""
_FIRST_HOUR, _HOURS = 9, 8
_BEGIN, _STEP = 0.68, 0.618
"""First day of change as a share of the sprint, and the step to the next; the golden ratio spreads them evenly."""


class CurrentSprint:
    """Progress of the current sprint; takes a project's items in order of id.

    It draws no random numbers, so that all other items stay the same.
    """

    def __init__(self, sprint_id: int, start: date, today: date, members: Sequence[tuple[int, str]]) -> None:
        later = (start + timedelta(days=number) for number in range(1, (today - start).days))
        self._days = [day for day in later if day.weekday() < 5] or [start]
        self._sprint_id = sprint_id
        self._members = members
        self._taken = self._done = 0

    def item(self, item: WorkItemRow) -> WorkItemRow:
        """Return an item with its progress in the sprint; a started item has an owner."""
        if item.values["IterationID"] != self._sprint_id:
            return item
        status = _STATUSES[self._taken % len(_STATUSES)]
        self._taken += 1
        if status == "Not Done":
            return replace(item, values={**item.values, "Status": status})
        owner = item.values["AssignedToID"] or self._members[self._taken % len(self._members)][0]
        if status == "Done":
            self._done += 1
        part = (_BEGIN + _GOLDEN_STEP * (self._done if status == "Done" else self._taken)) % 1
        at = time(_FIRST_HOUR + item.id % _HOURS, item.id * 7 % 60)
        changed_at = max(datetime.combine(self._days[int(part * len(self._days))], at), item.created_at)
        values = {**item.values, "Status": status, "AssignedToID": owner}
        return replace(item, values=values, last_modified_at=changed_at)

    def task(self, task: WorkItemRow, parent: WorkItemRow) -> WorkItemRow:
        """Return a task of the sprint: done with its item, and not started before it."""
        status = parent.values["Status"]
        if parent.values["IterationID"] != self._sprint_id:
            return task
        hours = task.values["WorkRemaining"] + task.values["WorkCompleted"]
        if status not in {"Done", "Not Done"}:
            if task.values["Status"] != "In Progress":
                return task
            return replace(task, values={**task.values, "WorkRemaining": hours / 2, "WorkCompleted": hours / 2})
        is_done = status == "Done"
        owner = (task.values["AssignedToID"] or parent.values["AssignedToID"]) if is_done else None
        work = {"WorkRemaining": 0.0 if is_done else hours, "WorkCompleted": hours if is_done else 0.0}
        return replace(task, values={**task.values, "Status": status, "AssignedToID": owner, **work})
