"""Threads with a connection of their own, through which all of the service's work on the database goes."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError, OperationalError

from backlit.model.errors import BadRequest, ServiceError

Result = TypeVar("Result")
Work = Callable[[Connection], Result]

TRIES = 5
"""How often work is begun anew that another transaction, or a connection that broke, has undone."""
_TIMED_OUT = "57014"
_UNDONE = frozenset({"40001", "40P01"})


class _Job(Generic[Result]):
    """A piece of work, who waits for it, and how it went."""

    def __init__(self, work: Work[Result]) -> None:
        self.work = work
        self.future: Future[Result] = Future()
        self.error: BaseException | None = None
        self.result: Result | None = None

    def run(self, connection: Connection) -> None:
        """Do the work; raises what it raised, after keeping it."""
        self.error = None
        try:
            self.result = self.work(connection)
        except BaseException as error:
            self.error = error
            raise

    def tell(self) -> None:
        """Hand the outcome to whoever waits; for writes that is after the commit."""
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(cast("Result", self.result))


class Lane:
    """A queue of jobs and the threads that do them, each job in a transaction.

    With `batch` above 1, jobs that are waiting share a commit, each in a savepoint. `time_limit` is in
    seconds for one job, after which it is refused as too slow. Raises what connecting raises.
    """

    def __init__(
        self, engine: Engine, name: str, *, threads: int = 1, batch: int = 1, time_limit: float | None = None
    ) -> None:
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._workers = [_Worker(engine, self._jobs, batch, time_limit) for _ in range(threads)]
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
        """Wait for a piece of work; for the writing lane, until it is durable."""
        return await asyncio.wrap_future(self.submit(work))

    def submit(self, work: Work[Result]) -> "Future[Result]":
        """Queue a piece of work from any thread."""
        job = _Job(work)
        with self._gate:
            if self._closed:
                raise ServiceError("The service is stopping.")
            self._jobs.put(cast("_Job[object]", job))
        return job.future

    def close(self) -> None:
        """Finish what is queued and release the threads and their connections."""
        with self._gate:
            self._closed = True
            for _ in self._threads:
                self._jobs.put(None)
        for thread in self._threads:
            thread.join()


class _Worker:
    """One thread and one connection."""

    def __init__(
        self, engine: Engine, jobs: "queue.SimpleQueue[_Job[object] | None]", batch: int, time_limit: float | None
    ) -> None:
        self.ready: Future[None] = Future()
        self._engine = engine
        self._jobs = jobs
        self._batch = batch
        self._time_limit = time_limit
        self._deadline: float | None = None

    def work(self) -> None:
        """Do jobs until told to stop."""
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
        """The next jobs, at least one unless the lane closes, and whether it stays open."""
        jobs: list[_Job[object]] = []
        while len(jobs) < self._batch:
            try:
                job = self._jobs.get(block=not jobs)
            except queue.Empty:
                break
            if job is None:
                return jobs, False
            if job.future.set_running_or_notify_cancel():
                jobs.append(job)
        return jobs, True

    def _run(self, connection: Connection, jobs: list[_Job[object]]) -> None:
        for left in reversed(range(TRIES)):
            done = False
            try:
                with connection.begin():
                    if len(jobs) == 1:
                        self._run_alone(connection, jobs[0])
                    else:
                        self._run_together(connection, jobs)
                    done = True
                break
            except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to everyone who waits
                if left and _may_try_again(error, done):
                    continue
                for job in jobs:
                    job.error = job.error or error
                break
        for job in jobs:
            job.tell()

    def _run_alone(self, connection: Connection, job: _Job[object]) -> None:
        self._deadline = None if self._time_limit is None else time.monotonic() + self._time_limit
        try:
            job.run(connection)
        except OperationalError as error:
            if self._is_late() or _state(error) == _TIMED_OUT:
                job.error = BadRequest(f"$filter: this takes longer than {self._time_limit:g} s; narrow it.")
                raise job.error from error
            raise
        finally:
            self._deadline = None

    @staticmethod
    def _run_together(connection: Connection, jobs: list[_Job[object]]) -> None:
        for job in jobs:
            try:
                with connection.begin_nested():
                    job.run(connection)
            except BaseException as error:
                if not _may_try_again(error, done=False):
                    job.error = error  # kept for its caller; the others go on
                    continue
                raise

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _watch_the_clock(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        if self._time_limit is not None and driver is not None and hasattr(driver, "set_progress_handler"):
            driver.set_progress_handler(self._is_late, 20_000)


def _state(error: DBAPIError) -> str | None:
    return getattr(error.orig, "sqlstate", None)


def _may_try_again(error: BaseException, done: bool) -> bool:
    """Whether the transaction is surely undone and may go better the next time."""
    if not isinstance(error, DBAPIError):
        return False
    return _state(error) in _UNDONE or (error.connection_invalidated and not done)
