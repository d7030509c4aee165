"""Statements of hot paths: compiled once and run by the driver itself, at a fifth of the cost."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, cast

from sqlalchemy import Connection, DateTime, Dialect
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql import Executable
from sqlalchemy.sql.elements import ClauseElement
from sqlalchemy.types import TypeEngine

Arguments = Callable[[Mapping[str, object]], Any]


# SQLAlchemy builds a result object, looks its compiled statement up and converts each column for every execution. Run
# by SQLAlchemy, one item and a page of 100 take 1.6 times the CPU of the service's process, a creation 1.4 times, an
# update 1.2 times (`python -m benchmarks service`, SQLite).


class PreparedStatement:
    """A statement with named values; its results may hold only numbers, texts and bytes.

    Other types would need the result conversions that this class leaves out.
    """

    def __init__(self, statement: Executable) -> None:
        self._statement = statement
        self._known: dict[str, tuple[str, Arguments]] = {}

    def rows(self, connection: Connection, **values: object) -> list[tuple[Any, ...]]:
        return self._run(connection, values, fetches=True)

    def run(self, connection: Connection, **values: object) -> None:
        self._run(connection, values, fetches=False)

    def _run(self, connection: Connection, values: Mapping[str, object], *, fetches: bool) -> list[tuple[Any, ...]]:
        dialect = connection.dialect
        if connection.engine.dispatch.before_cursor_execute:  # only SQLAlchemy's own way calls the listeners
            return self._usual(connection, values, fetches=fetches)
        known = self._known.get(dialect.name)
        if known is None:
            known = self._known[dialect.name] = self._compiled(dialect)
        text, arguments = known
        driver: Any = connection.connection.driver_connection
        try:
            # Documents are bytes, which PostgreSQL's text format doubles in length as hexadecimal digits.
            options = {} if dialect.name == "sqlite" else {"binary": fetches}
            cursor = driver.execute(text, arguments(values), **options)
            return cursor.fetchall() if fetches else []
        except dialect.loaded_dbapi.Error as error:
            raise _translated(connection, text, error) from error

    def _usual(self, connection: Connection, values: Mapping[str, object], *, fetches: bool) -> list[tuple[Any, ...]]:
        result = connection.execute(self._statement, dict(values))
        return [tuple(row) for row in result] if fetches else []

    def _compiled(self, dialect: Dialect) -> tuple[str, Arguments]:
        assert isinstance(self._statement, ClauseElement)
        compiled = self._statement.compile(dialect=dialect)
        order, fixed = getattr(compiled, "positiontup", None), dict(compiled.params)
        writers = {
            name: writer
            for name, bind in getattr(compiled, "binds", {}).items()
            if (writer := _writer(bind.type, dialect)) is not None
        }

        def written(values: Mapping[str, object]) -> dict[str, object]:
            given = {**fixed, **values}
            for name, writer in writers.items():
                given[name] = writer(given[name])
            return given

        if order is None:
            return str(compiled), written
        return str(compiled), lambda values: list(map(written(values).__getitem__, order))


def _writer(kind: TypeEngine[Any], dialect: Dialect) -> Callable[[Any], object] | None:
    """Return what writes a value for the driver; None for values that it takes as they are."""
    if dialect.name == "sqlite" and isinstance(kind, DateTime):
        return _written_time
    return kind.dialect_impl(dialect).bind_processor(dialect)


# SQLAlchemy's writer makes the same text in four times the time, and a new item has four of them.
def _written_time(value: datetime | None) -> str | None:
    return None if value is None else value.isoformat(" ", "microseconds")


# SQLAlchemy's `exec_driver_sql` instead makes one item take 1.9 times the CPU: it begins each quick read.
def driver_sql(connection: Connection, text: str) -> None:
    """Run a statement without values through the driver."""
    driver: Any = connection.connection.driver_connection
    try:
        driver.execute(text)
    except cast("Any", connection.dialect).loaded_dbapi.Error as error:
        raise _translated(connection, text, error) from error


def _translated(connection: Connection, statement: str, error: Exception) -> BaseException:
    """Return the error as the engine raises it; a connection that broke is given up.

    The statement is not run again: the error may have ended the transaction.
    """
    dialect: Any = connection.dialect
    is_cut_off = dialect.is_disconnect(error, connection.connection.driver_connection, None)
    base = dialect.loaded_dbapi.Error
    made = DBAPIError.instance(
        statement, None, error, base, hide_parameters=True, connection_invalidated=is_cut_off, dialect=dialect
    )
    # Otherwise the worker would keep the broken connection and fail every later job on it; SQLAlchemy makes a new one
    # now.
    if is_cut_off:
        connection.invalidate(made)
    return made
