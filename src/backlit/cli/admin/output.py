"""Output of the admin commands: sentences and tables for people, JSON for programs."""

import argparse
from collections.abc import Mapping, Sequence
from typing import Any

from backlit.cli.json_output import write_json
from backlit.cli.table import table
from backlit.model.plain import plain

Rows = Sequence[Mapping[str, Any]]


def show(arguments: argparse.Namespace, rows: Rows, columns: Mapping[str, str]) -> None:
    """Print rows; `columns` maps keys to headings, and a heading of whole numbers ends in `#`."""
    if arguments.json:
        write_json(list(rows))
        return
    headings = [heading.removesuffix("#") for heading in columns.values()]
    right = frozenset(at for at, heading in enumerate(columns.values()) if heading.endswith("#"))
    for line in table(headings, [[_cell(row[key]) for key in columns] for row in rows], right):
        print(line)


def say(arguments: argparse.Namespace, sentence: str, document: Mapping[str, Any]) -> None:
    """Print the outcome; after a dry run, state that nothing was changed."""
    is_dry = getattr(arguments, "dry_run", False)
    if arguments.json:
        write_json(dict(document) | ({"dryRun": True} if is_dry else {}))
        return
    print(f"Dry run, nothing was changed: {plain(sentence)}" if is_dry else plain(sentence))


def some(count: int, noun: str) -> str:
    """Return a count with its noun: 1 item, 2 items."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
