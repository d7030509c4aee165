"""The interface of a file store: contents by their SHA-256."""

import re
from collections.abc import Iterator
from typing import Protocol

from backlit.model.errors import StorageError

GRACE = 3600.0
"""Seconds for which contents that no attachment names, and half-written ones, may be an upload in the works."""


_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: object) -> bool:
    """Return True for a SHA-256 digest: 64 lower-case hexadecimal digits."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def place_of(digest: str) -> str:
    """Return the path of contents in a file store, `ab/cdef…`; raises StorageError for what is no digest."""
    if not is_digest(digest):
        raise StorageError(
            f"The digest {digest[:80]!r} of an attached file is not 64 lower-case hexadecimal digits."
            " To see the attachment that has it: backlit admin check"
        )
    return f"{digest[:2]}/{digest[2:]}"


class Incoming(Protocol):
    """Contents that are being written; they have a lasting address once they are kept."""

    digest: str
    size: int

    def write(self, data: bytes) -> None:
        """Add to the contents."""

    def finish(self) -> None:
        """Make all that was written durable and `digest` true."""


class FileStore(Protocol):
    """Keeps contents by their digest; all of it blocks, and raises what its place raises where that cannot be used."""

    def begin(self) -> Incoming:
        """Begin new contents."""

    def keep(self, incoming: Incoming) -> None:
        """Give finished contents their lasting address, whether or not the same are there already."""

    def forget(self, incoming: Incoming) -> None:
        """Drop what `begin` made; what was kept stays."""

    def has(self, digest: str) -> bool:
        """Return True if the contents exist."""

    def read(self, digest: str, start: int, stop: int) -> Iterator[bytes]:
        """Read a part of contents."""

    def remove(self, digest: str) -> None:
        """Delete contents, if they are there."""

    def old(self) -> Iterator[str]:
        """Return the digests of contents older than the grace; half-written ones of that age are dropped on the way."""
