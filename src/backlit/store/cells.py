"""Values of any fields for the rows in sight, in one query."""

from collections.abc import Mapping, Sequence

from backlit.store.database import ids_json
from backlit.store.files import Files
from backlit.store.filter_sql import value_sql
from backlit.store.views_query import level_value


class Cells:
    """Reads from the mirror, pending values laid over; called on the screen's thread."""

    def __init__(self, files: Files) -> None:
        self._files = files

    def values(self, ids: Sequence[int], keys: Sequence[str]) -> Mapping[int, Mapping[str, object]]:
        """What some items have in some fields, in their documents' form; of a time the day."""
        asked = [value_sql(key) for key in keys]
        columns = "".join(f", {each.text}" for each in asked)
        values = [value for each in asked for value in each.values]
        sql = f"SELECT id{columns} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
        return {
            item_id: {key: level_value(key, value) for key, value in zip(keys, found, strict=True)}
            for item_id, *found in self._files.mirror.execute(sql, (*values, ids_json(ids)))
        }
