"""What processes on one profile take turns at: one holds the lock, the others read what it says of itself."""

import asyncio
import fcntl
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import orjson

from backlit.model.errors import StorageError, Trouble

BEAT = 3.0
"""Seconds between two signs of life of whoever holds a lock."""
DEAF = 15.0
"""Seconds without one after which the holder counts as stopped: suspended by its user, or hanging."""
_POLL = 0.1


@dataclass(frozen=True, slots=True)
class Said:
    """What the last holder said: how far it is, and when it was through with all; times are this machine's."""

    process: int = 0
    done: int = 0
    total: int = 0
    synced_at: float = 0.0


class SharedLock:
    """A file lock that the system releases when its process dies; its content is what the holder says.

    It is held while something is done and not longer, so that a suspended process seldom stands in anybody's way.
    """

    def __init__(self, path: Path, deaf: float = DEAF) -> None:
        self._path = path
        self._deaf = deaf
        self._file: int | None = None
        self._is_held = False
        self._stamp = 0
        self._said = Said()
        self._beat_at = 0.0

    @asynccontextmanager
    async def held(self, doing: str, waiting: Callable[[Said], None] = lambda _: None) -> AsyncIterator[None]:
        """Hold the lock, waiting for it as long as its holder lives; `doing` is what the lock is for.

        While waiting, `waiting` hears what the holder says. Raises Trouble when it no longer gives a sign of life.
        """
        began = time.time()
        while not self._acquire():
            said = self.said()
            waiting(said)
            if time.time() - max(began, self._stamp / 1e9) > self._deaf:
                raise Trouble(f"Another backlit on this machine (process {said.process}) stopped while it was {doing}.")
            await asyncio.sleep(_POLL)
        try:
            self.say(replace(self.said(), process=os.getpid(), done=0, total=0))
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
        """The file that bears the name now; whoever deletes a cache deletes locks with it."""
        if self._file is not None and not _is_at(self._file, self._path):
            self.close()
        if self._file is None:
            self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        return self._file

    def say(self, said: Said) -> None:
        """Let the others read how far this process is; only its holder may. Raises StorageError."""
        if self._is_held and self._file is not None:
            self._said = said
            self._beat_at = time.monotonic()
            try:
                os.pwrite(self._file, orjson.dumps(asdict(said)).ljust(200), 0)
            except OSError as error:
                raise StorageError(
                    f"{self._path} cannot be written: {error.strerror}. Look for room on its disk."
                ) from error

    def beat(self) -> None:
        """Give a sign of life now and then while the lock is held."""
        if self._is_held and time.monotonic() - self._beat_at >= BEAT:
            with suppress(StorageError):  # whoever waits for the lock counts it as hanging then
                self.say(self._said)

    def said(self) -> Said:
        """What the holder says, or said last; nothing where there is none or it cannot be read."""
        try:
            file = self._opened()
            stamp = os.fstat(file).st_mtime_ns
            if stamp != self._stamp:
                self._stamp = stamp
                self._said = Said(**orjson.loads(os.pread(file, 400, 0) or b"{}"))
        except (OSError, ValueError, TypeError):
            self._said = Said()
        return self._said

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None


def _is_at(file: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except OSError:
        return False
