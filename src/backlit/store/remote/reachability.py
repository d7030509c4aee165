"""Reachability of the service: the gate that all loops wait at, the pauses before a retry, the concurrent requests."""

import contextlib
import time
from collections.abc import Awaitable, Callable

from msgspec import Struct

from backlit.model.errors import BacklitError, Offline, TooManyRequests, TransientError, Unavailable

SHUTS: tuple[type[TransientError], ...] = (Offline, TooManyRequests, Unavailable)
"""Errors of the service as a whole, as opposed to those of a single request."""
_WORTH_SAYING = 2.0


class RetryPauses(Struct, frozen=True):
    """Pauses in seconds. Each pause doubles after a failure, up to the longest, with jitter."""

    first_pause: float = 1.0
    longest_pause: float = 30.0
    sync_every: float = 20.0
    in_transit: float = 3.0
    """The longest time that a request without a response may still be in transit."""

    def pause(self, failures: int) -> float:
        pause = min(self.longest_pause, self.first_pause * 2 ** min(max(failures, 1) - 1, 16))
        import random  # with hashlib 7 ms, for a service that is away

        # Spread out, so that the clients which lost a service at one moment do not all return to it at one moment.
        return random.uniform(pause / 2, pause)  # noqa: S311 # jitter is no secret


USUAL_PAUSES = RetryPauses()


class Reachability:
    """The gate. A failure shuts it, a response opens it. A requested pause (Retry-After) is kept to the second.

    `ask` is the cheap request. `on_shut` gets a sentence, `on_open` is called when the service answers again.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[object]],
        on_shut: Callable[[str], None],
        on_open: Callable[[], None],
        waits: RetryPauses,
    ) -> None:
        import asyncio  # which those who only name the pauses do not need

        self._ask = ask
        self._on_shut = on_shut
        self._on_open = on_open
        self._waits = waits
        self._opened = asyncio.Event()
        self._opened.set()
        self._shut = asyncio.Event()
        self._hurried = asyncio.Event()
        self._failures = 0
        self._next_at = 0.0
        self._wish: TransientError | None = None
        self._wished_until = 0.0

    @property
    def is_open(self) -> bool:
        return self._opened.is_set()

    @property
    def seconds_left(self) -> float:
        """The seconds until it asks again while the gate is shut."""
        return max(0.0, max(self._next_at, self._wished_until) - time.monotonic())

    async def wait(self) -> None:
        await self._opened.wait()

    def lost(self, error: TransientError) -> None:
        """Shut the gate. The first report of an outage and the longest requested pause count."""
        now = time.monotonic()
        if self.is_open:
            self._failures += 1
            self._next_at = now + self._waits.pause(self._failures)
        wish = error.retry_after or 0.0
        if wish and now + wish > self._wished_until:
            self._wish, self._wished_until = error, now + wish
        self._opened.clear()
        self._shut.set()
        self._on_shut(self._sentence(error))

    def works(self) -> None:
        """Record a success: reset the pauses, and open the gate unless a requested pause is running."""
        self._failures = 0
        if time.monotonic() >= self._wished_until:
            self._open()

    def hurry(self) -> None:
        """Ask at once. Raises the requested pause while it runs."""
        if self._wish is not None and time.monotonic() < self._wished_until:
            raise type(self._wish)(self._sentence(self._wish), retry_after=self._wished_until - time.monotonic())
        if not self.is_open:
            self._hurried.set()

    async def watch(self) -> None:
        """Ask from time to time while the gate is shut. Runs until cancelled."""
        while True:
            await self._shut.wait()
            await self._pause()
            if self.is_open:
                continue
            try:
                await self._ask()
            except TransientError as error:
                self._failures += 1
                self._next_at = time.monotonic() + self._waits.pause(self._failures)
                self.lost(error)
            except BacklitError:
                self._open()  # a rejection is an answer too, and waiting requests will get it themselves
            else:
                self._open()

    async def _pause(self) -> None:
        """Wait for the end of the pause, for an open gate or for `hurry`.

        A requested pause always runs its full time.
        """
        import asyncio

        while not self.is_open and not self._hurried.is_set():
            until = max(self._next_at, self._wished_until)
            if until <= time.monotonic():
                break
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._hurried.wait(), until - time.monotonic())
        self._hurried.clear()

    def _open(self) -> None:
        if not self.is_open:
            self._shut.clear()
            self._wish = None
            self._opened.set()
            self._on_open()

    def _sentence(self, error: TransientError) -> str:
        left = self._wished_until - time.monotonic()
        if self._wish is None or left < _WORTH_SAYING:
            return error.message
        moment = time.strftime("%H:%M:%S", time.localtime(time.time() + left))
        return f"{self._wish.message} Next attempt at {moment}."


MAX_CONCURRENT_REQUESTS = 4
RUN = 8
"""The number of consecutive fast responses that allows another concurrent request."""
SLOW_FACTOR, SLOW_LEAST = 4.0, 0.5
_WEIGHT = 0.1
_WRITES = frozenset({"PUT", "POST", "DELETE"})


# As TCP does it: clients that share a service find their parts of it without knowing of each other.
class ConcurrencyLimit:
    """The number of concurrent requests: halved under strain, one more after a run of successes."""

    def __init__(self, most: int = MAX_CONCURRENT_REQUESTS) -> None:
        self.most = most
        self.room = most
        self._run = 0
        self._ignored = 0
        self._usual: dict[str, float] = {}

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Record a response: its status, 0 for none, and its duration in seconds."""
        is_slow = method in _WRITES and status > 0 and self._is_slow(method, seconds)
        if status in {0, 429} or status >= 500 or is_slow:
            self._strained()
            return
        self._ignored = max(0, self._ignored - 1)
        self._run += 1
        if self._run >= RUN:
            self._run = 0
            self.room = min(self.most, self.room + 1)

    def _is_slow(self, method: str, seconds: float) -> bool:
        usual = self._usual.setdefault(method, seconds)
        self._usual[method] = usual + _WEIGHT * (seconds - usual)
        return seconds > max(SLOW_FACTOR * usual, SLOW_LEAST)

    def _strained(self) -> None:
        """Halve the number, once for all requests in transit."""
        self._run = 0
        if self._ignored > 0:
            self._ignored -= 1
            return
        self._ignored = self.room - 1
        self.room = max(1, self.room // 2)
