"""The paths of a profile's files."""

from dataclasses import dataclass
from pathlib import Path

from backlit.model.errors import StorageError
from backlit.store.sqlite.database import drop_database


@dataclass(frozen=True, slots=True)
class Places:
    """The files of a profile. The mirror is disposable, the journal is not."""

    mirror: Path
    journal: Path

    @property
    def sending(self) -> Path:
        """The lock file of the sending process."""
        return self.journal.with_name(self.journal.name + ".lock")

    def syncing(self, project_id: int) -> Path:
        """Return the lock file of a project's syncing process."""
        return self.mirror.with_name(f"{self.mirror.name}.{project_id}.lock")

    @property
    def broken(self) -> Path:
        """The marker of a mirror that was found damaged while in use."""
        return self.mirror.with_name(self.mirror.name + ".broken")

    def drop_broken_mirror(self) -> None:
        """Delete a damaged mirror. A new load refills it."""
        if self.broken.exists():
            drop_database(self.mirror)
            self.broken.unlink(missing_ok=True)

    def make(self) -> None:
        """Create the directories, readable by the user only."""
        try:
            for path in (self.mirror, self.journal):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise StorageError(f"The directory {error.filename} cannot be created: {error.strerror}.") from error
