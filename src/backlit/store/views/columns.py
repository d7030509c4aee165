"""Columns of lists: the values of fields and computed columns, and the chosen ones of the backlog."""

import json
from collections.abc import Mapping, Sequence

from backlit.model.errors import BadRequest
from backlit.model.settings.view_settings import ChosenColumn, column_wish
from backlit.store.files.files import LocalDatabase
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.names import QueryNames
from backlit.store.views.query import level_day, level_value


class ColumnCells:
    """The values of columns, pending changes included, for the screen's thread."""

    def __init__(self, files: LocalDatabase, names: QueryNames) -> None:
        self._files = files
        self._names = names

    def values(self, ids: Sequence[int], keys: Sequence[str]) -> Mapping[int, Mapping[str, object]]:
        """Return some columns of some items: fields as in documents, times as the user's day."""
        asked = [self._names.column_value(key).sql for key in keys]
        columns = "".join(f", {each.text}" for each in asked)
        values = [value for each in asked for value in each.values]
        sql = f"SELECT id{columns} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
        times = self._names.times()
        return {
            item_id: {
                key: level_value(key, level_day(key, value, times)) for key, value in zip(keys, found, strict=True)
            }
            for item_id, *found in self._files.mirror.execute(sql, (*values, ids_json(ids)))
        }


_SETTING = "columns"


class ChosenColumns:
    """The chosen columns of the backlog, read once and written in the background. Saved views have their own."""

    def __init__(self, files: LocalDatabase) -> None:
        self._files = files
        self._wishes: tuple[ChosenColumn, ...] | None = None

    def wishes(self) -> Sequence[ChosenColumn]:
        """Return the last chosen columns, empty for the usual ones. Unreadable ones count as empty."""
        if self._wishes is None:
            kept = self._files.journal.settings.value(_SETTING)
            try:
                self._wishes = tuple(column_wish(text, str) for text in json.loads(kept or "[]"))
            except (ValueError, TypeError, BadRequest):
                self._wishes = ()
        return self._wishes

    def keep(self, wishes: Sequence[ChosenColumn]) -> None:
        self._wishes = tuple(wishes)
        text = json.dumps([str(each) for each in wishes])
        self._files.submit(lambda writer: writer.journal.settings.keep(_SETTING, text))
