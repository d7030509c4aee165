"""Consistency check of what is below items: their items, and the rules of relations and criteria."""

from collections.abc import Iterator, Mapping
from typing import Any

from sqlalchemy import Connection, and_, func, or_, select

from backlit.model.fields import ItemType
from backlit.model.relations import MAX_FEATURE_LEVELS, RelationType
from backlit.service.admin.history_check import MAX_FAULTS_OF_A_KIND, Fault
from backlit.service.storage.objects_schema import acceptance_criteria, relations, time_entries
from backlit.service.storage.schema import work_items
from backlit.service.tables.below import BELOW_ITEMS


def faults_below_items(connection: Connection) -> Iterator[Fault]:
    yield from _lost(connection)
    yield from _unfit(connection)
    yield from _doubled(connection)
    for kind in (RelationType.PARENT, RelationType.BLOCKS, RelationType.DUPLICATES):
        yield from _circles(connection, kind)
    yield from _sequences(connection)


def _lost(connection: Connection) -> Iterator[Fault]:
    """Find objects whose item is gone, or in another project than theirs."""
    for objects in BELOW_ITEMS:
        for item, project in objects.ends:
            place = objects.table.c[item], objects.table.c[project]
            lost = select(objects.table.c.id).outerjoin(work_items, work_items.c.id == place[0])
            elsewhere = work_items.c.id.is_(None) | (work_items.c.project_id != place[1])
            for object_id in connection.execute(lost.where(elsewhere)).scalars():
                yield objects.table.name, object_id, item, "Its work item is not in the project."


def _unfit(connection: Connection) -> Iterator[Fault]:
    first, second = work_items.alias("first"), work_items.alias("second")
    is_parent = relations.c.type == RelationType.PARENT.value
    ends = relations.join(first, first.c.id == relations.c.work_item_id).join(
        second, second.c.id == relations.c.target_id
    )
    task = ItemType.TASK.value
    rules = (
        (
            and_(is_parent, or_(second.c.type != ItemType.FEATURE.value, first.c.type == task)),
            "The parent of an item must be a Feature, and that of a task is its ParentID.",
        ),
        (and_(is_parent, relations.c.project_id != relations.c.target_project_id), "The parent is in another project."),
        (
            and_(relations.c.type == RelationType.DUPLICATES.value, or_(first.c.type == task, second.c.type == task)),
            "A task is no duplicate, and has none.",
        ),
    )
    for unfit, sentence in rules:
        for relation_id in connection.execute(select(relations.c.id).select_from(ends).where(unfit)).scalars():
            yield "relations", relation_id, "target_id", sentence
    entries = select(time_entries.c.id).join(work_items, work_items.c.id == time_entries.c.task_id)
    for entry_id in connection.execute(entries.where(work_items.c.type != task)).scalars():
        yield "time_entries", entry_id, "task_id", "Its work item is no task."


def _doubled(connection: Connection) -> Iterator[Fault]:
    """Find items with more than one parent or original, and Related items whose ends stand the wrong way round."""
    single = relations.c.type.in_([RelationType.PARENT.value, RelationType.DUPLICATES.value])
    several = select(func.max(relations.c.id), relations.c.work_item_id, relations.c.type).where(single)
    for relation_id, item_id, kind in connection.execute(
        several.group_by(relations.c.work_item_id, relations.c.type).having(func.count() > 1)
    ):
        yield "relations", relation_id, "work_item_id", f"Item {item_id} has more than one relation {kind}."
    is_turned = and_(relations.c.type == RelationType.RELATED.value, relations.c.work_item_id >= relations.c.target_id)
    for relation_id in connection.execute(select(relations.c.id).where(is_turned)).scalars():
        yield "relations", relation_id, "target_id", "The smaller id must be the first of two related items."


def _circles(connection: Connection, kind: RelationType) -> Iterator[Fault]:
    """Find relations of a type in circles, and parents that are too many levels above each other."""
    ends = select(relations.c.id, relations.c.work_item_id, relations.c.target_id)
    targets: dict[int, dict[int, int]] = {}
    for relation_id, first, second in connection.execute(ends.where(relations.c.type == kind.value)):
        targets.setdefault(first, {})[second] = relation_id
    for relation_id in _in_circles(targets)[:MAX_FAULTS_OF_A_KIND]:
        yield "relations", relation_id, "target_id", f"It closes a circle of relations {kind}."
    if kind is RelationType.PARENT:
        yield from _too_deep(connection, {first: next(iter(seconds)) for first, seconds in targets.items()})


def _in_circles(targets: Mapping[int, Mapping[int, int]]) -> list[int]:
    """Return the relations that are left once all ends that lead nowhere are taken away, which are those of circles."""
    left = {first: dict(seconds) for first, seconds in targets.items()}
    while True:
        ended = {first for first, seconds in left.items() if not any(second in left for second in seconds)}
        if not ended:
            return sorted(
                relation_id for seconds in left.values() for second, relation_id in seconds.items() if second in left
            )
        left = {first: seconds for first, seconds in left.items() if first not in ended}


def _too_deep(connection: Connection, parents: Mapping[int, int]) -> Iterator[Fault]:
    is_feature = work_items.c.type == ItemType.FEATURE.value
    if not parents:
        return
    features = set(connection.execute(select(work_items.c.id).where(is_feature)).scalars())
    for item_id in sorted(features.intersection(parents)):
        above, at = 1, item_id
        while at in parents and above <= MAX_FEATURE_LEVELS:
            above, at = above + 1, parents[at]
        if above > MAX_FEATURE_LEVELS:
            sentence = f"More than {MAX_FEATURE_LEVELS} Features stand above each other."
            yield "work_items", item_id, "id", sentence


def _sequences(connection: Connection) -> Iterator[Fault]:
    """Find items whose criteria are not numbered from 1 on."""
    place = acceptance_criteria.c
    numbers = select(place.work_item_id, func.count(), func.max(place.sequence), func.count(place.sequence.distinct()))
    rows: Any = connection.execute(numbers.group_by(place.work_item_id))
    for item_id, count, last, different in rows:
        if not count == last == different:
            yield (
                "acceptance_criteria",
                item_id,
                "sequence",
                f"The criteria of item {item_id} are not numbered 1 to {count}.",
            )
