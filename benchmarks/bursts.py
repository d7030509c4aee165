"""Keys in one write, and with short gaps: which items the commands behind a move, a filter or a dialog change.

Each sequence is typed once with a pause behind every key; the changes of that in the journal are the right ones. Then
it is typed `--tries` times with every gap, and each try counts as right, as another change, or as none.
"""

import json
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.driver import Program
from benchmarks.table import Cell, print_table
from benchmarks.targets import FILLED, ROWS, Target, filled, options

GAPS = (0, 10, 30, 100)
"""Milliseconds between two keys."""
ENTER, ESCAPE, CLEAR, DONE = "\r", "\x1b", "\x15", "\x13"
GIVE_UP = 8.0
"""Seconds after which a try that has changed nothing changes nothing."""
SLOWLY = 0.8
AFTER = 0.5
"""Seconds that are waited for a second change behind the first."""


class Case(NamedTuple):
    """Keys; `~` stands for a verb that sets the estimate, and NUMBER for the try."""

    name: str
    keys: str


class Change(NamedTuple):
    """An entry of the journal, but for the values that differ between two tries."""

    item_id: int | None
    kind: str
    keys: tuple[str, ...]


def cases(item_id: int, name: str) -> list[Case]:
    """The sequences, for an item that has an estimate and a name of its own."""
    return [
        Case("filter by words", f"/{name}{ENTER}~"),
        Case("filter by query", f"/type:story{ENTER}~"),
        Case("go to an item", f"#{item_id}{ENTER}~"),
        Case("name an item gone to", f"#{item_id}{ENTER}cn{CLEAR}{name} NUMBER{ENTER}"),
        Case("down by a count", "5j~"),
        Case("the end", "Gk~"),
        Case("page down", "\x04~"),
        Case("next hit", f"/{name}{ENTER}{ESCAPE}n~"),
        Case("status by a picker", f"#{item_id}{ENTER}s{ENTER}~"),
        Case("the plan and a verb", f"gpcn{CLEAR}Planned NUMBER{ENTER}"),
        Case("the plan and back", "gpgb~"),
        Case("the editor and back", f"#{item_id}{ENTER}{ENTER}q~"),
        Case("the name in the editor", f"#{item_id}{ENTER}{ENTER}{ENTER}{CLEAR}{name} NUMBER{DONE}"),
        Case("the trees and back", "gaq~"),
        Case("the inbox and back", "giq~"),
        Case("group and sort", f"tgAssigned{ENTER}jj~"),
        Case("command line", f":#{item_id}{ENTER}~"),
        Case("rank and rank back", f"#{item_id}{ENTER}JK~"),
        Case("no filter any more", f"/type:story{ENTER}j{ESCAPE}j~"),
        Case("comments and back", f"#{item_id}{ENTER}gcq~"),
        Case("the reports and back", f"#{item_id}{ENTER}grgb~"),
        Case("the outbox and back", f"#{item_id}{ENTER}goq~"),
        Case("help and back", f"#{item_id}{ENTER}?{ESCAPE}~"),
        Case("an order", f"tsStatus{ENTER}3G~"),
        Case("jumping back", f"5G#{item_id}{ENTER}\x0f~"),
        Case("undo", "3G~uj~"),
        Case("add an item", f"a{ENTER}Made NUMBER{ENTER}"),
        Case("add, then a verb", f"a{ENTER}Made NUMBER{ENTER}~"),
    ]


class Journal:
    """What a profile's program has noted of its changes."""

    def __init__(self, folder: Path) -> None:
        self._path = next(folder.rglob("journal.db"))
        self.mirror = next(folder.rglob("mirror.db"))
        with sqlite3.connect(self.mirror) as connection:
            self._newest = int(connection.execute("SELECT max(id) FROM documents").fetchone()[0])

    def last(self) -> int:
        """The number of the newest entry."""
        with sqlite3.connect(self._path) as connection:
            return int(connection.execute("SELECT coalesce(max(id), 0) FROM entries").fetchone()[0])

    def since(self, last: int) -> list[Change]:
        """The changes behind an entry."""
        with sqlite3.connect(self._path) as connection:
            rows = connection.execute("SELECT item_id, kind, payload FROM entries WHERE id > ? ORDER BY id", (last,))
            return [_change(item_id, kind, payload, self._newest) for item_id, kind, payload in rows]


def _change(item_id: int, kind: str, payload: str, newest: int) -> Change:
    content = json.loads(payload)
    name = str((content.get("fields") or content).get("Name", ""))
    is_new = kind == "add"
    known = item_id if 0 < item_id <= newest else None
    return Change(known, kind, (name.rstrip("0123456789"),) if is_new else tuple(sorted(content)))


def a_story(journal: Journal) -> tuple[int, str]:
    """An open item with an estimate, far down, whose name is that of no other."""
    with sqlite3.connect(journal.mirror) as connection:
        rows = connection.execute("SELECT id, doc FROM documents ORDER BY id").fetchall()
    fields = {item_id: json.loads(doc) for item_id, doc in rows[len(rows) // 3 :][:4000]}
    for item_id, document in fields.items():
        found = document["fields"]
        is_fit = document["type"] == "Story" and found["Status"] == "Not Done"
        if is_fit and found["Estimate"] is not None:
            return item_id, str(found["Name"])
    raise LookupError("The sample has no open story with an estimate.")


def typed(case: Case, number: int) -> str:
    """The keys of a try."""
    return case.keys.replace("~", f"ce{CLEAR}NUMBER{ENTER}").replace("NUMBER", str(number))


def tried(program: Program, journal: Journal, keys: str, gap: float) -> list[Change]:
    """The changes that some keys make."""
    last = journal.last()
    for key in [keys] if not gap else keys:
        program.type(key)
        program.read(gap)
    began, found = time.monotonic(), journal.since(last)
    count, changed = len(found), began
    while time.monotonic() - (changed if count else began) < (AFTER if count else GIVE_UP):
        program.read(0.05)
        found = journal.since(last)
        if len(found) != count:
            count, changed = len(found), time.monotonic()
    return found


def to_the_start(program: Program) -> None:
    """Go back to the first row of the backlog, with nothing open and no filter."""
    for key in (ESCAPE, ESCAPE, ESCAPE, ESCAPE, "gb", ESCAPE, ESCAPE, ESCAPE, "gg"):
        program.type(key)
        program.settle(0.1)
    program.settle(0.3)


def measure(
    program: Program, journal: Journal, tries: int, wanted: Sequence[str], gaps: Sequence[int]
) -> list[list[Cell]]:
    """A row of figures for every sequence."""
    rows: list[list[Cell]] = []
    number = 0
    for case in cases(*a_story(journal)):
        if wanted and not any(each in case.name for each in wanted):
            continue
        to_the_start(program)
        number += 1
        right = tried(program, journal, typed(case, number), SLOWLY)
        row: list[Cell] = [case.name]
        for gap in gaps:
            counted: Counter[str] = Counter()
            for _ in range(tries):
                number += 1
                to_the_start(program)
                keys = typed(case, number)
                found = tried(program, journal, keys, gap / 1e3)
                counted["right" if found == right else "other" if found else "none"] += 1
                if found != right:
                    print(f"{case.name}, gap {gap}: {found} for {right}", file=sys.stderr)
                    print(program.terminal.text(), file=sys.stderr)
            row.append(f"{counted['right']}/{counted['other']}/{counted['none']}" if right else "no change")
        rows.append(row)
        print(row, file=sys.stderr, flush=True)
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.add_argument("--tries", type=int, default=25, help="tries of each sequence and gap (default 25)")
    parser.add_argument("--gaps", type=int, nargs="*", default=GAPS, help="milliseconds between keys (default: four)")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of the sequences that are wanted")
    parser.add_argument("--home", type=Path, help="a folder whose last profile is used, instead of a sample")
    parser.add_argument("--while-syncing", action="store_true", help="begin when rows are shown, before all is loaded")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        own = given.home and Target("the profile used last", (sys.executable, "-m", "backlit"), given.home, ROWS)
        target = own or filled(given.items, folder)
        with target.start() as program:
            program.wait_for(ROWS if given.while_syncing else FILLED, timeout=300)
            program.settle(1.0)
            rows = measure(program, Journal(target.home), given.tries, given.only, given.gaps)
    header = ["right/other/none of each", *(f"gap {gap} ms" if gap else "one write" for gap in given.gaps)]
    print_table(f"Bursts at {target.name}, {given.tries} tries", header, rows)


if __name__ == "__main__":
    main()
