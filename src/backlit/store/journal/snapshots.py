"""The journal's snapshots: a backlog's daily state, which the service does not keep."""

import sqlite3
from collections.abc import Iterable
from datetime import date

from backlit.store.sqlite.database import transaction

SnapshotRow = tuple[int, str, float, float]
"""An iteration (0 for the whole backlog), counts and points by status as JSON, work remaining and completed."""


class SnapshotTable:
    """The table of snapshots, through the journal's connection, with a row for each iteration and day."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection

    def put(self, project_id: int, day: date, lines: Iterable[SnapshotRow], gone: Iterable[int]) -> None:
        """Write some of a project's rows for a day and delete those of empty iterations."""
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO snapshots"
                " (project_id, day, iteration_id, statuses, work_remaining, work_completed) VALUES (?, ?, ?, ?, ?, ?)",
                [(project_id, day.isoformat(), *line) for line in lines],
            )
            self._connection.executemany(
                "DELETE FROM snapshots WHERE project_id = ? AND day = ? AND iteration_id = ?",
                [(project_id, day.isoformat(), iteration_id) for iteration_id in gone],
            )

    def of_day(self, project_id: int, day: date) -> list[SnapshotRow]:
        """Return a project's rows for a day. Scans all days of the project."""
        return self._connection.execute(
            "SELECT iteration_id, statuses, work_remaining, work_completed FROM snapshots"
            " WHERE project_id = ? AND day = ? ORDER BY iteration_id",
            (project_id, day.isoformat()),
        ).fetchall()

    def of_iteration(self, project_id: int, iteration_id: int) -> list[tuple[str, str, float, float]]:
        """Return the day, statuses and work of every row of an iteration (0: the whole backlog), oldest first."""
        return self._connection.execute(
            "SELECT day, statuses, work_remaining, work_completed FROM snapshots"
            " WHERE project_id = ? AND iteration_id = ? ORDER BY day",
            (project_id, iteration_id),
        ).fetchall()

    def of_iterations(self, project_id: int, iteration_ids: str, first: date, last: date) -> list[tuple[str, str]]:
        """Return the day and statuses of some iterations (JSON, 0 for the whole backlog), by day, `last` included."""
        return self._connection.execute(
            "SELECT day, statuses FROM snapshots WHERE project_id = ?"
            " AND iteration_id IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ? ORDER BY day",
            (project_id, iteration_ids, first.isoformat(), last.isoformat()),
        ).fetchall()

    def recorded(self, project_id: int, first: date, last: date) -> list[str]:
        """Return the days with any record of the project."""
        return [
            day
            for (day,) in self._connection.execute(
                "SELECT DISTINCT day FROM snapshots WHERE project_id = ? AND iteration_id = 0"
                " AND day BETWEEN ? AND ? ORDER BY day",
                (project_id, first.isoformat(), last.isoformat()),
            )
        ]
