"""Compare: a benchmark at two commits in turns, and each figure of the second as a ratio to the first.

`python -m benchmarks compare HEAD~1 HEAD start --runs 3` measures the sources of both commits with the benchmarks of
this checkout. Medians of the rounds; a busy machine disturbs both alike. Options behind the benchmark's name are its
own.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.table import JSON_FILE, Cell, median, print_table

ROOT = Path(__file__).parent.parent
Tables = dict[str, tuple[list[str], list[list[Cell]]]]
"""Header and rows by title."""


@contextmanager
def sources(commit: str, folder: Path) -> Iterator[Path]:
    """A work tree of a commit."""
    place = folder / "sources"
    _git("worktree", "add", "-q", "--detach", str(place), commit)
    try:
        yield place
    finally:
        _git("worktree", "remove", "--force", str(place))


def _git(*arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=ROOT, check=True)  # noqa: S607 - the git of whoever compares commits


def measured(tree: Path, command: Sequence[str], output: Path) -> Tables:
    """The tables of a benchmark over the sources of a work tree."""
    output.unlink(missing_ok=True)
    paths = os.pathsep.join((str(tree / "src"), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": paths, JSON_FILE: str(output)}
    subprocess.run([sys.executable, "-m", "benchmarks", *command], cwd=ROOT, env=environment, check=True)
    lines = [json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]
    return {line["title"]: (line["header"], line["rows"]) for line in lines}


def ratios(before: Sequence[Tables], after: Sequence[Tables], title: str) -> list[list[Cell]]:
    """The rows of a table, each figure as the ratio of the medians."""
    found: list[list[Cell]] = []
    for number, row in enumerate(after[0][title][1]):
        first, second = (
            [
                median([value for each in all_of if isinstance(value := each[title][1][number][column], int | float)])
                for column in range(1, len(row))
            ]
            for all_of in (before, after)
        )
        found.append([row[0], *(new / old if old else None for old, new in zip(first, second, strict=True))])
    return found


def main() -> None:
    """Measure both commits in turns, and print the ratios."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", help="a commit")
    parser.add_argument("after", help="a commit")
    parser.add_argument("--rounds", type=int, default=3, help="runs of the benchmark at each commit (default 3)")
    parser.add_argument("command", nargs=argparse.REMAINDER, help="name of a benchmark, and its options")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        old, new = Path(temporary, "old"), Path(temporary, "new")
        old.mkdir()
        new.mkdir()
        with sources(given.before, old) as first, sources(given.after, new) as second:
            for tree in (first, second):  # else the first runs would compile
                subprocess.run([sys.executable, "-m", "compileall", "-q", str(tree / "src")], check=True)
            found: tuple[list[Tables], list[Tables]] = [], []
            for _ in range(given.rounds):
                for tree, folder, all_of in ((first, old, found[0]), (second, new, found[1])):
                    all_of.append(measured(tree, given.command, folder / "tables.json"))
        for title, (header, _rows) in found[1][0].items():
            shown = f"{title}: {given.after} as a ratio to {given.before}"
            print_table(shown, header, ratios(*found, title))


if __name__ == "__main__":
    main()
