"""Local copies of deleted items and of items that became inaccessible."""

import argparse
from contextlib import closing
from datetime import UTC, datetime

from backlit.cli.json_output import write_json
from backlit.cli.table import table
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import find_locations
from backlit.model.errors import NotFound
from backlit.store.journal.journal import Journal
from backlit.store.journal.undo_log import KEPT_DAYS, Copy
from backlit.store.records.item import fields_in

_HEADER = ("Kept", "ID", "Type", "Tasks", "Comments", "Name")
_RIGHT = frozenset({1, 3, 4})


def run(arguments: argparse.Namespace) -> None:
    """List the copies, the latest first, or print one as JSON."""
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
        raise NotFound(f"No copy of item {arguments.id}. Copies are kept for {KEPT_DAYS} days.")
    write_json(copies[0][1].document())


def _row(kept_at: float, copy: Copy) -> list[str]:
    day = datetime.fromtimestamp(kept_at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    name, item_type = fields_in(copy.item).get("Name"), copy.item.get("type")
    return [day, str(copy.item_id), str(item_type), str(len(copy.tasks)), str(len(copy.comments)), str(name or "")]
