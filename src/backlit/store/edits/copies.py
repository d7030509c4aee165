"""Copies of items: what a new item takes over."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import NAME_LIMIT, ItemType, Settable, fields_of
from backlit.model.resources import CriterionStatus
from backlit.store.edits.checks import ON_ADD, check
from backlit.store.edits.items import ItemWithTasks
from backlit.store.object_changes.rows import LAST_PLACE, SEQUENCE
from backlit.store.records.item import Item
from backlit.store.views.lookups import Lookups
from backlit.store.views.objects import Criteria, Criterion

SUFFIX = " (copy)"
NOT_COPIED = frozenset({"Name", "Status", "IsVisibleInPortal"})
"""Fields of a copy that start anew; no customer sees a copy before somebody wants that."""


def copies_of(
    lookups: Lookups,
    criteria: Criteria,
    items: Sequence[Item],
    tasks: Mapping[int, Sequence[Item]],
    left_out: set[str],
) -> list[ItemWithTasks]:
    """Return copies of items with their criteria, none of which was executed, and with tasks below them.

    A task that is copied with its item is no item of its own.

    Sentences about values that may not be set any more are added to `left_out`.
    """
    below = {task.id for each in tasks.values() for task in each}
    return [
        ItemWithTasks(
            item.type,
            _copied(lookups, item, left_out),
            [_copied(lookups, task, left_out, "") for task in tasks.get(item.id, ())],
            criteria=[_criterion(each) for each in criteria.of_item(item.id)],
        )
        for item in items
        if item.id not in below
    ]


def _criterion(copied: Criterion) -> dict[str, object]:
    status = CriterionStatus.NOT_EXECUTED.value
    return {"title": copied.title, "description": copied.description, "status": status, SEQUENCE: LAST_PLACE}


def _copied(lookups: Lookups, item: Item, left_out: set[str], suffix: str = SUFFIX) -> dict[str, object]:
    fields: dict[str, object] = {"Name": item.name[: NAME_LIMIT - len(suffix)] + suffix}
    if item.type == ItemType.TASK:
        fields["ParentID"] = item.fields.get("ParentID")
    for field in fields_of(item.type, lookups.custom_fields()):
        value = item.fields.get(field.key)
        if field.settable is Settable.ALWAYS and field.key not in NOT_COPIED and value not in (None, "", []):
            fields[field.key] = value
    return check(item.type, fields, lookups, ON_ADD, left_out)
