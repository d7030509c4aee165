"""The journal's memory of imports: which item came from which key of another tracker, with which values."""

from collections.abc import Iterable, Mapping

import orjson
from msgspec import Struct

from backlit.store.sqlite.database import SqliteTable


class ImportedItem(Struct, frozen=True):
    """An imported item. `values` are those of the last import, `step` is the act that created it."""

    key: str
    item_id: int
    step: int
    values: Mapping[str, object]


class ImportedTable(SqliteTable):
    """The table of imported items, through the journal's connection."""

    def of_source(self, project_id: int, source: str) -> dict[str, ImportedItem]:
        found = self._connection.execute(
            "SELECT key, item_id, step, content FROM imported WHERE project_id = ? AND source = ?",
            (project_id, source),
        )
        return {key: ImportedItem(key, item_id, step, orjson.loads(content)) for key, item_id, step, content in found}

    def note(self, project_id: int, source: str, items: Iterable[ImportedItem]) -> None:
        self._connection.executemany(
            "INSERT OR REPLACE INTO imported VALUES (?, ?, ?, ?, ?, ?)",
            [
                (project_id, source, each.key, each.item_id, each.step, orjson.dumps(dict(each.values)).decode())
                for each in items
            ],
        )
