"""Values in memory that a service may forget."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


# Without it, every request verifies the signature of its token anew: 2.1 times the CPU for one item, 1.7 for a page of
# 100. Reading the settings of the projects for each request takes 9 times for a page, 3.6 times for an update. Counting
# a filter's total for each page takes 1.4 times at 5,000 items, and more where there are more (`python -m benchmarks
# service`). `functools.lru_cache` would not do: a value is replaced when its revision or its age says so.


class BoundedCache(Generic[Key, Value]):
    """The values that were put last, at most `most`; for any thread."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._gate = threading.Lock()

    def get(self, key: Key) -> Value | None:
        """Return the value, unless it was forgotten."""
        return self._values.get(key)

    def put(self, key: Key, value: Value) -> Value:
        """Remember a value and return it; forget the one that was put first."""
        with self._gate:
            self._values[key] = value
            self._values.move_to_end(key)
            if len(self._values) > self._most:
                self._values.popitem(last=False)
        return value
