"""The siblings that a write of a node concerns: read alone where the service filters, else with the whole tree.

What a service does with $filter is open (SPEC 4), so an answer is believed only while it has the nodes that are known:
one that has others, or lacks some, is looked at again in the whole tree.
"""

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from backlit.model.errors import ServiceError, ServiceRefused, Unavailable
from backlit.store.database import ids_json, transaction
from backlit.store.entries import OutboxEntry
from backlit.store.files import Files, Writer
from backlit.store.mirror import Mirror
from backlit.store.people import TreeKind
from backlit.store.reading import read_all
from backlit.store.rows import Document, whole

if TYPE_CHECKING:
    from backlit.client.client import Client
    from backlit.client.nouns import Nodes

FRESH = 0.5
"""Seconds for which a level counts as it was read."""
MOST_PARENTS = 20
"""Nodes whose children are asked for at once; the tree of more than that is read whole."""


@dataclass(frozen=True, slots=True)
class Level:
    """Nodes as the service has them now: all of the tree, or those below some parents only."""

    nodes: Sequence[Document]
    is_whole: bool

    def ids(self) -> set[int]:
        """What is in it."""
        return {whole(each.get("id")) or 0 for each in self.nodes}


class NodeLevels:
    """Reads what surrounds a node; remembers where a service does not filter nodes."""

    def __init__(self, client: "Client", files: Files) -> None:
        self._client = client
        self._files = files
        self._filters = True
        self._latest: dict[tuple[int, object, int], tuple[float, Level]] = {}

    def resource(self, entry: OutboxEntry) -> "Nodes[Any]":
        """Areas or iterations."""
        return self._client.areas if entry.payload["tree"] == TreeKind.AREAS.value else self._client.iterations

    async def read(self, entry: OutboxEntry) -> Level:
        """The whole tree."""
        return Level(await read_all(self.resource(entry).in_project(entry.project_id)), is_whole=True)

    async def below(self, entry: OutboxEntry, parent_id: int, own: Iterable[int] = ()) -> Level:
        """The children of a node; `own` are nodes that may be there or not, as the entry moves or makes them."""
        kind, mine = str(entry.payload["tree"]), {entry.node_id, *own}

        def expected(writer: Writer) -> set[int]:
            return known_below(writer.mirror, kind, entry.project_id, [parent_id]) - mine

        level = await self._narrow(entry, [parent_id])
        if not level.is_whole and level.ids() - mine != await self._files.write(expected):
            level = await self.read(entry)
        self._latest[entry.project_id, kind, parent_id] = time.monotonic(), level
        return level

    async def lately_below(self, entry: OutboxEntry, parent_id: int) -> Level:
        """The children of a node as they were after what was written just before, else as they are now."""
        key = entry.project_id, entry.payload["tree"], parent_id
        read_at, level = self._latest.pop(key, (0.0, None))
        is_fresh = level is not None and time.monotonic() - read_at < FRESH
        return level if level is not None and is_fresh else await self.below(entry, parent_id)

    async def around(self, entry: OutboxEntry, node_ids: Sequence[int]) -> Level:
        """Some nodes with what is below them; the whole tree where there are others below them than these."""
        if len(node_ids) <= MOST_PARENTS:
            level = await self._narrow(entry, node_ids, with_own=entry.node_id)
            if not level.is_whole and level.ids() == set(node_ids):
                return level
        return await self.read(entry)

    async def _narrow(self, entry: OutboxEntry, parent_ids: Sequence[int], with_own: int | None = None) -> Level:
        """What the service says is below some nodes; everything, where it gives more than it was asked for."""
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
    """The nodes that were known to be below some others when they were read last."""
    sql = (
        "SELECT id FROM nouns WHERE kind = ? AND project_id = ?"
        " AND json_extract(doc, '$.parentId') IN (SELECT value FROM json_each(?))"
    )
    return {node_id for (node_id,) in mirror.connection.execute(sql, (kind, project_id, ids_json(parent_ids)))}


def largest_known(mirror: Mirror, kind: str, project_id: int) -> int:
    """The largest id of a tree as it was read last."""
    sql = "SELECT coalesce(max(id), 0) FROM nouns WHERE kind = ? AND project_id = ?"
    return int(mirror.connection.execute(sql, (kind, project_id)).fetchone()[0])


def put_level(mirror: Mirror, kind: str, project_id: int, level: Level, written: Document | None) -> None:
    """Keep what was read, and before it what the service said of the node that was written, if anything."""
    if level.is_whole:
        mirror.put_nouns(kind, project_id, level.nodes)
        return
    with transaction(mirror.connection):
        for each in (*([] if written is None else [written]), *level.nodes):
            mirror.put_noun(kind, project_id, each)
