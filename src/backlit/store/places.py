"""Where a profile's files live."""

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
    def sending(self) -> Path:
        """The file whose lock a process holds while it sends."""
        return self.journal.with_name(self.journal.name + ".lock")

    def syncing(self, project_id: int) -> Path:
        """The file whose lock a process holds while it syncs a project."""
        return self.mirror.with_name(f"{self.mirror.name}.{project_id}.lock")

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
