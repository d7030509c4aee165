"""Columns of lists: the values of fields, computed columns, and the chosen ones of the backlog."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from backlit.model.errors import BadRequest
from backlit.model.local_times import LocalTimes
from backlit.model.query.keys import LINT_KEY
from backlit.model.ready_check import ReadyRule
from backlit.model.settings.view_settings import ChosenColumn, column_wish
from backlit.store.files.files import LocalDatabase
from backlit.store.sqlite.database import ids_json
from backlit.store.views.filter_sql import value_sql
from backlit.store.views.query import level_day, level_value


class ColumnCells:
    """The values of columns, pending changes included, for the screen's thread; `faults` is the ready-check."""

    def __init__(
        self,
        files: LocalDatabase,
        faults: Callable[[Sequence[int]], Mapping[int, tuple[ReadyRule, ...]]],
        times: Callable[[], LocalTimes],
    ) -> None:
        self._files = files
        self.faults = faults
        self._times = times

    def values(self, ids: Sequence[int], keys: Sequence[str]) -> Mapping[int, Mapping[str, object]]:
        """Return some columns of some items: fields as in documents, times as the user's day, computed texts."""
        fields = [key for key in keys if key not in COMPUTED]
        asked = [value_sql(key) for key in fields]
        columns = "".join(f", {each.text}" for each in asked)
        values = [value for each in asked for value in each.values]
        sql = f"SELECT id{columns} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
        computed = {key: COMPUTED[key].texts(self, ids) for key in keys if key in COMPUTED}
        times = self._times()
        return {
            item_id: {
                key: level_value(key, level_day(key, value, times)) for key, value in zip(fields, found, strict=True)
            }
            | {key: texts.get(item_id) for key, texts in computed.items()}
            for item_id, *found in self._files.mirror.execute(sql, (*values, ids_json(ids)))
        }

    def judged_among(self, ids: Sequence[int]) -> list[int]:
        sql = "SELECT id FROM items WHERE id IN (SELECT value FROM json_each(?)) AND own_open = 1 AND is_task = 0"
        return [item_id for (item_id,) in self._files.mirror.execute(sql, (ids_json(ids),))]


class ComputedColumn(NamedTuple):
    """A column that is not a field: its key, its heading, its width, and the texts of some items."""

    key: str
    title: str
    width: int
    texts: Callable[[ColumnCells, Sequence[int]], Mapping[int, str]]


def _failed_rules(cells: ColumnCells, ids: Sequence[int]) -> Mapping[int, str]:
    due = cells.judged_among(ids)
    return {item_id: ", ".join(rule.label for rule in rules) for item_id, rules in cells.faults(due).items()}


COMPUTED: Mapping[str, ComputedColumn] = {
    each.key: each for each in (ComputedColumn(LINT_KEY, "Not ready", 20, _failed_rules),)
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
