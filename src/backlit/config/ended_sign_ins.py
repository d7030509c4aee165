"""The mark of a sign-in that its server has ended, in the file of sign-ins.

It locks the local copy of the profile, so it is read before the first rows are shown, and without the client.
"""

from pathlib import Path

from backlit.model.settings.user_settings import json_in

ENDED_AT = "endedAt"
"""The key of the time, in an entry that has no tokens any more."""


def is_marked(entry: object) -> bool:
    return isinstance(entry, dict) and ENDED_AT in entry


def has_ended(path: Path, key: str) -> bool:
    """Report whether the server has ended the sign-in of a profile (`key`: its base address)."""
    try:
        entries = json_in(path.read_bytes())
    except (OSError, ValueError):
        return False
    return isinstance(entries, dict) and is_marked(entries.get(key))
