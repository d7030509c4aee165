"""Sign-in of callers: access tokens with their rotating signing keys, the login cookie, and password hashes."""

import asyncio
import hmac
import secrets
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import cache
from urllib.parse import urlsplit

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from msgspec import Struct
from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response

from backlit.model.errors import Forbidden, TooManyRequests, Unauthorized
from backlit.model.wrap import AccessToken, sign, tokens_in_header, verify
from backlit.service.storage.access import Caller
from backlit.service.storage.bounded_cache import BoundedCache
from backlit.service.storage.clock import Clock
from backlit.service.storage.dialects import Lock, hold_lock
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import sign_ins, users
from backlit.service.tables.sign_ins import SESSION_LIFETIME
from backlit.service.tables.users import Account

LOGIN_COOKIE = ".ASPXAUTH"
FORM_COOKIE = "backlit-form"
FORM_FIELD = "form_token"
SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_OWN_SITES = frozenset({"same-origin", "none"})
_PORTS = {"http": 80, "https": 443}


ACCESS_TOKEN_LIFETIME = 3600
"""Lifetime of an access token in seconds."""
KEY_AGE = timedelta(days=30)
MOST_HEADERS = 1024
"""Maximum number of cached verified headers."""


class _VerifiedToken(Struct, frozen=True):
    """The claims of an access token, and the newest of the keys with which it was verified."""

    claims: AccessToken
    newest_key: int

    def caller(self, connection: Connection) -> Caller | None:
        """Return the user whose sign-in is good; None where it has ended, and where a newer key may end it."""
        if self.claims.expires_on <= time.time():
            raise Unauthorized("The access token has expired.")
        user_id, family_id = self.claims.identifier, self.claims.token_id.partition(".")[0]
        is_ours = user_id.isdecimal() and family_id.isdecimal()
        return users.caller(connection, int(user_id), int(family_id), self.newest_key) if is_ours else None


class TokenIssuer:
    """Issue and verification of one service's access tokens, and reading of its login cookie."""

    def __init__(self, settings: ServiceSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._known: BoundedCache[str, _VerifiedToken] = BoundedCache(MOST_HEADERS)

    def issue(self, connection: Connection, account: Account, family_id: int, now: datetime) -> str:
        """Sign an access token of a family; in a writing transaction, as a new key may be due."""
        name = self._settings.name
        claims = AccessToken(
            name=account.name,
            email=account.email,
            identifier=str(account.id),
            identity_provider=name,
            # The id begins with its family, so that a sign-out ends access tokens at once and not after their hour.
            token_id=f"{family_id}.{secrets.token_urlsafe(16)}",
            issuer=self._settings.client_id,
            audience=self._settings.client_id,
            expires_on=int(time.time()) + ACCESS_TOKEN_LIFETIME,
        )
        return sign(claims, _signing_key(connection, now))

    def caller(self, connection: Connection, request: Request) -> Caller:
        """Return the sender of a request by access token or login cookie; raise Unauthorized.

        Raises Forbidden if a page of another site made the browser send the cookie with a change.
        """
        header, cookie = request.headers.get("authorization", ""), request.cookies.get(LOGIN_COOKIE)
        if cookie and not tokens_in_header(header):
            found = users.caller_of_session(connection, cookie, self._clock.now())
            if found is None:
                raise Unauthorized("Your session has ended. Sign in again.")
            if request.method not in SAFE_METHODS:
                must_come_from_here(request)
            return found
        return self._caller_of_token(connection, header)

    def ends_at(self, connection: Connection, request: Request) -> float | None:
        """Return when the access token of a request that was let in expires, in seconds; None for a cookie."""
        header = request.headers.get("authorization", "")
        if not tokens_in_header(header):
            return None
        known = self._known.get(header) or self._verified(connection, header)
        return known.claims.expires_on

    def _caller_of_token(self, connection: Connection, header: str) -> Caller:
        if not header:
            raise Unauthorized("Sign in: the request has no access token.")
        known = self._known.get(header)
        found = None if known is None else known.caller(connection)
        if found is None:  # the header is new, there is a newer key, or the sign-in has ended
            known = self._known.put(header, self._verified(connection, header))
            found = known.caller(connection)
        if found is None:
            raise Unauthorized("This sign-in has ended. Sign in again.")
        return found

    def _verified(self, connection: Connection, header: str) -> "_VerifiedToken":
        keys = sign_ins.keys(connection)
        newest, secrets_of_keys = max((key.id for key in keys), default=0), [key.secret for key in keys]
        refusal = Unauthorized("The Authorization header has no WRAP access token.")
        for text in tokens_in_header(header):
            try:
                return _VerifiedToken(verify(text, secrets_of_keys, self._settings.client_id, time.time()), newest)
            except Unauthorized as error:
                refusal = error
        raise refusal


def _signing_key(connection: Connection, now: datetime) -> bytes:
    """Return the current key; replace an old one first, once for all processes."""
    keys = sign_ins.keys(connection)
    if not keys or keys[0].created_at < now - KEY_AGE:
        hold_lock(connection, Lock.KEYS)
        keys = sign_ins.keys(connection)
        if not keys or keys[0].created_at < now - KEY_AGE:
            sign_ins.add_key(connection, secrets.token_bytes(32), now)
            keys = sign_ins.keys(connection)
    return keys[0].secret


def must_come_from_here(request: Request) -> None:
    """Raise Forbidden for a request that a page of another site made a browser send.

    A browser names the origin of a request. A program that names none is no browser, and does not send a cookie
    unawares.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    is_own = site in _OWN_SITES if site is not None else origin is None or _is_origin_of(request, origin)
    if not is_own:
        raise Forbidden("The request comes from a page of another site.")


def _is_origin_of(request: Request, origin: str) -> bool:
    try:
        given, own = urlsplit(origin), urlsplit(str(request.base_url))
        return _origin(given.scheme, given.hostname, given.port) == _origin(own.scheme, own.hostname, own.port)
    except ValueError:
        return False


def _origin(scheme: str, host: str | None, port: int | None) -> tuple[str, str | None, int | None]:
    return scheme, host, port or _PORTS.get(scheme)


def form_token(secret: str) -> str:
    """Return the form token that proves that the page was made for the holder of a cookie."""
    return hmac.new(secret.encode(), b"form", "sha256").hexdigest()


def has_form_token(form: Mapping[str, str], secret: str | None) -> bool:
    given = form.get(FORM_FIELD, "")
    return bool(secret) and hmac.compare_digest(given.encode(), form_token(secret or "").encode())


def set_cookie(response: Response, request: Request, secret: str) -> None:
    response.set_cookie(
        LOGIN_COOKIE,
        secret,
        int(SESSION_LIFETIME.total_seconds()),
        httponly=True,
        samesite="lax",
        secure=_is_secure(request),
    )


def set_form_cookie(response: Response, request: Request, secret: str) -> None:
    """Set the cookie that protects the login form before there is a session."""
    response.set_cookie(
        FORM_COOKIE, secret, path="/Authentication", httponly=True, samesite="strict", secure=_is_secure(request)
    )


def drop_cookie(response: Response, request: Request) -> None:
    response.delete_cookie(LOGIN_COOKIE, httponly=True, samesite="lax", secure=_is_secure(request))


def _is_secure(request: Request) -> bool:
    return request.url.scheme == "https"


# A check takes 64 MiB and 0.15 s of a processor, outside of the interpreter's lock. Unbounded, a flood of sign-ins
# would take the machine's memory, and each of the others would wait.
WORKERS = 2
WAITING = 32
"""Maximum number of sign-ins that wait for a worker."""


def hash_password(password: str) -> str:
    return _hasher().hash(password)


# argon2's own parameters take 0.15 s of CPU, scrypt by the same recommendation 0.24.
@cache
def _hasher() -> PasswordHasher:
    return PasswordHasher()


@cache
def _nobodys_hash() -> str:
    return hash_password("the hash that unknown users are checked against")


class Passwords:
    """Pool of threads that verify passwords."""

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="backlit-password")
        # The pool's own queue has no end: 32 waiting sign-ins are 2 s of two workers, about as long as a person waits.
        self._places = threading.BoundedSemaphore(WAITING)

    async def are_right(self, password: str, password_hash: str | None) -> bool:
        """Verify a password, in equal time without a hash; raise TooManyRequests under a flood."""
        if not self._places.acquire(blocking=False):
            raise TooManyRequests("Too many people are signing in at once; try again in a moment.", retry_after=5)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, _is_right, password, password_hash)
        finally:
            self._places.release()

    def close(self) -> None:
        self._pool.shutdown()


def _is_right(password: str, password_hash: str | None) -> bool:
    try:
        # An unknown user costs the same time, else a stopwatch would tell which names exist.
        return _hasher().verify(password_hash or _nobodys_hash(), password) and password_hash is not None
    except (VerificationError, InvalidHashError):
        return False
