"""Who is at which item now: leases in memory, which end unless they are renewed."""

import asyncio
from collections.abc import Callable, Mapping
from enum import StrEnum

import orjson
from msgspec import Struct

from backlit.model.errors import TooManyRequests
from backlit.service.http.waiting import WaitingPlace
from backlit.service.storage.bounded_cache import BoundedCache

LEASE_SECONDS = 30.0
STREAM_GRACE_SECONDS = 10.0
"""Seconds for which a lease outlives the last stream of its user, who may only have lost the connection."""
GATHER_SECONDS = 1.0
"""Seconds between two tellings: a first change is told at once, and those that follow together."""
SET_INTERVAL = 1.0
"""Seconds between two leases of one user."""
MAX_REMEMBERED_USERS = 4096


class PresenceMode(StrEnum):
    """What somebody does at an item."""

    VIEW = "view"
    EDIT = "edit"


class PresenceLease(Struct, frozen=True):
    """Where one user is, until the lease ends; `field` is what is edited there."""

    project_id: int
    item_id: int
    mode: PresenceMode
    field: str | None = None


class PresenceSnapshot(Struct, frozen=True):
    """The leases by user, as they are told."""

    version: int
    leases: Mapping[int, PresenceLease]


NOBODY = PresenceSnapshot(0, {})


class _HeldLease:
    """A lease with its end in the loop's time; `full_end` holds while its user has a stream."""

    def __init__(self, lease: PresenceLease, full_end: float, *, is_own: bool) -> None:
        self.lease = lease
        self.end = self.full_end = full_end
        self.is_own = is_own
        """Whether this process was asked for it, and not another one."""


# No table: who looked at what must not outlast the moment, in the database, its backups or the log.
class Presence:
    """The leases of one process and what it heard of those of the others.

    `tell` takes what the other processes are to hear, and `receive` what they said.
    """

    def __init__(self, tell: Callable[[bytes], None]) -> None:
        self.snapshot = NOBODY
        self._tell = tell
        self._held: dict[int, _HeldLease] = {}
        self._set_at: BoundedCache[int, float] = BoundedCache(MAX_REMEMBERED_USERS)
        self._streams: dict[WaitingPlace, int] = {}
        self._bodies: dict[tuple[int, frozenset[int], frozenset[int]], bytes] = {}
        self._told_at = float("-inf")
        self._timer: asyncio.TimerHandle | None = None

    def set(self, user_id: int, lease: PresenceLease) -> None:
        """Give a user a lease in place of another; raise TooManyRequests within a second of the last one."""
        now = asyncio.get_running_loop().time()
        last = self._set_at.get(user_id)
        if last is not None and now - last < SET_INTERVAL:
            raise TooManyRequests("Where you are is noted once a second. Send it again in a moment.", retry_after=1)
        self._set_at.put(user_id, now)
        self._hold(user_id, lease, is_own=True)
        self._tell_others(user_id, lease)

    def end(self, user_id: int) -> None:
        if self._held.pop(user_id, None) is not None:
            self._tell_others(user_id, None)
            self._schedule()

    def receive(self, payload: str) -> None:
        """Take over what another process said."""
        user_id, lease = orjson.loads(payload)
        if lease is None:
            self._held.pop(user_id, None)
            self._schedule()
        else:
            project_id, item_id, mode, field = lease
            self._hold(user_id, PresenceLease(project_id, item_id, PresenceMode(mode), field), is_own=False)

    def enter(self, place: WaitingPlace, user_id: int) -> None:
        """Note a stream, whose place is woken when there is something to tell."""
        self._streams[place] = user_id
        if (held := self._held.get(user_id)) is not None:
            held.end = held.full_end

    def leave(self, place: WaitingPlace) -> None:
        """Forget a stream; its user's lease ends soon unless another stream is there."""
        user_id = self._streams.pop(place, None)
        held = None if user_id is None else self._held.get(user_id)
        if held is not None and held.is_own and user_id not in self._streams.values():
            held.end = min(held.full_end, asyncio.get_running_loop().time() + STREAM_GRACE_SECONDS)
            self._schedule()

    def close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def events(self, before: PresenceSnapshot, known: frozenset[int], shown: frozenset[int]) -> bytes:
        """Return what is new for who was told of an earlier snapshot in the projects `known` and now sees `shown`."""
        key = before.version, known, shown
        if key not in self._bodies:
            self._bodies[key] = b"".join(self._events(before, known, project_id) for project_id in sorted(shown))
        return self._bodies[key]

    def _events(self, before: PresenceSnapshot, known: frozenset[int], project_id: int) -> bytes:
        old = _leases_in(before, project_id) if project_id in known else {}
        new = _leases_in(self.snapshot, project_id)
        here = [_told(user_id, lease) for user_id, lease in new.items() if old.get(user_id) != lease]
        gone = [{"user": user_id, "item": None} for user_id in old if user_id not in new]
        if not here and not gone:
            return b""
        return b"event: presence\ndata: %b\n\n" % orjson.dumps({"p": project_id, "here": [*here, *gone]})

    def _hold(self, user_id: int, lease: PresenceLease, *, is_own: bool) -> None:
        end = asyncio.get_running_loop().time() + LEASE_SECONDS
        self._held[user_id] = _HeldLease(lease, end, is_own=is_own)
        self._schedule()

    def _schedule(self) -> None:
        """Set the one timer to the next telling, or to the next end of a lease."""
        loop = asyncio.get_running_loop()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if {user_id: held.lease for user_id, held in self._held.items()} != self.snapshot.leases:
            due = self._told_at + GATHER_SECONDS
        elif self._held:
            due = min(held.end for held in self._held.values())
        else:
            return
        self._timer = loop.call_at(max(due, loop.time()), self._publish)

    def _publish(self) -> None:
        self._timer = None
        now = asyncio.get_running_loop().time()
        for user_id, held in [*self._held.items()]:
            if held.end <= now:
                del self._held[user_id]
                if held.end < held.full_end:  # the others believe that it goes on
                    self._tell_others(user_id, None)
        leases = {user_id: held.lease for user_id, held in self._held.items()}
        if leases != self.snapshot.leases:
            self.snapshot = PresenceSnapshot(self.snapshot.version + 1, leases)
            self._bodies.clear()
            self._told_at = now
            for place in self._streams:
                place.nudge()
        self._schedule()

    def _tell_others(self, user_id: int, lease: PresenceLease | None) -> None:
        parts = None if lease is None else (lease.project_id, lease.item_id, lease.mode, lease.field)
        self._tell(orjson.dumps((user_id, parts)))


def _leases_in(snapshot: PresenceSnapshot, project_id: int) -> Mapping[int, PresenceLease]:
    return {user_id: lease for user_id, lease in snapshot.leases.items() if lease.project_id == project_id}


def _told(user_id: int, lease: PresenceLease) -> Mapping[str, object]:
    told = {"user": user_id, "item": lease.item_id, "mode": lease.mode}
    return told if lease.field is None else told | {"field": lease.field}
