"""The numbered steps that bring an older database to the tables of `schema`."""

from collections.abc import Callable

from sqlalchemy import Connection, insert, inspect, select, update

from backlit.model.errors import StorageError
from backlit.service.schema import METADATA, schema_version

Step = Callable[[Connection], None]

STEPS: tuple[Step, ...] = ()
"""Step n brings version n to n + 1; a fresh database gets today's tables at once."""

VERSION = len(STEPS) + 1


def migrate(connection: Connection) -> None:
    """Create or upgrade the tables in the caller's transaction; raises StorageError on a newer database."""
    if not inspect(connection).has_table(schema_version.name):
        METADATA.create_all(connection)
        connection.execute(insert(schema_version).values(version=VERSION))
        return
    version = connection.execute(select(schema_version.c.version)).scalar_one()
    if version > VERSION:
        raise StorageError(
            f"The database was written by a newer backlit (its schema is {version}; this one knows {VERSION})."
            " Upgrade backlit."
        )
    for step in STEPS[version - 1 :]:
        step(connection)
    if version < VERSION:
        connection.execute(update(schema_version).values(version=VERSION))
