"""HTTP to an application in this process: streams, time limits, cancelling, failures."""

import asyncio
import logging
from collections.abc import AsyncIterator, MutableMapping

import httpx
import pytest

from backlit.client.transport import Application, InProcessTransport, Receive, Send

Scope = MutableMapping[str, object]
START = {"type": "http.response.start", "status": 200, "headers": [(b"x-kind", b"test")]}


def inside(application: Application) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=InProcessTransport(application), base_url="http://inside", timeout=0.2)


async def test_a_body_arrives_part_by_part_while_it_is_written() -> None:
    read_first = asyncio.Event()

    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": b"one", "more_body": True})
        await read_first.wait()
        await send({"type": "http.response.body", "body": b"two"})

    async with inside(application) as client, client.stream("GET", "/") as response:
        parts = response.aiter_raw()
        first = await anext(parts)
        read_first.set()
        rest = [part async for part in parts]

    assert (first, rest) == (b"one", [b"two"])


async def test_a_writer_is_held_back_by_a_slow_reader() -> None:
    written = 0

    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        nonlocal written
        await send(START)
        for _ in range(1000):
            await send({"type": "http.response.body", "body": b"x" * 1000, "more_body": True})
            written += 1
        await send({"type": "http.response.body"})

    async with inside(application) as client, client.stream("GET", "/") as response:
        await asyncio.sleep(0.02)
        ahead = written
        size = len(await response.aread())

    assert ahead < 20
    assert size == 1_000_000


async def test_a_request_is_streamed_and_then_the_client_is_there_until_the_answer() -> None:
    received: list[MutableMapping[str, object]] = []

    async def application(_scope: Scope, receive: Receive, send: Send) -> None:
        while not received or received[-1]["more_body"]:
            received.append(await receive())
        await send(START)
        await send({"type": "http.response.body"})
        received.append(await receive())

    async def parts() -> AsyncIterator[bytes]:
        for part in (b"a", b"b"):
            yield part

    async with inside(application) as client:
        await client.post("/", content=parts())
        await asyncio.sleep(0)

    assert [message.get("body") for message in received] == [b"a", b"b", b"", None]
    assert received[-1]["type"] == "http.disconnect"


async def test_a_client_that_waits_is_not_gone_before_the_answer() -> None:
    seen: list[bool] = []

    async def application(_scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        gone = asyncio.ensure_future(receive())
        for _ in range(3):
            await asyncio.sleep(0)
        seen.append(gone.done())
        await send(START)
        await send({"type": "http.response.body"})
        seen.append((await gone)["type"] == "http.disconnect")

    async with inside(application) as client:
        await client.post("/", content=b"a")
        for _ in range(3):
            await asyncio.sleep(0)

    assert seen == [False, True]


@pytest.mark.parametrize("says_first", [True, False])
async def test_a_silent_application_is_cut_off_and_cancelled(says_first: bool) -> None:
    cancelled = asyncio.Event()

    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        if says_first:
            await send(START)
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with inside(application) as client:
        with pytest.raises(httpx.ReadTimeout):
            await client.get("/")

    assert cancelled.is_set()


async def test_a_caller_that_goes_away_cancels_the_application() -> None:
    begun, cancelled = asyncio.Event(), asyncio.Event()

    async def application(_scope: Scope, _receive: Receive, _send: Send) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    async with inside(application) as client:
        call = asyncio.create_task(client.get("/"))
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call

    assert cancelled.is_set()


async def test_an_application_that_fails_answers_500_and_the_failure_is_logged(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def application(_scope: Scope, _receive: Receive, _send: Send) -> None:
        raise RuntimeError("a bug")

    with caplog.at_level(logging.ERROR):
        async with inside(application) as client:
            response = await client.get("/")

    assert response.status_code == 500
    assert "a bug" in caplog.text


async def test_an_application_that_fails_while_answering_breaks_the_answer_off() -> None:
    async def application(_scope: Scope, _receive: Receive, send: Send) -> None:
        await send(START)
        await send({"type": "http.response.body", "body": b"{", "more_body": True})
        raise RuntimeError("a bug")

    async with inside(application) as client:
        with pytest.raises(httpx.RemoteProtocolError):
            await client.get("/")


async def test_the_application_sees_the_address_as_it_was_written() -> None:
    seen: Scope = {}

    async def application(scope: Scope, _receive: Receive, send: Send) -> None:
        seen.update(scope)
        await send(START)
        await send({"type": "http.response.body"})

    async with inside(application) as client:
        response = await client.get("/a%20b?$top=1&q=%20")

    assert (seen["path"], seen["raw_path"], seen["query_string"]) == ("/a b", b"/a%20b", b"$top=1&q=%20")
    assert response.headers["x-kind"] == "test"
