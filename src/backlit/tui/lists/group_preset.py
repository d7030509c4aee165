"""The values that a new item takes over from the group of a list that it is added in."""

from collections.abc import Mapping

from backlit.model.fields import Field, ItemType, Kind, Settable
from backlit.model.filters import POINTS
from backlit.model.query.keys import field_named
from backlit.store.store import Store
from backlit.tui.fields.acts import is_for_customers
from backlit.tui.fields.values import number_text


def type_in(group: Mapping[str, object]) -> ItemType | None:
    """The type that a group is of, if it is of one."""
    found = group.get("type")
    return ItemType(str(found)) if found in set(ItemType) else None


def preset_of(store: Store, item_type: ItemType, group: Mapping[str, object]) -> dict[str, object]:
    """The group's values that a new item of a type can have; what customers would see is never taken over."""
    found: dict[str, object] = {}
    for key, value in group.items():
        field = field_named("Estimate" if key == POINTS else key, store.lookups.custom_fields())
        if field is None or field.settable is not Settable.ALWAYS or not field.applies_to(item_type):
            continue
        if value is not None and not is_for_customers(field.key) and _fits(store, field, item_type, value):
            found[field.key] = _in_document(field, value)
    return found


def _fits(store: Store, field: Field, item_type: ItemType, value: object) -> bool:
    """Return whether the project lets items of the type have it."""
    choices = store.lookups.choices(field, item_type) if field.kind in {Kind.STATUS, Kind.CHOICE} else ()
    return not choices or value in choices


def _in_document(field: Field, value: object) -> object:
    """As documents have what lists are grouped by."""
    if field.kind is Kind.BOOLEAN:
        return bool(value)
    if field.kind is Kind.TAGS:
        return list(value) if isinstance(value, tuple) else value
    if field.key == "Estimate" and isinstance(value, int | float):
        return number_text(float(value))
    return value
