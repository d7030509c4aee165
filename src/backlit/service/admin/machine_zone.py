"""The time zone of this machine, by its name."""

import os
from contextlib import suppress
from pathlib import Path

from backlit.model.dates import time_zone

# Where Linux and macOS keep it: a link to the zone's rules, or the name alone.
_LOCAL_TIME, _ZONE_NAME = Path("/etc/localtime"), Path("/etc/timezone")
_ZONE_FOLDER = "zoneinfo/"


def machine_zone_name() -> str | None:
    """Return the IANA name of this machine's time zone; None where the system does not say it."""
    name = os.environ.get("TZ", "").removeprefix(":")
    with suppress(OSError):
        name = name or str(_LOCAL_TIME.readlink()).rpartition(_ZONE_FOLDER)[2]
    with suppress(OSError):
        name = name or _ZONE_NAME.read_text(encoding="utf-8").strip()
    return None if time_zone(name) is None else name
