"""What all resources of the wire have in common (SPEC 2)."""

from datetime import date, datetime
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer
from pydantic.alias_generators import to_camel

from backlit.model.dates import parse_date, parse_datetime, write_datetime
from backlit.model.errors import BadRequest


def _server_time(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return parse_datetime(value)
    except BadRequest as error:
        raise ValueError(error.message) from None


def _server_date(value: object) -> object:
    if isinstance(value, datetime):
        return value.date()
    if not isinstance(value, str):
        return value
    try:
        return parse_date(value)
    except BadRequest as error:
        raise ValueError(error.message) from None


def _text(value: object) -> object:
    return "" if value is None else value


def _flag(value: object) -> object:
    return False if value is None else value


ServerTime = Annotated[datetime, BeforeValidator(_server_time), PlainSerializer(write_datetime, return_type=str)]
ServerDate = Annotated[date, BeforeValidator(_server_date)]
Text = Annotated[str, BeforeValidator(_text)]
"""Text that some servers send as null."""
Flag = Annotated[bool, BeforeValidator(_flag)]
"""A boolean that some servers send as null."""

AUDIT_KEYS = ("createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt")


class Resource(BaseModel):
    """A resource as its JSON has it; keys that SPEC.md does not know are kept and written back."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="allow")

    created_by: str | None = None
    created_at: ServerTime | None = None
    last_modified_by: str | None = None
    last_modified_at: ServerTime | None = None

    def wire(self) -> dict[str, Any]:
        """Write the JSON object in SPEC's order of keys, audit fields last and only where they are known."""
        document = self.model_dump(mode="json", by_alias=True)
        audit = {key: document.pop(key) for key in AUDIT_KEYS}
        return document | {key: value for key, value in audit.items() if value is not None}
