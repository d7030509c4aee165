"""Tables of objects below items, each a row of `OBJECT_KINDS`: relations, criteria, links and time entries."""

import sqlite3
import sys
from collections.abc import Collection, Iterable
from datetime import date
from enum import IntEnum

import orjson

from backlit.store.mirror.schema import SHOWN
from backlit.store.records.entry import ON_OBJECTS, EntryState, OutboxEntry
from backlit.store.records.item import Document, id_in, is_news, whole
from backlit.store.records.object_kinds import ObjectKind
from backlit.store.sqlite.database import SqliteTable, transaction
from backlit.store.sqlite.ids import ids_json

_PLACE = "sequence"
_AMONG = "IN (SELECT value FROM json_each(?1))"


class ObjectState(IntEnum):
    """What unsent changes do to an object."""

    RECEIVED = 0
    CHANGED = 1
    """Made or changed here."""
    HIDDEN = 2
    """It waits for its deletion."""


class MirroredObjects(SqliteTable):
    """The table of a kind of objects: columns as the user sees them, the document as it was received."""

    def __init__(self, connection: sqlite3.Connection, kind: ObjectKind) -> None:
        super().__init__(connection)
        self.kind = kind
        self.table = kind.table
        ends = ("item_id", "target_id") if kind.other_end else ("item_id",)
        self._is_of_items = " OR ".join(f"{column} {_AMONG}" for column in ends)

    def document(self, object_id: int) -> Document | None:
        """Return an object as the service last sent it."""
        sql = f"SELECT doc FROM {self.table} WHERE id = ? AND doc IS NOT NULL"  # noqa: S608 # a constant
        found = self._connection.execute(sql, (object_id,)).fetchone()
        return None if found is None else orjson.loads(found[0])

    def shown(self, object_id: int) -> Document | None:
        """Return an object with its pending values, or None for one that is not there or waits for its deletion."""
        columns = ", ".join(("item_id", "project_id", "doc", *self.kind.columns))
        sql = f"SELECT {columns} FROM {self.table} WHERE {SHOWN} AND id = ?"  # noqa: S608 # constants
        found = self._connection.execute(sql, (object_id,)).fetchone()
        if found is None:
            return None
        item_id, project_id, doc, *values = found
        received: Document = {} if doc is None else orjson.loads(doc)
        ids = {"id": object_id, self.kind.item_key: item_id, "projectId": project_id}
        return {**received, **ids, **dict(zip(self.kind.columns.values(), values, strict=True))}

    def shown_of_items(self, item_ids: Iterable[int]) -> list[Document]:
        """Return the objects of items with their pending values, in the order of their places or ids."""
        order = "sequence, id" if "sequence" in self.kind.columns else "id"
        sql = f"SELECT id FROM {self.table} WHERE {SHOWN} AND ({self._is_of_items}) ORDER BY {order}"  # noqa: S608 # constants
        found = self._connection.execute(sql, (ids_json(item_ids),)).fetchall()
        return [document for (object_id,) in found if (document := self.shown(object_id)) is not None]

    def documents(self, item_ids: Iterable[int]) -> list[Document]:
        """Return the received objects of items."""
        where = f"doc IS NOT NULL AND ({self._is_of_items})"
        sql = f"SELECT doc FROM {self.table} WHERE {where} ORDER BY id"  # noqa: S608 # constants
        return [orjson.loads(doc) for (doc,) in self._connection.execute(sql, (ids_json(item_ids),))]

    def put(self, received: Iterable[Document]) -> None:
        """Store received objects, as if nothing unsent concerned them."""
        rows = [self._row(each, ObjectState.RECEIVED, each) for each in received if self._is_usable(each)]
        self._insert(rows)

    def make_room_for(self, document: Document, before: Document | None) -> None:
        """Shift the siblings of an object that has a new place, as the service has done; `before` is what it was.

        Without it two have one place until the next answer, in the order of their ids. Those with unsent changes stay.
        """
        if _PLACE not in self.kind.columns:
            return
        place, place_before = id_in(document, _PLACE), None if before is None else id_in(before, _PLACE)
        if place_before is None:
            places, step = range(place, sys.maxsize), 1
        else:
            is_down = place_before < place
            places, step = (range(place_before + 1, place + 1), -1) if is_down else (range(place, place_before), 1)
        shifted = [
            {**each, _PLACE: id_in(each, _PLACE) + step}
            for each in self.documents([id_in(document, self.kind.item_key)])
            if id_in(each, _PLACE) in places and id_in(each) != id_in(document)
        ]
        sql = f"UPDATE {self.table} SET sequence = ?, doc = ? WHERE id = ? AND state = 0"  # noqa: S608 # a constant
        self._connection.executemany(sql, [(each[_PLACE], orjson.dumps(each), id_in(each)) for each in shifted])

    def remove(self, ids: Iterable[int]) -> None:
        self._connection.execute(f"DELETE FROM {self.table} WHERE id {_AMONG}", (ids_json(ids),))  # noqa: S608 # constants

    def remove_of_items(self, item_ids: Iterable[int]) -> None:
        sql = f"DELETE FROM {self.table} WHERE {self._is_of_items}"  # noqa: S608 # constants
        self._connection.execute(sql, (ids_json(item_ids),))

    def replace_of_items(
        self,
        item_ids: Iterable[int],
        known: Collection[int],
        received: Iterable[Document],
        undelivered: Collection[OutboxEntry],
    ) -> frozenset[int]:
        """Replace the objects of items that were known before others were asked for; return the items that have others.

        An answer that is older than what the mirror has is left out.
        """
        with transaction(self._connection):
            before = {id_in(each): each for each in self.documents(item_ids)}
            after = {id_in(each): each for each in received if self._is_usable(each)}
            gone = {
                object_id: each for object_id, each in before.items() if object_id in known and object_id not in after
            }
            news = [each for object_id, each in after.items() if is_news(before.get(object_id), each)]
            self.remove(gone)
            self.put(news)
            items = self.items_of([*gone.values(), *news, *(before[each] for each in before.keys() & after.keys())])
            changed = self.items_of([*gone.values(), *news])
            if changed:
                self.lay_over(items, undelivered)
        return changed

    def ids_of_project(self, project_id: int) -> set[int]:
        """Return the ids of the received objects of a project."""
        other = " OR target_project_id = ?1" if self.kind.other_end else ""
        sql = f"SELECT id FROM {self.table} WHERE id > 0 AND (project_id = ?1{other})"  # noqa: S608 # constants
        return {object_id for (object_id,) in self._connection.execute(sql, (project_id,))}

    def ids_between(self, project_id: int, column: str, first: date, last: date) -> set[int]:
        """Return the ids of the received objects of a project with a day in a column."""
        where = f"id > 0 AND project_id = ? AND substr({column}, 1, 10) BETWEEN ? AND ?"
        sql = f"SELECT id FROM {self.table} WHERE {where}"  # noqa: S608 # a constant and a column
        found = self._connection.execute(sql, (project_id, first.isoformat(), last.isoformat()))
        return {object_id for (object_id,) in found}

    def items_of(self, documents: Iterable[Document]) -> frozenset[int]:
        keys = [key for key in (self.kind.item_key, self.kind.other_end) if key is not None]
        return frozenset(id_in(each, key) for each in documents for key in keys)

    def laid_over_items(self) -> set[int]:
        """Return the items with objects that unsent changes make, change or hide."""
        sql = f"SELECT item_id FROM {self.table} WHERE state > 0"  # noqa: S608 # a constant
        return {item_id for (item_id,) in self._connection.execute(sql)}

    def items_naming(self, item_ids: Iterable[int]) -> set[int]:
        """Return the items of the objects whose other end is one of some items."""
        if self.kind.other_end is None:
            return set()
        sql = f"SELECT item_id FROM {self.table} WHERE target_id {_AMONG}"  # noqa: S608 # constants
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(item_ids),))}

    def lay_over(self, item_ids: Collection[int], undelivered: Collection[OutboxEntry]) -> None:
        """Lay undelivered entries over the objects of items again."""
        laid = self.laid_over_items().intersection(item_ids)
        entries = [each for each in undelivered if each.kind in ON_OBJECTS and each.item_id in item_ids]
        if laid:
            self._take_off(laid)
        if entries:
            self._lay_on(entries)

    def _take_off(self, item_ids: Iterable[int]) -> None:
        where = f"state > 0 AND item_id {_AMONG}"
        sql = f"SELECT id, doc FROM {self.table} WHERE {where}"  # noqa: S608 # constants
        laid = self._connection.execute(sql, (ids_json(item_ids),)).fetchall()
        self.remove(object_id for object_id, _ in laid)
        self.put(orjson.loads(doc) for _, doc in laid if doc is not None)

    def _lay_on(self, entries: Iterable[OutboxEntry]) -> None:
        from backlit.store.object_changes.kinds import object_change  # the first rows come before the first change

        shown: dict[int, tuple[Document, ObjectState]] = {}
        for entry in entries:
            change = object_change(entry)
            if change is None or change.subject is not self.kind.subject or entry.state is EntryState.REFUSED:
                continue
            object_id = change.object_id
            before, state = shown.get(object_id) or (self.document(object_id), ObjectState.RECEIVED)
            after = change.laid_over(before)
            if after is not None:
                shown[object_id] = after, max(state, ObjectState.CHANGED)
            elif before is not None:
                shown[object_id] = before, ObjectState.HIDDEN
        self._insert(
            self._row({**document, "id": object_id}, state, self.document(object_id))
            for object_id, (document, state) in shown.items()
        )

    def _is_usable(self, document: Document) -> bool:
        keys = ("id", self.kind.item_key, *([self.kind.other_end] if self.kind.other_end else []))
        return all(whole(document.get(key)) is not None for key in keys)

    def _row(self, shown: Document, state: ObjectState, received: Document | None) -> tuple[object, ...]:
        values = (shown.get(key) for key in self.kind.columns.values())
        ids = (id_in(shown), id_in(shown, self.kind.item_key), id_in(shown, "projectId"))
        plain = (value if isinstance(value, str | int | float) else None for value in values)
        return (*ids, int(state), None if received is None else orjson.dumps(received), *plain)

    def _insert(self, rows: Iterable[tuple[object, ...]]) -> None:
        marks = ", ".join("?" * (len(self.kind.columns) + 5))
        with transaction(self._connection):
            sql = f"INSERT OR REPLACE INTO {self.table} VALUES ({marks})"  # noqa: S608 # a constant and marks
            self._connection.executemany(sql, rows)
