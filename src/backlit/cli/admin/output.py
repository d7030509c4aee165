"""What the administrator's commands write: sentences and tables for people, JSON for programs."""

import argparse
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import orjson

from backlit.cli.table import table
from backlit.model.plain import plain

Rows = Sequence[Mapping[str, Any]]


def show(arguments: argparse.Namespace, rows: Rows, columns: Mapping[str, str]) -> None:
    """Write rows; `columns` are the headings by key, those of whole numbers end in `#`."""
    if arguments.json:
        write_json(list(rows))
        return
    headings = [heading.removesuffix("#") for heading in columns.values()]
    right = frozenset(at for at, heading in enumerate(columns.values()) if heading.endswith("#"))
    for line in table(headings, [[_cell(row[key]) for key in columns] for row in rows], right):
        print(line)


def say(arguments: argparse.Namespace, sentence: str, document: Mapping[str, Any]) -> None:
    """Say what was done; after a dry run, that it was not."""
    is_dry = getattr(arguments, "dry_run", False)
    if arguments.json:
        write_json(dict(document) | ({"dryRun": True} if is_dry else {}))
        return
    print(f"Dry run, nothing was changed: {plain(sentence)}" if is_dry else plain(sentence))


def write_json(document: object) -> None:
    """Write one JSON document."""
    sys.stdout.buffer.write(orjson.dumps(document, option=orjson.OPT_INDENT_2) + b"\n")
    sys.stdout.buffer.flush()


def some(count: int, noun: str) -> str:
    """A count with its noun: 1 item, 2 items."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _cell(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return "" if value is None else str(value)
