"""Locks that several processes on one PostgreSQL share; SQLite has one writer anyway."""

from enum import IntEnum

from sqlalchemy import Connection, func, select


class Lock(IntEnum):
    """Names of locks; the numbers are PostgreSQL advisory lock ids."""

    ATTEMPTS = 8_484_001
    KEYS = 8_484_002


def hold(connection: Connection, lock: Lock) -> None:
    """Wait for a lock and keep it until the transaction ends."""
    if connection.dialect.name == "postgresql":
        connection.execute(select(func.pg_advisory_xact_lock(int(lock))))
