"""Responses that stall, on a clock of the tests: each one ends, and a slow download goes on."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace
from tests.client.foreign import BASE, CHALLENGE

from backlit.client.answers import LONGEST_ANSWER
from backlit.client.auth import LOGOUT_PATIENCE
from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import Offline, OutcomeUnknown
from backlit.model.resources import Attachment
from backlit.model.wrap import TokenGrant

FILE = Attachment(id=7, project_id=1, work_item_id=1, name="a.bin", size=3, download_url=f"{BASE}/7")
PIECE = b"0" * 2**18
LARGE = replace(FILE, size=3 * len(PIECE))
ONCE = RetryPolicy(attempts=1)
Pass = Callable[[float], None]


@pytest.fixture
def passed(monkeypatch: pytest.MonkeyPatch) -> Pass:
    """Let seconds pass on the clock of the event loop."""
    later = 0.0

    def passed(seconds: float) -> None:
        nonlocal later
        loop, later = asyncio.get_running_loop(), later + seconds
        real = type(loop).time
        monkeypatch.setattr(loop, "time", lambda: real(loop) + later)

    return passed


class Slow(httpx.AsyncBaseTransport):
    """Answers with a status and pieces. Before each piece some seconds pass; a last pause never ends."""

    def __init__(self, passed: Pass, status: int | None, *pauses: float, piece: bytes = b"0") -> None:
        self._passed = passed
        self._piece = piece
        self._status = status
        self._pauses = pauses

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        if self._status is None:
            await self._stall()
        return httpx.Response(self._status or 0, headers={"etag": '"one"'}, stream=Pieces(self._pieces))

    async def _stall(self) -> None:
        self._passed(LONGEST_ANSWER + 1)
        await asyncio.Event().wait()

    async def _pieces(self) -> AsyncIterator[bytes]:
        for seconds in self._pauses:
            self._passed(seconds)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            yield self._piece
        if len(self._pauses) < 3:
            await self._stall()


class Pieces(httpx.AsyncByteStream):
    def __init__(self, pieces: Callable[[], AsyncIterator[bytes]]) -> None:
        self._pieces = pieces

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self._pieces()


def client_of(folder: Path, transport: httpx.AsyncBaseTransport, pacing: RetryPolicy = ONCE) -> Client:
    cache = TokenCache(folder / "tokens.json", BASE)
    cache.save(TokenGrant("name=maya&HMACSHA256=abc%3D", "refresh-1", 3600))
    return Client.at(BASE, cache, pacing, transport)


Act = Callable[[Client, Path], Awaitable[object]]


def quietly(_done: int, _total: int) -> None:
    return


def upload(client: Client, folder: Path) -> Awaitable[object]:
    (folder / "plan.txt").write_text("x")
    return client.transfers.upload("workitems/1", folder / "plan.txt", "text/plain", quietly)


def download(client: Client, folder: Path) -> Awaitable[object]:
    return client.transfers.download(FILE, folder, quietly)


def preview(client: Client, _folder: Path) -> Awaitable[object]:
    return client.transfers.read(FILE, 3)


def item(client: Client, _folder: Path) -> Awaitable[object]:
    return client.work_items.get(1)


def change(client: Client, _folder: Path) -> Awaitable[object]:
    return client.work_items.update(1, {"Name": "x"})


def sign_in(client: Client, _folder: Path) -> Awaitable[object]:
    return client.auth.sign_in("maya", "lantern")


STALLS: list[tuple[Act, int | None, type[Exception], str]] = [
    (upload, None, OutcomeUnknown, "may or may not have arrived"),
    (upload, 201, OutcomeUnknown, "may or may not have arrived"),
    (upload, 404, OutcomeUnknown, "may or may not have arrived"),
    (download, None, Offline, "took too long to respond"),
    (download, 200, Offline, "broke off. Start it again"),
    (download, 404, Offline, "broke off the transfer"),
    (preview, None, Offline, "took too long to respond"),
    (preview, 200, Offline, "broke off the transfer"),
    (preview, 404, Offline, "broke off the transfer"),
    (item, None, Offline, "did not respond in time"),
    (item, 200, Offline, "did not respond in time"),
    (change, 200, OutcomeUnknown, "may or may not have been saved"),
    (sign_in, None, Offline, "took too long to answer the sign-in"),
    (sign_in, 401, Offline, "took too long to answer the sign-in"),
]


@pytest.mark.parametrize(("act", "status", "error", "words"), STALLS)
async def test_a_response_that_stalls_ends_and_its_server_is_named(  # noqa: PLR0917 - a table of four columns
    tmp_path: Path, passed: Pass, act: Act, status: int | None, error: type[Exception], words: str
) -> None:
    async with client_of(tmp_path, Slow(passed, status, 1.0)) as client:
        with pytest.raises(error, match=words) as caught:
            await asyncio.wait_for(act(client, tmp_path), 10 * LONGEST_ANSWER)

        assert client.base_url.split("/")[2] in str(caught.value)


@pytest.mark.parametrize("piece", [PIECE, b"0"])
async def test_a_download_may_take_long_as_long_as_pieces_arrive(tmp_path: Path, passed: Pass, piece: bytes) -> None:
    file, pauses = replace(FILE, size=3 * len(piece)), [LONGEST_ANSWER - 1] * 3
    async with client_of(tmp_path, Slow(passed, 200, *pauses, piece=piece)) as client:
        saved = await client.transfers.download(file, tmp_path, quietly)

    assert saved.read_bytes() == piece * 3


def parts_in(folder: Path) -> list[bytes]:
    return [part.read_bytes() for part in folder.glob(".*.part")]


async def test_a_download_keeps_its_pieces_when_the_next_one_is_late(tmp_path: Path, passed: Pass) -> None:
    async with client_of(tmp_path, Slow(passed, 200, 1.0, LONGEST_ANSWER + 1, 1.0, piece=PIECE)) as client:
        with pytest.raises(Offline):
            await client.transfers.download(LARGE, tmp_path, quietly)

    assert parts_in(tmp_path) == [PIECE]


async def test_a_sign_out_does_not_wait_for_the_service(tmp_path: Path, passed: Pass) -> None:
    class Silent(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if request.method == "GET":
                return httpx.Response(401, headers={"WWW-Authenticate": CHALLENGE})
            passed(LOGOUT_PATIENCE + 1)
            return await asyncio.Event().wait()  # type: ignore[return-value] # never

    async with client_of(tmp_path, Silent()) as client:
        await asyncio.wait_for(client.auth.sign_out(), LONGEST_ANSWER)

        assert not client.auth.signed_in


class Dripping(httpx.AsyncBaseTransport):
    """Lets seconds pass before each response, and breaks each off."""

    def __init__(self, passed: Pass, seconds: float) -> None:
        self._passed, self._seconds = passed, seconds
        self.requests = 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        self.requests += 1
        self._passed(self._seconds)
        await asyncio.sleep(0)
        raise httpx.ReadTimeout("Nothing more came.", request=request)


@pytest.mark.parametrize(("seconds", "requests"), [(LONGEST_ANSWER - 0.1, 1), (LONGEST_ANSWER / 2, 2), (1.0, 4)])
async def test_the_repeats_of_a_request_end_with_its_time(
    tmp_path: Path, passed: Pass, seconds: float, requests: int
) -> None:
    transport = Dripping(passed, seconds)
    began = asyncio.get_running_loop().time()
    async with client_of(tmp_path, transport, RetryPolicy(first_pause=1.0, longest_pause=1.0)) as client:
        with pytest.raises(Offline, match="did not respond in time"):
            await client.work_items.get(1)

    assert asyncio.get_running_loop().time() - began < LONGEST_ANSWER + 4.0
    assert transport.requests == requests


async def test_a_server_that_drips_is_asked_once(tmp_path: Path, passed: Pass) -> None:
    began = asyncio.get_running_loop().time()
    async with client_of(tmp_path, Slow(passed, 200, 1.0), RetryPolicy(first_pause=0.001)) as client:
        with pytest.raises(Offline, match="did not respond in time"):
            await client.work_items.get(1)

    assert asyncio.get_running_loop().time() - began < 2 * LONGEST_ANSWER


async def test_the_two_steps_of_a_sign_in_share_its_time(tmp_path: Path, passed: Pass) -> None:
    class Late(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            passed(LONGEST_ANSWER / 2 + 1)
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            status = 401 if request.method == "GET" else 200
            return httpx.Response(status, headers={"WWW-Authenticate": CHALLENGE}, stream=httpx.ByteStream(b""))

    async with client_of(tmp_path, Late()) as client:
        with pytest.raises(Offline, match="took too long to answer the sign-in"):
            await client.auth.sign_in("maya", "lantern")
