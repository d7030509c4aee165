"""Templates of new items from `[[template]]` in the settings: preset fields and tasks."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS, ItemType, Kind, Settable
from backlit.model.query.keys import field_named

OWN_KEYS = ("name", "type", "tasks")


@dataclass(frozen=True, slots=True)
class Template:
    """A template of new items; `fields` holds values as people write them, by field key."""

    name: str
    type: ItemType
    fields: Mapping[str, object] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()


def templates_in(value: object) -> tuple[Template, ...]:
    """Read the tables. Raises BadRequest that names the template and the fault."""
    tables = value if isinstance(value, list) else [None]
    if not all(isinstance(each, Mapping) for each in tables):
        raise BadRequest("Write templates as [[template]], each with a name and a type.")
    return tuple(map(_template, tables))


def _template(table: Mapping[str, object]) -> Template:
    name, type_name, tasks = (table.get(key, "") for key in OWN_KEYS)
    if not isinstance(name, str) or not name.strip():
        raise BadRequest('A template has no name. Add: name = "…".')
    types = {each.casefold(): each for each in ItemType if each is not ItemType.TASK}
    item_type = types.get(type_name.casefold()) if isinstance(type_name, str) else None
    if item_type is None:
        raise BadRequest(f"The template {name!r} has no type. Choose from: {', '.join(types.values())}.")
    tasks = tasks or []
    if not isinstance(tasks, list) or not all(isinstance(each, str) and each.strip() for each in tasks):
        raise BadRequest(f'In the template {name!r}, "tasks" must be a list of names.')
    fields = {_key(name, item_type, key): value for key, value in table.items() if key not in OWN_KEYS}
    for key, value in fields.items():
        if not _is_value(value):
            raise BadRequest(
                f"In the template {name!r}, {key} must be a text, a number, true or false, or a list of texts."
            )
    return Template(name.strip(), item_type, fields, tuple(each.strip() for each in tasks))


def _key(name: str, item_type: ItemType, text: str) -> str:
    """Return the key of a writable field; a project's own key stays as written."""
    found = FIELD_BY_KEY["Name"] if text == "Name" else field_named(text)
    key = "Estimate" if found is not None and found.kind is Kind.COMPUTED and text.lower() == "est" else text
    known = FIELD_BY_KEY.get(key) or found
    if known is None and key.endswith("_cf"):
        return key
    if known is None:
        raise BadRequest(f"In the template {name!r}, the field {text!r} is unknown.")
    if known.settable is not Settable.ALWAYS or known.key in SYNC_KEYS or not known.applies_to(item_type):
        raise BadRequest(f"In the template {name!r}, a {item_type.lower()} has no writable field {text!r}.")
    return known.key


def _is_value(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    is_list = isinstance(value, list)
    return all(isinstance(each, str) or (not is_list and isinstance(each, bool | int | float)) for each in texts)
