"""Sign-in to a service, sign-out, and the signed-in user."""

import argparse
import asyncio
import ssl
import sys
import tempfile
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from msgspec.structs import replace

from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.questions import agrees
from backlit.cli.terminal_input import can_ask, read_line
from backlit.cli.wiring import (
    chosen_profile,
    environment_credentials,
    open_client,
    remote_client,
    sign_in_needed,
    tokens_of,
)
from backlit.client.client import Client, root_of
from backlit.client.keyring_secrets import usable_keyring
from backlit.client.network import is_loopback, password_of, tls_details_of
from backlit.client.tokens import LOGIN_COOKIE, Credentials, LoginCookie, TokenCache
from backlit.config import clipboard
from backlit.config.atomic_files import write_private, writing_to
from backlit.config.connection import (
    USUAL_CONNECTION,
    ConnectionSettings,
    fingerprint_in,
    load_connection,
    save_connection,
)
from backlit.config.settings import (
    Locations,
    Profile,
    ProfileKind,
    Profiles,
    find_locations,
    is_profile_name,
    read_connection,
    read_settings,
)
from backlit.config.sign_in_secrets import SecretPlace
from backlit.model.amounts import counted
from backlit.model.errors import AnswerNeeded, BadRequest, OtherOrigin, SignInNeeded, StorageError, UntrustedServer
from backlit.model.plain import plain
from backlit.model.private_files import make_private_folder
from backlit.model.resources import User
from backlit.model.wrap import LOGIN_PATH, TokenGrant
from backlit.store.files.files import inspect_journal

_WHO = (
    Column("user", "User"),
    Column("name", "Name"),
    Column("url", "Address"),
    Column("kind", "Kind"),
    Column("profile", "Profile"),
)
_TLS_PATIENCE = 5.0
_NOT_ENCRYPTED = "The connection is not encrypted: others can read what you send. Use https://."


def log_in(arguments: argparse.Namespace) -> None:
    """Prompt for missing values, sign in, and save the profile; a failed sign-in saves nothing."""
    if arguments.profile:
        raise BadRequest("A sign-in names its profile after the user and the server. For another name: --name NAME.")
    locations = find_locations()
    url = str(root_of(arguments.url)).rstrip("/")
    _check_new_name(arguments.name, url, locations)
    stored, connection = _connection(arguments, url, locations)
    if not _is_private(url):
        print(f"Warning: {_NOT_ENCRYPTED}", file=sys.stderr)
    if arguments.cookie:
        credentials = ("", read_line(f"Value of the cookie {LOGIN_COOKIE}: ", is_secret=True))
    elif arguments.code:
        _offer(url + LOGIN_PATH)
        credentials = ("", _asked("Code: "))
    else:
        credentials = _credentials(arguments.user or "", url, locations)
    approved = arguments.approve
    way = partial(_sign_in, url, *credentials, is_cookie=arguments.cookie, locations=locations)
    try:
        user, held = asyncio.run(way(approved, connection=connection))
    except UntrustedServer as error:
        pin = {"fingerprint": _trusted_fingerprint(asyncio.run(_looked_at(error, url, connection)))}
        stored, connection = replace(stored, **pin), replace(connection, **pin)
        user, held = asyncio.run(way(approved, connection=connection))
    except OtherOrigin as error:
        approved = _approved(error)
        user, held = asyncio.run(way(approved, connection=connection))
    place = SecretPlace(arguments.store) if arguments.store else None
    profile = _keep(url, user, held, approved, locations, name=arguments.name, place=place)
    _keep_connection(stored, profile, locations)
    print(f"Signed in to {url} as {plain(user)}; the profile is {profile.name}.")
    print(f"The sign-in {place_of_sign_in(profile, locations)}.")
    print("Next, open it: backlit")


def _credentials(user: str, url: str, locations: Locations) -> Credentials:
    """Return a user name and a password: of the environment, of the command of the settings, or as they are typed."""
    named = environment_credentials(user)
    if named is not None:
        return named
    name = user or _asked("User name: ")
    secrets = read_settings(locations).of_profile(Profiles(locations).of_user(url, name).name).secrets
    if secrets.password_command:
        return name, password_of(secrets.password_command)
    return name, read_line("Password: ", is_secret=True)


def place_of_sign_in(profile: Profile, locations: Locations) -> str:
    """Say where the secrets of a profile's sign-in are."""
    if environment_credentials(profile.user or "") is not None:
        return "comes from BACKLIT_USER and BACKLIT_PASSWORD, and is not kept"
    cache = tokens_of(profile, locations)
    if cache.is_in_keyring():
        return f"is in the keyring: {usable_keyring() or 'none that can be used now'}"
    way = ", and comes again from password_command" if cache.credentials is not None else ""
    return f"is in a file that only you can read ({locations.tokens(profile)}){way}"


def _check_new_name(name: str, url: str, locations: Locations) -> None:
    """Raise BadRequest for a name that no profile of a server at this address can have."""
    if not name:
        return
    if not is_profile_name(name):
        raise BadRequest(f"“{plain(name, 60)}” is no name of a profile: use letters, digits and _ . @ : - only.")
    profiles = Profiles(locations)
    if name in profiles.names() and profiles.named(name).url != url:
        raise BadRequest(f"The profile {plain(name)} is of another server. Choose another name.")


def _connection(
    arguments: argparse.Namespace, url: str, locations: Locations
) -> tuple[ConnectionSettings, ConnectionSettings]:
    """Return what the profile is to keep, the earlier sign-in's with what is named now, and what holds with settings.

    Raises BadRequest and StorageError for files that cannot be used.
    """
    named = ConnectionSettings(
        ca=_named_authority(arguments.ca),
        client_cert=_named_file(arguments.client_cert),
        client_key=_named_file(arguments.client_key),
        proxy=arguments.proxy or "",
        fingerprint=_named_fingerprint(arguments.fingerprint),
    )
    if not arguments.user:
        return named, read_settings(locations).connection.under(named)
    profile = Profiles(locations).of_user(url, arguments.user)
    stored = load_connection(locations.connection(profile)).under(named)
    return stored, read_connection(profile, locations).under(named)


def _named_fingerprint(text: str | None) -> str:
    found = fingerprint_in(text or "")
    if text and not found:
        raise BadRequest("A fingerprint is the SHA-256 of a public key: sha256: and 64 digits.")
    return found


def _named_file(name: str | None) -> str:
    if name is None:
        return ""
    path = Path(name).expanduser().absolute()
    if not path.is_file():
        raise StorageError(f"Could not read {plain(str(path), 200)}: there is no such file.")
    return str(path)


def _named_authority(name: str | None) -> str:
    """Return the path of a file with an authority; raise BadRequest and StorageError for an unusable one."""
    if name is None:
        return ""
    path = Path(name).expanduser().absolute()
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(path)
    except ssl.SSLError:
        raise BadRequest(f"{plain(str(path), 200)} has no certificates. Name a file in PEM format.") from None
    except OSError as error:
        raise StorageError(f"Could not read {plain(str(path), 200)}: {error.strerror}.") from error
    return str(path)


async def _looked_at(error: UntrustedServer, url: str, connection: ConnectionSettings) -> UntrustedServer:
    """Return an error with the certificate that the server shows."""
    shown = (await tls_details_of(url, _TLS_PATIENCE, replace(connection, insecure=True))).certificate
    found = UntrustedServer(error.message)
    found.fingerprint = shown.fingerprint
    lines = (
        f"subject      {shown.subject}",
        f"issuer       {shown.issuer}",
        f"good until   {shown.good_until:%Y-%m-%d}",
        f"key          {shown.fingerprint}",
    )
    found.details = "\n".join(map(plain, lines))
    return found


def _trusted_fingerprint(error: UntrustedServer) -> str:
    """Ask whether the certificate that a server shows is to be trusted; raise the error without a terminal."""
    if not can_ask():
        told = f"{error.message} Its key is {error.fingerprint}."
        raise UntrustedServer(f"{told} To trust exactly this one: --fingerprint {error.fingerprint}") from None
    print(plain(error.message), *error.details.split("\n"), sep="\n  ", file=sys.stderr)
    if not agrees("Trust exactly this one? Compare the key with those who run the server."):
        raise BadRequest("Sign-in cancelled: no credentials were sent.")
    return error.fingerprint


def _keep_connection(connection: ConnectionSettings, profile: Profile, locations: Locations) -> None:
    """Keep what a sign-in named, and a copy of the authority, whose file may go away."""
    authority = locations.tokens(profile).with_name("authority.pem")
    if connection.ca and Path(connection.ca) != authority:
        with writing_to(authority):
            write_private(authority, Path(connection.ca).read_bytes())
        connection = replace(connection, ca=str(authority))
    if connection != load_connection(locations.connection(profile)):
        save_connection(locations.connection(profile), connection)


def _keep(
    url: str,
    user: str,
    held: TokenGrant | LoginCookie,
    approved: str,
    locations: Locations,
    *,
    name: str = "",
    place: SecretPlace | None = None,
) -> Profile:
    """Save a sign-in in the profile of its user; a new one may have a name of its own."""
    profiles = Profiles(locations)
    profile = profiles.of_user(url, user)
    if name and name != profile.name:
        if profile.name in profiles.names():
            raise BadRequest(f"The profile of {plain(user)} is {profile.name}: backlit profiles rename changes that.")
        profile = replace(profile, name=name)
    cache = tokens_of(profile, locations, place)
    cache.clear()  # so that the place is chosen anew
    if isinstance(held, LoginCookie):
        cache.save_cookie(held)
    else:
        cache.save(held)
    if approved:
        cache.approve(approved)
    profiles.remember(profile, is_sign_in=True)
    return profile


class RemoteProfileSignIn:
    """The sign-in of the screens to a server; it makes a profile, and a failed one saves nothing."""

    def __init__(self, locations: Locations, address: str) -> None:
        self._locations = locations
        self.server = str(root_of(address)).rstrip("/")
        self.reason = "" if _is_private(self.server) else _NOT_ENCRYPTED
        self.profile = self.username = self._fingerprint = ""

    @property
    def is_signed_in(self) -> bool:
        return bool(self.profile)

    def trust(self, fingerprint: str) -> None:
        self._fingerprint = fingerprint

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        await self._sign_in((username, password), approved)

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        await self._sign_in(("", code), approved)

    async def _sign_in(self, credentials: tuple[str, str], approved: str) -> None:
        profile = Profiles(self._locations).of_user(self.server, credentials[0])
        named = ConnectionSettings(fingerprint=self._fingerprint)
        connection = read_connection(profile, self._locations).under(named)
        way = partial(_sign_in, self.server, *credentials, approved, locations=self._locations)
        try:
            user, held = await way(is_cookie=False, connection=connection)
        except UntrustedServer as error:
            raise await _looked_at(error, self.server, connection) from None
        kept = await asyncio.to_thread(_keep, self.server, user, held, approved, self._locations)
        if self._fingerprint:
            stored = load_connection(self._locations.connection(kept))
            _keep_connection(stored.under(named), kept, self._locations)
        self.profile = kept.name

    def keep(self, user: str, grant: TokenGrant, approved: str) -> None:
        self.profile = _keep(self.server, user, grant, approved, self._locations).name


def _approved(error: OtherOrigin) -> str:
    """Ask for approval to send credentials to another origin, and store it; raise the error if refused."""
    if can_ask():
        print(error.message, file=sys.stderr)
        if agrees(f"Send the sign-in to {plain(error.other)} now and in future?"):
            return error.other
        raise BadRequest("Sign-in cancelled: no credentials were sent.")
    raise AnswerNeeded(f"{error.message} If that is right, add --approve {plain(error.other)}") from None


async def _sign_in(
    url: str,
    user: str,
    secret: str,
    approved: str,
    *,
    is_cookie: bool,
    locations: Locations,
    connection: ConnectionSettings = USUAL_CONNECTION,
) -> tuple[str, TokenGrant | LoginCookie]:
    """Sign in with a temporary cache; the profile's name is known only afterwards."""
    with writing_to(locations.state):
        make_private_folder(locations.state)
        thrown_away = tempfile.TemporaryDirectory(dir=locations.state, prefix="login-")
    with thrown_away as folder:
        cache = TokenCache(Path(folder) / "tokens.json", url)
        async with Client.at(url, cache, connection=connection) as client:
            if is_cookie:
                await client.auth.sign_in_with_cookie(secret)
            elif user:
                await client.auth.sign_in(user, secret, approved)
            else:
                await client.auth.sign_in_with_code(secret, approved)
            me = User.read(await client.users.me(), client.server)
        held = cache.load()
        assert held is not None
        return me.name, held if isinstance(held, LoginCookie) else TokenGrant(
            held.access, held.refresh, int(held.lifetime)
        )


def _offer(address: str) -> None:
    is_terminal = sys.stderr.isatty()
    link = f"\x1b]8;;{address}\x1b\\{address}\x1b]8;;\x1b\\" if is_terminal else address
    print(f"Sign in here, then copy the code:\n  {link}", file=sys.stderr)
    if is_terminal:
        sequences = clipboard.osc_52(address) + clipboard.passed_through(address)
        route = clipboard.taken_by(clipboard.routes(), address)
        print(f"{sequences}Copied the address, by {route}.", file=sys.stderr)


def _is_private(url: str) -> bool:
    parts = urlsplit(url)
    return parts.scheme == "https" or is_loopback(parts.hostname or "")


def _asked(question: str) -> str:
    answer = read_line(question).strip()
    if not answer:
        raise BadRequest(f"{question.rstrip(': ').capitalize()} is required.")
    return answer


def log_out(arguments: argparse.Namespace) -> None:
    """Forget the tokens; unsent changes and the local copy are kept.

    Asks first where changes wait. Raises AnswerNeeded where it cannot ask.
    """
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    if profile.kind is not ProfileKind.REMOTE:
        raise BadRequest(f"The profile {profile.name} is local and has no sign-in.")
    unsent = inspect_journal(locations.journal(profile)).count or 0
    changes = f"{counted(unsent, 'unsent change')} of {plain(profile.user or '')}"
    if unsent and not arguments.yes:
        _confirm_sign_out(f"There {'is' if unsent == 1 else 'are'} {changes}. The next sign-in sends what waits.")
    asyncio.run(_sign_out(profile, locations))
    print(f"Signed out of {profile.url}.")
    if unsent:
        print(f"Kept on this machine: {changes}.")


def _confirm_sign_out(sentence: str) -> None:
    if not can_ask():
        raise AnswerNeeded(f"{sentence} To sign out now, add --yes.")
    print(sentence, file=sys.stderr)
    if not agrees("Sign out now?"):
        raise BadRequest("You are still signed in.")


async def _sign_out(profile: Profile, locations: Locations) -> None:
    async with remote_client(profile, locations) as client:
        await client.auth.sign_out()


def show_user(arguments: argparse.Namespace) -> None:
    locations = find_locations()
    profile = chosen_profile(arguments, locations)
    try:
        user = asyncio.run(_me(profile, locations))
    except SignInNeeded as error:
        raise sign_in_needed(profile, error.message) from None
    name = user.display_name or f"{user.first_name} {user.last_name}".strip()
    if arguments.json or arguments.format:
        row = {"user": user.name, "name": name, "url": profile.url, "kind": profile.kind.value, "profile": profile.name}
        write_rows(arguments, chosen_columns(arguments, _WHO), [row], [row])
        return
    place = profile.url or f"the {profile.kind} workspace"
    print(plain(f"{user.name} ({name}) at {place}; the profile is {profile.name}."))


async def _me(profile: Profile, locations: Locations) -> User:
    async with await open_client(profile, locations) as client:
        return User.read(await client.users.me(), client.server)
