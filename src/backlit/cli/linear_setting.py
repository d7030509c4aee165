"""Whether `backlit` alone works line by line, which is decided before anything of the screens is loaded."""

import argparse
import os
from contextlib import suppress

LINEAR = "BACKLIT_LINEAR"
"""Environment variable that turns the linear mode on with 1 and off with 0, whatever the settings say."""


def is_linear_wanted(arguments: argparse.Namespace) -> bool:
    """Return whether the variable or the settings ask for it; not for a command that names an item or a list."""
    if arguments.id is not None or arguments.query or arguments.view:
        return False
    if told := os.environ.get(LINEAR):
        return told != "0"
    from backlit.config.folders import folders
    from backlit.config.kept_checks import kept_settings, settings_path

    found = folders()
    if found is None:
        from backlit.config.settings import find_locations

        locations = find_locations()
        found = {"config": str(locations.config), "cache": str(locations.cache)}
    kept = kept_settings(found["config"], found["cache"])
    if kept is not None:
        return kept.get("linear") is True
    # A changed file: the screens must not begin before its check says that they are not wanted.
    from backlit.model.settings.user_settings import toml_in

    with suppress(OSError, ValueError), open(settings_path(found["config"]), "rb") as file:  # noqa: PTH123 - no pathlib
        from pathlib import Path

        return toml_in(file.read(), Path()).get("linear") is True
    return False
