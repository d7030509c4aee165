"""Files of saved views: the user's own, and the repository's, which also has settings."""

from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from backlit.config.checked_files import CheckedConfigFile, CheckingProcess
from backlit.config.repository import shared_files
from backlit.config.settings import Locations, PartialSettings, Settings, read_settings
from backlit.model.settings.view_settings import ViewTable

_OWN_CHECK = "backlit.config.schema.views:check_views"
_REPOSITORY_CHECK = "backlit.config.schema.repository:check_repository_file"


class CheckedViews(Struct, frozen=True):
    """The right tables of a file of views, and a sentence for each fault of it, with its line."""

    tables: tuple[ViewTable, ...] = ()
    problems: tuple[str, ...] = ()
    settings: PartialSettings = PartialSettings()
    """What a repository sets in place of config.toml."""


class Views(Struct, frozen=True):
    """The views of a user's own file and of the repository's, and a sentence for each fault of both."""

    own: tuple[ViewTable, ...]
    shared: tuple[ViewTable, ...]
    problems: tuple[str, ...]


def own_views_file(locations: Locations) -> CheckedConfigFile[CheckedViews]:
    return CheckedConfigFile(locations.config / "views.toml", CheckedViews, _OWN_CHECK, locations.checked)


def repository_files(locations: Locations, directory: Path) -> Sequence[CheckedConfigFile[CheckedViews]]:
    """Return the nearest file of a repository, in the directory or above it; none where there is none."""
    paths = shared_files(directory)
    return [CheckedConfigFile(path, CheckedViews, _REPOSITORY_CHECK, locations.checked) for path in paths]


def read_settings_of(
    profile: str, locations: Locations, directory: Path, checking: CheckingProcess | None = None
) -> Settings:
    """Read the settings that hold for a profile in a directory: of config.toml, its profile, and the repository.

    Raises StorageError for a config.toml that cannot be opened.
    """
    settings = read_settings(locations, checking).of_profile(profile)
    for file in repository_files(locations, directory):
        found = _read(file, checking)
        settings = replace(settings.replaced_by(found.settings), problems=(*settings.problems, *found.problems))
    return settings


def read_views(locations: Locations, directory: Path, checking: CheckingProcess | None = None) -> Views:
    """Read `views.toml` and the repository's file.

    A fault costs the view that it is in, or its file where that is no TOML. A changed file is checked by the given
    process, else in this one.
    """
    own = _read(own_views_file(locations), checking)
    shared = [_read(file, checking) for file in repository_files(locations, directory)]
    return Views(
        own.tables,
        tuple(table for views in shared for table in views.tables),
        (*own.problems, *(problem for views in shared for problem in views.problems)),
    )


def _read(file: CheckedConfigFile[CheckedViews], checking: CheckingProcess | None) -> CheckedViews:
    try:
        return (file.read() if checking is None else checking.read(file)) or CheckedViews()
    except OSError as error:
        return CheckedViews(problems=(f"Could not read the views: {error.strerror} ({file.path}). They are left out.",))
