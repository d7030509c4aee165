"""Wire: bytes and CPU for each key, with frames that hold only what changed and as Textual writes them.

Medians over all presses of all runs, at several sizes of the terminal and in several counts of colours. `j` at the edge
is the mean of presses that all scroll.
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.driver import Answer, Program
from benchmarks.table import Cell, median, print_table
from benchmarks.targets import FILLED, filled, options

SIZES = ((120, 40), (200, 50))
PRESSES = 8
WAYS = {"as Textual": "0", "frames": "1"}
Summary = Callable[[list[float]], float]


@dataclass(frozen=True, slots=True)
class Act:
    """Keys that are pressed before, and those that are measured, one after the other."""

    name: str
    keys: Sequence[str]
    before: Sequence[str] = ()
    summary: Summary = median


ACTS = (
    Act("j, preview", "j" * PRESSES, before="j"),
    Act("PageDown, preview", ["PageDown"] * 4),
    Act("p, preview goes", "p", before=("G", "g", "g")),
    Act("j", "j" * PRESSES, before="j"),
    Act("k", "k" * PRESSES),
    Act("PageDown", ["PageDown"] * 4),
    Act("j at the edge", "j" * 20, before=("g", "g", *"j" * 45), summary=mean),
    Act("G", "G", before=("g", "g")),
    Act("p, preview comes", "p", before=("g", "g")),
    Act("/ and a letter", "auth", before=("p", "/")),
    Act("? opens", "?", before=("Esc", "Esc")),
    Act("esc closes", ["Esc"]),
    Act("gk, board", "k", before="g"),
    Act("j, board", "j" * 4),
    Act("gb, backlog", "b", before="g"),
    Act("j, tl", "j" * PRESSES, before=("t", "l", "g", "g", "j")),
    Act("PageDown, tl", ["PageDown"] * 4),
)


def measure(program: Program, found: dict[str, list[Answer]]) -> None:
    """All acts once."""
    for act in ACTS:
        for key in act.before:
            program.press(key)
        found.setdefault(act.name, []).extend(program.press(key) for key in act.keys)


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser: argparse.ArgumentParser = options(__doc__)
    parser.add_argument("--colours", default="truecolor", help="truecolor, 256 or standard (default truecolor)")
    parser.set_defaults(items=2000, runs=1)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        target = filled(given.items, given.folder or Path(temporary))
        for size in SIZES:
            found: dict[str, dict[str, list[Answer]]] = {}
            for _ in range(given.runs):
                for way, switch in WAYS.items():
                    home = {"BACKLIT_HOME": str(target.home), "BACKLIT_FRAME_DIFF": switch}
                    environment = {**home, "TEXTUAL_COLOR_SYSTEM": given.colours}
                    with Program(target.command, environment, size) as program:
                        program.wait_for(FILLED, timeout=120)
                        program.settle(1.0)
                        measure(program, found.setdefault(way, {}))
            columns = [f"{what}, {way}" for what in ("bytes", "CPU ms", "shown ms") for way in WAYS]
            print_table(
                f"{size[0]} by {size[1]}, {given.colours}", ["key", *columns], [row(act, found) for act in ACTS]
            )
            sys.stdout.flush()


def row(act: Act, found: dict[str, dict[str, list[Answer]]]) -> list[Cell]:
    """A line of the table."""
    answers = [found[way][act.name] for way in WAYS]
    sizes = [act.summary([float(each.size) for each in some]) for some in answers]
    cpu = [act.summary([each.cpu for each in some]) for some in answers]
    shown = [act.summary([each.shown for each in some if each.shown is not None]) for some in answers]
    return [act.name, *sizes, *cpu, *shown]


if __name__ == "__main__":
    main()
