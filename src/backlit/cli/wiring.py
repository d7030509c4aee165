"""How a profile becomes a store: the one place that sees both the client and the service."""

import asyncio
import fcntl
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from backlit.config import Locations, Profile, ProfileKind, Settings, read_settings
from backlit.model.errors import BacklitError, StorageError

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.service.settings import ServiceSettings
    from backlit.store.store import Connect, Store

Report = Callable[[str, int, int], None]


def store_of(profile: Profile, locations: Locations, settings: Settings | None = None) -> "Store":
    """The store of a profile, not opened yet, that judges and asks as the settings have it."""
    from backlit.store.places import Places
    from backlit.store.store import Store

    settings = settings or read_settings(locations)
    store = Store(Places(locations.mirror(profile), locations.journal(profile)), connect_to(profile, locations))
    store.sample_history.is_wanted = profile.kind is ProfileKind.DEMO
    store.names.lint, store.names.stale_days = settings.lint, settings.stale_days
    store.grooming.fields = settings.groom_fields
    store.own_names = settings.names
    return store


def connect_to(profile: Profile, locations: Locations) -> "Connect":
    """What makes the profile's client: over the network, or with its own service started in this process."""
    _log_to(locations)

    async def connect(report: Report) -> "Client":
        if profile.kind is ProfileKind.REMOTE:
            return remote_client(profile, locations)
        return await _inside(profile, locations, report)

    return connect


def _log_to(locations: Locations) -> None:
    """Have what goes wrong inside written to a file, without secrets: on the screen it would be in the way."""
    import logging

    from backlit.model.secrets import redacted

    class Redacting(logging.Formatter):
        def format(self, record: logging.LogRecord) -> str:
            return redacted(super().format(record))

    locations.state.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not logging.getLogger().handlers:
        to_file = logging.FileHandler(locations.log)
        to_file.setFormatter(Redacting("%(asctime)s %(levelname)s %(name)s %(message)s"))
        logging.basicConfig(level=logging.WARNING, handlers=[to_file])


def remote_client(profile: Profile, locations: Locations) -> "Client":
    """The client of a remote profile, with the sign-in that is kept for it."""
    from backlit.client.client import Client
    from backlit.client.tokens import TokenCache

    url = profile.url or ""
    return Client.at(url, TokenCache(locations.tokens(profile), url))


def workspace_settings(folder: Path, name: str = "backlit") -> "ServiceSettings":
    """A service whose database and files are in one directory."""
    from backlit.service.settings import ServiceSettings

    return ServiceSettings(f"sqlite:///{folder / 'service.db'}", folder / "files", name)


def make_sample(folder: Path, items: int, seed: int, progress: Callable[[int, int], None]) -> None:
    """Write the sample into a directory that has none yet; nothing half-written is ever found there."""
    from backlit.service.sample import write_sample

    with _making(folder) as is_missing:
        if is_missing:
            write_sample(workspace_settings(folder), items=items, seed=seed, progress=progress)


def make_local(folder: Path) -> str:
    """Make one's own workspace where there is none; returns the user that it was made for."""
    from backlit.service.local import write_local

    note = folder / "user"
    with _making(folder) as is_missing:
        if is_missing:
            note.write_text(_own_name(), encoding="utf-8")
            write_local(workspace_settings(folder), note.read_text(encoding="utf-8"))
        return note.read_text(encoding="utf-8")


@contextmanager
def _making(folder: Path) -> Iterator[bool]:
    """Hold a workspace's directory against other processes; says whether its database is missing."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        descriptor = os.open(folder / "making.lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise StorageError(f"The workspace cannot be made: {error.strerror} ({folder}).") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield not (folder / "service.db").exists()
    finally:
        os.close(descriptor)


class _GivenUp(BacklitError):
    """Whoever waited for the workspace went away."""


async def _inside(profile: Profile, locations: Locations, report: Report) -> "Client":
    from backlit.client.client import Client
    from backlit.client.tokens import TokenCache
    from backlit.service.app import Service

    folder = locations.workspace(profile)
    user = await _prepared(profile, folder, report)
    service = Service(workspace_settings(folder))
    await service.start()
    inside = "http://backlit.local"
    client = Client.inside(service.asgi, TokenCache(locations.tokens(profile), inside), inside, on_close=service.stop)
    try:
        code = await asyncio.to_thread(service.invite, user)
        await client.auth.sign_in_with_code(code)
    except BaseException:
        await client.aclose()
        raise
    return client


async def _prepared(profile: Profile, folder: Path, report: Report) -> str:
    """Make what is missing on another thread; returns the user to sign in. Cancelling stops it soon."""
    loop = asyncio.get_running_loop()
    given_up = threading.Event()

    def progress(done: int, total: int) -> None:
        if given_up.is_set():
            raise _GivenUp("The sample was given up.")
        loop.call_soon_threadsafe(report, "Making the sample", done, total)

    def prepare() -> str:
        if profile.kind is ProfileKind.LOCAL:
            return make_local(folder)
        make_sample(folder, profile.items, profile.seed, progress)
        return profile.user or ""

    try:
        return await asyncio.to_thread(prepare)
    except asyncio.CancelledError:
        given_up.set()
        raise


def _own_name() -> str:
    import getpass

    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "me"
