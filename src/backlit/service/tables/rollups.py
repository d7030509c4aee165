"""Figures of an item and of all that is below it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct
from sqlalchemy import Connection, select

from backlit.model.amounts import points_of
from backlit.model.fields import UNCOUNTED_TYPES, ItemType
from backlit.model.relations import RelationType
from backlit.model.statuses import StatusGroup
from backlit.service.storage.objects_schema import relations
from backlit.service.storage.schema import work_items
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import WorkItemRow


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


class _ItemBelow(Struct, frozen=True):
    """An item in the sums of a Feature."""

    id: int
    type: str
    status: str | None
    estimate: str | None


def rollup_of(connection: Connection, item: WorkItemRow, settings: ProjectSettings) -> Rollup:
    groups = settings.groups

    def is_excluded(status: str | None) -> bool:
        return groups.of(status) is StatusGroup.EXCLUDED

    if item.type == ItemType.FEATURE:
        children = _children(connection, item.id)
        counted = list(_counted(item.id, children, is_excluded))
        features = [each.id for some in children.values() for each in some if each.type == ItemType.FEATURE]
        parents = dict.fromkeys([item.id, *features, *(each.id for each in counted)])
    else:
        counted, parents = [], dict.fromkeys([item.id])
    tasks = [row for row in _tasks(connection, parents) if not is_excluded(row.status)]
    statuses = [each.status for each in (counted if item.type == ItemType.FEATURE else tasks)]
    done = sum(groups.of(status) is StatusGroup.DONE for status in statuses)
    points = [(points_of(each.estimate), groups.of(each.status)) for each in counted]
    total = sum(number for number, _ in points if number is not None)
    finished = sum(number for number, group in points if number is not None and group is StatusGroup.DONE)
    share = finished / total if total else done / len(statuses) if statuses else None
    return Rollup(
        item.id,
        len(statuses),
        done,
        sum(number is None for number, _ in points),
        total,
        finished,
        None if share is None else min(max(share, 0.0), 1.0),
        _sum(row.work_remaining for row in tasks),
        _sum(row.work_completed for row in tasks),
    )


def _counted(
    feature_id: int, children: Mapping[int, Sequence[_ItemBelow]], is_excluded: Callable[[str | None], bool]
) -> Iterator[_ItemBelow]:
    """Yield the items that count for a Feature, among them Features below it without any."""
    for each in children.get(feature_id, ()):
        below = list(_counted(each.id, children, is_excluded))
        if each.type == ItemType.FEATURE and below:
            yield from below
        elif each.type not in UNCOUNTED_TYPES and not is_excluded(each.status):
            yield each


def _children(connection: Connection, feature_id: int) -> dict[int, list[_ItemBelow]]:
    """Return all below a Feature by the ids of their parents."""
    columns = work_items.c.id, work_items.c.type, work_items.c.status, work_items.c.estimate
    is_parent = relations.c.type == RelationType.PARENT.value
    below = select(relations.c.work_item_id, relations.c.target_id).where(
        is_parent, relations.c.target_id == feature_id
    )
    tree = below.cte("tree", recursive=True)
    further = select(relations.c.work_item_id, relations.c.target_id)
    tree = tree.union(further.where(is_parent, relations.c.target_id == tree.c.work_item_id))
    rows = select(tree.c.target_id, *columns).join(work_items, work_items.c.id == tree.c.work_item_id)
    found: dict[int, list[_ItemBelow]] = {}
    for parent_id, *values in connection.execute(rows.order_by(work_items.c.id)):
        found.setdefault(parent_id, []).append(_ItemBelow(*values))
    return found


_IDS_AT_ONCE = 500


def _tasks(connection: Connection, parent_ids: Iterable[int]) -> list[Any]:
    ids = list(parent_ids)
    columns = work_items.c.status, work_items.c.work_remaining, work_items.c.work_completed
    return [
        row
        for start in range(0, len(ids), _IDS_AT_ONCE)
        for row in connection.execute(
            select(*columns).where(work_items.c.parent_id.in_(ids[start : start + _IDS_AT_ONCE]))
        )
    ]


def _sum(values: Iterable[float | None]) -> float | None:
    given = [value for value in values if value is not None]
    return sum(given) if given else None
