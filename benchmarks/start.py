"""Start-up: from exec to rows on the screen, first start, filled mirror and a large one, against a minimal app.

Every figure is a median over fresh processes; the programs take turns, so that a busy machine disturbs all alike. The
ratio is one of CPU. "As left" is a start after an end by `q`: the kept frame is shown before the rest is imported. The
others have none.
The first start is that of a stranger: nothing on the disk yet, the sample is made behind the first screen.
"""

import tempfile
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from backlit.cli.last_frame import NAME
from benchmarks.driver import NoScreen, Ready
from benchmarks.table import Cell, median, print_table
from benchmarks.targets import Target, app, filled, options, yardstick

HEADER = ("exec to rows on the screen", "ms", "CPU ms", "x minimal", "MB")
SMALL = 100
LEAVING = 20.0
"""Seconds within which it ends."""


def started(target: Target) -> Ready:
    """One start of it."""
    with target.start() as program:
        return program.wait_for(target.ready, timeout=120)


def rows_of(measured: dict[str, list[Ready]]) -> list[list[Cell]]:
    """A line of the table for every program, the yardstick first."""
    spent = {name: median([ready.cpu for ready in all_of]) for name, all_of in measured.items()}
    base = next(iter(spent.values()))
    return [
        [name, median([r.wall for r in of]), spent[name], spent[name] / base, median([r.memory for r in of])]
        for name, of in measured.items()
    ]


def leave(target: Target) -> None:
    """Start it, and end it as a user does."""
    with target.start() as program:
        program.wait_for(target.ready, timeout=120)
        program.settle(1.0)
        program.type("q")
        with suppress(NoScreen):
            program.read(LEAVING)


def measure(folder: Path, runs: int, large: int) -> dict[str, list[Ready]]:
    """Start every program `runs` times, in turn."""
    targets = [yardstick(folder), filled(SMALL, folder), filled(large, folder)]
    measured: dict[str, list[Ready]] = {target.name: [] for target in targets}
    first: list[Ready] = []
    for _ in range(runs):
        for target in targets:
            (target.home / "state" / NAME).unlink(missing_ok=True)
            measured[target.name].append(started(target))
        for target in targets[1:]:
            leave(target)
            measured.setdefault(f"{target.name}, as left", []).append(started(target))
        with tempfile.TemporaryDirectory() as empty:
            first.append(started(app(SMALL, Path(empty))))
    return {**measured, f"backlit, first start, {SMALL} items": first}


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = options(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        measured = measure(given.folder or Path(temporary), given.runs, given.items)
    print_table(f"Start-up, medians of {given.runs}", HEADER, rows_of(measured))


if __name__ == "__main__":
    main()
