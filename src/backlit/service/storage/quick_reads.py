"""Short reads on the event loop itself."""

import sqlite3
import threading
import time
from collections.abc import Callable
from typing import cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from backlit.service.storage.jobs import ReadTooSlow, Result, Work
from backlit.service.storage.prepared_statements import driver_sql


class NeedsWorkerThread(Exception):
    """Signal of a read that a worker thread should do: its connection is in use or closed, or the database failed."""


# Handing a read to a thread and its outcome back costs two wake-ups and the interpreter's lock twice. On the fast
# queue, one item takes 1.1 to 1.3 times the CPU, a page of 100 1.2 times (`python -m benchmarks service`). The time
# limit keeps the event loop free: what takes longer starts again on the slow queue. PostgreSQL has no such reads,
# because the loop would wait for the network.


class QuickReads:
    """A connection for short reads in the thread of the caller, which is an event loop.

    A read that fails in the database raises NeedsWorkerThread. `before` is called in each transaction.
    """

    def __init__(self, engine: Engine, time_limit: float, before: Callable[[Connection], None]) -> None:
        self._connection = engine.connect()
        self._time_limit = time_limit
        self._before = before
        self._deadline = 0.0
        self._gate = threading.Lock()
        self._driver = cast("sqlite3.Connection", self._connection.connection.driver_connection)
        # Ten times as often as on the threads: 20,000 steps may take 4 ms, which is long beside a limit of 50.
        self._driver.set_progress_handler(self._is_late, 2_000)

    def run(self, work: Work[Result]) -> Result:
        """Do the read at once; raises NeedsWorkerThread, and ReadTooSlow after the time limit."""
        # An event loop must not wait for a lock that the loop of another thread holds; the threads have connections of
        # their own.
        if not self._gate.acquire(blocking=False):
            raise NeedsWorkerThread
        try:
            if self._connection.closed:
                raise NeedsWorkerThread
            self._deadline = time.monotonic() + self._time_limit
            # Read in a transaction, so that the sign-in, the total and the page are of one state of the database.
            driver_sql(self._connection, "BEGIN")  # at a third of the cost of SQLAlchemy's transactions
            self._before(self._connection)
            return work(self._connection)
        except OperationalError as error:
            if self._is_late():
                raise ReadTooSlow(self._time_limit) from error
            raise NeedsWorkerThread from error
        finally:
            try:
                if not self._connection.closed:
                    self._connection.rollback()
                    # SQLAlchemy ends only what it has begun for itself. It does not know of the BEGIN above, which went
                    # to the driver.
                    self._driver.rollback()
            finally:
                self._gate.release()

    def _is_late(self) -> bool:
        return time.monotonic() > self._deadline

    def close(self) -> None:
        with self._gate:
            self._connection.close()
