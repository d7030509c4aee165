"""Where the database and the files of a served workspace are."""

from pathlib import Path
from typing import TYPE_CHECKING

from backlit.cli.wiring import workspace_settings
from backlit.config import find_locations
from backlit.model.errors import BadRequest, StorageError

if TYPE_CHECKING:
    from backlit.service.settings import ServiceSettings

_SQLITE = "sqlite:///"
_SERVERS = ("postgresql://", "postgresql+psycopg://")


def served_settings(database: str | None, files: str | None, name: str = "backlit") -> "ServiceSettings":
    """The database and files that were named, else the usual ones of this user; raises BadRequest for a bad URL."""
    from backlit.service.settings import ServiceSettings

    folder = find_locations().data / "served"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    usual = workspace_settings(folder)
    database = database or usual.database
    path = database.removeprefix(_SQLITE)
    if (path == database or not path) and not database.startswith(_SERVERS):
        raise BadRequest(f"A database is written as {_SQLITE}path/to/file.db or {_SERVERS[0]}user@host/name.")
    place = usual.files if not files else files if files.startswith("s3://") else Path(files)
    return ServiceSettings(database, place, name)


def has_no_users(settings: "ServiceSettings") -> bool:
    """Whether nobody can use the workspace yet; what is wrong with a database is left to whoever opens it."""
    from backlit.service.admin.workspace import file_of, is_empty, reading

    path = file_of(settings)
    if path is not None and not path.exists():
        return True
    try:
        with reading(settings) as connection:
            return is_empty(connection)
    except StorageError:
        return False
