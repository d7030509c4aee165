"""Contents of attachments in an S3-compatible object store (extra `s3`), configured by the AWS_… variables."""

import hashlib
import logging
import os
import re
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from backlit.model.errors import StorageError, Unavailable
from backlit.service.files.interface import UNUSED_CONTENT_GRACE, IncomingContent, is_digest, place_of

try:
    import obstore
    from obstore.exceptions import BaseError
    from obstore.store import S3Store
except ModuleNotFoundError as error:
    raise StorageError("An object store needs a driver; install it in a checkout: pip install '.[s3]'") from error

if TYPE_CHECKING:
    from obstore import WritableFile
    from obstore.store import ClientConfig

# S3 takes parts from 5 MiB and 10,000 of them at most, so this allows files of 80 GB.
PART_BYTES = 8 * 1024 * 1024
"""Bytes of one part of a large upload, and of one request when reading."""
RETRY_AFTER = 2
"""Seconds after which a caller may try again."""
AT_ONCE = 2
"""Maximum parts in transfer; together with the part being filled, they bound the memory."""


_ENDPOINTS = ("AWS_ENDPOINT", "AWS_ENDPOINT_URL", "AWS_ENDPOINT_URL_S3")

_log = logging.getLogger(__name__)


def _reason(error: BaseException) -> str:
    """Return the store's status, or the first line of an error without the driver's dump of its request."""
    if status := re.search(r"status code: (\d+ [A-Za-z ]+)", str(error)):
        return f"the store answered {status[1]}"
    return str(error).strip().partition("\n")[0].rstrip(".")[:300]


@contextmanager
def _reaching() -> Iterator[None]:
    try:
        yield
    except (BaseError, OSError) as error:
        _log.warning("The object store failed: %s", _reason(error))
        raise Unavailable(
            "The service cannot reach its file store. Try again in a moment.", retry_after=RETRY_AFTER
        ) from error


class _ObjectIncomingContent:
    """An object with a random name; a large one is sent in parts while it is written."""

    def __init__(self, store: S3Store, path: str) -> None:
        self.path = path
        self.digest = ""
        self.size = 0
        self._sha256 = hashlib.sha256()
        self._object: WritableFile = obstore.open_writer(store, path, buffer_size=PART_BYTES, max_concurrency=AT_ONCE)

    def write(self, data: bytes) -> None:
        self._sha256.update(data)
        with _reaching():
            self._object.write(data)
        self.size += len(data)

    def finish(self) -> None:
        self.close()
        self.digest = self._sha256.hexdigest()

    def close(self) -> None:
        if not self._object.closed():
            with _reaching():
                self._object.close()


class ObjectContentStore:
    """Contents as objects `ab/cdef…` by digest under the prefix, and `incoming/` for uploads."""

    def __init__(self, url: str) -> None:
        self._url = url
        is_plain = any(os.environ.get(name, "").startswith("http://") for name in _ENDPOINTS)
        options: ClientConfig = {"allow_http": True} if is_plain else {}
        try:
            self._store = S3Store.from_url(url, client_options=options)
        except BaseError as error:
            raise StorageError(f"The object store {url} cannot be used: {error}.") from error

    def probe(self) -> None:
        path = f"incoming/{secrets.token_hex(16)}"
        try:
            obstore.put(self._store, path, b"probe")
            obstore.delete(self._store, path)
        except (BaseError, OSError) as error:
            raise StorageError(
                f"The object store {self._url} cannot be written: {_reason(error)}. Check the bucket and the AWS_"
                " variables (docs/s3.md)."
            ) from error

    def begin(self) -> _ObjectIncomingContent:
        with _reaching():
            return _ObjectIncomingContent(self._store, f"incoming/{secrets.token_hex(16)}")

    def keep(self, incoming: IncomingContent) -> None:
        assert isinstance(incoming, _ObjectIncomingContent)
        with _reaching():
            obstore.copy(self._store, incoming.path, place_of(incoming.digest))

    def forget(self, incoming: IncomingContent) -> None:
        """Remove the temporary object; an incomplete one is completed first. The sweep removes what cannot be now."""
        assert isinstance(incoming, _ObjectIncomingContent)
        try:
            incoming.close()
            obstore.delete(self._store, incoming.path)
        except (BaseError, OSError, Unavailable) as error:
            _log.warning("The object %s could not be removed: %s", incoming.path, _reason(error))

    def has(self, digest: str) -> bool:
        return self._size_of(digest) is not None

    def _size_of(self, digest: str) -> int | None:
        path = place_of(digest)
        with _reaching():
            try:
                return obstore.head(self._store, path)["size"]
            except FileNotFoundError:
                return None

    def read(self, digest: str, start: int, stop: int) -> Iterator[bytes]:
        """Read a part of an object, a few megabytes to a request; a store refuses a range behind the end."""
        stop = min(stop, self._size_of(digest) or 0)
        for begin in range(start, stop, PART_BYTES):
            with _reaching():
                part = obstore.get_range(self._store, place_of(digest), start=begin, end=min(begin + PART_BYTES, stop))
            yield bytes(part)

    def remove(self, digest: str) -> None:
        try:
            obstore.delete(self._store, place_of(digest))
        except BaseError as error:
            raise StorageError(f"The object store cannot remove {place_of(digest)}: {error}.") from error

    def old(self) -> Iterator[str]:
        try:
            yield from self._old(datetime.now(UTC) - timedelta(seconds=UNUSED_CONTENT_GRACE))
        except BaseError as error:
            raise StorageError(f"The object store cannot be read: {error}.") from error

    def _old(self, limit: datetime) -> Iterator[str]:
        for page in obstore.list(self._store):
            for found in page:
                if found["last_modified"] >= limit:
                    continue
                if found["path"].startswith("incoming/"):
                    obstore.delete(self._store, found["path"])
                elif is_digest(digest := found["path"].replace("/", "")):
                    yield digest
