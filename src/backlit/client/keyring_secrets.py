"""The keyring of the system, by the extra `keyring`. Its import takes 0.1 s: only where a secret is read or written."""

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from backlit.model.errors import StorageError

_SERVICE = "backlit"
_LEAST_PRIORITY = 1
"""The priority of backends that keyring recommends; below it are those that keep nothing, or in the clear."""


def usable_keyring() -> str:
    """Return the name of the system's keyring; empty where the extra is not installed or there is none."""
    backend = _backend()
    return "" if backend is None else str(backend.name)


def _backend() -> Any | None:
    try:
        backend = import_module("keyring").get_keyring()
    except ImportError:
        return None
    return backend if backend.priority >= _LEAST_PRIORITY else None


def read_secret(name: str) -> str | None:
    """Return what is kept under a name, or None; raise StorageError where there is no keyring, or it is locked."""
    with _using_keyring() as backend:
        found: str | None = backend.get_password(_SERVICE, name)
        return found


def write_secret(name: str, secret: str) -> None:
    """Keep a secret; raise StorageError where that is not possible."""
    with _using_keyring() as backend:
        backend.set_password(_SERVICE, name, secret)


def delete_secret(name: str) -> None:
    """Forget a secret; raise StorageError where there is no keyring, or none of this name."""
    with _using_keyring() as backend:
        backend.delete_password(_SERVICE, name)


@contextmanager
def _using_keyring() -> Iterator[Any]:
    backend = _backend()
    if backend is None:
        raise StorageError(
            "There is no keyring here. Unlock or install one, with the extra keyring of backlit, or have"
            ' store = "file" in [secrets] of config.toml, and sign in again.'
        )
    try:
        yield backend
    except (import_module("keyring.errors").KeyringError, OSError, RuntimeError) as error:
        raise StorageError(
            f"The keyring ({backend.name}) refused: {str(error) or type(error).__name__}. Unlock it and try again."
        ) from error
