"""The past of the sample's items: the changes that made of each what it is now."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.fields import NAME_LIMIT, ItemType
from backlit.service.storage.clock import TICK
from backlit.service.tables.changes import ChangeCause
from backlit.service.tables.work_items import WorkItemRow

_DAY = timedelta(days=1)
_MINUTE = timedelta(minutes=1)
_FIRST_HOUR, _HOURS = 8, 8
_ROLLED_OVER, _ROLLED_OVER_OF_HARD = 5, 2
"""One in so many items of a sprint comes from the sprint before."""
_MOVED_IN = 6
"""One in so many items came into its sprint after the planning."""
_MOVED_OUT, _RE_ESTIMATED = 9, 8
"""One in so many estimated items of the backlog was planned once; one in so many planned ones was estimated again."""
_DAYS_OF_WORK = 3
"""Days on which a task was worked on at most."""
_PLANNER = "maya"


class Sprint(Struct, frozen=True):
    """A target of planned items; without dates, it is the root, which holds the backlog."""

    id: int
    start: date | None
    end: date | None
    points: float


class PastChange(Struct, frozen=True):
    """A change of an item; `before` has the values that it replaced."""

    at: datetime
    by: str
    before: Mapping[str, Any]
    cause: ChangeCause | None = None


class ItemPast(Struct, frozen=True):
    """An item as it is now, and its changes since its creation, the oldest first."""

    item: WorkItemRow
    changes: Sequence[PastChange]

    def versions(self) -> list[WorkItemRow]:
        """Return the item as it was created and after each change."""
        values, found = self.item.values, []
        for change in reversed(self.changes):
            found.append(replace(self.item, values=values, last_modified_by=change.by, last_modified_at=change.at))
            values = {**values, **change.before}
        item = self.item
        created = replace(
            item, values=values, last_modified_by=item.created_by, last_modified_at=item.created_at
        )  # fmt: skip
        return [created, *reversed(found)]


class TeamPast:
    """The past of one project's items, up to `now`.

    `sprints` has the root first, and `hard` is the id of a sprint that left much undone.
    """

    def __init__(
        self, sprints: Sequence[Sprint], members: Sequence[tuple[int, str]], hard: int | None, *, now: datetime,
        random: Random,
    ) -> None:  # fmt: skip
        self._sprints = sprints
        self._names: dict[int | None, str] = dict(members)
        self._hard = hard
        self._now = now
        self._random = random
        self._number_by_id = {sprint.id: number for number, sprint in enumerate(sprints)}
        self._planned: dict[int, int] = {}

    def of(self, item: WorkItemRow, tasks: Sequence[WorkItemRow]) -> Iterator[ItemPast]:
        """Return the past of an item and that of its tasks."""
        changes = self._changes(item)
        moves = [change for change in changes if "IterationID" in change.before]
        if tasks:
            written = item.created_at + len(tasks) * _MINUTE
            changes.append(PastChange(written, item.created_by, {"CalculatedEstimate": None}, ChangeCause.ROLLED_UP))
        parent = self._up_to_now(item, changes)
        yield parent
        for number, task in enumerate(tasks, 1):
            created = replace(task, created_at=item.created_at + number * _MINUTE)
            yield self._up_to_now(created, [*moves, *self._task_changes(created, parent.item)])

    def _up_to_now(self, item: WorkItemRow, changes: Iterable[PastChange]) -> ItemPast:
        """Order the changes between the creation and now; what would be earlier was so from the beginning."""
        created, limit, kept = min(item.created_at, self._now), self._now, []
        for change in sorted(changes, key=lambda change: change.at, reverse=True):
            at = _milliseconds(min(change.at, limit))
            if at <= created:
                break
            kept.append(replace(change, at=at))
            limit = at - TICK
        last = (kept[0].at, kept[0].by) if kept else (created, item.created_by)
        now = replace(item, created_at=created, last_modified_at=last[0], last_modified_by=last[1])
        return ItemPast(now, tuple(reversed(kept)))

    def _changes(self, item: WorkItemRow) -> list[PastChange]:
        number = self._number_by_id[item.values["IterationID"]]
        if number == 0:
            return self._in_backlog(item)
        planned, moves = self._planning(item, number)
        changes = [*moves, *self._estimates(item, planned)]
        return changes + self._progress(item, self._sprints[number], planned)

    def _in_backlog(self, item: WorkItemRow) -> list[PastChange]:
        """Return the last edit of an item, and for some that they were in a sprint for a few days."""
        values, first, last = item.values, item.created_at, item.last_modified_at
        changes = [PastChange(last, item.last_modified_by, _before_last_edit(item))]
        if not values.get("Estimate") or item.type not in {ItemType.STORY, ItemType.BUG}:
            return changes
        sprint = next((each for each in self._sprints[1:] if each.start and _at(each.start) > first + _DAY), None)
        if self._random.randrange(_MOVED_OUT) or sprint is None or sprint.start is None or sprint.end is None:
            return changes
        planned = self._planning_day(sprint.start)
        left = min(self._working_moment(sprint.start + 2 * _DAY, sprint.end - 4 * _DAY), last - 60 * _MINUTE)
        if left <= planned:
            return changes
        root = values["IterationID"]
        estimated = PastChange(first + (planned - first) / 2, self._anybody(), {"Estimate": None})
        moved = [PastChange(planned, _PLANNER, {"IterationID": root})]
        # The estimate came with the sprint, so that the last edit was another one.
        edits = [
            replace(edit, before=_before_rewording(item)) if "Estimate" in edit.before else edit for edit in changes
        ]
        return [*edits, estimated, *moved, PastChange(left, _PLANNER, {"IterationID": sprint.id})]

    def _planning(self, item: WorkItemRow, number: int) -> tuple[datetime, list[PastChange]]:
        """Return when an item came into its sprint, and its moves there."""
        sprint, before = self._sprints[number], self._sprints[number - 1]
        assert sprint.start is not None
        root = self._sprints[0].id
        if item.created_at >= _at(sprint.start):
            added = item.created_at + 20 * _MINUTE
            return added, [PastChange(added, _PLANNER, {"IterationID": root})]
        place = self._planned[sprint.id] = self._planned.get(sprint.id, 0) + 1
        share = _ROLLED_OVER_OF_HARD if before.id == self._hard else _ROLLED_OVER
        if place % share or not self._may_come_from(before, item) or not before.start or not before.end:
            planned = self._planning_day(sprint.start)
            later = planned + self._random.randrange(2, 5) * _DAY
            if place % _MOVED_IN == _MOVED_IN // 2 and later < self._now:
                planned = later
            return planned, [PastChange(planned, _PLANNER, {"IterationID": root})]
        first = self._planning_day(before.start)
        # Teams carry over what is undone at the review on the last Friday.
        rolled = _at(before.end - 2 * _DAY, 15) + self._random.randrange(90) * _MINUTE
        moves = [PastChange(first, _PLANNER, {"IterationID": root})]
        return rolled, [*moves, PastChange(rolled, _PLANNER, {"IterationID": before.id})]

    def _may_come_from(self, sprint: Sprint, item: WorkItemRow) -> bool:
        """Return True for a sprint that is over, and began when the item was known."""
        if sprint.start is None or sprint.end is None:
            return False
        return sprint.end < self._now.date() and item.created_at < _at(sprint.start)

    def _planning_day(self, start: date) -> datetime:
        """Return a time on the first morning of a sprint, or in the last days for one to come."""
        planned = _at(start, 9) + self._random.randrange(75) * _MINUTE
        if planned < self._now:
            return planned
        return self._now - self._random.randrange(1, 4) * _DAY - self._random.randrange(200) * _MINUTE

    def _estimates(self, item: WorkItemRow, planned: datetime) -> list[PastChange]:
        estimate = item.values.get("Estimate")
        if estimate is None:
            return []
        grooming = item.created_at + (planned - item.created_at) * self._random.uniform(0.2, 0.9)
        by = self._anybody()
        if self._random.randrange(_RE_ESTIMATED) or int(estimate) < 3:
            return [PastChange(grooming, by, {"Estimate": None})]
        first = {"3": "2", "5": "3", "8": "5", "13": "8", "21": "13"}.get(estimate, estimate)
        again = planned + 3 * _DAY + self._random.randrange(180) * _MINUTE
        return [PastChange(grooming, by, {"Estimate": None}), PastChange(again, by, {"Estimate": first})]

    def _progress(self, item: WorkItemRow, sprint: Sprint, planned: datetime) -> list[PastChange]:
        """Return the changes of status in a sprint: taken, tested and done, or given up."""
        status = item.values["Status"]
        if status == "Not Done" or sprint.start is None or sprint.end is None:
            return []
        earliest = max(planned, _at(sprint.start, 10)) + 30 * _MINUTE
        last = self._last_change(item, sprint, earliest)
        by = self._names.get(item.values.get("AssignedToID"), item.last_modified_by)
        if status in {"Deferred", "Deleted"}:
            return [PastChange(last, _PLANNER, {"Status": "Not Done"})]
        taken = {"Status": "Not Done", "AssignedToID": None}
        if status == "In Progress":
            return [PastChange(last, by, taken)]
        began = earliest + (last - earliest) * self._random.uniform(0.05, 0.4)
        if status == "Ready For Test":
            return [PastChange(began, by, taken), PastChange(last, by, {"Status": "In Progress"})]
        tested = began + (last - began) * self._random.uniform(0.5, 0.9)
        return [
            PastChange(began, by, taken),
            PastChange(tested, by, {"Status": "In Progress"}),
            PastChange(last, self._anybody(), {"Status": "Ready For Test"}),
        ]

    def _last_change(self, item: WorkItemRow, sprint: Sprint, earliest: datetime) -> datetime:
        """Return the item's own last change where that was in working hours of the sprint, else another such time."""
        assert sprint.start is not None
        assert sprint.end is not None
        own = item.last_modified_at
        is_at_work = own.weekday() < 5 and _FIRST_HOUR <= own.hour < _FIRST_HOUR + _HOURS
        if is_at_work and earliest < own < _at(sprint.end + _DAY):
            return own
        end = min(sprint.end, self._now.date())
        return max(self._working_moment(sprint.start + 3 * _DAY, end), earliest + 90 * _MINUTE)

    def _task_changes(self, task: WorkItemRow, parent: WorkItemRow) -> list[PastChange]:
        status = task.values["Status"]
        if status in {None, "Not Done"}:
            return []
        by = self._names.get(task.values.get("AssignedToID"), task.created_by)
        # Tasks are worked on while their item is; the last one ends a little before it.
        at = parent.last_modified_at - self._random.randrange(15, 900) * _MINUTE
        changes = [PastChange(day, by, work) for day, work in self._work(task, at)]
        before = {"Status": "Not Done", "AssignedToID": None}
        if status != "Done" or len(changes) == 1:
            return [PastChange(at, by, before)] if not changes else [_with(changes[0], before), *changes[1:]]
        done = _with(changes[-1], {"Status": "In Progress"})
        return [_with(changes[0], before), *changes[1:-1], done]

    def _work(self, task: WorkItemRow, last: datetime) -> list[tuple[datetime, dict[str, float]]]:
        """Return the working days on which a task was worked on, up to the last, with its work before each."""
        remaining, hours = task.values["WorkRemaining"], task.values["WorkCompleted"] or 0.0
        days = min(1 + task.id % _DAYS_OF_WORK, int(hours)) or (1 if hours else 0)
        found, at = [], last
        for number in reversed(range(days)):
            before = float(int(hours * number / days))
            found.append((at, {"WorkCompleted": before, "WorkRemaining": remaining + hours - before}))
            at -= (3 if at.weekday() == 0 else 1) * _DAY
        return found[::-1]

    def _working_moment(self, first: date, last: date) -> datetime:
        days = [first + number * _DAY for number in range(max((last - first).days, 0) + 1)]
        working = [day for day in days if day.weekday() < 5] or days
        minutes = self._random.randrange(_HOURS * 60)
        return _at(self._random.choice(working), _FIRST_HOUR) + minutes * _MINUTE

    def _anybody(self) -> str:
        return self._random.choice([*self._names.values()])


def _with(change: PastChange, before: Mapping[str, Any]) -> PastChange:
    return replace(change, before={**change.before, **before})


def _before_last_edit(item: WorkItemRow) -> dict[str, Any]:
    """Return the values that the last edit of an item in the backlog replaced."""
    values = item.values
    if values.get("Status") in {"Closed", "Deferred", "Deleted"}:
        return {"Status": "Active" if values["Status"] == "Closed" else "Not Done"}
    if values.get("Estimate"):
        return {"Estimate": None}
    for key, empty in (("AssignedToID", None), ("Tags", []), ("PriorityClass", None), ("Description", "")):
        if values.get(key):
            return {key: empty}
    return _before_rewording(item)


def _before_rewording(item: WorkItemRow) -> dict[str, Any]:
    """Return a name with a full stop, which somebody took away."""
    return {"Name": f"{item.values['Name'][: NAME_LIMIT - 1]}."}


def _at(day: date, hour: int = 0) -> datetime:
    return datetime.combine(day, time(hour))


def _milliseconds(at: datetime) -> datetime:
    return at.replace(microsecond=at.microsecond // 1000 * 1000)
