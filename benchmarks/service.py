"""The service over real HTTP: requests a second, CPU, latency and memory, against the database's driver alone.

A page is 100 items in the default order, the filtered one the first 100 bugs that are not done; all with token, access
and exact total. Limits in the same run, without HTTP, token and access: `raw` does the same in the database (reads and
joins rendered documents; one UPDATE or INSERT and its commit), `R0` reads every column and writes JSON from that.
CPU is that of the service's process, without a PostgreSQL server's; `a core` is how many such requests one core does.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import httpx
from sqlalchemy import ColumnElement, inspect

from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_challenge, parse_grant
from backlit.service.sample.workspace import PASSWORD, write_sample
from backlit.service.storage.database import engine_at
from backlit.service.storage.schema import schema_version, work_items
from benchmarks import limits
from benchmarks.processes import cpu_of, memory_of
from benchmarks.served import settings_in
from benchmarks.table import Cell, median, percentile, print_table

OPEN_BUGS = (work_items.c.type == "Bug", work_items.c.status != "Done")
USER = "maya"
ITEM = 1
CHANGED = 7
"""The first of the items that are changed; each connection has its own."""
CONNECTIONS = 8
ROUND = 2.0
PATIENCE = 30


@dataclass(frozen=True, slots=True)
class Case:
    """A request as method, path and body (with a number in it), and what the driver alone needs for it."""

    name: str
    method: str
    path: str
    limits: Callable[[str], tuple[float, float | None]]
    body: str = ""

    def requests(self, host: str, header: str, connection: int) -> Iterable[bytes]:
        """The requests of one connection, without end."""
        path = self.path.format(id=CHANGED + connection)
        for number in count():
            body = self.body.replace("NUMBER", f"{connection}.{number:09}")
            head = f"{self.method} {path} HTTP/1.1\r\nHost: {host}\r\nAuthorization: {header}\r\n"
            kind = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
            yield f"{head}{kind}\r\n{body}".encode()


def page_of(*where: ColumnElement[bool], limit: int = 100) -> Callable[[str], tuple[float, float]]:
    """The limits of reading."""
    return lambda database: limits.reading(database, where, limit)


NEW = '{"type": "Bug", "projectId": 1, "fields": {"Name": "Made by the benchmark NUMBER"}}'
CASES = (
    Case("page of 100", "GET", "/api/v1/workitems", page_of()),
    Case(
        "filtered page", "GET", "/api/v1/workitems?$filter=type%20eq%20'Bug'%20and%20Status%20ne%20'Done'",
        page_of(*OPEN_BUGS),
    ),
    Case("one item", "GET", f"/api/v1/workitems/{ITEM}", page_of(work_items.c.id == ITEM, limit=1)),
    Case("create", "POST", "/api/v1/workitems", lambda url: (limits.creating(url, ITEM), None), NEW),
    Case(
        "update", "PUT", "/api/v1/workitems/{id}", lambda url: (limits.updating(url, ITEM), None),
        '{"Name": "Changed by the benchmark NUMBER"}',
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Load:
    """Requests a second, CPU milliseconds of the server for one, and how long each took in milliseconds."""

    rate: float
    cpu: float
    times: tuple[float, ...]


async def ask_for_ever(port: int, requests: Iterable[bytes], times: list[float]) -> None:
    """One kept-alive connection that asks again and again; raises where an answer is not 200 or 201."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        for request in requests:
            began = time.perf_counter()
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            if not head.startswith(b"http/1.1 20"):
                raise RuntimeError(head.decode(errors="replace"))
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
            times.append((time.perf_counter() - began) * 1e3)
    finally:
        writer.close()


async def load(port: int, pid: int, header: str, case: Case) -> Load:
    """Keep the server busy over several connections for a while."""
    times: list[float] = []
    host = f"127.0.0.1:{port}"
    tasks = [asyncio.create_task(ask_for_ever(port, case.requests(host, header, n), times)) for n in range(CONNECTIONS)]
    await asyncio.sleep(ROUND / 4)
    for _ in range(PATIENCE * 10):  # warm when everybody was answered once
        if len(times) >= CONNECTIONS:
            break
        await asyncio.sleep(0.1)
    times.clear()
    spent, began = cpu_of([pid]), time.perf_counter()
    await asyncio.wait(tasks, timeout=ROUND, return_when=asyncio.FIRST_COMPLETED)
    used, took, measured = cpu_of([pid]) - spent, time.perf_counter() - began, tuple(times)
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return Load(len(measured) / took, used / max(1, len(measured)) * 1e3, measured)


def sign_in(base: str, username: str = USER) -> str:
    """The Authorization header of a user of the sample, by the flow of SPEC 5."""
    with httpx.Client(base_url=base, timeout=30) as client:
        challenge = parse_challenge(client.get("/api/v1/users/me").headers["WWW-Authenticate"])
        assert challenge is not None
        form = {"wrap_client_id": challenge.client_id, "wrap_username": username, "wrap_password": PASSWORD}
        answer = client.post(TOKEN_PATH, data=form)
        answer.raise_for_status()
        return authorization_header(parse_grant(answer.text, base).access_token)


def is_filled(database: str) -> bool:
    """Whether there are tables already."""
    engine = engine_at(database)
    try:
        return bool(inspect(engine).has_table(schema_version.name))
    finally:
        engine.dispose()


def measure(folder: Path, database: str | None, items: int, runs: int) -> tuple[list[list[Cell]], float]:
    """The lines of the table, and the server's memory at the end."""
    settings = settings_in(folder, database)
    folder.mkdir(parents=True, exist_ok=True)
    if not (is_filled(settings.database) if database else (folder / "service.sqlite3").exists()):
        print(f"Preparing {items:,} items ...", flush=True)
        write_sample(settings, items)
    command = [sys.executable, "-m", "benchmarks.served", str(folder), settings.database]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        header = sign_in(f"http://127.0.0.1:{port}")
        lines = [line_of(case, port, server.pid, header, runs=runs, database=settings.database) for case in CASES]
        return lines, memory_of([server.pid])
    finally:
        server.terminate()
        server.wait(30)


def line_of(case: Case, port: int, pid: int, header: str, *, runs: int, database: str) -> list[Cell]:
    """Limits and load in turns; medians of both."""
    raw: list[tuple[float, float | None]] = []
    loads: list[Load] = []
    for _ in range(runs):
        raw.append(case.limits(database))
        loads.append(asyncio.run(load(port, pid, header, case)))
    cpu, join = median([each.cpu for each in loads]), median([each[0] for each in raw])
    encoded = [each[1] for each in raw if each[1] is not None]
    times = [time for each in loads for time in each.times]
    whole = median(encoded) if encoded else None
    return [
        case.name,
        median([each.rate for each in loads]),
        1e3 / cpu,
        percentile(times, 0.5) if times else None,
        percentile(times, 0.99) if times else None,
        cpu,
        join,
        cpu / join,
        whole,
        cpu / whole if whole else None,
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="rounds of two seconds for each request (default 3)")
    parser.add_argument("--items", type=int, default=10_000, help="size of the sample (default 10000)")
    parser.add_argument("--folder", type=Path, help="keeps the sample for the next time (default: a temporary folder)")
    parser.add_argument("--database", help="postgresql://…: an empty database, or one that this filled before")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)) / f"service-{given.items}"
        lines, memory = measure(folder, given.database, given.items, given.runs)
    header = ["over HTTP, 8 connections", "req/s", "a core", "p50 ms", "p99 ms", "CPU ms", "raw ms", "x raw"]
    kind = "PostgreSQL" if given.database else "SQLite"
    title = f"The service on {kind} with {given.items:,} items, medians of {given.runs} rounds"
    print_table(title, [*header, "R0 ms", "x R0"], lines)
    print(f"\n  Memory of the server afterwards: {memory:.0f} MB")


if __name__ == "__main__":
    main()
