"""Where a profile's two files live, and the lock that lets only one process talk to the service."""

import fcntl
import os
from dataclasses import dataclass
from pathlib import Path

from backlit.model.errors import StorageError
from backlit.store.database import drop_database


@dataclass(frozen=True, slots=True)
class Places:
    """The files of one profile: the mirror may be thrown away, the journal never."""

    mirror: Path
    journal: Path

    @property
    def lock(self) -> Path:
        """The file whose lock the sending process holds."""
        return self.journal.with_name(self.journal.name + ".lock")

    @property
    def broken(self) -> Path:
        """Its presence says that the mirror was found damaged while it was in use."""
        return self.mirror.with_name(self.mirror.name + ".broken")

    def drop_broken_mirror(self) -> None:
        """Throw a damaged mirror away; it is filled again from the service."""
        if self.broken.exists():
            drop_database(self.mirror)
            self.broken.unlink(missing_ok=True)

    def make(self) -> None:
        """Make the directories, readable by the user only."""
        try:
            for path in (self.mirror, self.journal):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"The directory of {error.filename} cannot be made: {error.strerror}.") from error


class SendingLock:
    """Held by the one process that syncs and sends; released by the system when the process dies."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: int | None = None

    def acquire(self) -> bool:
        """Take the lock if nobody has it; True also when it is held here already."""
        if self._file is not None:
            return True
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            return False
        self._file = file
        return True

    def release(self) -> None:
        """Let another process have it."""
        if self._file is not None:
            os.close(self._file)
            self._file = None
