"""Access tokens: signing keys that rotate, and finding out who is asking."""

import secrets
import time
from collections import OrderedDict
from datetime import datetime, timedelta

from sqlalchemy import Connection
from starlette.requests import Request

from backlit.model.errors import Unauthorized
from backlit.model.wrap import AccessToken, sign, tokens_in_header, verify
from backlit.service.auth.sessions import COOKIE, SAFE_METHODS, must_come_from_here
from backlit.service.storage.access import Caller
from backlit.service.storage.clock import Clock
from backlit.service.storage.dialects import Lock, hold
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import sign_ins, users
from backlit.service.tables.users import Account

LIFETIME = 3600
"""Seconds that an access token is good for."""
KEY_AGE = timedelta(days=30)
REMEMBERED = 1024
"""Most headers whose token need not be verified anew."""
RECHECK = 60.0
"""Seconds after which it is verified anew all the same, as keys may have been changed."""


class Tokens:
    """Makes and checks the access tokens of one service, and reads its login cookie."""

    def __init__(self, settings: ServiceSettings, clock: Clock) -> None:
        self._settings = settings
        self._clock = clock
        self._known: OrderedDict[str, tuple[AccessToken, float]] = OrderedDict()

    def issue(self, connection: Connection, account: Account, family_id: int, now: datetime) -> str:
        """Sign an access token that ends with its family; in a writing transaction: a new key may be due."""
        name = self._settings.name
        claims = AccessToken(
            name=account.name,
            email=account.email,
            identifier=str(account.id),
            identity_provider=name,
            token_id=f"{family_id}.{secrets.token_urlsafe(16)}",
            issuer=self._settings.client_id,
            audience=self._settings.client_id,
            expires_on=int(time.time()) + LIFETIME,
        )
        return sign(claims, _signing_key(connection, now))

    def caller(self, connection: Connection, request: Request) -> Caller:
        """Find who sent a request, by its access token or else its login cookie; raises Unauthorized.

        Forbidden where a page of another site made the browser send the cookie with a change.
        """
        header, cookie = request.headers.get("authorization", ""), request.cookies.get(COOKIE)
        if cookie and not tokens_in_header(header):
            found = users.caller_of_session(connection, cookie, self._clock.now())
            if found is None:
                raise Unauthorized("Your session has ended. Sign in again.")
            if request.method not in SAFE_METHODS:
                must_come_from_here(request)
            return found
        return self._caller_of_token(connection, header)

    def _caller_of_token(self, connection: Connection, header: str) -> Caller:
        if not header:
            raise Unauthorized("Sign in: the request has no access token.")
        claims = self._claims(connection, header)
        user_id, family_id = claims.identifier, claims.token_id.partition(".")[0]
        is_ours = user_id.isdecimal() and family_id.isdecimal()
        found = users.caller(connection, int(user_id), int(family_id)) if is_ours else None
        if found is None:
            raise Unauthorized("This sign-in has ended. Sign in again.")
        return found

    def _claims(self, connection: Connection, header: str) -> AccessToken:
        now = time.time()
        claims, checked_at = self._known.get(header, (None, 0.0))
        if claims is None or checked_at < now - RECHECK:
            claims = self._verified(connection, header)
            self._known[header] = claims, now
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        if claims.expires_on <= now:
            self._known.pop(header, None)
            raise Unauthorized("The access token has expired.")
        return claims

    def _verified(self, connection: Connection, header: str) -> AccessToken:
        keys = [key.secret for key in sign_ins.keys(connection)]
        refusal = Unauthorized("The Authorization header has no WRAP access token.")
        for text in tokens_in_header(header):
            try:
                return verify(text, keys, self._settings.client_id, time.time())
            except Unauthorized as error:
                refusal = error
        raise refusal


def _signing_key(connection: Connection, now: datetime) -> bytes:
    """Return the current key; replace an old one first, once for all processes."""
    keys = sign_ins.keys(connection)
    if not keys or keys[0].created_at < now - KEY_AGE:
        hold(connection, Lock.KEYS)
        keys = sign_ins.keys(connection)
        if not keys or keys[0].created_at < now - KEY_AGE:
            sign_ins.add_key(connection, secrets.token_bytes(32), now)
            keys = sign_ins.keys(connection)
    return keys[0].secret
