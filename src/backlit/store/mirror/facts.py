"""Facts inferred from items: statuses, tags, teams, custom fields and their kinds."""

import sqlite3
from collections.abc import Collection, Iterable
from functools import lru_cache

import orjson

from backlit.model.fields import Kind
from backlit.store.records.item import Document, fields_in, whole

STATUS, TAG, TEAM, CUSTOM = "status", "tag", "team", "custom"
Fact = tuple[int, str, str, str]
"""Project, subject of the fact, type of item ("" for all), and the value."""


def learn(connection: sqlite3.Connection, facts: Collection[Fact]) -> None:
    """Store facts. They outlive their items."""
    columns = ", ".join(f"json_extract(value, '$[{at}]')" for at in range(4))
    sql = f"INSERT OR IGNORE INTO learnt SELECT {columns} FROM json_each(?)"  # noqa: S608 # numbers
    connection.execute(sql, (orjson.dumps(list(facts)).decode(),))


def facts_in(documents: Iterable[Document]) -> set[Fact]:
    """Return the facts that items contain."""
    facts: set[Fact] = set()
    customs: set[tuple[int, str, str, Kind | None]] = set()
    for document in documents:
        project_id, item_type = whole(document.get("projectId")) or 0, str(document.get("type") or "")
        fields = fields_in(document)
        if isinstance(status := fields.get("Status"), str):
            facts.add((project_id, STATUS, item_type, status))
        if (team := whole(fields.get("TeamID"))) is not None:
            facts.add((project_id, TEAM, "", str(team)))
        if (tags := fields.get("Tags")) and isinstance(tags, list):
            facts.update((project_id, TAG, "", tag) for tag in tags if isinstance(tag, str))
        for key in custom_keys(tuple(fields)):
            customs.add((project_id, item_type, key, kind_of_value(fields[key])))
    facts.update(
        (project_id, CUSTOM, of, f"{key}\n{kind.value if kind else ''}") for project_id, of, key, kind in customs
    )
    return facts


@lru_cache(maxsize=256)
def custom_keys(keys: tuple[str, ...]) -> tuple[str, ...]:
    """Return the keys of custom fields. All items of a type have the same keys, so results are cached."""
    return tuple(key for key in keys if key.endswith("_cf"))


def kind_of_value(value: object) -> Kind | None:
    """Infer a custom field's kind from a value. A null value gives None."""
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
    """Return the one kind that holds values of all these kinds: text for kinds without a common one."""
    found = set(kinds)
    if len(found) == 1:
        return found.pop()
    if found == {Kind.INTEGER, Kind.NUMBER}:
        return Kind.NUMBER
    return Kind.LONG_TEXT if Kind.LONG_TEXT in found else Kind.TEXT
