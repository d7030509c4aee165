"""The file of an SQLite database: whether it is still the one that was opened, and the one server it has."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import URL

from backlit.model.errors import StorageError, Unavailable

_Identity = tuple[int, int] | None


class DatabaseFile:
    """Compares the files at the database's path with those that were opened."""

    def __init__(self, path: Path) -> None:
        self._paths = (path, path.with_name(f"{path.name}-wal"))
        self._opened: list[_Identity] = [None, None]

    def opened(self) -> None:
        """Remember the files; the write-ahead log is one of them once something was read or written."""
        self._opened = [_identity(path) for path in self._paths]

    def must_be_there(self) -> None:
        """Raise Unavailable where a file was removed or replaced: nothing written since then would last."""
        for path, opened in zip(self._paths, self._opened, strict=True):
            if opened is not None and _identity(path) != opened:
                raise Unavailable(
                    f"The database file {path} was removed or replaced while the service was running."
                    " Put it back, or restart the service."
                )


def _identity(path: Path) -> _Identity:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def path_of(url: URL) -> Path | None:
    """Return the file of an SQLite database; None for one in memory or on a server."""
    is_file = url.get_backend_name() == "sqlite" and url.database not in {None, "", ":memory:"}
    return Path(url.database or "") if is_file else None


@contextmanager
def sole_server(url: URL) -> Iterator[None]:
    """Be the only server of an SQLite file for the length of a block; raises StorageError where there is one.

    Clients with a service of their own, and `backlit admin`, may use the file beside it.
    """
    path = path_of(url)
    if path is None:
        yield
        return
    lock = path.with_name(f"{path.name}.serving")
    try:
        lock.parent.mkdir(parents=True, exist_ok=True)
        held = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(f"{lock} cannot be written: {error.strerror}.") from error
    try:
        try:
            fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                f"Another server is running on the database {path}. Stop it first, or keep the data in PostgreSQL:"
                " --database postgresql://user@host/name."
            ) from None
        yield
    finally:
        os.close(held)
