"""What was done to areas and iterations, in words."""

from collections.abc import Mapping

from backlit.store.entries import EntryKind, OutboxEntry
from backlit.store.people import TreeKind

LABELS: Mapping[str, str] = {
    "name": "name",
    "startDate": "start",
    "endDate": "end",
    "minCapacity": "least capacity",
    "maxCapacity": "most capacity",
    "isRelease": "release flag",
    "parentId": "place",
}


def noun_of(entry: OutboxEntry) -> str:
    """What kind of node an entry is about."""
    return "area" if entry.payload.get("tree") == TreeKind.AREAS.value else "iteration"


def name_of(entry: OutboxEntry) -> str:
    """What the node was called when it was done."""
    return str(entry.payload.get("name") or "")


def node_summary(entry: OutboxEntry) -> str:
    """What an entry does, in a few words."""
    match entry.kind:
        case EntryKind.NODE_ADD:
            return f"new {noun_of(entry)}"
        case EntryKind.NODE_DELETE:
            return f"delete the {noun_of(entry)}"
        case EntryKind.NODE_RECALL:
            return f"look whether the {noun_of(entry)} is deleted"
        case _:
            return f"{noun_of(entry)}: {', '.join(LABELS.get(key, key) for key in entry.base)}"


def node_lines(entry: OutboxEntry) -> list[tuple[str, str, str]]:
    """For each value an entry sets: its label, and yours beside what it was, or beside theirs in a conflict."""
    values = entry.payload.get("values")
    shown = values if isinstance(values, dict) else {}
    return [(LABELS.get(key, key), _words(entry.base.get(key)), _words(value)) for key, value in shown.items()]


def _words(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "–" if value is None else str(value)
