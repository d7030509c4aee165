"""Commands that run inside another command, such as those typed in the linear mode."""

import argparse
from collections.abc import Callable, Sequence
from importlib import import_module

from backlit.cli.arguments import parser
from backlit.model.errors import UsageFault
from backlit.model.plain import plain

_ENDLESS = ("commands.app:", "commands.linear:", "commands.serve:", "commands.mcp:")
"""Handlers that take over the terminal or its input."""


def run_inside(words: Sequence[str], adjust: Callable[[argparse.Namespace], None] = lambda _: None) -> int:
    """Run a command and return its exit code; raise BacklitError.

    `adjust` may change the arguments. Raises UsageFault for a command that takes over the terminal.
    """
    try:
        chosen = parser().parse_args(list(words))
    except SystemExit as left:  # the parser has said why, or printed its help
        return int(left.code or 0)
    if chosen.handler.startswith(_ENDLESS):
        raise UsageFault(f"“{plain(' '.join(words), 60)}” needs a terminal of its own.")
    adjust(chosen)
    module, _, function = chosen.handler.partition(":")
    status = getattr(import_module(f"backlit.cli.{module}"), function)(chosen)
    return int(status or 0)
