"""What the sample's team finished in the sprints before today, so that they are about as full as they can be."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta

from backlit.service.items import Item

_LEAST_ITEMS = 250
"""Items of a project from which there are enough of them for sprints that are full."""
_UNTOUCHED = 70
"""Items at the beginning that stay in the backlog: somebody always has old plans."""
_SHARES = (0.8, 1.0, 0.86, 0.94, 1.08, 0.76, 0.97, 0.9, 1.04, 0.84)
"""How full the sprints are, one after the other, of what is between their least and their most."""
_SPARED = 3
"""Every so manieth item stays in the backlog."""
_STEP = 0.618
_FIRST_HOUR, _HOURS = 9, 8
_DAY = timedelta(days=1)


class SprintBefore:
    """One that is over, with the points that more can be done in."""

    def __init__(self, sprint_id: int, start: date, end: date, room: float) -> None:
        self.id = sprint_id
        self.start = start
        self.end = end
        self.room = room

    def days_from(self, first: date) -> list[date]:
        """Its working days from a day on."""
        every = (self.start + number * _DAY for number in range((self.end - self.start).days + 1))
        return [day for day in every if day >= first and day.weekday() < 5]


class SprintsBefore:
    """Takes a project's items in order of id, and has some of the backlog's done.

    Chance has no part in it, so that all other items stay as they were.
    """

    def __init__(self, sprints: Sequence[SprintBefore], members: Sequence[tuple[int, str]], wanted: int) -> None:
        self._sprints = sprints if wanted >= _LEAST_ITEMS else ()
        self._members = members
        self._seen = 0
        self._done: dict[int, datetime] = {}

    def item(self, item: Item, points: int, number: int) -> Item:
        """An item of the backlog, done in the first sprint after it was made that has room for it, or as it was.

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

    def _finished(self, item: Item, points: int, sprint: SprintBefore, days: Sequence[date]) -> Item:
        at = time(_FIRST_HOUR + item.id % _HOURS, item.id * 7 % 60)
        day = days[int(len(self._done) * _STEP % 1 * len(days))]
        self._done[item.id] = datetime.combine(day, at)
        owner = item.values["AssignedToID"] or self._members[len(self._done) % len(self._members)][0]
        own = {"Status": "Done", "IterationID": sprint.id, "AssignedToID": owner, "Estimate": str(points)}
        return replace(item, values={**item.values, **own}, last_modified_at=self._done[item.id])

    def task(self, task: Item, parent: Item) -> Item:
        """A task of an item that was done is done with it."""
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
    """The points that more can be done in a sprint, by its place among all."""
    return max(0.0, capacity * _SHARES[number % len(_SHARES)] - taken)
