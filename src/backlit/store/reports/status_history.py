"""Status history. The service does not record status changes, so the client logs each one it observes.

Only items in progress are tracked. The row of a done item is deleted.
"""

import sqlite3
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date

from backlit.store.files import Files, Writer
from backlit.store.journal.reports import ObservedStatus
from backlit.store.reports.items import begun_items

FEW = 1_000
"""The most items in progress to scan after every change. More cause a pause of a second for each SPEED items."""
SPEED = 500
_SETTING = "stays noted on"
"""The key of the setting with the time of a project's last scan."""


class StatusHistory:
    """The log of status changes, and the start of an item's status."""

    def __init__(self, files: Files, today: Callable[[], date]) -> None:
        self._files = files
        self._today = today
        self._noted: tuple[int, date, int] | None = None
        self._not_before = 0.0

    async def note(self, project_id: int) -> None:
        """Scan the items in progress. The syncing process calls it after every complete sync."""
        key = (project_id, self._today(), await self._files.read(_data_version))
        is_same_day = self._noted is not None and self._noted[:2] == key[:2]
        if key == self._noted or (is_same_day and time.monotonic() < self._not_before):
            return
        items = await self._files.read(lambda connection: begun_items(connection, project_id))
        await self._files.write(lambda writer: _note(writer, project_id, items, key[1]))
        self._noted = key
        self._not_before = time.monotonic() + (len(items) / SPEED if len(items) > FEW else 0.0)

    async def seen(self, project_id: int) -> "ObservedHistory":
        """Return the observed status history of a project's items."""

        def read(writer: Writer) -> ObservedHistory:
            return ObservedHistory(writer.journal.status_history.of_project(project_id), _noted_on(writer, project_id))

        return await self._files.write(read)


@dataclass(frozen=True, slots=True)
class ObservedHistory:
    """The status history by item, and the day of the last scan, None before the first."""

    items: Mapping[int, ObservedStatus]
    noted_on: date | None

    def since(self, item_id: int, status: str, changed: date | None, today: date) -> tuple[date, bool]:
        """Return the latest possible first day of an item's status, and whether it is exact.

        `changed` is the day of the item's last change on the service, None if the service lacks the item.
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
    kept = writer.journal.status_history.of_project(project_id)
    before = _noted_on(writer, project_id)
    changed = [
        (item_id, ObservedStatus(status, today, before))
        for item_id, status in items.items()
        if item_id not in kept or kept[item_id].status != status
    ]
    gone = kept.keys() - items.keys()
    if changed or gone or before != today:
        with writer.journal.transaction():
            writer.journal.status_history.put(project_id, changed, gone)
            writer.journal.settings.keep(f"{_SETTING} {project_id}", today.isoformat())


def _data_version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA data_version").fetchone()[0])
