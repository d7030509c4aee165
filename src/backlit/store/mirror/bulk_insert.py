"""Bulk insert of new items, without a lookup of earlier versions."""

import sqlite3
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass

import orjson

from backlit.store.mirror.facts import Fact, custom_keys, facts_in
from backlit.store.mirror.full_text import FullText
from backlit.store.records.item import COLUMNS, Document, RowSign, columns_of, fields_in, whole
from backlit.store.sqlite.database import ids_json, insert_rows

MANY = 40
"""The batch size from which full text indexing is postponed."""
INSERT_ITEM = f"INTO items ({', '.join(COLUMNS)}) VALUES ({', '.join('?' * len(COLUMNS))})"
_OWN_OPEN, _IS_OPEN, _PARENT, _OWN_PRIORITY, _RANK_PRIORITY, _RANK_ID = map(
    COLUMNS.index, ("own_open", "is_open", "parent_id", "own_priority", "rank_priority", "rank_id")
)


@dataclass(frozen=True, slots=True)
class NewRows:
    """The rows of new items, computed on another thread while the mirror writes others."""

    rows: Mapping[int, list[object]]
    texts: Mapping[int, bytes]
    customs: Collection[tuple[str, int, object]]
    facts: Collection[Fact]

    @classmethod
    def of(cls, documents: Mapping[int, Document]) -> "NewRows":
        """Compute the rows of some documents."""
        return cls(
            {item_id: list(columns_of(each, RowSign.NONE)) for item_id, each in documents.items()},
            {item_id: orjson.dumps(each) for item_id, each in documents.items()},
            list(_custom_values(documents)),
            facts_in(documents.values()),
        )


def insert_new_rows(
    connection: sqlite3.Connection, full_text: FullText, new_rows: NewRows, item_ids: Collection[int]
) -> None:
    """Insert the rows of those items that neither the mirror nor the journal knows."""
    rows = {each: new_rows.rows[each] for each in item_ids}
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
