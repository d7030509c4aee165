"""The engine: a thread with its own event loop that runs the client, syncing and sending.

asyncio is imported where the thread begins: a command that only keeps a change starts none.
"""

import threading
import time
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from functools import cached_property
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from msgspec.structs import replace

from backlit.model.errors import (
    BacklitError,
    Offline,
    ServiceError,
    SignInNeeded,
    StorageError,
    TransientError,
    Unavailable,
)
from backlit.model.plain import plain
from backlit.store.files.files import LocalDatabase, Versions
from backlit.store.mirror.mirror import SupersededError
from backlit.store.records.changes import (
    ABOUT_JOURNAL,
    ABOUT_MIRROR,
    ConnectionState,
    ConnectionStatus,
    Signal,
    StoreChange,
    Subject,
)
from backlit.store.records.others import OthersEdit
from backlit.store.records.people import Person
from backlit.store.views.clock import local_time
from backlit.store.views.lookups import Lookups

if TYPE_CHECKING:
    import asyncio

    from backlit.client.client import Client
    from backlit.store.engine.session import SyncSession
    from backlit.store.remote.reachability import RetryPauses


Report = Callable[[str, int, int], None]
"""Receiver of preparation progress: a sentence, the amount done and the total."""

_T = TypeVar("_T")
STOP_SECONDS = 2.0
WATCH_EVERY = 0.4
"""Seconds between two checks for the writes of any process. A check only compares file times."""
_REST_EVERY = 2.0
"""Seconds between two checks after a long time without a write."""
_QUIET_PART = 5
"""The part of the time without a write that passes until the next check."""
_ASK_ANYWAY = 5
"""The number of checks after which the files are read despite equal times: two writes may share one time."""


_WAY_OUT = "Restart backlit. No data is lost."


def _fault_of(error: BaseException) -> str:
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return plain(f" ({type(error).__name__}: {error})", 200)


class OthersDisplay(Protocol):
    """Where what others do is noted before it is read, and shown afterwards."""

    def note(self, edits: Sequence[OthersEdit], names: Mapping[int, str]) -> None: ...

    def show(self, edits: Iterable[OthersEdit]) -> None: ...


class PresenceDisplay(Protocol):
    """Where what the service says of people at items is shown."""

    def take(self, told: list[object]) -> None: ...

    def forget(self) -> None: ...


async def _nothing(_project_id: int) -> None:
    return


class Engine:
    """The connection's thread. Public methods can be called on any thread, the others on its own only."""

    def __init__(
        self,
        files: LocalDatabase,
        signal: Signal,
        connect: Callable[[Report], Awaitable["Client"]],
        waits: "RetryPauses | None" = None,
        clock: Callable[[], datetime] = local_time,
    ) -> None:
        self.connection = ConnectionStatus()
        self.on_projects: Callable[[list[int]], int | None] = lambda _: None
        self.on_synced: Callable[[int], Awaitable[None]] = _nothing
        self.others: OthersDisplay | None = None
        self.presence: PresenceDisplay | None = None
        self.owner = ""
        """The name of the user whose changes the journal holds; empty for a workspace of one user."""
        self.has_ended: Callable[[], bool] = lambda: False
        """Reports whether the server has ended the stored sign-in of the profile."""
        self._files = files
        self._signal = signal
        self._connect = connect
        self._own_waits = waits
        self._clock = clock
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main: asyncio.Task[None] | None = None
        self._session: SyncSession | None = None
        self._project_id: int | None = None
        self._running = threading.Event()
        self._superseded: SupersededError | None = None
        self._fault = ""

    @cached_property
    def _waits(self) -> "RetryPauses":
        from backlit.store.remote.reachability import USUAL_PAUSES  # for the engine's thread alone

        return self._own_waits or USUAL_PAUSES

    @property
    def is_started(self) -> bool:
        return self._thread is not None

    def start(self, project_id: int | None) -> None:
        if self._thread is None:
            import asyncio

            self._project_id = project_id
            self._thread = threading.Thread(target=asyncio.run, args=(self._run(),), name="backlit-engine", daemon=True)
            self._thread.start()

    def remember(self, user: Person | None) -> None:
        """Remember the user of the last session until the service confirms who is signed in, and how that ended."""
        self.connection = replace(self.connection, user=user, is_locked=self.has_ended())

    def stop(self) -> None:
        """Cancel requests and end the thread. The next start checks the entries that were being sent."""
        if self._thread is not None and self._running.wait(STOP_SECONDS):
            self._call(lambda: self._main and self._main.cancel())
            self._thread.join(STOP_SECONDS)

    def wake(self) -> None:
        self.tell(lambda session: session.wake())

    def use_project(self, project_id: int) -> None:
        self._project_id = project_id
        self.tell(lambda session: session.use_project(project_id))

    def look_at(self, item_id: int) -> None:
        """Read an item and its comments soon. Does nothing without a connection."""
        self.tell(lambda session: session.look_at(item_id))

    async def refresh(self, *, is_full: bool = False) -> None:
        await self.ask(lambda session: session.refresh(is_full=is_full))

    def cancel(self) -> None:
        """Stop loading. A refresh or the next start resumes it."""
        self.tell(lambda session: session.cancel())

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        """Sign in with a password. Raises Unauthorized, OtherUser, or TransientError without a connection.

        Raises OtherOrigin before sending the password to another origin than the service's or the approved one.
        """
        await self.ask(lambda session: session.sign_in(username, password, approved))

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        await self.ask(lambda session: session.sign_in_with_code(code, approved))

    async def sign_out(self) -> None:
        """Discard the tokens. Mirror, journal and unsent changes are kept."""
        await self.ask(lambda session: session.sign_out())

    async def ask(self, act: Callable[["SyncSession"], Coroutine[Any, Any, _T]]) -> _T:
        """Run an act on the engine's thread and wait for its result. Cancelling the caller cancels the act.

        Raises Offline without a connection.
        """
        session, loop = self._session, self._loop
        if session is None or loop is None or loop.is_closed():
            raise Offline(self.connection.sentence or "Not connected to the server yet.")
        import asyncio

        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(act(session), loop))

    def tell(self, act: Callable[["SyncSession"], None]) -> None:
        """Run an act on the engine's thread without waiting. Does nothing without a connection."""
        session = self._session
        if session is not None:
            self._call(lambda: act(session))

    def _call(self, act: Callable[[], object]) -> None:
        loop = self._loop
        if loop is not None and not loop.is_closed():
            try:
                loop.call_soon_threadsafe(act)
            except RuntimeError:
                return  # the loop was closed in the meantime

    # On the engine's thread

    async def _run(self) -> None:
        import asyncio

        self._loop = asyncio.get_running_loop()
        self._main = asyncio.current_task()
        self._running.set()
        watch = asyncio.create_task(self._watch())
        try:
            client = await self._connected()
            self.connection = replace(self.connection, server=client.base_url)
            client.only_read(self._files.refusal)
            async with client:
                await self._serve(client)
        except asyncio.CancelledError:
            self.show(ConnectionState.IDLE, "")
            return
        except Exception as error:
            self._fault = _fault_of(error)
            raise
        finally:
            if self._superseded is not None:
                self.failed(self._superseded)
            elif self.connection.state is not ConnectionState.IDLE:
                self.show(ConnectionState.FAILED, f"backlit hit an internal error{self._fault}. {_WAY_OUT}")
            watch.cancel()
            self._session = None

    async def _connected(self) -> "Client":
        import asyncio

        self.show(ConnectionState.PREPARING, "Connecting")
        failures = 0
        while True:
            try:
                return await self._connect(
                    lambda sentence, done, total: self.show(ConnectionState.PREPARING, sentence, done, total)
                )
            except BacklitError as error:
                failures += 1
                asked = error.retry_after or 0.0 if isinstance(error, TransientError) else 0.0
                pause = max(asked, self._waits.pause(failures))
                self.failed(error, pause)
                await asyncio.sleep(pause)

    async def _watch(self) -> None:
        """Follow the writes of other processes, send the entries they journal, and yield to a newer version."""
        import asyncio

        seen: Versions | None = None
        stamp: tuple[object, ...] = ()
        looks = 0
        written_at = time.monotonic()
        while True:
            now = self._files.stamp()
            try:
                self._files.notice_loss()
                if looks and self._session is not None:
                    self._session.poll_other_processes()
                if now != stamp or not looks % _ASK_ANYWAY:
                    found = await self._files.other_writes()
                    self._publish(found, seen or found)
                    written_at = time.monotonic() if found != seen or now != stamp else written_at
                    seen, stamp = found, now
            except SupersededError as error:
                self._superseded = error
                if self._main is not None:
                    self._main.cancel()
                return
            except StorageError as error:
                self.failed(error)
            looks += 1
            # At rest the looks come every two seconds: 0.13 % of a core for two programs side by side, where 2.5 looks
            # a second took 0.22 %.
            quiet = time.monotonic() - written_at
            await asyncio.sleep(min(max(WATCH_EVERY, quiet / _QUIET_PART), _REST_EVERY))

    def _publish(self, now: Versions, before: Versions) -> None:
        about = ABOUT_MIRROR * (now.mirror != before.mirror) + ABOUT_JOURNAL * (now.journal != before.journal)
        for subject in about:
            self._signal.publish(StoreChange(subject))
        if now.journal != before.journal:
            self.wake()

    async def _serve(self, client: "Client") -> None:
        from backlit.store.engine.session import SyncSession

        session = SyncSession(client, self._files, self, self._waits, self.owner)
        session.use_project(self._project_id)
        self._session = session
        try:
            await session.run()
        finally:
            session.close()

    # Reports of the session

    def show(self, state: ConnectionState, sentence: str, done: int = 0, total: int = 0, **more: Any) -> None:
        before = self.connection
        is_locked = (before.is_locked or state is ConnectionState.SIGNED_OUT) and self.has_ended()
        connection = replace(
            before,
            **{"tried_at": None, "next_try": None, **more},
            state=state,
            sentence=sentence,
            done=done,
            total=total,
            is_locked=is_locked,
        )
        if connection != self.connection:
            self.connection = connection
            self._signal.publish(StoreChange(Subject.CONNECTION))

    def welcome(self, user: Person | None) -> None:
        """Show the signed-in user. The first call also announces the start of loading."""
        is_new = self.connection.state is not ConnectionState.ONLINE
        self.show(ConnectionState.LOADING if is_new else ConnectionState.ONLINE, "Loading" if is_new else "", user=user)

    def failed(self, error: BacklitError, next_try: float | None = None) -> None:
        if isinstance(error, SignInNeeded):
            self.show(ConnectionState.SIGNED_OUT, error.message)
        elif isinstance(error, TransientError) and (
            isinstance(error, Unavailable) or not isinstance(error, ServiceError)
        ):
            self._show_failed_try(ConnectionState.OFFLINE, error.message, next_try)
        else:
            self._show_failed_try(ConnectionState.FAILED, error.message, next_try)

    def lost(self, sentence: str, next_try: float) -> None:
        """Show that the service is away; the next try comes within so many seconds."""
        self._show_failed_try(ConnectionState.OFFLINE, sentence, next_try)

    def _show_failed_try(self, state: ConnectionState, sentence: str, next_try: float | None) -> None:
        """Show a failed try, and the second by which the next one comes."""
        now, before = self._clock(), self.connection
        tried_at: datetime | None = now.replace(microsecond=0)
        after: datetime | None = None
        if next_try is not None:
            exact = now + timedelta(seconds=next_try)
            after = exact.replace(microsecond=0) + timedelta(seconds=exact.microsecond > 0)
            # Every request that fails reports the outage; only a later next try is news.
            if before.next_try is not None and after <= before.next_try:
                tried_at, after = before.tried_at, before.next_try
        self.show(state, sentence, tried_at=tried_at, next_try=after)

    def found(self) -> None:
        is_loaded = self.connection.synced_at is not None
        self.show(ConnectionState.ONLINE if is_loaded else ConnectionState.LOADING, "" if is_loaded else "Loading")

    def show_live(self, *, is_live: bool, is_polling: bool) -> None:
        now = self.connection
        self.show(now.state, now.sentence, now.done, now.total, is_live=is_live, is_polling=is_polling)

    def succeeded(self, synced_at: float, sentence: str = "") -> None:
        self.show(ConnectionState.ONLINE, sentence, synced_at=synced_at)


class KnownUsers:
    """Every user with a known name, licensed or not. Only licensed users, in `lookups.people()`, can be assigned."""

    def __init__(self, lookups: Lookups, engine: Engine) -> None:
        self._lookups = lookups
        self._engine = engine

    def person(self, user_id: int) -> Person | None:
        """Return a user, or None for one not known yet. The first call for an unknown id starts a lookup."""
        known = self._lookups.known_people()
        if user_id not in known and user_id > 0:
            self._engine.tell(lambda session: session.user_lookup.want(user_id))
        return known.get(user_id)

    async def load_users(self, user_ids: Iterable[object]) -> None:
        """Look up unknown users and wait for the answers. Does nothing if the service is unreachable."""
        known = self._lookups.known_people()
        new = {each for each in user_ids if isinstance(each, int) and each > 0 and each not in known}
        with suppress(TransientError, SignInNeeded):
            if new:
                await self._engine.ask(lambda session: session.user_lookup.load_users(sorted(new)))
