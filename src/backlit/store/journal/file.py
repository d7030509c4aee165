"""The journal's file. If it is deleted or replaced while in use, it is restored from the open connection."""

import os
import secrets
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager

import orjson

from backlit.model.errors import StorageError
from backlit.store.journal.journal import Journal
from backlit.store.sqlite.database import OpenedFile, drop_database, failure

_MARK = slice(68, 72)
_LOGS = ("-wal", "-shm")


class JournalFile(OpenedFile):
    """The journal's file, restored when it is deleted or replaced."""

    def restore(self, writing: Journal, reading: Journal) -> tuple[Journal, str]:
        """Restore the journal under its name. Returns a new connection for writing, and a sentence for the user.

        Closes `writing` and moves `reading` to the new file. Another process may have restored it already. A
        foreign file is moved aside. Raises StorageError.
        """
        try:
            with self._renewing() as lock:
                return self._restored(lock, writing, reading)
        except OSError as error:
            raise StorageError(f"The journal {self.path} was deleted and cannot be restored: {error}.") from error
        except sqlite3.Error as error:
            raise failure(error, self.path) from error

    def _restored(self, lock: int, writing: Journal, reading: Journal) -> tuple[Journal, str]:
        known = orjson.loads(os.read(lock, 1_000_000) or b"[]")
        if self._found() is not None and self._mark() in known and list(self._identity or ()) in known:
            with reading.reads.let_go(), self._logs_aside():
                writing.close()
            sentence = f"Another backlit process restored the journal {self.path}."
        else:
            sentence = self._write_again(writing, reading)
            os.pwrite(lock, orjson.dumps([*known, self._identity, self._found(), self._mark()]), 0)
        self.opened()
        return Journal(self.path), sentence

    def _write_again(self, writing: Journal, reading: Journal) -> str:
        copy = self.path.with_name(f"{self.path.name}.again")
        drop_database(copy)
        writing.file.copy_to(copy)
        with closing(sqlite3.connect(copy)) as connection:
            connection.execute(f"PRAGMA application_id = {secrets.randbits(31)}")
        with reading.reads.let_go():
            writing.close()
            sentence = self._moved_aside()
            drop_database(self.path)
            copy.rename(self.path)
        return sentence

    def _mark(self) -> str:
        """Return the mark of a restored file, from SQLite's file header."""
        with self.path.open("rb") as file:
            return file.read(_MARK.stop)[_MARK].hex()

    def _moved_aside(self) -> str:
        """Move aside a file that took the journal's name. It is never opened, because the logs are not its own."""
        if self._found() is None:
            return f"The journal {self.path} was deleted while in use. It was restored and no data is lost."
        aside = self.path.with_name(f"{self.path.name}.found-{int(time.time())}")
        self.path.rename(aside)
        return f"Another file replaced the journal and was moved to {aside}. No data is lost."

    @contextmanager
    def _logs_aside(self) -> Iterator[None]:
        """Hide the new file's logs, because SQLite deletes logs by name when it closes the lost file."""
        moved = []
        for suffix in _LOGS:
            log = self.path.with_name(self.path.name + suffix)
            if log.exists():
                moved.append((log, log.rename(log.with_name(f"{log.name}.aside"))))
        try:
            yield
        finally:
            for log, aside in moved:
                aside.rename(log)
