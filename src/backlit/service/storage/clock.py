"""Server time: a clock that never falls behind the newest stored stamp."""

import threading
import time
from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from sqlalchemy import Connection, Table, func, select, text

from backlit.service.storage.columns import METADATA
from backlit.service.storage.prepared_statements import PreparedStatement
from backlit.service.storage.schema import work_items

TICK = timedelta(milliseconds=1)
STAMPED = tuple(table for table in METADATA.sorted_tables if "last_modified_at" in table.c)
"""Tables with a last-modified stamp."""


class Clock:
    """Server time: naive, in whole milliseconds, never going back.

    After the machine's clock was set back, server time runs at half pace until the two meet, so that sign-ins and
    attempts still expire.
    """

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._last = datetime(1970, 1, 1), time.monotonic()
        self._followed: tuple[datetime, float] | None = None

    def follow(self, moment: datetime) -> None:
        """Follow another clock, which now shows `moment`; all services on one database follow the database's clock."""
        self._followed = moment, time.monotonic()

    def keep_ahead_of(self, stamp: datetime) -> None:
        with self._gate:
            if stamp > self._last[0]:
                self._last = stamp, time.monotonic()

    def now(self) -> datetime:
        """Return the time, never earlier than at the last call."""
        with self._gate:
            at = time.monotonic()
            last, then = self._last
            now = max(self._shown(at), last + timedelta(seconds=(at - then) / 2))
            self._last = now, at
        # Documents have milliseconds. A stamp stored with more digits would be unequal to the one that its reader
        # filters by.
        return now.replace(microsecond=now.microsecond // 1000 * 1000)

    def _shown(self, at: float) -> datetime:
        if self._followed is None:
            return datetime.now(UTC).replace(tzinfo=None)
        moment, then = self._followed
        return moment + timedelta(seconds=at - then)

    def keep_ahead_of_tables(self, connection: Connection, tables: Collection[Table] = STAMPED) -> None:
        """Move a clock past the newest stamp of some tables; this scans a table without an index by stamp."""
        # A text: SQLAlchemy takes 6 ms to compile the fourteen statements, which each start of a client waits for.
        queries = [f"SELECT max(last_modified_at) AS newest FROM {table.name}" for table in tables]  # noqa: S608 - ours
        newest_ones = text(" UNION ALL ".join(queries)).columns(newest=work_items.c.last_modified_at.type)
        for newest in connection.execute(newest_ones).scalars():
            if newest is not None:
                self.keep_ahead_of(newest)

    def keep_ahead_of_items(self, connection: Connection) -> None:
        """Move a clock past the newest stamp of a work item, by index."""
        ((newest,),) = _NEWEST_ITEM.rows(connection)
        if newest is not None:
            self.keep_ahead_of(datetime.fromisoformat(newest) if isinstance(newest, str) else newest)


POSTGRESQL_TIME = "SELECT timezone('UTC', clock_timestamp())"
"""The time of a PostgreSQL server."""

_NEWEST_ITEM = PreparedStatement(select(func.max(work_items.c.last_modified_at)))


def clock_of(connection: Connection, tables: Collection[Table] = STAMPED) -> Clock:
    """Return a clock for writing beside a service that may be running on the database."""
    clock = Clock()
    if connection.dialect.name == "postgresql":
        clock.follow(connection.execute(text(POSTGRESQL_TIME)).scalar_one())
    clock.keep_ahead_of_tables(connection, tables)
    return clock
