"""One connection at work: syncing, sending and looking, each in a loop of its own."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

from backlit.model.errors import BacklitError, NotFound, SignInNeeded, Trouble
from backlit.store.changes import Change, ConnectionState, Subject
from backlit.store.files import Files, Writer
from backlit.store.outbox import Outbox
from backlit.store.pacing import Waits
from backlit.store.people import Person
from backlit.store.reach import SHUTS, Reach
from backlit.store.reading import read_all, store_items
from backlit.store.receiving import note_comments_left
from backlit.store.rows import Document
from backlit.store.sync import NOUNS_EVERY, Sync

if TYPE_CHECKING:
    from backlit.client.client import Client

LOOK_AGAIN = 3.0
"""Seconds before an item that was looked at is read again."""


class Face(Protocol):
    """What shows how the session fares."""

    on_projects: Callable[[list[int]], int | None]
    on_turn: Callable[[int], Awaitable[None]]

    def show(self, state: ConnectionState, sentence: str, done: int = 0, total: int = 0, **more: object) -> None:
        """Say how the connection stands."""

    def welcome(self, user: Person | None) -> None:
        """Say who is signed in."""

    def failed(self, error: BacklitError) -> None:
        """Say what failed."""

    def lost(self, sentence: str) -> None:
        """Say that the service cannot be asked now."""

    def found(self) -> None:
        """Say that the service answers again."""

    def succeeded(self, sentence: str) -> None:
        """Say that all is up to date, but for what the sentence says."""


class Session:
    """The loops; all of it runs on the engine's thread."""

    def __init__(self, client: "Client", files: Files, face: Face, waits: Waits) -> None:
        self._client = client
        self._files = files
        self._face = face
        self._waits = waits
        self._outbox = Outbox(client, files, waits)
        self._reach = Reach(client.users.my_document, face.lost, self._found, waits)
        self._sync = Sync(client, files, self._show_progress)
        self._turning = asyncio.Lock()
        self._sync_due = asyncio.Event()
        self._send_due = self._outbox.due
        self._look_due = asyncio.Event()
        self._wanted: dict[int, None] = {}
        self._looked: dict[int, float] = {}
        self._signed_in = asyncio.Event()
        self._people_due = 0.0
        self._project_id: int | None = None

    def wake(self) -> None:
        """There is something to send."""
        self._send_due.set()

    def use_project(self, project_id: int | None) -> None:
        """Sync another project, soon."""
        self._project_id = project_id
        self._sync_due.set()

    def look_at(self, item_id: int) -> None:
        """Read an item soon, unless that was just done."""
        if item_id > 0 and time.monotonic() - self._looked.get(item_id, -LOOK_AGAIN) >= LOOK_AGAIN:
            self._wanted[item_id] = None
            self._look_due.set()

    def cancel(self) -> None:
        """Stop loading until a refresh is asked for."""
        self._sync.cancel()

    async def refresh(self) -> None:
        """Sync now, trees and people too, and have what waits sent."""
        self._reach.hurry()
        self._people_due = 0.0
        self._outbox.hurry()
        try:
            await self._turn(is_asked=True)
        except BacklitError as error:
            self._note(error)
            raise

    async def sign_in(self, username: str, password: str) -> None:
        """Sign in with a password."""
        await self._client.auth.sign_in(username, password)
        self._begin()

    async def sign_in_with_code(self, code: str) -> None:
        """Sign in with a verification code."""
        await self._client.auth.sign_in_with_code(code)
        self._begin()

    async def sign_out(self) -> None:
        """Forget the tokens."""
        await self._client.auth.sign_out()
        self._signed_in.clear()
        self._face.show(ConnectionState.SIGNED_OUT, "You are signed out.", user=None)

    def _begin(self) -> None:
        self._people_due = 0.0
        self._signed_in.set()
        self._sync_due.set()
        self._send_due.set()

    async def run(self) -> None:
        """Run until cancelled."""
        if self._client.auth.signed_in:
            self._begin()
        else:
            self._face.show(ConnectionState.SIGNED_OUT, "You are not signed in.")
        async with asyncio.TaskGroup() as loops:
            loops.create_task(self._reach.watch())
            loops.create_task(self._repeat(self._sync_turn, self._sync_due))
            loops.create_task(self._repeat(self._send_turn, self._send_due))
            loops.create_task(self._look())

    async def _repeat(self, work: Callable[[], Awaitable[float | None]], due: asyncio.Event) -> None:
        """Work whenever it is due, or after the seconds it asked for; after a failure wait longer each time."""
        failures = 0
        period: float | None = None
        while True:
            await self._ready()
            await _first(due, period)
            if not (self._signed_in.is_set() and self._reach.is_open):
                continue
            due.clear()
            try:
                period = await work()
                if failures and due is not self._sync_due:
                    self._sync_due.set()
                failures = 0
            except BacklitError as error:
                failures += 1
                period = 0.0 if self._note(error) else self._waits.pause(failures)

    async def _ready(self) -> None:
        await self._signed_in.wait()
        await self._reach.wait()

    def _note(self, error: BacklitError) -> bool:
        """Show what failed; says whether all have to wait until the service can be asked again."""
        if isinstance(error, SHUTS):
            self._reach.lost(error)
            return True
        self._face.failed(error)
        if isinstance(error, SignInNeeded):
            self._signed_in.clear()
            return True
        return False

    def _found(self) -> None:
        self._face.found()
        self._sync_due.set()
        self._send_due.set()

    async def _send_turn(self) -> float | None:
        before = self._outbox.delivered
        period = await self._outbox.send()
        if self._outbox.delivered > before:
            self._reach.works()
        return period

    async def _sync_turn(self) -> float:
        await self._turn(is_asked=False)
        return self._waits.sync_every

    async def _turn(self, *, is_asked: bool) -> None:
        async with self._turning:
            if time.monotonic() >= self._people_due:
                project_ids = await self._sync.people()
                self._project_id = self._face.on_projects(project_ids)
                self._face.welcome(self._sync.user)
                self._people_due = time.monotonic() + NOUNS_EVERY
            if self._project_id is not None:
                await self._sync.turn(self._project_id, is_asked=is_asked)
                await self._face.on_turn(self._project_id)
            self._reach.works()
            self._face.succeeded(self._sync.sentence)

    def _show_progress(self, done: int, total: int) -> None:
        self._face.show(ConnectionState.LOADING, "Loading", done, total)

    async def _look(self) -> None:
        """Read the items that are being looked at, the latest first."""
        while True:
            await self._look_due.wait()
            await self._ready()
            while self._wanted:
                item_id, _ = self._wanted.popitem()
                self._looked[item_id] = time.monotonic()
                try:
                    await self._read(item_id)
                except (Trouble, SignInNeeded) as error:
                    self._wanted.clear()
                    if isinstance(error, (SignInNeeded, *SHUTS)):
                        self._note(error)
                except BacklitError:
                    continue
            self._look_due.clear()

    async def _read(self, item_id: int) -> None:
        try:
            document = await self._client.work_items.document(item_id)
        except NotFound:
            self._sync_due.set()
            raise
        comments, attachments = await asyncio.gather(
            read_all(self._client.work_items.comments_below(item_id)),
            read_all(self._client.work_items.attachments_below(item_id)),
        )
        await store_items(self._files, [document])
        await self._files.write(_replacing_what_hangs_on(item_id, comments, attachments))


def _replacing_what_hangs_on(
    item_id: int, comments: list[Document], attachments: list[Document]
) -> Callable[[Writer], None]:
    def act(writer: Writer) -> None:
        note_comments_left(writer, item_id, comments)
        if writer.mirror.comments.replace_all(item_id, comments):
            writer.signal.publish(Change(Subject.COMMENTS, frozenset({item_id})))
        if writer.mirror.attachments.replace_all(item_id, attachments):
            writer.signal.publish(Change(Subject.ATTACHMENTS, frozenset({item_id})))

    return act


async def _first(event: asyncio.Event, seconds: float | None) -> None:
    """Wait for the event, but no longer than that."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return
