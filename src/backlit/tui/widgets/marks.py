"""The ids of marked items, and the range that is open."""

from collections.abc import Iterable, Mapping, Sequence


class Marks:
    """Marks outlive refresh, filter and order, as they are held by id.

    A range is open between `anchor` (a row's id) and the cursor; its rows count as marked, and ending it marks them.
    """

    def __init__(self) -> None:
        self._ids: set[int] = set()
        self.anchor: int | None = None

    def __bool__(self) -> bool:
        return bool(self._ids)

    def __len__(self) -> int:
        return len(self._ids)

    def __contains__(self, item_id: int) -> bool:
        return item_id in self._ids

    def toggle(self, item_id: int) -> None:
        """Mark one, or take its mark off."""
        self._ids ^= {item_id}

    def add(self, item_ids: Iterable[int]) -> None:
        """Mark some more."""
        self._ids.update(item_ids)

    def invert(self, item_ids: Iterable[int]) -> None:
        """Mark those of some that are not, and take the marks off the others; marks elsewhere stay."""
        self._ids.symmetric_difference_update(item_ids)

    def clear(self) -> None:
        """Take all marks off, and forget the range."""
        self._ids.clear()
        self.anchor = None

    def rename(self, ids: Mapping[int, int]) -> None:
        """Follow items whose temporary ids became real ones."""
        for old in self._ids & ids.keys():
            self._ids.remove(old)
            self._ids.add(ids[old])
        if self.anchor is not None:
            self.anchor = ids.get(self.anchor, self.anchor)

    def with_range(self, between: Iterable[int]) -> Sequence[int]:
        """The marked ones and those of the open range, in no particular order."""
        return list(self._ids.union(between))
