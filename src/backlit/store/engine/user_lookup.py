"""The lookup of users that no list names."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceError, ServiceRefused, SignInNeeded, TransientError
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.records.item import Document
from backlit.store.records.people import LOOKED_UP_USER
from backlit.store.remote.reachability import SHUTS

if TYPE_CHECKING:
    from backlit.client.client import Client


class UserLookup:
    """The lookup of unlisted users, once each, on the engine's thread.

    The mirror stores the result, even an empty one.
    """

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files
        self._wanted: dict[int, None] = {}
        self._due = asyncio.Event()

    def want(self, user_id: int) -> None:
        self._wanted[user_id] = None
        self._due.set()

    def go_on(self) -> None:
        if self._wanted:
            self._due.set()

    async def run(self, ready: Callable[[], Awaitable[None]]) -> None:
        """Look up the requested users until cancelled. An error ends the current batch."""
        while True:
            await self._due.wait()
            self._due.clear()
            await ready()
            while self._wanted:
                user_id = next(iter(self._wanted))
                try:
                    await self._meet(user_id)
                except (TransientError, SignInNeeded):
                    break
                self._wanted.pop(user_id, None)

    async def load_users(self, user_ids: Iterable[int]) -> None:
        for user_id in user_ids:
            await self._meet(user_id)

    async def _meet(self, user_id: int) -> None:
        document = await self._asked(user_id)

        def act(writer: WriteContext) -> None:
            writer.mirror.put_resource(LOOKED_UP_USER, 0, document)
            writer.signal.publish(StoreChange(Subject.PEOPLE))

        await self._files.write(act)

    async def _asked(self, user_id: int) -> Document:
        """Return the user's document, with only the id for an unknown user."""
        nobody: Document = {"id": user_id}
        try:
            return await self._client.users.get(user_id)
        except ServiceRefused:
            return nobody
        except ServiceError as error:
            if isinstance(error, SHUTS):
                raise
            return nobody
