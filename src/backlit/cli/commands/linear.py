"""The linear mode: backlit line by line, for screen readers, logs and terminals without a screen."""

import argparse
from collections.abc import Sequence
from contextlib import closing

from backlit.cli.arguments import parser
from backlit.cli.inner_run import run_inside
from backlit.cli.linear.console import Console, InputEnded
from backlit.cli.linear.grooming import GroomedList, LinearGrooming
from backlit.cli.linear.menu import run_menu
from backlit.cli.linear.session import LinearSession
from backlit.cli.synced import synced_store
from backlit.config.settings import find_locations, read_settings

WAIT_SECONDS = 10.0
"""The longest time to wait for the server's answer before the next prompt, as commands wait."""
_WITH_SCREENS = frozenset({"open", "demo", "serve"})


def run_lines(arguments: argparse.Namespace) -> None:
    with closing(_session(arguments)) as session:
        run_menu(session)


def groom(arguments: argparse.Namespace) -> None:
    """Ask the open questions of items, line by line, without the menu."""
    with closing(_session(arguments)) as session:
        grooming = LinearGrooming(session, GroomedList(arguments.query or "", arguments.limit), way_on="backlit groom")
        try:
            grooming.run()
        except InputEnded:
            session.sync()


def _session(arguments: argparse.Namespace) -> LinearSession:
    target = [
        word
        for option, value in (("--profile", arguments.profile), ("--project", arguments.project))
        for word in ([option, value] if value else [])
    ]

    def run_command(words: Sequence[str]) -> None:
        run_inside([*target, *words], _as_table)

    scale = read_settings(find_locations()).estimate_scale
    options = argparse.Namespace(wait=WAIT_SECONDS, offline=getattr(arguments, "offline", False), scale=scale)
    names = frozenset(parser().verbs) - _WITH_SCREENS
    return LinearSession(Console(), lambda: synced_store(arguments), run_command, names, options)


def _as_table(arguments: argparse.Namespace) -> None:
    """Let a listing be a table, as on a terminal: a tab is nothing to read aloud. A pager would take the input."""
    arguments.no_pager = True
    if getattr(arguments, "format", "") is None and not arguments.json:
        arguments.format = "table"
