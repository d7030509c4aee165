"""The journal's table of stays: since when an item has been in its status, as far as that was seen."""

import sqlite3
from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from backlit.store.database import transaction


class Seen(NamedTuple):
    """The status of an item, since which day at the latest, and when it was another at the last; None: not known."""

    status: str
    since: date
    before: date | None


class StaysKept:
    """Reads and writes the stays through the journal's connection."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def of_project(self, project_id: int) -> dict[int, Seen]:
        """The stays of a project by item."""
        found = self._connection.execute(
            "SELECT item_id, status, since, before FROM stays WHERE project_id = ?", (project_id,)
        )
        return {
            item_id: Seen(status, date.fromisoformat(since), _day(before)) for item_id, status, since, before in found
        }

    def put(self, project_id: int, stays: Iterable[tuple[int, Seen]], gone: Iterable[int] = ()) -> None:
        """Write some stays, and forget those of other items."""
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
