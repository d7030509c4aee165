"""Items that wait to be deleted, and their tasks: still in the mirror, but out of sight until that is settled."""

import sqlite3
from collections.abc import Iterable, Mapping

from backlit.store.database import ids_json
from backlit.store.entries import BUSY, EntryKind, OutboxEntry
from backlit.store.rows import Document, fields_in, whole


class Hidden:
    """Writes the table of hidden items through the mirror's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def family(self, item_ids: Iterable[int], undelivered: Iterable[OutboxEntry]) -> set[int]:
        """Some items, with the tasks that are to be hidden with them or came back with them."""
        ids = set(item_ids)
        found = self._connection.execute(
            "SELECT id FROM hidden WHERE root IN (SELECT value FROM json_each(?1))"
            " UNION SELECT id FROM items WHERE parent_id IN (SELECT value FROM json_each(?2))",
            (ids_json(ids), ids_json(ids & _roots(undelivered))),
        )
        return ids | {item_id for (item_id,) in found}

    def every(self) -> set[int]:
        """All hidden items."""
        return {item_id for (item_id,) in self._connection.execute("SELECT id FROM hidden")}

    def among(self, item_ids: Iterable[int]) -> set[int]:
        """Which of some items are hidden."""
        sql = "SELECT id FROM hidden WHERE id IN (SELECT value FROM json_each(?))"
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(item_ids),))}

    def below(self, item_ids: Iterable[int]) -> set[int]:
        """What is hidden because one of some items is."""
        sql = "SELECT id FROM hidden WHERE root IN (SELECT value FROM json_each(?))"
        return {item_id for (item_id,) in self._connection.execute(sql, (ids_json(item_ids),))}

    def settle(self, documents: Mapping[int, Document], undelivered: Iterable[OutboxEntry]) -> set[int]:
        """Note which of some items have to be hidden now; the others are not any more."""
        roots = _roots(undelivered)
        parents = {each: whole(fields_in(document).get("ParentID")) or 0 for each, document in documents.items()}
        known = self.among(set(parents.values()) - documents.keys())
        hidden = {
            each: each if each in roots else parent
            for each, parent in parents.items()
            if each in roots or parent in roots or parent in known
        }
        self.forget(documents.keys() - hidden.keys())
        self._connection.executemany(
            "INSERT OR REPLACE INTO hidden VALUES (?, ?, ?)",
            [(each, root, whole(documents[each].get("projectId")) or 0) for each, root in hidden.items()],
        )
        self._connection.execute("DELETE FROM items WHERE id IN (SELECT value FROM json_each(?))", (ids_json(hidden),))
        return set(hidden)

    def forget(self, item_ids: Iterable[int]) -> None:
        """Hide items no longer, or drop them with the rest of what is known of them."""
        self._connection.execute(
            "DELETE FROM hidden WHERE id IN (SELECT value FROM json_each(?))", (ids_json(item_ids),)
        )


def _roots(undelivered: Iterable[OutboxEntry]) -> set[int]:
    return {entry.item_id for entry in undelivered if entry.kind is EntryKind.DELETE and entry.state in BUSY}
