"""Browser sessions; the cookie's value is random, and only its digest is kept."""

import secrets
from datetime import datetime, timedelta

from sqlalchemy import Connection, delete, insert

from backlit.service.storage.schema import login_sessions
from backlit.service.tables.tokens import digest

LIFETIME = timedelta(hours=12)


def add(connection: Connection, user_id: int, now: datetime) -> str:
    """Begin a session and drop those that have run out; returns the cookie's value, which is kept nowhere."""
    secret = secrets.token_urlsafe(32)
    connection.execute(delete(login_sessions).where(login_sessions.c.expires_at <= now))
    row = {"digest": digest(secret), "user_id": user_id, "expires_at": now + LIFETIME}
    connection.execute(insert(login_sessions).values(row))
    return secret


def remove(connection: Connection, secret: str) -> None:
    """End a session, if there is one."""
    connection.execute(delete(login_sessions).where(login_sessions.c.digest == digest(secret)))
