"""Where the contents of attachments are kept: content-addressed by SHA-256, in a folder (or an object store)."""

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, Protocol

CHUNK = 256 * 1024
"""Bytes read at a time."""
GRACE = 3600.0
"""Seconds for which contents that no attachment names, and half-written ones, may be an upload in the works."""


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
        """Whether there are such contents."""

    def read(self, digest: str, start: int, stop: int) -> Iterator[bytes]:
        """Read a part of contents."""

    def remove(self, digest: str) -> None:
        """Delete contents, if they are there."""

    def old(self) -> Iterator[str]:
        """The digests of contents older than the grace; half-written ones of that age are dropped on the way."""


class _LocalIncoming:
    """A file with a random name beside its later place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest = ""
        self.size = 0
        self._sha256 = hashlib.sha256()
        self._file: BinaryIO = path.open("xb", buffering=0)

    def write(self, data: bytes) -> None:
        """Add to the contents."""
        self._sha256.update(data)
        rest = memoryview(data)
        while rest:
            rest = rest[self._file.write(rest) :]
        self.size += len(data)

    def finish(self) -> None:
        """Make all that was written durable and `digest` true."""
        os.fsync(self._file.fileno())
        self._file.close()
        self.digest = self._sha256.hexdigest()

    def drop(self) -> None:
        """Remove the file."""
        self._file.close()
        self.path.unlink(missing_ok=True)


class LocalFiles:
    """Contents in a folder: `ab/cdef…` by digest, and `incoming` for what is being written."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._incoming = folder / "incoming"

    def begin(self) -> _LocalIncoming:
        """Begin a file; the folders are made when they are first needed."""
        self._incoming.mkdir(mode=0o700, parents=True, exist_ok=True)
        return _LocalIncoming(self._incoming / secrets.token_hex(16))

    def keep(self, incoming: Incoming) -> None:
        """Link the file to its digest; link and folder are durable afterwards."""
        assert isinstance(incoming, _LocalIncoming)
        place = self._place(incoming.digest)
        if not place.parent.exists():
            place.parent.mkdir(mode=0o700, exist_ok=True)
            _flush(self._folder)
        again = incoming.path.with_name(secrets.token_hex(16))
        os.link(incoming.path, again)
        again.replace(place)  # over the same contents, whose age begins anew
        _flush(place.parent)

    def forget(self, incoming: Incoming) -> None:
        """Remove the temporary name."""
        assert isinstance(incoming, _LocalIncoming)
        incoming.drop()

    def has(self, digest: str) -> bool:
        """Whether there is such a file."""
        return self._place(digest).is_file()

    def read(self, digest: str, start: int, stop: int) -> Iterator[bytes]:
        """Read a part of a file."""
        with self._place(digest).open("rb", buffering=0) as file:
            file.seek(start)
            while start < stop and (data := file.read(min(CHUNK, stop - start))):
                start += len(data)
                yield data

    def remove(self, digest: str) -> None:
        """Delete a file."""
        self._place(digest).unlink(missing_ok=True)

    def old(self) -> Iterator[str]:
        """The files older than the grace."""
        limit = time.time() - GRACE
        for path in self._incoming.glob("*"):
            if path.stat().st_mtime < limit:
                path.unlink(missing_ok=True)
        for path in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            if path.stat().st_mtime < limit:
                yield path.parent.name + path.name

    def _place(self, digest: str) -> Path:
        return self._folder / digest[:2] / digest[2:]


def _flush(folder: Path) -> None:
    """Make the names in a folder durable."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def open_files(place: Path | str) -> FileStore:
    """The store at a folder, or at `s3://bucket/prefix`; raises StorageError where its driver is missing."""
    if str(place).startswith("s3://"):
        from backlit.service.object_files import ObjectFiles

        return ObjectFiles(str(place))
    return LocalFiles(Path(place))
