"""Relations between items: their types in both directions, and the rules that a new one has to fit."""

from collections.abc import Collection, Iterable, Mapping
from enum import StrEnum
from typing import Protocol

from msgspec import Struct

from backlit.model.errors import BadRequest, Conflict
from backlit.model.fields import ItemType

MAX_RELATIONS = 500
"""Relations of one item."""
MAX_FEATURE_LEVELS = 3
"""Features above each other."""


class RelationType(StrEnum):
    """The types in the direction in which relations are kept."""

    PARENT = "Parent"
    BLOCKS = "Blocks"
    RELATED = "Related"
    DUPLICATES = "Duplicates"


INVERSES: Mapping[RelationType, str] = {
    RelationType.PARENT: "Child",
    RelationType.BLOCKS: "Blocked By",
    RelationType.RELATED: "Related",
    RelationType.DUPLICATES: "Duplicated By",
}
_KEPT: Mapping[str, RelationType] = {inverse: kept for kept, inverse in INVERSES.items()}
RELATION_WORDS = tuple(dict.fromkeys([*RelationType, *_KEPT]))
"""The types in both directions, as a relation may be given."""
RELATION_OPTIONS: Mapping[str, str] = {word.lower().replace(" ", "-"): word for word in RELATION_WORDS}
"""The types by their words on the command line."""


class RelatedItem(Struct, frozen=True):
    """An end of a relation."""

    id: int
    type: str
    project_id: int


class NewRelation(Struct, frozen=True):
    """A relation to be made, in its kept direction: *first* **type** *second*."""

    type: RelationType
    first: RelatedItem
    second: RelatedItem
    kept_id: int | None = None
    """The id of the relation that it replaces."""


class KnownRelation(Struct, frozen=True):
    """A relation that there is, by the ids of its ends."""

    id: int
    first_id: int
    second_id: int


class KnownRelations(Protocol):
    """The relations and items that there are, whoever may see them."""

    def from_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        """Return the relations of a type whose first ends are among some items."""

    def to_items(self, kind: RelationType, item_ids: Collection[int]) -> Iterable[KnownRelation]:
        """Return the relations of a type whose second ends are among some items."""

    def features(self, item_ids: Collection[int]) -> Collection[int]:
        """Return which of some items are Features."""

    def count(self, item_id: int, *, besides: int | None) -> int:
        """Return the number of an item's relations, without the one of an id."""

    def are_visible(self, item_ids: Collection[int]) -> bool:
        """Return whether the caller may see all of some items."""


def directed(word: str, item: RelatedItem, target: RelatedItem, kept_id: int | None = None) -> NewRelation:
    """Return the relation *item* **word** *target* in its kept direction; raise BadRequest for an unknown type."""
    if word not in RELATION_WORDS:
        sentence = f"type must be one of: {', '.join(RELATION_WORDS)}."
        raise BadRequest(sentence, {"type": sentence})
    kept = next((each for each in RelationType if each == word), None)
    first, second = (item, target) if kept is not None else (target, item)
    if kept is RelationType.RELATED and first.id > second.id:
        first, second = second, first
    return NewRelation(kept or _KEPT[word], first, second, kept_id)


def must_fit(relation: NewRelation, known: KnownRelations) -> None:
    """Raise BadRequest or Conflict for a relation that breaks a rule."""
    _must_fit_types(relation)
    _must_be_single(relation, known)
    _must_not_close_circle(relation, known)
    if relation.type is RelationType.PARENT:
        _must_not_be_deep(relation, known)
    for end in (relation.first, relation.second):
        if known.count(end.id, besides=relation.kept_id) >= MAX_RELATIONS:
            raise _refusal(f"#{end.id} has {MAX_RELATIONS} relations, and can have no more.")


def _refusal(sentence: str) -> BadRequest:
    return BadRequest(sentence, {"targetId": sentence})


def _must_fit_types(relation: NewRelation) -> None:
    first, second = relation.first, relation.second
    if first.id == second.id:
        raise _refusal("An item cannot be related to itself.")
    match relation.type:
        case RelationType.PARENT:
            if second.type != ItemType.FEATURE:
                raise _refusal(f"#{second.id} is a {second.type}; only a Feature can be a parent.")
            if first.type == ItemType.TASK:
                raise _refusal(f"#{first.id} is a Task, whose parent is its ParentID.")
            if first.project_id != second.project_id:
                raise _refusal(f"#{second.id} is in another project; a parent is of the same project.")
        case RelationType.DUPLICATES:
            if tasks := [end.id for end in (first, second) if end.type == ItemType.TASK]:
                raise _refusal(f"#{tasks[0]} is a Task; tasks are no duplicates.")


def _must_be_single(relation: NewRelation, known: KnownRelations) -> None:
    first, second = relation.first.id, relation.second.id
    others = [each for each in known.from_items(relation.type, [first]) if each.id != relation.kept_id]
    if any(each.second_id == second for each in others):
        sentence = f"#{first} {relation.type} #{second} already."
    elif others and relation.type is RelationType.PARENT:
        sentence = f"#{first} has a parent already. Change or delete that relation."
    elif others and relation.type is RelationType.DUPLICATES:
        sentence = f"#{first} is a duplicate of another item already. Change or delete that relation."
    else:
        return
    raise Conflict(sentence, {"targetId": sentence})


def _must_not_close_circle(relation: NewRelation, known: KnownRelations) -> None:
    if relation.type is RelationType.RELATED:
        return
    way = _way(relation.type, relation.second.id, relation.first.id, known)
    if way:
        circle = [relation.first.id, *way]
        # The ids of items in between are nobody's business who cannot see them.
        shown = f": {' → '.join(f'#{each}' for each in circle)}" if known.are_visible(circle) else ""
        raise _refusal(f"That would be a circle{shown}.")


def _way(kind: RelationType, start: int, goal: int, known: KnownRelations) -> list[int]:
    """Return the items on the shortest way along relations of a type, both ends included; empty for none."""
    came_from: dict[int, int | None] = {start: None}
    reached = [start]
    while reached and goal not in came_from:
        found = {each.second_id: each.first_id for each in known.from_items(kind, reached)}
        reached = [item_id for item_id in found if item_id not in came_from]
        came_from |= {item_id: found[item_id] for item_id in reached}
    way: list[int] = []
    at: int | None = goal if goal in came_from else None
    while at is not None:
        way.insert(0, at)
        at = came_from[at]
    return way


def _must_not_be_deep(relation: NewRelation, known: KnownRelations) -> None:
    levels, at = 1, [relation.second.id]
    while levels <= MAX_FEATURE_LEVELS and (at := [e.second_id for e in known.from_items(RelationType.PARENT, at)]):
        levels += 1
    below = [relation.first.id] if relation.first.type == ItemType.FEATURE else []
    while below and levels <= MAX_FEATURE_LEVELS:
        levels += 1
        children = [each.first_id for each in known.to_items(RelationType.PARENT, below)]
        below = list(known.features(children))
    if levels > MAX_FEATURE_LEVELS:
        raise _refusal(f"At most {MAX_FEATURE_LEVELS} Features can stand above each other.")
