"""Dispatch: finds the node that carries a command out, and the function that does it."""

import importlib
from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partial
from inspect import iscoroutinefunction
from typing import Any, cast

from textual.dom import DOMNode

from backlit.tui.commands.command import Call, CannotAct, Command, Context

__all__ = ["Call", "CannotAct", "Runner", "contexts_of", "function_of", "is_awaited", "runner_of"]

Runner = Callable[[Call], Awaitable[None] | None]
"""Runs one call; may raise CannotAct or BacklitError."""


def contexts_of(node: DOMNode) -> tuple[Context, ...]:
    """Return the contexts of a node and of all above it, nearest first, GLOBAL last."""
    found: list[Context] = []
    for ancestor in node.ancestors_with_self:
        found += [context for context in getattr(ancestor, "CONTEXTS", ()) if context not in found]
    return (*found, Context.GLOBAL)


def runner_of(node: DOMNode, command: Command) -> Runner | None:
    """Return what runs the command on the nearest node, from the focus up to the app, that offers its group."""
    return next(_runners(node, command), None)


@cache
def function_of(handler: str) -> Callable[..., Any]:
    """Import the function that `group:function` names."""
    group, _, name = handler.partition(":")
    return cast("Callable[..., Any]", getattr(importlib.import_module(f"backlit.tui.{group}"), name))


def is_awaited(runner: Runner) -> bool:
    """Return whether the runner makes a coroutine."""
    return iscoroutinefunction(runner.func if isinstance(runner, partial) else runner)


def _runners(node: DOMNode, command: Command) -> Iterator[Runner]:
    for ancestor in node.ancestors_with_self:
        if command.group in getattr(ancestor, "COMMAND_GROUPS", ()):
            yield partial(function_of(command.handler), ancestor)
