"""Synced store for commands that run once and exit, with their input file and the wait for the service."""

import argparse
import signal
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Event, current_thread, main_thread

from backlit.cli.output import note
from backlit.cli.terminal_input import PIPE, standard_input
from backlit.cli.wiring import chosen_profile, sign_in_needed, store_of, tokens_of
from backlit.config.repository import read_pins
from backlit.config.settings import Locations, Profile, ProfileKind, Settings, find_locations
from backlit.config.view_files import read_settings_of
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, NameNotFound, Offline, StorageError
from backlit.model.plain import plain
from backlit.store.files.waiting import has_event_loop
from backlit.store.records.changes import ConnectionState, ConnectionStatus, StoreChange, Subject
from backlit.store.records.entry import BUSY, EntryState, OutboxEntry
from backlit.store.records.people import ProjectEntry
from backlit.store.store import Store

FIRST_LOAD_TIMEOUT = 600.0
"""Seconds allowed for the first load of a large backlog."""
POLL_SECONDS = 0.2
OFFLINE_TIMEOUT = 1.0
"""Seconds to wait for an unreachable service."""
_LOCKED = (
    "The server has ended your sign-in. The local copy is locked until you sign in again; unsent changes are kept."
)
_SETTLED = frozenset(
    {ConnectionState.ONLINE, ConnectionState.OFFLINE, ConnectionState.SIGNED_OUT, ConnectionState.FAILED}
)


@contextmanager
def synced_store(
    arguments: argparse.Namespace, *, is_writing: bool = False, is_listing: bool = False, is_sending: bool = False
) -> Iterator[Store]:
    """Open the chosen profile's store on the chosen project and wait until it is in sync or fails to sync.

    A writing command says where it writes. No screen decides about profile and project. A listing shows a copy that
    was in sync a moment ago as it is, and with `--no-wait` a change is kept without a connection; not by a command
    that sends.

    With the service unreachable, the command shows the local copy and a warning; with `--offline` it does not connect.
    Raises the connection's error if there is no local copy, Offline for `--fresh` without one, SignInNeeded for a
    writing command without a sign-in, and for a reading one after it has shown the copy, as it does for a failure of
    the service or the disk. Raises SignInNeeded too for a copy that the end of a sign-in has locked.
    """
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    settings = _settings_of(arguments, profile, locations)
    store = store_of(profile, locations, settings)
    store.open()
    try:
        is_offline = getattr(arguments, "offline", False)
        is_kept = is_writing and not is_sending and getattr(arguments, "wait", None) == 0.0
        if (is_listing or is_kept) and not getattr(arguments, "fresh", False):
            is_offline = is_offline or _is_copy_enough(
                arguments, store, profile, locations, None if is_kept else settings.fresh
            )
        connection = store.connection if is_offline else wait_until_settled(store)
        if connection.is_locked:
            raise sign_in_needed(profile, _LOCKED)
        is_out, has_copy = connection.state is ConnectionState.SIGNED_OUT, bool(store.lookups.projects())
        if is_out and (is_writing or not has_copy):
            raise sign_in_needed(profile, connection.sentence)
        if is_offline and not has_copy:
            raise Offline("This machine has no copy of the backlog yet. Run the command once without --offline.")
        if not is_offline and connection.state is not ConnectionState.ONLINE:
            fault = _fault_of(store, connection)
            if not has_copy or getattr(arguments, "fresh", False):
                raise fault
            note(arguments, f"{plain(connection.sentence)} Showing the local copy.")
        _choose_project(store, arguments.project or read_pins(Path.cwd()).project)
        if is_writing:
            name = {each.id: each.name for each in store.lookups.projects()}.get(store.project_id or 0, "")
            note(arguments, f"writing to {plain(f'{profile.name} · {name}')}")
        yield store
        if is_out:
            raise sign_in_needed(profile, "The local copy may be outdated.")
        if connection.state is ConnectionState.FAILED:
            raise BacklitError(connection.sentence)
    finally:
        store.close()


def _settings_of(arguments: argparse.Namespace, profile: Profile, locations: Locations) -> Settings:
    """Return the settings of a profile; the time to wait is theirs where the command line says none."""
    settings = read_settings_of(profile.name, locations, Path.cwd())
    if getattr(arguments, "wait", 0.0) is None:
        arguments.wait = settings.wait
    return settings


def _is_copy_enough(
    arguments: argparse.Namespace, store: Store, profile: Profile, locations: Locations, max_age: float | None
) -> bool:
    """Return whether a copy was in sync so many seconds ago, or for None, ever: a change is only kept.

    With changes that wait a listing syncs: that sends them.
    """
    if max_age is not None and store.outbox_entries():
        return False
    try:
        project = _chosen_project(store, arguments.project or read_pins(Path.cwd()).project)
    except NameNotFound:  # the service may have a project that the copy does not have yet
        return False
    synced_at = store.files.places.synced_at(project.id) if project else None
    if synced_at is None or not (max_age is None or 0.0 <= time.time() - synced_at < max_age):
        return False
    return profile.kind is not ProfileKind.REMOTE or tokens_of(profile, locations).has_sign_in()


def _fault_of(store: Store, connection: ConnectionStatus) -> BacklitError:
    # A service in this process is never out of reach: what keeps it from starting is this machine.
    is_offline = connection.state is ConnectionState.OFFLINE and not store.is_inside
    return Offline(connection.sentence) if is_offline else BacklitError(connection.sentence)


def _choose_project(store: Store, wanted: str) -> None:
    """Show the named project, the one of the settings, or the first; raises BadRequest for an unknown name."""
    chosen = _chosen_project(store, wanted)
    if chosen is not None and chosen.id != store.project_id:
        store.pin_project(chosen.id)
        if store.connection.state is ConnectionState.ONLINE:
            store.run(store.refresh())


def _chosen_project(store: Store, wanted: str) -> ProjectEntry | None:
    projects = store.lookups.projects()
    named = [store.lookups.project_named(wanted)] if wanted else []
    chosen = (store.commands_project, store.lookups.own_names.project_id)
    own = [each for project_id in chosen for each in projects if each.id == project_id]
    return next(iter([*named, *own, *projects]), None)


def wait_until_settled(store: Store, seconds: float = FIRST_LOAD_TIMEOUT) -> ConnectionStatus:
    """Start the store and wait until it is in sync or cannot sync; raise Offline after so long without progress."""
    changed = Event()

    def watch(change: StoreChange) -> None:
        if change.sentence:
            print(f"backlit: {plain(change.sentence)}", file=sys.stderr)
        if change.kind is Subject.CONNECTION:
            changed.set()

    unsubscribe = store.subscribe(watch)
    store.start()
    try:
        while store.connection.state not in _SETTLED:
            if not changed.wait(seconds):
                raise Offline(_silence(store))
            changed.clear()
        return store.connection
    finally:
        unsubscribe()


def _silence(store: Store) -> str:
    """Say who did not get ready in time: the service in this process, or a server elsewhere."""
    if store.is_inside:
        return "The server in this process did not start in time. Run the command again."
    server = plain(store.connection.server.rstrip("/")) or "The server"
    return f"{server} did not send the backlog in time. Check the connection, and run the command again."


def read_bytes(file: str, noun: str) -> bytes:
    """Return the content of a file, or of standard input for `-`; raise StorageError that names the noun."""
    name = "standard input" if file == PIPE else file
    try:
        return standard_input(noun).read() if file == PIPE else Path(file).read_bytes()
    except OSError as error:
        raise StorageError(f"Could not read the {noun} in {name}: {error.strerror}.") from error


def read_input(file: str, noun: str) -> str:
    """Return the text of a file, or of standard input for `-`; raise StorageError that names the noun."""
    name = "standard input" if file == PIPE else file
    written = read_bytes(file, noun)
    if b"\0" in written:
        raise StorageError(f"Could not read the {noun} in {name}: it is not a text file in UTF-8.")
    try:
        return written.decode().replace("\r\n", "\n").replace("\r", "\n")
    except UnicodeDecodeError as error:
        line = written.count(b"\n", 0, error.start) + 1
        raise StorageError(
            f"Could not read the {noun} in {name}: line {line} is not UTF-8."
            " Save the file as UTF-8, for example with: iconv -f WINDOWS-1252 -t UTF-8"
        ) from None


async def wait_while(store: Store, is_waiting: Callable[[], bool]) -> None:
    """Wait until the service has the changes, or for a moment if it is unreachable."""
    deadline = time.monotonic() + OFFLINE_TIMEOUT
    while is_waiting():
        if store.connection.state is not ConnectionState.ONLINE and time.monotonic() > deadline:
            return
        import asyncio

        await asyncio.sleep(POLL_SECONDS)


@contextmanager
def counting_changes(store: Store, way_on: str = "") -> Iterator["SentChanges"]:
    """Yield the count of the changes that the block journals; an interrupted block says what was sent and what waits.

    `way_on` is said after that.
    Ctrl+c cancels the block in its event loop, or interrupts it without one; SIGTERM and SIGHUP do the same here, and
    raise SystemExit with 128 and their number.
    """
    changes = SentChanges(store)
    try:
        with (_cancelling_on if has_event_loop() else _raising_on)(_handled_signals()):
            yield changes
    except BaseException as error:
        if not isinstance(error, Exception):  # an interruption, which without an event loop has several classes
            with suppress(OSError):  # the terminal may be gone
                print(f"backlit: Interrupted. {changes.words()} {way_on}".rstrip(), file=sys.stderr)
        raise


def _handled_signals() -> list[int]:
    """Return the signals that end a command. Ignored ones stay ignored, and only the main thread can handle any."""
    ending = (signal.SIGTERM, signal.SIGHUP) if current_thread() is main_thread() else ()
    return [number for number in ending if signal.getsignal(number) != signal.SIG_IGN]


@contextmanager
def _restoring(numbers: Iterable[int]) -> Iterator[None]:
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _raising_on(numbers: Sequence[int]) -> Iterator[None]:
    def end(number: int, _: object) -> None:
        raise SystemExit(128 + number)

    with _restoring(numbers):
        for number in numbers:
            signal.signal(number, end)
        yield


@contextmanager
def _cancelling_on(numbers: Sequence[int]) -> Iterator[None]:
    """Cancel the running task at one of these signals."""
    import asyncio

    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None
    received: list[int] = []

    def cancel(number: int) -> None:
        received.append(number)
        task.cancel()

    with _restoring(numbers):
        for number in numbers:
            loop.add_signal_handler(number, cancel, number)
        try:
            yield
        except asyncio.CancelledError:
            if received:
                raise SystemExit(128 + received[0]) from None
            raise
        finally:
            for number in numbers:
                loop.remove_signal_handler(number)


class SentChanges:
    """The changes that a command journals from now on, counted by what became of them."""

    def __init__(self, store: Store) -> None:
        self._entries = store.files.journal.entries
        self._last_id = self._entries.last_id()

    def all(self) -> Sequence[OutboxEntry]:
        return self._entries.after(self._last_id)

    def words(self) -> str:
        states = [each.state for each in self.all()]
        sent, waiting = states.count(EntryState.SENT), sum(each in BUSY for each in states)
        verb = "was" if 1 in {sent, len(states)} else "were"
        verbs, them = ("waits", "it") if waiting == 1 else ("wait", "them")
        rest = f"; {waiting:,} {verbs} on this machine: backlit sends {them} when the server is reachable"
        return f"{sent:,} of {counted(len(states), 'change')} {verb} sent{rest if waiting else ''}."
