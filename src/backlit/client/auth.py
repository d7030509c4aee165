"""OAuth WRAP on the client's side: discovery, grants, one shared refresh, and one retry."""

import asyncio
import contextlib
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from typing import Any, NoReturn
from urllib.parse import quote

import httpx
import orjson

from backlit.client.answers import (
    ENCODINGS,
    GRANT_LIMIT,
    LONGEST_ANSWER,
    error_of,
    failure_between,
    read_body,
    refusal_of_sign_in,
)
from backlit.client.network import offline, server_of
from backlit.client.tokens import LoginCookie, StoredCredentials, StoredTokens, TokenCache, cookie_value
from backlit.model.errors import (
    BacklitError,
    Offline,
    OtherOrigin,
    ServiceError,
    SignInNeeded,
    StorageError,
    TooManyRequests,
    Unauthorized,
)
from backlit.model.plain import plain
from backlit.model.wrap import Challenge, TokenGrant, authorization_header, parse_challenge, parse_grant

RENEW_BEFORE_EXPIRY_SECONDS = 60.0
"""Seconds before expiry at which an access token is renewed; half its lifetime if that is shorter."""
SIGN_IN = "You are not signed in."
SESSION_ENDED = "Your session has ended. Sign in again."
COOKIE_ENDED = "The browser session of the cookie has ended or belongs to another server. Sign in again."
OWN_USER = "api/v1/users/me"
LOGOUT = "Authentication/Logout"
LOGOUT_PATIENCE = 3.0
"""Seconds to wait for the service on sign-out."""

SendRaw = Callable[[httpx.Request], Awaitable[httpx.Response]]


# Section 5 of the interface: OAuth WRAP 0.9. Where tokens are granted, and to which client id, only the 401 of a
# request without a token says.
class WrapAuth(httpx.Auth):
    """Authentication of requests to the profile's own origin, by access token or cookie, with renewal.

    `send` sends one streamed request and raises httpx's errors.
    """

    def __init__(self, root: httpx.URL, tokens: TokenCache, send: SendRaw) -> None:
        self._root = root
        self._cache = tokens
        self._send = send
        self._held: StoredCredentials | None = None
        self._good_until = 0.0
        self._challenge: Challenge | None = None
        self._renewal: asyncio.Task[StoredCredentials] | None = None
        self._stamp: tuple[int, int] | None = None

    def __repr__(self) -> str:
        return f"WrapAuth({str(self._root)!r})"

    # The session

    @property
    def signed_in(self) -> bool:
        """True with tokens, a cookie or a password; the service may still reject them."""
        return self._held is not None or self._cache.has_sign_in()

    @property
    def has_ended(self) -> bool:
        """True after the service ended the sign-in, in this run or before, until the next one."""
        return self._cache.has_ended()

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        """Trade a password for tokens; raise Unauthorized for a wrong password or an external account.

        Raises OtherOrigin before it sends the password to an origin other than the profile's own, unless the user has
        approved that origin.
        """
        await self.accept(await self.request_grant(username, password, approved))

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        """Trade the verification code of the login page for tokens; raise Unauthorized for a wrong code.

        Raises OtherOrigin as `sign_in` does.
        """
        await self.accept(await self.request_grant_by_code(code, approved))

    async def request_grant(self, username: str, password: str, approved: str = "") -> TokenGrant:
        """Trade a password for a grant, which `accept` stores. Raises as `sign_in` does."""
        return await self._grant({"wrap_username": username, "wrap_password": password}, approved)

    async def request_grant_by_code(self, code: str, approved: str = "") -> TokenGrant:
        return await self._grant({"wrap_verification_code": code.strip()}, approved)

    async def user_of(self, grant: TokenGrant) -> dict[str, Any]:
        headers = {"Accept": "application/json", "Authorization": authorization_header(grant.access_token)}
        request = httpx.Request("GET", f"{self._root}{OWN_USER}", headers=headers)
        status, answered, body = await self._ask(request)
        if status != 200:
            raise error_of(request, status, answered, body)
        with contextlib.suppress(ValueError):
            document = orjson.loads(body)
            if isinstance(document, dict):
                return document
        raise ServiceError(f"{server_of(self._root)} did not state who is signed in.")

    async def accept(self, grant: TokenGrant) -> None:
        async with self._cache.locked():
            self._hold(await asyncio.to_thread(self._cache.save, grant))

    async def forget(self) -> None:
        """Drop a stored sign-in that belongs to somebody else; the service is not told."""
        async with self._cache.locked():
            await asyncio.to_thread(self._cache.clear)
        self._hold(None)

    async def sign_in_with_cookie(self, text: str) -> None:
        """Use a browser's login cookie until its session ends; the service does not check it here.

        Raises BadRequest for a malformed cookie.
        """
        cookie = LoginCookie(cookie_value(text), time.time())
        async with self._cache.locked():
            self._hold(await asyncio.to_thread(self._cache.save_cookie, cookie))

    async def sign_out(self) -> None:
        """Forget the tokens and the password, and revoke the tokens at a service with that extension.

        A cookie is only forgotten, as the session belongs to the browser.
        """
        # The file is read before it is cleared, and under the lock: the tokens to revoke are those that another process
        # may have renewed since.
        held = None
        self._cache.credentials = None
        async with self._cache.locked():
            with contextlib.suppress(StorageError):  # there is nothing to revoke in a file that cannot be read
                held = await asyncio.to_thread(self._cache.load)
            await asyncio.to_thread(self._cache.clear)
        self._hold(None)
        if isinstance(held, StoredTokens):
            await self._log_out(held)

    async def _log_out(self, tokens: StoredTokens) -> None:
        request = httpx.Request(
            "POST",
            f"{self._root}{LOGOUT}",
            content=f"wrap_refresh_token={quote(tokens.refresh, safe='')}".encode(),
            headers={"Content-Type": "application/x-www-form-urlencoded", "Accept": "*/*"},
        )
        # After the local sign-out, so that a server that is gone cannot keep anybody signed in on this machine.
        with contextlib.suppress(TimeoutError, BacklitError):  # the local sign-out holds without the service's consent
            async with asyncio.timeout(LOGOUT_PATIENCE):
                await self._ask(request)

    def reload(self) -> bool:
        """Read another process's changes to the sign-in; return True if the user is signed in."""
        stamp = self._cache.stamp()
        # The stamp first: one `stat` at rest in place of a file that is read and parsed.
        if stamp != self._stamp:
            self._stamp = stamp
            self._hold(None)  # the next request reads it, on a thread: a keyring takes its time
        return self.signed_in

    async def aclose(self) -> None:
        """Stop a renewal without waiters; the service still accepts the predecessor of an unused grant."""
        if (renewal := self._under_way) is not None:
            renewal.cancel()
            await asyncio.wait([renewal])

    # On every request

    async def async_auth_flow(self, request: httpx.Request) -> AsyncGenerator[httpx.Request, httpx.Response]:
        """Send with a token, and again with a new one after a 401; raise SignInNeeded without any token."""
        # Tokens never leave the profile's origin, whatever address a server writes into a document.
        if not _is_same_origin(request.url, self._root):
            yield request
            return
        held = await self._usable()
        _sign(request, held)
        response = yield request
        if response.status_code != Unauthorized.status:
            return
        self._learn(response)
        await response.stream.aclose()  # type: ignore[union-attr] # an asynchronous client has asynchronous streams
        response.stream = httpx.ByteStream(b"")  # httpx reads the whole body before it sends again
        _sign(request, await self._renewed(held))
        yield request

    async def _usable(self) -> StoredCredentials:
        held = self._held
        if held is None:  # read every time: another process may have signed in
            held = await asyncio.to_thread(self._cache.load)
            self._hold(held)
        if held is None and self._cache.credentials is None and self._under_way is None:
            raise SignInNeeded(SIGN_IN)
        return held if held is not None and time.monotonic() < self._good_until else await self._renewed(held)

    def _hold(self, held: StoredCredentials | None) -> None:
        self._held = held
        if held is not None:
            self._good_until = time.monotonic() + held.remaining() - min(RENEW_BEFORE_EXPIRY_SECONDS, held.lifetime / 2)

    # Renewing

    @property
    def _under_way(self) -> asyncio.Task[StoredCredentials] | None:
        """The renewal that is not done yet."""
        return None if self._renewal is None or self._renewal.done() else self._renewal

    async def _renewed(self, spent: StoredCredentials | None) -> StoredCredentials:
        """Return a token other than `spent`; concurrent callers share one renewal, and a waiter may be cancelled."""
        if self._held is not None and (spent is None or self._held.secret != spent.secret):
            return self._held
        self._renewal = self._under_way or asyncio.create_task(self._renew(spent))
        # A waiter may be cancelled by its caller; the renewal goes on for the others.
        return await asyncio.shield(self._renewal)

    async def _renew(self, spent: StoredCredentials | None) -> StoredCredentials:
        async with self._cache.locked():
            stored = await asyncio.to_thread(self._cache.load)
            if stored is None:
                self._hold(None)
                stored = await self._sign_in_again(SIGN_IN)
            # Another process may have renewed while this one waited for the lock; a refresh token works once.
            elif spent is not None and stored.secret == spent.secret:
                stored = (
                    await self._refresh(stored) if isinstance(stored, StoredTokens) else await self._end_cookie(stored)
                )
            self._hold(stored)
            return stored

    async def _sign_in_again(self, sentence: str) -> StoredTokens:
        """Sign in by the password of the settings; raise SignInNeeded where there is none, or it is refused.

        The caller holds the lock of the cache.
        """
        credentials, self._cache.credentials = self._cache.credentials, None
        if credentials is None:
            raise SignInNeeded(sentence)
        # Not asked for a second time until it has worked: the service counts failed attempts.
        username, password = await asyncio.to_thread(credentials)
        try:
            grant = await self._request_grant({"wrap_username": username, "wrap_password": password})
        except Unauthorized as error:
            raise SignInNeeded(f"The password of the settings was refused for {plain(username)}.") from error
        except OtherOrigin as error:
            raise SignInNeeded(f"{error.message} Sign in again to approve that address.") from None
        except BacklitError:
            self._cache.credentials = credentials
            raise
        self._cache.credentials = credentials
        return await asyncio.to_thread(self._cache.save, grant)

    async def _end_cookie(self, cookie: LoginCookie) -> NoReturn:
        """Forget a cookie that was refused, or whose time is nearly over; the caller holds the lock of the cache."""
        is_over = cookie.remaining() <= min(RENEW_BEFORE_EXPIRY_SECONDS, cookie.lifetime / 2)
        await self._end(COOKIE_ENDED, self._cache.clear if is_over else self._cache.end)

    async def _end(self, sentence: str, forget: Callable[[], None]) -> NoReturn:
        await asyncio.to_thread(forget)
        self._hold(None)
        raise SignInNeeded(sentence)

    async def _refresh(self, tokens: StoredTokens) -> StoredTokens:
        """Renew the tokens and store them; the caller holds the lock of the cache."""
        try:
            grant = await self._request_grant({"wrap_refresh_token": tokens.refresh})
        except OtherOrigin as error:
            self._hold(None)
            raise SignInNeeded(f"{error.message} Sign in again to approve that address.") from None
        except Unauthorized:
            if self._cache.credentials is not None:
                return await self._sign_in_again(SESSION_ENDED)
            await self._end(SESSION_ENDED, self._cache.end)
        return await asyncio.to_thread(self._cache.save, grant)

    # Granting

    async def _grant(self, credentials: dict[str, str], approved: str) -> TokenGrant:
        self._challenge = None
        if approved:
            async with self._cache.locked():
                await asyncio.to_thread(self._cache.approve, approved)
        return await self._request_grant(credentials)

    async def _request_grant(self, credentials: dict[str, str]) -> TokenGrant:
        try:
            async with asyncio.timeout(LONGEST_ANSWER):
                return await self._ask_for_grant(credentials)
        except TimeoutError:
            raise Offline(_too_slow(self._root)) from None

    async def _ask_for_grant(self, credentials: dict[str, str]) -> TokenGrant:
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
            raise refusal_of_sign_in(request, status, headers, answer)
        return parse_grant(answer.decode("utf-8", "replace"), server_of(self._root))

    def _token_endpoint(self, challenge: Challenge) -> httpx.URL:
        """Return the challenge's location if it is on the profile's origin or an approved one."""
        try:
            location = self._root.join(challenge.location)
        except httpx.InvalidURL:
            raise ServiceError(f"{server_of(self._root)} names no usable address for signing in.") from None
        origin = _origin_of(location)
        if not _is_same_origin(location, self._root) and origin not in self._cache.approved():
            raise OtherOrigin(_origin_of(self._root), origin)
        return location

    async def _discover(self) -> Challenge:
        request = httpx.Request("GET", f"{self._root}{OWN_USER}", headers={"Accept": "application/json"})
        status, headers, answer = await self._ask(request)
        if status >= 500 or status == TooManyRequests.status:
            raise error_of(request, status, headers, answer)
        challenge = parse_challenge(headers.get("www-authenticate", "")) if status == Unauthorized.status else None
        if challenge is None:
            raise failure_between(request, status, headers, answer) or ServiceError(
                f"{server_of(request.url)} does not respond like a backlit server (status {status}). Check the address."
            )
        self._challenge = challenge
        return challenge

    def _learn(self, response: httpx.Response) -> None:
        challenge = parse_challenge(response.headers.get("www-authenticate", ""))
        if challenge is not None:
            self._challenge = challenge

    async def _ask(self, request: httpx.Request) -> tuple[int, httpx.Headers, bytes]:
        request.headers["Accept-Encoding"] = ENCODINGS
        try:
            async with asyncio.timeout(LONGEST_ANSWER):
                response = await self._send(request)
                try:
                    return response.status_code, response.headers, await read_body(response, GRANT_LIMIT)
                finally:
                    await response.aclose()
        except TimeoutError:
            raise Offline(_too_slow(request.url)) from None
        except httpx.RequestError as error:
            raise offline(error, request) from None


def _too_slow(url: httpx.URL) -> str:
    return f"{server_of(url)} took too long to answer the sign-in. Try again."


def _sign(request: httpx.Request, held: StoredCredentials) -> None:
    for name in ("Authorization", "Cookie"):
        request.headers.pop(name, None)
    name, value = held.header()
    request.headers[name] = value


def _origin_of(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode('ascii', 'replace')}"


def _is_same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    return (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port)
