"""The follower of the service's changes: what others do is read as they do it."""

import asyncio
import time
from typing import TYPE_CHECKING, Protocol

from backlit.model.errors import (
    BacklitError,
    Offline,
    ServiceRefused,
    SignInNeeded,
    StorageError,
    TooManyRequests,
    TransientError,
    Unavailable,
)
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.remote.capabilities import CHANGES_STREAM, announces
from backlit.store.remote.reachability import RetryPauses

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.events import ServerEvent

SHORT_LIFE = 5.0
"""Seconds that a stream has to live."""
MOST_SHORT_LIVES = 3
"""Streams in a row that end too early, after which the program polls until its next start."""
REPLACED_PAUSE = 300.0
"""Seconds before a stream that gave way to a newer one of the user is opened again."""


class FollowingSession(Protocol):
    """What a follower asks of its session."""

    async def ready(self) -> None:
        """Wait for a sign-in and a service that answers."""

    def note(self, error: BacklitError) -> bool: ...

    async def sync_again(self, *, is_asked: bool) -> None:
        """Read the project, its users and settings too if asked for."""

    async def read_followed(self, rows: list[object]) -> None:
        """Read what the rows of a stream say of the project."""

    def show_current(self) -> None:
        """Show that the mirror is up to date now."""

    def live_changed(self) -> None:
        """Poll as often as is due now."""


class ChangeFollower:
    """The reader of one stream after another. While one `is_live`, the program need not poll."""

    def __init__(self, client: "Client", files: LocalDatabase, session: FollowingSession, waits: RetryPauses) -> None:
        self._client = client
        self._files = files
        self._session = session
        self._waits = waits
        self._is_due = asyncio.Event()
        self._cursor: str | None = None
        self._failures = self._short_lives = 0
        self.is_live = False

    def synced(self) -> None:
        """Note that the project was read, after which there is something to follow."""
        self._is_due.set()

    async def run(self) -> None:
        """Follow until cancelled, or for good as long as the service offers no stream."""
        # Nobody else writes to the workspace of one user but programs of the same profile, whose writes are seen.
        while not self._client.is_in_process and self._short_lives < MOST_SHORT_LIVES:
            await self._session.ready()
            await self._is_due.wait()
            self._is_due.clear()
            if not await self._is_offered():
                continue
            try:
                await self._try_to_follow()
            except ServiceRefused:
                break
            self._is_due.set()
        self._poll()

    async def _is_offered(self) -> bool:
        told = await self._files.write(lambda writer: writer.mirror.note(CAPABILITIES))
        return announces(told, CHANGES_STREAM)

    async def _try_to_follow(self) -> None:
        """Follow one stream to its end, and pause after it. The next one goes on where it ended."""
        began, pause = time.monotonic(), 0.0
        try:
            if await self._follow() == "replaced":
                pause = REPLACED_PAUSE
        except TooManyRequests as error:
            pause = error.retry_after or 0.0  # the service refuses followers alone, and answers polls
        except (Offline, Unavailable):
            # A broken stream is no lost service: proxies cut what stays open. The sync that follows tells them apart.
            self._poll()
        except (SignInNeeded, StorageError) as error:
            self._poll()
            self._session.note(error)
        except TransientError:
            self._poll()
            self._cursor = None  # an answer that cannot be read: the next stream begins with a sync
        if pause:
            self._poll()
        has_lived = time.monotonic() - began >= SHORT_LIFE
        self._short_lives = 0 if has_lived else self._short_lives + 1
        self._failures = 0 if has_lived else self._failures + 1
        await asyncio.sleep(pause or self._waits.pause(self._failures))

    async def _follow(self) -> str:
        """Read events until the stream ends; return the reason for its end."""
        async with self._client.changes(self._cursor) as events:
            async for event in events:
                if event.name == "bye":
                    return str(event.data.get("reason"))
                await self._take(event)
        return ""

    async def _take(self, event: "ServerEvent") -> None:
        """Read what an event says. The cursor moves only afterwards, so that nothing is missed."""
        rows = event.data.get("changes")
        if event.name == "hello":
            # What was changed before the stream began is read by a sync; without a cursor nothing else would.
            if self._cursor is None or event.data.get("reset"):
                await self._session.sync_again(is_asked=bool(event.data.get("reset")))
            self.is_live = True
            self._session.live_changed()
        elif event.name == "changes" and isinstance(rows, list):
            await self._session.read_followed(rows)
        elif event.name in {"many", "access"}:
            await self._session.sync_again(is_asked=True)
        if event.cursor is not None:
            self._cursor = event.cursor
        self._session.show_current()

    def _poll(self) -> None:
        if self.is_live:
            self.is_live = False
            self._session.live_changed()
