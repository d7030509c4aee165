"""The entries that take back a conversion or a move, with the values that were lost by it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from backlit.store.edits.deletions import is_settable
from backlit.store.edits.items import edit_entry
from backlit.store.mirror.overlay import TOP_KEYS, laid_over
from backlit.store.records.entry import ITEM_PLACES, TARGET_KEY, EntryKind, OutboxEntry, new_entry
from backlit.store.records.item import Document, fields_in, id_in
from backlit.store.records.merge import is_empty, is_same

_ASKED_FOR = (*TOP_KEYS, "ParentID")
"""What a conversion or a move is about, which is taken back in any case."""
_PLACE = ("at", "beside")


class TransformBack:
    """What takes back a conversion or a move. Values that were changed since stay."""

    def __init__(self, shown: Callable[[int], Document | None], followed: Callable[[int], int]) -> None:
        self._shown = shown
        self._followed = followed

    def entries(self, entry: OutboxEntry, along: Sequence[OutboxEntry]) -> Iterator[OutboxEntry]:
        """Yield the way back first, what goes along, and then the edits of what is not back by that."""
        back = self._back(entry)
        yield back
        others = [self._back(each, back.item_id) for each in along]
        others = [each for each in others if self._shown(each.item_id) is not None]
        yield from others
        if entry.kind is EntryKind.MOVE:
            for each in (back, *others):
                yield from self._edits(each)

    def ranks(self, entries: Iterable[OutboxEntry]) -> Iterator[OutboxEntry]:
        """Yield the former places of moved items, as what is taken back; a place is lost by a move."""
        for each in entries:
            if "beside" in each.payload and isinstance(project_id := each.base.get("projectId"), int):
                place = {key: each.payload[key] for key in _PLACE}
                yield new_entry(EntryKind.RANK, project_id, {}, self._followed(each.item_id), place)

    def _back(self, entry: OutboxEntry, target_id: int | None = None) -> OutboxEntry:
        item_id = self._followed(entry.item_id)
        document = self._shown(item_id) or {}
        now = {**fields_in(document), **{key: document.get(key) for key in TOP_KEYS}}
        after = entry.transformed_values
        # What somebody has changed since is not overwritten.
        values = {key: entry.base.get(key) for key, value in after.items() if is_same(now.get(key), value)}
        # A place that was left to the service, as this machine did not know those of the other project, is one there.
        left = [key for key in ITEM_PLACES if key in after and after[key] is None]
        values |= {key: entry.base.get(key) for key in (*_ASKED_FOR, *left) if key in after and key in entry.base}
        parent_id = values.pop("ParentID", None)
        payload: dict[str, object] = {**entry.payload, "values": values, "fields": self._asked(entry, values)}
        for key in (TARGET_KEY, *_PLACE):
            payload.pop(key, None)
        target = parent_id if target_id is None else target_id
        if isinstance(target, int):
            payload[TARGET_KEY] = self._followed(target)
        base = {key: now.get(key) for key in {*values, *after}}
        return new_entry(entry.kind, id_in(document, "projectId"), payload, item_id, base)

    @staticmethod
    def _asked(entry: OutboxEntry, values: Mapping[str, object]) -> dict[str, object]:
        """Return the fields to ask for with the request: those that a conversion lost, the place before a move."""
        wanted = ITEM_PLACES if entry.kind is EntryKind.MOVE else [key for key in values if is_settable(key)]
        found = {key: values.get(key) for key in wanted} if entry.kind is not EntryKind.MOVE_TASK else {}
        return {key: value for key, value in found.items() if not is_empty(value)}

    def _edits(self, back: OutboxEntry) -> Iterator[OutboxEntry]:
        """Yield the edit of what a moved item lost; its base is what the item comes back with."""
        document = self._shown(back.item_id)
        if document is None:
            return
        there = laid_over(document, [back])[0]
        lost = {key: value for key, value in back.transformed_values.items() if is_settable(key)}
        if lost:
            yield edit_entry(back.item_id, {**there, "projectId": back.transformed_values["projectId"]}, lost)
