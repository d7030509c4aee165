"""The full text index of items: many that come at once are indexed later, a few at a time."""

import sqlite3
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress

from backlit.store.database import ids_json, transaction
from backlit.store.schema import DESCRIPTION_WORDS, NAME_WORDS

AT_ONCE = 200
"""Items indexed in one transaction, so that an edit made meanwhile does not wait long for its turn."""

_INDEX = (
    f"INSERT INTO item_words (rowid, name, description) SELECT new.id, {NAME_WORDS}, {DESCRIPTION_WORDS}"  # noqa: S608 # constants
    " FROM documents AS new WHERE new.id IN (SELECT value FROM json_each(?))"
)


class FullText:
    """Writes the index through the mirror's connection; which items wait for it is kept in the file."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self.is_due = False
        self.look()

    def look(self) -> None:
        """See whether anything waits: another process, or this one before a crash, may have left it."""
        self.is_due = self._connection.execute("SELECT 1 FROM words_due LIMIT 1").fetchone() is not None

    def put_off(self, item_ids: Iterable[int]) -> None:
        """Note that items are to be indexed later; before their documents are written."""
        sql = "INSERT OR IGNORE INTO words_due SELECT value FROM json_each(?)"
        self._connection.execute(sql, (ids_json(item_ids),))
        self.is_due = True

    def index_some(self) -> bool:
        """Index a few of those that wait; says whether none is left, though there was one."""
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
    """Has the index brought up to date behind everything else on the writing thread, but not while much is loaded."""

    def __init__(self, submit: Callable[[], "Future[None]"]) -> None:
        self._submit = submit
        self._is_queued = False
        self._holders = 0

    @contextmanager
    def held(self) -> Iterator[None]:
        """Leave the index alone meanwhile."""
        self._holders += 1
        try:
            yield
        finally:
            self._holders -= 1
            self.go_on()

    def go_on(self) -> None:
        """Queue a turn, unless one is queued; what cannot be queued any more is done after the next start."""
        if not self._is_queued and not self._holders:
            self._is_queued = True
            with suppress(RuntimeError):
                self._submit().add_done_callback(self._ended)

    def _ended(self, turn: "Future[None]") -> None:
        if turn.cancelled() or turn.exception() is not None:
            self._is_queued = False

    def begun(self) -> bool:
        """Take note that the queued turn has come; says whether it is to do anything."""
        self._is_queued = False
        return not self._holders
