"""The journal's status history: since when an item has been in its status, as far as observed."""

import sqlite3
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from backlit.store.sqlite.database import transaction


class ObservedStatus(NamedTuple):
    """An item's status, the day it was first seen, and the last day with another status, None if unknown."""

    status: str
    since: date
    before: date | None


class StatusHistoryTable:
    """The table of the status history, through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_project(self, project_id: int) -> dict[int, ObservedStatus]:
        """Return the observed status of a project's items, by item."""
        found = self._connection.execute(
            "SELECT item_id, status, since, before FROM stays WHERE project_id = ?", (project_id,)
        )
        return {
            item_id: ObservedStatus(status, date.fromisoformat(since), _day(before))
            for item_id, status, since, before in found
        }

    def put(self, project_id: int, stays: Iterable[tuple[int, ObservedStatus]], gone: Iterable[int] = ()) -> None:
        """Write the observed status of some items and delete that of others."""
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO stays (project_id, item_id, status, since, before) VALUES (?, ?, ?, ?, ?)",
                [
                    (project_id, item_id, seen.status, seen.since.isoformat(), _text(seen.before))
                    for item_id, seen in stays
                ],
            )
            self._connection.executemany(
                "DELETE FROM stays WHERE project_id = ? AND item_id = ?", [(project_id, item_id) for item_id in gone]
            )


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
