"""The turns at syncing: processes on one profile take them one after another, and one's turn counts for all."""

import time
from collections.abc import Awaitable, Callable
from dataclasses import replace

from backlit.store.places import Places
from backlit.store.shared_lock import Said, SharedLock


class Turns:
    """One lock for each project; what its holder says is when the project was synced, or how far it is."""

    def __init__(self, places: Places, every: float, on_progress: Callable[[int, int], None]) -> None:
        self._places = places
        self._every = every
        self._on_progress = on_progress
        self._locks: dict[int, SharedLock] = {}
        self._own: dict[int, float] = {}

    def close(self) -> None:
        """Let go of the locks' files."""
        for lock in self._locks.values():
            lock.close()

    def beat(self) -> None:
        """Give a sign of life to those who wait."""
        for lock in self._locks.values():
            lock.beat()

    def synced_at(self, project_id: int | None) -> float:
        """When any process last brought the project up to date, in this machine's time; 0 where none did."""
        return 0.0 if project_id is None else self._lock(project_id).said().synced_at

    def until_due(self, project_id: int | None) -> float:
        """Seconds until the project should be synced again; of the past, however a clock was set."""
        since = time.time() - max(self.synced_at(project_id), self._own.get(project_id or 0, 0.0))
        return max(0.0, self._every - since) if since >= 0 else 0.0

    def progress(self, project_id: int, done: int, total: int) -> None:
        """Say how far this process is with its turn."""
        lock = self._lock(project_id)
        lock.say(replace(lock.said(), done=done, total=total))

    async def take(self, project_id: int | None, sync: Callable[[int], Awaitable[None]], *, is_wanted: bool) -> float:
        """Sync, unless another process just did and nobody wants it to be done again; returns when it was done."""
        if project_id is None:
            self._own[0] = time.time()
            return self._own[0]
        lock = self._lock(project_id)
        async with lock.held("loading", self._show_other):
            if not is_wanted and self.until_due(project_id) > 0:
                return lock.said().synced_at
            await sync(project_id)
            self._own[project_id] = synced_at = time.time()
            lock.say(replace(lock.said(), done=0, total=0, synced_at=synced_at))
            return synced_at

    def _show_other(self, said: Said) -> None:
        """While another process loads, show how far it is."""
        if said.total:
            self._on_progress(said.done, said.total)

    def _lock(self, project_id: int) -> SharedLock:
        if project_id not in self._locks:
            self._locks[project_id] = SharedLock(self._places.syncing(project_id))
        return self._locks[project_id]
