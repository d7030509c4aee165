"""Server-sent events: read whole however they arrive, and refused where they are none."""

from collections.abc import AsyncIterator

import pytest

from backlit.client.events import LONGEST_EVENT, NoEventStream, ServerEvent, events_in
from backlit.model.errors import ServiceError

STREAM = b'retry: 2000\nid: 5.abc\nevent: hello\ndata: {"revision":5}\n\nevent: bye\ndata: {"reason":"stop"}\n\n'


async def parts(*texts: bytes) -> AsyncIterator[bytes]:
    for text in texts:
        yield text


async def read(*texts: bytes) -> list[ServerEvent]:
    return [event async for event in events_in(parts(*texts), "The stream")]


@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_events_are_read_however_they_are_cut(size: int) -> None:
    found = await read(*(STREAM[at : at + size] for at in range(0, len(STREAM), size)))

    assert found == [
        ServerEvent("hello", {"revision": 5}, "5.abc"),
        ServerEvent("bye", {"reason": "stop"}, None),
    ]


@pytest.mark.parametrize("text", [b"<p>Hello</p>\n\n", b"event: x\ndata: [1]\n\n", b"event: x\ndata: {\n\n"])
async def test_what_is_no_event_is_refused(text: bytes) -> None:
    with pytest.raises(NoEventStream, match="The stream is no stream of events"):
        await read(text)


async def test_an_event_without_end_is_refused() -> None:
    with pytest.raises(ServiceError, match="event without end"):
        await read(b"data: " + b"x" * LONGEST_EVENT)
