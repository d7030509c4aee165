"""Threads with a connection of their own, through which all of the service's work on the database goes."""

import asyncio
import queue
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Generic, TypeVar, cast

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from backlit.model.errors import BadRequest, ServiceError

Result = TypeVar("Result")
Work = Callable[[Connection], Result]


class _Job(Generic[Result]):
    """A piece of work, who waits for it, and how it went."""

    def __init__(self, work: Work[Result]) -> None:
        self.work = work
        self.future: Future[Result] = Future()
        self.error: BaseException | None = None
        self.result: Result | None = None

    def run(self, connection: Connection) -> None:
        """Do the work; raises what it raised, after keeping it."""
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
    """One thread and one connection; jobs run in turn, each in a transaction.

    With `batch` above 1, jobs that are waiting share a commit, each in a savepoint. `time_limit` is in
    seconds for one job, after which it is refused as too slow.
    """

    def __init__(self, engine: Engine, name: str, *, batch: int = 1, time_limit: float | None = None) -> None:
        self._engine = engine
        self._batch = batch
        self._time_limit = time_limit
        self._deadline: float | None = None
        self._jobs: queue.SimpleQueue[_Job[object] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name=f"backlit-{name}", daemon=True)
        self._thread.start()

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
        """Finish what is queued and release the thread and its connection."""
        with self._gate:
            self._closed = True
            self._jobs.put(None)
        self._thread.join()

    def _work(self) -> None:
        with self._engine.connect() as connection:
            self._watch_the_clock(connection)
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
        try:
            with connection.begin():
                if len(jobs) == 1:
                    self._run_alone(connection, jobs[0])
                else:
                    self._run_together(connection, jobs)
        except BaseException as error:  # noqa: BLE001 - not swallowed: it is handed to everyone who waits
            for job in jobs:
                job.error = job.error or error
        for job in jobs:
            job.tell()

    def _run_alone(self, connection: Connection, job: _Job[object]) -> None:
        self._deadline = None if self._time_limit is None else time.monotonic() + self._time_limit
        try:
            job.run(connection)
        except OperationalError as error:
            if self._is_late():
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
            except BaseException as error:  # noqa: BLE001 - kept in the job for its caller; the others go on
                job.error = error

    def _is_late(self) -> bool:
        return self._deadline is not None and time.monotonic() > self._deadline

    def _watch_the_clock(self, connection: Connection) -> None:
        driver = connection.connection.driver_connection
        if self._time_limit is not None and driver is not None and hasattr(driver, "set_progress_handler"):
            driver.set_progress_handler(self._is_late, 20_000)
