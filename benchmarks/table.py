"""Plain tables of figures, the statistics in them, and their JSON with the versions of what was measured."""

import json
import math
import os
import platform
import sqlite3
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

Cell = str | float | None
JSON_FILE = "BENCHMARKS_JSON"
"""Environment variable: a file that each table is added to, as a line of JSON."""
_PACKAGES = ("textual", "sqlalchemy", "starlette", "uvicorn", "httpx", "msgspec", "orjson")


def percentile(values: Sequence[float], fraction: float) -> float:
    """By nearest rank."""
    return sorted(values)[max(0, math.ceil(fraction * len(values)) - 1)]


def median(values: Sequence[float]) -> float:
    """The middle value; nan where there is none, so that a table still prints."""
    return statistics.median(values) if values else math.nan


def written(cell: Cell) -> str:
    """Three figures that mean something."""
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return "-"
    if isinstance(cell, str):
        return cell
    return f"{cell:,.0f}" if abs(cell) >= 100 else f"{cell:.1f}" if abs(cell) >= 10 else f"{cell:.2f}"


def print_table(title: str, header: Sequence[str], rows: Sequence[Sequence[Cell]]) -> None:
    """The first column to the left, the others to the right."""
    cells = [list(header), *([written(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(header))]
    print(f"\n{title}")
    for number, row in enumerate(cells):
        parts = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        print("  " + "  ".join(parts).rstrip())
        if number == 0:
            print("  " + "  ".join("-" * width for width in widths), flush=True)
    path = os.environ.get(JSON_FILE)
    if path:
        line = {"title": title, "header": list(header), "rows": [list(row) for row in rows], "made": made()}
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(f"{json.dumps(line)}\n")


def made() -> Mapping[str, object]:
    """When and on what the figures were made."""
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    commit = subprocess.run(describe, capture_output=True, text=True, check=False, cwd=Path(__file__).parent)
    versions = {name: version(name) for name in _PACKAGES}
    return {
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit.stdout.strip(),
        "machine": f"{platform.system()} {platform.machine()}, {os.cpu_count()} cores",
        "load": os.getloadavg()[0],
        "versions": {"python": platform.python_version(), "sqlite": sqlite3.sqlite_version, **versions},
    }
