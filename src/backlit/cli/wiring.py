"""Wiring of a profile to its store, client and service."""

import argparse
import os
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from backlit.cli.debugging import log_to
from backlit.cli.variables import OFFLINE, is_kept_offline
from backlit.config.atomic_files import locked, writing_to
from backlit.config.ended_sign_ins import has_ended
from backlit.config.repository import read_pins
from backlit.config.settings import Locations, Profile, ProfileKind, Profiles, Settings, read_connection, read_settings
from backlit.config.sign_in_secrets import SecretPlace
from backlit.config.terminal_signs import ASCII
from backlit.model.dates import DATE_STYLE
from backlit.model.errors import BacklitError, Offline, SignInNeeded
from backlit.model.plain import plain
from backlit.model.private_files import make_private_folder
from backlit.model.settings.shared_settings import WEEKDAY_KEYS
from backlit.model.user_names import is_same_user

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.tokens import Credentials, TokenCache
    from backlit.service.storage.settings import ServiceSettings
    from backlit.store.store import Connect, Store

Report = Callable[[str, int, int], None]

# The command line takes click, rich's progress bars and pygments along: half of the memory that httpx takes.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type] # httpx then leaves out its command line


def store_of(profile: Profile, locations: Locations, settings: Settings) -> "Store":
    """Return a profile's store, not opened yet, configured by the settings; their faults go to standard error."""
    if settings.ascii and ASCII not in os.environ:
        from backlit.cli.ascii_output import replace_signs

        replace_signs(is_ascii=True)
    for problem in settings.problems:
        print(f"backlit: {plain(problem)}", file=sys.stderr)
    _log_to(locations, is_shown=True)
    store = unconfigured_store(profile, locations)
    configure(store, settings)
    return store


def unconfigured_store(profile: Profile, locations: Locations) -> "Store":
    """Return a profile's store without the settings, which it needs before it is opened."""
    from backlit.store.sqlite.database import ProfileFiles
    from backlit.store.store import Store

    store = Store(ProfileFiles(locations.mirror(profile), locations.journal(profile)), connect_to(profile, locations))
    store.is_sample, store.is_local = profile.kind is ProfileKind.DEMO, profile.kind is ProfileKind.LOCAL
    if profile.kind is ProfileKind.REMOTE:
        store.engine.owner = profile.user or ""
        store.engine.has_ended = partial(has_ended, locations.tokens(profile), profile.url or "")
    return store


def configure(store: "Store", settings: Settings) -> None:
    """Give a store, which is not open yet, the settings of its profile."""
    store.names.own_rules, store.names.stale_days = settings.lint, settings.stale_days
    store.groom_fields = settings.groom_fields
    store.lookups.own_names, store.lookups.own_work = settings.names, settings.work
    DATE_STYLE.first_weekday = WEEKDAY_KEYS.index(settings.week_start)
    store.files.own_groups = settings.statuses
    store.files.only_read(settings.refusal())
    store.presence.is_told = settings.presence and not store.files.refusal


def connect_to(profile: Profile, locations: Locations) -> "Connect":
    """Return the maker of the profile's client: over the network, or with a service started in this process."""
    _log_to(locations)

    async def connect(report: Report) -> "Client":
        if is_kept_offline():
            raise Offline(f"backlit stays offline, as {OFFLINE} says. Unset it to connect.")
        if profile.kind is ProfileKind.REMOTE:
            return remote_client(profile, locations)
        return await _inside(profile, locations, report)

    return connect


async def open_client(profile: Profile, locations: Locations) -> "Client":
    def ignore(_sentence: str, _done: int, _total: int) -> None:
        return

    _log_to(locations, is_shown=True)
    return await connect_to(profile, locations)(ignore)


def _log_to(locations: Locations, *, is_shown: bool = False) -> None:
    with writing_to(locations.log):
        make_private_folder(locations.state)
        log_to(locations.log, is_shown=is_shown)


def remote_client(profile: Profile, locations: Locations) -> "Client":
    """Return the client of a remote profile with its stored sign-in."""
    from backlit.client.client import Client

    connection = read_connection(profile, locations)
    return Client.at(profile.url or "", tokens_of(profile, locations), connection=connection)


def tokens_of(profile: Profile, locations: Locations, place: SecretPlace | None = None) -> "TokenCache":
    """Return the sign-in of a server's profile: as it is stored, or without a store by the environment's password.

    `place` comes before the settings.
    """
    from backlit.client.network import password_of
    from backlit.client.tokens import TokenCache, UnstoredTokens

    url, user = profile.url or "", profile.user or ""
    named = environment_credentials(user)
    if named is not None:
        return UnstoredTokens(locations.tokens(profile), url, credentials=lambda: named)
    secrets = read_settings(locations).of_profile(profile.name).secrets
    command = secrets.password_command

    def ask_command() -> "Credentials":
        return user, password_of(command)

    credentials = ask_command if command and user else None
    return TokenCache(locations.tokens(profile), url, place=place or secrets.store, credentials=credentials)


def environment_credentials(user: str) -> "Credentials | None":
    """Return the user name and the password of the environment; None without them, and where they are of another."""
    name, password = os.environ.get("BACKLIT_USER", ""), os.environ.get("BACKLIT_PASSWORD", "")
    return (name, password) if name and password and is_same_user(name, user or name) else None


def workspace_settings(folder: Path, name: str = "backlit") -> "ServiceSettings":
    from backlit.service.storage.settings import ServiceSettings

    return ServiceSettings(f"sqlite:///{folder / 'service.db'}", folder / "files", name)


def make_sample(folder: Path, items: int, seed: int, progress: Callable[[int, int], None]) -> None:
    """Write the sample into a directory without one, whole or not at all."""
    with _making(folder) as is_missing:
        if is_missing:
            from backlit.service.sample.workspace import write_sample

            write_sample(workspace_settings(folder), items=items, seed=seed, progress=progress)


def make_local(folder: Path) -> str:
    """Create the local workspace if it is missing; return its user."""
    note = folder / "user"
    with _making(folder) as is_missing:
        if is_missing:
            from backlit.service.admin.workspace import write_local

            note.write_text(_own_name(), encoding="utf-8")
            write_local(workspace_settings(folder), note.read_text(encoding="utf-8"))
        return note.read_text(encoding="utf-8")


@contextmanager
def _making(folder: Path) -> Iterator[bool]:
    # Two first starts at once would each write a workspace into the same directory.
    with locked(folder / "making.lock", "Could not create the workspace"):
        yield not (folder / "service.db").exists()


class _GivenUp(BacklitError):
    """Cancellation by the caller that waited for the workspace."""


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
        # A kept sign-in costs one request at a start; a new one is two durable writes.
        if not await _is_kept(client, user):
            import asyncio

            code = await asyncio.to_thread(service.invite, user)
            await client.auth.sign_in_with_code(code)
    except BaseException:
        await client.aclose()
        raise
    return client


async def _is_kept(client: "Client", user: str) -> bool:
    """Return whether the sign-in of an earlier start is still one of the user."""
    with suppress(BacklitError):
        return client.auth.signed_in and (await client.users.me()).get("name") == user
    return False


async def _prepared(profile: Profile, folder: Path, report: Report) -> str:
    """Create missing files on another thread and return the user to sign in; a cancelled call stops soon."""
    import asyncio

    loop = asyncio.get_running_loop()
    given_up = threading.Event()

    def progress(done: int, total: int) -> None:
        if given_up.is_set():
            raise _GivenUp("Making the sample was cancelled.")
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


def sign_in_needed(profile: Profile, sentence: str) -> SignInNeeded:
    """Return the error of a profile without a sign-in, with the command that signs in."""
    user = f" --user {plain(profile.user)}" if profile.user else ""
    return SignInNeeded(f"{sentence} Use: backlit login {profile.url or 'URL'}{user}")


def chosen_profile(arguments: argparse.Namespace, locations: Locations) -> Profile:
    """Return the profile that an option, the environment or a repository's file names, or that of the last sign-in.

    Raises SignInNeeded where there is none.
    """
    profiles = Profiles(locations)
    name = arguments.profile or read_pins(Path.cwd()).profile
    return profiles.named(name) if name else profiles.signed_in()
