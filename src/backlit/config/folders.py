"""The directories of this user without platformdirs and pathlib, which take 14 ms of a short command."""

import os
import sys
from collections.abc import Mapping

HOME = "BACKLIT_HOME"
"""Environment variable that names one directory for all files, in place of the system's locations."""
PROFILE, PROJECT = "BACKLIT_PROFILE", "BACKLIT_PROJECT"
"""Environment variables that name the profile and the project of commands."""
PROFILES_FILE, MIRROR, JOURNAL, TOKENS = "profiles.json", "mirror.db", "journal.db", "tokens.json"
"""The files of the profiles, and those of one."""
KINDS = ("config", "data", "state", "cache")
_XDG = {"config": ".config", "data": ".local/share", "state": ".local/state", "cache": ".cache"}
SHARED_VIEWS = (".backlit.toml", "backlit-views.toml")
"""Files of a repository with views shared by all who work in it, and the profile and project of commands there."""


def folders(environment: Mapping[str, str] = os.environ) -> Mapping[str, str] | None:
    """Return the directories by KINDS: below BACKLIT_HOME, or those of a Linux user; None on another system."""
    home = environment.get(HOME)
    if home:
        root = os.path.abspath(os.path.expanduser(home))
        return {kind: os.path.join(root, kind) for kind in KINDS}
    if sys.platform != "linux":
        return None
    return {kind: os.path.join(_xdg(kind, environment), "backlit") for kind in KINDS}


def shipped_folder(name: str) -> str:
    """Return a folder that comes with the program: inside the installed package, or beside src in a checkout."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    installed = os.path.join(package, name)
    return installed if os.path.isdir(installed) else os.path.join(package, "..", "..", name)


def _xdg(kind: str, environment: Mapping[str, str]) -> str:
    return environment.get(f"XDG_{kind.upper()}_HOME", "").strip() or os.path.expanduser(f"~/{_XDG[kind]}")


def signed_in_name(kinds: Mapping[str, str], last: str, signed_in: str) -> str | None:
    """Return the profile of the last sign-in or choice, by name and kind in their order, else the local one.

    None where there is none.
    """
    remote = [name for name, kind in kinds.items() if kind == "remote"]
    known = [*([signed_in] if signed_in in kinds else []), *([last] if last in remote else [])]
    return next(iter([*known, *reversed(remote)]), "local" if "local" in kinds else None)
