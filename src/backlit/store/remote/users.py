"""Lookup of unlicensed users, whom the service does not list, one by one."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceError, ServiceRefused, SignInNeeded, Trouble
from backlit.store.files.files import Files, Writer
from backlit.store.records.changes import Change, Subject
from backlit.store.records.item import Document, whole
from backlit.store.records.people import LOOKED_UP_USER
from backlit.store.remote.reachability import SHUTS

if TYPE_CHECKING:
    from backlit.client.client import Client


class UserLookup:
    """The lookup of unlisted users, once each, on the engine's thread.

    The mirror stores the result, even an empty one.
    """

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files
        self._wanted: dict[int, None] = {}
        self._due = asyncio.Event()

    def want(self, user_id: int) -> None:
        """Request the lookup of a user soon."""
        self._wanted[user_id] = None
        self._due.set()

    def go_on(self) -> None:
        """Repeat the lookups that failed."""
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
                except (Trouble, SignInNeeded):
                    break
                self._wanted.pop(user_id, None)

    async def meet(self, user_ids: Iterable[int]) -> None:
        """Look up some users at once. Raises the error that prevents it."""
        for user_id in user_ids:
            await self._meet(user_id)

    async def _meet(self, user_id: int) -> None:
        document = await self._asked(user_id)

        def act(writer: Writer) -> None:
            writer.mirror.put_resource(LOOKED_UP_USER, 0, document)
            writer.signal.publish(Change(Subject.PEOPLE))

        await self._files.write(act)

    async def _asked(self, user_id: int) -> Document:
        """Return the user's document, with only the id for an unknown user."""
        nobody: Document = {"id": user_id}
        try:
            document = await self._client.users.get(user_id)
        except ServiceRefused:
            return nobody
        except ServiceError as error:
            if isinstance(error, SHUTS):
                raise
            return nobody
        return document if whole(document.get("id")) == user_id else nobody
