"""The store's files and the threads that may touch them: one writes, one reads at length, the caller reads briefly."""

import asyncio
import sqlite3
import sys
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from backlit.model.errors import StorageError
from backlit.store.changes import ABOUT_MIRROR, Change, OutboxState, Signal, Subject
from backlit.store.database import drop_database, is_sound
from backlit.store.disk import damaged_journal, failure, is_damage
from backlit.store.full_text import Indexing
from backlit.store.journal import Journal
from backlit.store.mirror import Mirror, Written
from backlit.store.mirror_file import MirrorFile, MirrorReads
from backlit.store.places import Places
from backlit.store.ranks import settle_numbers

_T = TypeVar("_T")
KEPT = " What was just done is in the journal."


class Versions(NamedTuple):
    """Numbers of the two files that change when another process writes to them."""

    mirror: int
    journal: int


def _raised(error: sqlite3.Error) -> None:
    raise error


@dataclass(frozen=True, slots=True)
class Writer:
    """What the writing thread has in its hands, with the signal that says what it did."""

    mirror: Mirror
    journal: Journal
    signal: Signal
    on_damage: Callable[[sqlite3.Error], None] = _raised

    def show(self, act: Callable[[], None]) -> None:
        """Lay over the mirror what the journal has already; where it is damaged, it is made anew with that."""
        try:
            act()
        except sqlite3.Error as error:
            self.on_damage(error)

    def announce(self, written: Written, renamed: dict[int, int] | None = None) -> None:
        """Publish what was written; nothing is said where nothing changed."""
        if written.ids or renamed:
            self.signal.publish(Change(Subject.ITEMS, written.ids, written.fields, renamed or {}))


TURN_SECONDS = 0.0002
"""How long a thread may keep the interpreter from the others: the screen's should not wait longer for the engine's."""


class Files:
    """Both files, opened; reads of the calling thread never wait for the writing thread (WAL)."""

    def __init__(self, places: Places, signal: Signal) -> None:
        self.places = places
        self.outbox = OutboxState()
        self.trees = threading.RLock()
        """Held while a node goes from the journal into the mirror, so that nobody sees it twice, or not at all."""
        self._signal = signal
        self._writing = ThreadPoolExecutor(1, "backlit-writer")
        self._reading = ThreadPoolExecutor(1, "backlit-reader")
        self._writer: Writer | None = None
        self._file = MirrorFile(places, self._renewed)
        self._generation = 0
        self._reads: list[MirrorReads] = []
        self._journal: Journal | None = None
        self.indexing = Indexing(lambda: self.submit(self._index))

    def open(self) -> None:
        """Open or make the files, and lay what is undelivered over the mirror again."""
        if self._writer is not None:
            return
        sys.setswitchinterval(TURN_SECONDS)
        self.places.make()
        self.places.drop_broken_mirror()
        try:
            self._open()
        except sqlite3.Error as error:
            self._close()
            self._opened_damaged(error)

    def _open(self) -> None:
        journal = Journal(self.places.journal)
        self._writer = Writer(Mirror(self.places.mirror), journal, self._signal, self._make_anew)
        self._file.opened()
        self._reads = [MirrorReads(self._file) for _ in range(2)]
        self._journal = Journal(self.places.journal, is_for_reading=True)
        journal.forget_old()
        _lay_over(self._writer.mirror, journal)
        self.outbox = journal.state()
        self.indexing.go_on()

    def _opened_damaged(self, error: sqlite3.Error) -> None:
        """Try once more with a new mirror, where that is what keeps the files from being opened."""
        self._blame_journal(error)
        if not is_damage(error):
            raise failure(error, self.places.mirror.parent) from error
        drop_database(self.places.mirror)
        try:
            self._open()
        except sqlite3.Error as again:
            raise failure(again, self.places.mirror) from again

    def _blame_journal(self, error: sqlite3.Error) -> None:
        """Raise StorageError where it is the journal that is damaged."""
        if is_damage(error) and not is_sound(self.places.journal):
            raise damaged_journal(error, self.places.journal) from error

    def close(self) -> None:
        """Finish what is being written and close the files; reads after it fail."""
        self._reading.shutdown(wait=True, cancel_futures=True)
        self._writing.shutdown(wait=True, cancel_futures=False)
        self._close()

    def _close(self) -> None:
        if self._writer is not None:
            self._writer.mirror.close()
            self._writer.journal.close()
        if self._journal is not None:
            self._journal.close()
        for reads in self._reads:
            reads.close()
        self._writer, self._journal, self._reads = None, None, []

    @property
    def mirror(self) -> sqlite3.Connection:
        """For the calling thread's short reads: `execute` only. A damaged mirror is made anew behind it."""
        return cast("sqlite3.Connection", self._reads[0])

    @property
    def journal(self) -> Journal:
        """The journal, for the calling thread's short reads."""
        assert self._journal is not None, "the store is opened first"
        return self._journal

    def submit(self, act: Callable[[Writer], _T]) -> "Future[_T]":
        """Queue an act for the writing thread; the outbox's state is made to follow it."""
        return self._writing.submit(self._act, act)

    async def write(self, act: Callable[[Writer], _T]) -> _T:
        """Run an act on the writing thread and wait for it, in any event loop."""
        return await asyncio.wrap_future(self.submit(act))

    async def read(self, act: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run a long read on the reading thread and wait for it."""
        return await asyncio.wrap_future(self._reading.submit(self._reads[1].run, act))

    async def other_writes(self) -> Versions:
        """Numbers that change when another process writes the mirror or the journal."""
        return await self.write(lambda writer: Versions(writer.mirror.data_version(), writer.journal.data_version()))

    def stamp(self) -> tuple[object, ...]:
        """Something that differs after nearly every write of any process, and costs next to nothing."""
        return tuple(_stamp(each.with_name(each.name + "-wal")) for each in (self.places.mirror, self.places.journal))

    def _act(self, act: Callable[[Writer], _T]) -> _T:
        writer = self._current_writer()
        before = writer.journal.kept_changes()
        try:
            result = act(writer)
            state = writer.journal.state()
        except sqlite3.Error as error:
            raise self._failure(error, is_kept=writer.journal.kept_changes() != before) from error
        if state != self.outbox:
            self.outbox = state
            self._signal.publish(Change(Subject.OUTBOX))
        if writer.mirror.full_text.is_due:
            self.indexing.go_on()
        return result

    def _index(self, writer: Writer) -> None:
        if self.indexing.begun() and writer.mirror.full_text.index_some():
            self._signal.publish(Change(Subject.ITEMS))

    # When the mirror is damaged, or gone

    @property
    def generation(self) -> int:
        """Grows whenever the mirror was made anew, and has to be filled from the service."""
        return self._file.generation

    def renew(self) -> None:
        """Make the mirror anew."""
        self._file.renew(self._file.generation)

    def notice_loss(self) -> None:
        """Make the mirror anew where its file was deleted, or go on with the one another process made."""
        if self._file.is_lost():
            self.renew()

    def _renewed(self) -> None:
        for subject in ABOUT_MIRROR:
            self._signal.publish(Change(subject))

    def _current_writer(self) -> Writer:
        assert self._writer is not None, "the store is opened first"
        if self._generation != self._file.generation:
            self._generation = self._file.generation
            self._writer.mirror.close()
            self._writer = replace(self._writer, mirror=Mirror(self.places.mirror))
            _lay_over(self._writer.mirror, self._writer.journal)
        return self._writer

    def _make_anew(self, error: sqlite3.Error) -> None:
        """Make the mirror anew where it is damaged; the journal is laid over it before the next act."""
        if not is_damage(error) or not is_sound(self.places.journal):
            raise error
        self._file.renew(self._generation)

    def _failure(self, error: sqlite3.Error, *, is_kept: bool) -> StorageError:
        """What to say of a failed write; a mirror that is damaged is made anew."""
        self._blame_journal(error)
        if not is_damage(error):
            said = failure(error, self.places.journal if not is_kept else self.places.mirror)
            return StorageError(f"{said.message}{KEPT * is_kept}")
        self._file.renew(self._generation)
        return StorageError(f"The copy of the backlog on this machine was damaged; it is loaded again.{KEPT * is_kept}")


def _lay_over(mirror: Mirror, journal: Journal) -> None:
    mirror.settle(journal.undelivered())
    settle_numbers(mirror, journal.ranks)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size
