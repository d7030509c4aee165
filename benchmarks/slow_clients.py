"""The service under slow and idle connections: how long a client waits that works at its usual speed beside them.

`backlit serve` runs with the sample; one client reads, changes and reads an item again and again. In a second round
attackers of six kinds hold connections from several addresses of this machine, and make new ones when they are closed.
"""

import argparse
import asyncio
import contextlib
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from urllib.parse import urlsplit

import httpx

from benchmarks.processes import cpu_of
from benchmarks.service import sign_in
from benchmarks.table import Cell, percentile, print_table

PATIENCE = 10.0
"""Seconds after which the client gives a request up."""
PAUSE = 0.05
"""Seconds between two requests of the client."""
ADDRESSES = 5
AGAIN = 0.2
"""Seconds after which an attacker whose connection was closed makes another."""
MIX = ("silent", "half", "unsigned", "signed", "dripping", "idle", "unsigned", "signed")
"""No head, half a head, a byte of a body without a token or with one, a body by the byte, idle after a request."""
WRITE = "POST /api/v1/workitems HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: 100000\r\n"


def kinds_of(header: str) -> dict[str, tuple[bytes, bytes]]:
    """What each kind of attacker sends first, and then every second."""
    signed_in = f"{WRITE}Authorization: {header}\r\n\r\n".encode()
    return {
        "silent": (b"", b""),
        "half": (b"GET /healthz HTTP/1.1\r\nHost: h\r\nX-", b"a"),
        "unsigned": (f"{WRITE}\r\n{{".encode(), b""),
        "signed": (signed_in + b"{", b""),
        "dripping": (signed_in + b"{", b" "),
        "idle": (b"GET /healthz HTTP/1.1\r\nHost: h\r\n\r\n", b""),
    }


async def attack(port: int, number: int, header: str, closed: "Synchronized[int]") -> None:
    """Hold a connection for ever, and make another when it is closed."""
    kinds = kinds_of(header)
    first, then = kinds[MIX[number % len(MIX)]]
    address = f"127.0.0.{2 + number // len(MIX) % ADDRESSES}"
    while True:
        with contextlib.suppress(OSError):
            reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
            try:
                writer.write(first)
                while not reader.at_eof():
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(1):
                            await reader.read(4096)
                            continue
                    writer.write(then)
            finally:
                closed.value += 1
                writer.close()
        await asyncio.sleep(AGAIN)


def attack_all(port: int, attackers: int, header: str, closed: "Synchronized[int]") -> None:
    """All attackers, in a process of their own."""

    async def run() -> None:
        await asyncio.gather(*(attack(port, number, header, closed) for number in range(attackers)))

    asyncio.run(run())


async def work(base: str, header: str, seconds: float) -> tuple[list[float], int]:
    """Read and change an item at a usual speed; returns the milliseconds of each answer, and how many failed."""
    times, failed = [], 0
    until = time.monotonic() + seconds
    async with httpx.AsyncClient(base_url=base, headers={"authorization": header}, timeout=PATIENCE) as client:
        number = 0
        while time.monotonic() < until:
            number += 1
            began = time.perf_counter()
            try:
                if number % 3:
                    answer = await client.get("/api/v1/workitems/7")
                else:
                    answer = await client.put("/api/v1/workitems/7", json={"Name": f"Changed {number}"})
                failed += answer.status_code not in {200, 201}
            except httpx.HTTPError:
                failed += 1
            times.append((time.perf_counter() - began) * 1e3)
            await asyncio.sleep(PAUSE)
    return times, failed


def measure(base: str, header: str, pid: int, attackers: int, seconds: float) -> list[Cell]:
    """One line of the table."""
    closed = multiprocessing.Value("i", 0)
    process = multiprocessing.Process(target=attack_all, args=(urlsplit(base).port, attackers, header, closed))
    process.start()
    try:
        time.sleep(2)
        spent, began = cpu_of([pid]), time.monotonic()
        times, failed = asyncio.run(work(base, header, seconds))
        cpu = (cpu_of([pid]) - spent) / (time.monotonic() - began)
    finally:
        process.kill()
        process.join()
    return [
        f"{attackers} attackers",
        len(times),
        failed,
        percentile(times, 0.5),
        percentile(times, 0.99),
        cpu * 100,
        closed.value,
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attackers", type=int, default=500, help="connections (default 500)")
    parser.add_argument("--seconds", type=float, default=30.0, help="length of each round (default 30)")
    parser.add_argument("--files", type=int, default=1024, help="files the server may have open (default 1024)")
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder, (Path(folder) / "log").open("wb") as log:
        program = [sys.executable, "-m", "backlit", "serve", "--sample", "--items", "500", "--port", "0"]
        command = ["prlimit", f"--nofile={given.files}", *program]
        variables = dict.fromkeys(("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"), folder)
        server = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, env={**os.environ, **variables}
        )
        try:
            assert server.stdout is not None
            base = server.stdout.readline().split()[-1]
            header = sign_in(base)
            lines = [measure(base, header, server.pid, n, given.seconds) for n in (0, given.attackers)]
            began = time.monotonic()
            server.send_signal(signal.SIGTERM)
            server.wait(60)
            ended = time.monotonic() - began
        finally:
            server.kill()
            server.wait()
        size = (Path(folder) / "log").stat().st_size
    columns = ["beside", "requests", "failed", "p50 ms", "p99 ms", "server CPU %", "closed"]
    print_table(f"A client beside slow connections, {given.seconds:.0f} s each", columns, lines)
    print(f"\n  Log: {size / 1024:.0f} KB. The server ended {ended:.1f} s after SIGTERM.")


if __name__ == "__main__":
    main()
