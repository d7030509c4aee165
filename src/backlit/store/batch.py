"""Many items at once: read in one go, and how much they are together."""

import sqlite3
from collections.abc import Iterable, Sequence

import orjson

from backlit.model.trees import Totals
from backlit.store.database import ids_json
from backlit.store.files import Files
from backlit.store.rows import Item, item_of


class Batch:
    """Reads of any set of items, whatever list they stand in; ids that are gone are left out."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def items(self, item_ids: Sequence[int]) -> list[Item]:
        """Whole items in backlog order; a short read for as many as one change may touch."""
        found = self._files.mirror.execute(
            "SELECT doc, base, sign FROM documents JOIN items USING (id) WHERE id IN (SELECT value FROM json_each(?))"
            " ORDER BY rank_priority, rank_id, is_task, own_priority, id",
            (ids_json(item_ids),),
        )
        return [
            item_of(orjson.loads(doc), None if base is None else orjson.loads(base), sign) for doc, base, sign in found
        ]

    def tasks_of(self, item_id: int) -> list[Item]:
        """The tasks under an item, in backlog order."""
        found = self._files.mirror.execute(
            "SELECT id FROM items WHERE parent_id = ? AND is_task = 1 ORDER BY own_priority, id", (item_id,)
        )
        return self.items([task_id for (task_id,) in found])

    async def totals(self, item_ids: Iterable[int]) -> Totals:
        """How many of some items are there, and their points; read on the reading thread, for any number of them."""
        ids = list(item_ids)

        def read(mirror: sqlite3.Connection) -> Totals:
            sql = "SELECT count(*), total(points) FROM items WHERE id IN (SELECT value FROM json_each(?))"
            return Totals(*mirror.execute(sql, (ids_json(ids),)).fetchone())

        return await self._files.read(read)
