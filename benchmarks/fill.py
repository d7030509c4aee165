"""The first load against the bare download: `python -m benchmarks.fill [items]`, both in one run, over a socket."""

import asyncio
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.store.asking import Asking, in_turns
from backlit.store.changes import Signal
from backlit.store.files import Files
from backlit.store.fill import Fill
from backlit.store.places import Places
from backlit.store.probes import Traits

PAGE = 500


async def _download(client: Client, highest: int, at_once: bool) -> float:
    """Read everything by id and keep nothing; seconds."""
    began = time.perf_counter()

    async def read(low: int, high: int) -> None:
        condition = f"projectId eq 1 and id gt {low} and id le {high}"
        await client.work_items.documents(filter=condition, order="id", top=PAGE)

    acts = [lambda low=low: read(low, low + PAGE) for low in range(0, highest, PAGE)]
    if at_once:
        await in_turns(acts)
    else:
        for act in acts:
            await act()
    return time.perf_counter() - began


async def _fill(client: Client, folder: Path) -> float:
    files = Files(Places(folder / "mirror.db", folder / "journal.db"), Signal())
    files.open()
    began = time.perf_counter()
    await Fill(Asking(client, Traits(), 1), files, lambda _done, _total: None).run()
    seconds = time.perf_counter() - began
    files.close()
    return seconds


async def _measured(address: str, folder: Path) -> None:
    async with Client.at(address, TokenCache(folder / "tokens.json", address)) as client:
        await client.auth.sign_in("maya", "lantern")
        page = await client.work_items.documents(filter="projectId eq 1", order="id desc", top=1)
        highest = page.results[0]["id"]
        one = await _download(client, highest, at_once=False)
        three = await _download(client, highest, at_once=True)
        fill = await _fill(client, folder)
    print(f"{page.total:,} items: download one by one {one:.2f} s, three at once {three:.2f} s, fill {fill:.2f} s,")
    print(f"which is {three / fill:.0%} of the faster download's speed, {one / fill:.0%} of the plain one's")


def main() -> None:
    """Serve a sample, and load it."""
    items = sys.argv[1] if len(sys.argv) > 1 else "20000"
    with tempfile.TemporaryDirectory() as folder:
        serve = [sys.executable, "-m", "backlit", "serve", "--sample", "--items", items, "--port", "0"]
        environment = os.environ | {"BACKLIT_HOME": folder}
        process = subprocess.Popen(serve, env=environment, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        try:
            address = next(found[0] for line in process.stdout if (found := re.search(r"http://[\d.:]+", line)))
            asyncio.run(_measured(address, Path(folder)))
        finally:
            process.terminate()
            process.wait()


if __name__ == "__main__":
    main()
