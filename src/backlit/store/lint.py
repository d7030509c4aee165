"""The ready-check over the mirror: what items still lack before a team begins them."""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from backlit.model.filters import Filter
from backlit.model.lint import RULES, Ground, Rule
from backlit.store.database import ids_json
from backlit.store.files import Files
from backlit.store.filter_sql import condition
from backlit.store.names import StoreNames

Judge = Callable[[sqlite3.Connection, Sequence[int]], Mapping[int, tuple[Rule, ...]]]
"""Finds the rules that each of some items fails."""


class ReadyCheck:
    """Judges items of the current project by the rules, as they stand now."""

    def __init__(self, files: Files, names: StoreNames) -> None:
        self._files = files
        self._names = names
        self._asked: tuple[object, str, Sequence[object]] | None = None

    def filter(self) -> Filter:
        """Holds for the items that fail a rule, whether they are open or not."""
        return self._names.failing(None)

    def ground(self) -> Ground:
        """What the rules judge by."""
        return self._names.ground()

    def faults(self, ids: Sequence[int]) -> Mapping[int, tuple[Rule, ...]]:
        """The rules that each of some items fails, in one query; those that lack nothing are left out."""
        return self.judge()(self._files.mirror, ids)

    def judge(self) -> Judge:
        """The same as it stands now, over a connection of another thread."""
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
        """What asks for all rules at once; it is written once a minute, as rows that scroll by ask for it each."""
        ground, lint = self._names.ground(), self._names.lint
        key = (lint, replace(ground, now=ground.now.replace(second=0, microsecond=0)))
        if self._asked is None or self._asked[0] != key:
            asked = [condition(lint.failing(ground, rule.id)) for rule in RULES]
            columns = ", ".join(each.text for each in asked)
            sql = f"SELECT id, {columns} FROM items WHERE id IN (SELECT value FROM json_each(?))"  # noqa: S608 # bound values
            self._asked = key, sql, [value for each in asked for value in each.values]
        return self._asked[1:]
