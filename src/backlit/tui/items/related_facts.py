"""What a preview says of an item's relations: what it waits for, and what is below a Feature."""

from collections.abc import Iterator

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.fields import ItemType
from backlit.model.relations import INVERSES, RelationType
from backlit.model.rollups import Rollup
from backlit.model.statuses import status_word
from backlit.store.records.item import Item, number_of
from backlit.store.store import Store
from backlit.tui.fields.values import user_name
from backlit.tui.widgets.feature_columns import progress_bar

DUPLICATED = INVERSES[RelationType.DUPLICATES]
MAX_NAMED = 3
"""Blockers that are named."""


class RelatedFacts(Struct, frozen=True):
    """What an item waits for and how many duplicate it, in words, and the figures of what is below a Feature."""

    blocked: str = ""
    duplicates: str = ""
    rollup: Rollup | None = None
    blocked_below: int = 0

    def lines(self) -> Iterator[str]:
        """Yield lines on what is below a Feature, and on duplicates."""
        yield from self.below()
        yield from [self.duplicates] if self.duplicates else ()

    def below(self) -> Iterator[str]:
        """Yield lines on what is below a Feature: what is done, what is missing, and the work left."""
        rollup = self.rollup
        if rollup is None or not rollup.items:
            return
        done = f"{rollup.points_done:,.10g} of {counted(rollup.points, 'pt')} · " if rollup.points else ""
        yield f"{progress_bar(rollup.progress)} {done}{rollup.items_done:,} of {counted(rollup.items, 'item')}"
        missing = [f"{rollup.unestimated:,} unestimated"] if rollup.unestimated else []
        missing += [f"{self.blocked_below:,} blocked"] if self.blocked_below else []
        if missing:
            yield " · ".join(missing)
        if rollup.work_remaining:
            yield f"{rollup.work_remaining:g} h left in tasks"


def related_facts(store: Store, item: Item) -> RelatedFacts:
    blocked = ", ".join(_blockers(store, store.relations.open_blockers([item.id]).get(item.id, ())))
    count = sum(each.word == DUPLICATED for each in store.relations.of_item(item.id))
    duplicates = counted(count, "duplicate") if count else ""
    if item.type != ItemType.FEATURE:
        return RelatedFacts(blocked, duplicates)
    below = store.relations.below([item.id])
    rollup = store.relations.roll_ups([item.id]).get(item.id)
    return RelatedFacts(blocked, duplicates, rollup, len(store.relations.open_blockers(below)))


def _blockers(store: Store, blocker_ids: tuple[int, ...]) -> Iterator[str]:
    for item in store.batch.items(blocker_ids[:MAX_NAMED]):
        owner = item.fields.get("AssignedToID")
        facts = [status_word(item.status)] if item.status else []
        facts += [user_name(store, owner)] if isinstance(owner, int) else []
        yield f"{number_of(item.id)} {item.name} ({', '.join(facts)})" if facts else f"{number_of(item.id)} {item.name}"
    if blocker_ids[MAX_NAMED:]:
        yield f"{len(blocker_ids) - MAX_NAMED:,} more"
