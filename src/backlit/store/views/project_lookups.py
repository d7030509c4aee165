"""Reads about projects: what is open in each, and the document of the present one."""

import sqlite3
from collections.abc import Mapping
from typing import TYPE_CHECKING

from msgspec import json

from backlit.model.trees import NodeTotals
from backlit.store.mirror.schema import COUNTED_POINTS
from backlit.store.records.item import Document
from backlit.store.views.lookups import Lookups

if TYPE_CHECKING:
    from backlit.store.files.files import LocalDatabase

_TOTALS = (
    f"SELECT project_id, count(*), total({COUNTED_POINTS}) FROM items INDEXED BY open_by_area"  # noqa: S608 # constants
    " WHERE is_open = 1 AND is_task = 0 GROUP BY project_id"
)
_OWN_COUNTS = (
    "SELECT project_id, count(*) FROM items INDEXED BY open_items_in_order"
    " WHERE is_open = 1 AND is_task = 0 AND owner_id = ? GROUP BY project_id"
)


class ProjectLookups:
    """Reads about projects. Projects that were never opened here have no items yet."""

    def __init__(self, files: "LocalDatabase", lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    async def totals(self) -> Mapping[int, NodeTotals]:
        def read(mirror: sqlite3.Connection) -> dict[int, NodeTotals]:
            return {project_id: NodeTotals(count, points) for project_id, count, points in mirror.execute(_TOTALS)}

        return await self._files.read(read)

    async def own_counts(self) -> Mapping[int, int]:
        """Return how many open items of the user each project has, without tasks."""
        me = self._lookups.me()

        def read(mirror: sqlite3.Connection) -> dict[int, int]:
            return dict(mirror.execute(_OWN_COUNTS, (me.id if me is not None else 0,)))

        return await self._files.read(read)

    def count_local_positions(self) -> int:
        return self._files.journal.ranks.count_local(self._lookups.project_id)

    def document(self) -> Document:
        found = self._files.mirror.execute(
            "SELECT doc FROM resources WHERE kind = 'project' AND project_id = 0 AND id = ?",
            (self._lookups.project_id,),
        ).fetchone()
        document = json.decode(found[0]) if found else {}
        return document if isinstance(document, dict) else {}
