"""Which value of each setting holds, and where it is from."""

import argparse
import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from backlit.cli.linear_setting import LINEAR
from backlit.cli.listing import Column
from backlit.config.connection import without_secrets
from backlit.config.folders import PROFILE, PROJECT
from backlit.config.repository import shared_files
from backlit.config.settings import READ_ONLY, Locations, Profiles, find_locations, settings_file
from backlit.config.terminal_signs import ASCII
from backlit.model.errors import SignInNeeded, StorageError
from backlit.model.settings.user_settings import toml_in

ORIGIN_COLUMNS = (Column("setting", "Setting"), Column("value", "Value"), Column("origin", "From"))
_SCHEMA = "backlit.config.schema"
_SWITCHES = {"read_only": READ_ONLY, "ascii": ASCII, "linear": LINEAR}
"""Settings that a variable with 1 or 0 replaces."""
_BARE = re.compile(r"[A-Za-z0-9_-]+")

Path_ = tuple[str | int, ...]


class SettingOrigin(dict[str, object]):
    """A setting as a row: its name, its value as JSON, and where that is from."""

    def __init__(self, setting: str, value: Any, origin: str) -> None:
        self._value = value
        super().__init__(setting=setting, value=json.dumps(value, ensure_ascii=False, default=str), origin=origin)

    def document(self) -> Mapping[str, object]:
        return {**self, "value": json.loads(str(self["value"]))}


def setting_rows(arguments: argparse.Namespace) -> list[SettingOrigin]:
    """Return the settings with their values: the defaults first, in the order of the page, then what the user named."""
    locations, directory = find_locations(), Path.cwd()
    rows = {name: SettingOrigin(name, value, "default") for name, value in _defaults()}
    file = settings_file(locations).path
    own, repositories = _written(file, "settings:ConfigFile"), shared_files(directory)
    shared = _written(repositories[0], "repository:RepositoryFile") if repositories else []
    profile, profile_origin = _profile(arguments, locations, shared)
    for path, value, origin in [*own, *shared]:
        if path[0] == "profile" and len(path) > 1:
            if path[1] == profile:
                rows[_name(path[2:])] = SettingOrigin(_name(path[2:]), value, f"{origin}, profile")
        elif path != ("profile",):
            rows[_name(path)] = SettingOrigin(_name(path), value, origin)
    for setting, variable in _SWITCHES.items():
        if told := os.environ.get(variable):
            rows[setting] = SettingOrigin(setting, told != "0", variable)
    option, named = arguments.project, os.environ.get(PROJECT)
    if option or named:
        rows["project"] = SettingOrigin("project", option or named, "--project" if option else PROJECT)
    if profile:
        rows["profile"] = SettingOrigin("profile", profile, profile_origin)
    return list(rows.values())


def _profile(
    arguments: argparse.Namespace, locations: Locations, shared: Sequence[tuple[Path_, Any, str]]
) -> tuple[str, str]:
    """Return the profile of commands, and where it is from; empty where there is none yet."""
    if arguments.profile:
        return arguments.profile, "--profile"
    if os.environ.get(PROFILE):
        return os.environ[PROFILE], PROFILE
    for path, value, origin in shared:
        if path == ("profile",):
            return str(value), origin
    try:
        return Profiles(locations).signed_in().name, "the last sign-in or choice"
    except SignInNeeded:
        return "", ""


def _defaults() -> Iterator[tuple[str, Any]]:
    """Yield the settings with a default by their names, those of tables with fixed settings too."""
    table = import_module(f"{_SCHEMA}.documents").Table
    for name, field in import_module(f"{_SCHEMA}.settings").ConfigFile.model_fields.items():
        default = field.get_default(call_default_factory=True)
        if isinstance(default, table):
            yield from ((f"{name}.{key}", value) for key, value in default.model_dump().items())
        elif not isinstance(default, dict | list) and name not in {"view", "board", "lint", "groom"}:
            yield name, default


def _written(path: Path, model: str) -> list[tuple[Path_, Any, str]]:
    """Return the settings of a file without faulty ones, each with its place. Raises StorageError."""
    try:
        content = path.read_bytes()
        values, text = toml_in(content, path), content.decode("utf-8-sig")
    except FileNotFoundError:
        return []
    except OSError as error:
        raise StorageError(f"Could not read the settings: {error.strerror} ({path}).") from error
    except ValueError as error:
        raise StorageError(f"Could not read {error}. Correct the file.") from error
    module, _, name = model.partition(":")
    kind = getattr(import_module(f"{_SCHEMA}.{module}"), name)
    left_out = import_module(f"{_SCHEMA}.documents").check_document(kind, values, text, path).left_out
    positions = import_module(f"{_SCHEMA}.toml_positions").TomlPositions(text)
    return [
        (place, value, f"{path}:{positions.of_key(place).line}")
        for place, value in _leaves((), values)
        if place[0] != "view" and not any(place[: len(lost)] == lost for lost in left_out)
    ]


def _leaves(path: Path_, value: Any) -> Iterator[tuple[Path_, Any]]:
    """Yield the settings of a table with their places; a table of a list is one."""
    if isinstance(value, Mapping):
        for key, each in value.items():
            yield from _leaves((*path, key), each)
    elif isinstance(value, list) and value and all(isinstance(each, Mapping) for each in value):
        yield from (((*path, number), each) for number, each in enumerate(value))
    else:
        yield path, without_secrets(value) if isinstance(value, str) else value


def _name(path: Path_) -> str:
    parts = (str(part + 1) if isinstance(part, int) else part for part in path)
    return ".".join(part if _BARE.fullmatch(part) else json.dumps(part, ensure_ascii=False) for part in parts)
