"""Access tokens: signing keys that rotate, and finding out who is asking (SPEC 5; DECISIONS "Tokens and login")."""

import secrets
import time
from collections import OrderedDict
from datetime import datetime, timedelta

from sqlalchemy import Connection

from backlit.model.errors import Unauthorized
from backlit.model.wrap import AccessToken, sign, tokens_in_header, verify
from backlit.service.access import Caller
from backlit.service.settings import ServiceSettings
from backlit.service.tables import tokens, users
from backlit.service.tables.users import Account

LIFETIME = 3600
"""Seconds that an access token is good for."""
KEY_AGE = timedelta(days=30)
REMEMBERED = 1024
"""Most headers whose token need not be verified anew."""


class Tokens:
    """Makes and checks the access tokens of one service."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._settings = settings
        self._known: OrderedDict[str, AccessToken] = OrderedDict()

    def issue(self, connection: Connection, account: Account, now: datetime) -> str:
        """Sign an access token; in a writing transaction, as it may be time for a new key."""
        keys = tokens.keys(connection)
        if not keys or keys[0].created_at < now - KEY_AGE:
            secret = secrets.token_bytes(32)
            tokens.add_key(connection, secret, now)
        else:
            secret = keys[0].secret
        name = self._settings.name
        claims = AccessToken(
            name=account.name,
            email=account.email,
            identifier=str(account.id),
            identity_provider=name,
            token_id=secrets.token_urlsafe(16),
            issuer=self._settings.client_id,
            audience=self._settings.client_id,
            expires_on=int(time.time()) + LIFETIME,
        )
        return sign(claims, secret)

    def caller(self, connection: Connection, header: str | None) -> Caller:
        """Find who sent an Authorization header; raises Unauthorized."""
        if not header:
            raise Unauthorized("Sign in: the request has no access token.")
        claims = self._claims(connection, header)
        found = users.caller(connection, int(claims.identifier)) if claims.identifier.isascii() else None
        if found is None:
            raise Unauthorized("The user of this access token may no longer sign in.")
        return found

    def _claims(self, connection: Connection, header: str) -> AccessToken:
        claims = self._known.get(header)
        if claims is None:
            claims = self._verified(connection, header)
            self._known[header] = claims
            while len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        if claims.expires_on <= time.time():
            self._known.pop(header, None)
            raise Unauthorized("The access token has expired.")
        return claims

    def _verified(self, connection: Connection, header: str) -> AccessToken:
        keys = [key.secret for key in tokens.keys(connection)]
        refusal = Unauthorized("The Authorization header has no WRAP access token.")
        for text in tokens_in_header(header):
            try:
                return verify(text, keys, self._settings.client_id, time.time())
            except Unauthorized as error:
                refusal = error
        raise refusal
