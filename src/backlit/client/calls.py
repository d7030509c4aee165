"""Requests to the service: query text, time limits, safe retries, and errors by table."""

import asyncio
import email.utils
import random
import time
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import orjson
from msgspec import Struct
from msgspec.structs import replace

from backlit.client.answers import (
    ENCODINGS,
    LONGEST_ANSWER,
    MAY_HAVE_HAPPENED,
    error_of,
    json_object,
    read_body,
    response_label,
    retry_after,
)
from backlit.client.auth import WrapAuth
from backlit.client.events import EVENT_STREAM, NoEventStream, ServerEvent, events_in
from backlit.client.network import NetworkTransport, offline, server_of
from backlit.client.own_writes import OwnWrites
from backlit.client.tokens import TokenCache
from backlit.client.transfers import ContentTransfers
from backlit.client.transport import InProcessTransport
from backlit.config.connection import USUAL_CONNECTION, ConnectionSettings
from backlit.model.dates import parse_datetime
from backlit.model.errors import BacklitError, BadRequest, Forbidden, OutcomeUnknown, ServiceError

# The interface's DateTimes have no zone: servers write UTC or their local time, and the stamp of a change that was made
# just now is all that tells which.
_ZONE_STEP = 15 * 60.0
"""Seconds; the UTC offset of every time zone is a multiple of this."""
# UTC+14 is the farthest zone in use.
_WIDEST = 15 * 3600.0
_FARTHEST = 100 * 366 * 86_400.0
"""Seconds; a machine without a clock is decades behind, and a larger offset is invalid."""
_JITTER = 5.0
"""Seconds of travel time and rounding that do not count as an offset."""


class ServiceClock:
    """Offset of the service's zoneless times from this machine's UTC."""

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self.skew: timedelta | None = None
        """Offset from the Date header, which is in UTC and does not show the zone of DateTimes."""
        self._stamped: timedelta | None = None

    @property
    def offset(self) -> timedelta | None:
        """The seconds to add to this machine's UTC; None until known."""
        return self.skew if self._stamped is None else self._stamped

    def observe_date_header(self, date: str | None) -> None:
        """Learn from an answer's Date header."""
        try:
            ahead = email.utils.parsedate_to_datetime(date or "").timestamp() - self._now()
        except (ValueError, OverflowError):
            return
        if abs(ahead) <= _FARTHEST:
            self.skew = _whole(ahead)

    def observe_created_at(self, stamp: object) -> None:
        """Learn from the createdAt of a resource created just now."""
        ahead = self._ahead(stamp)
        if ahead is not None and abs(ahead) <= _WIDEST:
            self._stamped = _whole(ahead)

    def observe_last_modified_at(self, stamp: object) -> None:
        """Learn from the lastModifiedAt of a resource changed just now; ignore an older stamp."""
        ahead = self._ahead(stamp)
        if ahead is None or abs(ahead) > _WIDEST:
            return
        # A server may answer with an older stamp. Only one that is off by whole steps of time zones shows the zone.
        skew = self.skew.total_seconds() if self.skew else 0.0
        off_step = (ahead - skew + _ZONE_STEP / 2) % _ZONE_STEP - _ZONE_STEP / 2
        if abs(off_step) <= _JITTER:
            self._stamped = _whole(ahead)

    def _ahead(self, stamp: object) -> float | None:
        try:
            moment: datetime | None = parse_datetime(stamp) if isinstance(stamp, str) else None
        except BadRequest:
            return None
        return None if moment is None else moment.replace(tzinfo=UTC).timestamp() - self._now()


def _whole(seconds: float) -> timedelta:
    """Round to whole seconds; an offset within the jitter is 0."""
    return timedelta(0) if abs(seconds) <= _JITTER else timedelta(seconds=round(seconds))


_LONGEST_ETAG = 1024
_PASSING = frozenset({429, 502, 503, 504})
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
# A first load has three pages on their way, and screens ask beside it. Browsers take six for each server.
# One more is for the stream of changes, which stays.
_LIMITS = httpx.Limits(max_connections=9, max_keepalive_connections=9)
LONGEST_SILENCE = 40.0
"""Seconds without an event after which a stream is broken; the service sends one every 15."""

QueryValue = str | int


class RetryPolicy(Struct, frozen=True):
    """Limits of retries: attempts and seconds between; the caller handles a longer Retry-After."""

    attempts: int = 4
    first_pause: float = 0.2
    longest_pause: float = 20.0
    patience: float = 30.0
    """Seconds of silence allowed to the server."""
    connecting: float = 5.0
    """Seconds to reach it: a machine that answers does so at once, and a user waits for the word "offline"."""

    def timeout(self) -> httpx.Timeout:
        return httpx.Timeout(self.patience, connect=min(self.patience, self.connecting))

    def under(self, connection: ConnectionSettings) -> "RetryPolicy":
        """Return this policy with the times of a profile."""
        patience = connection.read_timeout or self.patience
        return replace(self, patience=patience, connecting=connection.connect_timeout or self.connecting)


USUAL_RETRIES = RetryPolicy()


class ClientResponse(NamedTuple):
    """A successful response with its whole body."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    response_label: str
    """The response's name in a sentence."""

    def document(self) -> dict[str, Any]:
        """Return the body as a JSON object; raise ServiceError for anything else."""
        return json_object(self.body, self.response_label)

    def etag(self) -> str | None:
        """The resource's ETag; None without the extension or with a value unfit for a header."""
        etag = self.headers.get("etag")
        return etag if etag and len(etag) <= _LONGEST_ETAG and etag.isascii() and etag.isprintable() else None


class RequestSender:
    """Sender of requests below one base address; a `transport` of None means the network."""

    def __init__(
        self,
        root: httpx.URL,
        tokens: TokenCache,
        transport: httpx.AsyncBaseTransport | None,
        pacing: RetryPolicy = USUAL_RETRIES,
        connection: ConnectionSettings = USUAL_CONNECTION,
    ) -> None:
        self._root = root
        self.base_url = str(root)
        self.server = server_of(root)
        """The server's name in a sentence."""
        self.on_answer: Callable[[str, int, float], None] = lambda _method, _status, _seconds: None
        """Observers of each request: its method, the response's status (0 for none) and its seconds."""
        self.refusal = ""
        """Why no request may change anything, as a sentence; empty where they may."""
        self.is_in_process = isinstance(transport, InProcessTransport)
        self._pacing = pacing.under(connection)
        self.clock = ServiceClock()
        self.own_writes = OwnWrites()
        self._http = httpx.AsyncClient(
            transport=transport or NetworkTransport(_LIMITS, connection),
            timeout=self._pacing.timeout(),
            follow_redirects=False,
            # A login cookie is sent on purpose, by the sign-in; what servers set is not kept.
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"Accept": "application/json", "Accept-Encoding": ENCODINGS, "User-Agent": "backlit"},
        )
        self.auth = WrapAuth(root, tokens, self._send_raw)
        self.transfers = ContentTransfers(root, self._http, self.auth)

    async def aclose(self) -> None:
        await self.auth.aclose()
        await self._http.aclose()

    async def call(
        self,
        method: str,
        path: str,
        query: Mapping[str, QueryValue] | None = None,
        body: object = None,
        headers: Mapping[str, str] | None = None,
        *,
        is_repeatable: bool = True,
    ) -> ClientResponse:
        """Send one request to `path` below the base address and return a success.

        Retries GET, PUT and DELETE after a passing failure; a request that is not repeatable only if it certainly had
        no effect; POST never. The whole ends after LONGEST_ANSWER seconds.

        Raises errors of model/errors.py: Offline if no request arrived, OutcomeUnknown if a write may have taken
        effect.
        """
        if method == "GET":
            return await self._repeated(method, path, query, body, headers, is_repeatable=is_repeatable)
        if self.refusal:
            raise Forbidden(self.refusal)
        self.own_writes.begin()
        try:
            answer = await self._repeated(method, path, query, body, headers, is_repeatable=is_repeatable)
            self.own_writes.note(path, answer.headers, answer.body)
            return answer
        finally:
            await self.own_writes.end()

    async def _repeated(
        self,
        method: str,
        path: str,
        query: Mapping[str, QueryValue] | None,
        body: object,
        headers: Mapping[str, str] | None,
        *,
        is_repeatable: bool,
    ) -> ClientResponse:
        # A repeated POST could create the same thing twice.
        attempts_left = self._pacing.attempts if method != "POST" else 1
        pause = self._pacing.first_pause
        may_have_happened = False
        loop = asyncio.get_running_loop()
        deadline = loop.time() + LONGEST_ANSWER
        while True:
            attempts_left -= 1
            wanted = 0.0
            request = self._request(method, path, query, body, headers)
            try:
                answer = await self._once(request, deadline)
            except httpx.RequestError as error:
                may_have_happened = may_have_happened or not isinstance(error, _NOT_SENT)
                failure = _broken(error, request, may_have_happened=may_have_happened)
            else:
                # The first attempt deleted it, and only its response was lost.
                is_gone = method == "DELETE" and answer.status == 404 and may_have_happened
                if answer.status < 300 or is_gone:
                    return answer
                may_have_happened = may_have_happened or answer.status in MAY_HAVE_HAPPENED
                failure = _refused(request, answer)
                wanted = retry_after(answer.headers) or 0.0
                if answer.status not in _PASSING:
                    raise failure
            if may_have_happened and not is_repeatable:
                raise failure
            # Spread, so that clients that lost the server together do not come back together.
            wait = max(wanted, random.uniform(pause / 2, pause))  # noqa: S311  jitter is no secret
            if attempts_left <= 0 or wanted > self._pacing.longest_pause or loop.time() + wait >= deadline:
                raise failure
            await asyncio.sleep(wait)
            pause = min(pause * 3, self._pacing.longest_pause)

    @asynccontextmanager
    async def events(self, path: str, headers: Mapping[str, str]) -> AsyncIterator[AsyncIterator[ServerEvent]]:
        """Open a stream of events; raise the errors of `call`. Its events raise them too."""
        timeout = httpx.Timeout(LONGEST_SILENCE, connect=self._pacing.timeout().connect)
        wanted = {"Accept": EVENT_STREAM, "Accept-Encoding": "identity", **headers}
        request = self._http.build_request("GET", f"{self._root}{path}", headers=wanted, timeout=timeout)
        try:
            response = await self._http.send(request, auth=self.auth, stream=True)
            try:
                self.on_answer("GET", response.status_code, 0.0)
                if response.status_code != 200:
                    raise error_of(request, response.status_code, response.headers, await read_body(response))
                if not response.headers.get("content-type", "").startswith(EVENT_STREAM):
                    raise NoEventStream(f"{response_label(request)} is no stream of events.")
                yield events_in(response.aiter_bytes(), response_label(request))
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            raise offline(error, request) from None

    def _request(
        self,
        method: str,
        path: str,
        query: Mapping[str, QueryValue] | None,
        body: object,
        headers: Mapping[str, str] | None,
    ) -> httpx.Request:
        url = f"{self._root}{path}{_query_text(query or {})}"
        if body is None:
            return self._http.build_request(method, url, headers=headers)
        content_type = {"Content-Type": "application/json"}
        return self._http.build_request(
            method, url, content=orjson.dumps(body), headers=content_type | dict(headers or {})
        )

    async def _once(self, request: httpx.Request, deadline: float) -> ClientResponse:
        began, status = time.monotonic(), 0
        try:
            answer = await self._answer(request, deadline)
            status = answer.status
            self.clock.observe_date_header(answer.headers.get("date"))
            return answer
        finally:
            self.on_answer(request.method, status, time.monotonic() - began)

    async def _answer(self, request: httpx.Request, deadline: float) -> ClientResponse:
        try:
            async with asyncio.timeout_at(deadline):
                response = await self._http.send(request, auth=self.auth, stream=True)
                try:
                    body = await read_body(response)
                    return ClientResponse(response.status_code, response.headers, body, response_label(request))
                except ServiceError as error:
                    # The server has acted before its response turned out to be unreadable.
                    raise _unclear(error) if request.method == "POST" else error from None
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx.ReadTimeout("The server took too long to respond.", request=request) from None

    async def _send_raw(self, request: httpx.Request) -> httpx.Response:
        request.extensions.setdefault("timeout", self._pacing.timeout().as_dict())
        return await self._http.send(request, auth=None, stream=True)


def _query_text(query: Mapping[str, QueryValue]) -> str:
    """Return the query with a literal $ and blanks as %20; some servers accept no other form."""
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
    return f"?{pairs}" if pairs else ""


def _broken(error: httpx.RequestError, request: httpx.Request, *, may_have_happened: bool) -> BacklitError:
    if may_have_happened and request.method != "GET":
        return OutcomeUnknown(f"{server_of(request.url)} did not respond. The change may or may not have been saved.")
    return offline(error, request)


def _refused(request: httpx.Request, answer: ClientResponse) -> BacklitError:
    failure = error_of(request, answer.status, answer.headers, answer.body)
    if request.method == "POST" and answer.status in MAY_HAVE_HAPPENED:
        return _unclear(failure)
    return failure


def _unclear(failure: BacklitError) -> OutcomeUnknown:
    return OutcomeUnknown(f"{failure.message} The change may or may not have been saved.")
