"""The items of a file with their types and parents."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from backlit.imports.drafts.draft import Draft, Drafts
from backlit.imports.plan import WITHOUT_TYPE, ImportPlan
from backlit.imports.words.tables import folded, type_named
from backlit.model.fields import NAME_LIMIT, ItemType
from backlit.model.import_mappings import ImportMapping
from backlit.store.records.item import Item


class PlacedDraft(Struct):
    """A draft with its type and its place among the others."""

    draft: Draft
    type: str = ""
    parent: "PlacedDraft | None" = None
    known_parent: int | None = None
    lost_parent: str = ""
    existing: Item | None = None

    @property
    def owner_of_task(self) -> "PlacedDraft | None":
        """The nearest ancestor that is no task."""
        above = self.parent
        while above is not None and above.type == ItemType.TASK:
            above = above.parent
        return above


class Hierarchy:
    """Finds types and parents among all items of a file: their order means nothing."""

    def __init__(self, drafts: Drafts, mapping: ImportMapping, plan: ImportPlan) -> None:
        self._drafts, self._plan = drafts, plan
        self._types = {folded(name): item_type for name, item_type in mapping.types.items()}
        self._by_key: dict[str, PlacedDraft] = {}
        self._by_title: dict[str, list[PlacedDraft]] = {}

    def place(self, existing_parent: Callable[[str], int | None]) -> list[PlacedDraft]:
        """Return all items; `existing_parent` finds the item of the project that has a key."""
        placed = [PlacedDraft(draft) for draft in self._unique()]
        self._index(placed)
        for each in placed:
            self._find_parent(each)
        self._find_circles(placed)
        for each in placed:
            each.type = self._type(each)
        for each in placed:
            self._settle(each, existing_parent)
        return placed

    def named(self, text: str) -> PlacedDraft | None:
        """Return the item of a key, a number or a title that only one has."""
        titled = self._by_title.get(folded(text), ())
        return self._by_key.get(text.casefold()) or (titled[0] if len(titled) == 1 else None)

    def called(self, each: PlacedDraft) -> str:
        title = title_of(each.draft)
        return f"{title} ({each.draft.key})" if each.draft.key else title

    def _unique(self) -> list[Draft]:
        """Return the drafts, each key once: the last row wins."""
        found: dict[str, Draft] = {}
        for number, draft in enumerate(self._drafts.items):
            before = found.get(draft.key) if draft.key else None
            if before is not None and before.title != draft.title:
                self._plan.warn(draft, f"{draft.key} is twice in the file; the last row counts")
            found[draft.key or f"\0{number}"] = draft
        return [*found.values()]

    def _index(self, placed: Sequence[PlacedDraft]) -> None:
        for each in placed:
            self._by_title.setdefault(folded(each.draft.title), []).append(each)
            for key in (each.draft.number, each.draft.key):
                if key:
                    self._by_key[key.casefold()] = each

    def _find_parent(self, each: PlacedDraft) -> None:
        for text in each.draft.parents:
            parent = self.named(text)
            if parent is not None and parent is not each:
                each.parent = parent
                return
        each.lost_parent = each.draft.parents[-1] if each.draft.parents else ""

    def _find_circles(self, placed: Sequence[PlacedDraft]) -> None:
        for each in placed:
            seen, above = {id(each)}, each.parent
            while above is not None:
                if id(above) in seen:
                    self._plan.fault(each.draft, "is its own ancestor: the parents of the file form a circle", "Parent")
                    each.parent = None
                    break
                seen.add(id(above))
                above = above.parent

    def _type(self, each: PlacedDraft) -> str:
        """Return the type by the file's word or tags: `Task` for what says so, `Work` for what may be one."""
        draft = each.draft
        text = draft.type.strip()
        if text:
            own = self._types.get(folded(text)) or (text if self._drafts.format == "backlit" else "")
            found = own if own in set(ItemType) else type_named(text)
            if not found:
                self._plan.warn(draft, f"The type {text!r} is unknown: taken as Story")
            return found or "Story"
        for tag in draft.tags:
            found = type_named(tag)
            if found in {"Feature", "Bug"} and folded(tag) in {"bug", "epic", "defect", "fehler", "feature epic"}:
                return found
        return "Story"

    def _settle(self, each: PlacedDraft, existing_parent: Callable[[str], int | None]) -> None:
        """Turn a word for a type into a type of backlit, by what stands above."""
        draft, word = each.draft, each.type
        is_below_item = each.parent is not None and each.parent.type != "Feature"
        if is_below_item or (word == "Task" and each.parent is not None):
            each.type = ItemType.TASK
        elif each.lost_parent and word in {"Task", "Work"}:
            each.known_parent = existing_parent(each.lost_parent)
            each.type = ItemType.TASK if each.known_parent else ItemType.STORY
            if not each.known_parent:
                self._plan.warn(draft, f"The parent {each.lost_parent} is not in the file: taken as Story")
        elif word == "Task":
            self._plan.warn(draft, f"{draft.type!r} has no parent: taken as Story")
            each.type = ItemType.STORY
        elif word == "Work":
            each.type = ItemType.STORY
        self._plan.types[draft.type or WITHOUT_TYPE, each.type] += 1


def title_of(draft: Draft) -> str:
    """Return a title in one line, cut at a word where it is too long."""
    title = " ".join(draft.title.splitlines()).strip()
    if len(title) <= NAME_LIMIT:
        return title
    return title[: NAME_LIMIT - 1].rsplit(" ", 1)[0] + "…"
