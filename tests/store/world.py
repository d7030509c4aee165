"""A real service in this process, stores connected to it, and a rival who works on it directly."""

import asyncio
import shutil
import sqlite3
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import closing
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from tests.store.documents import places_in
from tests.store.remembered import Answers, Remembered

from backlit.client.calls import USUAL_RETRIES
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.client.transport import Application
from backlit.model.errors import BacklitError
from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.settings import ServiceSettings
from backlit.store import ConnectionState, ProfileFiles, Store
from backlit.store.engine.engine import Report
from backlit.store.remote.reachability import USUAL_PAUSES
from backlit.store.store import Clock
from backlit.store.views.clock import local_time

LOADED = "mine"
"""The store that a loaded sample has."""
RIVAL = "rival.json"
"""The rival's sign-in, which a world takes over from its sample."""
DATABASE = "service.sqlite"
_ANSWERS: dict[Path, Answers] = {}
"""Answers of the services over copies of each sample."""
PATIENCE = 60.0
"""Seconds after which something that should happen counts as not happening, on busy processors too."""


def make_sample(folder: Path, items: int = 60, today: date | None = None) -> Path:
    """Write the workspace that every test starts from."""
    write_sample(settings_in(folder), items=items, today=today)
    return folder


def load_sample(folder: Path, clock: Clock = local_time) -> None:
    """Load a sample into a store of maya's, which a world copies instead of loading it again."""

    async def load() -> None:
        world = World(folder, clock=clock)
        await world.start()
        await world.online()
        await world.stop()

    asyncio.run(load())


def settings_in(folder: Path) -> ServiceSettings:
    return ServiceSettings(f"sqlite:///{folder / DATABASE}", folder / "files")


class World:
    """One service; `faults` stands between it and the stores, not between it and the rival."""

    def __init__(self, folder: Path, sample: Path | None = None, clock: Clock = local_time) -> None:
        self.folder = folder
        self._clock = clock
        self.pacing, self.waits = USUAL_RETRIES, USUAL_PAUSES
        for file in sample.glob("service.sqlite*") if sample else ():
            shutil.copy(file, folder / file.name)
        if sample and (sample / RIVAL).exists():
            shutil.copy(sample / RIVAL, folder)
        self._loaded = sample if sample and (sample / LOADED).exists() else None
        self._service = Service(settings_in(folder))
        self._remembered: Remembered | None = None
        if self._loaded and clock is local_time:
            answers = _ANSWERS.setdefault(self._loaded, {})
            self._remembered = Remembered(self._service, folder / DATABASE, answers)
        self.asgi: Application = self._remembered or self._service.asgi
        self.faults = Faults(self.asgi)
        self._stores: list[Store] = []

    def without_history(self) -> None:
        """Let the service be one without extensions, which keeps no history for reports."""
        self.faults.lacks = frozenset({"/capabilities"})

    async def start(self) -> None:
        if not self._remembered:
            await self._service.start()
        self.rival = Client.inside(self.asgi, TokenCache(self.folder / RIVAL, "rival"))
        if not self.rival.auth.signed_in:
            await self.rival.auth.sign_in_with_code(await asyncio.to_thread(self.service.invite, "jon"))

    async def client(self, user: str) -> Client:
        """A client of a user's, beside the stores."""
        client = Client.inside(self.asgi, TokenCache(self.folder / f"client of {user}.json", user))
        await client.auth.sign_in_with_code(await asyncio.to_thread(self.service.invite, user))
        return client

    async def stop(self) -> None:
        for store in self._stores:
            await asyncio.to_thread(store.close)
        await self.rival.aclose()
        await self._service.stop()

    @property
    def service(self) -> Service:
        """The service, which runs."""
        return self._remembered.started() if self._remembered else self._service

    def places(self, name: str = LOADED) -> ProfileFiles:
        return places_in(self.folder / name)

    def store(self, name: str = LOADED, *, signed_in: bool = True, pinned: str = "", owner: str | None = None) -> Store:
        """A store that is opened but not started: maya's, unless it is not signed in or belongs to another owner."""

        async def connect(report: Report) -> Client:
            report("Preparing", 1, 2)
            tokens = TokenCache(self.folder / f"{name}.json", name)
            client = Client.inside(self.faults, tokens, pacing=self.pacing)
            if signed_in and not client.auth.signed_in:
                await client.auth.sign_in_with_code(await asyncio.to_thread(self.service.invite, "maya"))
            return client

        store = Store(self.places(name), connect, self._clock, self.waits)
        store.pinned = pinned
        store.engine.owner = "maya" * signed_in if owner is None else owner
        store.engine.has_ended = TokenCache(self.folder / f"{name}.json", name).has_ended
        store.open()
        self._stores.append(store)
        return store

    async def online(self, name: str = LOADED) -> Store:
        """A store that has loaded everything."""
        if name == LOADED and not (self.folder / name).exists():
            self.take_loaded()
        store = self.store(name)
        store.start()
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        return store

    def forget_history(self, item_id: int) -> None:
        """Make an item one from before the history."""
        with closing(sqlite3.connect(self.folder / DATABASE)) as database, database:
            database.execute("DELETE FROM changes WHERE item_id = ?", (item_id,))

    def take_loaded(self) -> None:
        """Copy the loaded store of the sample, if it has one of the world's time."""
        if self._loaded and self._clock is local_time:  # it was loaded today
            shutil.copytree(self._loaded / LOADED, self.folder / LOADED)
            shutil.copy(self._loaded / f"{LOADED}.json", self.folder)

    async def close(self, store: Store) -> None:
        self._stores.remove(store)
        await asyncio.to_thread(store.close)

    async def names(self, **query: Any) -> list[str]:
        """What the items of project 1 are called on the service, by id."""
        page = await self.rival.work_items.page(filter="projectId eq 1", order="id", top=1000, **query)
        return [each["fields"]["Name"] for each in page.results]


async def until(is_so: Callable[[], object], said: Callable[[], object] = lambda: "") -> None:
    """Wait until something is so."""
    deadline, pause = time.monotonic() + PATIENCE, 0.01
    while not is_so():
        assert time.monotonic() < deadline, f"it did not happen: {said()}"
        await asyncio.sleep(pause)
        pause = min(pause * 1.5, 0.06)  # a look at a screen draws it, which takes 20 ms of the CPU that it waits for


async def until_true(ask: Callable[[], Awaitable[object]]) -> None:
    """Wait until the service says something is so."""
    deadline = time.monotonic() + PATIENCE
    while not await ask():
        assert time.monotonic() < deadline, "it did not happen"
        await asyncio.sleep(0.02)


async def sent(store: Store) -> None:
    """Wait until nothing is waiting any more."""
    await until(lambda: store.outbox.pending == 0, lambda: (store.outbox, store.connection, store.outbox_entries()))


class Said(NamedTuple):
    status: int
    headers: Sequence[tuple[bytes, bytes]] = ()
    body: bytes = b""


class Faults:
    """Loses requests before, or answers after, they reached the service; as a bad network does."""

    def __init__(self, application: Application) -> None:
        self.application = application
        self.is_down = False
        self.before: Callable[[str, str], Awaitable[None]] = _nothing
        """What happens before a method and path is answered, or reaches the service."""
        self.says: Callable[[str, str], Said | None] = lambda _method, _path: None
        """The answer to a method and path, instead of the service's."""
        self.stalls: frozenset[str] = frozenset()
        """Ends of paths that are never answered."""
        self.is_answered: Callable[[str], bool] = lambda _path: True
        """Whether a request for a path is ever answered."""
        self.lost_answers: dict[str, int] = {}
        """How many answers to a method are lost after the service did what was asked."""
        self.cut_answers: dict[str, int] = {}
        """How many answers to a method end after their headers."""
        self.delay = 0.0
        self.lacks: frozenset[str] = frozenset()
        """Ends of paths that a foreign service does not have."""
        self.breaks_stream = False
        """Whether the stream of changes ends in the place of its next event."""
        self.requests: list[tuple[str, str]] = []

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        method = scope["method"]
        self.requests.append((method, scope["path"]))
        await self.before(method, scope["path"])
        said = self.says(method, scope["path"]) or (Said(503) if self.is_down else None)
        if said is not None:
            await send({"type": "http.response.start", "status": said.status, "headers": said.headers})
            await send({"type": "http.response.body", "body": said.body})
            return
        if scope["path"].endswith(tuple(self.stalls)) or not self.is_answered(scope["path"]):
            await asyncio.Event().wait()
        if self.delay:
            await asyncio.sleep(self.delay)
        if scope["path"].endswith(tuple(self.lacks)):
            scope = scope | {"path": "/nowhere"}
        if scope["path"].endswith("/changes/stream"):
            send = partial(self._send_or_break, send)
        for counts, passed_on in ((self.lost_answers, _swallow), (self.cut_answers, partial(_send_head, send))):
            if counts.get(method, 0) > 0 and not scope["path"].endswith("/WRAPv0.9"):
                counts[method] -= 1
                await self.application(scope, receive, passed_on)
                return
        await self.application(scope, receive, send)

    async def _send_or_break(self, send: Any, message: Any) -> None:
        if self.breaks_stream and message["type"] == "http.response.body":
            self.breaks_stream = False
            message = {"type": "http.response.body", "body": b"", "more_body": False}
        await send(message)

    def count(self, method: str) -> int:
        return sum(each == method for each, path in self.requests if not path.endswith("/WRAPv0.9"))


async def _nothing(_method: str, _path: str) -> None:
    return


async def _send_head(send: Any, message: Any) -> None:
    if message["type"] == "http.response.start":
        await send(message)


async def _swallow(_message: Any) -> None:
    return


async def raised(act: Awaitable[object]) -> BacklitError:
    """The error that something ends with."""
    try:
        await act
    except BacklitError as error:
        return error
    raise AssertionError("nothing was raised")
