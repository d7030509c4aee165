"""The table `[alias]` of config.toml: names for the beginnings of command lines."""

import shlex
from collections.abc import Mapping, Sequence

from backlit.cli.kept_setting import kept_setting


def own_aliases() -> Mapping[str, str]:
    """Return the words of each alias; raise StorageError for settings that cannot be read."""
    found = kept_setting("aliases")
    return found if isinstance(found, dict) else {}


def words_of_alias(name: str, aliases: Mapping[str, str]) -> Sequence[str] | None:
    return shlex.split(aliases[name]) if name in aliases else None
