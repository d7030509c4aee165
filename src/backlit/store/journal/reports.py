"""The journal's records for reports: scope log, snapshots and status history."""

from collections.abc import Iterable
from datetime import date
from typing import NamedTuple

from backlit.store.sqlite.database import SqliteTable, transaction


class IterationPoints(NamedTuple):
    """The iteration that counts an item, and its points."""

    iteration_id: int
    points: float


class ScopeMove(NamedTuple):
    """An item's points in an iteration before a day and at its end, None outside the iteration."""

    iteration_id: int
    item_id: int
    before: float | None
    after: float | None


class TrackedDays(NamedTuple):
    """The first and last day for which every addition and removal of an iteration was recorded."""

    since: date
    until: date | None = None

    def covers(self, day: date) -> bool:
        """Report whether every change since the record before a day was recorded."""
        return self.since < day and (self.until is None or day <= self.until)


class ScopeLogTable(SqliteTable):
    """The tables of the scope log, through the journal's connection."""

    def places(self, project_id: int) -> dict[int, IterationPoints]:
        found = self._connection.execute(
            "SELECT item_id, iteration_id, points FROM scope_items WHERE project_id = ?", (project_id,)
        )
        return {item_id: IterationPoints(iteration_id, points) for item_id, iteration_id, points in found}

    def followed(self, project_id: int) -> dict[int, TrackedDays]:
        found = self._connection.execute(
            "SELECT iteration_id, since, until FROM scope_followed WHERE project_id = ?", (project_id,)
        )
        return {
            iteration_id: TrackedDays(date.fromisoformat(since), date.fromisoformat(until) if until else None)
            for iteration_id, since, until in found
        }

    def moves(
        self, project_id: int, iteration_ids: str, first: date, last: date
    ) -> list[tuple[str, float | None, float | None]]:
        """Return the day and the points before and after of each item that changed in some iterations (JSON)."""
        return self._connection.execute(
            "SELECT day, sum(before), sum(after) FROM scope_moves WHERE project_id = ?"
            " AND iteration_id IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ? GROUP BY day, item_id",
            (project_id, iteration_ids, first.isoformat(), last.isoformat()),
        ).fetchall()

    def carried(self, project_id: int, iteration_id: int, later: str, first: date, last: date) -> tuple[int, float]:
        found = self._connection.execute(
            "SELECT count(*), total(gone.before) FROM scope_moves gone JOIN scope_moves come"
            " ON come.project_id = gone.project_id AND come.day = gone.day AND come.item_id = gone.item_id"
            " WHERE gone.project_id = ? AND gone.iteration_id = ? AND gone.day BETWEEN ? AND ? AND gone.after IS NULL"
            " AND come.iteration_id IN (SELECT value FROM json_each(?)) AND come.before IS NULL",
            (project_id, iteration_id, first.isoformat(), last.isoformat(), later),
        ).fetchone()
        return int(found[0]), float(found[1])

    def follow(self, project_id: int, followed: Iterable[tuple[int, TrackedDays]]) -> None:
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO scope_followed (project_id, iteration_id, since, until) VALUES (?, ?, ?, ?)",
                [
                    (project_id, iteration_id, each.since.isoformat(), each.until.isoformat() if each.until else None)
                    for iteration_id, each in followed
                ],
            )

    def put(self, project_id: int, places: Iterable[tuple[int, IterationPoints]], gone: Iterable[int]) -> None:
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT OR REPLACE INTO scope_items (project_id, item_id, iteration_id, points) VALUES (?, ?, ?, ?)",
                [(project_id, item_id, *place) for item_id, place in places],
            )
            self._connection.executemany(
                "DELETE FROM scope_items WHERE project_id = ? AND item_id = ?",
                [(project_id, item_id) for item_id in gone],
            )

    def move(self, project_id: int, day: date, moves: Iterable[ScopeMove]) -> None:
        """Record a day's moves. The value before the day never changes. An item that is back at it leaves no record."""
        noted = list(moves)
        with transaction(self._connection):
            self._connection.executemany(
                "INSERT INTO scope_moves (project_id, day, iteration_id, item_id, before, after)"
                " VALUES (?, ?, ?, ?, ?, ?)"
                " ON CONFLICT (project_id, iteration_id, day, item_id) DO UPDATE SET after = excluded.after",
                [(project_id, day.isoformat(), *each) for each in noted],
            )
            self._connection.executemany(
                "DELETE FROM scope_moves WHERE project_id = ? AND iteration_id = ? AND day = ? AND item_id = ?"
                " AND before IS after",
                [(project_id, each.iteration_id, day.isoformat(), each.item_id) for each in noted],
            )


SnapshotRow = tuple[int, str, float, float]
"""An iteration (0 for the whole backlog), counts and points by status as JSON, work remaining and completed."""


class SnapshotTable(SqliteTable):
    """The table of snapshots, through the journal's connection, with a row for each iteration and day."""

    def put(self, project_id: int, day: date, lines: Iterable[SnapshotRow], gone: Iterable[int]) -> None:
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
        return [
            day
            for (day,) in self._connection.execute(
                "SELECT DISTINCT day FROM snapshots WHERE project_id = ? AND iteration_id = 0"
                " AND day BETWEEN ? AND ? ORDER BY day",
                (project_id, first.isoformat(), last.isoformat()),
            )
        ]


class ObservedStatus(NamedTuple):
    """An item's status, the day it was first seen, and the last day with another status, None if unknown."""

    status: str
    since: date
    before: date | None

    @property
    def is_exact(self) -> bool:
        """True if the status was seen to change on its first day."""
        return self.before is not None and (self.since - self.before).days <= 1


class StatusHistoryTable(SqliteTable):
    """The tables of the status history, through the journal's connection.

    `status_history` holds the current status of an item, `status_changes` each status it had.
    """

    def of_project(self, project_id: int) -> dict[int, ObservedStatus]:
        found = self._connection.execute(
            "SELECT item_id, status, since, before FROM status_history WHERE project_id = ?", (project_id,)
        )
        return {
            item_id: ObservedStatus(status, date.fromisoformat(since), _day(before))
            for item_id, status, since, before in found
        }

    def changes(self, project_id: int) -> dict[int, list[ObservedStatus]]:
        changes: dict[int, list[ObservedStatus]] = {}
        for item_id, status, since, before in self._connection.execute(
            "SELECT item_id, status, since, before FROM status_changes WHERE project_id = ? ORDER BY item_id, since",
            (project_id,),
        ):
            seen = ObservedStatus(status, date.fromisoformat(since), _day(before))
            changes.setdefault(item_id, []).append(seen)
        return changes

    def add_changes(self, project_id: int, observed: Iterable[tuple[int, ObservedStatus]]) -> None:
        """Write statuses that items had; the last status of a day counts."""
        self._write("status_changes", project_id, observed)

    def _write(self, table: str, project_id: int, observed: Iterable[tuple[int, ObservedStatus]]) -> None:
        with transaction(self._connection):
            self._connection.executemany(
                f"INSERT OR REPLACE INTO {table} (project_id, item_id, status, since, before)"  # noqa: S608 # constants
                " VALUES (?, ?, ?, ?, ?)",
                [
                    (project_id, item_id, seen.status, seen.since.isoformat(), _text(seen.before))
                    for item_id, seen in observed
                ],
            )

    def put(self, project_id: int, observed: Iterable[tuple[int, ObservedStatus]], gone: Iterable[int] = ()) -> None:
        observed, gone = list(observed), list(gone)
        with transaction(self._connection):
            for table in ("status_history", "status_changes"):
                self._write(table, project_id, observed)
                self._connection.executemany(
                    f"DELETE FROM {table} WHERE project_id = ? AND item_id = ?",  # noqa: S608 # constants
                    [(project_id, item_id) for item_id in gone],
                )


def _day(text: str | None) -> date | None:
    return None if text is None else date.fromisoformat(text)


def _text(day: date | None) -> str | None:
    return None if day is None else day.isoformat()
