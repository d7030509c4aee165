"""File store in a folder, content-addressed by SHA-256."""

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from backlit.model.private_files import make_private_folder, open_new_private
from backlit.service.files.interface import UNUSED_CONTENT_GRACE, ContentStore, IncomingContent, is_digest, place_of

READ_BYTES = 256 * 1024
"""Bytes read at a time."""


class _LocalIncomingContent:
    """A file with a random name beside its final place."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.digest = ""
        self.size = 0
        self._sha256 = hashlib.sha256()
        self._file: BinaryIO = os.fdopen(open_new_private(path), "wb", buffering=0)

    def write(self, data: bytes) -> None:
        self._sha256.update(data)
        rest = memoryview(data)
        # Unbuffered writes may take a part only, as when the disk fills.
        while rest:
            rest = rest[self._file.write(rest) :]
        self.size += len(data)

    def finish(self) -> None:
        os.fsync(self._file.fileno())
        self._file.close()
        self.digest = self._sha256.hexdigest()

    def drop(self) -> None:
        self._file.close()
        self.path.unlink(missing_ok=True)


class LocalContentStore:
    """Contents in a folder: `ab/cdef…` by digest, and `incoming` for uploads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        # Inside the folder, so that both are on one file system and a link is enough to keep a file.
        self._incoming = folder / "incoming"

    def probe(self) -> None:
        self.begin().drop()

    def begin(self) -> _LocalIncomingContent:
        make_private_folder(self._incoming)
        return _LocalIncomingContent(self._incoming / secrets.token_hex(16))

    def keep(self, incoming: IncomingContent) -> None:
        """Link the file to its digest; link and folder are durable afterwards."""
        assert isinstance(incoming, _LocalIncomingContent)
        place = self._place(incoming.digest)
        if not place.parent.exists():
            make_private_folder(place.parent)
            # A new folder is lost after a power failure unless the one above it is flushed.
            _flush(self._folder)
        again = incoming.path.with_name(secrets.token_hex(16))
        # The upload itself stays until it is forgotten, so that a transaction that is tried again can keep it again.
        os.link(incoming.path, again)
        again.replace(place)  # replaces identical contents and resets their age
        _flush(place.parent)

    def forget(self, incoming: IncomingContent) -> None:
        assert isinstance(incoming, _LocalIncomingContent)
        incoming.drop()

    def has(self, digest: str) -> bool:
        return self._place(digest).is_file()

    def read(self, digest: str, start: int, stop: int) -> Iterator[bytes]:
        with self._place(digest).open("rb", buffering=0) as file:
            file.seek(start)
            while start < stop and (data := file.read(min(READ_BYTES, stop - start))):
                start += len(data)
                yield data

    def remove(self, digest: str) -> None:
        self._place(digest).unlink(missing_ok=True)

    def old(self) -> Iterator[str]:
        limit = time.time() - UNUSED_CONTENT_GRACE
        for path in self._incoming.glob("*"):
            if path.stat().st_mtime < limit:
                path.unlink(missing_ok=True)
        for path in self._folder.glob("[0-9a-f][0-9a-f]/*"):
            if is_digest(path.parent.name + path.name) and path.stat().st_mtime < limit:
                yield path.parent.name + path.name

    def _place(self, digest: str) -> Path:
        return self._folder / place_of(digest)


def _flush(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def open_content_store(place: Path | str) -> ContentStore:
    """Return the store at a folder, or at `s3://bucket/prefix`; raise StorageError where its driver is missing."""
    if str(place).startswith("s3://"):
        from backlit.service.files.object_store import ObjectContentStore

        return ObjectContentStore(str(place))
    return LocalContentStore(Path(place))
