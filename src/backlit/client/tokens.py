"""Secrets of a profile's sign-in: tokens or a browser's cookie, in one private file that all its processes share.

Where the keyring of the system has them, the file says under which name.
"""

import asyncio
import contextlib
import fcntl
import json
import os
import re
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from backlit.client import keyring_secrets
from backlit.config.atomic_files import locked, open_lock, write_private
from backlit.config.ended_sign_ins import ENDED_AT, has_ended, is_marked
from backlit.config.sign_in_secrets import SecretPlace
from backlit.model.errors import BadRequest, StorageError
from backlit.model.settings.user_settings import json_in
from backlit.model.wrap import TokenGrant, authorization_header

LOGIN_COOKIE = ".ASPXAUTH"
LONGEST_SESSION = 12 * 3600.0
"""Seconds after which the client forgets a cookie, as it cannot renew it."""
_NOT_LOCKED = "Could not lock the sign-in file"
_VALUE = re.compile(r"[!#-+\--:<>-\[\]-~]+")
"""The characters of a cookie's value by RFC 6265, without `=`."""


# Tokens and cookies are no structs like other values: rich prints all fields of a struct in a traceback with values,
# whatever its __repr__ says.
@dataclass(frozen=True, slots=True)
class LoginCookie:
    """The cookie of one profile; `granted_at` is this machine's clock, when it was taken over."""

    value: str = field(repr=False)
    granted_at: float
    lifetime: float = LONGEST_SESSION

    @property
    def secret(self) -> str:
        return self.value

    def remaining(self) -> float:
        """Seconds left; a clock set back does not lengthen them."""
        return min(self.lifetime, self.granted_at + self.lifetime - time.time())

    def header(self) -> tuple[str, str]:
        return "Cookie", f"{LOGIN_COOKIE}={self.value}"


def cookie_value(text: str) -> str:
    """Find the login cookie's value: alone, as `name=value`, or in a whole Cookie header.

    Raises BadRequest, which never repeats the input.
    """
    pairs = re.sub(r"(?i)^\s*cookie:", "", text).strip().split(";")
    values = [
        value
        for name, equals, value in (pair.strip().partition("=") for pair in pairs)
        if equals and name == LOGIN_COOKIE
    ]
    value = values[0] if values else text.strip()
    if not _VALUE.fullmatch(value):
        raise BadRequest(f"The input is not a value of the cookie {LOGIN_COOKIE}. No request was sent.")
    return value


# Longer than a refresh takes at a slow server: giving up earlier would send the refresh token twice, and it works once.
LOCK_PATIENCE = 90.0
"""Seconds; longer than a refresh, so that only a stuck process makes others give up."""
_APPROVED = "approved origins"
"""The key of approved origins: the other origins to which each profile may send credentials."""
_FIRST_POLL, _LONGEST_POLL = 0.005, 0.1
_KEYRING = "keyring"
"""The key of the name under which the keyring has an entry."""

Credentials = tuple[str, str]
"""A user name and a password."""


@dataclass(frozen=True, slots=True)
class StoredTokens:
    """Tokens of one profile; `granted_at` is this machine's clock, `lifetime` in seconds."""

    access: str = field(repr=False)
    refresh: str = field(repr=False)
    lifetime: float
    granted_at: float

    @property
    def secret(self) -> str:
        return self.access

    def remaining(self) -> float:
        """Seconds the access token is valid; a clock set back does not lengthen them."""
        return min(self.lifetime, self.granted_at + self.lifetime - time.time())

    def header(self) -> tuple[str, str]:
        return "Authorization", authorization_header(self.access)


StoredCredentials = StoredTokens | LoginCookie
"""The credentials of a sign-in."""


class TokenCache:
    """File of tokens or cookies by profile (`key`: its base address); the next sign-in replaces a malformed one."""

    def __init__(
        self,
        path: Path,
        key: str,
        patience: float = LOCK_PATIENCE,
        *,
        place: SecretPlace = SecretPlace.FILE,
        credentials: Callable[[], Credentials] | None = None,
    ) -> None:
        self._path = path
        self._place = place
        self.credentials = credentials
        """Gives a user name and a password for a new sign-in where there is none; raises SignInNeeded."""
        # A file of its own: each write replaces the file of tokens, and a lock on a replaced file holds nobody.
        self._lock_path = path.with_name(f"{path.name}.lock")
        self._key = key
        self._patience = patience

    def __repr__(self) -> str:
        return f"TokenCache({str(self._path)!r}, {self._key!r})"

    def load(self) -> StoredCredentials | None:
        """Read the credentials; None when signed out, StorageError for an unreadable or malformed file or keyring."""
        entry = self._entry()
        if entry is None:
            return None
        name = entry.get(_KEYRING)
        if isinstance(name, str):
            entry = self._in_keyring(name)
        held = _cookie_in(entry) or _tokens_in(entry)
        if held is None:
            raise self._damage(f"the entry of {self._key} is no sign-in")
        return held

    def has_sign_in(self) -> bool:
        """Report whether there are credentials, or a way to new ones; does not ask the keyring. Raises as `load`."""
        entry = self._entry()
        is_kept = entry is not None and (_KEYRING in entry or self.load() is not None)
        return is_kept or self.credentials is not None

    def is_in_keyring(self) -> bool:
        return _KEYRING in (self._entry() or {})

    def _entry(self) -> dict[str, object] | None:
        entries = self._entries()
        entry = entries.get(self._key)
        if self._key not in entries or is_marked(entry):
            return None
        if not isinstance(entry, dict):
            raise self._damage(f"the entry of {self._key} is no sign-in")
        return entry

    def _in_keyring(self, name: str) -> dict[str, object]:
        secret = keyring_secrets.read_secret(name)
        try:
            entry = json_in((secret or "").encode())
        except ValueError:
            entry = None
        if not isinstance(entry, dict):
            raise StorageError(f"The keyring has no sign-in for {self._key} any more. Sign in again.")
        return entry

    def stamp(self) -> tuple[int, int] | None:
        """Return a stamp that changes with every write of the file; None without a file."""
        try:
            found = self._path.stat()
        except OSError:
            return None
        # Each write makes a new file, so the inode changes even within the clock's resolution.
        return found.st_ino, found.st_mtime_ns

    def save(self, grant: TokenGrant) -> StoredTokens:
        """Write a fresh grant, durable before its use: a used refresh token is worthless."""
        tokens = StoredTokens(grant.access_token, grant.refresh_token, float(grant.expires_in), time.time())
        entry = {
            "access": tokens.access,
            "refresh": tokens.refresh,
            "lifetime": tokens.lifetime,
            "grantedAt": tokens.granted_at,
        }
        self._keep(entry)
        return tokens

    def save_cookie(self, cookie: LoginCookie) -> LoginCookie:
        """Store a browser's cookie in place of tokens, for the life of its session."""
        self._keep({"cookie": cookie.value, "grantedAt": cookie.granted_at})
        return cookie

    def _keep(self, entry: dict[str, object]) -> None:
        """Write an entry where the settings want it; the file is written each time, as its stamp tells others."""
        entries = self._readable_entries()
        name = self._keyring_name(entries)
        # A renewal stays where the sign-in chose, which an option of it may have named.
        is_chosen = self._key in entries and not is_marked(entries[self._key])
        is_file = is_chosen and not name if self._place is SecretPlace.AUTO else self._place is SecretPlace.FILE
        if not is_file:
            new_name = name or uuid4().hex
            try:
                keyring_secrets.write_secret(new_name, json.dumps(entry))
            except StorageError:
                if self._place is SecretPlace.KEYRING:
                    raise
            else:
                self._write(entries | {self._key: {_KEYRING: new_name}})
                return
        self._write(entries | {self._key: entry})
        _forget(name)

    def _keyring_name(self, entries: dict[str, object]) -> str:
        entry = entries.get(self._key)
        return str(entry.get(_KEYRING, "")) if isinstance(entry, dict) else ""

    def clear(self) -> None:
        """Forget this profile's tokens or cookie; keep those of other profiles, and that the server ended a sign-in."""
        try:
            entries = self._entries()
        except StorageError:
            self._write({})
            return
        if self._key in entries and not is_marked(entries[self._key]):
            self._write({key: entry for key, entry in entries.items() if key != self._key})
            _forget(self._keyring_name(entries))

    # In one write, so that no process is ended between them: a copy without tokens and without the mark is open.
    def end(self) -> None:
        """Put the mark of an end by the server in place of the tokens or the cookie, until the next sign-in."""
        entries = self._readable_entries()
        self._write(entries | {self._key: {ENDED_AT: time.time()}})
        _forget(self._keyring_name(entries))

    def has_ended(self) -> bool:
        """Report whether the server has ended the sign-in, and nobody has signed in since."""
        return has_ended(self._path, self._key)

    def approved(self) -> frozenset[str]:
        every = self._readable_entries().get(_APPROVED)
        origins = every.get(self._key) if isinstance(every, dict) else None
        return frozenset(map(str, origins)) if isinstance(origins, list) else frozenset()

    def approve(self, origin: str) -> None:
        """Store the approval of another origin, which outlives a sign-out; the caller holds the lock."""
        entries = self._readable_entries()
        every = entries.get(_APPROVED)
        others = every if isinstance(every, dict) else {}
        self._write(entries | {_APPROVED: {**others, self._key: sorted({*self.approved(), origin})}})

    def lock(self) -> contextlib.AbstractContextManager[None]:
        """Hold the file's lock against other processes, waiting without limit."""
        return locked(self._lock_path, _NOT_LOCKED)

    @contextlib.asynccontextmanager
    async def locked(self) -> AsyncIterator[None]:
        """Hold the same lock without blocking the loop; raise StorageError after `patience` seconds."""
        descriptor = open_lock(self._lock_path, _NOT_LOCKED)
        try:
            await _acquire(descriptor, self._patience)
            yield
        finally:
            os.close(descriptor)

    def _entries(self) -> dict[str, object]:
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return {}
        except OSError as error:
            raise self._damage(str(error.strerror)) from error
        try:
            entries = json_in(content)
        except ValueError as error:
            raise self._damage(str(error)) from error
        if not isinstance(entries, dict):
            raise self._damage("it is no table of sign-ins")
        return entries

    def _readable_entries(self) -> dict[str, object]:
        with contextlib.suppress(StorageError):
            return self._entries()
        return {}

    def _damage(self, fault: str) -> StorageError:
        return StorageError(f"Could not read the sign-in file: {fault} ({self._path}). Sign in again to replace it.")

    def _write(self, entries: dict[str, object]) -> None:
        try:
            write_private(self._path, json.dumps(entries).encode())
        except OSError as error:
            raise StorageError(f"Could not write the sign-in file: {error.strerror} ({self._path}).") from error


class UnstoredTokens(TokenCache):
    """The tokens of one process alone, which signs in by its own credentials; the file stays as it is."""

    _held: StoredTokens | None = None

    def load(self) -> StoredCredentials | None:
        return self._held

    def has_sign_in(self) -> bool:
        return self._held is not None or self.credentials is not None

    def stamp(self) -> tuple[int, int] | None:
        return None

    def save(self, grant: TokenGrant) -> StoredTokens:
        self._held = StoredTokens(grant.access_token, grant.refresh_token, float(grant.expires_in), time.time())
        return self._held

    def clear(self) -> None:
        self._held = None

    def end(self) -> None:
        self._held = None

    def has_ended(self) -> bool:
        return False


def _forget(name: str) -> None:
    """Take an entry out of the keyring; where that is not possible its tokens are left behind, and are of no use."""
    if name:
        with contextlib.suppress(StorageError):
            keyring_secrets.delete_secret(name)


async def _acquire(descriptor: int, patience: float) -> None:
    deadline = time.monotonic() + patience
    pause = _FIRST_POLL
    while True:
        try:
            # Polled, because a thread that waits in flock could not be cancelled.
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise StorageError(
                    "Another backlit process keeps the sign-in file locked. Close it and try again."
                ) from None
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_POLL)
        else:
            return


def _cookie_in(entry: dict[str, object]) -> LoginCookie | None:
    value, granted_at = entry.get("cookie"), entry.get("grantedAt")
    return (
        LoginCookie(value, float(granted_at))
        if isinstance(value, str) and isinstance(granted_at, int | float)
        else None
    )


def _tokens_in(entry: dict[str, object]) -> StoredTokens | None:
    access, refresh = entry.get("access"), entry.get("refresh")
    lifetime, granted_at = entry.get("lifetime"), entry.get("grantedAt")
    if not (isinstance(access, str) and isinstance(refresh, str)):
        return None
    if not (isinstance(lifetime, int | float) and isinstance(granted_at, int | float)):
        return None
    return StoredTokens(access, refresh, float(lifetime), float(granted_at))
