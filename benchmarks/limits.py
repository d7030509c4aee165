"""What the database's driver alone needs for the work of a request: no HTTP, token, access or checks."""

import time
from collections.abc import Callable
from contextlib import closing

import orjson
from sqlalchemy import ColumnElement, Engine, delete, insert, literal, select, update

from backlit.service.storage.database import engine_at, writing_engine
from backlit.service.storage.schema import work_items

ORDER = (work_items.c.backlog_priority, work_items.c.id)
SECONDS = 1.0
LITERAL = {"literal_binds": True}
RAW = "written without the service"


def timed(act: Callable[[], object]) -> float:
    """CPU milliseconds of one call in this process, over as many as fit."""
    act()
    count, began, until = 0, time.process_time(), time.perf_counter() + SECONDS
    while time.perf_counter() < until:
        act()
        count += 1
    return (time.process_time() - began) / count * 1e3


def reading(database: str, where: tuple[ColumnElement[bool], ...], limit: int) -> tuple[float, float]:
    """Of a page: reading and joining the rendered documents; reading all columns and writing JSON (R0)."""
    engine = engine_at(database)
    columns = [column for column in work_items.c if column.name != "doc"]
    names = [str(column.name) for column in columns]
    page, whole = (
        str(query.where(*where).order_by(*ORDER).limit(limit).compile(engine, compile_kwargs=LITERAL))
        for query in (select(work_items.c.doc), select(*columns))
    )
    with closing(engine.raw_connection()) as raw:
        cursor = raw.cursor()

        def join() -> bytes:
            cursor.execute(page)
            return b",".join(row[0] for row in cursor.fetchall())

        def encode() -> bytes:
            cursor.execute(whole)
            return orjson.dumps([dict(zip(names, row, strict=True)) for row in cursor.fetchall()])

        figures = timed(join), timed(encode)
    engine.dispose()
    return figures


def updating(database: str, item_id: int) -> float:
    """Of a change: one UPDATE of name and document by id, and its commit."""
    row = work_items.c.id == item_id
    statement = update(work_items).where(row).values(name=work_items.c.name, doc=work_items.c.doc)
    return _writing(database, lambda engine: str(statement.compile(engine, compile_kwargs=LITERAL)))


def creating(database: str, item_id: int) -> float:
    """Of a new item: one INSERT of a copy, and its commit; the copies are deleted again."""
    columns = [column for column in work_items.c if column.name not in {"id", "name"}]
    copy = select(*columns, literal(RAW)).where(work_items.c.id == item_id)
    statement = insert(work_items).from_select([*columns, work_items.c.name], copy)
    figure = _writing(database, lambda engine: str(statement.compile(engine, compile_kwargs=LITERAL)))
    engine = writing_engine(database)
    with engine.begin() as connection:
        connection.execute(delete(work_items).where(work_items.c.name == RAW))
    engine.dispose()
    return figure


def _writing(database: str, text: Callable[[Engine], str]) -> float:
    engine = writing_engine(database)
    with closing(engine.raw_connection()) as raw:
        cursor, statement = raw.cursor(), text(engine)

        def write() -> None:
            cursor.execute("BEGIN IMMEDIATE" if engine.dialect.name == "sqlite" else "SELECT 1")
            cursor.execute(statement)
            raw.commit()

        figure = timed(write)
    engine.dispose()
    return figure
