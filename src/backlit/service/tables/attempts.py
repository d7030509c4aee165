"""Attempts to sign in during the last minute, counted for all processes of the service together."""

import hashlib
from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, func, insert, select

from backlit.model.errors import TooManyRequests
from backlit.service.storage.schema import login_attempts
from backlit.service.tables.locks import Lock, hold

WINDOW = timedelta(seconds=60)


def must_be_few(connection: Connection, names: Sequence[str], most: int, now: datetime) -> None:
    """Refuse more than `most` attempts under any of the names; TooManyRequests has the seconds to wait."""
    hold(connection, Lock.ATTEMPTS)
    connection.execute(delete(login_attempts).where(login_attempts.c.at <= now - WINDOW))
    columns = func.count(), func.min(login_attempts.c.at)
    for name in names:
        count, first = connection.execute(select(*columns).where(login_attempts.c.digest == _digest(name))).one()
        if count >= most:
            wait = max(1.0, (first + WINDOW - now).total_seconds()) if first is not None else 1.0
            raise TooManyRequests("Too many attempts to sign in. Wait a moment and try again.", retry_after=wait)


def add(connection: Connection, names: Sequence[str], now: datetime) -> list[int]:
    """Count one attempt under each name; returns what `forget` takes."""
    one = insert(login_attempts).returning(login_attempts.c.id)
    return [int(connection.execute(one.values(digest=_digest(name), at=now)).scalar_one()) for name in names]


def forget(connection: Connection, attempt_ids: Sequence[int]) -> None:
    """Take back an attempt that succeeded."""
    connection.execute(delete(login_attempts).where(login_attempts.c.id.in_(attempt_ids)))


def _digest(name: str) -> bytes:
    return hashlib.sha256(name.encode()).digest()
