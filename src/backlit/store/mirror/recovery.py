"""Recovery of a mirror that is damaged or deleted while in use: it is rebuilt."""

import sqlite3
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from backlit.model.errors import StorageError
from backlit.store.mirror.mirror import Mirror
from backlit.store.sqlite.database import (
    FileIdentity,
    ProfileFiles,
    QueryRows,
    connect,
    drop_database,
    failure,
    is_damage,
)

_T = TypeVar("_T")


class MirrorFile(FileIdentity):
    """The mirror's file. `generation` grows with each rebuild."""

    def __init__(self, places: ProfileFiles, on_renewed: Callable[[], None]) -> None:
        super().__init__(places.mirror)
        self.generation = 0
        self._on_renewed = on_renewed
        self._lock = threading.Lock()

    def renew(self, generation: int) -> None:
        """Rebuild the mirror, unless that happened since a generation.

        A new file of another process is used as it is.
        """
        with self._lock:
            if generation != self.generation:
                return
            try:
                self._rebuild()
            except OSError as error:
                raise StorageError(f"{self.path} is damaged and cannot be rebuilt: {error.strerror}.") from error
            except sqlite3.Error as error:
                raise failure(error, self.path) from error
            self.generation += 1
        self._on_renewed()

    def _rebuild(self) -> None:
        with self._renewing():
            if not self.is_lost() or self._identity is None:
                drop_database(self.path)
            Mirror(self.path).close()
            self.opened()


class MirrorReads:
    """A thread's connection for reading. It follows the file and reconnects after a rebuild."""

    def __init__(self, file: MirrorFile) -> None:
        self._file = file
        self._generation = file.generation
        self._connection = connect(file.path, "NORMAL")

    def close(self) -> None:
        self._connection.close()

    def run(self, act: Callable[[sqlite3.Connection], _T]) -> _T:
        try:
            return act(self._current())
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_INTERRUPT:
                raise
            if not is_damage(error):
                raise failure(error, self._file.path) from error
            self._file.renew(self._generation)
            return act(self._current())

    def execute(self, sql: str, values: Sequence[object] = ()) -> QueryRows:
        """Run a short query and read its rows at once, or as many as arrive before an interrupt."""

        def read(connection: sqlite3.Connection) -> QueryRows:
            rows: list[Any] = []
            try:
                # Row by row, as `fetchall` would drop the rows that were found before the interrupt, which are the
                # first rows of a search.
                for each in connection.execute(sql, values):
                    rows.append(each)  # noqa: PERF402 - rows before an interrupt count
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode != sqlite3.SQLITE_INTERRUPT:
                    raise
                return QueryRows(rows, error)
            return QueryRows(rows)

        return self.run(read)

    def set_progress_handler(self, handler: Callable[[], bool] | None, ticks: int) -> None:
        self._current().set_progress_handler(handler, ticks)

    def _current(self) -> sqlite3.Connection:
        if self._generation != self._file.generation:
            self._connection.close()
            self._generation = self._file.generation
            self._connection = connect(self._file.path, "NORMAL")
        return self._connection
