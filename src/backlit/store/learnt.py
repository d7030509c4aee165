"""What can only be learnt from the items themselves: statuses, tags, teams, custom fields and their kinds."""

import sqlite3
from collections.abc import Iterable, Mapping

from backlit.model.fields import Kind
from backlit.store.rows import Document, fields_in, whole

STATUS, TAG, TEAM, CUSTOM = "status", "tag", "team", "custom"


def learn(connection: sqlite3.Connection, documents: Iterable[Document]) -> None:
    """Remember the values that occur in items; what is learnt stays when the items go."""
    seen: set[tuple[int, str, str, str]] = set()
    for document in documents:
        project_id = whole(document.get("projectId")) or 0
        item_type = str(document.get("type") or "")
        seen.update((project_id, *fact) for fact in _facts(item_type, fields_in(document)))
    connection.executemany("INSERT OR IGNORE INTO learnt VALUES (?, ?, ?, ?)", seen)


def _facts(item_type: str, fields: Mapping[str, object]) -> Iterable[tuple[str, str, str]]:
    status = fields.get("Status")
    if isinstance(status, str):
        yield STATUS, item_type, status
    team = whole(fields.get("TeamID"))
    if team is not None:
        yield TEAM, "", str(team)
    tags = fields.get("Tags")
    if isinstance(tags, list):
        yield from ((TAG, "", tag) for tag in tags if isinstance(tag, str))
    for key, value in fields.items():
        if key.endswith("_cf"):
            kind = kind_of_value(value)
            yield CUSTOM, item_type, f"{key}\n{kind.value if kind else ''}"


def kind_of_value(value: object) -> Kind | None:
    """Infer what a custom field holds from a value; null says nothing (FEATURES rule 34)."""
    if value is None:
        return None
    if isinstance(value, bool):
        return Kind.BOOLEAN
    if isinstance(value, int):
        return Kind.INTEGER
    if isinstance(value, float):
        return Kind.NUMBER
    if isinstance(value, list):
        return Kind.TAGS
    return Kind.LONG_TEXT if isinstance(value, str) and "\n" in value else Kind.TEXT


def widest(kinds: Iterable[Kind]) -> Kind:
    """The one kind that can hold values of all of these kinds; text where they have nothing in common."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    if found == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    return Kind.LONG_TEXT if Kind.LONG_TEXT in found else Kind.TEXT
