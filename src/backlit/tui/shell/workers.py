"""Workers: passes coroutines to Textual."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from textual.worker import WorkType

COMMANDS_GROUP = "commands"
"""The group of the workers that run commands."""
BACKGROUND_GROUP = "background"
"""The group of the workers that no key began, and that no key waits for."""
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def work(
    act: Callable[Parameters, Coroutine[Any, Any, Result]], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> WorkType[Result]:
    """Return the argument for `run_worker`; it creates the coroutine when the worker begins.

    A worker that is cancelled before (exclusive, or at exit) thus leaves no coroutine that was never awaited. The cast
    is for Textual's narrower type.
    """
    return cast("WorkType[Result]", partial(act, *args, **kwargs))
