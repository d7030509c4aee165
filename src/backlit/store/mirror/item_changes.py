"""The service's histories of items in the mirror, for reading without a connection."""

from collections.abc import Iterable

import orjson

from backlit.store.records.item_changes import KeptHistory
from backlit.store.sqlite.database import SqliteTable, transaction
from backlit.store.sqlite.ids import ids_json

KEPT_ITEMS = 2_000
"""Items whose histories are kept, the last read ones."""


class ItemChangeTable(SqliteTable):
    """The table of histories. One row is the whole history of an item, as far as it was read."""

    def of_item(self, item_id: int) -> KeptHistory | None:
        return self.of_items([item_id]).get(item_id)

    def of_items(self, item_ids: Iterable[int]) -> dict[int, KeptHistory]:
        sql = (
            "SELECT item_id, read_at, older, is_complete, rows FROM item_changes"
            " WHERE item_id IN (SELECT value FROM json_each(?))"
        )
        return {
            item_id: KeptHistory(orjson.loads(rows), older, bool(is_complete), read_at)
            for item_id, read_at, older, is_complete, rows in self._connection.execute(sql, (ids_json(item_ids),))
        }

    def put(self, item_id: int, history: KeptHistory) -> None:
        row = (item_id, history.read_at, history.next, history.is_complete, orjson.dumps(history.rows))
        with transaction(self._connection):
            self._connection.execute("INSERT OR REPLACE INTO item_changes VALUES (?, ?, ?, ?, ?)", row)
            self._connection.execute(
                "DELETE FROM item_changes WHERE item_id IN"
                " (SELECT item_id FROM item_changes ORDER BY read_at DESC LIMIT -1 OFFSET ?)",
                (KEPT_ITEMS,),
            )
