"""How often somebody may try to sign in."""

import time
from collections import OrderedDict, deque

from backlit.model.errors import TooManyRequests

WINDOW = 60.0
REMEMBERED = 10_000
"""Most users and addresses that are watched; the longest unseen are forgotten first."""


class LoginLimit:
    """Counts attempts of the last minute, for each user and for each address."""

    def __init__(self, attempts: int) -> None:
        self._attempts = attempts
        self._seen: OrderedDict[str, deque[float]] = OrderedDict()

    def attempt(self, *names: str) -> None:
        """Count an attempt under each name; raises TooManyRequests, with the seconds to wait, instead."""
        now = time.monotonic()
        for name in names:
            seen = self._seen.get(name, deque())
            while seen and seen[0] <= now - WINDOW:
                seen.popleft()
            if len(seen) >= self._attempts:
                wait = max(1.0, seen[0] + WINDOW - now)
                raise TooManyRequests("Too many attempts to sign in; wait a little.", retry_after=wait)
        for name in names:
            self._seen.setdefault(name, deque()).append(now)
            self._seen.move_to_end(name)
        while len(self._seen) > REMEMBERED:
            self._seen.popitem(last=False)
