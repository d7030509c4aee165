"""A bad network: a proxy of its own process that loses, delays, cuts and makes up answers, as a seed decides.

Started as `python -m tests.faults.proxy PORT SEED RATES`; it writes its own port, and at the end of its input how often
it did what, as JSON.
"""

import asyncio
import contextlib
import json
import random
import sys
from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

USUAL: Mapping[str, float] = {
    "delay": 0.06,
    "drop before": 0.02,
    "drop after": 0.03,
    "cut body": 0.02,
    "garbage": 0.02,
    "late": 0.001,
    "silence": 0.001,
    "401": 0.01,
    "429": 0.004,
    "500": 0.02,
    "503": 0.03,
    "restart": 0.003,
}
"""How likely each fault is; a request meets one at most."""
STREAM = "/api/v1/changes/stream"
STREAM_LIVES = (3.0, 12.0)
"""Bounds of the seconds after which a stream is cut."""
DELAYS = (0.02, 0.3)
TOO_LATE, SILENCE = 1.3, 3.0
"""Seconds: longer than the clients of these tests wait; the first then reaches the service all the same."""
RESTARTS = (0.1, 0.4)
SPARED = {"/Authenticate/WRAPv0.9": {"401", "garbage"}}
"""What would end the sign-in itself rather than one request."""
GARBAGE = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 31\r\n\r\n<html>Welcome to the hotel</html",
    b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}",
    b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 22\r\n\r\n{"id": 1, "fields": 7}',
    b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 9\r\n\r\nnot gzip!",
    b"\x00\xff\x16\x03\x01 this is no HTTP \r\n\r\n",
)


class Request(NamedTuple):
    method: str
    path: str
    head: bytes
    body: bytes


class Proxy:
    def __init__(self, port: int, seed: str, rates: Mapping[str, float]) -> None:
        self._upstream = port
        self._seed = seed
        self._rates = rates
        self._seen: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self._open: set[asyncio.StreamWriter] = set()
        self._server: asyncio.Server | None = None
        self._restarting: asyncio.Task[None] | None = None
        self.port = 0

    async def listen(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._open.add(writer)
        with contextlib.suppress(OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            is_open = True
            while is_open and (request := await read_request(reader)) is not None:
                answer = self._stream if request.path.partition("?")[0] == STREAM else self._answer
                is_open = await answer(request, writer)
        self._open.discard(writer)
        writer.close()

    def _choose(self, request: Request) -> tuple[str, random.Random]:
        """What happens to a request depends on what it asks and how often that was asked, not on when it comes."""
        key = f"{request.method} {request.path.partition('?')[0]}"
        self._seen[key] += 1
        chance = random.Random(f"{self._seed} {key} {self._seen[key]}")
        kinds = [*self._rates, "none"]
        kind = chance.choices(kinds, [*self._rates.values(), max(0.0, 1 - sum(self._rates.values()))])[0]
        return ("none" if kind in SPARED.get(request.path.partition("?")[0], ()) else kind), chance

    async def _answer(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        """Answer, or do not; says whether the connection stays open."""
        kind, chance = self._choose(request)
        self.counts["requests"] += 1
        self.counts[kind] += 1
        if kind == "delay":
            await asyncio.sleep(chance.uniform(*DELAYS))
        if kind == "restart":
            self._restarting = self._restarting or asyncio.create_task(self._restart(chance.uniform(*RESTARTS)))
        if kind in {"drop before", "restart"}:
            return False
        if kind in {"401", "429", "500", "503"}:
            await say(writer, refusal(kind, chance))
            return True
        if kind == "late":
            await asyncio.sleep(TOO_LATE)
        answer = GARBAGE[0]
        if kind != "garbage" or chance.random() < 0.5:
            answer = await ask(self._upstream, request)
        if kind in {"drop after", "late"}:
            return False
        if kind == "silence":
            await asyncio.sleep(SILENCE)
            return False
        if kind == "cut body":
            await say(writer, answer[: chance.randrange(len(answer))])
            return False
        await say(writer, chance.choice(GARBAGE) if kind == "garbage" else answer)
        return kind != "garbage"

    async def _stream(self, request: Request, writer: asyncio.StreamWriter) -> bool:
        _, chance = self._choose(request)
        self.counts["streams"] += 1
        await pass_on(self._upstream, request, writer, chance.uniform(*STREAM_LIVES))
        return False

    async def _restart(self, seconds: float) -> None:
        """Refuse connections for a moment."""
        assert self._server is not None
        self._server.close()
        for writer in self._open:
            writer.transport.abort()
        await asyncio.sleep(seconds)
        await self.listen()
        self._restarting = None


async def read_request(reader: asyncio.StreamReader) -> Request | None:
    head = await reader.readuntil(b"\r\n\r\n")
    method, path, _ = head.split(b"\r\n", 1)[0].decode().split(" ", 2)
    return Request(method, path, head, await reader.readexactly(length_in(head)))


def length_in(head: bytes) -> int:
    lines = head.decode("latin-1").lower().split("\r\n")
    return next((int(line.partition(":")[2]) for line in lines if line.startswith("content-length:")), 0)


async def ask(port: int, request: Request) -> bytes:
    """The service's answer, whole; its connection is not kept."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        lines = [line for line in request.head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
        writer.write(b"\r\n".join([lines[0], b"Connection: close", *lines[1:]]) + request.body)
        await writer.drain()
        answer = await reader.read()
    finally:
        writer.close()
    return answer.replace(b"connection: close\r\n", b"", 1)


async def pass_on(port: int, request: Request, to: asyncio.StreamWriter, seconds: float) -> None:
    """Pass an answer on as it comes, and cut it after some seconds wherever it is."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    try:
        writer.write(request.head + request.body)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while part := await reader.read(65_536):
                    await say(to, part)
    finally:
        writer.close()


def refusal(status: str, chance: random.Random) -> bytes:
    retry = f"retry-after: {chance.choice([0, 1])}\r\n" if status == "429" else ""
    return f"HTTP/1.1 {status} Made up\r\n{retry}content-length: 0\r\n\r\n".encode()


async def say(writer: asyncio.StreamWriter, answer: bytes) -> None:
    writer.write(answer)
    await writer.drain()


async def run(port: int, seed: str, rates: Mapping[str, float]) -> None:
    proxy = Proxy(port, seed, rates)
    await proxy.listen()
    sys.stdout.write(f"{proxy.port}\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.read)
    sys.stdout.write(json.dumps(proxy.counts))


if __name__ == "__main__":
    asyncio.run(run(int(sys.argv[1]), sys.argv[2], json.loads(sys.argv[3])))
