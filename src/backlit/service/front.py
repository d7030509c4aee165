"""Front of the service: proxies, limits, request id, security headers, and the log in JSON lines."""

import logging
import re
import secrets
import sys
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any, NamedTuple, Self, TextIO

import orjson
from starlette.datastructures import Headers
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from backlit.model.errors import TooLarge
from backlit.service.http.bodies import BODY_KEY, RETRY_AFTER, RequestBody, RequestSlot, RequestSlots
from backlit.service.http.endpoint import JSON_TYPE, REQUEST_ID_KEY, UNLOGGED_KEY, USER_KEY
from backlit.service.http.proxies import Proxies, share_of
from backlit.service.http.waiting import SLOT_KEY
from backlit.service.storage.settings import HEAD_LIMIT, ServiceSettings

_NAMES = ("backlit.service", "uvicorn.error")
_USUAL = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}
_PROCESS, _NUMBERS = secrets.token_hex(4), count(1)
"""A request's id is the process's random part and a number: asking the system for each would switch threads."""
_REQUEST_ID = re.compile(rb"[\w.-]{1,64}")
_HOST = re.compile(rb"[\w.-]+(:\d{1,5})?|\[[0-9A-Fa-f:.]+\](:\d{1,5})?")
# A supervisor that gets no answer restarts the service, which is no help where it is busy.
_ALWAYS_OPEN = frozenset({"/healthz", "/readyz"})
_USUAL_HEADERS = (
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"x-frame-options", b"DENY"),
    (b"cache-control", b"no-store"),
)
"""Default headers of responses."""

_log = logging.getLogger(__name__)


class RequestGuardMiddleware:
    """The outermost layer of the service."""

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        self._proxies = Proxies(settings.trusted_proxies)
        self._slots = RequestSlots(settings.concurrent_requests, settings.limits)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        self._proxies.apply(scope)
        head = _ResponseHead.of(scope)
        slot = RequestSlot(self._slots)
        body = RequestBody(scope, receive, self._slots, slot, self._address_of(scope)) if head.has_body else None
        if body is not None:
            scope[BODY_KEY], receive = body, body.receive
        scope[SLOT_KEY] = slot
        exchange = _LoggedExchange(scope, send, head.request_id, slot, body)
        refusal = self._refusal(scope, head)
        try:
            if refusal is not None:
                await refusal(scope, receive, exchange.send)
                return
            if scope["path"] not in _ALWAYS_OPEN:
                await slot.take()
            await self._app(scope, receive, exchange.send)
        except Exception as error:  # noqa: BLE001 - it was answered and logged by the error table; the log has its kind
            exchange.failure = type(error).__name__
        finally:
            slot.give_back()
            if body is not None:
                body.close()
            exchange.log()

    def _address_of(self, scope: Scope) -> str | None:
        """Return the address that a waiting request counts for; None for a proxy without a caller."""
        client = scope.get("client")
        return None if client is None or self._proxies.is_trusted(client[0]) else share_of(client[0])

    def _refusal(self, scope: Scope, head: "_ResponseHead") -> Response | None:
        if head.size > HEAD_LIMIT:
            return _error(431, f"The address and the headers together are longer than {HEAD_LIMIT} bytes.")
        if len(head.hosts) > 1 or not all(_HOST.fullmatch(host) for host in head.hosts):
            return _error(400, "The Host header is not a host.")
        if self._slots.are_taken and scope["path"] not in _ALWAYS_OPEN:
            return _error(503, "The server is busy. Try again in a moment.", {"retry-after": str(RETRY_AFTER)})
        return None


class _ResponseHead(NamedTuple):
    """Parts of a request's head, read in one pass."""

    size: int
    hosts: list[bytes]
    request_id: str
    has_body: bool

    @classmethod
    def of(cls, scope: Scope) -> Self:
        size = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        hosts, given, has_body = [], b"", False
        for name, value in scope["headers"]:
            size += len(name) + len(value) + 4
            if name == b"host":
                hosts.append(value)
            elif name == b"x-request-id":
                given = value
            # Without one of these headers a request has no body, and waits for none.
            elif name == b"transfer-encoding" or (name == b"content-length" and value != b"0"):
                has_body = True
        request_id = given.decode() if _REQUEST_ID.fullmatch(given) else f"{_PROCESS}{next(_NUMBERS):08x}"
        return cls(size, hosts, request_id, has_body)


class _LoggedExchange:
    """A request in progress: its id and its log line."""

    def __init__(self, scope: Scope, send: Send, request_id: str, slot: RequestSlot, body: RequestBody | None) -> None:
        self.request_id = scope[REQUEST_ID_KEY] = request_id
        self.failure = ""
        self._path = scope["path"]
        self._scope = scope
        self._send = send
        self._began = time.perf_counter()
        self._status = 0
        self._bytes = 0
        self._is_replaced = False
        self._slot = slot
        self._body = body
        self._is_early = False

    async def send(self, message: Message) -> None:
        if self._is_replaced:
            return
        if message["type"] == "http.response.start":
            self._status = message["status"]
            if self._status == TooLarge.status and Headers(raw=message["headers"]).get("content-type") != JSON_TYPE:
                # The framework's limit on bodies replaces the route's response by plain text.
                self._is_replaced = True
                await _error(TooLarge.status, "The body is too large.")(self._scope, _never, self._send_with_headers)
                return
        await self._send_with_headers(message)

    async def _send_with_headers(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {name for name, _ in message["headers"]}
            usual = [header for header in _USUAL_HEADERS if header[0] not in given]
            message["headers"] = [*message["headers"], (b"x-request-id", self.request_id.encode()), *usual]
            if self._body is not None and not await self._body.has_arrived():
                self._is_early = True
                if b"connection" not in given:
                    message["headers"].append((b"connection", b"close"))
            await self._send(message)
            return
        self._bytes += len(message.get("body", b""))
        if message.get("more_body", False):
            # A caller that reads slowly must not hold a slot that others could use.
            await self._slot.given_back_during(self._send(message))
        elif self._body is not None and self._is_early:
            await self._send({**message, "more_body": True})
            await self._body.drop()
            await self._send({"type": "http.response.body", "body": b""})
        else:
            await self._send(message)

    def log(self) -> None:
        """Write the request's log line with its path alone, as queries may hold codes."""
        if not _log.isEnabledFor(logging.INFO) or UNLOGGED_KEY in self._scope:
            return
        said: dict[str, Any] = {
            "request_id": self.request_id,
            "method": self._scope["method"],
            "path": self._path,
            "status": self._status,
            "milliseconds": round((time.perf_counter() - self._began) * 1000, 1),
            "bytes": self._bytes,
            "client": self._scope["client"][0] if self._scope.get("client") else None,
            "user": self._scope.get(USER_KEY),
        }
        _log.info("request", extra=said | ({"failure": self.failure} if self.failure else {}))


async def _never() -> Message:
    raise AssertionError("an answer that is ready reads no request")


def _error(status: int, message: str, headers: Mapping[str, str] | None = None) -> Response:
    return Response(orjson.dumps({"message": message, "errors": {}}), status, headers, JSON_TYPE)


class JsonLines(logging.Formatter):
    """Formatter of a log record with its `extra` values as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        moment = datetime.fromtimestamp(record.created, UTC)
        line: dict[str, object] = {
            "time": moment.isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in _USUAL}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(line, default=str).decode()


def set_up_log(level: str, stream: TextIO | None = None) -> None:
    """Write the logs of the service, its web server and all libraries to a stream (default: standard error)."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JsonLines())
    logging.getLogger().handlers = [handler]
    logging.captureWarnings(True)
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # its warnings repeat the responses
    for name in _NAMES:
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.propagate = False
        logger.setLevel(level.upper())
    # Uvicorn's lines on starts and connections repeat ours.
    logging.getLogger("uvicorn.error").setLevel(max(logging.WARNING, logging.getLogger("uvicorn.error").level))
