"""From an edit in one program to the row in the other: milliseconds, with others connected to one service.

`--programs 20` are connected; one edits, and another one is watched. Each edit is of a row in sight, after the last one
has been seen. Two programs at rest are counted afterwards: requests in `--rest` seconds.
"""

import argparse
import asyncio
import sys
import tempfile
import time
from pathlib import Path

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.service.sample.workspace import PASSWORD
from backlit.store import ProfileFiles, Store, ViewSpec
from benchmarks.served import sample_served
from benchmarks.table import print_table

# The service keeps 8 streams of a user.
USERS = ("maya", "jon", "ada", "rex", "priya", "tomas", "lena", "kofi", "sofia")
PATIENCE = 60.0


class Program:
    """The store of one program, without its screen."""

    def __init__(self, folder: Path, address: str, user: str, number: int) -> None:
        self._folder = folder / f"program {number}"
        self._folder.mkdir()
        self._address = address
        self._user = user
        self.requests = 0
        self.store = Store(ProfileFiles(self._folder / "mirror", self._folder / "journal"), self._connect)

    async def _connect(self, _report: object) -> Client:
        client = Client.at(self._address, TokenCache(self._folder / "tokens.json", self._address))
        client.watch(self._count)
        await client.auth.sign_in(self._user, PASSWORD)
        return client

    def _count(self, *_: object) -> None:
        self.requests += 1

    def start(self) -> None:
        self.store.open()
        self.store.start()


async def until(is_so: object) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():  # type: ignore[operator]
        if time.monotonic() > deadline:
            raise SystemExit("It did not happen.")
        await asyncio.sleep(0.002)


async def measure(folder: Path, address: str, options: argparse.Namespace) -> None:
    programs = [Program(folder, address, USERS[number % len(USERS)], number) for number in range(options.programs)]
    for program in programs:
        program.start()
        await until(lambda store=program.store: store.connection.is_live)
    writer, reader = programs[0].store, programs[1].store
    item_id = reader.view(ViewSpec()).rows(0, 1)[0].id
    seconds = []
    for number in range(options.edits):
        name = f"Edited {number}"
        began = time.perf_counter()
        await writer.items.edit([item_id], {"Name": name})
        await until(lambda name=name: (found := reader.item(item_id)) is not None and found.fields["Name"] == name)
        seconds.append(time.perf_counter() - began)
        await asyncio.sleep(options.pause)
    before, cpu = [program.requests for program in programs], time.process_time()
    await asyncio.sleep(options.rest)
    rest = [program.requests - count for program, count in zip(programs, before, strict=True)]
    cpu_share = (time.process_time() - cpu) / max(1.0, options.rest) / len(programs) * 100
    for program in programs:
        await asyncio.to_thread(program.store.close)
    ordered = sorted(seconds)
    median, late, worst = (ordered[int(share * (len(ordered) - 1))] * 1000 for share in (0.5, 0.9, 1.0))
    headings = [
        "programs",
        "edits",
        "median ms",
        "p90 ms",
        "worst ms",
        f"requests in {options.rest:.0f} s",
        "CPU % each",
    ]
    print_table("Live", headings, [[len(programs), len(seconds), median, late, worst, max(rest), cpu_share]])


async def edit_beside(folder: Path, address: str, count: int) -> None:
    """Connect programs, the first of which gives an item the names that come as lines."""
    programs = [Program(folder, address, USERS[number % len(USERS)], number) for number in range(count)]
    for program in programs:
        program.start()
        await until(lambda store=program.store: store.connection.is_live)
    writer = programs[0].store
    item_id = writer.view(ViewSpec()).rows(0, 1)[0].id
    print("connected", flush=True)
    while name := (await asyncio.to_thread(sys.stdin.readline)).strip():
        await writer.items.edit([item_id], {"Name": name})
    for program in programs:
        await asyncio.to_thread(program.store.close)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", type=int, default=20)
    parser.add_argument("--edits", type=int, default=100)
    parser.add_argument("--items", type=int, default=500)
    parser.add_argument("--pause", type=float, default=0.2, help="seconds between two edits")
    parser.add_argument("--rest", type=float, default=30.0, help="seconds in which requests at rest are counted")
    parser.add_argument("--database", help="an empty PostgreSQL, in place of SQLite")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        with sample_served(folder, options.items, options.database) as address:
            asyncio.run(measure(folder, address, options))
