"""Transports: TLS to the network, and ASGI to an application in this process.

httpx's own transport reads whole responses, has no time limits and passes the application's errors through.
"""

import asyncio
import logging
import socket
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, MutableMapping
from pathlib import Path
from typing import Any, cast

import certifi
import httpx

from backlit.model.errors import Offline

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Application = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

_PARTS_AHEAD = 8
"""Parts of a body that the application may send ahead of its reader."""
_END: Message = {"type": "backlit.end"}

_log = logging.getLogger(__name__)


class InProcessTransport(httpx.AsyncBaseTransport):
    """Transport that runs each request as a task and cancels it when its reader goes away."""

    def __init__(self, application: Application) -> None:
        self._application = application
        self._tasks: set[asyncio.Task[None]] = set()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response after its head; raise httpx's ReadTimeout, or return 500 if the application fails."""
        exchange = _Exchange(self._application, request)
        self._tasks.add(exchange.task)
        exchange.task.add_done_callback(self._ended)
        try:
            head = await exchange.next_message()
        except BaseException:
            await exchange.aclose()
            raise
        if head["type"] != "http.response.start":
            return httpx.Response(500, stream=httpx.ByteStream(b""))
        return httpx.Response(head["status"], headers=head.get("headers", []), stream=exchange)

    async def aclose(self) -> None:
        """Cancel running requests and wait for their end."""
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _log.error("The server in this process failed.", exc_info=error)


class _Exchange(httpx.AsyncByteStream):
    """A request with its response; also the response's body stream."""

    def __init__(self, application: Application, request: httpx.Request) -> None:
        self._request = request
        self._limit: float | None = request.extensions.get("timeout", {}).get("read")
        self._room = asyncio.Semaphore(_PARTS_AHEAD)
        self._messages: asyncio.Queue[Message] = asyncio.Queue()
        self._answered = asyncio.Event()
        self._incoming = aiter(cast("httpx.AsyncByteStream", request.stream))
        self._is_received = False
        self.task = asyncio.create_task(self._run(application))
        self.task.add_done_callback(lambda _: self._messages.put_nowait(_END))

    async def next_message(self) -> Message:
        """Return the application's next message or its end mark; raise httpx's ReadTimeout."""
        try:
            async with asyncio.timeout(self._limit):
                message = await self._messages.get()
        except TimeoutError:
            raise httpx.ReadTimeout("The server took too long.", request=self._request) from None
        self._room.release()
        return message

    async def __aiter__(self) -> AsyncIterator[bytes]:
        more = True
        while more:
            message = await self.next_message()
            if message is _END:
                raise httpx.RemoteProtocolError("The server broke off its response.", request=self._request)
            more = message.get("more_body", False)
            if body := message.get("body"):
                yield body

    async def aclose(self) -> None:
        if not self._answered.is_set():
            self.task.cancel()
            await asyncio.wait([self.task])

    async def _run(self, application: Application) -> None:
        await application(_scope_of(self._request), self._receive, self._send)

    async def _receive(self) -> Message:
        if self._is_received:
            await self._answered.wait()
            return {"type": "http.disconnect"}
        part = b""
        if isinstance(self._request.stream, httpx.ByteStream):
            part = b"".join(self._request.stream)
            self._is_received = True
        else:
            try:
                part = await anext(self._incoming)
            except StopAsyncIteration:
                self._is_received = True
        return {"type": "http.request", "body": part, "more_body": not self._is_received}

    async def _send(self, message: Message) -> None:
        await self._room.acquire()
        self._messages.put_nowait(message)
        if message["type"] == "http.response.body" and not message.get("more_body", False):
            self._answered.set()


def _scope_of(request: httpx.Request) -> MutableMapping[str, Any]:
    return {
        "type": "http",
        "asgi": {"version": "3.0", "spec_version": "2.4"},
        "http_version": "1.1",
        "method": request.method,
        "headers": [(name.lower(), value) for name, value in request.headers.raw],
        "scheme": request.url.scheme,
        "path": request.url.path,
        "raw_path": request.url.raw_path.split(b"?")[0],
        "query_string": request.url.query,
        "server": (request.url.host, request.url.port),
        "client": ("127.0.0.1", 0),
        "root_path": "",
        "extensions": {},
        "state": {},
    }


_UNREACHABLE = "The server cannot be reached"
_REASONS: Mapping[type[BaseException], str] = {
    socket.gaierror: f"{_UNREACHABLE}: there is no address for {{host}}. Check the name and this machine's network.",
    ConnectionRefusedError: f"{_UNREACHABLE}: nothing is listening on {{place}}. Check the port, or start the server.",
    ssl.SSLError: "{place} does not speak HTTPS. Check the port, or use http://.",
    httpx.RemoteProtocolError: (
        "{place} broke off its response or does not speak {scheme}. Check the port and the scheme."
    ),
    httpx.DecodingError: "The response of {host} is not compressed as its headers declare.",
    httpx.ReadTimeout: "{place} did not respond in time.",
    httpx.ConnectTimeout: f"{_UNREACHABLE}: {{place}} did not answer in time. Check the address and the network.",
    OSError: f"{_UNREACHABLE}: {{error}} ({{place}}).",
}
"""Sentences by the kind of a failure; the first that fits the failure or one of its causes."""
_ENDED, _NOT_YET = 10, 9
_UNKNOWN_AUTHORITY = frozenset({2, 18, 19, 20, 21, 24, 27})
_OTHER_NAME = frozenset({62, 63, 64})
"""OpenSSL's numbers of certificate errors (X509_V_ERR)."""


class TrustingContext(ssl.SSLContext):
    """TLS with the authorities of the machine, loaded for the first connection: http is spared the 20 ms."""

    _is_loaded = False

    def wrap_bio(self, *arguments: Any, **options: Any) -> ssl.SSLObject:
        """Begin a connection."""
        if not self._is_loaded:
            self._is_loaded = True
            self.load_default_certs()
            paths = ssl.get_default_verify_paths()
            if not (paths.cafile or (paths.capath and any(Path(paths.capath).iterdir()))):
                self.load_verify_locations(certifi.where())
        return super().wrap_bio(*arguments, **options)


def trusted() -> ssl.SSLContext:
    """Trust the system's authorities, or those of SSL_CERT_FILE or SSL_CERT_DIR; without both, certifi's list."""
    return TrustingContext(ssl.PROTOCOL_TLS_CLIENT)


def fault_of(error: ssl.SSLCertVerificationError, host: str) -> str:
    """Return the fault of a host's certificate and the way out."""
    match error.verify_code:
        case code if code == _ENDED:
            return f"The certificate of {host} has expired. Its owner has to renew it."
        case code if code == _NOT_YET:
            return f"The certificate of {host} is not valid yet. Check this machine's clock."
        case code if code in _UNKNOWN_AUTHORITY:
            return (
                f"The certificate of {host} is not signed by an authority that this machine trusts. If it is your own,"
                " name its authority: SSL_CERT_FILE=/path/to/authority.pem"
            )
        case code if code in _OTHER_NAME:
            return f"The certificate is for another name than {host}. Check the address."
        case _:
            return f"The certificate of {host} is invalid: {error.verify_message}."


def offline(error: BaseException, url: httpx.URL) -> Offline:
    """Return the reason of a missing response: certificate, name, port, scheme, time, or a malformed response."""
    causes = list(_causes(error))
    for cause in causes:
        if isinstance(cause, ssl.SSLCertVerificationError):
            return Offline(f"{fault_of(cause, url.host)} No request was sent.")
    port = url.port or {"https": 443}.get(url.scheme, 80)
    names = {"host": url.host, "place": f"{url.host}:{port}", "scheme": url.scheme.upper()}
    for kind, words in _REASONS.items():
        for cause in causes:
            if isinstance(cause, kind):
                return Offline(words.format(**names, error=getattr(cause, "strerror", None) or cause))
    return Offline(f"{_UNREACHABLE}.")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    """Return an error and its causes, those of a group included."""
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for each in error.exceptions:
                yield from _causes(each)
        error = error.__cause__ or error.__context__
