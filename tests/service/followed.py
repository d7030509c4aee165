"""A follower of the stream of changes: its connection, and the events that it gets."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, NamedTuple

import httpx
import orjson

from backlit.client.transport import InProcessTransport
from backlit.service.app import Service

PATIENCE = 20.0
"""Seconds after which an event counts as lost."""


class Event(NamedTuple):
    """An event of the stream."""

    name: str
    data: dict[str, Any]
    cursor: str | None


class Follower:
    """The reader of one stream, event by event."""

    def __init__(self, answer: httpx.Response) -> None:
        self.answer = answer
        self._lines = answer.aiter_lines()

    async def next(self, name: str | None = None) -> Event:
        """Return the next event, or the next of a name; raise StopAsyncIteration at the end of the stream."""
        async with asyncio.timeout(PATIENCE):
            while True:
                event = await self._event()
                if name in (None, event.name):
                    return event

    async def rest(self) -> list[Event]:
        """Return the events until the end of the stream."""
        events = []
        try:
            while True:
                events.append(await self.next())
        except StopAsyncIteration:
            return events

    async def _event(self) -> Event:
        fields: dict[str, str] = {}
        while line := await anext(self._lines):
            key, _, value = line.partition(": ")
            fields[key] = value
        return Event(fields["event"], orjson.loads(fields["data"]), fields.get("id"))


@asynccontextmanager
async def following(
    service: Service, client: httpx.AsyncClient, cursor: str | None = None, **query: Any
) -> AsyncIterator[Follower]:
    """Follow the changes as the person of a client."""
    headers = {**client.headers, **({"last-event-id": cursor} if cursor else {})}
    transport = InProcessTransport(service.asgi)
    async with (
        httpx.AsyncClient(transport=transport, base_url=client.base_url, headers=headers) as other,
        other.stream("GET", "changes/stream", params=query) as answer,
    ):
        yield Follower(answer)
