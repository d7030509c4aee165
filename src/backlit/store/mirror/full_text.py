"""The full text index of items. Large batches are indexed later, a few items at a time."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from backlit.store.mirror.schema import DESCRIPTION_WORDS, NAME_WORDS
from backlit.store.sqlite.database import transaction
from backlit.store.sqlite.ids import ids_json

AT_ONCE = 200
"""Items indexed in one transaction. A small number keeps waiting edits fast."""

_INDEX = (
    f"INSERT INTO item_words (rowid, name, description) SELECT new.id, {NAME_WORDS}, {DESCRIPTION_WORDS}"  # noqa: S608 # constants
    " FROM documents AS new WHERE new.id IN (SELECT value FROM json_each(?))"
)


class FullText:
    """The full text index, through the mirror's connection. The file holds the list of waiting items."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.is_due = False
        self.look()

    def look(self) -> None:
        """Look for waiting items of another process, or from before a crash."""
        self.is_due = self._connection.execute("SELECT 1 FROM words_due LIMIT 1").fetchone() is not None

    # In the file, so that a crash between the documents and their words leaves a list and not items that no search
    # finds.
    def put_off(self, item_ids: Iterable[int]) -> None:
        """Add items to the waiting list, before their documents are written."""
        sql = "INSERT OR IGNORE INTO words_due SELECT value FROM json_each(?)"
        self._connection.execute(sql, (ids_json(item_ids),))
        self.is_due = True

    def index_some(self) -> bool:
        """Index a few waiting items. Returns True once the list has become empty."""
        if not self.is_due:
            return False
        with transaction(self._connection):
            sql = "SELECT id FROM words_due LIMIT ?"
            ids = [item_id for (item_id,) in self._connection.execute(sql, (AT_ONCE,))]
            self._connection.execute(_INDEX, (ids_json(ids),))
            self._connection.executemany("DELETE FROM words_due WHERE id = ?", ((each,) for each in ids))
        self.look()
        return not self.is_due


class Indexing:
    """Background indexing on the writing thread, after all other work and paused during large loads."""

    def __init__(self, submit: Callable[[], "Future[None]"]) -> None:
        self._submit = submit
        self._is_queued = False
        self._holders = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Pause indexing during the block."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            self.go_on()

    def go_on(self) -> None:
        """Queue an indexing turn, unless one is queued. After close, the next start does the rest."""
        if not self._is_queued and not self._holders:
            self._is_queued = True
            with suppress(RuntimeError):
                self._submit().add_done_callback(self._ended)

    def _ended(self, turn: "Future[None]") -> None:
        if turn.cancelled() or turn.exception() is not None:
            self._is_queued = False

    def begun(self) -> bool:
        """Begin the queued run. Reports whether there is anything to index."""
        self._is_queued = False
        return not self._holders
