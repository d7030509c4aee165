"""Whether the service can be asked: all wait at one gate, and one cheap question finds out when it is back."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable

from backlit.model.errors import BacklitError, Offline, TooManyRequests, Trouble, Unavailable
from backlit.store.pacing import Waits

SHUTS: tuple[type[Trouble], ...] = (Offline, TooManyRequests, Unavailable)
"""Trouble with the service as a whole, rather than with one thing that it was asked."""
LONGEST_WISH = 6 * 3600.0
"""Seconds; a service that asks for more is asked again then."""
_WORTH_SAYING = 2.0


class Reach:
    """The gate; shut by trouble, opened by an answer. A wish to be left alone is kept to the second.

    `ask` is the cheap question; `on_shut` is told a sentence; `on_open` is called when the service answers again.
    """

    def __init__(
        self,
        ask: Callable[[], Awaitable[object]],
        on_shut: Callable[[str], None],
        on_open: Callable[[], None],
        waits: Waits,
    ) -> None:
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
        self._wish: Trouble | None = None
        self._wished_until = 0.0

    @property
    def is_open(self) -> bool:
        """Whether the service answered the last time."""
        return self._opened.is_set()

    async def wait(self) -> None:
        """Until the service can be asked."""
        await self._opened.wait()

    def lost(self, error: Trouble) -> None:
        """Shut the gate; of several reports of one outage the first counts, and the longest wish."""
        now = time.monotonic()
        if self.is_open:
            self._failures += 1
            self._next_at = now + self._waits.pause(self._failures)
        wish = min(error.retry_after or 0.0, LONGEST_WISH)
        if wish and now + wish > self._wished_until:
            self._wish, self._wished_until = error, now + wish
        self._opened.clear()
        self._shut.set()
        self._on_shut(self._sentence(error))

    def works(self) -> None:
        """What was asked succeeded: the next outage begins with short pauses, and the gate is open but for a wish."""
        self._failures = 0
        if time.monotonic() >= self._wished_until:
            self._open()

    def hurry(self) -> None:
        """Ask at once rather than after the pause. Raises the service's wish to be left alone, while it lasts."""
        if self._wish is not None and time.monotonic() < self._wished_until:
            raise type(self._wish)(self._sentence(self._wish), retry_after=self._wished_until - time.monotonic())
        if not self.is_open:
            self._hurried.set()

    async def watch(self) -> None:
        """While the gate is shut, ask now and then; runs until cancelled."""
        while True:
            await self._shut.wait()
            await self._pause()
            if self.is_open:
                continue
            try:
                await self._ask()
            except Trouble as error:
                self._failures += 1
                self._next_at = time.monotonic() + self._waits.pause(self._failures)
                self.lost(error)
            except BacklitError:
                self._open()  # it answers, if only to refuse: those who wait will hear it themselves
            else:
                self._open()

    async def _pause(self) -> None:
        """Until the pause is over, the gate is open or somebody is in a hurry; a wish is never cut short."""
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

    def _sentence(self, error: Trouble) -> str:
        left = self._wished_until - time.monotonic()
        if self._wish is None or left < _WORTH_SAYING:
            return error.message
        moment = time.strftime("%H:%M:%S", time.localtime(time.time() + left))
        return f"{self._wish.message} It is left alone until {moment}."
