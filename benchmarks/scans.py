"""Scans of one user beside eight heavy ones of another: how long each waits, and how many are refused.

Eight connections of maya ask again and again for what no index knows. Beside them jon asks for a page by status, for
a page by rank, and for a scan as heavy as maya's; before that he asks alone. A refused request is asked again after
its Retry-After, and the time goes on.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import httpx

from backlit.service.sample.workspace import write_sample
from benchmarks.served import settings_in
from benchmarks.service import is_filled, sign_in
from benchmarks.table import Cell, median, percentile, print_table

HEAVY = 8
PATIENCE = 120.0
CHEAP = {
    "by status": "Status eq 'Done'",
    "by rank": "BacklogPriority gt 10",
}


def heavy(number: int, conditions: int) -> str:
    """A filter that reads every text several times and finds nothing; no two are equal."""
    return " or ".join(f"contains(tolower(Description),'qx{number}v{each}')" for each in range(conditions))


async def ask(client: httpx.AsyncClient, text: str, statuses: Counter[int]) -> float:
    """Ask until it is answered; returns the seconds."""
    began = time.perf_counter()
    while True:
        answer = await client.get("/api/v1/workitems", params={"$filter": text, "$top": "20"})
        statuses[answer.status_code] += 1
        if answer.status_code not in {429, 503}:
            return time.perf_counter() - began
        await asyncio.sleep(float(answer.headers.get("retry-after", "1")))


async def keep_busy(client: httpx.AsyncClient, number: int, conditions: int, statuses: Counter[int]) -> None:
    """Ask heavy questions for ever."""
    while True:
        await ask(client, heavy(number, conditions), statuses)


async def measure(base: str, runs: int, conditions: int) -> tuple[list[list[Cell]], str]:
    """The lines of the table, and what the heavy user was answered."""
    limits = httpx.Limits(max_connections=64)
    signed = {name: await asyncio.to_thread(sign_in, base, name) for name in ("maya", "jon")}
    maya, jon = (
        httpx.AsyncClient(base_url=base, headers={"authorization": signed[name]}, timeout=PATIENCE, limits=limits)
        for name in ("maya", "jon")
    )
    questions = {**CHEAP, "heavy": heavy(HEAVY, conditions)}
    async with maya, jon:
        alone = {name: [await ask(jon, text, Counter()) for _ in range(runs)] for name, text in questions.items()}
        statuses: Counter[int] = Counter()
        tasks = [asyncio.create_task(keep_busy(maya, number, conditions, statuses)) for number in range(HEAVY)]
        await asyncio.sleep(1)
        lines: list[list[Cell]] = []
        for name, text in questions.items():
            answered: Counter[int] = Counter()
            times = [await ask(jon, text, answered) for _ in range(runs)]
            shown = ", ".join(f"{count} x {status}" for status, count in sorted(answered.items()))
            lines.append([name, median(alone[name]), median(times), percentile(times, 1.0), shown])
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return lines, ", ".join(f"{count} x {status}" for status, count in sorted(statuses.items()))


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=5, help="questions of each kind (default 5)")
    parser.add_argument("--items", type=int, default=10_000, help="size of the sample (default 10000)")
    parser.add_argument("--conditions", type=int, default=60, help="of a heavy filter (default 60)")
    parser.add_argument("--folder", type=Path, help="keeps the sample for the next time (default: a temporary folder)")
    parser.add_argument("--database", help="postgresql://…: an empty database, or one that this filled before")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)) / f"service-{given.items}"
        folder.mkdir(parents=True, exist_ok=True)
        settings = settings_in(folder, given.database)
        if not (is_filled(settings.database) if given.database else (folder / "service.sqlite3").exists()):
            write_sample(settings, given.items)
        command = [sys.executable, "-m", "benchmarks.served", str(folder), settings.database]
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        try:
            assert server.stdout is not None
            base = f"http://127.0.0.1:{int(server.stdout.readline())}"
            lines, answered = asyncio.run(measure(base, given.runs, given.conditions))
        finally:
            server.terminate()
            server.wait(60)
    columns = ["seconds for jon's", "alone", "beside, median", "beside, longest", "answers"]
    print_table(f"A user beside {HEAVY} heavy scans of another, {given.items:,} items", columns, lines)
    print(f"\n  Answers to the heavy scans beside: {answered}")


if __name__ == "__main__":
    main()
