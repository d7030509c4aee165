"""The newest stamps that are stored, which the service's clock never falls behind."""

from collections.abc import Collection
from datetime import datetime

from sqlalchemy import Connection, Table, func, select, text

from backlit.service.storage.prepared_statements import Prepared
from backlit.service.storage.schema import METADATA, work_items
from backlit.service.storage.settings import Clock

STAMPED = tuple(table for table in METADATA.sorted_tables if "last_modified_at" in table.c)
"""Tables whose rows say when they were changed."""
MOMENT = "SELECT timezone('UTC', clock_timestamp())"
"""The time of a PostgreSQL server."""

_NEWEST_ITEM = Prepared(select(func.max(work_items.c.last_modified_at)))


def keep_ahead(clock: Clock, connection: Connection, tables: Collection[Table] = STAMPED) -> None:
    """Set a clock to the newest stamp of some tables; reads all of a table that has no index by stamp."""
    for table in tables:
        newest = connection.execute(select(func.max(table.c.last_modified_at))).scalar_one()
        if newest is not None:
            clock.keep_ahead_of(newest)


def keep_ahead_of_items(clock: Clock, connection: Connection) -> None:
    """Set a clock to the newest stamp of a work item, by index."""
    ((newest,),) = _NEWEST_ITEM.rows(connection)
    if newest is not None:
        clock.keep_ahead_of(datetime.fromisoformat(newest) if isinstance(newest, str) else newest)


def clock_of(connection: Connection, tables: Collection[Table] = STAMPED) -> Clock:
    """Make a clock for writing beside a service that may be running on the database."""
    clock = Clock()
    if connection.dialect.name == "postgresql":
        clock.follow(connection.execute(text(MOMENT)).scalar_one())
    keep_ahead(clock, connection, tables)
    return clock
