"""Signing keys of access tokens."""

import secrets

from sqlalchemy import Connection

from backlit.service.storage.stamps import clock_of
from backlit.service.tables import tokens
from backlit.service.tables.locks import Lock, hold


def rotate(connection: Connection, *, forget: bool = False) -> None:
    """Create a new current key; `forget` also revokes the previous one, for example after a leak."""
    hold(connection, Lock.KEYS)
    for _ in range(2 if forget else 1):
        tokens.add_key(connection, secrets.token_bytes(32), clock_of(connection).now())
