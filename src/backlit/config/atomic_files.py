"""Private files: readable by their owner only, and written whole or not at all."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from backlit.model.errors import StorageError
from backlit.model.private_files import PRIVATE, make_private_folder


def write_private(path: Path, content: bytes) -> None:
    """Replace `path` by a file readable by its owner only; the new content is on disk on return."""
    import tempfile

    make_private_folder(path.parent)
    # In the same directory, as a rename replaces a file only within one file system.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=path.name + ".")
    try:
        with os.fdopen(descriptor, "wb") as file:
            os.fchmod(file.fileno(), PRIVATE)
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    # The new name is an entry of the directory, which a loss of power takes back unless it is flushed too.
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def open_lock(path: Path, fault: str) -> int:
    try:
        make_private_folder(path.parent)
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, PRIVATE)
    except OSError as error:
        raise StorageError(f"{fault}: {error.strerror} ({path}).") from error


@contextmanager
def locked(path: Path, fault: str) -> Iterator[None]:
    """Hold a lock file against other processes, waiting without limit. Raises as `open_lock` does."""
    descriptor = open_lock(path, fault)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Translate OSError to a StorageError that names the file and the way out."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            f"{error.filename or path} cannot be written: {error.strerror}. Look at its permissions, or have"
            " BACKLIT_HOME name a directory that you may write to."
        ) from error
