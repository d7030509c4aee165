"""Peers: start, one key, held keys, rest and memory of backlit beside a stock DataTable and programs installed here.

The minimal Textual application is the yardstick. posting, kanban-tui (ktui), vit and tig are measured where they are on
the PATH; what they show differs from backlit, so their figures say what users of terminals are used to, and no more.
Medians over all runs, in turns; the key is one that moves a cursor down.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.driver import Answer, Burst, NoScreen, Program, Ready
from benchmarks.start import leave
from benchmarks.table import Cell, median, print_table
from benchmarks.targets import filled, options

IDLE_SECONDS = 3.0
PRESSES = 12
SETTLED = 3.0
"""Seconds without a byte, after which a program is held to have started."""
LINES = 300
"""Of a list in a peer that has to have one."""


@dataclass(frozen=True, slots=True)
class Peer:
    """A program, the screen that says it is ready, and the key that moves down in it."""

    name: str
    command: tuple[str, ...]
    ready: str
    key: str = "Down"
    home: Path | None = None


@dataclass(slots=True)
class Figures:
    """What one program showed over all runs."""

    starts: list[Ready] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    bursts: list[Burst] = field(default_factory=list)
    idle: list[float] = field(default_factory=list)
    memory: list[float] = field(default_factory=list)


def peers(folder: Path, items: int) -> Iterator[Peer]:
    """The yardstick, backlit, the stock table, and what is installed."""
    yield Peer("minimal Textual app", (sys.executable, "-m", "benchmarks.minimal_app"), "ready", "j")
    target = filled(items, folder)
    leave(target)
    yield Peer(target.name, target.command, target.ready, "j", target.home)
    table = (sys.executable, "-m", "benchmarks.table_app", str(items))
    yield Peer(f"stock DataTable, {items:,} rows", table, "row 1 of the table")
    if shutil.which("tig"):
        yield Peer(f"tig, {LINES} commits", ("tig", "-C", str(commits(folder))), f"commit {LINES - 1}", "j")
    if shutil.which("vit") and shutil.which("task"):
        yield Peer(f"vit, {LINES} tasks", ("vit",), "task 1", "j", tasks(folder))
    if shutil.which("ktui"):
        yield Peer("kanban-tui, its demo", ("ktui", "demo"), "Done", "j", folder)
    if shutil.which("posting"):
        yield Peer("posting, no collection", ("posting",), "Collection", "j", folder)


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


def measure(peer: Peer, figures: Figures) -> None:
    """One fresh process: to its screen, at rest, one key after another, and held."""
    env = {"HOME": str(peer.home), "BACKLIT_HOME": str(peer.home)} if peer.home else {}
    with Program(peer.command, env) as program:
        figures.starts.append(program.wait_for(peer.ready))
        program.settle(SETTLED)
        figures.idle.append(program.idle(IDLE_SECONDS)[1])
        figures.answers += [program.press(peer.key) for _ in range(PRESSES)][2:]
        figures.bursts.append(program.burst(peer.key))
        figures.memory.append(program.memory())


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    given = options(__doc__).parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        measured = {peer: Figures() for peer in peers(given.folder or Path(temporary), given.items)}
        for _ in range(given.runs):
            for peer, figures in measured.items():
                try:
                    measure(peer, figures)
                except NoScreen as problem:
                    print(f"{peer.name}: {problem}", file=sys.stderr)
    base = median([start.cpu for start in next(iter(measured.values())).starts])
    header = [
        "start, down, held, rest",
        "start ms",
        "CPU ms",
        "x minimal",
        "key ms",
        "bytes",
        "CPU ms",
        "held ms",
        "idle %",
        "MB",
    ]
    print_table(
        f"Peers, medians over {given.runs} runs", header, [row_of(peer, of, base) for peer, of in measured.items()]
    )


def row_of(peer: Peer, figures: Figures, base: float) -> list[Cell]:
    """Its line of the table."""
    spent = median([start.cpu for start in figures.starts])
    return [
        peer.name,
        median([start.wall for start in figures.starts]),
        spent,
        spent / base,
        median([answer.changed for answer in figures.answers if answer.changed is not None]),
        median([float(answer.size) for answer in figures.answers]),
        median([answer.cpu for answer in figures.answers]),
        median([burst.cpu_per_key for burst in figures.bursts]),
        median(figures.idle),
        median(figures.memory),
    ]


if __name__ == "__main__":
    main()
