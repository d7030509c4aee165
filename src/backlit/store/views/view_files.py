"""The files of saved views, and what is saved in the user's own."""

from pathlib import Path

from backlit.config.atomic_files import write_private
from backlit.config.checked_files import CheckingProcess
from backlit.config.settings import Locations
from backlit.config.view_files import Views, own_views_file, read_views
from backlit.model.errors import StorageError
from backlit.model.settings.user_settings import toml_in
from backlit.model.settings.view_settings import ViewTable
from backlit.store.views.saved import written_table


class ViewFiles:
    """The user's own `views.toml`, and the file of the repository that a directory is in."""

    def __init__(self, locations: Locations, directory: Path, checking: CheckingProcess | None = None) -> None:
        self._locations = locations
        self._directory = directory
        self._checking = checking

    @property
    def own(self) -> Path:
        return own_views_file(self._locations).path

    def read(self) -> Views:
        return read_views(self._locations, self._directory, self._checking)

    def save(self, table: ViewTable) -> None:
        """Add a view to the user's file, or replace the view of its name; the rest of the file stays as written.

        Raises StorageError and leaves the file where it cannot be read.
        """
        text = self._without(table.name).rstrip()
        self._write(f"{text}\n\n{written_table(table)}" if text else written_table(table))

    def remove(self, name: str) -> None:
        """Remove a view from the user's file; the rest stays as written. Raises as `save` does."""
        self._write(self._without(name))

    def _without(self, name: str) -> str:
        """Return the text of the user's file without a view."""
        try:
            text = self.own.read_text(encoding="utf-8")
        except FileNotFoundError:
            text = ""
        except OSError as error:
            raise StorageError(f"Could not read the saved views: {error.strerror} ({self.own}).") from error
        except UnicodeDecodeError:
            sentence = f"Could not read the saved views: {self.own} is not text in UTF-8. Correct the file first."
            raise StorageError(sentence) from None
        head, *tables = text.split("[[view]]")
        return head + "".join(f"[[view]]{other}" for other in tables if _name_in(other) != name)

    def _write(self, content: str) -> None:
        try:
            toml_in(content.encode(), self.own)
        except ValueError as error:
            sentence = f"Could not save the view, as the file has a fault. {error}. Correct the file first."
            raise StorageError(sentence) from error
        try:
            write_private(self.own, content.encode())
        except OSError as error:
            raise StorageError(f"Could not save the view: {error.strerror} ({self.own}).") from error
        if self._checking is not None:
            self._checking.refresh([own_views_file(self._locations)])


def _name_in(table: str) -> object:
    try:
        return toml_in(table.encode(), Path()).get("name")
    except ValueError:
        return None
