"""The store's two files and their threads: one for writing, one for long reads. The caller reads briefly."""

import json
import sqlite3
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import NamedTuple, TypeVar, cast

from msgspec import Struct
from msgspec.structs import replace

from backlit.model.errors import StorageError
from backlit.store.files.waiting import completed
from backlit.store.journal.journal import Journal, JournalFile
from backlit.store.journal.schema import MIGRATIONS, UNDELIVERED_SQL
from backlit.store.mirror.full_text import Indexing
from backlit.store.mirror.mirror import Mirror, WriteResult
from backlit.store.mirror.recovery import MirrorFile, MirrorReads
from backlit.store.mirror.schema import OWN_GROUPS, VERSION
from backlit.store.records.changes import ABOUT_MIRROR, OutboxState, Signal, StoreChange, Subject
from backlit.store.records.entry import OutboxEntry
from backlit.store.sqlite.database import ProfileFiles, damaged_journal, drop_database, failure, is_damage, is_sound

_T = TypeVar("_T")
WAITING = "Another process has locked the journal {path}. Your changes wait for it. Keep backlit open."
WAITED = "The journal is unlocked. Your changes are saved."
KEPT = " Your last change is saved in the journal."


class Versions(NamedTuple):
    """Change counters of the two files, for writes by other processes."""

    mirror: int
    journal: int


def _raised(error: sqlite3.Error) -> None:
    raise error


class WriteContext(Struct, frozen=True):
    """The writing thread's mirror and journal, and the signal for its changes, which are published after the act."""

    mirror: Mirror
    journal: Journal
    signal: Signal
    on_damage: Callable[[sqlite3.Error], None] = _raised

    def change_mirror(self, act: Callable[[], None]) -> None:
        """Lay the journal over the mirror. A damaged mirror is rebuilt in the process."""
        try:
            act()
        except sqlite3.Error as error:
            self.on_damage(error)

    def announce(self, written: WriteResult, renamed: dict[int, int] | None = None) -> None:
        if written.ids or renamed:
            self.signal.publish(StoreChange(Subject.ITEMS, written.ids, written.fields, renamed or {}))

    def release_ranks(self) -> None:
        """Show the service's order again once every change of it has been sent, rejected or discarded."""
        self.drop_ranks(self.journal.ranks.unneeded())

    def drop_ranks(self, item_ids: Iterable[int]) -> None:
        ids = frozenset(item_ids)
        if ids:
            self.journal.ranks.drop(ids)
            self.mirror.ranks.remove(ids)
            self.signal.publish(StoreChange(Subject.ITEMS, ids, frozenset({"BacklogPriority"})))


# The reading and the writing thread hand the interpreter to each other several times a statement. With turns of a
# millisecond the first load took a quarter longer.
SWITCH_SECONDS = 0.0002
"""The longest time, in seconds, that a thread holds the interpreter while the screen's thread waits."""


class LocalDatabase:
    """The opened mirror and journal. The calling thread's reads never wait for the writing thread (WAL)."""

    def __init__(self, places: ProfileFiles, signal: Signal) -> None:
        self.places = places
        self.outbox = OutboxState()
        self.trees = threading.RLock()
        """Held while a node moves from the journal into the mirror, so that a reader sees it exactly once."""
        self.own_groups: Mapping[str, str] = {}
        """The user's setting of status groups by status."""
        self.refusal = ""
        """Why nothing is changed, as a sentence; empty without the read-only mode."""
        self.wake: Callable[[], None] = lambda: None
        """Announces, on any thread, that there is something to send."""
        self._signal = signal
        self._announced: deque[StoreChange] = deque()
        self._writing = ThreadPoolExecutor(1, "backlit-writer")
        self._reading = ThreadPoolExecutor(1, "backlit-reader")
        self._writer: WriteContext | None = None
        self._file = MirrorFile(places, self._renewed)
        self._journal_file = JournalFile(places.journal)
        self._generation = 0
        self._reads: list[MirrorReads] = []
        self._journal: Journal | None = None
        self.indexing = Indexing(lambda: self.submit(self._index))

    def only_read(self, refusal: str) -> None:
        """Take no edits and send nothing, for the reason in a sentence; empty allows both. For a start's beginning."""
        self.refusal = refusal
        if self._writer is not None:
            self._writer.journal.refusal = refusal

    def open(self) -> None:
        """Open or create the files and lay the undelivered entries over the mirror."""
        if self._writer is not None:
            return
        sys.setswitchinterval(SWITCH_SECONDS)
        self.places.make()
        self.places.drop_broken_mirror()
        try:
            self._open()
        except sqlite3.Error as error:
            self._close()
            self._opened_damaged(error)

    def _open(self) -> None:
        with ExitStack() as opened:  # closed again where a later one cannot be opened
            with self._journal_file.in_place():
                journal = opened.enter_context(closing(Journal(self.places.journal)))
                journal.refusal = self.refusal
                self._journal = opened.enter_context(closing(Journal(self.places.journal, is_for_reading=True)))
                self._journal_file.opened()
            announcing = Signal()
            announcing.subscribe(self._announced.append)
            mirror = opened.enter_context(closing(Mirror(self.places.mirror)))
            self._writer = WriteContext(mirror, journal, announcing, self._rebuild)
            self._file.opened()
            self._reads = [opened.enter_context(closing(MirrorReads(self._file))) for _ in range(2)]
            journal.forget_old()
            _lay_over(mirror, journal, self.own_groups)
            self.outbox = journal.state()
            opened.pop_all()
        journal.file.report_waiting(self._say_waiting)
        self.indexing.go_on()

    def _opened_damaged(self, error: sqlite3.Error) -> None:
        self._blame_journal(error)
        if not is_damage(error):
            raise failure(error, self.places.mirror.parent) from error
        drop_database(self.places.mirror)
        try:
            self._open()
        except sqlite3.Error as again:
            raise failure(again, self.places.mirror) from again

    def _blame_journal(self, error: sqlite3.Error) -> None:
        if is_damage(error) and not is_sound(self.places.journal):
            raise damaged_journal(error, self.places.journal) from error

    def close(self) -> None:
        if self._writer is not None:
            self._writer.journal.file.give_up()
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

    def node_entries(self, project_id: int | None, tree: str) -> Sequence[OutboxEntry]:
        """Return the unsent changes of a tree's nodes."""
        return self.journal.entries.on_nodes(project_id, tree)

    @property
    def mirror(self) -> sqlite3.Connection:
        """The mirror for short reads on the calling thread, through `execute` only. A damaged file is rebuilt."""
        return cast("sqlite3.Connection", self._reads[0])

    @property
    def journal(self) -> Journal:
        assert self._journal is not None, "open the store first"
        return self._journal

    def submit(self, act: Callable[[WriteContext], _T]) -> "Future[_T]":
        """Queue an act for the writing thread. The outbox's state is updated after it."""
        return self._writing.submit(self._act, act)

    async def write(self, act: Callable[[WriteContext], _T]) -> _T:
        """Run an act on the writing thread and wait for it, in any event loop or in none."""
        return await completed(self.submit(act))

    async def edit(self, act: Callable[[WriteContext], _T]) -> _T:
        """Run an act of the user as `write` does, and have its entries sent."""
        done = await completed(self._writing.submit(self._act, act, is_own=True))
        self.wake()
        return done

    async def read(self, act: Callable[[sqlite3.Connection], _T]) -> _T:
        """Run a long read on the reading thread and wait for it."""
        return await completed(self._reading.submit(self._reads[1].run, act))

    async def other_writes(self) -> Versions:
        """Return counters that change when another process writes the mirror or the journal."""
        return await self.write(lambda writer: Versions(writer.mirror.data_version(), writer.journal.data_version()))

    def stamp(self) -> tuple[object, ...]:
        """Return a cheap fingerprint of the files. It differs after nearly every write by any process."""
        return tuple(_stamp(each.with_name(each.name + "-wal")) for each in (self.places.mirror, self.places.journal))

    def _act(self, act: Callable[[WriteContext], _T], *, is_own: bool = False) -> _T:
        with self._in_place() as writer:
            return self._acted(writer, act, is_own=is_own)

    def _acted(self, writer: WriteContext, act: Callable[[WriteContext], _T], *, is_own: bool) -> _T:
        before = writer.journal.file.kept
        try:
            result = act(writer)
            state = writer.journal.state()
        except sqlite3.Error as error:
            raise self._failure(error, is_kept=writer.journal.file.kept != before) from error
        finally:
            while self._announced:  # other connections read them now
                change = self._announced.popleft()
                self._signal.publish(replace(change, is_own=True) if is_own else change)
        if state != self.outbox:
            self.outbox = state
            self._signal.publish(StoreChange(Subject.OUTBOX))
        if writer.mirror.full_text.is_due:
            self.indexing.go_on()
        return result

    def _index(self, writer: WriteContext) -> None:
        if self.indexing.begun() and writer.mirror.full_text.index_some():
            self._signal.publish(StoreChange(Subject.ITEMS))

    # Damaged or deleted mirror

    @property
    def generation(self) -> int:
        """The number of times the mirror was rebuilt. Each rebuild requires a new load."""
        return self._file.generation

    def renew(self) -> None:
        self._file.renew(self._file.generation)

    def notice_loss(self) -> None:
        """Rebuild a deleted mirror, or use the new one of another process. Restore a deleted journal."""
        if self._journal_file.is_lost():
            self.submit(lambda _: None)
        if self._file.is_lost():
            self.renew()

    def _renewed(self) -> None:
        for subject in ABOUT_MIRROR:
            self._signal.publish(StoreChange(subject))

    @contextmanager
    def _in_place(self) -> Iterator[WriteContext]:
        """Yield the writer. No other process restores the journal during the block and misses its writes."""
        is_in_place = False
        while not is_in_place:
            if self._journal_file.is_lost():
                self._restore_journal()
            with self._journal_file.in_place() as is_in_place:
                if is_in_place:
                    yield self._current_writer()

    def _current_writer(self) -> WriteContext:
        assert self._writer is not None, "open the store first"
        if self._generation != self._file.generation:
            self._generation = self._file.generation
            self._writer.mirror.close()
            self._writer = replace(self._writer, mirror=Mirror(self.places.mirror))
            _lay_over(self._writer.mirror, self._writer.journal, self.own_groups)
        return self._writer

    def _restore_journal(self) -> None:
        assert self._writer is not None, "open the store first"
        journal, sentence = self._journal_file.restore(self._writer.journal, self.journal)
        journal.file.report_waiting(self._say_waiting)
        self._writer = replace(self._writer, journal=journal)
        self._signal.publish(StoreChange(Subject.OUTBOX, sentence=sentence))

    def _say_waiting(self, is_waiting: bool) -> None:
        sentence = WAITING if is_waiting else WAITED
        self._signal.publish(StoreChange(Subject.OUTBOX, sentence=sentence.format(path=self.places.journal)))

    def _rebuild(self, error: sqlite3.Error) -> None:
        """Rebuild a damaged mirror. The journal is laid over it before the next act."""
        if not is_damage(error) or not is_sound(self.places.journal):
            raise error
        self._file.renew(self._generation)

    def _failure(self, error: sqlite3.Error, *, is_kept: bool) -> StorageError:
        """Return the error to raise for a failed write. A damaged mirror is rebuilt."""
        self._blame_journal(error)
        if not is_damage(error):
            said = failure(error, self.places.journal if not is_kept else self.places.mirror)
            return StorageError(f"{said.message}{KEPT * is_kept}")
        self._file.renew(self._generation)
        return StorageError(f"The local copy of the backlog was damaged. Loading it again.{KEPT * is_kept}")


def _lay_over(mirror: Mirror, journal: Journal, own_groups: Mapping[str, str]) -> None:
    mirror.configure(OWN_GROUPS, dict(own_groups))
    mirror.align(journal.entries.undelivered())
    _align_ranks(mirror, journal)


def _align_ranks(mirror: Mirror, journal: Journal) -> None:
    journal.ranks.drop(journal.ranks.unneeded())
    numbers = journal.ranks.numbers()
    surplus = [item_id for item_id in mirror.ranks.every() if item_id not in numbers]
    if surplus:
        mirror.ranks.remove(surplus)
    if numbers:
        mirror.ranks.put(numbers)


def _stamp(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


class FileReport(Struct, frozen=True):
    """The state of a file: bytes including its logs, schema version, current version, number of records.

    `fault` is a sentence if the file is unusable. The numbers are None without a file.
    """

    path: Path
    size: int
    version: int
    wanted: int
    count: int | None
    fault: str = ""


def inspect_mirror(path: Path) -> FileReport:
    """Inspect a mirror. `count` is the number of items."""
    return _inspected(path, VERSION, "SELECT count(*) FROM items")


def inspect_journal(path: Path) -> FileReport:
    """Inspect a journal. `count` is the number of undelivered changes."""
    return _inspected(path, len(MIGRATIONS), f"SELECT count(*) FROM entries WHERE {UNDELIVERED_SQL}")  # noqa: S608 # constants


def is_open_elsewhere(path: Path) -> bool:
    """Report whether another process has a journal open: then SQLite does not get the file for itself."""
    if not path.exists():
        return False
    try:
        with closing(sqlite3.connect(path, timeout=0.0)) as connection:
            connection.execute("PRAGMA locking_mode = EXCLUSIVE")
            connection.execute("SELECT count(*) FROM settings").fetchone()
    except sqlite3.OperationalError as error:
        return error.sqlite_errorcode & 0xFF == sqlite3.SQLITE_BUSY
    return False


def kept_value(path: Path, key: str) -> object:
    """Return a value of the screens in a journal that is not open; None without one, or without a readable file."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            found = connection.execute("SELECT value FROM settings WHERE key = ?", (key,)).fetchone()
            return json.loads(found[0]) if found else None
    except (sqlite3.Error, ValueError):
        return None


def _inspected(path: Path, wanted: int, question: str) -> FileReport:
    if not path.exists():
        return FileReport(path, 0, 0, wanted, None)
    size = sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*") if each.name != f"{path.name}.lock")
    version = 0
    if not path.stat().st_size:
        return FileReport(path, size, version, wanted, None, "The file is empty.")
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            version = int(connection.execute("PRAGMA user_version").fetchone()[0])
            said = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
            if said != "ok":
                return FileReport(path, size, version, wanted, None, f"The file is damaged: {said}.")
            count = int(connection.execute(question).fetchone()[0])
    except sqlite3.Error as error:
        return FileReport(path, size, version, wanted, None, f"The file cannot be read: {error}.")
    return FileReport(path, size, version, wanted, count)
