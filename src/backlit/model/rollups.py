"""Figures of an item and of all that is below it (roll-up), by one rule for the service and the local copy."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from backlit.model.amounts import points_of
from backlit.model.fields import UNCOUNTED_TYPES, ItemType
from backlit.model.statuses import StatusGroup, StatusGroups


class Rollup(Struct, frozen=True, rename="camel"):
    """What is below an item; the work is null where no task says any, the progress without items."""

    id: int
    items: int
    items_done: int
    unestimated: int
    points: float
    points_done: float
    progress: float | None
    work_remaining: float | None
    work_completed: float | None


class ItemBelow(Struct, frozen=True):
    """An item below a Feature."""

    id: int
    type: str
    status: str | None
    estimate: str | None


class TaskWork(Struct, frozen=True):
    """The figures of a task."""

    status: str | None
    work_remaining: float | None
    work_completed: float | None


class TreeBelow(Struct, frozen=True):
    """All below an item that is no task, but for tasks: `children` by the ids of their parents."""

    id: int
    is_feature: bool
    children: Mapping[int, Sequence[ItemBelow]]
    groups: StatusGroups

    def counted(self) -> list[ItemBelow]:
        """Return the items that count, among them Features below it without any."""
        return list(self._counted(self.id, {self.id})) if self.is_feature else []

    def with_tasks(self) -> Collection[int]:
        """Return the items whose tasks are summed up."""
        features = (each.id for some in self.children.values() for each in some if each.type == ItemType.FEATURE)
        return dict.fromkeys([self.id, *features, *(each.id for each in self.counted())])

    def rollup(self, tasks: Iterable[TaskWork]) -> Rollup:
        """Return the figures, given the tasks of the items `with_tasks`."""
        counted = self.counted()
        work = [each for each in tasks if not self._is_excluded(each.status)]
        statuses = [each.status for each in (counted if self.is_feature else work)]
        done = sum(self.groups.of(status) is StatusGroup.DONE for status in statuses)
        points = [(points_of(each.estimate), self.groups.of(each.status)) for each in counted]
        total = sum(number for number, _ in points if number is not None)
        finished = sum(number for number, group in points if number is not None and group is StatusGroup.DONE)
        share = finished / total if total else done / len(statuses) if statuses else None
        return Rollup(
            self.id,
            len(statuses),
            done,
            sum(number is None for number, _ in points),
            total,
            finished,
            None if share is None else min(max(share, 0.0), 1.0),
            _sum(each.work_remaining for each in work),
            _sum(each.work_completed for each in work),
        )

    def _counted(self, feature_id: int, passed: set[int]) -> Iterator[ItemBelow]:
        for each in self.children.get(feature_id, ()):
            if each.id in passed:
                continue  # two changes that are not sent yet can close a circle
            below = list(self._counted(each.id, passed | {each.id}))
            if each.type == ItemType.FEATURE and below:
                yield from below
            elif each.type not in UNCOUNTED_TYPES and not self._is_excluded(each.status):
                yield each

    def _is_excluded(self, status: str | None) -> bool:
        return self.groups.of(status) is StatusGroup.EXCLUDED


def _sum(values: Iterable[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return sum(given) if given else None
