"""How far the sample's current sprint is: what of it is done, on which of its days, and what is under way."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from backlit.service.items import Item

_STATUSES = ("Done", "Done", "In Progress", "Done", "Not Done", "In Progress", "Ready For Test", "Done")
"""Those of its items, one after the other; today is in its second week."""
_FIRST_HOUR, _HOURS = 9, 8
_BEGIN, _STEP = 0.68, 0.618
"""Where in its days the first change falls, and how much later each next one, round and round: they spread evenly."""


class SprintUnderWay:
    """Takes a project's items in order of id. Chance has no part in it, so that all other items stay as they were."""

    def __init__(self, sprint_id: int, start: date, today: date, members: Sequence[tuple[int, str]]) -> None:
        later = (start + timedelta(days=number) for number in range(1, (today - start).days))
        self._days = [day for day in later if day.weekday() < 5] or [start]
        self._sprint_id = sprint_id
        self._members = members
        self._taken = self._done = 0

    def item(self, item: Item) -> Item:
        """An item as far as it is, where it is in the sprint; what was begun has an owner."""
        if item.values["IterationID"] != self._sprint_id:
            return item
        status = _STATUSES[self._taken % len(_STATUSES)]
        self._taken += 1
        if status == "Not Done":
            return replace(item, values={**item.values, "Status": status})
        owner = item.values["AssignedToID"] or self._members[self._taken % len(self._members)][0]
        if status == "Done":
            self._done += 1
        part = (_BEGIN + _STEP * (self._done if status == "Done" else self._taken)) % 1
        at = time(_FIRST_HOUR + item.id % _HOURS, item.id * 7 % 60)
        changed_at = max(datetime.combine(self._days[int(part * len(self._days))], at), item.created_at)
        values = {**item.values, "Status": status, "AssignedToID": owner}
        return replace(item, values=values, last_modified_at=changed_at)

    def task(self, task: Item, parent: Item) -> Item:
        """A task of an item in the sprint: done with it, and not begun before it."""
        status = parent.values["Status"]
        if parent.values["IterationID"] != self._sprint_id or status not in {"Done", "Not Done"}:
            return task
        hours = task.values["WorkRemaining"] + task.values["WorkCompleted"]
        is_done = status == "Done"
        owner = (task.values["AssignedToID"] or parent.values["AssignedToID"]) if is_done else None
        work = {"WorkRemaining": 0.0 if is_done else hours, "WorkCompleted": hours if is_done else 0.0}
        return replace(task, values={**task.values, "Status": status, "AssignedToID": owner, **work})
