"""The siblings that a node's write concerns.

A service that filters returns them alone, any other the whole tree. The interface leaves $filter open, so a response is
trusted only if it holds exactly the known nodes. Otherwise the whole tree is read.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backlit.model.errors import ServiceError, ServiceRefused, Unavailable
from backlit.store.files.files import Files, Writer
from backlit.store.mirror.mirror import Mirror
from backlit.store.records.entry import OutboxEntry
from backlit.store.records.item import Document, whole
from backlit.store.records.people import TreeKind
from backlit.store.remote.reading import read_all
from backlit.store.sqlite.database import ids_json, transaction

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.resources import Nodes

FRESH = 0.5
"""Seconds for which a read level stays valid."""
MOST_PARENTS = 20
"""The most parents to filter by. The tree is read whole for more."""


@dataclass(frozen=True, slots=True)
class Level:
    """Nodes on the service at present: the whole tree, or the children of some parents."""

    nodes: Sequence[Document]
    is_whole: bool

    def ids(self) -> set[int]:
        """Return the ids of the nodes."""
        return {whole(each.get("id")) or 0 for each in self.nodes}


class NodeLevels:
    """Reader of a node's surroundings, with a memory of a service that does not filter nodes."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files
        self._filters = True
        self._latest: dict[tuple[int, object, int], tuple[float, Level]] = {}

    def resource(self, entry: OutboxEntry) -> "Nodes[Any]":
        """Return the client's areas or iterations."""
        return self._client.areas if entry.payload["tree"] == TreeKind.AREAS.value else self._client.iterations

    async def read(self, entry: OutboxEntry) -> Level:
        """Read the whole tree."""
        return Level(await read_all(self.resource(entry).in_project(entry.project_id)), is_whole=True)

    async def below(self, entry: OutboxEntry, parent_id: int, own: Iterable[int] = ()) -> Level:
        """Read the children of a node. `own` are nodes that the entry may have moved or created there."""
        kind, mine = str(entry.payload["tree"]), {entry.node_id, *own}

        def expected(writer: Writer) -> set[int]:
            return known_below(writer.mirror, kind, entry.project_id, [parent_id]) - mine

        level = await self._narrow(entry, [parent_id])
        if not level.is_whole and level.ids() - mine != await self._files.write(expected):
            level = await self.read(entry)
        self._latest[entry.project_id, kind, parent_id] = time.monotonic(), level
        return level

    async def lately_below(self, entry: OutboxEntry, parent_id: int) -> Level:
        """Return the children of a node as of the last write, if that is recent, else read them."""
        key = entry.project_id, entry.payload["tree"], parent_id
        read_at, level = self._latest.pop(key, (0.0, None))
        is_fresh = level is not None and time.monotonic() - read_at < FRESH
        return level if level is not None and is_fresh else await self.below(entry, parent_id)

    async def around(self, entry: OutboxEntry, node_ids: Sequence[int]) -> Level:
        """Read some nodes with their children. Reads the whole tree if unknown children turn up."""
        if len(node_ids) <= MOST_PARENTS:
            level = await self._narrow(entry, node_ids, with_own=entry.node_id)
            if not level.is_whole and level.ids() == set(node_ids):
                return level
        return await self.read(entry)

    async def _narrow(self, entry: OutboxEntry, parent_ids: Sequence[int], with_own: int | None = None) -> Level:
        """Read the children of some nodes by a filter, or everything from a service that ignores it."""
        if not self._filters:
            return await self.read(entry)
        parts = [f"parentId eq {each}" for each in parent_ids] + [f"id eq {with_own}"] * (with_own is not None)
        try:
            found = await read_all(self.resource(entry).in_project(entry.project_id), " or ".join(parts))
        except Unavailable:
            raise
        except (ServiceRefused, ServiceError):
            self._filters = False
            return await self.read(entry)
        is_asked_for = _asked_for({*parent_ids}, with_own)
        self._filters = all(map(is_asked_for, found))
        return Level(found, is_whole=not self._filters)


def _asked_for(parent_ids: set[int], with_own: int | None) -> Callable[[Document], bool]:
    return lambda node: node.get("parentId") in parent_ids or node.get("id") == with_own is not None


def known_below(mirror: Mirror, kind: str, project_id: int, parent_ids: Iterable[int]) -> set[int]:
    """Return the last known children of some nodes."""
    sql = (
        "SELECT id FROM nouns WHERE kind = ? AND project_id = ?"
        " AND json_extract(doc, '$.parentId') IN (SELECT value FROM json_each(?))"
    )
    return {node_id for (node_id,) in mirror.connection.execute(sql, (kind, project_id, ids_json(parent_ids)))}


def largest_known(mirror: Mirror, kind: str, project_id: int) -> int:
    """Return the largest id of the tree as last read."""
    sql = "SELECT coalesce(max(id), 0) FROM nouns WHERE kind = ? AND project_id = ?"
    return int(mirror.connection.execute(sql, (kind, project_id)).fetchone()[0])


def put_level(mirror: Mirror, kind: str, project_id: int, level: Level, written: Document | None) -> None:
    """Store the read nodes, after the written node's response, if any."""
    if level.is_whole:
        mirror.put_nouns(kind, project_id, level.nodes)
        return
    with transaction(mirror.connection):
        for each in (*([] if written is None else [written]), *level.nodes):
            mirror.put_noun(kind, project_id, each)
