"""Rows derived from items: a bulk insert of new ones, and the statuses, tags, teams and custom fields in them."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

import orjson
from msgspec import Struct

from backlit.model.fields import Kind
from backlit.store.mirror.full_text import FullText
from backlit.store.mirror.learnt import CUSTOM, STATUS, TAG, TEAM
from backlit.store.mirror.status_groups import MirroredGroups
from backlit.store.records.item import COLUMNS, Document, RowSign, columns_of, fields_in, id_in, whole
from backlit.store.sqlite.database import insert_rows
from backlit.store.sqlite.ids import ids_json

MANY = 40
"""The batch size from which full text indexing is postponed."""
INSERT_ITEM = f"INTO items ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_PROJECT, _STATUS, _OWN_OPEN, _IS_OPEN, _IS_EXCLUDED, _PARENT, _OWN_PRIORITY, _RANK_PRIORITY, _RANK_ID = map(
    COLUMNS.index,
    (
        *("project_id", "status", "own_open", "is_open", "is_excluded", "parent_id"),
        *("own_priority", "rank_priority", "rank_id"),
    ),
)


Fact = tuple[int, str, str, str]
"""Project, subject of the fact, type of item ("" for all), and the value."""


def learn(connection: sqlite3.Connection, facts: Collection[Fact]) -> None:
    columns = ", ".join(f"json_extract(value, '$[{at}]')" for at in range(4))
    sql = f"INSERT OR IGNORE INTO learnt SELECT {columns} FROM json_each(?)"  # noqa: S608 # numbers
    connection.execute(sql, (orjson.dumps(list(facts)).decode(),))


def facts_in(documents: Iterable[Document]) -> set[Fact]:
    facts: set[Fact] = set()
    customs: set[tuple[int, str, str, Kind | None]] = set()
    for document in documents:
        project_id, item_type = id_in(document, "projectId"), str(document.get("type") or "")
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


class NewRows(Struct, frozen=True):
    """The rows of new items, computed on another thread while the mirror writes others."""

    rows: Mapping[int, list[object]]
    texts: Mapping[int, bytes]
    customs: Collection[tuple[str, int, object]]
    facts: Collection[Fact]

    @classmethod
    def of(cls, documents: Mapping[int, Document]) -> "NewRows":
        return cls(
            {item_id: list(columns_of(each, RowSign.NONE)) for item_id, each in documents.items()},
            {item_id: orjson.dumps(each) for item_id, each in documents.items()},
            list(_custom_values(documents)),
            facts_in(documents.values()),
        )


def insert_new_rows(
    connection: sqlite3.Connection,
    full_text: FullText,
    new_rows: NewRows,
    item_ids: Collection[int],
    groups: MirroredGroups,
) -> None:
    """Insert the rows of those items that neither the mirror nor the journal knows."""
    rows = {each: new_rows.rows[each] for each in item_ids}
    statuses = {(row[_PROJECT], row[_STATUS]) for row in rows.values()}
    known = {each: (int(groups.is_open(*each)), int(groups.is_excluded(*each))) for each in statuses}
    for row in rows.values():
        is_open, row[_IS_EXCLUDED] = known[row[_PROJECT], row[_STATUS]]
        row[_OWN_OPEN] = row[_IS_OPEN] = is_open
    _rank_with_parents(connection, rows)
    insert_rows(connection, "INSERT OR REPLACE INTO items", COLUMNS, rows.values())
    if len(item_ids) >= MANY:
        full_text.put_off(item_ids)
        customs = [each for each in new_rows.customs if each[1] in rows]
        insert_rows(connection, "INSERT OR IGNORE INTO custom_values", ("key", "item_id", "value"), customs)
    texts = [(each, new_rows.texts[each]) for each in item_ids]
    insert_rows(connection, "INSERT INTO documents", ("id", "doc"), texts)


def _rank_with_parents(connection: sqlite3.Connection, rows: Mapping[int, list[object]]) -> None:
    """Give tasks the rank of their item and close those of closed items, if the item is known."""
    parents = {parent for row in rows.values() if (parent := whole(row[_PARENT])) is not None}
    sql = "SELECT id, own_priority, own_open FROM items WHERE id IN (SELECT value FROM json_each(?))"
    known: dict[object, tuple[object, object]] = {
        item_id: (priority, own_open)
        for item_id, priority, own_open in connection.execute(sql, (ids_json(parents - rows.keys()),))
    }
    known |= {each: (row[_OWN_PRIORITY], row[_OWN_OPEN]) for each, row in rows.items() if each in parents}
    for row in rows.values():
        if row[_PARENT] in known:
            priority, is_open = known[row[_PARENT]]
            row[_RANK_PRIORITY], row[_RANK_ID] = priority, row[_PARENT]
            row[_IS_OPEN] = int(bool(row[_OWN_OPEN] and is_open))


def _custom_values(documents: Mapping[int, Document]) -> Iterable[tuple[str, int, object]]:
    """Yield the custom values of documents whose full text is postponed. Triggers extract them otherwise."""
    for item_id, document in documents.items():
        fields = fields_in(document)
        for key in custom_keys(tuple(fields)):
            if (value := fields[key]) is not None:
                yield key, item_id, orjson.dumps(value).decode() if isinstance(value, list | dict) else value
