"""The board: time until shown, bytes and CPU of its keys, at a few cards and at thousands.

Medians over all presses of all runs, beside `j` of the list in the same process. `changed` is when the screen first
looked different, with its 95th percentile; `shown` is when it last changed. Cards are items without tasks of the first
project of the sample, those that are done too; there are about 48 of them for every 100 items of the sample.
"""

import tempfile
from collections.abc import Sequence
from pathlib import Path

from benchmarks.driver import Answer, Program
from benchmarks.table import Cell, median, percentile, print_table
from benchmarks.targets import Target, filled, options

ITEMS = 10_400
SMALL = 500
PAIRS = (("j", "k"), ("l", "h"), ("L", "H"), ("J", "K"), ("G", "Home"))
"""Keys that undo each other, so that they can be pressed as often as wanted."""
TIMES = 12
ON_BOARD = r"› Board .*items"
COUNTED = r"Not Done +[\d,]+ "


def run(target: Target, answers: dict[str, list[Answer]]) -> float:
    """One fresh process: the list's `j`, then every key of the board; returns its memory."""
    with target.start() as program:
        program.wait_for(target.ready, timeout=120)
        program.settle(1.0)
        program.press("p")
        press(program, "j", answers.setdefault("list: j", []), times=TIMES)
        program.press("g")
        began = program.press("k")
        answers.setdefault("g k, the first time", []).append(began)
        program.wait_for(ON_BOARD)
        program.wait_for(COUNTED)
        program.settle(1.0)
        for pair in PAIRS:
            for _ in range(TIMES):
                for key in pair:
                    press(program, key, answers.setdefault(key, []))
        for key in ("g", "b", "g"):
            program.press(key)
        answers.setdefault("g k, again", []).append(program.press("k"))
        return program.memory()


def press(program: Program, keys: str, answers: list[Answer], times: int = 1) -> None:
    """Press a key, or a chord of which the last key is measured."""
    *before, last = keys.split()
    for _ in range(times):
        for key in before:
            program.press(key)
        answers.append(program.press(last))


def rows_of(measured: dict[str, list[Answer]]) -> list[list[Cell]]:
    """A line for every key."""
    rows: list[list[Cell]] = []
    for key, answers in measured.items():
        changed = [each.changed for each in answers if each.changed is not None]
        shown = [each.shown for each in answers if each.shown is not None]
        sizes, cpu = [float(each.size) for each in answers], [each.cpu for each in answers]
        p95 = percentile(changed, 0.95) if changed else None
        rows.append([key, median(changed), p95, median(shown), median(sizes), median(cpu)])
    return rows


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = options(__doc__)
    parser.set_defaults(items=ITEMS, runs=3)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        for items in (SMALL, given.items):
            target = filled(items, folder)
            answers: dict[str, list[Answer]] = {}
            memory = [run(target, answers) for _ in range(given.runs)]
            header = ["key", "changed ms", "p95", "shown ms", "bytes", "CPU ms"]
            title = f"Board, sample of {items:,} items, medians over {given.runs} runs, {median(memory):.0f} MB"
            print_table(title, header, rows_of(answers))


if __name__ == "__main__":
    main()
