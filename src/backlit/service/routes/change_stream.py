"""The stream of changes: server-sent events of what was changed, for as long as the caller stays."""

import asyncio
import time

import orjson
from msgspec import Struct
from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

from backlit.model.errors import TransientError, Unauthorized
from backlit.service.http.bodies import RequestSlot
from backlit.service.http.endpoint import Routes, ServiceState, authenticated_context
from backlit.service.http.options import is_id_text
from backlit.service.http.presence import NOBODY
from backlit.service.http.waiting import SLOT_KEY, PlaceEnd, WaitingPlace
from backlit.service.routes.history import asked_wait, read_cursor, refusal, short
from backlit.service.storage.access import Caller, Role
from backlit.service.tables import history
from backlit.service.tables.changes import revisions
from backlit.service.tables.history import ChangeNotice

routes = Routes()

TICK_SECONDS = 15.0
"""Seconds without an event after which one says that the stream lives; proxies give up after 60."""
# With a check at each tick, 500 idle streams took 3 % of a processor on PostgreSQL in place of 1.4, and 1.5 % on SQLite
# in place of 0.8 (`python -m benchmarks followers`).
CHECK_SECONDS = 60.0
"""Seconds after which a caller is checked again where nothing says that anybody's rights changed."""
RETRY_MILLISECONDS = 2000
"""The pause that the stream asks of clients before they come again."""
MOST_AT_ONCE = 1000
"""Changes of one event; of more, it names the projects alone."""
PAUSE_AFTER_FAILURE = 1.0
"""Seconds before the database is asked again after it failed."""
RESUME_HEADER = "last-event-id"
# nginx gathers an answer before it passes it on, unless the answer forbids it.
_HEADERS = {"cache-control": "no-store", "x-accel-buffering": "no"}
_MEDIA_TYPE = "text/event-stream"


class _Access(Struct, frozen=True):
    """What a caller may see, when the token ends, and the access revision for which that holds."""

    caller: Caller
    ends_at: float | None
    revision: int


class _Beginning(Struct, frozen=True):
    """The place of the history from which a stream goes on; `reset` is why that is not where the caller was."""

    access: _Access
    revision: int
    cursor: str
    last: int
    reset: str | None
    project_ids: frozenset[int] | None
    wait: int | None


@routes.events("/changes/stream", "ChangeStream", tag="changes", extension="changesStream")
async def follow_changes(shared: ServiceState, request: Request) -> ASGIApp:
    """GET /changes/stream: server-sent events with the changes as they are made.

    The first event is `hello`. `changes` has ids and names of fields, `many` the projects of over 1,000 changes,
    `access` the caller's roles where they differ, `tick` says every 15 seconds without another event that the stream
    lives, `presence` where others are, `you` that the caller has read something elsewhere, and `bye` why it ends.
    """

    def begin(connection: Connection) -> _Beginning:
        call = authenticated_context(shared, request, connection)
        given = request.headers.get(RESUME_HEADER) or request.query_params.get("after")
        project_ids = _project_ids(request)
        wait = asked_wait(request.query_params) if "wait" in request.query_params else None
        found = revisions(connection)
        access = _Access(call.caller, shared.tokens.ends_at(connection, request), found.access)
        if given is not None:
            after, check = read_cursor(given)
            reset = history.reset_reason(connection, call.caller, after, check)
            if reset is None:
                return _Beginning(access, after, given, found.last, None, project_ids, wait)
        else:
            reset = None
        cursor = history.cursor(connection, found.last)
        return _Beginning(access, found.last, cursor, found.last, reset, project_ids, wait)

    beginning = await shared.database.read(begin)
    if request.method == "HEAD":
        return Response(b"", 200, _HEADERS, _MEDIA_TYPE)
    place = shared.waiters.enter(beginning.access.caller.id, request.scope)
    return _ChangeStream(shared, request, place, beginning)


def _project_ids(request: Request) -> frozenset[int] | None:
    """Return the projects that are asked for; None for all. One that the caller may not see has no changes."""
    text = request.query_params.get("projects", "").strip()
    if not text:
        return None
    words = [word.strip() for word in text.split(",")]
    if not all(map(is_id_text, words)):
        raise refusal("projects", "projects must be ids of projects, separated by commas.")
    return frozenset(map(int, words))


class _ChangeStream:
    """The answer to one follower. It sends one event at a time, so that a slow reader gets fewer and larger ones."""

    def __init__(self, shared: ServiceState, request: Request, place: WaitingPlace, beginning: _Beginning) -> None:
        self._shared = shared
        self._request = request
        self._place = place
        self._beginning = beginning
        self._access = beginning.access
        self._sent = self._seen = beginning.revision
        """The revision of the last event, and that up to which there is nothing else for this caller."""
        self._cursor = beginning.cursor
        self._epoch: int | None = None
        self._presence, self._presence_shown = NOBODY, frozenset[int]()
        self._tick_at = 0.0
        self._checked_at = asyncio.get_running_loop().time()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        self._send = send
        leaving = asyncio.create_task(self._end_with_connection(receive))
        try:
            head = Response(None, 200, _HEADERS, _MEDIA_TYPE)
            del head.headers["content-length"]
            await send({"type": "http.response.start", "status": 200, "headers": head.raw_headers})
            slot: RequestSlot | None = scope.get(SLOT_KEY)
            if slot is not None:
                slot.give_back()
            await self._hello()
            self._shared.presence.enter(self._place, self._access.caller.id)
            reason = await self._follow()
            if reason is not PlaceEnd.GONE:
                await self._event("bye", {"reason": reason})
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            self._shared.presence.leave(self._place)
            self._shared.waiters.leave(self._place)

    async def _end_with_connection(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._place.end(PlaceEnd.GONE)

    async def _hello(self) -> None:
        beginning = self._beginning
        await self._send_body(f"retry: {RETRY_MILLISECONDS}\n".encode())
        data = {"revision": beginning.revision, "roles": _roles(beginning.access.caller), "reset": beginning.reset}
        await self._event("hello", data, beginning.cursor)

    async def _follow(self) -> str:
        """Send events until the end of the stream; return the reason for it."""
        loop, wait = asyncio.get_running_loop(), self._beginning.wait
        ends_at = None if wait is None else loop.time() + wait
        while not self._place.is_ended:
            count = self._shared.waiters.count
            try:
                end = await self._look()
            except (DBAPIError, TransientError):
                # Nothing is known of the changes and of the caller's rights: nothing is sent until the database is
                # back, and the caller notices the silence.
                await asyncio.sleep(PAUSE_AFTER_FAILURE)
                continue
            if end is not None:
                return end
            if ends_at is not None and loop.time() >= ends_at:
                return "time"
            await self._place.woken(count, max(0.0, self._seconds(ends_at)))
        return self._place.end_reason or PlaceEnd.STOP

    def _seconds(self, ends_at: float | None) -> float:
        """Return the seconds until something is due that no change wakes."""
        now = asyncio.get_running_loop().time()
        token_ends = None if self._access.ends_at is None else self._access.ends_at - time.time()
        due = [self._tick_at - now, token_ends, None if ends_at is None else ends_at - now]
        return min(seconds for seconds in due if seconds is not None)

    async def _look(self) -> str | None:
        """Send what is new; return why the stream ends, if it does."""
        log = self._shared.change_log
        await log.update(self._beginning.last)
        self._epoch = log.epoch if self._epoch is None else self._epoch
        if self._epoch != log.epoch:
            return "reset"
        now = asyncio.get_running_loop().time()
        is_tick, is_unchecked = now >= self._tick_at, now >= self._checked_at + CHECK_SECONDS
        if is_unchecked or self._has_expired() or log.access_revision != self._access.revision:
            self._checked_at = now
            try:
                await self._check_access()
            except Unauthorized:
                return "token" if self._has_expired() else "signed out"
        await self._send_changes()
        await self._send_presence()
        if self._place.has_read:
            self._place.has_read = False
            await self._send_body(_event("you", {"unread": True}, None))
        if is_tick and asyncio.get_running_loop().time() >= self._tick_at:
            after = self._sent
            if log.revision > after:
                self._sent, self._cursor = log.revision, log.cursor
            await self._event("tick", {"after": after, "revision": self._sent}, self._cursor)
        return None

    async def _send_presence(self) -> None:
        # The events have no cursor, and neither delay a tick nor count for `after`: they are of the moment.
        presence, shown = self._shared.presence, self._shown()
        before, known = self._presence, self._presence_shown
        if before is presence.snapshot and known == shown:
            return
        self._presence, self._presence_shown = presence.snapshot, shown
        if body := presence.events(before, known, shown):
            await self._send_body(body)

    def _has_expired(self) -> bool:
        return self._access.ends_at is not None and self._access.ends_at <= time.time()

    async def _check_access(self) -> None:
        """Let the caller in again, who may have lost the sign-in or a project meanwhile."""

        def read(connection: Connection) -> _Access:
            caller = self._shared.tokens.caller(connection, self._request)
            return _Access(caller, self._access.ends_at, revisions(connection).access)

        before, self._access = self._access, await self._shared.database.read(read)
        if before.caller.roles != self._access.caller.roles:
            await self._event("access", {"roles": _roles(self._access.caller)})

    async def _send_changes(self) -> None:
        log, after = self._shared.change_log, self._seen
        if log.revision <= after:
            return
        revision, cursor = log.revision, log.cursor
        notices = log.after(after)
        if notices is None:
            await self._catch_up()
            return
        self._seen = revision
        shown, caller = self._shown(), self._access.caller
        managed = frozenset(project_id for project_id in shown if caller.roles.get(project_id) is Role.MANAGER)
        own = caller.id if any(notice.is_personal for notice in notices) else None
        key = (self._sent, after, shown, managed, own)
        body = log.body(
            key, lambda: self._changes([each for each in notices if self._is_shown(each)], revision, cursor)
        )
        if body:
            await self._send_event(body)
            self._sent, self._cursor = revision, cursor

    async def _catch_up(self) -> None:
        """Send the changes since before those that are in memory."""

        def read(connection: Connection) -> tuple[int, str, list[ChangeNotice]]:
            last, asked = revisions(connection).last, self._beginning.project_ids or ()
            found = history.after(
                connection, self._access.caller, self._seen, project_ids=asked, kinds=(), top=MOST_AT_ONCE + 1
            )
            return last, history.cursor(connection, last), found

        self._seen, cursor, found = await self._shared.database.read(read)
        if found:
            await self._send_event(self._changes(found, self._seen, cursor))
            self._sent, self._cursor = self._seen, cursor

    def _changes(self, notices: list[ChangeNotice], revision: int, cursor: str) -> bytes:
        """Return the event of changes up to a revision; nothing for none."""
        if not notices:
            return b""
        data: dict[str, object] = {"after": self._sent, "revision": revision}
        if len(notices) > MOST_AT_ONCE:
            return _event("many", data | {"projects": sorted(self._shown())}, cursor)
        return _event("changes", data | {"changes": [short(each) for each in notices]}, cursor)

    def _shown(self) -> frozenset[int]:
        asked, granted = self._beginning.project_ids, self._access.caller.project_ids
        return frozenset(granted) if asked is None else asked.intersection(granted)

    def _is_shown(self, notice: ChangeNotice) -> bool:
        asked = self._beginning.project_ids
        return (asked is None or notice.project_id in asked) and notice.is_visible_to(self._access.caller)

    async def _event(self, name: str, data: object, cursor: str | None = None) -> None:
        await self._send_event(_event(name, data, cursor))

    async def _send_event(self, body: bytes) -> None:
        self._tick_at = asyncio.get_running_loop().time() + TICK_SECONDS
        await self._send_body(body)

    async def _send_body(self, body: bytes) -> None:
        await self._send({"type": "http.response.body", "body": body, "more_body": True})


def _roles(caller: Caller) -> dict[str, str]:
    return {str(project_id): role.value for project_id, role in caller.roles.items()}


def _event(name: str, data: object, cursor: str | None) -> bytes:
    place = b"" if cursor is None else b"id: %b\n" % cursor.encode()
    return b"%bevent: %b\ndata: %b\n\n" % (place, name.encode(), orjson.dumps(data))
