"""Templates of new items, filled in for the current project."""

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind
from backlit.model.settings.user_settings import Template
from backlit.store.field_words import FieldReading
from backlit.store.store import Store

_AS_WRITTEN = frozenset({Kind.TEXT, Kind.LONG_TEXT})


def template_fields(store: Store, template: Template) -> dict[str, object]:
    """Return the values of a template in the current project; raises BadRequest for a name that the project lacks."""
    reading = FieldReading(store)
    custom = {field.key: field for field in store.lookups.custom_fields()}
    found: dict[str, object] = {}
    for key, value in template.fields.items():
        field = FIELD_BY_KEY.get(key) or custom.get(key)
        if field is None or not field.applies_to(template.type):
            raise BadRequest(f"The template “{template.name}” fills in {key}, which this project does not have.")
        try:
            found[key] = _value(reading, field, template.type, value)
        except BadRequest as fault:
            raise BadRequest(f"The template “{template.name}” does not fit this project: {fault}") from None
    return found


def _value(reading: FieldReading, field: Field, item_type: ItemType, value: object) -> object:
    if not isinstance(value, str) or field.kind in _AS_WRITTEN:
        return value
    return reading.read(field, item_type, value)
