"""Generated keys over every screen and dialog, slowly and in one write: where both lead the same, and where not.

Two programs begin with equal copies of a sample. Each case takes both to a screen, runs a command of the table there,
which may open a dialog, and types keys drawn by `--seed` and the number of the case; one program gets them one by one,
the other in one write. The text of both screens and the changes in both journals must be equal. Keys that the burst
drops with a word, behind a refusal, are not typed slowly either.
"""

import random
import re
import shutil
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import COMMANDS
from benchmarks.bursts import Journal
from benchmarks.driver import NoScreen, Program
from benchmarks.table import print_table
from benchmarks.targets import FILLED, Target, filled, options

PLACES: dict[Context, str] = {
    Context.LIST: "gb",
    Context.ITEM: "gb",
    Context.MOVES: "gb",
    Context.GLOBAL: "gb",
    Context.DETAIL: "gb",
    Context.BOARD: "gk",
    Context.PLAN: "gp",
    Context.TREE: "gi",
    Context.EDITOR: "gb\r",
    Context.TABS: "gb\r",
    Context.COMMENTS: "gbgc",
    Context.ATTACHMENTS: "gbgt",
    Context.HISTORY: "gbgl",
    Context.OUTBOX: "go",
    Context.INBOX: "gh",
    Context.REPORTS: "gr",
    Context.SETTINGS: "gS",
    Context.GROOM: "gq",
    Context.SUMMARY: "gq",
}
APART = re.compile(
    r"app\.(suspend|interrupt|back|project|profile|connect|refresh|resync|redraw|stop-timer)|macro\..*|.*external|.*outside"
    r"|.*\.save(-.*)?|view\.save|.*copy.*|attachments\..*|item\.(log|timer)|editor\.project|.*refresh"
)
"""Commands that leave the terminal, wait for a server, write files, or show the time."""
BYTES = {
    "enter": "\r", "escape": "\x1b", "tab": "\t", "shift+tab": "\x1b[Z", "space": " ", "backspace": "\x7f",
    "up": "\x1b[A", "down": "\x1b[B", "left": "\x1b[D", "right": "\x1b[C", "home": "\x1b[H", "end": "\x1b[F",
    "pagedown": "\x1b[6~", "pageup": "\x1b[5~", "digit": "3",
}  # fmt: skip
TYPED = (*("enter", "enter", "escape", "escape", "tab", "down", "up", "backspace", "ctrl+u"), *"12345abdjknxyst>u./")
"""Keys behind the command."""
PASSING = re.compile(r"\d+ ?(s|min|m|h|d)\b( ago)?|just now|\d\d:\d\d|synced|syncing.*|sending.*|\d+ unsent.*")
DROPPED = re.compile(r"(\d+) more keys? w(?:as|ere) dropped")
TOASTS = 8.0
"""Seconds after which no short message is left."""


class Case(NamedTuple):
    """What is typed: the keys to a place, then the keys that come slowly or in one write."""

    place: str
    keys: tuple[str, ...]


class Ending(NamedTuple):
    """Where keys led: the lines of the screen but the title and the footers, and the changes."""

    lines: tuple[str, ...]
    changes: tuple[object, ...]


def sent_for(key: str) -> str:
    """The bytes of a key."""
    return BYTES.get(key) or (chr(ord(key[5]) & 0x1F) if key.startswith("ctrl+") else key)


def case_of(seed: int, number: int, commands: Sequence[Command]) -> Case:
    """The keys of a case; each command has its turn."""
    drawn = random.Random(f"{seed} {number}")  # noqa: S311 - no secret
    command = commands[(number + seed) % len(commands)]
    sequence = drawn.choice(command.keys).split()
    count = [drawn.choice("23")] if drawn.random() < 0.15 and command.context is Context.MOVES else []
    behind = drawn.choices(TYPED, k=drawn.randrange(3, 11))
    return Case(PLACES[command.context], (*count, *sequence, *behind))


class Side:
    """One of the two programs, with its own copy of the sample."""

    def __init__(self, target: Target, home: Path) -> None:
        shutil.copytree(target.home, home)
        self._target = replace(target, home=home)
        self.program: Program = self._target.start()
        self.program.wait_for(FILLED, timeout=120)
        self.program.rest(0.5)
        self.journal = Journal(home)
        self._last = self.journal.last()

    def begin(self, place: str) -> None:
        """Go to a place, with nothing open, on the first row."""
        for keys in ("\x1b" * 4, "gb", "\x1b\x1bgg", place):  # esc may cancel what the keys behind it would answer
            self.program.type(keys)
            self.program.rest(0.15)
        self.program.read(0.5)  # the number of dropped keys is shown behind a pause
        end = time.monotonic() + TOASTS
        while DROPPED.search(self.program.terminal.text()) and time.monotonic() < end:
            self.program.read(0.3)  # what an earlier case dropped is no news
        self._last = self.journal.last()

    def type(self, keys: str) -> None:
        """Type, and wait until nothing moves."""
        self.program.type(keys)
        self.program.rest(0.1)

    def ending(self) -> Ending:
        """Where the keys led."""
        lines = [PASSING.sub("", line).strip() for line in self.program.terminal.text().splitlines()]
        return Ending(tuple(lines[1:-2]), tuple(self.journal.since(self._last)))


class UnequalStart(Exception):
    """The two programs differ before a case, so that it would say nothing."""


def become_equal(slow: Side, fast: Side) -> bool:
    """Wait until both programs show the same; return False where they do not."""
    end = time.monotonic() + TOASTS
    while slow.ending() != fast.ending() and time.monotonic() < end:
        slow.program.read(0.3)
        fast.program.read(0.3)
    return slow.ending() == fast.ending()


def tried(slow: Side, fast: Side, case: Case) -> Iterator[str]:
    """Type a case; yield the differences. Raises UnequalStart."""
    slow.begin(case.place)
    fast.begin(case.place)
    if not become_equal(slow, fast):
        raise UnequalStart
    fast.program.type("".join(map(sent_for, case.keys)))
    fast.program.rest(0.4)
    found = DROPPED.search(fast.program.terminal.text())
    for key in case.keys[: len(case.keys) - (int(found[1]) if found else 0)]:
        slow.type(sent_for(key))
    become_equal(slow, fast)
    one, other = slow.ending(), fast.ending()
    if one.changes != other.changes:
        yield f"changes: slowly {one.changes}, in one write {other.changes}"
    for number, (line, another) in enumerate(zip(one.lines, other.lines, strict=True), 2):
        if line != another:
            yield f"line {number}: slowly {line!r}\n    in one write {another!r}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Try, and print what differs."""
    parser = options(__doc__)
    parser.add_argument("--seed", type=int, default=13, help="draws the keys (default 13)")
    parser.add_argument("--count", type=int, default=500, help="number of cases (default 500)")
    parser.add_argument("--first", type=int, default=0, help="number of the first case (default 0)")
    parser.set_defaults(items=300)
    given = parser.parse_args(arguments)
    commands = [each for each in COMMANDS if each.keys and each.keys != ("q",) and not APART.fullmatch(each.id)]
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as temporary:
        target = filled(given.items, given.folder or Path(temporary))
        number, restarted = given.first, -1
        while number < given.first + given.count:
            with ExitStack() as end:
                home = Path(temporary) / f"from {number}"
                slow, fast = Side(target, home / "slow"), Side(target, home / "fast")
                end.enter_context(fast.program)
                end.enter_context(slow.program)
                is_equal = True
                while is_equal and number < given.first + given.count:
                    case = case_of(given.seed, number, commands)
                    try:
                        differences = list(tried(slow, fast, case))
                    except NoScreen as error:
                        differences = [f"a program ended: {str(error)[-3000:]}"]
                    except UnequalStart:
                        if restarted != number:  # what the cases before it left goes with new programs
                            restarted = number
                            break
                        differences = ["the two programs differ before the case"]
                    is_equal = not differences
                    counts["equal" if is_equal else "different"] += 1
                    if differences:
                        print(f"{number}: {case.place} · {' '.join(case.keys)}", *differences, sep="\n  ", flush=True)
                    number += 1
                    if number % 25 == 0:
                        print(f"{number} tried: {dict(counts)}", file=sys.stderr, flush=True)
            shutil.rmtree(home, ignore_errors=True)
    print_table(f"Generated bursts, seed {given.seed}", ["", "cases"], [[name, n] for name, n in counts.items()])


if __name__ == "__main__":
    main()
