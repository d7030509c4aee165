"""The meaning of the service's DateTimes, as far as the service announces it."""

import sqlite3
from datetime import tzinfo

import orjson

from backlit.model.local_times import LocalTimes
from backlit.store.mirror.status_groups import CAPABILITIES


def local_times(connection: sqlite3.Connection, zone: tzinfo | None) -> LocalTimes:
    found = connection.execute("SELECT value FROM notes WHERE key = ?", (CAPABILITIES,)).fetchone()
    told = orjson.loads(found[0]) if found else None
    return LocalTimes(zone if isinstance(told, dict) and told.get("dateTimes") == "UTC" else None)
