"""Interface of a file store: contents by their SHA-256."""

import re
from collections.abc import Iterator
from typing import Protocol

from backlit.model.errors import StorageError

# As long as a body may take to arrive, which `ServiceLimits.body` says.
UNUSED_CONTENT_GRACE = 3600.0
"""Seconds for which unused or incomplete contents may belong to a running upload."""


_DIGEST = re.compile(r"[0-9a-f]{64}")


def is_digest(text: object) -> bool:
    """Return True for a SHA-256 digest: 64 lower-case hexadecimal digits."""
    return isinstance(text, str) and _DIGEST.fullmatch(text) is not None


def place_of(digest: str) -> str:
    """Return the path of contents in a file store, `ab/cdef…`; raises StorageError for what is no digest."""
    if not is_digest(digest):
        raise StorageError(
            f"The digest {digest[:80]!r} of an attached file is not 64 lower-case hexadecimal digits."
            " To find its attachment: backlit admin check"
        )
    return f"{digest[:2]}/{digest[2:]}"


class IncomingContent(Protocol):
    """Contents during their upload; `keep` gives them their permanent address."""

    digest: str
    size: int

    def write(self, data: bytes) -> None: ...

    def finish(self) -> None:
        """Make the written data durable and compute `digest`."""


class ContentStore(Protocol):
    """A store of contents by digest. All methods block, and raise their medium's errors."""

    def probe(self) -> None:
        """Write and remove a small object; raise StorageError, or the medium's error."""

    def begin(self) -> IncomingContent: ...

    def keep(self, incoming: IncomingContent) -> None:
        """Store finished contents permanently; identical ones may exist."""

    def forget(self, incoming: IncomingContent) -> None:
        """Discard an upload; kept contents remain."""

    def has(self, digest: str) -> bool: ...

    def read(self, digest: str, start: int, stop: int) -> Iterator[bytes]: ...

    def remove(self, digest: str) -> None: ...

    def old(self) -> Iterator[str]:
        """Return the digests of contents older than the grace; half-written ones of that age are dropped on the way."""
