"""Proxies and authorities that the environment names: requests use them, and a failure blames them by name."""

import asyncio
import gc
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.store.world import raised

from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import Offline, Unavailable
from backlit.model.wrap import TokenGrant

SECRET = "swordfish"
GRANT = TokenGrant("name=maya&HMACSHA256=abc%3D", "refresh-1", 3600)


@pytest.fixture(autouse=True)
def without_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    """No proxy and no authority of the machine that runs the tests."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy") or name.startswith("SSL_CERT"):
            monkeypatch.delenv(name)


class Proxy:
    """A proxy that says the same bytes to everybody, and keeps the first line that it hears."""

    def __init__(self, reply: bytes) -> None:
        self._reply = reply
        self.requests: list[str] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        self.requests.append(head.decode("latin-1").splitlines()[0])
        writer.write(self._reply)
        writer.close()


@asynccontextmanager
async def listening(proxy: Proxy) -> AsyncIterator[str]:
    server = await asyncio.start_server(proxy.serve, "127.0.0.1", 0)
    async with server:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"


async def dead_address() -> str:
    async with listening(Proxy(b"")) as address:
        return address


async def failure_of(folder: Path, address: str) -> Offline:
    cache = TokenCache(folder / "tokens.json", address)
    cache.save(GRANT)
    async with Client.at(address, cache, RetryPolicy(attempts=1)) as client:
        error = await raised(client.work_items.get(1))
    assert isinstance(error, Offline)
    assert SECRET not in error.message
    return error


@pytest.mark.parametrize(
    ("variable", "address"),
    [
        ("HTTPS_PROXY", "https://team.example"),
        ("https_proxy", "https://team.example"),
        ("HTTP_PROXY", "http://team.example"),
        ("ALL_PROXY", "https://team.example"),
        ("all_proxy", "http://team.example"),
    ],
)
async def test_a_dead_proxy_is_named_with_its_variable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, address: str
) -> None:
    place = await dead_address()
    monkeypatch.setenv(variable, f"http://maya:{SECRET}@{place}")

    error = await failure_of(tmp_path, address)

    assert error.message == (
        f"The server cannot be reached: nothing is listening on the proxy http://{place}, which {variable} names."
        " Correct it there, or exempt the server: NO_PROXY=team.example"
    )


@pytest.mark.parametrize("exempt", ["127.0.0.1", "example.org", ""])
async def test_a_server_that_no_proxy_exempts_is_blamed_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, exempt: str
) -> None:
    place = await dead_address()
    monkeypatch.setenv("ALL_PROXY", f"http://{await dead_address()}")
    monkeypatch.setenv("NO_PROXY", exempt)

    error = await failure_of(tmp_path, f"http://{place}")

    assert f"nothing is listening on {place}." in error.message


async def test_no_proxy_exempts_a_server_by_its_domain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTPS_PROXY", f"http://{await dead_address()}")
    monkeypatch.setenv("no_proxy", "localhost,invalid")

    error = await failure_of(tmp_path, "https://team.invalid")

    assert "there is no address for team.invalid" in error.message


PROXY_REPLIES = [
    (
        b"407 Proxy Authentication Required",
        "",
        "asks for a user name and a password (407). Put them there: http://NAME:",
    ),
    (b"407 Proxy Authentication Required", f"maya:{SECRET}@", "rejects the user name or password in it (407)."),
    (b"403 Forbidden", "", "did not connect to team.example:443: 403 Forbidden."),
    (b"502 \x1b[31mNo", "", "did not connect to team.example:443: 502 "),
]


@pytest.mark.parametrize(("status", "user", "words"), PROXY_REPLIES)
async def test_a_proxy_that_refuses_is_named_with_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: bytes, user: str, words: str
) -> None:
    proxy = Proxy(b"HTTP/1.1 " + status + b"\r\nContent-Length: 0\r\n\r\n")
    async with listening(proxy) as place:
        monkeypatch.setenv("HTTPS_PROXY", f"http://{user}{place}")
        error = await failure_of(tmp_path, "https://team.example")

    assert error.message.startswith(f"The proxy http://{place}, which HTTPS_PROXY names, {words}")
    assert error.message.isprintable()
    assert proxy.requests == ["CONNECT team.example:443 HTTP/1.1"]


async def test_a_proxy_asks_for_a_sign_in_without_encryption_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(b"HTTP/1.1 407 Sign in\r\nContent-Length: 0\r\n\r\n")
    async with listening(proxy) as place:
        monkeypatch.setenv("HTTP_PROXY", place)
        error = await failure_of(tmp_path, "http://team.example")

    assert error.message.startswith(f"The proxy http://{place}, which HTTP_PROXY names, asks for a user name")
    assert proxy.requests == ["GET http://team.example/api/v1/workitems/1 HTTP/1.1"]


def said_by(place: str, status: int) -> str:
    return (
        f"The proxy http://{place}, which HTTP_PROXY names, or a gateway of team.example answered in place of the"
        f" server (status {status}). Ask those who run them, or go without the proxy: NO_PROXY=team.example"
    )


@pytest.mark.parametrize("status", [302, 400, 401, 403, 404, 500, 502, 503, 504])
@pytest.mark.parametrize("body", [b"", b"<html>No</html>", b"Denied by policy"])
async def test_an_answer_of_a_proxy_itself_does_not_blame_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: int, body: bytes
) -> None:
    proxy = Proxy(b"HTTP/1.1 %d No\r\nContent-Length: %d\r\n\r\n%s" % (status, len(body), body))
    async with listening(proxy) as place:
        monkeypatch.setenv("HTTP_PROXY", place)
        cache = TokenCache(tmp_path / "tokens.json", "http://team.example")
        cache.save(GRANT)
        async with Client.at("http://team.example", cache, RetryPolicy(attempts=1)) as client:
            read = await raised(client.work_items.get(1))
            written = await raised(client.work_items.update(1, {"Name": "x"}))
            signed_in = await raised(client.auth.sign_in("maya", SECRET))

    # A refusal would put the change aside, and a rejected refresh token end the sign-in.
    assert [type(each) for each in (read, written, signed_in)] == [Unavailable] * 3
    assert {str(each) for each in (read, written, signed_in)} == {said_by(place, status)}
    assert cache.load() is not None


@pytest.mark.parametrize(
    ("head", "body"),
    [(b"X-Request-Id: 1\r\n", b"Busy"), (b"", b'{"message": "The disk is full."}')],
    ids=["service", "another server"],
)
async def test_an_answer_of_the_server_through_a_proxy_blames_the_server(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, head: bytes, body: bytes
) -> None:
    proxy = Proxy(b"HTTP/1.1 503 No\r\n%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body))
    async with listening(proxy) as place:
        monkeypatch.setenv("HTTP_PROXY", place)
        cache = TokenCache(tmp_path / "tokens.json", "http://team.example")
        cache.save(GRANT)
        async with Client.at("http://team.example", cache, RetryPolicy(attempts=1)) as client:
            failure = await raised(client.work_items.get(1))

    assert str(failure) in {"team.example is unavailable (503). Busy", "The disk is full."}


async def test_a_page_of_a_proxy_in_place_of_an_answer_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    proxy = Proxy(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")
    async with listening(proxy) as place:
        monkeypatch.setenv("HTTP_PROXY", place)
        cache = TokenCache(tmp_path / "tokens.json", "http://team.example")
        cache.save(GRANT)
        async with Client.at("http://team.example", cache, RetryPolicy(attempts=1)) as client:
            failure = await raised(client.work_items.get(1))

    assert str(failure) == (
        f"The response of team.example to GET /api/v1/workitems/1 through the proxy http://{place}, which HTTP_PROXY"
        " names, is not JSON. Check the address."
    )


async def test_a_proxy_that_breaks_off_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with listening(Proxy(b"")) as place:
        monkeypatch.setenv("HTTPS_PROXY", place)
        error = await failure_of(tmp_path, "https://team.example")

    assert f"team.example:443 or the proxy http://{place}, which HTTPS_PROXY names, broke off" in error.message


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (f"socks5://maya:{SECRET}@127.0.0.1:9", "proxy socks5://127.0.0.1:9, which {variable} names"),
        (f"socks://maya:{SECRET}@127.0.0.1:9", "proxy socks://127.0.0.1:9, which {variable} names, is of an unknown"),
        (f"http://maya:{SECRET}@127.0.0.1:port", "proxy in {variable} has no valid address."),
    ],
)
@pytest.mark.parametrize("variable", ["ALL_PROXY", "all_proxy"])
async def test_a_proxy_that_cannot_be_used_is_a_sentence_with_the_variable_in_its_own_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, variable: str, value: str, words: str
) -> None:
    monkeypatch.setenv(variable, value)

    error = await failure_of(tmp_path, "https://team.example")

    assert words.format(variable=variable) in error.message


@pytest.mark.filterwarnings("ignore::ResourceWarning")  # httpcore leaves this connection open
async def test_a_proxy_that_does_not_speak_socks_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("socksio")

    async def babble(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"Good day\n")
        writer.close()

    async with await asyncio.start_server(babble, "127.0.0.1", 0) as server:
        place = f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
        monkeypatch.setenv("ALL_PROXY", f"socks5://{place}")
        error = await failure_of(tmp_path, "https://team.example")
        gc.collect()

    assert error.message.startswith(f"The proxy socks5://{place}, which ALL_PROXY names, did not connect")
