"""Resources of the interface (docs/interface.md)."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Annotated, Any, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, PlainSerializer, ValidationError
from pydantic.alias_generators import to_camel

from backlit.model.dates import parse_date, parse_datetime, write_datetime
from backlit.model.errors import BadRequest, ServiceError
from backlit.model.plain import plain


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
"""Text; null from some servers means ""."""
Flag = Annotated[bool, BeforeValidator(_flag)]
"""A boolean; null from some servers means False."""

INTERNAL = "Service"
PORTAL = "Feedback"
AUDIT_KEYS = ("createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt")


class Resource(BaseModel):
    """A resource in its JSON form; unknown keys are kept and written back."""

    model_config = ConfigDict(frozen=True, alias_generator=to_camel, populate_by_name=True, extra="allow")

    created_by: str | None = None
    created_at: ServerTime | None = None
    last_modified_by: str | None = None
    last_modified_at: ServerTime | None = None

    @classmethod
    def read(cls, document: Mapping[str, Any]) -> Self:
        """Check a received document against the model; ServiceError names the first mismatch."""
        try:
            return cls.model_validate(document)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = plain(".".join(str(part) for part in first["loc"]), 60)
            raise ServiceError(f"The server's response does not match the interface ({place}).") from None

    def wire(self) -> dict[str, Any]:
        """Write the JSON object in the interface's order of keys, known audit fields last."""
        document = self.model_dump(mode="json", by_alias=True)
        audit = {key: document.pop(key) for key in AUDIT_KEYS}
        return document | {key: value for key, value in audit.items() if value is not None}


class Project(Resource):
    """A project; other servers may send only id and name."""

    id: int
    name: str
    template: Text = ""
    description: Text = ""
    start_date: ServerTime | None = None
    end_date: ServerTime | None = None
    default_iteration_length: int | None = None


class User(Resource):
    """A licensed user; `name` is the username."""

    id: int
    name: str
    first_name: Text = ""
    last_name: Text = ""
    display_name: Text = ""
    email: Text = ""


class Team(Resource):
    """A team of people; an item's TeamID holds its id."""

    id: int
    name: str
    project_id: int


class Area(Resource):
    """A node of a project's area tree; `parent_id` is -1 for the root."""

    id: int
    project_id: int
    parent_id: int
    name: str
    path: Text = ""
    sequence: int = 0


class Iteration(Resource):
    """A node of a project's iteration tree; both dates are inclusive, capacities are story points."""

    id: int
    project_id: int
    parent_id: int
    name: str
    path: Text = ""
    sequence: int = 0
    is_release: Flag = False
    start_date: ServerDate | None = None
    end_date: ServerDate | None = None
    min_capacity: float | None = None
    max_capacity: float | None = None


class WorkItem(Resource):
    """A work item; `type` is text, as a server may have types outside the field table."""

    id: int
    type: str
    project_id: int
    fields: dict[str, Any]


class Comment(Resource):
    """A comment, which is immutable."""

    id: int
    project_id: int
    work_item_id: int
    description: Text
    type: str | None = INTERNAL


class TimeEntryType(Resource):
    """A category of logged work."""

    name: str


_UNITS = ("B", "KB", "MB", "GB", "TB")


class Attachment(Resource):
    """An attached file; its contents are behind `url` and `download_url`."""

    id: int
    project_id: int
    work_item_id: int
    comment_id: int | None = None
    name: str
    description: str | None = None
    size: int | None = None
    friendly_size: Text = ""
    url: Text = ""
    download_url: Text = ""
    type: str | None = INTERNAL


def friendly_size_of(size: int) -> str:
    """Write a size in bytes for people, with two decimals and a unit of 1024: `1.50 KB`."""
    amount = float(size)
    for unit in _UNITS[:-1]:
        if round(amount, 2) < 1024:
            return f"{amount:.2f} {unit}"
        amount /= 1024
    return f"{amount:.2f} {_UNITS[-1]}"
