"""How a command finds who carries it out: the nearest node from the focus up that can."""

from collections.abc import Callable, Iterator
from typing import cast

from textual.dom import DOMNode

from backlit.tui.commands import Command, Context

Handler = Callable[[int | None], None]


class CannotAct(Exception):
    """A command that cannot act now; the text is the sentence that says why."""


def contexts_of(node: DOMNode) -> tuple[Context, ...]:
    """The contexts of a node and all above it, nearest first, GLOBAL last."""
    found: list[Context] = []
    for ancestor in node.ancestors_with_self:
        found += [context for context in getattr(ancestor, "CONTEXTS", ()) if context not in found]
    return (*found, Context.GLOBAL)


def handler_of(node: DOMNode, command: Command) -> Handler | None:
    """The method that carries the command out, looked for from the node up to the app."""
    return next(_handlers(node, command), None)


def _handlers(node: DOMNode, command: Command) -> Iterator[Handler]:
    for ancestor in node.ancestors_with_self:
        method = getattr(ancestor, command.method, None)
        if method is not None:
            yield cast("Handler", method)
