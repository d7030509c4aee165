"""Which values an item keeps as another type, or in another project."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from backlit.model.conversions import fits, fitted_status
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import WorkItemRow, pert

_EMPTY: tuple[object, ...] = (None, "", [])
_OF_ITS_PLACE = frozenset({"BacklogPriority", "CalculatedEstimate", "PertEstimate"})
"""Values that are worked out, and not lost."""


class FittedItem(Struct, frozen=True):
    """An item as another type or in another project; `settings` are those of the project that it is in."""

    item: WorkItemRow
    settings: ProjectSettings
    item_type: str
    new_settings: ProjectSettings

    def values(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """Return what it keeps, with presets for what it did not have, and `given` values before both."""
        fields = self.new_settings.fields_by_type[self.item_type]
        known = {field.key: field for field in self.settings.fields_by_type[self.item.type]}
        found: dict[str, Any] = {}
        for field in fields:
            if field.key in given:
                found[field.key] = given[field.key]
            elif field.kind is Kind.STATUS:
                found[field.key] = self._status()
            elif field.key in known and self._fits(field, known[field.key]):
                found[field.key] = self.item.values.get(field.key)
            else:
                preset = self.new_settings.presets[self.item_type].get(field.key)
                found[field.key] = [] if preset is None and field.kind is Kind.TAGS else preset
        if self.item_type == ItemType.TASK:
            found["PertEstimate"] = pert(found)
        return found

    def _fits(self, field: Field, old: Field) -> bool:
        return fits(field, old, self.item.values.get(field.key), self.new_settings.choices(self.item_type, field))

    def _status(self) -> str | None:
        choices = self.new_settings.choices(self.item_type, FIELD_BY_KEY["Status"])
        return fitted_status(self.item.values.get("Status"), self.settings.groups, choices, self.new_settings.groups)


def lost_values(old: Mapping[str, Any], new: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that an item has no longer, or in another form."""
    return {
        key: value
        for key, value in old.items()
        if value not in _EMPTY and value != new.get(key) and key not in _OF_ITS_PLACE
    }
