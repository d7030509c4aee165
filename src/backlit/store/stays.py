"""Since when items have been in their status: the service does not say, so the client notes when it sees one change.

Only what was begun and is not done is followed, which is little; a line goes when its item is done.
"""

import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from backlit.store.files import Files, Writer
from backlit.store.reports_items import begun_items
from backlit.store.stays_kept import Seen

FEW = 1_000
"""Items under way that are looked at after every change; for more there is a pause, a second for each SPEED items."""
SPEED = 500
_SETTING = "stays noted on"
"""The setting of the journal that says when the items of a project were last looked at."""


class Stays:
    """Notes what changed its status, and tells since when."""

    def __init__(self, files: Files, today: Callable[[], date]) -> None:
        self._files = files
        self._today = today
        self._noted: tuple[int, date, int] | None = None
        self._not_before = 0.0

    async def note(self, project_id: int) -> None:
        """Look at the items that are under way; called by the syncing process after every complete turn."""
        key = (project_id, self._today(), await self._files.read(_data_version))
        is_same_day = self._noted is not None and self._noted[:2] == key[:2]
        if key == self._noted or (is_same_day and time.monotonic() < self._not_before):
            return
        items = await self._files.read(lambda connection: begun_items(connection, project_id))
        await self._files.write(lambda writer: _note(writer, project_id, items, key[1]))
        self._noted = key
        self._not_before = time.monotonic() + (len(items) / SPEED if len(items) > FEW else 0.0)

    async def seen(self, project_id: int) -> "StaysSeen":
        """What was seen of the items of a project."""

        def read(writer: Writer) -> StaysSeen:
            return StaysSeen(writer.journal.stays.of_project(project_id), _noted_on(writer, project_id))

        return await self._files.write(read)


@dataclass(frozen=True, slots=True)
class StaysSeen:
    """The stays by item, and the day of the last look; None where there was none."""

    items: Mapping[int, Seen]
    noted_on: date | None

    def since(self, item_id: int, status: str, changed: date | None, today: date) -> tuple[date, bool]:
        """Since when an item has been in its status at the latest, and whether that is the very day.

        `changed` is the day of its last change of any kind, by the service; None for what it does not have yet.
        """
        seen = self.items.get(item_id)
        if seen is None or seen.status != status:
            last, latest = self.noted_on, today
        else:
            last, latest = seen.before, seen.since
        since = min(changed or today, latest)
        if last is None:
            return since, False
        since = max(since, last)
        return since, (since - last).days <= 1


def _noted_on(writer: Writer, project_id: int) -> date | None:
    text = writer.journal.settings.value(f"{_SETTING} {project_id}")
    return None if text is None else date.fromisoformat(text)


def _note(writer: Writer, project_id: int, items: Mapping[int, str], today: date) -> None:
    kept = writer.journal.stays.of_project(project_id)
    before = _noted_on(writer, project_id)
    changed = [
        (item_id, Seen(status, today, before))
        for item_id, status in items.items()
        if item_id not in kept or kept[item_id].status != status
    ]
    gone = kept.keys() - items.keys()
    if changed or gone or before != today:
        with writer.journal.transaction():
            writer.journal.stays.put(project_id, changed, gone)
            writer.journal.settings.keep(f"{_SETTING} {project_id}", today.isoformat())


def _data_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
