"""Documents of what a project has, and of its reports."""

from typing import Any

from backlit.cli.documents.base import Day, Document, ItemKey, Moment


class AreaDocument(Document):
    """An area with the open items in it; `all_items` and `all_points` are with everything below it (`--counts`)."""

    id: ItemKey
    path: str
    items: int
    points: float
    all_items: int | None = None
    all_points: float | None = None
    name: str | None = None
    parent_id: ItemKey | None = None


class IterationDocument(AreaDocument):
    """An iteration or release; `min` and `max` are its capacity in points."""

    start: Day | None
    end: Day | None
    min: float | None
    max: float | None
    release: bool | None = None
    started: Moment | None = None
    closed: Moment | None = None


class PlanLineDocument(Document):
    """An iteration under the draft of this machine; `planned` items are moved into it by the draft."""

    id: int
    start: Day | None
    end: Day | None
    points: float
    min: float | None
    max: float | None
    planned: int
    name: str
    path: str | None = None


class ProjectDocument(Document):
    """A project that the user sees; `current` is the one that commands are about."""

    id: int
    name: str
    role: str | None
    current: bool


class UserDocument(Document):
    """A person of the server."""

    id: int
    user: str
    name: str
    me: bool | None = None
    items: int | None = None
    points: float | None = None


class ProjectFactsDocument(ProjectDocument):
    """A project with its open items; its days and its zone as the server states them."""

    description: str | None
    start: str | None
    end: str | None
    time_zone: str | None
    items: int
    points: float


class PersonDocument(UserDocument):
    """A person with the open items in the project."""

    email: str | None
    items: int
    points: float


class CapacityDocument(Document):
    """What a person can do in an iteration, or usually in one; null where nothing was said of it."""

    user: str
    points: float | None
    hours: float | None
    name: str | None
    days_off: list[Day] | None = None


class TeamDocument(Document):
    """A team of the project."""

    id: int
    name: str


class ReportDocument(Document):
    """A report: its figures, and a table of rows below `columns`."""

    report: str
    about: str
    team: str | None
    unit: str
    source: str
    since: str | None
    as_of: Moment
    time_zone: str | None
    summary: dict[str, Any]
    columns: list[str]
    rows: list[list[Any]]
    notes: list[str]
    details: list[dict[str, Any]]
