"""People whom the service does not list, as they are unlicensed by now: asked for one by one (FEATURES rule 39)."""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceError, ServiceRefused, SignInNeeded, Trouble
from backlit.store.changes import Change, Subject
from backlit.store.files import Files, Writer
from backlit.store.people import STRANGER
from backlit.store.reach import SHUTS
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.client import Client


class Strangers:
    """Asks for each person once, and keeps in the mirror who it is, or that nobody says; on the engine's thread."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files
        self._wanted: dict[int, None] = {}
        self._due = asyncio.Event()

    def want(self, user_id: int) -> None:
        """Ask for a person, soon."""
        self._wanted[user_id] = None
        self._due.set()

    def go_on(self) -> None:
        """Ask for those who could not be asked for."""
        if self._wanted:
            self._due.set()

    async def run(self, ready: Callable[[], Awaitable[None]]) -> None:
        """Ask for whom screens want to name, until cancelled; what keeps that from being done is over before more."""
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
        """Ask for some at once; raises what keeps it from being done."""
        for user_id in user_ids:
            await self._meet(user_id)

    async def _meet(self, user_id: int) -> None:
        document = await self._asked(user_id)

        def act(writer: Writer) -> None:
            writer.mirror.put_noun(STRANGER, 0, document)
            writer.signal.publish(Change(Subject.PEOPLE))

        await self._files.write(act)

    async def _asked(self, user_id: int) -> Document:
        """The person; only the id where the service does not say who it is."""
        nobody: Document = {"id": user_id}
        try:
            document = await self._client.users.document(user_id)
        except ServiceRefused:
            return nobody
        except ServiceError as error:
            if isinstance(error, SHUTS):
                raise
            return nobody
        return document if whole(document.get("id")) == user_id else nobody
