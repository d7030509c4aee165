"""The job that removes changes which projects do not keep."""

import asyncio
import logging

from sqlalchemy.exc import DBAPIError

from backlit.model.errors import TransientError
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import Database
from backlit.service.tables.trimming import remove_unused_texts, trim

_log = logging.getLogger(__name__)
FIRST_TRIM_AFTER, TRIM_EVERY = 300.0, 3600.0
"""Seconds from the start to the first look, and between two."""
TRIM_PAUSE = 0.5
"""Seconds between two transactions, and before the next look at writes that wait."""


async def trim_regularly(database: Database, clock: Clock) -> None:
    """Remove changes every hour, some rows at a time, and only while no write waits."""
    await asyncio.sleep(FIRST_TRIM_AFTER)
    while True:
        try:
            removed = await trim_all(database, clock)
        except (DBAPIError, TransientError) as error:
            _log.warning("Old changes could not be removed: %s", error)
        else:
            if removed:
                _log.info("Removed %s old changes.", removed)
        await asyncio.sleep(TRIM_EVERY)


async def trim_all(database: Database, clock: Clock) -> int:
    """Remove all changes that are not kept any longer, and the texts that only these had; return their number."""
    removed = 0
    while True:
        while not database.write.is_idle:  # noqa: ASYNC110 - the queue has no event for it
            await asyncio.sleep(TRIM_PAUSE)
        some = await database.write.run(lambda connection: trim(connection, clock.now()))
        if not some:
            break
        removed += some
        await asyncio.sleep(TRIM_PAUSE)
    if removed:
        await database.write.run(remove_unused_texts)
    return removed
