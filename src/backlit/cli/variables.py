"""Variables of the environment that stand for options of every command."""

import argparse
import os

from backlit.cli.debugging import DEBUG

OFFLINE = "BACKLIT_OFFLINE"
"""Environment variable that is `1` for no connection, as `--offline`; `--fresh` still connects."""


def is_kept_offline() -> bool:
    return os.environ.get(OFFLINE, "0") not in {"", "0"}


def take_variables(arguments: argparse.Namespace) -> None:
    """Let the options and the variables of a command line say the same."""
    if getattr(arguments, "debug", False):
        os.environ[DEBUG] = "1"
    if not is_kept_offline():
        return
    if getattr(arguments, "fresh", False):
        os.environ[OFFLINE] = "0"
    elif hasattr(arguments, "offline"):  # what has no such option says that it cannot connect
        arguments.offline = True
