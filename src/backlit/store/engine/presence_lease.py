"""The lease of the item that the user edits: sent at once, renewed while it stands, and ended."""

import asyncio
from contextlib import suppress
from typing import TYPE_CHECKING

from backlit.model.errors import ServiceRefused, SignInNeeded, TransientError
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.remote.capabilities import PRESENCE, announces

if TYPE_CHECKING:
    from backlit.client.client import Client

RENEW_SECONDS = 20.0
"""Seconds after which a lease is renewed; the service keeps it for 30."""


class PresenceLease:
    """The sender of one lease at a time, to a service that announces it."""

    def __init__(self, client: "Client", files: LocalDatabase) -> None:
        self._client = client
        self._files = files
        self._due = asyncio.Event()
        self._wanted: tuple[int, str] | None = None
        self._is_held = False

    def set(self, wanted: tuple[int, str] | None) -> None:
        """Have the service told of an item and a field, or of none any more."""
        self._wanted = wanted
        self._due.set()

    async def run(self) -> None:
        """Send until cancelled. What cannot be sent is left out: it would be over before it could be repeated."""
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEW_SECONDS if self._wanted is not None else None):
                    await self._due.wait()
            self._due.clear()
            if self._wanted is None and not self._is_held:
                continue
            told = await self._files.write(lambda writer: writer.mirror.note(CAPABILITIES))
            if announces(told, PRESENCE):
                with suppress(TransientError, ServiceRefused, SignInNeeded):
                    await self._send(self._wanted)

    async def _send(self, wanted: tuple[int, str] | None) -> None:
        item_id, field = wanted if wanted is not None else (None, "")
        self._is_held = wanted is not None
        await self._client.tell_presence(item_id, field)
