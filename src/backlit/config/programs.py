"""The user's own programs: the settings come before the environment."""

import os


def editor_command(setting: str) -> str:
    """Return the command line of the editor: of the setting, else of VISUAL or EDITOR, else vi."""
    return setting or os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
