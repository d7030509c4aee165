"""Keyrings of this process, in place of the system's."""

from collections.abc import Iterator
from contextlib import contextmanager

import keyring
from keyring.backend import KeyringBackend
from keyring.backends.fail import Keyring as NoKeyring
from keyring.errors import KeyringLocked, PasswordDeleteError


class MemoryKeyring(KeyringBackend):
    """Keeps secrets in memory, until it is locked."""

    priority = 5
    name = "test keyring"

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.secrets: dict[tuple[str, str], str] = {}
        self.is_locked = False

    def get_password(self, service: str, username: str) -> str | None:
        self._check()
        return self.secrets.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self._check()
        self.secrets[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        self._check()
        if self.secrets.pop((service, username), None) is None:
            raise PasswordDeleteError("not found")

    def _check(self) -> None:
        if self.is_locked:
            raise KeyringLocked("the collection is locked")


@contextmanager
def system_keyring(backend: KeyringBackend | None = None) -> Iterator[None]:
    """Have a backend as the keyring of the system, or none."""
    before = keyring.get_keyring()
    keyring.set_keyring(backend or NoKeyring())  # type: ignore[no-untyped-call]
    try:
        yield
    finally:
        keyring.set_keyring(before)
