"""Thousands of keys over all screens: memory and latency in the last part of a run, against the first.

The program syncs with its service meanwhile. Keys come at a steady rate, in rounds over the backlog, the board, the
plan, the trees, the inbox, the reports, an item and dialogs; after each round single presses of `j` are measured.
"""

import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.driver import Program
from benchmarks.table import Cell, median, percentile, print_table
from benchmarks.targets import ROWS, filled, options

ROUND = (
    *("g", "b", *"jjjjjkkk", "PageDown", "G", "g", "g", " ", "j", " ", "Esc", "z", "a", "z", "a", "p", *"jjj", "p"),
    *("/", *"auth", "Enter", *"jjj", "Esc", "?", "Esc", "e", "Esc", "c", "s", "Esc", ":", "Esc"),
    *("g", "k", *"lljjhhkk", "g", "p", *"jjkk", "g", "i", *"jjkk", "g", "a", *"jjkk", "g", "n", *"jjkk"),
    *("g", "r", *"jjkk", "Esc", "g", "b", "t", "s", "Esc", "c", "e", "3", "Enter", "u"),
)
"""Keys of a round; it ends on the backlog, and changes an estimate and takes that back."""
SINGLE = 6
"""Presses of j that are measured after each round."""
AFTER_ESCAPE = 0.2
"""Seconds until the next key, which would be read as one with alt else."""
PARTS = 10
"""Parts of a run; the first and the last are compared."""


@dataclass(frozen=True, slots=True)
class Sample:
    """Figures after a round: keys so far, MB, CPU in ms of each key of the round, and times of single presses in ms."""

    keys: int
    memory: float
    cpu: float
    changed: list[float]


def run(program: Program, keys: int, rate: float) -> list[Sample]:
    """Press so many keys in rounds."""
    samples: list[Sample] = []
    count, moment = 0, time.perf_counter()
    while count < keys:
        spent = program.cpu()
        for key in ROUND:
            program.read(max(0.0, moment - time.perf_counter()))
            moment = max(moment + 1 / rate, time.perf_counter() - 1.0)
            program.type(key)
            moment += AFTER_ESCAPE if key == "Esc" else 0.0
        program.settle(0.5)
        cpu = (program.cpu() - spent) * 1e3 / len(ROUND)
        answers = [program.press("j") for _ in range(SINGLE)]
        count += len(ROUND) + SINGLE
        changed = [each.changed for each in answers if each.changed is not None]
        samples.append(Sample(count, program.memory(), cpu, changed))
    return samples


def row(name: str, samples: Sequence[Sample]) -> list[Cell]:
    """A line of the table."""
    times = [each for sample in samples for each in sample.changed]
    return [
        name,
        float(samples[-1].keys),
        median([each.memory for each in samples]),
        median([each.cpu for each in samples]),
        median(times),
        percentile(times, 0.95) if times else None,
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Press the keys, and print the table."""
    parser = options(__doc__)
    parser.add_argument("--keys", type=int, default=20_000, help="keys in all (default 20000)")
    parser.add_argument("--rate", type=float, default=30.0, help="keys a second (default 30)")
    parser.set_defaults(items=2000)
    given = parser.parse_args(arguments)
    with (
        tempfile.TemporaryDirectory() as temporary,
        filled(given.items, given.folder or Path(temporary)).start() as program,
    ):
        program.wait_for(ROWS, timeout=120)
        program.settle(1.0)
        samples = run(program, given.keys, given.rate)
    part = max(1, len(samples) // PARTS)
    rows = [row("first part", samples[:part]), row("all", samples), row("last part", samples[-part:])]
    print_table(f"{samples[-1].keys:,} keys", ["", "keys", "MB", "CPU ms/key", "j changed ms", "p95"], rows)


if __name__ == "__main__":
    main()
