"""Peers: start, one key, held keys, rest and memory of backlit beside a stock DataTable and programs installed here.

The minimal Textual application is the yardstick. posting, kanban-tui (ktui), vit and tig are measured where they are on
the PATH; what they show differs from backlit, so their figures say what users of terminals are used to, and no more.
The tables are those of `start` and `keys`; `j` moves the cursor down in all of them.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.driver import NoScreen, Ready
from benchmarks.keys import KEY_HEADER, PRESSES, REST_HEADER, Figures, key_rows, rest_rows, run
from benchmarks.start import HEADER, leave, rows_of, started
from benchmarks.table import print_table
from benchmarks.targets import Target, filled, options, yardstick

LINES = 300
"""Of a list in a peer that has to have one."""


def peers(folder: Path, items: int) -> Iterator[Target]:
    """The yardstick, backlit as left, the stock table, and what is installed."""
    yield yardstick(folder)
    target = filled(items, folder)
    leave(target)
    yield target
    table = (sys.executable, "-m", "benchmarks.table_app", str(items))
    yield Target(f"stock DataTable, {items:,} rows", table, folder, "row 1 of the table")
    if shutil.which("tig"):
        yield Target(f"tig, {LINES} commits", ("tig", "-C", str(commits(folder))), folder, f"commit {LINES - 1}")
    if shutil.which("vit") and shutil.which("task"):
        yield Target(f"vit, {LINES} tasks", ("env", f"HOME={tasks(folder)}", "vit"), folder, "task 1")
    if shutil.which("ktui"):
        yield Target("kanban-tui, its demo", ("env", f"HOME={folder}", "ktui", "demo"), folder, "Done")
    if shutil.which("posting"):
        yield Target("posting, no collection", ("env", f"HOME={folder}", "posting"), folder, "Collection")


def commits(folder: Path) -> Path:
    """A repository with as many commits as a list needs."""
    place = folder / "commits"
    if not place.exists():
        made = (
            f"commit refs/heads/main\ncommitter maya <> {each} +0000\ndata <<.\ncommit {each}\n.\n"
            for each in range(LINES)
        )
        subprocess.run(["git", "init", "-q", "-b", "main", str(place)], check=True)  # noqa: S607 - the user's own
        command = ["git", "-C", str(place), "fast-import", "--quiet"]
        subprocess.run(command, input="".join(made), text=True, check=True)
    return place


def tasks(folder: Path) -> Path:
    """A home of Taskwarrior with as many tasks."""
    home = folder / "tasks"
    if not home.exists():
        home.mkdir(parents=True)
        (home / ".taskrc").write_text("data.location=~/.task\nnews.version=9.9.9\n", encoding="utf-8")
        made = json.dumps([{"description": f"task {each}"} for each in range(LINES)])
        (home / ".vit").mkdir()
        (home / ".vit" / "config.ini").touch()
        command, env = ["task", "rc.verbose=nothing", "import", "-"], {**os.environ, "HOME": str(home)}
        subprocess.run(command, input=made, text=True, env=env, check=True, stdout=subprocess.DEVNULL)
    return home


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = options(__doc__).parse_args(arguments)
    starts: dict[str, list[Ready]] = {}
    measured: dict[str, Figures] = {}
    with tempfile.TemporaryDirectory() as temporary:
        targets = list(peers(given.folder or Path(temporary), given.items))
        for _ in range(given.runs):
            for number, target in enumerate(targets):
                keys = list(PRESSES) if number == 1 else ["j"]  # backlit: also with the preview, and from its top again
                try:
                    starts.setdefault(target.name, []).append(started(target))
                    run(target, keys, measured.setdefault(target.name, Figures()))
                except NoScreen as problem:
                    print(f"{target.name}: {problem}", file=sys.stderr)
    print_table(f"Start-up, medians of {given.runs}", HEADER, rows_of(starts))
    print_table(f"Keys, medians over {given.runs} runs", KEY_HEADER, key_rows(measured))
    print_table("Repeat, rest and memory", REST_HEADER, rest_rows(measured))


if __name__ == "__main__":
    main()
