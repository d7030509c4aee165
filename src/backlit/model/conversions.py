"""Items that become another type or change their project: what stands against it, and which values fit."""

from collections.abc import Collection

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import BadRequest, Conflict
from backlit.model.fields import Field, ItemType
from backlit.model.relations import KnownRelation, KnownRelations, NewRelation, RelatedItem, RelationType, must_fit
from backlit.model.statuses import StatusGroup, StatusGroups


class AttachedObjects(Struct, frozen=True):
    """What an item has that not every type can have."""

    children: bool = False
    tasks: bool = False
    criteria: bool = False
    duplicates: bool = False
    time_entries: bool = False


def must_convert(item: RelatedItem, item_type: str, attached: AttachedObjects) -> None:
    """Raise Conflict for an item with something that the new type cannot have."""
    if attached.children:
        raise Conflict(f"#{item.id} is the parent of other items. Only a Feature can be.")
    if item.type == ItemType.TASK and attached.time_entries:
        raise Conflict(f"#{item.id} has time entries, which only a Task can have. Delete them first.")
    if item_type != ItemType.TASK:
        return
    if attached.tasks:
        raise Conflict(f"#{item.id} has tasks, which a Task cannot have.")
    if attached.criteria:
        raise Conflict(f"#{item.id} has acceptance criteria, which a Task cannot have.")
    if attached.duplicates:
        raise Conflict(f"#{item.id} is or has a duplicate, which a Task cannot be or have.")


def must_fit_above(item: RelatedItem, parent: KnownRelation | None, known: KnownRelations) -> None:
    """Raise Conflict for an item that becomes a Feature below too many others; `parent` is its Parent relation."""
    if parent is None:
        return
    feature = replace(item, type=ItemType.FEATURE.value)
    above = RelatedItem(parent.second_id, ItemType.FEATURE.value, item.project_id)
    try:
        must_fit(NewRelation(RelationType.PARENT, feature, above, parent.id), known)
    except BadRequest as error:
        raise Conflict(error.message) from error


def fits(field: Field, old: Field, value: object, choices: Collection[str]) -> bool:
    """Report whether a value of a field can stay, where the field of this key is another one."""
    return field.kind is old.kind and (value is None or not choices or value in choices)


def fitted_status(
    status: str | None, groups: StatusGroups, choices: Collection[str], new_groups: StatusGroups
) -> str | None:
    """Return the status where there is such a one, else the first of its group, else that of a new item."""
    if status in choices:
        return status
    group = groups.of(status)
    alike = None if group is StatusGroup.UNKNOWN else new_groups.first(choices, group)
    return alike or next(iter(choices), None)
