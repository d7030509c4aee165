"""Totals of filtered lists, remembered until an item changes."""

import threading
from collections import OrderedDict
from collections.abc import Callable

from backlit.model.filters import Filter

REMEMBERED = 256

Key = tuple[tuple[int, ...], Filter]
"""The projects that are looked at, and what is looked for."""


class Totals:
    """Counts by projects and filter; each is good for one revision of the projects' items."""

    def __init__(self) -> None:
        self._counts: OrderedDict[Key, tuple[int, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: Key, revision: int, count: Callable[[], int]) -> int:
        """The remembered total, or else the one counted now; `revision` is of the same transaction."""
        with self._lock:
            known = self._counts.get(key)
        if known is not None and known[0] == revision:
            return known[1]
        total = count()
        with self._lock:
            self._counts[key] = revision, total
            self._counts.move_to_end(key)
            if len(self._counts) > REMEMBERED:
                self._counts.popitem(last=False)
        return total
