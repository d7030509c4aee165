"""What the service says was changed, sorted by how it is read."""

from collections.abc import Iterable
from typing import Any, Self

from msgspec import Struct

from backlit.store.records.item import whole
from backlit.store.sync.order import RANK

MOST_ITEMS = 500
"""Changed items beyond which a sync reads them by their stamps."""
_GONE = frozenset({"removed", "left"})
_BELOW_ITEMS = frozenset({"comment", "file"})


class FollowedChanges(Struct, frozen=True):
    """The changes of one project: ids of items by what happened, and whether there are others."""

    changed: frozenset[int]
    ranked: frozenset[int]
    gone: frozenset[int]
    is_discussed: bool
    """Comments or files were added."""
    below: frozenset[int]
    """Items whose comments or files were changed or removed."""
    is_more: bool
    """Something else was changed: trees, settings, users, views, or too much."""

    @classmethod
    def of(cls, rows: Iterable[Any], project_id: int) -> Self:
        """Sort the rows of a project and those of the workspace; a row that cannot be read counts as others."""
        changed, ranked, gone, below = set[int](), set[int](), set[int](), set[int]()
        is_discussed = is_more = False
        for row in rows:
            if not isinstance(row, dict):
                is_more = True
                continue
            if row.get("p") not in (None, project_id):
                continue
            kind, act = row.get("k"), row.get("a")
            item_id = whole(row.get("id") if kind == "item" else row.get("item"))
            if kind == "item" and item_id is not None:
                group = gone if act in _GONE else ranked if row.get("f") == [RANK] else changed
                group.add(item_id)
            elif kind in _BELOW_ITEMS and item_id is not None:
                is_discussed = is_discussed or act == "created"
                if act != "created":
                    below.add(item_id)
            else:
                is_more = True
        is_more = is_more or len(changed | ranked | below) > MOST_ITEMS
        return cls(
            frozenset(changed - gone),
            frozenset(ranked - changed - gone),
            frozenset(gone),
            is_discussed,
            frozenset(below - gone),
            is_more,
        )
