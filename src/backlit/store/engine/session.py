"""A session: one connection with a loop each for syncing, sending, reading viewed items and looking up users."""

import asyncio
import contextlib
import time
from collections.abc import Awaitable, Callable, Sequence
from datetime import date
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from backlit.client.auth import SESSION_ENDED
from backlit.model.errors import BacklitError, NotFound, SignInNeeded, StorageError, TransientError
from backlit.model.fields import ItemType
from backlit.model.plain import plain
from backlit.model.user_names import is_same_user
from backlit.model.wrap import TokenGrant
from backlit.store.edits.deletions import keep_last_copy
from backlit.store.engine.following import ChangeFollower
from backlit.store.engine.news import NewsReader
from backlit.store.engine.other_user import OtherUser
from backlit.store.engine.presence_lease import PresenceLease
from backlit.store.engine.user_lookup import UserLookup
from backlit.store.files.files import LocalDatabase, WriteContext
from backlit.store.outbox.queue import Outbox
from backlit.store.records.changes import ConnectionState, ConnectionStatus, StoreChange, Subject
from backlit.store.records.item import Document, id_in, is_item
from backlit.store.records.others import ItemEditing
from backlit.store.records.people import Person, signed_in_of
from backlit.store.remote.listing import read_offered
from backlit.store.remote.reachability import SHUTS, Reachability, RetryPauses
from backlit.store.remote.receiving import note_comments_left, receive
from backlit.store.sqlite.process_lock import SharedLock, SyncLock
from backlit.store.sync.followed import FollowedChanges, FollowedRow
from backlit.store.sync.sync import NOUNS_EVERY, Sync

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.store.engine.engine import OthersDisplay, PresenceDisplay


_T = TypeVar("_T")
_HINDERED = frozenset({ConnectionState.OFFLINE, ConnectionState.FAILED})
FOLLOWED_SYNC_EVERY = 1800.0
"""Further seconds between two syncs while the service tells of each change."""
LOOK_AGAIN = 3.0
"""Seconds before a viewed item is read again."""


class SessionDisplay(Protocol):
    """The display of a session's progress."""

    connection: ConnectionStatus
    on_projects: Callable[[list[int]], int | None]
    on_synced: Callable[[int], Awaitable[None]]
    others: "OthersDisplay | None"
    presence: "PresenceDisplay | None"

    def show(self, state: ConnectionState, sentence: str, done: int = 0, total: int = 0, **more: object) -> None: ...

    def welcome(self, user: Person | None) -> None: ...

    def failed(self, error: BacklitError) -> None: ...

    def lost(self, sentence: str, next_try: float) -> None: ...

    def found(self) -> None: ...

    def show_live(self, *, is_live: bool, is_polling: bool) -> None: ...

    def succeeded(self, synced_at: float, sentence: str) -> None:
        """Show that the mirror is up to date as of a time. The sentence names the exceptions."""


class SyncSession:
    """The loops of one connection, on the engine's thread."""

    def __init__(
        self, client: "Client", files: LocalDatabase, display: SessionDisplay, waits: RetryPauses, owner: str = ""
    ) -> None:
        """`owner` is the name of the user whose journal the files hold; empty for a workspace of one user."""
        self.client = client
        self._owner = owner
        self._is_owner_confirmed = False
        self._files = files
        self._display = display
        self._waits = waits
        self._outbox = Outbox(client, files, waits)
        self._reachability = Reachability(client.users.me, self._lost, self._found, waits)
        self._sync = Sync(client, files, self._show_progress)
        self._news = NewsReader(client, files, waits, self.ready, self.note)
        self.user_lookup = UserLookup(client, files)
        self._syncing = asyncio.Lock()
        self._sync_due = asyncio.Event()
        self._send_due = self._outbox.due
        self._look_due = asyncio.Event()
        self._wanted: dict[int, None] = {}
        self._looked: dict[int, float] = {}
        self._signed_in = asyncio.Event()
        self._people_due = 0.0
        self._project_id: int | None = None
        self._generation = files.generation
        self._sending = SharedLock(files.places.sending)
        self._show_loading = partial(display.show, ConnectionState.LOADING, "Loading")
        self._sync_lock = SyncLock(files.places, waits.sync_every, self._show_loading)
        self._follower = ChangeFollower(client, files, self, waits)
        self._lease = PresenceLease(client, files)

    def close(self) -> None:
        self._sending.close()
        self._sync_lock.close()

    def wake(self) -> None:
        self._send_due.set()

    def use_project(self, project_id: int | None) -> None:
        self._project_id = project_id
        self._sync_due.set()

    def look_at(self, item_id: int, *, is_forced: bool = False) -> None:
        """Read an item soon, unless it was just read. `is_forced` reads it in any case."""
        if is_forced:
            self._looked.pop(item_id, None)
        if item_id > 0 and time.monotonic() - self._looked.get(item_id, -LOOK_AGAIN) >= LOOK_AGAIN:
            self._wanted[item_id] = None
            self._look_due.set()

    async def read_history(self, item_id: int, *, is_older: bool) -> None:
        """Read the newest recorded changes of an item, or those before the known ones. Raises what prevents it."""
        await self.confirm_owner()
        await self._news.history.read(item_id, is_older=is_older)

    async def read_times(self, project_id: int, first: date, last: date) -> None:
        await self.confirm_owner()
        await self._sync.read_times(project_id, first, last)

    async def read_times_of(self, project_id: int, task_ids: Sequence[int]) -> None:
        await self.confirm_owner()
        await self._sync.read_times_of(project_id, task_ids)

    def cancel(self) -> None:
        self._sync.cancel()

    async def refresh(self, *, is_full: bool = False) -> None:
        """Sync now, including trees and users, and send pending entries. `is_full` reads everything again."""
        self._reachability.hurry()
        self._people_due = 0.0
        self._outbox.hurry()
        try:
            if is_full and self._project_id is not None:
                await self._sync.reset(self._project_id)
                await self._sync_now(is_asked=True)
            await self._sync_now(is_asked=True)
        except BacklitError as error:
            self.note(error)
            raise

    async def sign_in(self, username: str, password: str, approved: str) -> None:
        """Sign in with a password. Raises OtherUser for anybody but the owner of the files."""
        await self._accept(await self.client.auth.request_grant(username, password, approved))

    async def sign_in_with_code(self, code: str, approved: str) -> None:
        await self._accept(await self.client.auth.request_grant_by_code(code, approved))

    async def _accept(self, grant: TokenGrant) -> None:
        """Store a grant of the owner. The name typed for it may be another than that of the user."""
        if self._owner:
            user = signed_in_of(await self.client.auth.user_of(grant), self.client.server)
            if not is_same_user(user.username, self._owner):
                raise OtherUser(self._owner, user.username, grant)
        await self.client.auth.accept(grant)
        self._begin()
        self._is_owner_confirmed = True

    async def confirm_owner(self) -> None:
        """Ask the service once who is signed in. Raises SignInNeeded for anybody but the owner of the files.

        The stored sign-in can be another user's: a file can be copied, and a browser's cookie changes hands.
        """
        if self._owner and not self._is_owner_confirmed:
            await self._confirm_owner(await self.client.users.me())

    async def as_owner(self, act: Callable[["Client"], Awaitable[_T]]) -> _T:
        """Ask the service something in the name of the owner of the files. Raises what prevents it."""
        await self.confirm_owner()
        return await act(self.client)

    async def _confirm_owner(self, document: Document) -> None:
        user = signed_in_of(document, self.client.server)
        if self._owner and not is_same_user(user.username, self._owner):
            await self.client.auth.forget()
            raise SignInNeeded(
                f"The stored sign-in was that of {plain(user.username)}, but this profile belongs to"
                f" {plain(self._owner)}. Sign in as {plain(self._owner)}."
            )
        self._is_owner_confirmed = True

    async def sign_out(self) -> None:
        await self.client.auth.sign_out()
        self._signed_in.clear()
        self._display.show(ConnectionState.SIGNED_OUT, "You are signed out.", user=None)

    def _begin(self) -> None:
        self._is_owner_confirmed = False
        self.user_lookup.go_on()
        self._people_due = 0.0
        self._signed_in.set()
        self._sync_due.set()
        self._send_due.set()

    async def run(self) -> None:
        try:
            is_in, sentence = self.client.auth.signed_in, self._out_sentence("You are not signed in.")
        except StorageError as error:
            is_in, sentence = False, error.message
        if is_in:
            self._begin()
        else:
            self._display.show(ConnectionState.SIGNED_OUT, sentence)
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._reachability.watch())
            loops.create_task(self._repeat(self._sync_when_due, self._sync_due))
            loops.create_task(self._repeat(self._send_pending, self._send_due))
            loops.create_task(self._read_wanted_items())
            loops.create_task(self._follower.run())
            loops.create_task(self._news.run(lambda: self._project_id))
            loops.create_task(self._lease.run())
            loops.create_task(self.user_lookup.run(self.ready))

    async def _repeat(self, work: Callable[[bool], Awaitable[float | None]], due: asyncio.Event) -> None:
        """Run work whenever it is due, or after the seconds it returned. Failures lengthen the pause.

        The work's argument tells whether it was requested or the time had come.
        """
        failures = 0
        period: float | None = None
        while True:
            await self.ready()
            await _first(due, period)
            if not (self._signed_in.is_set() and self._reachability.is_open):
                continue
            is_wanted = due.is_set() or failures > 0
            due.clear()
            try:
                period = await work(is_wanted)
                if failures and due is not self._sync_due:
                    self._sync_due.set()
                failures = 0
            except BacklitError as error:
                failures += 1
                period = 0.0 if self.note(error) else self._waits.pause(failures)

    async def ready(self) -> None:
        await self._signed_in.wait()
        await self._reachability.wait()

    def note(self, error: BacklitError) -> bool:
        """Show an error. Returns whether every loop has to wait for the service."""
        if isinstance(error, SHUTS):
            self._reachability.lost(error)
            return True
        self._display.failed(error)
        if isinstance(error, SignInNeeded):
            self._signed_in.clear()
            return True
        return False

    def _lost(self, sentence: str) -> None:
        self._display.lost(sentence, self._reachability.seconds_left)

    def _found(self) -> None:
        self._display.found()
        self.user_lookup.go_on()
        self._sync_due.set()
        self._send_due.set()

    async def _send_pending(self, _is_wanted: bool) -> float | None:
        """Send pending entries, after recovering the ones that an ended process left half sent, and what was read."""
        if self._files.refusal:
            return None
        period = await self._send_entries()
        await self._news.send_read(self.confirm_owner)
        return period

    async def _send_entries(self) -> float | None:
        if not self._files.outbox.pending:
            return None
        await self.confirm_owner()
        before = self._outbox.delivered
        async with self._sending.held("sending"):
            period = await self._outbox.send()
        if self._outbox.delivered > before:
            self._reachability.works()
        return period

    async def _sync_when_due(self, is_wanted: bool) -> float:
        if is_wanted or self._until_due() <= 0:
            await self._sync_now(is_asked=False, is_wanted=is_wanted)
        return self._until_due()

    def _until_due(self) -> float:
        """Return the seconds until the next sync, which is a safety net while changes are followed."""
        until_due = self._sync_lock.until_due(self._project_id)
        return until_due + FOLLOWED_SYNC_EVERY if self._follower.is_live else until_due

    async def _sync_now(self, *, is_asked: bool, is_wanted: bool = True) -> None:
        async with self._syncing:
            if time.monotonic() >= self._people_due:
                self._project_id = await self._sync.load_user_and_projects(
                    self._project_id, self._display.on_projects, self._confirm_owner
                )
                self._display.welcome(self._sync.user)
                self._people_due = time.monotonic() + NOUNS_EVERY
            synced_at = await self._sync_lock.take(
                self._project_id, partial(self._sync_project, is_asked=is_asked), is_wanted=is_wanted
            )
            self._reachability.works()
            self._display.succeeded(synced_at, self._sync.sentence)
            self._follower.synced(self._project_id)

    # What the follower asks for

    @property
    def project_id(self) -> int | None:
        return self._project_id

    async def sync_again(self, *, is_asked: bool) -> None:
        if is_asked:
            self._people_due = 0.0
        await self._sync_now(is_asked=is_asked)

    async def stored_cursor(self, project_id: int) -> str | None:
        return await self._sync.cursor(project_id)

    async def read_followed(self, project_id: int, rows: list[object], cursor: str | None) -> None:
        own = self.client.own_writes
        user_id = None if self._sync.user is None else self._sync.user.id
        followed = [row for each in rows if (row := FollowedRow.read(each)) is None or row.is_of(project_id)]
        await own.settle([(row.key, row.revision) for row in followed if row and row.user_id == user_id])
        news = [row for row in followed if row is None or not own.covers(row.key, row.revision)]
        changes = FollowedChanges.of(news, user_id)
        if changes == FollowedChanges():
            return
        others = self._display.others
        if others is not None and changes.edits:
            others.note(changes.edits, await self._sync.names_of(changes.gone))
        async with self._syncing:
            is_read = await self._sync.follow(project_id, changes, cursor)
            for item_id in sorted(changes.below) if is_read else ():
                await self._read(item_id)
        if not is_read:
            await self.sync_again(is_asked=True)
        if others is not None and changes.edits:
            others.show(changes.edits)
        self._news.followed()

    def tell_presence(self, own: ItemEditing | None) -> None:
        """Tell the service which item the user edits; None for no more."""
        self._lease.set(None if own is None else (own.item_id, own.field))

    def take_presence(self, told: list[object] | None) -> None:
        if self._display.presence is not None and told is None:
            self._display.presence.forget()
        elif self._display.presence is not None and told is not None:
            self._display.presence.take(told)

    async def take_away_projects(self, kept: frozenset[int]) -> bool:
        async with self._syncing:
            return await self._sync.take_away_projects(kept)

    def show_current(self) -> None:
        if self._display.connection.state is ConnectionState.ONLINE:
            self._display.succeeded(time.time(), self._sync.sentence)

    def live_changed(self) -> None:
        self._display.show_live(is_live=self._follower.is_live, is_polling=self._follower.is_refused)
        if not self._follower.is_live:
            self._sync_due.set()

    def unread_changed(self) -> None:
        self._news.read_elsewhere()

    async def _sync_project(self, project_id: int, *, is_asked: bool) -> None:
        generation = self._files.generation
        await self._sync.run(project_id, is_asked=is_asked)
        await self._news.read(project_id)
        if self._files.generation != generation:
            self._files.renew()  # its notes may claim a complete load, so rebuild it
            raise StorageError("The local copy of the backlog was damaged. Loading it again.")
        await self._display.on_synced(project_id)

    def _show_progress(self, done: int, total: int) -> None:
        if self._project_id is not None:
            self._sync_lock.progress(self._project_id, done, total)
        self._show_loading(done, total)

    # Other processes

    def poll_other_processes(self) -> None:
        """Renew this process's heartbeat and take over other processes' sign-in and sync results."""
        if self._files.generation != self._generation:
            self._generation = self._files.generation
            self._sync = Sync(self.client, self._files, self._show_progress)
            self._follower.forget()
            self._people_due = 0.0
            self._sync_due.set()
            self._display.show(ConnectionState.LOADING, "The local copy of the backlog was damaged. Loading it again")
        self._sending.beat()
        self._sync_lock.beat()
        self._take_up_sign_in()
        connection = self._display.connection
        synced_at = self._sync_lock.synced_at(self._project_id)
        if synced_at <= (connection.synced_at or 0.0):
            return
        if connection.state is ConnectionState.ONLINE:
            self._display.succeeded(synced_at, self._sync.sentence)
        elif connection.state in _HINDERED and self._signed_in.is_set():
            self._sync_due.set()
            with contextlib.suppress(TransientError):  # a requested pause (Retry-After) is kept
                self._reachability.hurry()

    def _take_up_sign_in(self) -> None:
        try:
            is_in = self.client.auth.reload()
        except StorageError:
            return  # the next use of the sign-in reports the unreadable file
        if is_in and not self._signed_in.is_set():
            self._begin()
        elif not is_in and self._signed_in.is_set():
            self._signed_in.clear()
            self._display.show(ConnectionState.SIGNED_OUT, self._out_sentence("You are signed out."), user=None)

    def _out_sentence(self, usual: str) -> str:
        return SESSION_ENDED if self.client.auth.has_ended else usual

    async def _read_wanted_items(self) -> None:
        while True:
            await self._look_due.wait()
            await self.ready()
            while self._wanted:
                item_id, _ = self._wanted.popitem()
                self._looked[item_id] = time.monotonic()
                try:
                    await self._read(item_id)
                except BacklitError as error:
                    if isinstance(error, (SignInNeeded, *SHUTS)):
                        self._wanted.clear()
                        self.note(error)
            self._look_due.clear()

    async def _read(self, item_id: int) -> None:
        """Read and store an item; it is stored too where its comments or files cannot be read."""
        await self.confirm_owner()
        items = self.client.work_items
        document, *lists = await asyncio.gather(
            items.get(item_id),
            read_offered(items.comments(item_id)),
            read_offered(items.attachments(item_id)),
            return_exceptions=True,
        )
        if isinstance(document, BaseException):
            if isinstance(document, NotFound):
                await self._files.write(lambda writer: keep_last_copy(writer, item_id))
                self._sync_due.set()
            raise document
        if is_item(document, item_id):
            comments, attachments = (None if isinstance(each, BaseException) else each for each in lists)
            await self._files.write(partial(_store, item_id, document, comments, attachments))
            if document.get("type") == ItemType.TASK:
                await self._sync.read_times_of(id_in(document, "projectId"), [item_id])
        for each in lists:
            if isinstance(each, BaseException):
                raise each


def _store(
    item_id: int,
    document: Document,
    comments: list[Document] | None,
    attachments: list[Document] | None,
    writer: WriteContext,
) -> None:
    """Store an item, and replace its comments and attachments; None leaves them."""
    receive(writer, [document])
    if comments is not None:
        note_comments_left(writer, item_id, comments)
        if writer.mirror.comments.replace_all(item_id, comments):
            writer.signal.publish(StoreChange(Subject.COMMENTS, frozenset({item_id})))
    if attachments is not None and writer.mirror.attachments.replace_all(item_id, attachments):
        writer.signal.publish(StoreChange(Subject.ATTACHMENTS, frozenset({item_id})))


async def _first(event: asyncio.Event, seconds: float | None) -> None:
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
