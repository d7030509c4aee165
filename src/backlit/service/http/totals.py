"""Totals of lists, counted once for each revision of the items."""

from collections.abc import Callable

from backlit.model.filters import Filter
from backlit.service.storage.bounded_cache import BoundedCache

# Each write to a project makes the totals of its filters stale, so that only filters in use now are worth their place.
MAX_CACHED_TOTALS = 256

TotalKey = tuple[tuple[int, ...], Filter]
"""The projects and the filter of a list."""


class TotalCache:
    """Cached counts by projects and filter, each valid for one revision of the projects' items."""

    def __init__(self) -> None:
        self._counts: BoundedCache[TotalKey, tuple[int, int]] = BoundedCache(MAX_CACHED_TOTALS)

    def get(self, key: TotalKey, revision: int, count: Callable[[], int]) -> int:
        """Return the remembered total, or count it; `revision` is of the same transaction."""
        known = self._counts.get(key)
        if known is None or known[0] != revision:
            known = self._counts.put(key, (revision, count()))
        return known[1]
