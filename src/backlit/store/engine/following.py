"""The follower of the service's changes: what others do is read as they do it."""

import asyncio
import random
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol

from backlit.client.events import NoEventStream
from backlit.model.errors import (
    BacklitError,
    Offline,
    ServiceRefused,
    TooManyRequests,
    TransientError,
    Unavailable,
)
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.status_groups import CAPABILITIES
from backlit.store.records.item import whole
from backlit.store.remote.capabilities import CHANGES, CHANGES_STREAM, announces
from backlit.store.remote.reachability import RetryPauses

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.events import ServerEvent

SHORT_LIFE = 5.0
"""Seconds that a stream has to live."""
MOST_SHORT_LIVES = 3
"""Streams in a row that end too early, after which the program does without for a while."""
HELLO_SECONDS = 10.0
"""Seconds until the first event, which a proxy that gathers an answer keeps for itself."""
WITHOUT_SECONDS = 600.0
"""Seconds without a stream that ended too early, or for which the service had no room."""
REPLACED_PAUSE = 300.0
"""Seconds before a stream that gave way to a newer one of the user is opened again."""
STOP_PAUSES = 1.0, 4.0
"""First pauses before the return to a service that stopped: its clients do not come back at one moment."""


class Feed(StrEnum):
    """A way to follow the changes, in the order of preference."""

    STREAM = "stream"
    LONG_POLL = "long poll"


_EXTENSIONS: Mapping[Feed, str] = {Feed.STREAM: CHANGES_STREAM, Feed.LONG_POLL: CHANGES}


class FollowingSession(Protocol):
    """What a follower asks of its session."""

    @property
    def project_id(self) -> int | None: ...

    async def ready(self) -> None:
        """Wait for a sign-in and a service that answers."""

    def note(self, error: BacklitError) -> bool: ...

    async def sync_again(self, *, is_asked: bool) -> None:
        """Read the project, its users and settings too if asked for."""

    async def read_followed(self, project_id: int, rows: list[object], cursor: str | None) -> None:
        """Read what the rows of a stream say of a project, and store the cursor with it."""

    async def take_away_projects(self, kept: frozenset[int]) -> bool:
        """Delete the local copy of all other projects; return whether there were any."""

    async def stored_cursor(self, project_id: int) -> str | None:
        """Return the cursor up to which the mirror has the changes of a project."""

    def take_presence(self, told: list[object] | None) -> None:
        """Show where people are; None for the end of what is known of them."""

    def unread_changed(self) -> None:
        """Read soon what is unread."""

    def show_current(self) -> None:
        """Show that the mirror is up to date now."""

    def live_changed(self) -> None:
        """Poll as often as is due now."""


class _GapError(Exception):
    """An event does not follow the one before it."""


class ChangeFollower:
    """The reader of one stream after another. While one `is_live`, the program need not poll."""

    def __init__(self, client: "Client", files: LocalDatabase, session: FollowingSession, waits: RetryPauses) -> None:
        self._client = client
        self._files = files
        self._session = session
        self._waits = waits
        self._is_due = asyncio.Event()
        self._cursor: str | None = None
        self._covered: int | None = None
        """The project whose changes up to the cursor are in the mirror."""
        self._revision: int | None = None
        """The revision of the last event."""
        self._failures = 0
        self._short_lives: dict[Feed, int] = {}
        self._without_until: dict[Feed, float] = {}
        self._has_answered = self._has_begun = self._is_reading = False
        self.is_live = False
        self.is_refused = False
        """Whether the service offers changes, and none of its ways to follow them works."""

    def synced(self, project_id: int | None) -> None:
        """Note that a project was read: what comes after the present cursor comes by events."""
        if self.is_live:
            self._covered = project_id
        self._is_due.set()

    def forget(self) -> None:
        """Forget the cursor, as the mirror is a new one."""
        self._covered = None
        if not self.is_live:
            self._cursor = None

    async def run(self) -> None:
        """Follow until cancelled, wherever the service offers it."""
        # Nobody else writes to the workspace of one user but programs of the same profile, whose writes are seen.
        while not self._client.is_in_process:
            await self._session.ready()
            await self._is_due.wait()
            self._is_due.clear()
            feed = await self._chosen_feed()
            if feed is not None:
                await self._try_to_follow(feed)
                self._is_due.set()

    async def _chosen_feed(self) -> Feed | None:
        told = await self._files.write(lambda writer: writer.mirror.note(CAPABILITIES))
        offered = [feed for feed in Feed if announces(told, _EXTENSIONS[feed])]
        usable = [feed for feed in offered if not self._is_without(feed)]
        is_refused = bool(offered) and not usable
        if is_refused != self.is_refused:
            self.is_refused = is_refused
            self._session.live_changed()
        return usable[0] if usable else None

    async def _try_to_follow(self, feed: Feed) -> None:
        """Follow one stream to its end, and pause after it. The next one goes on where it ended."""
        self._has_answered = self._has_begun = self._is_reading = False
        began, pause = time.monotonic(), None
        try:
            pause = self._pause_after(await self._follow(feed))
        except (BacklitError, TimeoutError) as error:
            self._failed(feed, error)
        except _GapError:
            self._covered = None
        if self._has_answered and not self._is_reading and not self._is_without(feed):
            self._count(feed, has_lived=time.monotonic() - began >= SHORT_LIFE)
        self._failures = 0 if self._has_begun else self._failures + 1
        if not self._is_without(feed):
            await asyncio.sleep(self._waits.pause(self._failures) if pause is None else pause)

    def _failed(self, feed: Feed, error: BacklitError | TimeoutError) -> None:
        # A broken stream is no lost service: proxies cut what stays open. A sync tells them apart, once the next
        # stream cannot be opened either.
        if isinstance(error, (Offline, Unavailable)):
            if not self._has_begun:
                self._poll()
        elif isinstance(error, TooManyRequests):
            # The service refuses followers alone, and answers polls.
            self._do_without(feed, max(error.retry_after or 0.0, WITHOUT_SECONDS))
        elif isinstance(error, NoEventStream) and not self._has_answered:
            self._do_without(feed, WITHOUT_SECONDS)  # a proxy's own page, which may be gone by then
        elif isinstance(error, ServiceRefused) and not self._has_answered:
            self._do_without(feed, float("inf"))
        elif isinstance(error, (TransientError, TimeoutError)):
            self._poll()
            if self._has_answered:
                self._cursor = None  # an event that cannot be read: the next stream begins with a sync
            self._has_answered = True
        else:
            self._poll()
            self._session.note(error)

    def _pause_after(self, reason: str) -> float | None:
        if reason == "replaced":
            self._poll()
            return REPLACED_PAUSE
        if reason == "stop":
            return random.uniform(*STOP_PAUSES) * self._waits.first_pause  # noqa: S311 # spread is no secret
        return 0.0 if reason == "token" else None

    def _count(self, feed: Feed, *, has_lived: bool) -> None:
        short_lives = 0 if has_lived else self._short_lives.get(feed, 0) + 1
        self._short_lives[feed] = short_lives
        if short_lives >= MOST_SHORT_LIVES:
            self._short_lives[feed] = 0
            self._do_without(feed, WITHOUT_SECONDS)

    def _is_without(self, feed: Feed) -> bool:
        return time.monotonic() < self._without_until.get(feed, 0.0)

    def _do_without(self, feed: Feed, seconds: float) -> None:
        self._poll()
        self._without_until[feed] = time.monotonic() + seconds

    async def _follow(self, feed: Feed) -> str:
        """Read events until the stream ends; return the reason for its end."""
        project_id = self._session.project_id
        if self._cursor is None and project_id is not None:
            self._cursor = await self._session.stored_cursor(project_id)
            self._covered = project_id if self._cursor else None
        self._revision = None
        async with self._opened(feed) as events:
            waiting = _WaitingEvents(events)
            try:
                async with asyncio.timeout(HELLO_SECONDS):
                    batch = await waiting.take()
                self._has_answered = True
                while batch:
                    for event in _gathered(batch):
                        if event.name == "bye":
                            return str(event.data.get("reason"))
                        self._is_reading = True  # a read that fails says nothing of the stream
                        await self._take(event)
                        self._is_reading = False
                    batch = await waiting.take()
            finally:
                self._session.take_presence(None)
                await waiting.aclose()
        return ""

    def _opened(self, feed: Feed) -> "AbstractAsyncContextManager[AsyncIterator[ServerEvent]]":
        client = self._client
        return client.changes(self._cursor) if feed is Feed.STREAM else client.polled_changes(self._cursor)

    async def _take(self, event: "ServerEvent") -> None:
        """Read what an event says. The cursor moves only afterwards, so that nothing is missed."""
        if event.name == "presence":
            here = event.data.get("here")
            self._session.take_presence(here if isinstance(here, list) else [])
            return
        if event.name == "you":
            self._session.unread_changed()
            return
        self._check_order(event)
        data, rows = event.data, event.data.get("changes")
        is_reset = event.name == "hello" and bool(data.get("reset"))
        has_lost = await self._lose_projects(data.get("roles"))
        project_id = self._session.project_id
        if is_reset or has_lost or event.name in {"many", "access"} or self._covered != project_id:
            # What came before the stream is read by a sync, and so is what was not followed: another project.
            await self._session.sync_again(is_asked=is_reset or has_lost or event.name in {"many", "access"})
            project_id = self._covered = self._session.project_id
            rows = []
        if project_id is not None and isinstance(rows, list):
            await self._session.read_followed(project_id, rows, event.cursor)
        if event.cursor is not None:
            self._cursor = event.cursor
        self._begin()
        self._session.show_current()

    def _check_order(self, event: "ServerEvent") -> None:
        after, revision = whole(event.data.get("after")), whole(event.data.get("revision"))
        if self._revision is not None and after is not None and after != self._revision:
            raise _GapError
        self._revision = self._revision if revision is None else revision

    async def _lose_projects(self, roles: object) -> bool:
        if not isinstance(roles, dict):
            return False
        return await self._session.take_away_projects(frozenset(int(key) for key in roles if key.isdecimal()))

    def _begin(self) -> None:
        if not self._has_begun:
            self._has_begun = True
            if not self.is_live:
                self.is_live = True
                self._session.live_changed()

    def _poll(self) -> None:
        if self.is_live:
            self.is_live = False
            self._session.live_changed()


class _WaitingEvents:
    """The events that came while others were read."""

    def __init__(self, events: "AsyncIterator[ServerEvent]") -> None:
        self._waiting: list[ServerEvent] = []
        self._came = asyncio.Event()
        self._reading = asyncio.create_task(self._read(events))

    async def _read(self, events: "AsyncIterator[ServerEvent]") -> None:
        try:
            async for event in events:
                self._waiting.append(event)
                self._came.set()
        finally:
            self._came.set()

    async def take(self) -> "list[ServerEvent]":
        """Return all that have come, at least one; none at the end of the stream. Raises what broke it."""
        await self._came.wait()
        batch, self._waiting = self._waiting, []
        if self._reading.done():
            if not batch:
                self._reading.result()
        else:
            self._came.clear()
        return batch

    async def aclose(self) -> None:
        self._reading.cancel()
        await asyncio.gather(self._reading, return_exceptions=True)


def _gathered(batch: "list[ServerEvent]") -> "list[ServerEvent]":
    """Join events of changes that follow each other: a slow line gets fewer reads."""
    joined: list[ServerEvent] = []
    for event in batch:
        last = joined[-1] if joined else None
        if last is None or not last.name == event.name == "changes" or not _follows(last, event):
            joined.append(event)
            continue
        rows = [*last.data["changes"], *event.data["changes"]]
        joined[-1] = event._replace(data={**event.data, "after": last.data.get("after"), "changes": rows})
    return joined


def _follows(last: "ServerEvent", event: "ServerEvent") -> bool:
    are_lists = isinstance(last.data.get("changes"), list) and isinstance(event.data.get("changes"), list)
    return are_lists and last.data.get("revision") == event.data.get("after")
