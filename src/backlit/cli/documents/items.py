"""Documents of work items and of what belongs to them."""

from typing import Any, Literal

from pydantic import Field

from backlit.cli.documents.base import Day, Document, ItemKey, Moment


class PersonName(Document):
    """A person by user name and full name."""

    user: str
    name: str


class Named(Document):
    """The name of what an id stands for."""

    name: str | None


class NodeName(Document):
    """The name of an area or iteration, and its path from the root."""

    name: str
    path: str


class ItemNames(Document):
    """Names of what the ids in `fields` stand for; null for what this machine does not know."""

    assigned_to: PersonName | None = Field(default=None, alias="AssignedToID")
    team: Named | None = Field(default=None, alias="TeamID")
    parent: Named | None = Field(default=None, alias="ParentID")
    iteration: NodeName | None = Field(default=None, alias="IterationID")
    area: NodeName | None = Field(default=None, alias="AreaID")


class EventDocument(Document):
    """A row of an item's history: a changed field, or what else was done."""

    when: Moment | None
    who: str | None
    what: str
    field: str | None
    before: str | None
    after: str | None


class CommentDocument(Document):
    """A comment on an item, which is named where the comments of several are listed."""

    item: ItemKey | None = None
    id: ItemKey
    at: Moment | None
    author: str
    text: str
    customers_see: bool | None = None
    unsent: bool | None = None


class RelationDocument(Document):
    """A relation from the side of an item: the item **type** `item`, such as 45 **Blocks** 43."""

    type: str
    item: ItemKey
    name: str | None = Field(description="null for an item that this machine does not have.")


class CriterionDocument(Document):
    """An acceptance criterion; `n` is its place in the list."""

    n: int
    id: ItemKey
    title: str
    status: str
    description: str | None


class LinkDocument(Document):
    """A web link on an item."""

    id: ItemKey
    text: str
    url: str


class TimeEntryDocument(Document):
    """Hours of a person on a task on one day."""

    id: ItemKey
    day: Day | None
    user: str | None
    hours: float
    type: str | None
    note: str | None
    item: ItemKey = Field(description="The number of the task.")
    name: str | None = Field(description="The name of the task; null for one that this machine does not have.")
    unsent: bool


class TimeSumDocument(Document):
    """Hours by a person, a type or a Feature: `name` is null for those without one."""

    name: str | None
    id: int | None = Field(description="The number of a person or a Feature; null for a type.")
    hours: float
    entries: int


class FileDocument(Document):
    """A file of an item; `size` is in bytes."""

    id: ItemKey
    name: str
    size: int | None
    by: str | None
    at: Moment | None
    customers_see: bool | None = None
    description: str | None = None


class ItemDocument(Document):
    """A work item with its unsent changes."""

    id: int | None = Field(description="null until the server has given a number; `local` stands for it then.")
    local: str | None = None
    type: str
    project_id: int
    project: str | None
    fields: dict[str, Any] = Field(description="The values by the keys of the interface; a project's own end in _cf.")
    names: ItemNames
    created_by: str
    created_at: Moment | None
    last_modified_by: str
    last_modified_at: Moment | None
    unsent: Literal["pending", "refused", "conflict"] | None = None
    relations: list[RelationDocument] | None = Field(default=None, description="With --with relations.")
    criteria: list[CriterionDocument] | None = Field(default=None, description="With --with criteria.")
    links: list[LinkDocument] | None = Field(default=None, description="With --with links.")
    time: list[TimeEntryDocument] | None = Field(default=None, description="With --with time: those of a task.")
    comments: list[CommentDocument] | None = Field(default=None, description="With --comments, or --with comments.")
    files: list[FileDocument] | None = Field(default=None, description="With --files.")
    history: list[EventDocument] | None = Field(default=None, description="With --history.")


class TrashDocument(Document):
    """A deleted item of which this machine has a copy."""

    kept: Moment
    id: int
    type: str
    tasks: int
    comments: int
    name: str | None


class ItemCopyDocument(Document):
    """The copy of a deleted item, as the server had it."""

    item: dict[str, Any]
    tasks: list[Any]
    comments: list[Any]
    attachments: list[Any]
    objects: dict[str, Any] = Field(default_factory=dict, description="Relations, criteria and links by their kind.")
