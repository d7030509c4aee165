"""Threads with their own connections, which do all of the service's work on the database."""

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from enum import IntEnum
from typing import Generic, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from backlit.model.errors import BadRequest, Unavailable
from backlit.service.storage.prepared_statements import driver_sql

Result = TypeVar("Result")
Work = Callable[[Connection], Result]

TRIES = 5
"""Maximum attempts of work that a rollback or a broken connection has undone."""
_TIMED_OUT = "57014"
_TOO_COMPLEX = "54001"
_UNDONE = frozenset({"40001", "40P01"})
_NEXT_JOB = {
    "sqlite": ("RELEASE SAVEPOINT job", "SAVEPOINT job"),
    "postgresql": ("RELEASE SAVEPOINT job; SAVEPOINT job",),
}
"""Statements between two jobs of a batch; each is a round trip on PostgreSQL, and nesting is slow on SQLite."""


class Unconfirmed(Exception):
    """An unanswered commit: its changes may or may not be stored."""


class _Stage(IntEnum):
    """Progress of a transaction."""

    BEGINNING = 0
    WORKING = 1
    COMMITTING = 2
    COMMITTED = 3


class _Job(Generic[Result]):
    """A piece of work with its outcome, for a caller that waits in a thread or, with `loop`, in an event loop."""

    def __init__(
        self, work: Work[Result], loop: asyncio.AbstractEventLoop | None = None, *, is_alone: bool = False
    ) -> None:
        self.work = work
        self.is_alone = is_alone
        self.loop = loop
        self.future: asyncio.Future[Result] | Future[Result] = Future() if loop is None else loop.create_future()
        self.error: BaseException | None = None
        self.result: Result | None = None

    def is_wanted(self) -> bool:
        """Return False if the caller no longer waits; otherwise the work begins."""
        if isinstance(self.future, Future):
            return self.future.set_running_or_notify_cancel()
        return not self.future.cancelled()

    def run(self, connection: Connection) -> None:
        """Do the work; store its error and raise it."""
        try:
            self.result = self.work(connection)
        except BaseException as error:
            self.error = error
            raise

    def tell(self) -> None:
        """Hand the outcome to the waiting caller, on its loop; for writes, after the commit."""
        if self.loop is not None and self.future.cancelled():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(cast("Result", self.result))


def _tell(jobs: Iterable[_Job[object]]) -> None:
    """Hand out the outcomes of jobs, with one wake-up for each event loop."""
    by_loop: dict[asyncio.AbstractEventLoop, list[_Job[object]]] = {}
    for job in jobs:
        if job.loop is None:
            job.tell()
        else:
            by_loop.setdefault(job.loop, []).append(job)
    for loop, told in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed, so that nobody waits
            loop.call_soon_threadsafe(_tell_all, told)


def _tell_all(jobs: Iterable[_Job[object]]) -> None:
    for job in jobs:
        job.tell()


class Lane:
    """A queue of jobs and the threads that do them, each job in a transaction.

    With `batch` above 1, jobs that are waiting share a commit, each in a savepoint. `time_limit` is in
    seconds for one job, after which it is refused as too slow. `before` is called at the start of each
    transaction, `after` when its commit is done and not yet acknowledged; an error of either fails all jobs
    of the transaction. Raises what connecting raises.
    """

    def __init__(
        self,
        engine: Engine,
        name: str,
        *,
        threads: int = 1,
        batch: int = 1,
        time_limit: float | None = None,
        before: Callable[[Connection], None] = lambda _: None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._workers = [
            _Worker(engine, self._jobs, batch=batch, time_limit=time_limit, before=before, after=after)
            for _ in range(threads)
        ]
        self._threads = [
            threading.Thread(target=worker.work, name=f"backlit-{name}", daemon=True) for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()
        try:
            for worker in self._workers:
                worker.ready.result()
        except BaseException:
            self.close()
            raise

    async def run(self, work: Work[Result]) -> Result:
        """Wait for a piece of work; on the writing lane, until it is durable."""
        job = _Job(work, asyncio.get_running_loop())
        self._put(job)
        return await cast("asyncio.Future[Result]", job.future)

    def submit(self, work: Work[Result], *, alone: bool = False) -> "Future[Result]":
        """Queue work from any thread; `alone` gives it its own transaction, which reads only committed data."""
        job = _Job(work, is_alone=alone)
        self._put(job)
        return cast("Future[Result]", job.future)

    def _put(self, job: _Job[Result]) -> None:
        with self._gate:
            if self._closed:
                raise Unavailable("The service is stopping.")
            self._jobs.put(cast("_Job[object]", job))

    def close(self) -> None:
        """Finish queued work and release the threads and their connections."""
        with self._gate:
            self._closed = True
            for _ in self._threads:
                self._jobs.put(None)
        for thread in self._threads:
            thread.join()


class _Worker:
    """A thread with its connection."""

    def __init__(
        self,
        engine: Engine,
        jobs: "queue.SimpleQueue[_Job[object] | None]",
        *,
        batch: int,
        time_limit: float | None,
        before: Callable[[Connection], None],
        after: Callable[[], None],
    ) -> None:
        self.ready: Future[None] = Future()
        self._engine = engine
        self._jobs = jobs
        self._batch = batch
        self._time_limit = time_limit
        self._before = before
        self._after = after
        self._deadline: float | None = None
        self._next: _Job[object] | None = None
        self._stage = _Stage.BEGINNING

    def work(self) -> None:
        """Do jobs until the lane closes."""
        try:
            connection = self._engine.connect()
        except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to who made the lane
            self.ready.set_exception(error)
            return
        with connection:
            self._watch_the_clock(connection)
            self.ready.set_result(None)
            is_open = True
            while is_open:
                jobs, is_open = self._waiting()
                if jobs:
                    self._run(connection, jobs)

    def _waiting(self) -> tuple[list[_Job[object]], bool]:
        """Return the next jobs, at least one unless the lane closes, and whether it stays open."""
        jobs: list[_Job[object]] = []
        while len(jobs) < self._batch:
            try:
                job = self._next or self._jobs.get(block=not jobs)
            except queue.Empty:
                break
            if job is None:
                return jobs, False
            self._next = job if job.is_alone and jobs else None
            if self._next is not None:
                break
            if job.is_wanted():
                jobs.append(job)
                if job.is_alone:
                    break
        return jobs, True

    def _run(self, connection: Connection, jobs: list[_Job[object]]) -> None:
        """Do jobs in one transaction and acknowledge them after its commit.

        A batch whose transaction was rolled back is done again, each job in a transaction of its own.
        """
        for left in reversed(range(TRIES)):
            try:
                self._transact(connection, jobs)
            except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to everyone who waits
                if left and _may_try_again(error, self._stage):
                    continue
                is_rolled_back = self._stage in {_Stage.WORKING, _Stage.COMMITTING} and not _is_cut_off(error)
                if len(jobs) > 1 and is_rolled_back:  # by one of them, or by their number
                    for job in jobs:
                        self._run(connection, [job])
                    return
                for job in jobs:
                    job.error = job.error or _told(error, self._stage)
            break
        _tell(jobs)

    def _transact(self, connection: Connection, jobs: list[_Job[object]]) -> None:
        self._stage = _Stage.BEGINNING
        for job in jobs:
            job.error = None
        with connection.begin():
            self._before(connection)
            self._stage = _Stage.WORKING
            if len(jobs) == 1:
                self._run_alone(connection, jobs[0])
            else:
                self._run_together(connection, jobs)
            if not _is_open(connection):  # the driver's commit would silently do nothing
                raise Unavailable("The database rolled the change back. Try again in a moment.")
            self._stage = _Stage.COMMITTING
        self._stage = _Stage.COMMITTED
        self._after()

    def _run_alone(self, connection: Connection, job: _Job[object]) -> None:
        self._deadline = None if self._time_limit is None else time.monotonic() + self._time_limit
        try:
            job.run(connection)
        except OperationalError as error:
            if self._time_limit is not None and (self._is_late() or _state(error) == _TIMED_OUT):
                job.error = BadRequest(f"$filter: this takes longer than {self._time_limit:g} s; narrow it.")
                raise job.error from error
            if _state(error) == _TOO_COMPLEX or "parser stack overflow" in str(error.orig):
                job.error = BadRequest("$filter: it is nested too deeply for the database; write it flatter.")
                raise job.error from error
            raise
        finally:
            self._deadline = None

    @staticmethod
    def _run_together(connection: Connection, jobs: list[_Job[object]]) -> None:
        for number, job in enumerate(jobs):
            for statement in _NEXT_JOB[connection.dialect.name] if number else ("SAVEPOINT job",):
                driver_sql(connection, statement)
            try:
                job.run(connection)
            except BaseException as error:
                if not connection.invalidated:
                    with suppress(DBAPIError):  # the database may have rolled back the whole transaction
                        driver_sql(connection, "ROLLBACK TO SAVEPOINT job")
                if _is_open(connection) and not _may_try_again(error, _Stage.WORKING):
                    job.error = error  # its caller gets it; the other jobs continue
                    continue
                raise

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _watch_the_clock(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        if self._time_limit is not None and driver is not None and hasattr(driver, "set_progress_handler"):
            driver.set_progress_handler(self._is_late, 20_000)


class GivenUp(Exception):
    """Signal of a read that a lane should do: too long for the event loop, or its connection is in use or closed."""


class QuickReads:
    """A connection for short reads in the thread of the caller, which is an event loop.

    A read that lasts `time_limit` seconds, or fails in the database, is given up. `before` is called in each
    transaction.
    """

    def __init__(self, engine: Engine, time_limit: float, before: Callable[[Connection], None]) -> None:
        self._connection = engine.connect()
        self._time_limit = time_limit
        self._before = before
        self._deadline = 0.0
        self._gate = threading.Lock()
        self._driver = cast("sqlite3.Connection", self._connection.connection.driver_connection)
        self._driver.set_progress_handler(lambda: time.monotonic() > self._deadline, 2_000)

    def run(self, work: Work[Result]) -> Result:
        """Do the read at once; raises GivenUp."""
        if not self._gate.acquire(blocking=False):
            raise GivenUp
        try:
            if self._connection.closed:
                raise GivenUp
            self._deadline = time.monotonic() + self._time_limit
            driver_sql(self._connection, "BEGIN")  # at a third of the cost of SQLAlchemy's transactions
            self._before(self._connection)
            return work(self._connection)
        except OperationalError as error:
            raise GivenUp from error
        finally:
            try:
                if not self._connection.closed:
                    self._connection.rollback()
                    self._driver.rollback()
            finally:
                self._gate.release()

    def close(self) -> None:
        """Release the connection."""
        with self._gate:
            self._connection.close()


def _state(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlstate", None)


def _is_open(connection: Connection) -> bool:
    """True if the transaction is still open; a database may roll it back itself, as SQLite does on a full disk."""
    if connection.invalidated:
        return False
    driver = connection.connection.driver_connection
    if isinstance(driver, sqlite3.Connection):
        return driver.in_transaction
    return driver is not None and driver.info.transaction_status.name == "INTRANS"


def _is_cut_off(error: BaseException) -> bool:
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _told(error: BaseException, stage: _Stage) -> BaseException:
    if stage is not _Stage.COMMITTING or not _is_cut_off(error):
        return error
    told = Unconfirmed("The connection to the database broke during a commit.")
    told.__cause__ = error
    return told


def _may_try_again(error: BaseException, stage: _Stage) -> bool:
    """Return True for a certainly rolled back transaction that a retry may complete."""
    if not isinstance(error, DBAPIError):
        return False
    return _state(error) in _UNDONE or (_is_cut_off(error) and stage < _Stage.COMMITTING)
