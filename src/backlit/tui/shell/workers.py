"""Coroutines for Textual's workers."""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, ParamSpec, TypeVar, cast

from textual.worker import WorkType

COMMANDS_GROUP = "commands"
"""The group of the workers that run commands."""
Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def work(
    act: Callable[Parameters, Coroutine[Any, Any, Result]], *args: Parameters.args, **kwargs: Parameters.kwargs
) -> WorkType[Result]:
    """What to give to `run_worker`: the coroutine is made when the worker begins.

    One that is cancelled before (an exclusive worker, an application that ends) leaves no coroutine that was never
    awaited. The cast is for Textual's narrower type of coroutines.
    """
    return cast("WorkType[Result]", partial(act, *args, **kwargs))
