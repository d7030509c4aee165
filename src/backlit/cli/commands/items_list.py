"""The list of work items: of a fresh copy by itself, else through the store."""

import argparse

from backlit.cli.fresh_listing import list_fresh
from backlit.cli.lean_msgspec import load_msgspec


def list_items(arguments: argparse.Namespace) -> None:
    if not list_fresh(arguments):
        load_msgspec()
        from backlit.cli.commands.items import list_through_store

        list_through_store(arguments)
