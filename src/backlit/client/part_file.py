"""The received beginning of a download, beside its target until the file is complete."""

import base64
import binascii
import errno
import fcntl
import hashlib
import os
import re
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from io import BufferedRandom
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from backlit.model.errors import ServiceError, StorageError

ETAG_LIMIT = 500
"""Longest ETag in characters that is kept."""

_STRONG_ETAG = re.compile(r'"[!#-~]*"')
_NOT_A_FILE = frozenset({errno.ELOOP, errno.EISDIR, errno.ENXIO})
_NO_LOCKS = frozenset({errno.ENOLCK, errno.EOPNOTSUPP, errno.ENOSYS})
"""Errors of file systems that know no locks; a file can be saved there all the same."""
_DIGEST = re.compile(r"\s*(sha-256|sha-512)\s*=\s*:([A-Za-z0-9+/=]*):\s*")


class PartFile:
    """The part of one attachment of one server, held against other processes, and the ETag of the version it began.

    Raises OSError, and StorageError where another process holds the part, or something that is no file is in its
    place: it could be a pipe that blocks, or a link to a file of somebody else.
    """

    def __init__(self, folder: Path, source: str) -> None:
        # By server and attachment: named after the number alone, a download went on with the bytes of another server's
        # file.
        name = hashlib.sha256(source.encode()).hexdigest()[:24]
        self._path = folder / f".backlit-{name}.part"
        self._etag_path = folder / f".backlit-{name}.etag"
        self._file = self._opened()
        self._is_here = True
        self.size = os.fstat(self._file.fileno()).st_size
        self.etag = self._kept_etag()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        """Keep a part that a later download can resume, and nothing else."""
        with self._file:
            if self.etag is None or not self.size:
                self.discard()

    def begin(self, etag: str | None) -> None:
        """Empty the part for a version of the file. Only one with a strong ETag can be resumed."""
        # The old ETag goes before the old bytes, the new one comes after them: at no time it names another's bytes.
        self._etag_path.unlink(missing_ok=True)
        self.etag = None
        self.keep(0)
        if etag is not None and len(etag) <= ETAG_LIMIT and _STRONG_ETAG.fullmatch(etag):
            with _created(self._etag_path) as file:
                file.write(etag.encode())
            self.etag = etag

    def keep(self, size: int) -> None:
        """Cut the part to its first `size` bytes, after which the next ones are written."""
        self._file.truncate(size)
        self._file.seek(size)
        self.size = size

    def write(self, piece: bytes) -> None:
        self._file.write(piece)
        self.size += len(piece)

    def check_digest(self, headers: Mapping[str, str]) -> None:
        """Compare the part with the digest that the server states of the file; raise ServiceError if they differ."""
        for algorithm, stated in _stated_digests(headers):
            self._file.seek(0)
            if hashlib.file_digest(self._file, algorithm).digest() != stated:
                raise ServiceError(
                    "The file arrived damaged: it differs from the digest that the server states. Nothing was saved;"
                    " download it again."
                )

    def move_to(self, target: Path) -> Path:
        """Give the complete file its name, without overwriting: `plan.pdf`, `plan (1).pdf`. Return the path."""
        self._file.flush()
        for candidate in _names(target):
            try:
                # A link fails where the name exists; a rename would replace the other file.
                os.link(self._path, candidate)
            except FileExistsError:
                continue
            except OSError:
                # A file system without links, such as exFAT. POSIX leaves open which error is reported where the name
                # exists too.
                if os.path.lexists(candidate):
                    continue
                self._etag_path.unlink(missing_ok=True)
                self._path.rename(candidate)
                self._is_here = False
            self.discard()
            return candidate
        raise StorageError(f"{target} exists, and so does every name with a number beside it. Save under another name.")

    def discard(self) -> None:
        """Remove the part and its ETag, once: another process may have begun a part of the same name since."""
        if self._is_here:
            self._etag_path.unlink(missing_ok=True)
            self._path.unlink(missing_ok=True)
            self._is_here = False

    def _opened(self) -> BufferedRandom:
        while True:
            file = self._tried()
            if file is not None:
                return file

    def _tried(self) -> BufferedRandom | None:
        # NOFOLLOW and NONBLOCK: the folder may be shared, and a link or a pipe may lie under the name.
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
        try:
            descriptor = os.open(self._path, flags, 0o600)
        except OSError as error:
            if error.errno in _NOT_A_FILE:
                raise self._in_the_way() from error
            raise
        try:
            if self._is_usable(descriptor):
                return os.fdopen(descriptor, "r+b")
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        return None

    def _is_usable(self, descriptor: int) -> bool:
        status = os.fstat(descriptor)
        # Looked at after opening, as what lies under the name may be replaced between a look and the opening.
        if not stat.S_ISREG(status.st_mode):
            raise self._in_the_way()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise StorageError(
                f"This file is being downloaded to {self._path.parent} already. Wait for that download, or choose"
                " another folder."
            ) from None
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
        if status.st_nlink > 1:
            # A download that was killed between naming the file and removing the part: the bytes are the user's now.
            self._path.unlink()
            return False
        with suppress(FileNotFoundError):
            return os.path.samestat(status, os.lstat(self._path))
        return False

    def _in_the_way(self) -> StorageError:
        return StorageError(
            f"{self._path} is in the way of the download: it is not a regular file. Remove it, or choose another"
            " folder."
        )

    def _kept_etag(self) -> str | None:
        try:
            descriptor = os.open(self._etag_path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except OSError:
            return None
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return None
            kept = os.read(descriptor, ETAG_LIMIT + 1).decode("ascii", "replace")
        finally:
            os.close(descriptor)
        return kept if len(kept) <= ETAG_LIMIT and _STRONG_ETAG.fullmatch(kept) else None


def _created(path: Path) -> BinaryIO:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
    return os.fdopen(descriptor, "wb")


def _stated_digests(headers: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    """Read Repr-Digest (RFC 9530), which is of the whole file in a response with a part of it too."""
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        return  # the digest is of the encoded bytes
    for entry in headers.get("repr-digest", "").split(","):
        if found := _DIGEST.fullmatch(entry):
            with suppress(binascii.Error):
                yield found[1].replace("-", ""), base64.b64decode(found[2], validate=True)


def _names(target: Path) -> Iterator[Path]:
    yield target
    for number in range(1, 10_000):
        yield target.with_name(f"{target.stem} ({number}){target.suffix}")
