"""Waiting for the store's threads: in an event loop, or without one in a command that only keeps a change.

asyncio takes a quarter of the processor time of such a command.
"""

import sys
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

_T = TypeVar("_T")


def has_event_loop() -> bool:
    """Return whether an event loop runs on this thread."""
    get_running_loop = getattr(sys.modules.get("asyncio.events"), "get_running_loop", None)
    try:
        return get_running_loop is not None and get_running_loop() is not None
    except RuntimeError:
        return False


async def completed(future: "Future[_T]") -> _T:
    """Wait for a result; without an event loop this thread waits."""
    if not has_event_loop():
        return future.result()
    import asyncio

    return await asyncio.wrap_future(future)


def run_without_loop(coroutine: Coroutine[Any, Any, _T]) -> _T:
    """Run a coroutine that waits for the store's threads alone."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        result: _T = end.value
        return result
    coroutine.close()
    raise RuntimeError("The coroutine waits for an event loop.")
