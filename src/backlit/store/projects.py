"""What is known of the projects: how much is open in each, and what the service says of the current one."""

import sqlite3
from collections.abc import Mapping

import orjson

from backlit.model.trees import Totals
from backlit.store.files import Files
from backlit.store.lookups import Lookups
from backlit.store.rows import Document

_TOTALS = (
    "SELECT project_id, count(*), total(points) FROM items INDEXED BY open_by_area"
    " WHERE is_open = 1 AND is_task = 0 GROUP BY project_id"
)


class Projects:
    """Reads about projects; those that were never opened here have no items yet."""

    def __init__(self, files: Files, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def totals(self) -> Mapping[int, Totals]:
        """The open items that are not tasks, and their points, of every project that was opened here."""

        def read(mirror: sqlite3.Connection) -> dict[int, Totals]:
            return {project_id: Totals(count, points) for project_id, count, points in mirror.execute(_TOTALS)}

        return await self._files.read(read)

    def document(self) -> Document:
        """The current project as the service sent it; empty where it is not known."""
        found = self._files.mirror.execute(
            "SELECT doc FROM nouns WHERE kind = 'project' AND project_id = 0 AND id = ?", (self._lookups.project_id,)
        ).fetchone()
        document = orjson.loads(found[0]) if found else {}
        return document if isinstance(document, dict) else {}
