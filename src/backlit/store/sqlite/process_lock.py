"""Cross-process locks: one process works, the others read its progress."""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import orjson
from msgspec import Struct
from msgspec.structs import asdict, replace

from backlit.model.errors import StorageError, TransientError
from backlit.store.sqlite.database import ProfileFiles

BEAT = 3.0
"""Seconds between two heartbeats of a lock's holder."""
DEAF = 15.0
"""Seconds without a heartbeat after which the holder counts as suspended or hanging."""
_POLL = 0.1


class HolderState(Struct, frozen=True):
    """The holder's progress, and the time of its last complete run. Times are this machine's."""

    process: int = 0
    done: int = 0
    total: int = 0
    synced_at: float = 0.0


# flock and not a file with a process id: ids are given again, and a killed process removes no file.
class SharedLock:
    """A file lock that the system releases when its process dies. The content is the holder's progress.

    The lock is held only during the work, so that a suspended process rarely blocks others.
    """

    def __init__(self, path: Path, deaf: float = DEAF) -> None:
        self._path = path
        self._deaf = deaf
        self._file: int | None = None
        self._is_held = False
        self._stamp = 0
        self._state = HolderState()
        self._beat_at = 0.0

    @asynccontextmanager
    async def held(self, doing: str, waiting: Callable[[HolderState], None] = lambda _: None) -> AsyncIterator[None]:
        """Hold the lock, after waiting for a live holder. `doing` names the work in messages.

        Calls `waiting` with the holder's progress. Raises TransientError if the holder's heartbeat stops.
        """
        began = time.time()
        while not self._acquire():
            state = self.state()
            waiting(state)
            if time.time() - max(began, self._stamp / 1e9) > self._deaf:
                raise TransientError(
                    f"Another backlit on this machine (process {state.process}) stopped while it was {doing}."
                )
            await asyncio.sleep(_POLL)
        try:
            self.publish(replace(self.state(), process=os.getpid(), done=0, total=0))
            yield
        finally:
            self._release()

    def _acquire(self) -> bool:
        try:
            fcntl.flock(self._opened(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:
            raise StorageError(f"{self._path} cannot be locked: {error.strerror}.") from error
        self._is_held = True
        return True

    def _release(self) -> None:
        self._is_held = False
        if self._file is not None:
            fcntl.flock(self._file, fcntl.LOCK_UN)

    def _opened(self) -> int:
        """Return the current file of that name. Deleting a cache directory deletes its locks too."""
        if self._file is not None and not _is_at(self._file, self._path):
            self.close()
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file

    def publish(self, state: HolderState) -> None:
        if self._is_held and self._file is not None:
            self._state = state
            self._beat_at = time.monotonic()
            try:
                os.pwrite(self._file, orjson.dumps(asdict(state)).ljust(200), 0)
            except OSError as error:
                raise StorageError(
                    f"{self._path} cannot be written: {error.strerror}. Check the free disk space."
                ) from error

    def beat(self) -> None:
        if self._is_held and time.monotonic() - self._beat_at >= BEAT:
            with suppress(StorageError):  # waiting processes then count this one as hanging
                self.publish(self._state)

    def state(self) -> HolderState:
        """Return the present or last holder's progress, empty if missing or unreadable."""
        try:
            file = self._opened()
            stamp = os.fstat(file).st_mtime_ns
            if stamp != self._stamp:
                self._stamp = stamp
                self._state = HolderState(**orjson.loads(os.pread(file, 400, 0) or b"{}"))
        except (OSError, ValueError, TypeError):
            self._state = HolderState()
        return self._state

    def close(self) -> None:
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False


class SyncLock:
    """Cross-process sync locks: one process syncs a project at a time and the others reuse its result."""

    def __init__(self, places: ProfileFiles, every: float, on_progress: Callable[[int, int], None]) -> None:
        self._places = places
        self._every = every
        self._on_progress = on_progress
        self._locks: dict[int, SharedLock] = {}
        self._own: dict[int, float] = {}

    def close(self) -> None:
        for lock in self._locks.values():
            lock.close()

    def beat(self) -> None:
        for lock in self._locks.values():
            lock.beat()

    def synced_at(self, project_id: int | None) -> float:
        """Return the time of any process's last sync of the project, by this machine's clock, 0 before the first."""
        return 0.0 if project_id is None else self._lock(project_id).state().synced_at

    def until_due(self, project_id: int | None) -> float:
        """Return the seconds until the next sync. A last sync in the future counts as due now."""
        since = time.time() - max(self.synced_at(project_id), self._own.get(project_id or 0, 0.0))
        return max(0.0, self._every - since) if since >= 0 else 0.0

    def progress(self, project_id: int, done: int, total: int) -> None:
        lock = self._lock(project_id)
        lock.publish(replace(lock.state(), done=done, total=total))

    async def take(self, project_id: int | None, sync: Callable[[int], Awaitable[None]], *, is_wanted: bool) -> float:
        """Sync, unless another process just did and `is_wanted` is False. Returns the time of the last sync."""
        if project_id is None:
            self._own[0] = time.time()
            return self._own[0]
        lock = self._lock(project_id)
        async with lock.held("loading", self._show_other):
            if not is_wanted and self.until_due(project_id) > 0:
                return lock.state().synced_at
            await sync(project_id)
            self._own[project_id] = synced_at = time.time()
            lock.publish(replace(lock.state(), done=0, total=0, synced_at=synced_at))
            return synced_at

    def _show_other(self, state: HolderState) -> None:
        if state.total:
            self._on_progress(state.done, state.total)

    def _lock(self, project_id: int) -> SharedLock:
        if project_id not in self._locks:
            self._locks[project_id] = SharedLock(self._places.syncing(project_id))
        return self._locks[project_id]
