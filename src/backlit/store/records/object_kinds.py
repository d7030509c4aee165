"""Objects below items that the mirror has as rows: relations, criteria, links and time entries."""

from collections.abc import Mapping

from msgspec import Struct

from backlit.store.records.changes import Subject


class ObjectKind(Struct, frozen=True):
    """A kind of objects below items: its address at the service, and its table in the mirror."""

    subject: Subject
    table: str
    resource: str
    """The service's list: `GET /acceptancecriteria`, `GET /workitems/{id}/acceptancecriteria`."""
    extension: str
    columns: Mapping[str, str]
    """The keys of the values that the table has as columns, by column."""
    item_key: str = "workItemId"
    items: str = "workitems"
    """The address of what has such objects."""
    other_end: str | None = None
    """The key of a second item, which the object belongs to just as well."""


RELATIONS = ObjectKind(
    Subject.RELATIONS,
    "relations",
    "relations",
    "relations",
    {"type": "type", "target_id": "targetId", "target_project_id": "targetProjectId"},
    other_end="targetId",
)
CRITERIA = ObjectKind(
    Subject.CRITERIA,
    "criteria",
    "acceptancecriteria",
    "acceptanceCriteria",
    {"title": "title", "description": "description", "status": "status", "sequence": "sequence"},
)
LINKS = ObjectKind(Subject.LINKS, "links", "links", "links", {"text": "displayText", "url": "url"})
TIME_ENTRIES = ObjectKind(
    Subject.TIME_ENTRIES,
    "time_entries",
    "timeentries",
    "timeEntries",
    {"user_id": "userId", "day": "date", "hours": "hours", "type": "type", "note": "note"},
    item_key="taskId",
    items="tasks",
)
OBJECT_KINDS = (RELATIONS, CRITERIA, LINKS, TIME_ENTRIES)
