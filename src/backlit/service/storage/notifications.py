"""What processes on one PostgreSQL tell each other: LISTEN and NOTIFY."""

import asyncio
from collections.abc import Callable
from typing import NamedTuple

from sqlalchemy import URL

CHANGES_CHANNEL = "backlit_changes"
"""Told with each commit."""
PRESENCE_CHANNEL = "backlit_presence"
READER_CHANNEL = "backlit_readers"
"""Told when a user has read something."""
_SEPARATOR = ":"
_PAUSES = (0.5, 1.0, 2.0, 5.0, 10.0)
"""Seconds before a broken connection is made again; the last one repeats."""


class Notification(NamedTuple):
    """What another process told."""

    channel: str
    payload: str


def payload_of(origin: str, payload: str) -> str:
    """Return the text of a notification; who listens leaves out what has its own origin."""
    return f"{origin}{_SEPARATOR}{payload}"


def commit_statement(origin: str) -> str:
    # One text and so one round trip; the server sends nothing where the commit fails.
    return f"NOTIFY {CHANGES_CHANNEL}, '{payload_of(origin, '')}'; COMMIT"


async def listen(url: URL, origin: str, receive: Callable[[Notification], None]) -> None:
    """Pass on what other processes tell, on a connection of its own that is made again when it breaks.

    What was told meanwhile is lost, so that each beginning counts as a commit of another process.
    """
    import psycopg

    given, named = url.get_dialect()().create_connect_args(url)
    failures = 0
    while True:
        try:
            async with await psycopg.AsyncConnection.connect(*given, autocommit=True, **named) as connection:
                for channel in (CHANGES_CHANNEL, PRESENCE_CHANNEL, READER_CHANNEL):
                    await connection.execute(f"LISTEN {channel}")
                receive(Notification(CHANGES_CHANNEL, ""))
                failures = 0
                async for notice in connection.notifies():
                    sender, _, payload = notice.payload.partition(_SEPARATOR)
                    if sender != origin:
                        receive(Notification(notice.channel, payload))
        except (psycopg.Error, OSError):
            # Other processes' changes are still seen by the look of each second.
            await asyncio.sleep(_PAUSES[min(failures, len(_PAUSES) - 1)])
            failures += 1
