"""Engines, connections and queues, the file of an SQLite database, and errors of drivers and disks as sentences."""

import errno
import fcntl
import math
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import Any, cast

import orjson
from sqlalchemy import URL, Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DatabaseError, DBAPIError, NoSuchModuleError, OperationalError
from sqlalchemy.pool import NullPool

from backlit.model.amounts import points_of
from backlit.model.errors import ServiceError, StorageError, StorageFull, Unavailable
from backlit.model.filters.matching import SQL_FUNCTIONS
from backlit.model.private_files import ensure_private_file, make_private_folder
from backlit.service.storage.clock import Clock
from backlit.service.storage.jobs import RETRY_AFTER, ReadTooSlow, Result, SharePerUser, Work
from backlit.service.storage.migrations import migrate
from backlit.service.storage.notifications import Notification, commit_statement, listen, payload_of
from backlit.service.storage.prepared_statements import driver_sql
from backlit.service.storage.quick_reads import NeedsWorkerThread, QuickReads
from backlit.service.storage.worker_queue import WorkerQueue

_Identity = tuple[int, int] | None


class DatabaseFile:
    """Check that the files at the database's path are the opened ones."""

    def __init__(self, path: Path) -> None:
        self._paths = (path, path.with_name(f"{path.name}-wal"))
        self._opened: list[_Identity] = [None, None]

    def opened(self) -> None:
        """Record the opened files; the write-ahead log appears with the first read or write."""
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
    """Hold an SQLite file as its only server for the length of a block; raise StorageError if it has one.

    In-process services of clients, and `backlit admin`, may use the file at the same time.
    """
    path = path_of(url)
    if path is None:
        yield
        return
    # Two servers on one SQLite file would take turns by `busy_timeout`, whose growing sleeps starve one of them: of 8
    # writing processes one committed a single row in 4 s. The system frees this lock with the process, however that
    # ends; a file with a process id in it would outlive a crash.
    lock = path.with_name(f"{path.name}.serving")
    try:
        make_private_folder(lock.parent)
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


SLOW_QUERY_LIMIT = 10.0
"""Seconds of waiting and running after which a query is refused."""
# The event loop answers nobody for so long: the price of a read that is not as short as it looked.
QUICK_READ_LIMIT = 0.05
"""Seconds after which a read leaves the event loop for the slow queue."""
FAST_READ_LIMIT = 0.5
"""Seconds after which a read leaves the fast queue for the slow one."""
# A durable commit is mostly a wait for the disk: 8 callers made 3,178 changes a second with a commit each, 5,958 when
# those that wait share one. From 8 to 50 changes in a commit the rate grows by a quarter only.
WRITE_BATCH = 64
"""Maximum number of writes in one commit."""
# The driver of SQLite gives the interpreter up at every row and takes it back: one thread read 1,283 pages of 100 a
# second, four 347 to 958, forty 272. On PostgreSQL a single thread cost a third more for each read; with four in each
# of two servers one item took 5 to 136 ms at the 99th percentile, with two 2.6 to 6.7.
FAST_READERS = {"sqlite": 1, "postgresql": 2}
"""Threads of the fast queue. More threads contend for the interpreter; on SQLite, one is fastest."""
# Long scans, unlike short reads, gain from threads: four made 92 counts a second, one 38. Beside eight heavy scans of
# another user, a page by status took 8.1 s when all waited in one row, and takes 0.01.
SLOW_READERS = 3
# Short ones do not gain: two or three threads took 1.4 times the CPU of one for a filtered page over 5,000 items.
SLOW_READ_HEAD_START = {"sqlite": 0.02, "postgresql": 0.0}
"""Seconds for which a long read has run before another begins beside it."""
SLOW_READ_SHARE = SharePerUser(running=2, waiting=16)
"""One user's part of the slow queue, of which a thread is thus left to the others."""

_POSTGRES = "postgresql+psycopg"
_SPELLINGS = {"postgres": _POSTGRES, "postgresql": _POSTGRES}
# The number spells `backlit`, so that no other program on the server has it by chance.
_WRITE_LOCK = 0x6261636B6C6974
"""Lock of all services on one PostgreSQL. Writes take turns, as on SQLite, so that none has to handle another's."""
# The time comes with the lock, in the same round trip. It is read after the wait: `now()` is the transaction's
# beginning, which may lie before stamps of the writer that was waited for.
_TAKE_WRITE_TURN = f"SELECT pg_advisory_xact_lock({_WRITE_LOCK}), timezone('UTC', clock_timestamp())"
# PostgreSQL compiles what it takes for expensive: no short read, but the counts of filters over some hundred thousand
# items. Compiled with all optimisations, one over 400,000 took 0.8 to 1.5 s in place of 0.2. A transaction left open by
# a lost process would hold the write lock of all services for good.
_NOTIFY = text("SELECT pg_notify(:channel, :payload)")
_SESSION = "SET TimeZone = 'UTC'; SET jit = off; SET idle_in_transaction_session_timeout = '60s'"
# In PostgreSQL's usual isolation each statement sees another state, and a page and its total could contradict each
# other.
_READING = "SET default_transaction_read_only = on; SET default_transaction_isolation = 'repeatable read'"


class Database:
    """Database of one service: fast and slow reader threads, and one writer thread.

    On the slow queue users take turns. The clock stays ahead of every stored stamp.
    """

    def __init__(self, url: str, clock: Clock) -> None:
        self._url = parsed_url(url)
        self._origin = secrets.token_hex(8)
        self._clock = clock
        path = path_of(self._url)
        self._file = DatabaseFile(path) if path is not None else None
        self._engines: tuple[Engine, ...] = ()
        self._quick: QuickReads | None = None
        self.on_commit: Callable[[], None] = lambda: None
        """Called after each commit, on the writing thread."""
        self.fast: WorkerQueue
        self.slow: WorkerQueue
        self.write: WorkerQueue

    def open(self) -> None:
        fast, slow = engine_at(self._url, FAST_READ_LIMIT), engine_at(self._url, SLOW_QUERY_LIMIT)
        writing = writing_engine(self._url, self._clock, self._origin)
        self._engines = (fast, slow, writing)
        backend = self._url.get_backend_name()
        try:
            _migrate(writing)
            self.fast = WorkerQueue(
                fast, "fast", threads=FAST_READERS[backend], time_limit=FAST_READ_LIMIT, before=self._before_read
            )
            self.slow = WorkerQueue(
                slow,
                "slow",
                threads=SLOW_READERS,
                time_limit=SLOW_QUERY_LIMIT,
                shares=SLOW_READ_SHARE,
                head_start=SLOW_READ_HEAD_START[backend],
                before=self._before_read,
            )
            self.write = WorkerQueue(
                writing, "write", batch=WRITE_BATCH, before=self._before_write, after=self._after_write
            )
            # All stamped tables once, on the queue that may take long; the newest item again before each write.
            self.slow.submit(self._clock.keep_ahead_of_tables).result()
            if self._file is not None:
                self._file.opened()
                self._quick = QuickReads(fast, QUICK_READ_LIMIT, self._before_read)
        except DatabaseError as error:
            raise unusable(self._url, error) from error

    async def read(self, work: Work[Result], reader: Callable[[], int | None] = lambda: None) -> Result:
        """Do a short read: in this thread where the database is a file, else on the fast queue.

        One that turns out to be long starts again on the slow queue, as a read of the user that `reader` returns then.
        """
        try:
            if self._quick is not None:
                with suppress(NeedsWorkerThread):
                    return self._quick.run(work)
            return await self.fast.run(work)
        except ReadTooSlow:
            return await self.slow.run(work, reader())

    async def listen(self, receive: Callable[[Notification], None]) -> None:
        """Pass on what other processes on this database tell, without end; a file has none."""
        if self._url.get_backend_name() == "postgresql":
            await listen(self._url, self._origin, receive)

    def notify(self, channel: str, payload: bytes) -> None:
        """Tell other processes on this database something of under 8,000 bytes, without waiting for it."""
        if self._url.get_backend_name() == "postgresql":
            values = {"channel": channel, "payload": payload_of(self._origin, payload.decode())}
            with suppress(Unavailable):
                self.fast.submit(lambda connection: connection.execute(_NOTIFY, values) and None)

    def close(self) -> None:
        if self._quick is not None:
            self._quick.close()
        for worker_queue in (self.fast, self.slow, self.write):
            worker_queue.close()
        for engine in self._engines:
            engine.dispose()

    def _before_read(self, _: Connection) -> None:
        self._must_be_there()

    def _before_write(self, connection: Connection) -> None:
        self._must_be_there()
        self._clock.keep_ahead_of_items(connection)  # others may have written, such as an import or another service

    def _after_write(self) -> None:
        self._must_be_there()
        self.on_commit()

    def _must_be_there(self) -> None:
        if self._file is not None:
            self._file.must_be_there()


def prepare(url: str | URL) -> None:
    parsed = parsed_url(url)
    engine = writing_engine(parsed)
    try:
        _migrate(engine)
    except DatabaseError as error:
        raise unusable(parsed, error) from error
    finally:
        engine.dispose()


def unusable(url: URL, error: DatabaseError) -> StorageError:
    return StorageError(f"The database {url.database} cannot be used: {error.orig}.")


def _migrate(writing: Engine) -> None:
    with writing.connect() as connection, connection.begin():
        migrate(connection)


def parsed_url(url: str | URL) -> URL:
    try:
        parsed = make_url(url)
    except ArgumentError as error:
        raise StorageError("A database is written as sqlite:///path or postgresql://user@host/name.") from error
    parsed = parsed.set(drivername=_SPELLINGS.get(parsed.drivername, parsed.drivername))
    if parsed.drivername not in {"sqlite", _POSTGRES}:
        raise StorageError(
            f"backlit does not support {parsed.drivername}:// databases. Use sqlite:/// or postgresql://."
        )
    return parsed


def without_password(url: str) -> str:
    parsed = make_url(url)
    hidden = parsed.set(password="PASSWORD") if parsed.password else parsed  # noqa: S106 - a placeholder
    if "password" in hidden.query:
        hidden = hidden.update_query_dict({"password": "PASSWORD"})
    return url if hidden == parsed else hidden.render_as_string(hide_password=False)


def absolute_url(url: str) -> str:
    """Return the address of an SQLite file from any directory; any other address as it is."""
    parsed = parsed_url(url)
    if parsed.drivername != "sqlite" or not parsed.database or parsed.database == ":memory:":
        return url
    return parsed.set(database=str(Path(parsed.database).absolute())).render_as_string(hide_password=False)


def engine_at(url: str | URL, time_limit: float = 0) -> Engine:
    """Return an engine for reading, whose transactions see one state of the database; one connection per caller.

    PostgreSQL ends queries after `time_limit` seconds itself; 0 is no limit.
    """
    engine = _engine(parsed_url(url))
    if engine.dialect.name == "sqlite":
        event.listen(engine, "begin", _begin("BEGIN"))
    else:
        statements = f"{_SESSION}; {_READING}; SET statement_timeout = {time_limit * 1000:.0f}"
        event.listen(engine, "connect", partial(_set_up_postgres, statements))
    return engine


def writing_engine(url: str | URL, clock: Clock | None = None, origin: str = "") -> Engine:
    """Return an engine whose transactions take the write lock at once, so that none fails half-way.

    The clock follows that of the database, where that is another machine's. `origin` tells a process its own commits.
    """
    engine = _engine(parsed_url(url))
    if engine.dialect.name == "sqlite":
        # A plain BEGIN takes the lock at the first write, and fails at once where the transaction has read and another
        # has written since: eight processes made 160 changes a second with 395,033 such errors in 4 s, and 3,775
        # without errors by IMMEDIATE.
        event.listen(engine, "begin", _begin("BEGIN IMMEDIATE"))
    else:
        event.listen(engine, "connect", partial(_set_up_postgres, _SESSION))
        event.listen(engine, "begin", _wait_for_turn(clock))
        event.listen(engine, "commit", partial(_commit_and_tell, commit_statement(origin)))
    return engine


def _engine(url: URL) -> Engine:
    try:
        # Not the asynchronous engine, in threads of our own instead: that one takes 1.4 times the CPU for a page of
        # 100, and six times for a row.
        engine = create_engine(
            url,
            # Each worker keeps its one connection for life; a pool would have nothing to share.
            poolclass=NullPool,
            json_serializer=lambda value: orjson.dumps(value).decode(),
            json_deserializer=orjson.loads,
            hide_parameters=True,  # errors go into the log, which has no secrets
            # Each connection has one user at a time, in changing threads.
            connect_args={"check_same_thread": False} if url.get_backend_name() == "sqlite" else {},
        )
    except (ModuleNotFoundError, NoSuchModuleError) as error:
        raise StorageError("PostgreSQL needs a driver; install it in a checkout: pip install '.[postgres]'") from error
    if engine.dialect.name == "sqlite":
        path = path_of(url)
        if path is not None:
            event.listen(engine, "do_connect", partial(_ensure_private, path))
        event.listen(engine, "connect", _set_up_sqlite)
    return engine


def _ensure_private(path: Path, *_connecting: object) -> None:
    try:
        ensure_private_file(path)
    except OSError as error:
        raise StorageError(f"The database {path} cannot be created: {error.strerror}.") from error


def _begin(statement: str) -> Callable[[Connection], None]:
    """Begin transactions of SQLite through the driver, at half the cost of SQLAlchemy's way, unless one is open."""

    def begin(connection: Connection) -> None:
        driver = cast("sqlite3.Connection", connection.connection.driver_connection)
        if not driver.in_transaction:
            driver_sql(connection, statement)

    return begin


def _wait_for_turn(clock: Clock | None) -> Callable[[Connection], None]:
    def wait(connection: Connection) -> None:
        _, moment = connection.exec_driver_sql(_TAKE_WRITE_TURN).one()
        if clock is not None:
            clock.follow(moment)

    return wait


def _commit_and_tell(statement: str, connection: Connection) -> None:
    driver_sql(connection, statement)


def _set_up_postgres(statements: str, connection: Any, _record: object) -> None:
    # SET inside a transaction would be undone by its rollback.
    connection.autocommit = True
    connection.execute(statements)
    connection.autocommit = False


def _set_up_sqlite(connection: sqlite3.Connection, _record: object) -> None:
    connection.isolation_level = None  # transactions are begun by the engine's own event
    # By NORMAL the rate of one writer doubles, and the last commits before a loss of power are gone. Under `kill -9`,
    # none of 333,237 acknowledged writes was lost with either. `busy_timeout` counts for readers too: one that opens a
    # write-ahead log beside others may find it locked. FULL: a change is on the disk before it is acknowledged, even if
    # power fails then.
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000", "cache_size=-8192"):
        connection.execute(f"PRAGMA {pragma}")
    for name, function in _FUNCTIONS.items():
        connection.create_function(name, -1, function, deterministic=True)


def _of_text(function: Callable[[str], str]) -> Callable[[object], str | None]:
    return lambda value: function(value) if isinstance(value, str) else None


def _of_number(function: Callable[[float], float]) -> Callable[[object], float | None]:
    return lambda value: float(function(value)) if isinstance(value, int | float) else None


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    **SQL_FUNCTIONS,
    # SQLite's own functions fold ASCII only, or are missing in some builds; these agree with the model's `matches`.
    "backlit_lower": _of_text(str.lower),
    "backlit_upper": _of_text(str.upper),
    "backlit_round": _of_number(lambda number: math.copysign(math.floor(abs(number) + 0.5), number)),
    "backlit_floor": _of_number(math.floor),
    "backlit_ceiling": _of_number(math.ceil),
    "backlit_points": points_of,
}


_LOCKED = Unavailable, "Another program has locked the database. No changes were made; try again in a moment."
_FULL = StorageFull, "The service's disk is full. No changes were made; free some space there and try again."
_BROKEN = Unavailable, "The service could not read or write its database. Its log has the cause; try again in a moment."
_UNREACHABLE = Unavailable, "The service cannot reach its database. No changes were made; try again in a moment."
_BUSY = Unavailable, "The database took too long. No changes were made; try again in a moment."

_Trouble = tuple[type[ServiceError], str]
_BY_ERRNO: Mapping[int, _Trouble] = {errno.ENOSPC: _FULL, errno.EDQUOT: _FULL, errno.EFBIG: _FULL}
_BY_SQLITE_CODE: Mapping[int, _Trouble] = {
    sqlite3.SQLITE_BUSY: _LOCKED,
    sqlite3.SQLITE_LOCKED: _LOCKED,
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_IOERR: _BROKEN,
    sqlite3.SQLITE_READONLY: _BROKEN,
    sqlite3.SQLITE_CANTOPEN: _BROKEN,
    sqlite3.SQLITE_INTERRUPT: _BUSY,
}
_BY_SQLSTATE: Mapping[str, _Trouble] = {
    # By code, else by class (its first two characters).
    "08": _UNREACHABLE,
    "53": _BROKEN,
    "53100": _FULL,
    "57": _UNREACHABLE,
    "57014": _BUSY,
    "40": _BUSY,
    "55P03": _LOCKED,
    "25006": _BROKEN,
    "25P03": _BUSY,
    "58": _BROKEN,
}


def transient_error_of(error: BaseException) -> ServiceError | None:
    """Translate a temporary error; None for a defect."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    found = _found(cause)
    if found is None and isinstance(error, OperationalError) and not isinstance(cause, sqlite3.Error):
        # The driver has no state for an error that a server did not report: the connection broke or was never made.
        found = _UNREACHABLE if getattr(cause, "sqlstate", None) is None else None
    return None if found is None else found[0](found[1], retry_after=RETRY_AFTER)


def _found(error: BaseException) -> _Trouble | None:
    if isinstance(error, sqlite3.Error):
        # The low byte is the primary code; the rest tells, for example, kinds of input and output errors apart.
        return _BY_SQLITE_CODE.get(getattr(error, "sqlite_errorcode", 0) & 0xFF)
    if isinstance(error, OSError):
        return _BY_ERRNO.get(error.errno or 0)
    state = getattr(error, "sqlstate", None) or ""
    return _BY_SQLSTATE.get(state) or _BY_SQLSTATE.get(state[:2])
