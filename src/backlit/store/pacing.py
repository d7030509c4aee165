"""How long is waited before something is tried again, and how much is tried at once."""

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Waits:
    """Seconds; each pause after a failure is twice the one before, up to the longest, and jittered."""

    first_pause: float = 1.0
    longest_pause: float = 30.0
    sync_every: float = 20.0
    settling: float = 3.0
    """How long what was sent without an answer may still be on its way."""

    def pause(self, failures: int) -> float:
        """How long to wait after so many failures in a row."""
        pause = min(self.longest_pause, self.first_pause * 2 ** min(max(failures, 1) - 1, 16))
        return random.uniform(pause / 2, pause)  # noqa: S311 # jitter is no secret


USUAL_WAITS = Waits()

MOST = 4
RUN = 8
"""Answers in a row, without strain, after which one more may be in flight."""
SLOW_FACTOR, SLOW_LEAST = 4.0, 0.5
_WEIGHT = 0.1
_WRITES = frozenset({"PUT", "POST", "DELETE"})


class Flow:
    """How many may be in flight: halved when the service strains, one more after a run of successes."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.room = most
        self._run = 0
        self._ignored = 0
        self._usual: dict[str, float] = {}

    def answered(self, method: str, status: int, seconds: float) -> None:
        """Take note of a request: its answer's status (0 where none came) and how long it took."""
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
        """Whether a write took well longer than writes of this kind usually do."""
        usual = self._usual.setdefault(method, seconds)
        self._usual[method] = usual + _WEIGHT * (seconds - usual)
        return seconds > max(SLOW_FACTOR * usual, SLOW_LEAST)

    def _strained(self) -> None:
        """Halve once for all that was in flight together."""
        self._run = 0
        if self._ignored > 0:
            self._ignored -= 1
            return
        self._ignored = self.room - 1
        self.room = max(1, self.room // 2)
