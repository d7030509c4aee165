"""The one path every request takes: query, time limits, repetition of what may be repeated, and errors by table."""

import asyncio
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx
import orjson

from backlit.client.answers import error_of, json_object, read_body, retry_after
from backlit.client.auth import WrapAuth
from backlit.client.clock import ServiceClock
from backlit.client.encryption import offline, trusted
from backlit.client.tokens import TokenCache
from backlit.client.transfers import Transfers
from backlit.model.errors import BacklitError, Unclear

LONGEST_ANSWER = 120.0
"""Seconds for one answer from first to last byte, so that a server cannot drip for ever."""
_PASSING = frozenset({429, 502, 503, 504})
_MAY_HAVE_HAPPENED = frozenset({502, 504})
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.ProxyError, httpx.UnsupportedProtocol)
_LIMITS = httpx.Limits(max_connections=8, max_keepalive_connections=8)

QueryValue = str | int


@dataclass(frozen=True, slots=True)
class Pacing:
    """How often a request is sent at most, and the seconds between; wishes to wait longer are handed on."""

    attempts: int = 4
    first_pause: float = 0.2
    longest_pause: float = 20.0
    patience: float = 30.0
    """How long the server may be silent."""

    def timeout(self) -> httpx.Timeout:
        """The time limits of one request."""
        return httpx.Timeout(self.patience, connect=min(self.patience, 5.0))


USUAL = Pacing()


class Answer(NamedTuple):
    """A success, its body read whole."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    def document(self) -> dict[str, Any]:
        """The body as the JSON object that the interface promises; ServiceError when it is none."""
        return json_object(self.body)

    def etag(self) -> str | None:
        """The version's name where the service has the extension."""
        return self.headers.get("etag")


class Calls:
    """Sends requests below one base address; `transport` None means the network."""

    def __init__(
        self, root: httpx.URL, tokens: TokenCache, transport: httpx.AsyncBaseTransport | None, pacing: Pacing = USUAL
    ) -> None:
        self._root = root
        self.base_url = str(root)
        self.on_answer: Callable[[str, int, float], None] = lambda _method, _status, _seconds: None
        """Told of each request its method, the answer's status (0: none came) and the seconds it took."""
        self._pacing = pacing
        self.clock = ServiceClock()
        self._http = httpx.AsyncClient(
            transport=transport,
            verify=trusted() if transport is None else True,
            timeout=pacing.timeout(),
            limits=_LIMITS,
            follow_redirects=False,
            cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
            headers={"Accept": "application/json", "User-Agent": "backlit"},
        )
        self.auth = WrapAuth(root, tokens, self._send_raw)
        self.transfers = Transfers(root, self._http, self.auth)

    async def aclose(self) -> None:
        """Let go of the connections."""
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
    ) -> Answer:
        """Send one request to `path` (from the base address) and return a success.

        GET, PUT and DELETE are repeated after what may pass, those that are not repeatable only while it is sure that
        they had no effect; POST never. Raises errors of model/errors.py: Offline when nothing arrived there, Unclear
        when a write may have taken effect.
        """
        attempts_left = self._pacing.attempts if method != "POST" else 1
        pause = self._pacing.first_pause
        may_have_happened = False
        while True:
            attempts_left -= 1
            wanted = 0.0
            try:
                answer = await self._once(self._request(method, path, query, body, headers))
            except httpx.RequestError as error:
                may_have_happened = may_have_happened or not isinstance(error, _NOT_SENT)
                failure = _broken(method, error, self._root.host, may_have_happened=may_have_happened)
            else:
                is_gone = method == "DELETE" and answer.status == 404 and may_have_happened
                if answer.status < 300 or is_gone:
                    return answer
                may_have_happened = may_have_happened or answer.status in _MAY_HAVE_HAPPENED
                failure = _refused(method, answer)
                wanted = retry_after(answer.headers) or 0.0
                if answer.status not in _PASSING:
                    raise failure
            if may_have_happened and not is_repeatable:
                raise failure
            if attempts_left <= 0 or wanted > self._pacing.longest_pause:
                raise failure
            await asyncio.sleep(max(wanted, random.uniform(pause / 2, pause)))  # noqa: S311  jitter is no secret
            pause = min(pause * 3, self._pacing.longest_pause)

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

    async def _once(self, request: httpx.Request) -> Answer:
        began, status = time.monotonic(), 0
        try:
            answer = await self._answer(request)
            status = answer.status
            self.clock.heard(answer.headers.get("date"))
            return answer
        finally:
            self.on_answer(request.method, status, time.monotonic() - began)

    async def _answer(self, request: httpx.Request) -> Answer:
        try:
            async with asyncio.timeout(LONGEST_ANSWER):
                response = await self._http.send(request, auth=self.auth, stream=True)
                try:
                    return Answer(response.status_code, response.headers, await read_body(response))
                finally:
                    await response.aclose()
        except TimeoutError:
            raise httpx.ReadTimeout("The answer took too long.", request=request) from None

    async def _send_raw(self, request: httpx.Request) -> httpx.Response:
        request.extensions.setdefault("timeout", self._pacing.timeout().as_dict())
        return await self._http.send(request, auth=None, stream=True)


def _query_text(query: Mapping[str, QueryValue]) -> str:
    """The query with its $ literal and blanks as %20: some servers know nothing else (FEATURES rule 19)."""
    pairs = "&".join(f"{name}={quote(str(value), safe='')}" for name, value in query.items())
    return f"?{pairs}" if pairs else ""


def _broken(method: str, error: httpx.RequestError, host: str, *, may_have_happened: bool) -> BacklitError:
    if may_have_happened and method != "GET":
        return Unclear("The service was asked but did not answer; the change may or may not have been made.")
    return offline(error, host)


def _refused(method: str, answer: Answer) -> BacklitError:
    failure = error_of(answer.status, answer.headers, answer.body)
    if method == "POST" and answer.status in _MAY_HAVE_HAPPENED:
        return Unclear(f"{failure.message} The change may or may not have been made.")
    return failure
