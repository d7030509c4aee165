"""Pauses before a retry, and the number of concurrent requests."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waits:
    """Pauses in seconds. Each pause doubles after a failure, up to the longest, with jitter."""

    first_pause: float = 1.0
    longest_pause: float = 30.0
    sync_every: float = 20.0
    settling: float = 3.0
    """The longest time that a request without a response may still be in transit."""

    def pause(self, failures: int) -> float:
        """Return the pause after a number of consecutive failures."""
        pause = min(self.longest_pause, self.first_pause * 2 ** min(max(failures, 1) - 1, 16))
        return random.uniform(pause / 2, pause)  # noqa: S311 # jitter is no secret


USUAL_WAITS = Waits()

MOST = 4
RUN = 8
"""The number of consecutive fast responses that allows another concurrent request."""
SLOW_FACTOR, SLOW_LEAST = 4.0, 0.5
_WEIGHT = 0.1
_WRITES = frozenset({"PUT", "POST", "DELETE"})


class Flow:
    """The number of concurrent requests: halved under strain, one more after a run of successes."""

    def __init__(self, most: int = MOST) -> None:
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
        """Report whether a write took much longer than usual for its method."""
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
