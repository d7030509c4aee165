"""Where the check of a file is kept, and whether it still holds. It imports no library."""

import json
import os
import zlib
from binascii import b2a_base64
from collections.abc import Mapping

from backlit.model.version import VERSION

SETTINGS_FILE = "config.toml"
CONFIG = "BACKLIT_CONFIG"
"""Environment variable that names another file of settings; /dev/null for none."""
SETTINGS_CHECK = "backlit.config.schema.settings:check_settings"
CHECKED_FOLDER = "checked"
RECENT_SECONDS = 60.0
"""Age up to which a copy is listed without a sync, which takes twice as long as the rows: the setting `fresh`."""


def kept_name(path: str) -> str:
    """Return the name of the file that keeps the check of a file."""
    return f"{os.path.basename(path)}-{zlib.crc32(path.encode()):08x}.json"


def check_stamp(check: str) -> str:
    """Return what tells versions of a check apart; in a checkout the version stays and the module changes."""
    module = os.path.join(os.path.dirname(__file__), "..", "..", *check.partition(":")[0].split("."))
    try:
        return f"{VERSION} {check} {os.stat(f'{module}.py').st_mtime_ns}"
    except OSError:
        return f"{VERSION} {check}"


def settings_path(config: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the path of the file of settings, given the directory of the configuration."""
    named = environment.get(CONFIG)
    return os.path.abspath(os.path.expanduser(named)) if named else os.path.join(config, SETTINGS_FILE)


def kept_settings(config: str, cache: str) -> Mapping[str, object] | None:
    """Return the settings as JSON, empty without a file; None where the file needs a check first."""
    path = settings_path(config)
    try:
        with open(path, "rb") as file:
            content = file.read()
    except FileNotFoundError:
        return {}
    except OSError:
        return None
    try:
        with open(os.path.join(cache, CHECKED_FOLDER, kept_name(path)), "rb") as file:
            kept = json.loads(file.read())
        said = b2a_base64(content, newline=False).decode()
        is_same = (kept["stamp"], kept["path"], kept["content"]) == (check_stamp(SETTINGS_CHECK), path, said)
        return kept["result"] if is_same and isinstance(kept["result"], dict) else None
    except (OSError, ValueError, TypeError, KeyError):
        return None
