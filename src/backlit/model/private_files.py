"""Files and folders that only their owner may read, from their first byte and under any umask."""

import os
import stat
from collections.abc import Iterable
from pathlib import Path

PRIVATE = 0o600
PRIVATE_FOLDER = 0o700


def make_private_folder(path: Path) -> None:
    """Create a folder, and those above it that are missing; `Path.mkdir` makes those readable by others."""
    if path.is_dir():
        return
    make_private_folder(path.parent)
    try:
        path.mkdir(mode=PRIVATE_FOLDER)
    except FileExistsError:
        return
    path.chmod(PRIVATE_FOLDER)  # a umask may have taken the owner's own rights


def open_new_private(path: Path) -> int:
    """Create a file for reading and writing; return its descriptor. Raises FileExistsError."""
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, PRIVATE)
    os.fchmod(descriptor, PRIVATE)  # a umask may have taken the owner's own rights
    return descriptor


def ensure_private_file(path: Path) -> None:
    """Create an empty file and the folders above it, if it is missing; an existing one keeps its rights.

    SQLite gives a database's logs the rights of the database, but makes a missing database by the umask.
    """
    target = Path(os.path.realpath(path))
    make_private_folder(target.parent)
    try:
        os.close(open_new_private(target))
    except FileExistsError:
        return


def open_to_others(paths: Iterable[Path]) -> list[Path]:
    """Return the existing files and folders that the group or others may read and can reach."""
    return [path for path in paths if any(_is_open(path, shift) for shift in (3, 0))]


def _is_open(path: Path, shift: int) -> bool:
    """Look at the rights of the group (3) or of others (0); a folder above that they cannot enter closes the path."""
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode >> shift
        above = [folder.stat().st_mode >> shift for folder in target.parents]
    except OSError:
        return False
    reads = stat.S_IROTH | stat.S_IXOTH if target.is_dir() else stat.S_IROTH
    return bool(mode & reads) and all(folder & stat.S_IXOTH for folder in above)
