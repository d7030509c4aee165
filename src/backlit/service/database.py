"""Engines, connections and the three lanes on which the service reads and writes."""

import math
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson
from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import DatabaseError
from sqlalchemy.pool import NullPool

from backlit.model.errors import StorageError
from backlit.service.lanes import Lane
from backlit.service.migrations import migrate

SLOW_QUERY_LIMIT = 10.0
"""Seconds after which a query is refused."""
BATCH = 64
"""Most writes that share one commit."""


class Database:
    """The database of one service: a fast and a slow reader thread, and the one thread that writes."""

    def __init__(self, url: str) -> None:
        self._url = make_url(url)
        self._engines: tuple[Engine, ...] = ()
        self.fast: Lane
        self.slow: Lane
        self.write: Lane

    def open(self) -> None:
        """Create or upgrade the tables and start the threads; raises StorageError."""
        reading, writing = engine_at(self._url.render_as_string(hide_password=False)), writing_engine(self._url)
        self._engines = (reading, writing)
        try:
            with writing.connect() as connection, connection.begin():
                migrate(connection)
        except DatabaseError as error:
            raise StorageError(f"The database {self._url.database} cannot be used: {error.orig}.") from error
        self.fast = Lane(reading, "fast", time_limit=SLOW_QUERY_LIMIT)
        self.slow = Lane(reading, "slow", time_limit=SLOW_QUERY_LIMIT)
        self.write = Lane(writing, "write", batch=BATCH)

    def close(self) -> None:
        """Finish queued work and release threads and files."""
        for lane in (self.fast, self.slow, self.write):
            lane.close()
        for engine in self._engines:
            engine.dispose()


def engine_at(url: str, begin: str = "BEGIN") -> Engine:
    """An engine whose every connection is set up as the service needs it; one connection per caller."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        Path(parsed.database).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(parsed, poolclass=NullPool, json_serializer=_dumps, json_deserializer=orjson.loads)
    if engine.dialect.name == "sqlite":
        event.listen(engine, "connect", _set_up_sqlite)
        event.listen(engine, "begin", _begin_with(begin))
    return engine


def writing_engine(url: Any) -> Engine:
    """An engine whose transactions take the write lock at once, so that none fails half-way."""
    return engine_at(make_url(url).render_as_string(hide_password=False), "BEGIN IMMEDIATE")


def _dumps(value: object) -> str:
    return orjson.dumps(value).decode()


def _begin_with(statement: str) -> Callable[[Connection], None]:
    def begin(connection: Connection) -> None:
        connection.connection.cursor().execute(statement)  # at half the cost of the engine's own way

    return begin


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by the engine's own event
    for pragma in (
        "journal_mode=WAL",
        "synchronous=FULL",
        "foreign_keys=ON",
        "busy_timeout=10000",
        "cache_size=-8192",
    ):
        connection.execute(f"PRAGMA {pragma}")
    for name, function in _FUNCTIONS.items():
        connection.create_function(name, 1, function, deterministic=True)


def _of_text(function: Callable[[str], str]) -> Callable[[object], str | None]:
    return lambda value: function(value) if isinstance(value, str) else None


def _of_number(function: Callable[[float], float]) -> Callable[[object], float | None]:
    return lambda value: float(function(value)) if isinstance(value, int | float) else None


_FUNCTIONS: dict[str, Callable[[object], str | float | None]] = {
    # SQLite's own fold ASCII only, or may be left out of a build; these do as the model's `matches` does.
    "backlit_lower": _of_text(str.lower),
    "backlit_upper": _of_text(str.upper),
    "backlit_round": _of_number(lambda number: math.copysign(math.floor(abs(number) + 0.5), number)),
    "backlit_floor": _of_number(math.floor),
    "backlit_ceiling": _of_number(math.ceil),
}
