"""OAuth WRAP as the client sees it: discover, grant, refresh once for everybody, try again (SPEC 5)."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import NoReturn
from urllib.parse import quote

import httpx

from backlit.client.answers import error_of, read_body, refusal_of_sign_in
from backlit.client.cookies import Cookie, cookie_value
from backlit.client.encryption import offline
from backlit.client.tokens import Held, TokenCache, Tokens
from backlit.model.errors import (
    BacklitError,
    OtherOrigin,
    ServiceError,
    SignInNeeded,
    TooManyRequests,
    Unauthorized,
)
from backlit.model.wrap import Challenge, parse_challenge, parse_grant

EARLY = 60.0
"""Seconds before its end at which an access token is replaced; half its life where that is shorter."""
SIGN_IN = "You are not signed in."
COOKIE_ENDED = "The browser's session that the cookie belongs to has ended, or is another service's. Sign in again."
LOGOUT = "Authentication/Logout"
LOGOUT_PATIENCE = 3.0
"""Seconds the service has for hearing that somebody signs out."""

SendRaw = Callable[[httpx.Request], Awaitable[httpx.Response]]


class WrapAuth(httpx.Auth):
    """Puts the profile's access token, or cookie, on requests to the profile's own origin, and keeps a token fresh.

    `send` sends one request as it is, streamed, and raises httpx's errors.
    """

    def __init__(self, root: httpx.URL, tokens: TokenCache, send: SendRaw) -> None:
        self._root = root
        self._cache = tokens
        self._send = send
        self._held: Held | None = None
        self._good_until = 0.0
        self._challenge: Challenge | None = None
        self._renewal: asyncio.Task[Held] | None = None
        self._stamp: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"WrapAuth({str(self._root)!r})"

    # The session

    @property
    def signed_in(self) -> bool:
        """Whether there are tokens, or a cookie; the service may still refuse them."""
        return self._current() is not None

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        """Trade a password for tokens; Unauthorized when it is not right or the account is of another provider.

        Raises OtherOrigin where it would have to be sent elsewhere than to the profile's own origin, unless that is the
        one that is approved here, or was before.
        """
        await self._grant({"wrap_username": username, "wrap_password": password}, approved)

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        """Trade the verification code of the service's login page for tokens; Unauthorized when it is not good.

        Raises OtherOrigin as `sign_in` does.
        """
        await self._grant({"wrap_verification_code": code.strip()}, approved)

    async def sign_in_with_cookie(self, text: str) -> None:
        """Use a browser's login cookie until its session ends; the service is not asked whether it is good.

        Raises BadRequest for what cannot be one.
        """
        cookie = Cookie(cookie_value(text), time.time())
        async with self._cache.locked():
            self._hold(await asyncio.to_thread(self._cache.save_cookie, cookie))

    async def sign_out(self) -> None:
        """Forget the tokens, here in any case; the service is told by an extension that it may not have.

        A cookie is only forgotten: the session is the browser's.
        """
        async with self._cache.locked():
            held = self._cache.load()
            await asyncio.to_thread(self._cache.clear)
        self._hold(None)
        if isinstance(held, Tokens):
            await self._log_out(held)

    async def _log_out(self, tokens: Tokens) -> None:
        request = httpx.Request(
            "POST",
            f"{self._root}{LOGOUT}",
            content=f"wrap_refresh_token={quote(tokens.refresh, safe='')}".encode(),
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "*/*"},
        )
        with contextlib.suppress(TimeoutError, BacklitError):  # whatever it says, here they are forgotten
            async with asyncio.timeout(LOGOUT_PATIENCE):
                await self._ask(request)

    def look_again(self) -> bool:
        """Take up what another process did to the sign-in meanwhile; says whether somebody is signed in."""
        stamp = self._cache.stamp()
        if stamp != self._stamp:
            self._stamp = stamp
            self._hold(self._cache.load())
        return self._held is not None

    async def aclose(self) -> None:
        """Stop a renewal that nobody waits for any more; an unused grant's predecessor still works (DECISIONS)."""
        if self._renewal is not None and not self._renewal.done():
            self._renewal.cancel()
            await asyncio.wait([self._renewal])

    # On every request

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Send with a token, and once more with a new one after a 401; SignInNeeded when there is none to be had."""
        if not _is_same_origin(request.url, self._root):
            yield request
            return
        held = await self._usable()
        _sign(request, held)
        response = yield request
        if response.status_code != Unauthorized.status:
            return
        self._learn(response)
        _sign(request, await self._renewed(held))
        yield request

    async def _usable(self) -> Held:
        held = self._current()
        if held is None:
            raise SignInNeeded(SIGN_IN)
        return held if time.monotonic() < self._good_until else await self._renewed(held)

    def _current(self) -> Held | None:
        if self._held is None:  # read again every time: another process may have signed in meanwhile
            self._hold(self._cache.load())
        return self._held

    def _hold(self, held: Held | None) -> None:
        self._held = held
        if held is not None:
            self._good_until = time.monotonic() + held.remaining() - min(EARLY, held.lifetime / 2)

    # Renewing

    async def _renewed(self, spent: Held) -> Held:
        """Something other than `spent`: all who ask at once wait for one renewal, and a waiter may be cancelled."""
        if self._held is not None and self._held.secret != spent.secret:
            return self._held
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(self._renew(spent))
        return await asyncio.shield(self._renewal)

    async def _renew(self, spent: Held) -> Held:
        async with self._cache.locked():
            stored = self._cache.load()
            if stored is None:
                self._hold(None)
                raise SignInNeeded(SIGN_IN)
            if stored.secret == spent.secret:
                stored = await self._refresh(stored) if isinstance(stored, Tokens) else await self._end(COOKIE_ENDED)
            self._hold(stored)
            return stored

    async def _end(self, sentence: str) -> NoReturn:
        """Forget what is no good any more; the caller holds the lock of the cache."""
        await asyncio.to_thread(self._cache.clear)
        self._hold(None)
        raise SignInNeeded(sentence)

    async def _refresh(self, tokens: Tokens) -> Tokens:
        try:
            return await self._request_grant({"wrap_refresh_token": tokens.refresh})
        except OtherOrigin as error:
            self._hold(None)
            raise SignInNeeded(f"{error.message} Sign in again to say whether it may be.") from None
        except Unauthorized:
            await self._end("The sign-in has ended. Sign in again.")

    # Granting

    async def _grant(self, credentials: dict[str, str], approved: str) -> None:
        self._challenge = None
        async with self._cache.locked():
            if approved:
                await asyncio.to_thread(self._cache.approve, approved)
            self._hold(await self._request_grant(credentials))

    async def _request_grant(self, credentials: dict[str, str]) -> Tokens:
        """Ask the token endpoint and store what it grants; the caller holds the lock of the cache."""
        challenge = self._challenge or await self._discover()
        form = {"wrap_client_id": challenge.client_id} | credentials
        body = "&".join(f"{name}={quote(value, safe='')}" for name, value in form.items()).encode()
        request = httpx.Request(
            "POST",
            self._token_endpoint(challenge),
            content=body,
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "*/*"},
        )
        status, headers, answer = await self._ask(request)
        if status != 200:
            raise refusal_of_sign_in(status, headers, answer)
        return await asyncio.to_thread(self._cache.save, parse_grant(answer.decode("utf-8", "replace")))

    def _token_endpoint(self, challenge: Challenge) -> httpx.URL:
        """The challenge's location, only where a secret may be sent: here, or where it is approved (rule 2)."""
        try:
            location = self._root.join(challenge.location)
        except httpx.InvalidURL:
            raise ServiceError("The service names no usable address for signing in.") from None
        origin = _origin_of(location)
        if not _is_same_origin(location, self._root) and origin not in self._cache.approved():
            raise OtherOrigin(_origin_of(self._root), origin)
        return location

    async def _discover(self) -> Challenge:
        request = httpx.Request("GET", f"{self._root}api/v1/users/me", headers={"Accept": "application/json"})
        status, headers, answer = await self._ask(request)
        if status >= 500 or status == TooManyRequests.status:
            raise error_of(status, headers, answer)
        challenge = parse_challenge(headers.get("www-authenticate", "")) if status == Unauthorized.status else None
        if challenge is None:
            raise ServiceError(f"This address does not answer like the service (status {status}); is it the right one?")
        self._challenge = challenge
        return challenge

    def _learn(self, response: httpx.Response) -> None:
        challenge = parse_challenge(response.headers.get("www-authenticate", ""))
        if challenge is not None:
            self._challenge = challenge

    async def _ask(self, request: httpx.Request) -> tuple[int, httpx.Headers, bytes]:
        try:
            response = await self._send(request)
            try:
                return response.status_code, response.headers, await read_body(response)
            finally:
                await response.aclose()
        except httpx.RequestError as error:
            raise offline(error, request.url.host) from None


def _sign(request: httpx.Request, held: Held) -> None:
    for name in ("Authorization", "Cookie"):
        request.headers.pop(name, None)
    name, value = held.header()
    request.headers[name] = value


def _origin_of(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def _is_same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)
