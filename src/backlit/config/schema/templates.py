"""The model of `[[template]]` in `config.toml`."""

from collections.abc import Collection, Mapping
from typing import Annotated, Any, TypeGuard

from pydantic import Field, PlainValidator, ValidationInfo, field_validator, model_validator

from backlit.config.schema.documents import Filled, Table, fault, faults_at
from backlit.model.errors import BadRequest
from backlit.model.fields import ItemType
from backlit.model.query.keys import all_keys, field_named
from backlit.model.settings.user_settings import writable_field_key

LARGEST = 2**53
"""The largest number that every reader of the checked settings keeps exactly."""
_TEMPLATE_TYPES = {each.casefold(): each for each in ItemType if each is not ItemType.TASK}


def _template_words(word: str) -> Collection[str]:
    """Return the keys of a template; none for a field that its type does not have."""
    return () if field_named(word) is not None else (*all_keys(), "tasks")


def _read_template_type(value: object) -> ItemType:
    found = _TEMPLATE_TYPES.get(value.casefold()) if isinstance(value, str) else None
    if found is None:
        types = _TEMPLATE_TYPES.values()
        raise fault(f"A template cannot have the type {value!r}. Choose from: {', '.join(types)}.", value, types)
    return found


class TemplateTable(Table):
    """A table `[[template]]`; `fields` holds its further keys."""

    name: Filled = Field(examples=['name = "Incident"'])
    """The name in the list of templates."""
    type: Annotated[ItemType, PlainValidator(_read_template_type)] = Field(examples=['type = "Bug"'])
    """The type of the item that it makes."""
    tasks: list[Filled] = Field(default=[], examples=['tasks = ["Find the cause"]'])
    """Names of the tasks that come with the item."""
    fields: dict[str, Any] = Field(default={})
    """Any other key is a field of the type with its first value, as in `Priority = 2`."""

    @model_validator(mode="before")
    @classmethod
    def gather_fields(cls, table: Any) -> Any:
        """Put the keys of fields into a table of their own, as they are not the same for all types."""
        if not isinstance(table, Mapping):
            return table
        own = {key: value for key, value in table.items() if key in {"name", "type", "tasks"}}
        return own | {"fields": {key: value for key, value in table.items() if key not in own}}

    @field_validator("fields")
    @classmethod
    def check_fields(cls, fields: dict[str, Any], info: ValidationInfo) -> dict[str, Any]:
        """Return the fields by key; a template without a type cannot say which it has."""
        name, item_type = info.data.get("name"), info.data.get("type")
        if item_type is None:
            return {}
        where = f"In the template {name!r}" if name else "In a template without a name"
        values, faults = {}, {}
        for written, value in fields.items():
            try:
                values[writable_field_key(item_type, written)] = value
            except BadRequest as error:
                words = _template_words(written)
                faults[written] = fault(f"{where}, {error.message}", written, words, is_about_key=True)
            else:
                if not _is_field_value(value):
                    kinds = "a text, a number, true or false, or a list of texts"
                    faults[written] = fault(f"{where}, {written} must be {kinds}.")
        if faults:
            raise faults_at(faults)
        return values


def _is_field_value(value: object) -> bool:
    if isinstance(value, list):
        return all(isinstance(each, str) for each in value)
    return isinstance(value, str | bool) or is_number(value)


def is_number(value: object) -> TypeGuard[int | float]:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= LARGEST
