"""What is measured: the app over a sample of a given size, and the yardstick beside it."""

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from benchmarks.driver import Program

ROWS = r"\b\d+ [▲◆×■◇»] "
"""A screen with a row of the backlog on it."""
FILLED = r"\bsynced\b"
"""A screen whose mirror has everything."""


@dataclass(frozen=True, slots=True)
class Target:
    """A program to start, with its folder, and the screen that says it is ready."""

    name: str
    command: tuple[str, ...]
    home: Path
    ready: str

    def start(self) -> Program:
        """A fresh process of it."""
        return Program(self.command, {"BACKLIT_HOME": str(self.home)})


def yardstick(home: Path) -> Target:
    """The minimal Textual application."""
    return Target("minimal Textual app", (sys.executable, "-m", "benchmarks.minimal_app"), home, "ready")


def app(items: int, home: Path) -> Target:
    """The app as a user starts it, over a sample of so many items."""
    command = (sys.executable, "-m", "backlit", "demo", "--items", str(items))
    return Target(f"backlit, {items:,} items", command, home, ROWS)


def filled(items: int, folder: Path) -> Target:
    """The app with its sample made and its mirror filled; does so where `folder` does not hold that yet."""
    home = folder / f"items-{items}"
    target = app(items, home)
    done = home / "prepared"
    if not done.exists():
        print(f"Preparing {items:,} items in {home} ...", flush=True)
        home.mkdir(parents=True, exist_ok=True)
        with target.start() as program:
            program.wait_for(ROWS, timeout=300 + items / 200)
            program.wait_for(FILLED, timeout=300 + items / 200)
            program.settle(2.0)
        done.touch()
    return target


def options(description: str | None) -> argparse.ArgumentParser:
    """What all benchmarks of the terminal understand."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="fresh processes for each figure (default 5)")
    parser.add_argument("--items", type=int, default=100_000, help="size of the large sample (default 100000)")
    parser.add_argument(
        "--folder", type=Path, help="keeps the prepared samples for the next time (default: a temporary folder)"
    )
    return parser
