"""The relations of a file, checked by the rules of the service over the whole file before anything is written."""

import re
from collections.abc import Callable, Collection, Iterable
from functools import cached_property

from backlit.imports.plan import ImportPlan
from backlit.model.errors import BadRequest, Conflict
from backlit.model.fields import ItemType
from backlit.model.relations import KnownRelation, RelatedItem, RelationType, directed, must_fit
from backlit.store.edits.imports import ImportedRelation
from backlit.store.store import Store

MAX_NEW_ITEMS = 100_000_000
"""The most new items of a file. Their ids of the file are -1, -2 and so on, far above the temporary ones."""


def is_of_file(item_id: int) -> bool:
    """Report whether an id stands for a new item of a file."""
    return -MAX_NEW_ITEMS <= item_id < 0


class RelationPlanning:
    """Takes relations of a file into the plan, and says why one does not fit. Each costs some microseconds."""

    def __init__(self, store: Store, plan: ImportPlan) -> None:
        self._store, self._plan = store, plan
        self._items: dict[int, RelatedItem] = {}
        self._names: dict[int, str] = {}

    @cached_property
    def _known(self) -> "KnownInMemory":
        known = KnownInMemory(self._item)
        for relation in self._store.relations.all():
            known.add(*relation)
        return known

    def new_item(self, item_type: str, name: str) -> int:
        """Return the id of the file for a new item."""
        item_id = -1 - len(self._names)
        self._names[item_id] = name
        self._items[item_id] = RelatedItem(item_id, item_type, self._store.project_id or 0)
        return item_id

    def add(self, item_id: int, word: str, target_id: int) -> str:
        """Plan *item* **word** *target* where it is not so already; return why it cannot be so, else an empty text.

        Another Feature takes the place of the one before.
        """
        item, target = self._item(item_id), self._item(target_id)
        if item is None or target is None:
            return "One of the items was deleted."
        relation = directed(word, item, target)
        if self._known.has(relation.type, relation.first.id, relation.second.id):
            return ""
        before = self._known.parent_of(relation.first.id) if relation.type is RelationType.PARENT else None
        relation = directed(word, item, target, None if before is None else before.id)
        try:
            must_fit(relation, self._known)
        except (BadRequest, Conflict) as error:
            return re.sub(r"#(-\d+)", lambda found: f"“{self._names.get(int(found[1]), 'new')}”", error.message)
        if before is not None:
            self._known.remove(relation.type, before)
        self._known.add(-1 - len(self._plan.relations), relation.type, relation.first.id, relation.second.id)
        self._plan.relations.append(ImportedRelation(item_id, word, target_id))
        return ""

    def parent_of(self, item_id: int) -> int | None:
        """Return the Feature of an item, as it will be."""
        relation = self._known.parent_of(item_id)
        return None if relation is None else relation.second_id

    def _item(self, item_id: int) -> RelatedItem | None:
        if item_id not in self._items:
            found = self._store.item(item_id)
            if found is not None:
                self._items[item_id] = RelatedItem(item_id, found.type, found.project_id)
        return self._items.get(item_id)


class KnownInMemory:
    """Relations by their ends, for the rules of `model.relations`."""

    def __init__(self, find: Callable[[int], RelatedItem | None]) -> None:
        self._find = find
        self._ends: dict[tuple[RelationType, int], dict[int, KnownRelation]] = {}
        self._starts: dict[tuple[RelationType, int], dict[int, KnownRelation]] = {}

    def add(self, relation_id: int, kind: RelationType, first_id: int, second_id: int) -> None:
        relation = KnownRelation(relation_id, first_id, second_id)
        self._ends.setdefault((kind, first_id), {})[second_id] = relation
        self._starts.setdefault((kind, second_id), {})[first_id] = relation

    def remove(self, kind: RelationType, relation: KnownRelation) -> None:
        del self._ends[kind, relation.first_id][relation.second_id]
        del self._starts[kind, relation.second_id][relation.first_id]

    def has(self, kind: RelationType, first_id: int, second_id: int) -> bool:
        return second_id in self._ends.get((kind, first_id), {})

    def parent_of(self, item_id: int) -> KnownRelation | None:
        return next(iter(self._ends.get((RelationType.PARENT, item_id), {}).values()), None)

    def from_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        return [each for item_id in item_ids for each in self._ends.get((kind, item_id), {}).values()]

    def to_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        return [each for item_id in item_ids for each in self._starts.get((kind, item_id), {}).values()]

    def features(self, item_ids: Collection[int]) -> Collection[int]:
        found = [self._find(each) for each in item_ids]
        return [each.id for each in found if each is not None and each.type == ItemType.FEATURE]

    def count(self, item_id: int, *, besides: int | None) -> int:
        found = [
            each
            for kind in RelationType
            for ends in (self._ends, self._starts)
            for each in ends.get((kind, item_id), {}).values()
        ]
        return sum(each.id != besides for each in found)

    def are_visible(self, _item_ids: Collection[int]) -> bool:
        return True
