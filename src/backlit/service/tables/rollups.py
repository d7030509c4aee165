"""Figures of an item and of all that is below it."""

from collections.abc import Iterable

from sqlalchemy import Connection, select

from backlit.model.fields import ItemType
from backlit.model.relations import RelationType
from backlit.model.rollups import ItemBelow, Rollup, TaskWork, TreeBelow
from backlit.service.storage.objects_schema import relations
from backlit.service.storage.schema import work_items
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import WorkItemRow


def rollup_of(connection: Connection, item: WorkItemRow, settings: ProjectSettings) -> Rollup:
    is_feature = item.type == ItemType.FEATURE
    tree = TreeBelow(item.id, is_feature, _children(connection, item.id) if is_feature else {}, settings.groups)
    return tree.rollup(_tasks(connection, tree.with_tasks()))


def _children(connection: Connection, feature_id: int) -> dict[int, list[ItemBelow]]:
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
    found: dict[int, list[ItemBelow]] = {}
    for parent_id, *values in connection.execute(rows.order_by(work_items.c.id)):
        found.setdefault(parent_id, []).append(ItemBelow(*values))
    return found


_IDS_AT_ONCE = 500


def _tasks(connection: Connection, parent_ids: Iterable[int]) -> list[TaskWork]:
    ids = list(parent_ids)
    columns = work_items.c.status, work_items.c.work_remaining, work_items.c.work_completed
    return [
        TaskWork(*row)
        for start in range(0, len(ids), _IDS_AT_ONCE)
        for row in connection.execute(
            select(*columns).where(work_items.c.parent_id.in_(ids[start : start + _IDS_AT_ONCE]))
        )
    ]
