"""Resources of the interface (docs/interface.md)."""

from collections.abc import Mapping
from datetime import date, datetime
from enum import StrEnum
from functools import cache
from typing import Any, Self

from msgspec import Struct, ValidationError, convert
from msgspec.structs import fields

from backlit.model.dates import write_datetime
from backlit.model.errors import ServiceError
from backlit.model.plain import plain

INTERNAL = "Service"
PORTAL = "Feedback"
AUDIT_KEYS = ("createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt")


# Structs of msgspec: with pydantic and its models a start with the service inside took 170 ms of CPU and 8 MB more.
class Resource(Struct, frozen=True, kw_only=True, rename="camel"):
    """A resource in its JSON form."""

    created_by: str | None = None
    created_at: datetime | None = None
    last_modified_by: str | None = None
    last_modified_at: datetime | None = None

    @classmethod
    def read(cls, document: Mapping[str, Any], server: str) -> Self:
        """Check a document of a server, without its audit fields; ServiceError names the server and the first mismatch.

        Some servers send null for an empty text and for False.
        """
        given = {key: document[key] for _, key in _keys(cls) if document.get(key) is not None and key not in AUDIT_KEYS}
        try:
            return convert(given, cls, strict=False)
        except ValidationError as error:
            place = plain(str(error).split("`")[-2].removeprefix("$."), 60)
            raise ServiceError(f"The response of {server} does not match the interface ({place}).") from None

    def wire(self) -> dict[str, Any]:
        """Return the object for orjson in the interface's order of keys, known audit fields last."""
        found = ((key, getattr(self, name)) for name, key in _keys(type(self)))
        return {
            key: write_datetime(value) if isinstance(value, datetime) else value
            for key, value in found
            if value is not None or key not in AUDIT_KEYS
        }


@cache
def _keys(model: type[Resource]) -> list[tuple[str, str]]:
    return sorted(((each.name, each.encode_name) for each in fields(model)), key=lambda each: each[1] in AUDIT_KEYS)


class Project(Resource, frozen=True, kw_only=True):
    """A project; other servers may send only id and name."""

    id: int
    name: str
    template: str = ""
    description: str = ""
    start_date: datetime | None = None
    end_date: datetime | None = None
    default_iteration_length: int | None = None


class User(Resource, frozen=True, kw_only=True):
    """A licensed user; `name` is the username."""

    id: int
    name: str
    first_name: str = ""
    last_name: str = ""
    display_name: str = ""
    email: str = ""


class Team(Resource, frozen=True, kw_only=True):
    """A team of people; an item's TeamID holds its id."""

    id: int
    name: str
    project_id: int


class Area(Resource, frozen=True, kw_only=True):
    """A node of a project's area tree; `parent_id` is -1 for the root."""

    id: int
    project_id: int
    parent_id: int
    name: str
    path: str = ""
    sequence: int = 0


class Iteration(Resource, frozen=True, kw_only=True):
    """A node of a project's iteration tree; both dates are inclusive, capacities are story points."""

    id: int
    project_id: int
    parent_id: int
    name: str
    path: str = ""
    sequence: int = 0
    is_release: bool = False
    start_date: date | None = None
    end_date: date | None = None
    min_capacity: float | None = None
    max_capacity: float | None = None


class WorkItem(Resource, frozen=True, kw_only=True):
    """A work item; `type` is text, as a server may have types outside the field table."""

    id: int
    type: str
    project_id: int
    fields: dict[str, Any]


class Comment(Resource, frozen=True, kw_only=True):
    """A comment, which is immutable."""

    id: int
    project_id: int
    work_item_id: int
    description: str
    type: str | None = INTERNAL


class Relation(Resource, frozen=True, kw_only=True):
    """A relation of two items: *workItemId* **type** *targetId*."""

    id: int
    project_id: int
    work_item_id: int
    type: str
    target_id: int
    target_project_id: int


class Link(Resource, frozen=True, kw_only=True):
    """A web address on an item."""

    id: int
    project_id: int
    work_item_id: int
    display_text: str
    url: str


class CriterionStatus(StrEnum):
    """The outcomes of an acceptance criterion."""

    PASS = "Pass"  # noqa: S105 - no password
    FAIL = "Fail"
    NOT_EXECUTED = "Not Executed"

    @property
    def words(self) -> str:
        return _CRITERION_WORDS[self]

    @classmethod
    def words_of(cls, status: str) -> str:
        """Return the words for a status, which may be one that this program does not know."""
        return next((each.words for each in cls if each == status), status)


_CRITERION_WORDS = {
    CriterionStatus.PASS: "passed",
    CriterionStatus.FAIL: "failed",
    CriterionStatus.NOT_EXECUTED: "not executed",
}


class AcceptanceCriterion(Resource, frozen=True, kw_only=True):
    """What an item has to fulfil; `sequence` is its place among the criteria of the item, from 1."""

    id: int
    project_id: int
    work_item_id: int
    title: str
    description: str = ""
    status: str = CriterionStatus.NOT_EXECUTED
    sequence: int = 0


class TimeEntry(Resource, frozen=True, kw_only=True):
    """Hours of a user on a task on one day; `week` is its ISO week."""

    id: int
    project_id: int
    task_id: int
    user_id: int
    date: datetime
    week: int
    hours: float
    type: str | None = None
    note: str | None = None

    def wire(self) -> dict[str, Any]:
        # A day has no milliseconds, in the bodies of the original's clients too.
        return Resource.wire(self) | {"date": self.date.isoformat(timespec="seconds")}


class View(Resource, frozen=True, kw_only=True):
    """A view of a project's items that its owner may share; `spec` is the client's."""

    id: int
    project_id: int
    owner_id: int
    name: str
    spec: dict[str, Any]
    is_shared: bool = False


class TimeEntryType(Resource, frozen=True, kw_only=True):
    """A category of logged work."""

    name: str


_UNITS = ("B", "KB", "MB", "GB", "TB")


class Attachment(Resource, frozen=True, kw_only=True):
    """An attached file; its contents are behind `url` and `download_url`."""

    id: int
    project_id: int
    work_item_id: int
    comment_id: int | None = None
    name: str
    description: str | None = None
    size: int | None = None
    friendly_size: str = ""
    url: str = ""
    download_url: str = ""
    type: str | None = INTERNAL


def friendly_size_of(size: int) -> str:
    """Write a size in bytes for people, with two decimals and a unit of 1024: `1.50 KB`."""
    amount = float(size)
    for unit in _UNITS[:-1]:
        if round(amount, 2) < 1024:
            return f"{amount:.2f} {unit}"
        amount /= 1024
    return f"{amount:.2f} {_UNITS[-1]}"
