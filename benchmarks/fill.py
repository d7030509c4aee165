"""Fill: the first load against the bare download, in one run over a socket.

Seconds that passed, and seconds of CPU that this process used for it; medians of the rounds.
"""

import argparse
import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store.files.files import LocalDatabase
from backlit.store.records.changes import Signal
from backlit.store.remote.capabilities import PAGE, ServiceTraits
from backlit.store.remote.listing import ProjectLists, run_pooled
from backlit.store.sqlite.database import ProfileFiles
from backlit.store.sync.loading import FirstLoad
from backlit.store.views.search import index_more
from benchmarks.table import Cell, print_table

ROUNDS = 3


class Spent(NamedTuple):
    """What something took."""

    seconds: float
    cpu: float


class _Clock:
    def __init__(self) -> None:
        self._began = Spent(time.perf_counter(), time.process_time())

    def read(self) -> Spent:
        return Spent(time.perf_counter() - self._began.seconds, time.process_time() - self._began.cpu)


async def _download(client: Client, highest: int, at_once: bool) -> Spent:
    """Read everything by ranges of ids that are known before, and keep nothing."""
    clock = _Clock()

    async def read(low: int, high: int) -> None:
        condition = f"projectId eq 1 and id gt {low} and id le {high}"
        await client.work_items.page(filter=condition, order="id", top=PAGE)

    acts = [partial(read, low, low + PAGE) for low in range(0, highest, PAGE)]
    if at_once:
        await run_pooled(acts)
    else:
        for act in acts:
            await act()
    return clock.read()


async def _walk(client: Client) -> Spent:
    """Read everything as any program with the client would: its walk over the pages, the largest the service gives."""
    clock = _Clock()
    async for _ in client.work_items.pages(filter="projectId eq 1", top=PAGE):
        pass
    return clock.read()


async def _fill(client: Client, folder: Path) -> tuple[Spent, Spent]:
    """Load everything into a new mirror, then index its words, which is done behind the screens."""
    files = LocalDatabase(ProfileFiles(folder / "mirror.db", folder / "journal.db"), Signal())
    files.open()
    with files.indexing.held():
        clock = _Clock()
        await FirstLoad(ProjectLists(client, ServiceTraits(), 1), files, lambda _done, _total: None).run()
        filled = clock.read()
        clock = _Clock()
        while await files.write(index_more):
            pass
        indexed = clock.read()
    files.close()
    return filled, indexed


async def _measured(address: str, folder: Path, rounds: int) -> None:
    took: dict[str, list[Spent]] = {}
    async with Client.at(address, TokenCache(folder / "tokens.json", address)) as client:
        await client.auth.sign_in("maya", "lantern")
        page = await client.work_items.page(filter="projectId eq 1", order="id desc", top=1)
        highest = page.results[0]["id"]
        for turn in range(rounds):
            took.setdefault("the client's walk", []).append(await _walk(client))
            took.setdefault("download one by one", []).append(await _download(client, highest, at_once=False))
            took.setdefault("download three at once", []).append(await _download(client, highest, at_once=True))
            (folder / str(turn)).mkdir()
            filled, indexed = await _fill(client, folder / str(turn))
            took.setdefault("fill", []).append(filled)
            took.setdefault("words, after it", []).append(indexed)
    medians = {name: Spent(*map(median, zip(*spent, strict=True))) for name, spent in took.items()}
    rows: list[list[Cell]] = [[name, spent.seconds, spent.cpu] for name, spent in medians.items()]
    print_table(f"The first load of {page.total:,} items, medians of {rounds}", ["", "s", "CPU s"], rows)
    fill = medians["fill"]
    for name in ("the client's walk", "download one by one"):
        speed, cpu = (one / other for one, other in zip(medians[name], fill, strict=True))
        print(f"the fill has {speed:.0%} of the speed of {name}; in CPU {cpu:.0%}")


def main() -> None:
    """Serve a sample, and load it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=20_000, help="size of the sample (default 20000)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help=f"loads of each kind (default {ROUNDS})")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "backlit", "serve", "--sample", "--items", str(given.items), "--port", "0"]
        environment = os.environ | {"BACKLIT_HOME": folder}
        process = subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            address = next(found[0] for line in process.stdout if (found := re.search(r"http://[\d.:]+", line)))
            asyncio.run(_measured(address, Path(folder), given.rounds))
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
