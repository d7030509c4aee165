"""The file of a repository: where it is looked for, and the profile and the project that it names."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec import Struct

from backlit.config.folders import PROFILE, PROJECT, SHARED_VIEWS
from backlit.model.errors import StorageError
from backlit.model.settings.user_settings import toml_in


def shared_files(directory: Path) -> list[Path]:
    return [path for path in shared_places(directory) if path.is_file()][:1]


def shared_places(directory: Path) -> list[Path]:
    """Return where a repository's file is looked for, the nearest first."""
    return [folder / name for folder in (directory, *directory.parents) for name in SHARED_VIEWS]


class Pins(Struct, frozen=True):
    """The profile and the project that the environment or a repository's file names; empty for none."""

    profile: str = ""
    project: str = ""


def read_pins(directory: Path, environment: Mapping[str, str] = os.environ) -> Pins:
    """Read the environment, and then the nearest file of a repository. Raises StorageError that names the file."""
    values: Mapping[str, object] = {}
    for path in shared_files(directory):
        try:
            values = toml_in(path.read_bytes(), path)
        except OSError as error:
            raise StorageError(f"Could not read {path}: {error.strerror}.") from error
        except ValueError as error:
            raise StorageError(f"Could not read {error}. Correct the file.") from error
        for key in ("profile", "project"):
            value = values.get(key, "")
            if not isinstance(value, str) and not (key == "project" and type(value) is int):
                raise StorageError(f'"{key}" must be a name ({path}).')
    profile = environment.get(PROFILE) or str(values.get("profile", ""))
    return Pins(profile, environment.get(PROJECT) or str(values.get("project", "")))
