"""Many people with many streams over real connections."""

import asyncio
from collections.abc import Sequence
from typing import Self
from urllib.parse import urlsplit

from sqlalchemy import insert

from backlit.model.resources import User
from backlit.model.wrap import authorization_header
from backlit.service.admin.workspace import writing
from backlit.service.auth.callers import TokenIssuer
from backlit.service.storage.clock import Clock
from backlit.service.storage.schema import grants
from backlit.service.storage.settings import ServiceSettings
from backlit.service.tables import sign_ins, users
from backlit.service.tables.changes import Stamp

STREAMS_PER_USER = 8


def sign_in_crowd(settings: ServiceSettings, count: int) -> list[str]:
    """Make so many users of the first project, and return the Authorization header of each."""
    clock = Clock()
    tokens, now = TokenIssuer(settings, clock), clock.now()
    headers = []
    with writing(settings) as connection:
        for number in range(count):
            user = User(id=0, name=f"crowd{number}", first_name="x", last_name="x", display_name="x", email="")
            user_id = users.add(connection, user, Stamp(None, "admin", now))
            connection.execute(insert(grants).values(user_id=user_id, project_id=1, role="contributor"))
            account = users.account_by_id(connection, user_id)
            assert account is not None
            token = tokens.issue(connection, account, sign_ins.add_family(connection, user_id), now)
            headers.append(authorization_header(token))
    return headers


class Crowd:
    """Open streams of a server at an address, a connection each."""

    def __init__(self, base: str, headers: Sequence[str]) -> None:
        self._address = urlsplit(base)
        self._headers = headers
        self.streams: list[tuple[asyncio.StreamReader, asyncio.StreamWriter]] = []

    async def __aenter__(self) -> Self:
        for header in self._headers:
            await asyncio.gather(*(self._open(header) for _ in range(STREAMS_PER_USER)))
        return self

    async def __aexit__(self, *_: object) -> None:
        for stream in self.streams:
            stream[1].close()

    async def until_all(self, line: bytes) -> int:
        """Read each stream to a line; return how many there are."""
        await asyncio.gather(*(self._until(reader, line) for reader, _ in self.streams))
        return len(self.streams)

    async def _open(self, header: str) -> None:
        reader, writer = await asyncio.open_connection(self._address.hostname, self._address.port)
        head = f"GET /api/v1/changes/stream HTTP/1.1\r\nHost: {self._address.netloc}\r\nAuthorization: {header}\r\n\r\n"
        writer.write(head.encode())
        await self._until(reader, b"event: hello")
        self.streams.append((reader, writer))

    @staticmethod
    async def _until(reader: asyncio.StreamReader, line: bytes) -> None:
        while True:
            read = await reader.readline()
            assert read, "the stream ended"
            if read.strip() == line:
                return
