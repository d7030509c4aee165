"""The files that saved views are read from, and written to."""

from pathlib import Path

from backlit.config.private_files import write_private
from backlit.config.settings import Locations, read_views
from backlit.model.errors import StorageError
from backlit.model.settings.documents import toml_in
from backlit.store.views.saved import SavedView, saved_views, write_views


class ViewFiles:
    """The user's own `views.toml`, and the file of the repository that a directory is in."""

    def __init__(self, locations: Locations, directory: Path) -> None:
        self._locations = locations
        self._directory = directory

    @property
    def own(self) -> Path:
        """The user's file."""
        return self._locations.config / "views.toml"

    def read(self) -> list[SavedView]:
        """All views, the user's first. Raises StorageError or BadRequest naming the file."""
        return saved_views(read_views(self._locations, self._directory))

    def save(self, view: SavedView) -> None:
        """Put a view into the user's file, in the place of one of its name; others stay as they are written."""
        try:
            text = self.own.read_text(encoding="utf-8")
        except FileNotFoundError:
            text = ""
        except (OSError, UnicodeDecodeError) as error:
            raise StorageError(f"The views cannot be read: {error} ({self.own}).") from error
        head, *tables = text.split("[[view]]")
        kept = [f"[[view]]{table}" for table in tables if _name_in(table) != view.name]
        text = (head + "".join(kept)).rstrip()
        content = f"{text}\n\n{write_views([view])}" if text else write_views([view])
        try:
            write_private(self.own, content.encode())
        except OSError as error:
            raise StorageError(f"The view cannot be kept: {error.strerror} ({self.own}).") from error


def _name_in(table: str) -> object:
    try:
        return toml_in(table).get("name")
    except ValueError:
        return None
