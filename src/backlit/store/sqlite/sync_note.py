"""The file beside a mirror that says when a project was last in sync. It imports no library: see `store.reading`."""

import json
import os


def sync_note(mirror: str, project_id: int) -> str:
    """Return the path of a mirror's file for a project, which is the lock of its sync too."""
    return f"{mirror}.{project_id}.lock"


def synced_at(mirror: str, project_id: int) -> float | None:
    """Return this machine's time of the last sync; None before the first, and for a file that says nothing."""
    try:
        with open(sync_note(mirror, project_id), "rb") as file:  # noqa: PTH123 - pathlib takes 5 ms
            return float(json.loads(file.read()).get("synced_at")) or None
    except (OSError, ValueError, TypeError, AttributeError):
        return None


def last_synced(mirror: str) -> tuple[float, int] | None:
    """Return the last time of a sync of any project, with its number; None before the first."""
    folder, name = os.path.split(mirror)
    try:
        files = os.listdir(folder)  # noqa: PTH208 - as above
    except OSError:
        return None
    parts = [each.removeprefix(f"{name}.").removesuffix(".lock") for each in files if each.startswith(f"{name}.")]
    projects = [int(each) for each in parts if each.removeprefix("-").isdecimal()]
    times = [(at, each) for each in projects if (at := synced_at(mirror, each)) is not None]
    return max(times, default=None)
