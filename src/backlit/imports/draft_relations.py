"""The relations of another tracker's items: Features above them and links, where the server has relations."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from backlit.imports.drafts.draft import Draft, DraftLink
from backlit.imports.hierarchy import Hierarchy, PlacedDraft, title_of
from backlit.imports.plan import ImportPlan
from backlit.imports.relations import RelationPlanning
from backlit.model.fields import ItemType
from backlit.model.relations import INVERSES, RelationType
from backlit.store.store import Store

_KINDS: Mapping[str, str] = {
    **dict.fromkeys(("blocks", "successor"), RelationType.BLOCKS.value),
    **dict.fromkeys(("blocked by", "is blocked by", "predecessor"), INVERSES[RelationType.BLOCKS]),
    **dict.fromkeys(("relates", "relates to", "related", "related to", "is related to"), RelationType.RELATED.value),
    **dict.fromkeys(("duplicate", "duplicates", "duplicate of"), RelationType.DUPLICATES.value),
    **dict.fromkeys(("duplicate (inward)", "duplicated by", "is duplicated by"), INVERSES[RelationType.DUPLICATES]),
}
"""The type of relation by the word of another tracker; other words are kept in the origin block."""
REMEMBERED = "relations"
"""The key of an item's relations among the values that an import remembers."""


class DraftRelation(Struct, frozen=True):
    """A relation that a file names: its type, and the other item as written."""

    word: str
    target: str

    @property
    def text(self) -> str:
        return f"{self.word} {self.target}"


class DraftRelations:
    """Plans the relations of all items of a file, and tells which of its words have become relations."""

    def __init__(
        self,
        store: Store,
        plan: ImportPlan,
        hierarchy: Hierarchy,
        find: Callable[[str], int | None],
        *,
        has_epic_tags: bool,
        overwrite: bool,
        is_under_way: bool,
    ) -> None:
        self._plan, self._hierarchy, self._find = plan, hierarchy, find
        self._has_epic_tags, self._overwrite, self._is_under_way = has_epic_tags, overwrite, is_under_way
        self._relations = RelationPlanning(store, plan)
        self._is_offered = store.lookups.announces("relations")
        self._ids: dict[int, int] = {}
        self._made: dict[int, list[DraftRelation]] = {}

    def plan_all(self, placed: Sequence[PlacedDraft], remembered: Callable[[Draft], Sequence[str] | None]) -> None:
        """Plan what fits; `remembered` returns what the last import of an item wrote, None for a new one.

        What was related then and is no longer so was taken away here, and stays away.
        """
        if not self._is_offered:
            return
        for each in placed:
            name, existing = title_of(each.draft), each.existing
            self._ids[id(each)] = self._relations.new_item(each.type, name) if existing is None else existing.id
        for each in placed:
            before = None if self._is_under_way else remembered(each.draft)
            made = self._made[id(each)] = []
            for relation in self._named(each):
                is_second_parent = relation.word == RelationType.PARENT and any(
                    one.word == relation.word for one in made
                )
                if not is_second_parent and self._is_planned(each, relation, before):
                    made.append(relation)

    def file_id(self, each: PlacedDraft) -> int | None:
        return self._ids.get(id(each))

    def has(self, each: PlacedDraft, word: str, target: str) -> bool:
        """Report whether something that a file says of an item has become a relation."""
        return DraftRelation(word, target) in self._made.get(id(each), ())

    def remembered(self, each: PlacedDraft) -> list[str]:
        return sorted(relation.text for relation in self._made.get(id(each), ()))

    def features(self, each: PlacedDraft) -> list[str]:
        """Return the Features that a file names above an item, as they are written, the best first."""
        if each.type == ItemType.TASK:
            return []
        draft, parent = each.draft, each.parent
        above = each.lost_parent if parent is None else parent.draft.key or title_of(parent.draft)
        found = [above, draft.feature]
        for tag in draft.tags if self._has_epic_tags else ():
            named = self._hierarchy.named(tag)
            if named is not None and named.type == ItemType.FEATURE and named is not each:
                found.append(tag)
        return [*dict.fromkeys(filter(None, found))]

    def _named(self, each: PlacedDraft) -> Iterator[DraftRelation]:
        yield from (DraftRelation(RelationType.PARENT.value, text) for text in self.features(each))
        for link in each.draft.links:
            if word := word_of(link):
                yield DraftRelation(word, link.target)

    def _is_planned(self, each: PlacedDraft, relation: DraftRelation, before: Sequence[str] | None) -> bool:
        """Report whether the server has a relation, or will have it, or had it until somebody took it away."""
        item_id, target = self._ids[id(each)], self._id_of(relation.target)
        if target is None:
            return False
        if before is not None and relation.text in before:
            return True
        if relation.word == RelationType.PARENT and self._has_own_parent(item_id, target, before or ()):
            self._plan.to_check.append(f"#{item_id}: it has another Feature here than in the file")
            return True
        fault = self._relations.add(item_id, relation.word, target)
        if fault:
            self._plan.warn(each.draft, f"{relation.word} {relation.target} is kept as text: {fault}")
        return not fault

    def _id_of(self, text: str) -> int | None:
        named = self._hierarchy.named(text)
        return self._find(text) if named is None else self._ids.get(id(named))

    def _has_own_parent(self, item_id: int, target: int, before: Sequence[str]) -> bool:
        """Report whether an item has a Feature that no import gave it."""
        now = self._relations.parent_of(item_id)
        imported = [text.partition(" ")[2] for text in before if text.startswith(f"{RelationType.PARENT} ")]
        return not self._overwrite and now not in {None, target, *map(self._id_of, imported)}


def word_of(link: DraftLink) -> str:
    """Return the type of relation of a link, empty for a kind that backlit does not have."""
    return _KINDS.get(link.kind.casefold(), "")
