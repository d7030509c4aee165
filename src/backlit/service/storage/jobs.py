"""Work for a thread with a connection: its outcome, and the queue in which users take turns."""

import asyncio
import queue
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from contextlib import suppress
from typing import Generic, Protocol, TypeVar, cast

from msgspec import Struct
from sqlalchemy import Connection

from backlit.model.errors import BadRequest, TooManyRequests, TransientError, Unavailable

Result = TypeVar("Result")
Work = Callable[[Connection], Result]

RETRY_AFTER = 2
"""Seconds after which a caller may repeat a refused read."""


class ReadTooSlow(BadRequest):
    """A read that ran longer than its limit."""

    def __init__(self, time_limit: float) -> None:
        super().__init__(f"$filter: this takes longer than {time_limit:g} s; narrow it.")


class Job(Generic[Result]):
    """A piece of work with its outcome, for a caller that waits in a thread or, with `loop`, in an event loop."""

    def __init__(
        self,
        work: Work[Result],
        loop: asyncio.AbstractEventLoop | None = None,
        *,
        is_alone: bool = False,
        user_id: int | None = None,
    ) -> None:
        self.work = work
        self.is_alone = is_alone
        self.loop = loop
        self.user_id = user_id
        self.queued_at = time.monotonic()
        self.is_behind_own = False
        """True if other work of the same user was running or waiting when it was queued."""
        self._has_begun = False
        self.future: asyncio.Future[Result] | Future[Result] = Future() if loop is None else loop.create_future()
        self.error: BaseException | None = None
        self.result: Result | None = None

    def is_wanted(self) -> bool:
        """Return False if the caller no longer waits; otherwise the work begins."""
        if isinstance(self.future, Future):
            return self.future.set_running_or_notify_cancel()
        self._has_begun = not self.future.done()
        return self._has_begun

    def expire(self) -> None:
        """Refuse the work, on its caller's loop, unless it has begun."""
        if not self._has_begun and not self.future.done():
            self.future.set_exception(self.waited_too_long())

    def waited_too_long(self) -> TransientError:
        if self.is_behind_own:
            sentence = "Your other long reads took all the time of this one. Wait for them to end, then try again."
            return TooManyRequests(sentence, retry_after=RETRY_AFTER)
        return Unavailable("The service is busy with other reads. Try again in a moment.", retry_after=RETRY_AFTER)

    def run(self, connection: Connection) -> None:
        """Do the work; store its error and raise it."""
        try:
            self.result = self.work(connection)
        except BaseException as error:
            self.error = error
            raise

    def deliver(self) -> None:
        """Hand the outcome to the waiting caller, on its loop; for writes, after the commit."""
        if self.loop is not None and self.future.done():
            return
        if self.error is not None:
            self.future.set_exception(self.error)
        else:
            self.future.set_result(cast("Result", self.result))


def deliver(jobs: Iterable[Job[object]]) -> None:
    """Hand out the outcomes of jobs, with one wake-up for each event loop."""
    # A wake-up for each job, and a future of `concurrent.futures` in between, took 140 of a write's 833 microseconds of
    # CPU.
    by_loop: dict[asyncio.AbstractEventLoop, list[Job[object]]] = {}
    for job in jobs:
        if job.loop is None:
            job.deliver()
        else:
            by_loop.setdefault(job.loop, []).append(job)
    for loop, waiting in by_loop.items():
        with suppress(RuntimeError):  # the loop was closed, so that nobody waits
            loop.call_soon_threadsafe(_deliver_all, waiting)


def _deliver_all(jobs: Iterable[Job[object]]) -> None:
    for job in jobs:
        job.deliver()


class SharePerUser(Struct, frozen=True):
    """Numbers of one user's jobs that run at once, and that wait behind them."""

    running: int
    waiting: int


class JobQueue(Protocol):
    """A queue that threads take jobs from; None ends a thread."""

    def put(self, job: Job[object] | None, /) -> None: ...

    def get(self, block: bool = ...) -> Job[object] | None:
        """Take the next job; raises queue.Empty instead of blocking."""

    def empty(self) -> bool: ...


class FairQueue:
    """Jobs of several users in turns, so that nobody waits for all the jobs of somebody else.

    A job begins beside others once each of these has run for `head_start` seconds. Jobs without a user are the
    service's own and have no limit.
    """

    def __init__(self, shares: SharePerUser, head_start: float) -> None:
        self._shares = shares
        self._head_start = head_start
        self._gate = threading.Lock()
        self._waiting: dict[int | None, deque[Job[object]]] = {}
        """The waiting jobs of each user; the user whose turn is next comes first."""
        self._running: dict[Job[object], float] = {}
        """When each began; the newest comes last."""
        self._idle: list[threading.Condition] = []
        """The threads that wait; the one that worked last is woken first, as its copy of the database is warm."""
        self._is_watched = False
        """True while a thread waits for the end of the newest job's head start."""
        self._is_closed = False

    def put(self, job: Job[object] | None) -> None:
        """Queue a job; None closes the queue behind those that wait. Raises TooManyRequests."""
        with self._gate:
            if job is None:
                self._is_closed = True
                self._wake_all()
            else:
                self._add(job)
                self._wake_one()

    def empty(self) -> bool:
        return not self._waiting

    def _add(self, job: Job[object]) -> None:
        user_id = job.user_id
        # Callers that gave up no longer count; otherwise they would lock the user out until their turn comes.
        own = deque(other for other in self._waiting.get(user_id, ()) if not other.future.done())
        count = len(own) + self._running_of(user_id)
        if user_id is not None and count >= self._shares.running + self._shares.waiting:
            sentence = f"You have {count} long reads running or waiting. Wait for one of them to end, then try again."
            raise TooManyRequests(sentence, retry_after=RETRY_AFTER)
        job.is_behind_own = user_id is not None and count > 0
        own.append(job)
        self._waiting[user_id] = own

    def _running_of(self, user_id: int | None) -> int:
        return sum(job.user_id == user_id for job in self._running)

    def get(self, block: bool = True) -> Job[object] | None:
        """Take the next job of the user whose turn it is."""
        with self._gate:
            while True:
                own, pause = self._next(), self._pause()
                if own is not None and pause <= 0:
                    return self._take(own)
                if self._is_closed and not self._waiting:
                    self._wake_all()  # also those that waited for a user's share end
                    return None
                if not block:
                    raise queue.Empty
                if own is None or self._is_watched:
                    self._wait()
                else:
                    self._is_watched = True
                    self._wait(pause)
                    self._is_watched = False

    def _wait(self, seconds: float | None = None) -> None:
        woken = threading.Condition(self._gate)
        self._idle.append(woken)
        woken.wait(seconds)
        self._idle.remove(woken)

    def _next(self) -> "deque[Job[object]] | None":
        # A user over the share is passed over, not waited for, so that a free thread goes to whoever comes next.
        for user_id, own in self._waiting.items():
            if user_id is None or self._running_of(user_id) < self._shares.running:
                return own
        return None

    def _pause(self) -> float:
        """Return the seconds until another job may begin."""
        newest = next(reversed(self._running.values()), None)
        return 0.0 if newest is None else newest + self._head_start - time.monotonic()

    def _take(self, own: "deque[Job[object]]") -> Job[object]:
        job = own.popleft()
        del self._waiting[job.user_id]
        if own:
            self._waiting[job.user_id] = own  # behind the others
        self._running[job] = time.monotonic()
        if self._waiting:
            self._wake_one()
        return job

    def _wake_one(self) -> None:
        # A thread that is woken for nothing takes the interpreter from the one that works. Whoever watches looks again
        # in time, unless no job runs that could be waited for.
        if self._idle and not (self._is_watched and self._running):
            self._idle[-1].notify()

    def _wake_all(self) -> None:
        for woken in self._idle:
            woken.notify()

    def release(self, job: Job[object]) -> None:
        """Note that a job is over; the thread that did it takes the next one itself."""
        with self._gate:
            del self._running[job]
