"""The keys that sign access tokens."""

import secrets

from sqlalchemy import Connection

from backlit.service.settings import Clock
from backlit.service.tables import tokens
from backlit.service.tables.locks import Lock, hold


def rotate(connection: Connection, *, forget: bool = False) -> None:
    """Make a new key the current one; `forget` drops the one before it too, as it may have leaked."""
    hold(connection, Lock.KEYS)
    for _ in range(2 if forget else 1):
        tokens.add_key(connection, secrets.token_bytes(32), Clock().now())
