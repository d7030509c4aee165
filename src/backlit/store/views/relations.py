"""Relations as screens read them: from an item's own side, the tree of items, open blockers and roll-ups."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence

from msgspec import Struct

from backlit.model.fields import ItemType
from backlit.model.relations import INVERSES, RelationType
from backlit.model.rollups import ItemBelow, Rollup, TaskWork, TreeBelow
from backlit.store.files.files import LocalDatabase
from backlit.store.mirror.schema import SHOWN
from backlit.store.sqlite.ids import ids_json
from backlit.store.views.lookups import Lookups

_AMONG = "IN (SELECT value FROM json_each(?1))"
_OF_ITEMS = (
    "SELECT item_id, id, type, 0, target_id, target_project_id, state FROM relations"  # noqa: S608 # constants
    f" WHERE {SHOWN} AND item_id {_AMONG} UNION ALL"
    f" SELECT target_id, id, type, 1, item_id, project_id, state FROM relations WHERE {SHOWN} AND target_id {_AMONG}"
)
BLOCKERS = (
    f"FROM relations JOIN items AS blocker ON blocker.id = relations.item_id"
    f" WHERE relations.type = '{RelationType.BLOCKS}' AND relations.{SHOWN} AND blocker.own_open = 1"
)
"""The SQL of open blockers: `blocker` blocks `relations.target_id`."""
_BELOW = (
    f"WITH RECURSIVE tree (root, parent_id, id) AS (SELECT parent_id, parent_id, id FROM items"  # noqa: S608 # constants
    f" WHERE {{0}}parent_id {_AMONG} UNION SELECT root, items.parent_id, items.id FROM tree"
    " JOIN items ON items.parent_id = tree.id{1})"
)
_ALL_BELOW = _BELOW.format("", "")
_ITEMS_BELOW = _BELOW.format("is_task = 0 AND ", " AND items.is_task = 0")
_INVERSE: Mapping[str, str] = {kind.value: inverse for kind, inverse in INVERSES.items()}
WORDS_IN_ORDER = ("Parent", "Child", "Blocked By", "Blocks", "Related", "Duplicates", "Duplicated By")
"""The order in which the relations of an item are shown."""


class ItemRelation(Struct, frozen=True):
    """A relation from the side of an item: *item_id* **word** *other_id*. An unsent one has a temporary id."""

    id: int
    item_id: int
    word: str
    other_id: int
    other_project_id: int
    pending: bool


class ItemRelations:
    """Reads of relations, with unsent changes laid over. Items that this machine does not have are left out of sums."""

    def __init__(self, files: LocalDatabase, lookups: Lookups) -> None:
        self._files = files
        self._lookups = lookups

    def of_item(self, item_id: int) -> tuple[ItemRelation, ...]:
        real_id = self._files.journal.real_id(item_id)
        return self.of_items([real_id]).get(real_id, ())

    def of_items(self, item_ids: Iterable[int]) -> Mapping[int, tuple[ItemRelation, ...]]:
        """Return the relations of those items that have some, by type and then by the other item."""
        found: dict[int, list[ItemRelation]] = {}
        for item_id, relation_id, kind, is_second, other_id, project_id, state in self._read(_OF_ITEMS, item_ids):
            word = _INVERSE.get(kind, kind) if is_second else kind
            of_item = found.setdefault(item_id, [])
            of_item.append(ItemRelation(relation_id, item_id, word, other_id, project_id, bool(state)))
        return {item_id: tuple(sorted(each, key=_place)) for item_id, each in found.items()}

    def all(self) -> list[tuple[int, RelationType, int, int]]:
        """Return the ids, types and ends of all relations, in the direction in which they are kept."""
        sql = f"SELECT id, type, item_id, target_id FROM relations WHERE {SHOWN} ORDER BY id"  # noqa: S608 # constants
        kinds = {kind.value: kind for kind in RelationType}
        found = self._files.mirror.execute(sql)
        return [(each[0], kinds[each[1]], each[2], each[3]) for each in found if each[1] in kinds]

    def open_blockers(self, item_ids: Iterable[int]) -> Mapping[int, tuple[int, ...]]:
        """Return the items that are neither done nor excluded and block others, by the items that wait for them."""
        found: dict[int, list[int]] = {}
        sql = f"SELECT relations.target_id, blocker.id {BLOCKERS} AND relations.target_id {_AMONG} ORDER BY blocker.id"
        for item_id, blocker_id in self._read(sql, item_ids):
            found.setdefault(item_id, []).append(blocker_id)
        return {item_id: tuple(blockers) for item_id, blockers in found.items()}

    def children(self, item_id: int) -> tuple[int, ...]:
        """Return what is directly below an item: items in backlog order, then its tasks."""
        sql = f"SELECT id FROM items WHERE parent_id {_AMONG} ORDER BY is_task, own_priority, id"  # noqa: S608 # constants
        return tuple(child_id for (child_id,) in self._read(sql, [self._files.journal.real_id(item_id)]))

    def below(self, item_ids: Iterable[int]) -> frozenset[int]:
        """Return everything below items, tasks included, without the items."""
        ids = set(item_ids)
        found = self._read(f"{_ALL_BELOW} SELECT DISTINCT id FROM tree", ids)  # noqa: S608 # constants
        return frozenset(item_id for (item_id,) in found) - ids

    def parents(self, item_ids: Iterable[int]) -> Mapping[int, int]:
        """Return the Features of items and the items of tasks, without items that have none."""
        return dict(
            self._read(f"SELECT id, parent_id FROM items WHERE parent_id IS NOT NULL AND id {_AMONG}", item_ids)  # noqa: S608 # constants
        )

    def roll_ups(self, item_ids: Iterable[int]) -> Mapping[int, Rollup]:
        """Return the figures of items and of all that is below them, without unknown items and tasks."""
        ids = set(item_ids)
        trees = list(self._trees(ids).values())
        tasks = self._tasks({item_id for tree in trees for item_id in tree.with_tasks()})
        return {
            tree.id: tree.rollup(task for item_id in tree.with_tasks() for task in tasks.get(item_id, ()))
            for tree in trees
        }

    def _trees(self, item_ids: Iterable[int]) -> dict[int, TreeBelow]:
        groups = self._lookups.status_groups()
        types = self._read(f"SELECT id, type FROM items WHERE is_task = 0 AND id {_AMONG}", item_ids)  # noqa: S608 # constants
        trees = {item_id: TreeBelow(item_id, kind == ItemType.FEATURE, {}, groups) for item_id, kind in types}
        features = [tree.id for tree in trees.values() if tree.is_feature]
        below: dict[int, dict[int, list[ItemBelow]]] = {}
        sql = (
            f"{_ITEMS_BELOW} SELECT root, tree.parent_id, id, type, status, estimate"  # noqa: S608 # constants
            " FROM tree JOIN items USING (id) ORDER BY id"
        )
        for root, parent_id, *values in self._read(sql, features):
            below.setdefault(root, {}).setdefault(parent_id, []).append(ItemBelow(*values))
        return trees | {
            root: TreeBelow(root, is_feature=True, children=children, groups=groups) for root, children in below.items()
        }

    def _tasks(self, item_ids: Iterable[int]) -> dict[int, list[TaskWork]]:
        columns = "parent_id, status, work_remaining, work_completed"
        found: dict[int, list[TaskWork]] = {}
        sql = f"SELECT {columns} FROM items WHERE is_task = 1 AND parent_id {_AMONG}"  # noqa: S608 # constants
        for item_id, *values in self._read(sql, item_ids):
            found.setdefault(item_id, []).append(TaskWork(*values))
        return found

    def _read(self, sql: str, item_ids: Iterable[int]) -> "sqlite3.Cursor":
        return self._files.mirror.execute(sql, (ids_json(item_ids),))


def _place(relation: ItemRelation) -> tuple[int, int]:
    words: Sequence[str] = WORDS_IN_ORDER
    return words.index(relation.word) if relation.word in words else len(words), relation.other_id
