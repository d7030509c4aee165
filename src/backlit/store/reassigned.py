"""Where items are shown whose area or iteration is being deleted: in what takes their place."""

import sqlite3
from collections.abc import Iterable, Mapping

import orjson

from backlit.store.database import ids_json
from backlit.store.entries import BUSY, PLACE_COLUMNS, PLACE_KEYS, EntryKind, OutboxEntry
from backlit.store.rows import Document, fields_in, whole

REASSIGNED = "reassigned"
"""The note that says what takes whose place."""

Targets = Mapping[str, Mapping[str, int]]
"""By the items' key and the id of what goes, as text: the id of what takes its place."""


class Reassigned:
    """Kept in the mirror, where every process that writes items finds it; made from the journal."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def targets(self) -> Targets:
        """What takes whose place at present."""
        found = self._connection.execute("SELECT value FROM notes WHERE key = ?", (REASSIGNED,)).fetchone()
        return orjson.loads(found[0]) if found else {}

    def settle(self, undelivered: Iterable[OutboxEntry]) -> set[int]:
        """Follow what of the journal deletes nodes; returns the items that may be shown elsewhere now."""
        before, after = self.targets(), _targets(undelivered)
        if before == after:
            return set()
        if after:
            note = orjson.dumps(after).decode()
            self._connection.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (REASSIGNED, note))
        else:
            self._connection.execute("DELETE FROM notes WHERE key = ?", (REASSIGNED,))
        touched: set[int] = set()
        for key in {*before, *after}:
            old, new = before.get(key, {}), after.get(key, {})
            changed = {each for each in {*old, *new} if old.get(each) != new.get(each)}
            places = {int(each) for each in changed} | {old[each] for each in changed if each in old}
            touched |= self.items_in(key, places)
        return touched

    def items_in(self, key: str, places: Iterable[int]) -> set[int]:
        """The items that are shown in some areas or iterations."""
        sql = f"SELECT id FROM items WHERE {PLACE_COLUMNS[key]} IN (SELECT value FROM json_each(?))"  # noqa: S608 # constants
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(places),))}


def moved(document: Document, targets: Targets) -> Document:
    """The document of an item, in what takes the place of what goes."""
    if not targets:
        return document
    fields = fields_in(document)
    places = {key: places.get(str(fields.get(key))) for key, places in targets.items()}
    found = {key: place for key, place in places.items() if place is not None}
    return {**document, "fields": {**fields, **found}} if found else document


def _targets(undelivered: Iterable[OutboxEntry]) -> dict[str, dict[str, int]]:
    targets: dict[str, dict[str, int]] = {}
    for entry in undelivered:
        if entry.kind is EntryKind.NODE_DELETE and entry.state in BUSY:
            places = targets.setdefault(PLACE_KEYS[str(entry.payload["tree"])], {})
            target = whole(entry.payload.get("reassignmentId")) or 0
            gone = going(entry)
            for each, place in places.items():
                places[each] = target if place in gone else place
            places.update((str(each), target) for each in gone)
    return targets


def going(entry: OutboxEntry) -> frozenset[int]:
    """The nodes that a deletion takes away."""
    below = entry.payload.get("below")
    return frozenset(each for each in below if isinstance(each, int)) if isinstance(below, list) else frozenset()
