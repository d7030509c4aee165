"""The mirror as a file that may turn out damaged, or be gone, while it is used: then it is made anew."""

import fcntl
import os
import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from backlit.model.errors import StorageError
from backlit.store.database import connect, drop_database
from backlit.store.disk import Found, failure, is_damage
from backlit.store.mirror import Mirror
from backlit.store.places import Places

_T = TypeVar("_T")


class MirrorFile:
    """Which file the mirror is at present; `generation` grows whenever it is another."""

    def __init__(self, places: Places, on_renewed: Callable[[], None]) -> None:
        self.path = places.mirror
        self.generation = 0
        self._on_renewed = on_renewed
        self._lock = threading.Lock()
        self._identity: tuple[int, int] | None = None

    def opened(self) -> None:
        """Note which file it is that was opened."""
        self._identity = self._found()

    def is_lost(self) -> bool:
        """Whether there is no file by that name any more, or one that another process made."""
        return self._found() != self._identity

    def renew(self, generation: int) -> None:
        """Make the mirror anew, unless that was done since; another process's new one is taken as it is."""
        with self._lock:
            if generation != self.generation:
                return
            try:
                self._make_anew()
            except OSError as error:
                raise StorageError(f"{self.path} was damaged and cannot be made anew: {error.strerror}.") from error
            except sqlite3.Error as error:
                raise failure(error, self.path) from error
            self.generation += 1
        self._on_renewed()

    def _make_anew(self) -> None:
        lock = os.open(self.path.with_name(self.path.name + ".renewal"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not self.is_lost() or self._identity is None:
                drop_database(self.path)
            Mirror(self.path).close()
            self.opened()
        finally:
            os.close(lock)

    def _found(self) -> tuple[int, int] | None:
        try:
            found = self.path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino


class MirrorReads:
    """One thread's connection for reading; follows the file, and begins anew on another where it was damaged."""

    def __init__(self, file: MirrorFile) -> None:
        self._file = file
        self._generation = file.generation
        self._connection = connect(file.path, "NORMAL")

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()

    def run(self, act: Callable[[sqlite3.Connection], _T]) -> _T:
        """Read; once more, from the new mirror, where the old one turned out damaged."""
        try:
            return act(self._current())
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                raise
            if not is_damage(error):
                raise failure(error, self._file.path) from error
            self._file.renew(self._generation)
            return act(self._current())

    def execute(self, sql: str, values: Sequence[object] = ()) -> Found:
        """Run a short query; what it finds is read at once, or as far as it comes before it is interrupted."""

        def read(connection: sqlite3.Connection) -> Found:
            rows: list[Any] = []
            try:
                for each in connection.execute(sql, values):
                    rows.append(each)  # noqa: PERF402 - those before an interruption count
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                    raise
                return Found(rows, error)
            return Found(rows)

        return self.run(read)

    def set_progress_handler(self, handler: Callable[[], bool] | None, ticks: int) -> None:
        """Have a handler asked now and then whether a query is to be interrupted."""
        self._current().set_progress_handler(handler, ticks)

    def _current(self) -> sqlite3.Connection:
        if self._generation != self._file.generation:
            self._connection.close()
            self._generation = self._file.generation
            self._connection = connect(self._file.path, "NORMAL")
        return self._connection
