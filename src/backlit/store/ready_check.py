"""The ready-check on the mirror: the rules that items fail before a team starts them."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from backlit.model.filters import Filter
from backlit.model.ready_check import RULES, Ground, Rule
from backlit.store.files import Files
from backlit.store.sqlite.database import ids_json
from backlit.store.views.filter_sql import condition
from backlit.store.views.names import StoreNames

Judge = Callable[[sqlite3.Connection, Sequence[int]], Mapping[int, tuple[Rule, ...]]]
"""Returns the rules that each of some items fails."""


class ReadyCheck:
    """The check of the current project's items against the current rules."""

    def __init__(self, files: Files, names: StoreNames) -> None:
        self._files = files
        self._names = names
        self._asked: tuple[object, str, Sequence[object]] | None = None

    def filter(self) -> Filter:
        """Return the filter for items that fail a rule, open or not."""
        return self._names.failing(None)

    def ground(self) -> Ground:
        """Return the facts that the rules depend on."""
        return self._names.ground()

    def faults(self, ids: Sequence[int]) -> Mapping[int, tuple[Rule, ...]]:
        """Return the failed rules of each item, by one query. Items that pass are left out."""
        return self.judge()(self._files.mirror, ids)

    def judge(self) -> Judge:
        """Return a check with the current rules for use on another thread's connection."""
        sql, values = self._statement()

        def judged(mirror: sqlite3.Connection, ids: Sequence[int]) -> dict[int, tuple[Rule, ...]]:
            found = {}
            for item_id, *failed in mirror.execute(sql, (*values, ids_json(ids))):
                rules = tuple(rule for rule, has_failed in zip(RULES, failed, strict=True) if has_failed)
                if rules:
                    found[item_id] = rules
            return found

        return judged

    def _statement(self) -> tuple[str, Sequence[object]]:
        """Return the query of all rules. It is rebuilt once a minute, because every scrolled row asks for it."""
        ground, lint = self._names.ground(), self._names.lint
        key = (lint, replace(ground, now=ground.now.replace(second=0, microsecond=0)))
        if self._asked is None or self._asked[0] != key:
            asked = [condition(lint.failing(ground, rule.id)) for rule in RULES]
            columns = ", ".join(each.text for each in asked)
            sql = f"SELECT id, {columns} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
            self._asked = key, sql, [value for each in asked for value in each.values]
        return self._asked[1:]
