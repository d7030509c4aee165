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
from typing import cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from backlit.model.errors import TransientError, Unavailable
from backlit.service.storage.jobs import FairQueue, Job, JobQueue, ReadTooSlow, Result, SharePerUser, Work, deliver
from backlit.service.storage.prepared_statements import driver_sql

_SHORT_WAIT = 0.01
"""The part of a time limit that is not worth a statement of its own to count as waiting."""
MAX_TRIES = 5
"""Maximum attempts of work that a rollback or a broken connection has undone."""
_TIMED_OUT = "57014"
_UNDONE = frozenset({"40001", "40P01"})
# SQLAlchemy's `begin_nested` took 225 microseconds of CPU for each job of a batch, these statements of the driver take
# 3. Two statements in one text: the pipeline of the driver costs more than the round trips that it saves.
_FIRST_SAVEPOINT = "SAVEPOINT job"
_NEXT_SAVEPOINT = "RELEASE SAVEPOINT job; SAVEPOINT job"


class UnconfirmedCommit(Exception):
    """An unanswered commit: its changes may or may not be stored."""


class _TransactionStage(IntEnum):
    """Progress of a transaction."""

    BEGINNING = 0
    WORKING = 1
    COMMITTING = 2
    COMMITTED = 3


class WorkerQueue:
    """A queue of jobs and the threads that do them, each job in a transaction.

    With `batch` above 1, jobs that are waiting share a commit; they change rows only. `time_limit` is in
    seconds for one job, after which it is refused as too slow. With `shares`, users take turns, a job begins beside
    others once these have run for `head_start` seconds, and the time that a job waits counts towards the limit.
    `before` is called at the start of each transaction, `after` when its commit is done and not yet acknowledged; an
    error of either fails all jobs of the transaction. Raises what connecting raises.
    """

    def __init__(
        self,
        engine: Engine,
        name: str,
        *,
        threads: int = 1,
        batch: int = 1,
        time_limit: float | None = None,
        shares: SharePerUser | None = None,
        head_start: float = 0.0,
        before: Callable[[Connection], None] = lambda _: None,
        after: Callable[[], None] = lambda: None,
    ) -> None:
        fair = None if shares is None else FairQueue(shares, head_start)
        self._jobs: JobQueue = fair or queue.SimpleQueue()
        self._wait_limit = None if fair is None else time_limit
        self._gate = threading.Lock()
        self._closed = False
        self._workers = [
            _Worker(engine, self._jobs, fair, batch=batch, time_limit=time_limit, before=before, after=after)
            for _ in range(threads)
        ]
        self._threads = [
            threading.Thread(target=worker.work, name=f"backlit-{name}", daemon=True) for worker in self._workers
        ]
        for thread in self._threads:
            thread.start()
        try:
            for worker in self._workers:
                # A database that cannot be reached fails here, before the service says that it is ready.
                worker.ready.result()
        except BaseException:
            self.close()
            raise

    async def run(self, work: Work[Result], user_id: int | None = None) -> Result:
        """Wait for a piece of work, on a queue with shares that of a user; on the writing queue, until it is durable.

        Raises TooManyRequests or Unavailable for work that did not begin within the limit of a queue with shares.
        """
        loop = asyncio.get_running_loop()
        job = Job(work, loop, user_id=user_id)
        self._put(job)
        future = cast("asyncio.Future[Result]", job.future)
        if self._wait_limit is None:
            return await future
        timer = loop.call_later(self._wait_limit, job.expire)
        try:
            return await future
        finally:
            timer.cancel()

    @property
    def is_idle(self) -> bool:
        """Report whether nothing waits."""
        return self._jobs.empty()

    def submit(self, work: Work[Result], *, alone: bool = False) -> "Future[Result]":
        """Queue work from any thread; `alone` gives it its own transaction, which reads only committed data."""
        job = Job(work, is_alone=alone)
        self._put(job)
        return cast("Future[Result]", job.future)

    def _put(self, job: Job[Result]) -> None:
        with self._gate:
            if self._closed:
                raise Unavailable("The service is stopping.")
            # Under the same lock as the marks of `close`: a job behind them would never be done, and its caller would
            # wait for good.
            self._jobs.put(cast("Job[object]", job))

    def close(self) -> None:
        with self._gate:
            self._closed = True
            for _ in self._threads:
                self._jobs.put(None)
        # Jobs that were queued before the marks are still done.
        for thread in self._threads:
            thread.join()


class _Worker:
    """A thread with its connection."""

    def __init__(
        self,
        engine: Engine,
        jobs: JobQueue,
        fair: FairQueue | None,
        *,
        batch: int,
        time_limit: float | None,
        before: Callable[[Connection], None],
        after: Callable[[], None],
    ) -> None:
        self.ready: Future[None] = Future()
        self._engine = engine
        self._jobs = jobs
        self._fair = fair
        self._batch = batch
        self._time_limit = time_limit
        self._before = before
        self._after = after
        self._deadline: float | None = None
        self._began_at = 0.0
        self._next: Job[object] | None = None
        self._stage = _TransactionStage.BEGINNING

    def work(self) -> None:
        try:
            connection = self._engine.connect()
        except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to who made the queue
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
                    self._release(jobs)

    def _release(self, jobs: Iterable[Job[object]]) -> None:
        if self._fair is not None:
            for job in jobs:
                self._fair.release(job)

    def _waiting(self) -> tuple[list[Job[object]], bool]:
        """Return the next jobs, at least one unless the queue closes, and whether it stays open."""
        jobs: list[Job[object]] = []
        # Only what waits already is taken. A pause that gathers more would delay the single writer, and under load the
        # commit before this one gathers enough.
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
            else:
                self._release([job])
        return jobs, True

    def _run(self, connection: Connection, jobs: list[Job[object]]) -> None:
        """Do jobs in one transaction and acknowledge them after its commit.

        A batch whose transaction was rolled back is done again, each job in a transaction of its own.
        """
        # A job may run more than once, and its effects outside of the database would then be doubled: work must have
        # none.
        for left in reversed(range(MAX_TRIES)):
            try:
                self._transact(connection, jobs)
            except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to everyone who waits
                if left and _may_try_again(error, self._stage):
                    continue
                is_rolled_back = self._stage in {
                    _TransactionStage.WORKING,
                    _TransactionStage.COMMITTING,
                } and not _is_cut_off(error)
                if len(jobs) > 1 and is_rolled_back:  # by one of them, or by their number
                    for job in jobs:
                        self._run(connection, [job])
                    return
                for job in jobs:
                    job.error = job.error or _reported_error(error, self._stage)
            break
        deliver(jobs)

    def _transact(self, connection: Connection, jobs: list[Job[object]]) -> None:
        self._stage = _TransactionStage.BEGINNING
        for job in jobs:
            job.error = None
        with connection.begin():
            self._before(connection)
            self._stage = _TransactionStage.WORKING
            if len(jobs) == 1:
                self._run_alone(connection, jobs[0])
            else:
                self._run_together(connection, jobs)
            if not _is_open(connection):  # the driver's commit would silently do nothing
                raise Unavailable("The database rolled the change back. Try again in a moment.")
            self._stage = _TransactionStage.COMMITTING
        self._stage = _TransactionStage.COMMITTED
        # After the commit: callers must not be told that it lasts if the file was replaced meanwhile.
        self._after()

    def _run_alone(self, connection: Connection, job: Job[object]) -> None:
        try:
            self._set_deadline(connection, job)
            job.run(connection)
        except OperationalError as error:
            if self._time_limit is not None and (self._is_late() or _state(error) == _TIMED_OUT):
                job.error = self._too_slow(job, self._time_limit)
                raise job.error from error
            raise
        finally:
            self._deadline = None

    def _set_deadline(self, connection: Connection, job: Job[object]) -> None:
        if self._time_limit is None:
            return
        self._began_at = time.monotonic()
        waited = self._began_at - job.queued_at if self._fair is not None else 0.0
        self._deadline = self._began_at + self._time_limit - waited
        if connection.dialect.name == "postgresql" and waited > self._time_limit * _SHORT_WAIT:
            # At least 1, as 0 turns PostgreSQL's limit off.
            left = max(1, int((self._time_limit - waited) * 1000))  # the connection has the whole limit
            driver_sql(connection, f"SET LOCAL statement_timeout = {left}")

    def _too_slow(self, job: Job[object], time_limit: float) -> TransientError | ReadTooSlow:
        # A read that mostly waited is told to come again; one that mostly ran is told to narrow its filter, as it would
        # be slow again.
        has_waited = self._began_at - job.queued_at > time_limit / 2
        return job.waited_too_long() if self._fair is not None and has_waited else ReadTooSlow(time_limit)

    @staticmethod
    def _run_together(connection: Connection, jobs: list[Job[object]]) -> None:
        # On PostgreSQL a savepoint undoes a failed job. On SQLite savepoints copy each page that a job changes, those
        # of a creation into a temporary file, which took 1.25 times the CPU. There a job that fails before it changes a
        # row, as nearly all do, leaves nothing to undo; after any other the batch is done again, each job alone.
        has_savepoints = connection.dialect.name == "postgresql"
        for number, job in enumerate(jobs):
            if has_savepoints:
                driver_sql(connection, _NEXT_SAVEPOINT if number else _FIRST_SAVEPOINT)
            changed_before = _changed_rows(connection)
            try:
                job.run(connection)
            except BaseException as error:
                if has_savepoints and not connection.invalidated:
                    with suppress(DBAPIError):  # the database may have rolled back the whole transaction
                        driver_sql(connection, "ROLLBACK TO SAVEPOINT job")
                is_undone = has_savepoints or _changed_rows(connection) == changed_before
                if is_undone and _is_open(connection) and not _may_try_again(error, _TransactionStage.WORKING):
                    job.error = error  # its caller gets it; the other jobs continue
                    continue
                raise

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _watch_the_clock(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        if self._time_limit is not None and driver is not None and hasattr(driver, "set_progress_handler"):
            # SQLite has no time limit of its own. 20,000 steps of its machine take 0.4 ms where rows are compared and
            # 4 ms where each of them has JSON read.
            driver.set_progress_handler(self._is_late, 20_000)


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


def _changed_rows(connection: Connection) -> int | None:
    """Return the number of rows that a connection to SQLite has changed so far."""
    driver = connection.connection.driver_connection
    return driver.total_changes if isinstance(driver, sqlite3.Connection) else None


def _is_cut_off(error: BaseException) -> bool:
    return isinstance(error, DBAPIError) and error.connection_invalidated


def _reported_error(error: BaseException, stage: _TransactionStage) -> BaseException:
    if stage is not _TransactionStage.COMMITTING or not _is_cut_off(error):
        return error
    unconfirmed = UnconfirmedCommit("The connection to the database broke during a commit.")
    unconfirmed.__cause__ = error
    return unconfirmed


def _may_try_again(error: BaseException, stage: _TransactionStage) -> bool:
    """Return True for a certainly rolled back transaction that a retry may complete."""
    if not isinstance(error, DBAPIError):
        return False
    return _state(error) in _UNDONE or (_is_cut_off(error) and stage < _TransactionStage.COMMITTING)
