"""Followers of the changes: CPU and memory of the service with hundreds of streams, and how soon each is told.

The times are from the start of the PUT to the arrival of the event: at the median stream, at the 99th percentile, and
at the last stream of each edit. The streams are read by this process, which shares the machine with the service.
"""

import argparse
import asyncio
import shutil
import tempfile
import time
from collections.abc import Sequence
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

import httpx
from tests.service.crowd import STREAMS_PER_USER, Crowd, sign_in_crowd
from tests.service.served_process import Served

from backlit.service.sample.workspace import write_sample
from backlit.service.storage.settings import ServiceSettings
from benchmarks.processes import cpu_of, memory_of, tree_of
from benchmarks.table import Cell, median, percentile, print_table

ITEMS = 1000
PAUSE = 0.25
"""Seconds between two edits."""
IDLE_SECONDS = 20.0
PATIENCE = 20.0


class Arrivals:
    """The times at which the streams were told of the present edit."""

    def __init__(self, crowd: Crowd) -> None:
        self._times: list[float] = []
        self._count = len(crowd.streams)
        self._all_told = asyncio.Event()
        self._tasks = [asyncio.create_task(self._read(reader)) for reader, _ in crowd.streams]

    async def of_edit(self, client: httpx.AsyncClient, number: int) -> list[float]:
        """Edit an item; return the milliseconds until each stream was told."""
        self._times.clear()
        self._all_told.clear()
        began = time.perf_counter()
        (await client.put("workitems/1", json={"Name": f"Edit {number}"})).raise_for_status()
        with suppress(TimeoutError):
            async with asyncio.timeout(PATIENCE):
                await self._all_told.wait()
        return sorted((moment - began) * 1000 for moment in self._times)

    def stop(self) -> None:
        for task in self._tasks:
            task.cancel()

    async def _read(self, reader: asyncio.StreamReader) -> None:
        while line := await reader.readline():
            if line == b"event: changes\n":
                self._times.append(time.perf_counter())
                if len(self._times) == self._count:
                    self._all_told.set()


async def measure(served: Served, headers: Sequence[str], edits: int) -> list[Cell]:
    pids = tree_of(served.process.pid)
    options: dict[str, Any] = {"base_url": f"{served.base}/api/v1/", "headers": {"authorization": headers[0]}}
    async with httpx.AsyncClient(**options, timeout=PATIENCE) as client:
        (await client.get("users/me")).raise_for_status()
        memory = memory_of(pids)
        async with Crowd(served.base, headers) as crowd:
            arrivals, taken = Arrivals(crowd), memory_of(pids) - memory
            began, cpu = time.perf_counter(), cpu_of(pids)
            await asyncio.sleep(IDLE_SECONDS)
            idle = (cpu_of(pids) - cpu) / (time.perf_counter() - began) * 100
            told, last, cpu = [], [], cpu_of(pids)
            for number in range(edits):
                times = await arrivals.of_edit(client, number)
                told += times
                last.append(times[-1] if times else PATIENCE * 1000)
                await asyncio.sleep(PAUSE)
            edit_cpu = (cpu_of(pids) - cpu) * 1000 / edits
            arrivals.stop()
            missing = edits * len(crowd.streams) - len(told)
    figures = (median(told), percentile(told, 0.99), median(last), taken, idle, edit_cpu)
    return [len(headers) * STREAMS_PER_USER, *(round(figure, 1) for figure in figures), missing]


def run(database: str, folder: Path, people: int, edits: int) -> list[Cell]:
    settings = ServiceSettings(database, folder / "files")
    write_sample(settings, ITEMS, today=date(2026, 3, 11))
    headers = sign_in_crowd(settings, people)
    with Served(folder, database, "--files", str(folder / "files"), "--log-level", "warning") as served:
        return asyncio.run(measure(served, headers, edits))


def main() -> None:
    """Measure with SQLite, and with PostgreSQL where the tests' own is installed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks followers", description=__doc__)
    parser.add_argument("--people", type=int, default=63, help="people with 8 streams each (%(default)s)")
    parser.add_argument("--edits", type=int, default=40, help="edits to tell of (%(default)s)")
    options = parser.parse_args()
    rows: list[Sequence[Cell]] = []
    folder = Path(tempfile.mkdtemp(prefix="backlit-followers-"))
    try:
        rows.append(["SQLite", *run(f"sqlite:///{folder}/service.db", folder, options.people, options.edits)])
        with suppress(ImportError):
            from tests.service.postgres import Postgres  # noqa: PLC0415 - only where it is installed

            server = Postgres(Path(tempfile.gettempdir()) / "backlit-followers-postgres")
            try:
                url = server.url(server.create())
                rows.append(["PostgreSQL", *run(url, folder, options.people, options.edits)])
            finally:
                server.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    header = [
        "database",
        "streams",
        "median ms",
        "99 % ms",
        "last ms",
        "memory MB",
        "idle CPU %",
        "CPU ms an edit",
        "lost",
    ]
    print_table("Followers", header, rows)


if __name__ == "__main__":
    main()
