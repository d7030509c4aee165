"""Server-sent events of a response."""

from collections.abc import AsyncIterator
from typing import Any, NamedTuple

import orjson

from backlit.model.errors import ServiceError

EVENT_STREAM = "text/event-stream"
LONGEST_EVENT = 1024 * 1024
"""Bytes after which an event counts as endless."""


class NoEventStream(ServiceError):
    """An answer that is no stream of events, as of a proxy that passes none on."""


class ServerEvent(NamedTuple):
    """An event with its object, and the cursor with which to go on after it."""

    name: str
    data: dict[str, Any]
    cursor: str | None


async def events_in(parts: AsyncIterator[bytes], label: str) -> AsyncIterator[ServerEvent]:
    """Yield the events of a stream; raise NoEventStream for what is none. `label` names the stream in a sentence."""
    waiting = b""
    async for part in parts:
        waiting += part
        *texts, waiting = waiting.split(b"\n\n")
        for text in texts:
            event = _event(text)
            if event is None:
                raise NoEventStream(f"{label} is no stream of events.")
            yield event
        if len(waiting) > LONGEST_EVENT:
            raise ServiceError(f"{label} has an event without end.")


def _event(text: bytes) -> ServerEvent | None:
    fields = {name: value for name, _, value in (line.partition(b": ") for line in text.split(b"\n"))}
    try:
        data = orjson.loads(fields[b"data"])
        cursor = fields[b"id"].decode() if b"id" in fields else None
        return ServerEvent(fields[b"event"].decode(), data, cursor) if isinstance(data, dict) else None
    except (KeyError, ValueError):
        return None
