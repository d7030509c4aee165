"""Servers that are not ours, scripted: what they answer is the point of a test, and what they were asked is kept."""

from collections.abc import AsyncIterator, Callable, Iterable
from pathlib import Path

import httpx

from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.wrap import TokenGrant

BASE = "https://tracker.example"
CHALLENGE = f'WRAP location="{BASE}/Authenticate/WRAPv0.9", client_id=uri:tracker'

PACING = RetryPolicy(first_pause=0.001)

Reply = httpx.Response | Exception | Callable[[httpx.Request], httpx.Response]


class Foreign(httpx.AsyncBaseTransport):
    """Gives its replies in turn, the last one for ever."""

    def __init__(self, *replies: Reply) -> None:
        self.replies = list(replies)
        self.requests: list[httpx.Request] = []

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        await request.aread()
        self.requests.append(request)
        reply = self.replies.pop(0) if len(self.replies) > 1 else self.replies[0]
        if isinstance(reply, Exception):
            raise reply
        return reply(request) if callable(reply) else copy_of(reply)

    def client(self, folder: Path, signed_in: bool = True) -> Client:
        cache = TokenCache(folder / "tokens.json", BASE)
        if signed_in:
            cache.save(TokenGrant("name=maya&HMACSHA256=abc%3D", "refresh-1", 3600))
        return Client.at(BASE, cache, PACING, self)


class Parts(httpx.AsyncByteStream):
    """A body in parts; one of them may be the error that ends it."""

    def __init__(self, parts: Iterable[bytes | Exception]) -> None:
        self._parts = tuple(parts)

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for part in self._parts:
            if isinstance(part, Exception):
                raise part
            yield part


def copy_of(reply: httpx.Response) -> httpx.Response:
    """A fresh response, as a read one cannot be given twice; a streamed one is handed out as it is."""
    if isinstance(reply.stream, httpx.ByteStream):
        return httpx.Response(reply.status_code, headers=reply.headers, stream=httpx.ByteStream(b"".join(reply.stream)))
    return httpx.Response(reply.status_code, headers=reply.headers, stream=reply.stream)


def answer(status: int = 200, body: bytes | str = b"", **headers: str) -> httpx.Response:
    """A reply as it travels: the body is not decoded on the way in, whatever its headers say."""
    content = body.encode() if isinstance(body, str) else body
    named = [(name.replace("_", "-"), value) for name, value in headers.items()]
    return httpx.Response(status, headers=named, stream=httpx.ByteStream(content))


def empty_page() -> httpx.Response:
    return answer(200, '{"totalResults": 0, "top": 0, "results": []}')
