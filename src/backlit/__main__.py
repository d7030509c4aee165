"""Entry point of `python -m backlit` and the command `backlit`: a command's module is imported when it runs."""

import argparse
import importlib
import sys
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import cast

from backlit.cli.arguments import parser
from backlit.cli.typed_ahead import TypedAhead, has_screen
from backlit.model.errors import BacklitError

FAILED = 1
INTERRUPTED = 130
SECRET = {"commands.session:log_in", "admin:add_user", "admin:change_password"}
"""Handlers that ask for a password."""


def _chosen(arguments: Sequence[str]) -> argparse.Namespace:
    """Read the arguments; help and version, which end the process, are written first."""
    try:
        return parser().parse_args(arguments)
    finally:
        sys.stdout.flush()


def _typed_ahead(chosen: argparse.Namespace) -> AbstractContextManager[object]:
    """Return the context in which keys typed before they are read stay unseen: those of the screens, and secrets."""
    if chosen.handler.startswith("commands.app:") and has_screen():
        chosen.terminal = TypedAhead()
        return cast("TypedAhead", chosen.terminal)
    return TypedAhead() if chosen.handler in SECRET and sys.stdin and sys.stdin.isatty() else nullcontext()


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status; write an error as one sentence to standard error."""
    try:
        chosen = _chosen(arguments)
        module, _, function = chosen.handler.partition(":")
        with _typed_ahead(chosen):
            status: int = getattr(importlib.import_module(f"backlit.cli.{module}"), function)(chosen) or 0
        sys.stdout.flush()
    except BacklitError as error:
        from backlit.model.plain import plain

        print("backlit: " + "\n".join(map(plain, error.message.split("\n"))), file=sys.stderr)
        for field, text in error.errors.items():
            if text != error.message:
                print(f"  {plain(field)}: {plain(text)}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        return FAILED
    return status


def main() -> None:
    """Run the command line and exit with its status."""
    if sys.stdout is None or not sys.stdout.isatty():
        from backlit.cli.output import guard_output

        guard_output()
    sys.exit(run(sys.argv[1:]))


if __name__ == "__main__":
    main()
