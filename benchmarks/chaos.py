"""Proof that no acknowledged write is lost: a real server under 40 writers, killed or on a full disk.

A round of `kill` ends the server with SIGKILL. A round of `limit` lets no file of the server grow beyond a size
(RLIMIT_FSIZE), one of `tmpfs` puts an SQLite database on a small file system (needs root); both go on until writes are
refused, and hold the database's lock now and then, so that many writes share the commit that fails. Each round compares
every answer 201 with the database: the id is there once, with the content that was acknowledged last.
"""

import argparse
import asyncio
import itertools
import os
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx
from sqlalchemy import Connection, select, text

from backlit.service.sample.workspace import write_sample
from backlit.service.storage.database import engine_at
from backlit.service.storage.schema import work_items
from benchmarks.served import settings_in
from benchmarks.service import sign_in
from benchmarks.table import Cell, print_table

if TYPE_CHECKING:
    from tests.service.postgres import Postgres

WRITERS = 40
SIZES = (20_000, 200_000, 1_000_000)
"""Characters of a description; rounds take them in turn."""
ROOM = 3 * 2**19
"""Bytes for writes on a full disk, beside those of the texts."""
FILE_SYSTEM = 48 * 2**20
PATIENCE = 30.0
STEP = 0.05
HELD = 1.0
"""Seconds for which the lock is held, and then not."""
NAMES = {"kill": "kill -9", "limit": "file size limit", "tmpfs": "full file system"}


@dataclass
class Seen:
    """Answers of one round: the texts each item may have, the ids given for creations, and all statuses."""

    texts: dict[int, set[str]] = field(default_factory=dict)
    given: list[int] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    acknowledged: int = 0


@dataclass
class Outcome:
    """What the rounds of one kind came to."""

    rounds: int = 0
    acknowledged: int = 0
    lost: int = 0
    doubles: int = 0
    damage: int = 0
    statuses: Counter[int] = field(default_factory=Counter)

    def add(self, seen: Seen, lost: int, damage: int) -> None:
        """Count one round."""
        self.rounds += 1
        self.acknowledged += seen.acknowledged
        self.lost += lost
        self.doubles += len(seen.given) - len(set(seen.given))
        self.damage += damage
        self.statuses += seen.statuses


class Server:
    """The service as a process of its own, killed with the block."""

    def __init__(self, folder: Path, database: str | None) -> None:
        command = [sys.executable, "-m", "benchmarks.served", str(folder), *([database] if database else [])]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        assert self._process.stdout is not None
        self.base = f"http://127.0.0.1:{int(self._process.stdout.readline())}"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def limit_files(self, size: int) -> None:
        """Let no file of the process grow beyond a size."""
        resource.prlimit(self._process.pid, resource.RLIMIT_FSIZE, (size, size))

    def kill(self) -> None:
        """End the process as the loss of power would."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGKILL)
        self._process.wait(PATIENCE)
        if self._process.stdout is not None:
            self._process.stdout.close()


async def write_on(client: httpx.AsyncClient, writer: int, size: int, seen: Seen) -> None:
    """Create items and change each once, until the server is gone."""
    for number in itertools.count():
        first, second = (f"{writer}.{number}.{part} ".ljust(size - 1, "x") for part in "ab")
        body = {"type": "Bug", "projectId": 1, "fields": {"Name": first[:40].strip(), "Description": first}}
        item_id = 0
        try:
            created = await client.post("workitems", json=body)
            seen.statuses[created.status_code] += 1
            if created.status_code != 201:
                await asyncio.sleep(STEP)
                continue
            item_id = created.json()["id"]
            seen.given.append(item_id)
            seen.texts[item_id] = {first}
            seen.acknowledged += 1
            changed = await client.put(f"workitems/{item_id}", json={"Description": second})
            seen.statuses[changed.status_code] += 1
            if changed.status_code == 201:
                seen.texts[item_id] = {second}
                seen.acknowledged += 1
            elif changed.status_code == 500:  # the interface leaves open what became of the change
                seen.texts[item_id].add(second)
        except httpx.TransportError:
            seen.texts.get(item_id, set()).add(second)
            return


async def hold_up(path: Path) -> None:
    """Hold the lock of an SQLite database now and then, until cancelled."""
    with closing(sqlite3.connect(path, isolation_level=None, timeout=PATIENCE)) as other:
        while True:
            await asyncio.sleep(HELD)
            other.execute("BEGIN IMMEDIATE")
            await asyncio.sleep(HELD)
            other.execute("ROLLBACK")


async def load(server: Server, header: str, size: int, seconds: float, held: Path | None) -> Seen:
    """Keep the server busy for a while, where a lock is to be held until all writers were refused; then kill it."""
    refusals = 0 if held is None else WRITERS
    seen = Seen()
    limits = httpx.Limits(max_connections=WRITERS)
    root, headers = f"{server.base}/api/v1/", {"authorization": header}
    async with httpx.AsyncClient(base_url=root, headers=headers, limits=limits, timeout=PATIENCE) as client:
        tasks = [asyncio.create_task(write_on(client, number, size, seen)) for number in range(WRITERS)]
        holding = asyncio.create_task(hold_up(held)) if held is not None else None
        began = time.monotonic()
        for _ in range(int(PATIENCE / STEP)):
            await asyncio.sleep(STEP)
            is_loaded = seen.acknowledged >= WRITERS and seen.statuses.total() - seen.statuses[201] >= refusals
            if time.monotonic() - began > (seconds if is_loaded else PATIENCE):
                break
        if holding is not None:
            holding.cancel()
            await asyncio.wait([holding])
        await asyncio.to_thread(server.kill)
        await asyncio.gather(*tasks)
    return seen


def compared(connection: Connection, seen: Seen) -> tuple[int, int]:
    """How many acknowledged items are not as they were acknowledged, and whether the database is damaged."""
    rows = connection.execute(select(work_items.c.id, work_items.c.description))
    stored = {row.id: row.description for row in rows}
    lost = sum(stored.get(item_id) not in texts for item_id, texts in seen.texts.items())
    damage = 0
    if connection.dialect.name == "sqlite":
        damage = sum(row[0] != "ok" for row in connection.execute(text("PRAGMA integrity_check")))
    return lost, damage


@contextmanager
def small_file_system(folder: Path) -> Iterator[Path]:
    """Mount a file system in memory with little room."""
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["/bin/mount", "-t", "tmpfs", "-o", f"size={FILE_SYSTEM}", "tmpfs", str(folder)], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["/bin/umount", "-l", str(folder)], check=True)


def largest_file(folder: Path) -> int:
    """Bytes of the largest file below a folder."""
    return max((path.stat().st_size for path in folder.rglob("*") if path.is_file()), default=0)


def one_round(kind: str, folder: Path, database: str | None, size: int, seconds: float) -> tuple[Seen, int, int]:
    """Fill, load and compare once."""
    with ExitStack() as stack:
        folder = stack.enter_context(small_file_system(folder)) if kind == "tmpfs" else folder
        settings = settings_in(folder, database)
        folder.mkdir(parents=True, exist_ok=True)
        write_sample(settings, 20)
        with Server(folder, settings.database) as server:
            header = sign_in(server.base)
            room = ROOM + min(100 * size, FILE_SYSTEM // 2)
            if kind == "limit":
                server.limit_files(largest_file(folder) + room)
            elif kind == "tmpfs":
                (folder / "ballast").write_bytes(bytes(shutil.disk_usage(folder).free - room))
            held = None if kind == "kill" else folder / "service.sqlite3"
            seen = asyncio.run(load(server, header, size, seconds, held))
        engine = engine_at(copied(folder) if kind == "tmpfs" else settings.database)
        try:
            with engine.connect() as connection, connection.begin():
                return seen, *compared(connection, seen)
        finally:
            engine.dispose()


def copied(folder: Path) -> str:
    """Copy a database from its full file system, where not even reading has room; returns the address of the copy."""
    target = folder.with_name(f"{folder.name}-copy")
    target.mkdir()
    for path in folder.glob("service.sqlite3*"):
        (target / path.name).write_bytes(path.read_bytes())
    with sqlite3.connect(target / "service.sqlite3") as connection:
        connection.execute("PRAGMA wal_checkpoint")
    return settings_in(target).database


def rounds(kind: str, postgres: "Postgres | None", count: int, seconds: float) -> Outcome:
    """Run the rounds of one kind on one database."""
    outcome = Outcome()
    for number in range(count):
        size = SIZES[number % len(SIZES)]
        with tempfile.TemporaryDirectory() as temporary, ExitStack() as stack:
            database = None
            if postgres is not None:
                name = postgres.create()
                stack.callback(postgres.drop, name)
                database = postgres.url(name)
            seen, lost, damage = one_round(kind, Path(temporary) / "service", database, size, seconds)
        outcome.add(seen, lost, damage)
        print(
            f"  {kind}, {'PostgreSQL' if postgres else 'SQLite'}, round {number + 1}, {size} characters:"
            f" {seen.acknowledged} acknowledged, {lost} lost, {dict(seen.statuses)}",
            flush=True,
        )
    return outcome


@contextmanager
def postgres_server() -> Iterator["Postgres"]:
    """A PostgreSQL of its own, whose commits reach the disk."""
    from tests.service.postgres import Postgres  # noqa: PLC0415 - only where it is installed

    with tempfile.TemporaryDirectory() as temporary:
        os.chmod(temporary, 0o755)  # noqa: S103 PTH101 - it runs as a user of its own
        server = Postgres(Path(temporary) / "data")
        try:
            yield server
        finally:
            server.close()


def line_of(title: str, outcome: Outcome) -> list[Cell]:
    """One line of the table."""
    other = " ".join(f"{status}: {count}" for status, count in sorted(outcome.statuses.items()) if status != 201)
    counts = outcome.rounds, outcome.acknowledged, outcome.lost, outcome.doubles, outcome.damage
    return [title, *(f"{count:,}" for count in counts), other or "-"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the rounds, print the table, and fail where anything was lost."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3, help="rounds of each kind (default 3)")
    parser.add_argument("--seconds", type=float, default=2.0, help="seconds of writing in a round (default 2)")
    parser.add_argument("--kinds", nargs="+", choices=tuple(NAMES), default=list(NAMES), help="kinds of rounds (all)")
    parser.add_argument(
        "--databases", nargs="+", choices=("sqlite", "postgresql"), default=["sqlite", "postgresql"], help="(both)"
    )
    given = parser.parse_args(arguments)
    lines, bad = [], 0
    for database in given.databases:
        with ExitStack() as stack:
            postgres = stack.enter_context(postgres_server()) if database == "postgresql" else None
            for kind in given.kinds:
                if (postgres is not None and kind != "kill") or (kind == "tmpfs" and os.geteuid() != 0):
                    continue
                outcome = rounds(kind, postgres, given.rounds, given.seconds)
                title = f"{NAMES[kind]}, {'PostgreSQL' if postgres else 'SQLite'}"
                lines.append(line_of(title, outcome))
                bad += outcome.lost + outcome.doubles + outcome.damage
    header = [f"{WRITERS} writers", "rounds", "acknowledged", "lost", "ids twice", "damage", "other answers"]
    print_table(f"Acknowledged writes, rounds of {given.seconds:g} s", header, lines)
    if bad:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
