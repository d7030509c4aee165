"""Show the copies of items that were deleted for good, or went out of sight while they were looked at."""

import argparse
import sys
from contextlib import closing
from datetime import UTC, datetime

import orjson

from backlit.cli.chosen import chosen_profile
from backlit.cli.table import table
from backlit.config import find_locations
from backlit.model.errors import NotFound
from backlit.store.journal import Journal
from backlit.store.rows import fields_in
from backlit.store.trash import KEPT_DAYS, Copy

_HEADER = ("Kept", "ID", "Type", "Tasks", "Comments", "Name")
_RIGHT = frozenset({1, 3, 4})


def run(arguments: argparse.Namespace) -> None:
    """Write a line for each copy, the latest first; or one copy whole, as JSON."""
    locations = find_locations()
    path = locations.journal(chosen_profile(arguments, locations))
    copies: list[tuple[float, Copy]] = []
    if path.exists():
        with closing(Journal(path, is_for_reading=True)) as journal:
            copies = journal.trash.every(arguments.id)
    if arguments.id is None:
        for line in table(_HEADER, [_row(*each) for each in copies], _RIGHT):
            print(line)
        return
    if not copies:
        raise NotFound(f"There is no copy of item {arguments.id}; copies are kept for {KEPT_DAYS} days.")
    sys.stdout.buffer.write(orjson.dumps(copies[0][1].document(), option=orjson.OPT_INDENT_2) + b"\n")


def _row(kept_at: float, copy: Copy) -> list[str]:
    day = datetime.fromtimestamp(kept_at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    name, item_type = fields_in(copy.item).get("Name"), copy.item.get("type")
    return [day, str(copy.item_id), str(item_type), str(len(copy.tasks)), str(len(copy.comments)), str(name or "")]
