"""Small files that only their owner may read, and that are never seen half-written."""

import os
from pathlib import Path

PRIVATE = 0o600


def write_private(path: Path, content: bytes) -> None:
    """Put a file only its owner can read in the place of `path`, whole or not at all, and on disk when this returns."""
    import tempfile

    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
