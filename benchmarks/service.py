"""The service over real HTTP: requests a second and CPU a request, against the same query without any HTTP.

A page is 100 items in the default order, the filtered one the first 100 bugs that are not done; all with token, access
and exact total. Two limits in the same run, both without HTTP, token and access: `join` reads the rendered documents
and joins them; `columns` (R0) reads every column and writes JSON from that.
"""

import argparse
import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import httpx
import orjson
from sqlalchemy import ColumnElement, create_engine, select

from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_challenge, parse_grant
from backlit.service.sample import PASSWORD, write_sample
from backlit.service.schema import work_items
from benchmarks.processes import cpu_of, memory_of
from benchmarks.served import settings_in
from benchmarks.table import Cell, median, print_table

ORDER = (work_items.c.backlog_priority, work_items.c.id)
OPEN_BUGS = (work_items.c.type == "Bug", work_items.c.status != "Done")
LITERAL = {"literal_binds": True}
USER = "maya"
ITEM = 1
CONNECTIONS = 8
ROUND = 2.0


@dataclass(frozen=True, slots=True)
class Case:
    """A request, and the same read from the database."""

    name: str
    path: str
    where: tuple[ColumnElement[bool], ...]
    limit: int


CASES = (
    Case("page of 100", "/api/v1/workitems", (), 100),
    Case("filtered page", "/api/v1/workitems?$filter=type%20eq%20'Bug'%20and%20Status%20ne%20'Done'", OPEN_BUGS, 100),
    Case("one item", "/api/v1/workitems/{id}", (), 1),
)


@dataclass(frozen=True, slots=True)
class Load:
    """Requests a second, and CPU milliseconds of the server for one."""

    rate: float
    cpu: float


def timed(act: Callable[[], object], seconds: float = ROUND / 2) -> float:
    """CPU milliseconds of one call, over as many as fit."""
    act()
    count, began, until = 0, time.process_time(), time.perf_counter() + seconds
    while time.perf_counter() < until:
        act()
        count += 1
    return (time.process_time() - began) / count * 1e3


def limits(database: str, case: Case, item_id: int) -> tuple[float, float]:
    """CPU milliseconds of both limits for a case: the SQLite driver alone, with the statement that the service uses."""
    where = (work_items.c.id == item_id,) if case.limit == 1 else case.where
    columns = [column for column in work_items.c if column.name != "doc"]
    names = [str(column.name) for column in columns]
    engine = create_engine(database)
    with closing(engine.raw_connection()) as raw:
        page, whole = (
            str(query.where(*where).order_by(*ORDER).limit(case.limit).compile(engine, compile_kwargs=LITERAL))
            for query in (select(work_items.c.doc), select(*columns))
        )
        cursor = raw.cursor()

        def join() -> bytes:
            cursor.execute(page)
            return b",".join(row[0] for row in cursor.fetchall())

        def encode() -> bytes:
            cursor.execute(whole)
            return orjson.dumps([dict(zip(names, row, strict=True)) for row in cursor.fetchall()])

        figures = timed(join), timed(encode)
    engine.dispose()
    return figures


async def ask_for_ever(port: int, request: bytes, counts: list[int], number: int) -> None:
    """One kept-alive connection that asks the same again and again; raises where an answer is not 200."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        while True:
            writer.write(request)
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            if not head.startswith(b"http/1.1 200"):
                raise RuntimeError(head.decode(errors="replace"))
            await reader.readexactly(int(head.partition(b"content-length:")[2].split(b"\r\n", 1)[0]))
            counts[number] += 1
    finally:
        writer.close()


async def load(port: int, pid: int, request: bytes) -> Load:
    """Keep the server busy over several connections for a while."""
    counts = [0] * CONNECTIONS
    tasks = [asyncio.create_task(ask_for_ever(port, request, counts, n)) for n in range(CONNECTIONS)]
    await asyncio.sleep(ROUND / 4)  # warm
    before, spent, began = sum(counts), cpu_of([pid]), time.perf_counter()
    await asyncio.wait(tasks, timeout=ROUND, return_when=asyncio.FIRST_COMPLETED)
    answered, used, took = sum(counts) - before, cpu_of([pid]) - spent, time.perf_counter() - began
    for task in tasks:
        task.cancel()
    for result in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(result, Exception):
            raise result
    return Load(answered / took, used / max(1, answered) * 1e3)


def sign_in(base: str) -> str:
    """The Authorization header of the sample's first user, by the flow of SPEC 5."""
    with httpx.Client(base_url=base) as client:
        challenge = parse_challenge(client.get("/api/v1/users/me").headers["WWW-Authenticate"])
        assert challenge is not None
        form = {"wrap_client_id": challenge.client_id, "wrap_username": USER, "wrap_password": PASSWORD}
        answer = client.post(TOKEN_PATH, data=form)
        answer.raise_for_status()
        return authorization_header(parse_grant(answer.text).access_token)


def measure(folder: Path, items: int, runs: int) -> tuple[list[list[Cell]], float]:
    """The lines of the table, and the server's memory at the end."""
    settings = settings_in(folder)
    if not (folder / "service.sqlite3").exists():
        print(f"Preparing {items:,} items in {folder} ...", flush=True)
        folder.mkdir(parents=True, exist_ok=True)
        write_sample(settings, items)
    server = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.served", str(folder)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        header = sign_in(f"http://127.0.0.1:{port}")
        lines = [line_of(case, port, server.pid, header, runs=runs, database=settings.database) for case in CASES]
        return lines, memory_of([server.pid])
    finally:
        server.terminate()
        server.wait(10)


def line_of(case: Case, port: int, pid: int, header: str, *, runs: int, database: str) -> list[Cell]:
    """Limits and load in turns; medians of both."""
    path = case.path.format(id=ITEM)
    request = f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nAuthorization: {header}\r\n\r\n".encode()
    raw: list[tuple[float, float]] = []
    loads: list[Load] = []
    for _ in range(runs):
        raw.append(limits(database, case, ITEM))
        loads.append(asyncio.run(load(port, pid, request)))
    rate, cpu = median([each.rate for each in loads]), median([each.cpu for each in loads])
    join, encode = median([each[0] for each in raw]), median([each[1] for each in raw])
    return [case.name, rate, cpu, join, cpu / join, encode, cpu / encode]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3, help="rounds of two seconds for each request (default 3)")
    parser.add_argument("--items", type=int, default=10_000, help="size of the sample (default 10000)")
    parser.add_argument("--folder", type=Path, help="keeps the sample for the next time (default: a temporary folder)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = (given.folder or Path(temporary)) / f"service-{given.items}"
        lines, memory = measure(folder, given.items, given.runs)
    header = ["over HTTP, 8 connections", "req/s", "CPU ms", "join ms", "x join", "columns (R0) ms", "x R0"]
    print_table(f"The service with {given.items:,} items, medians of {given.runs} rounds", header, lines)
    print(f"\n  Memory of the server afterwards: {memory:.0f} MB")


if __name__ == "__main__":
    main()
