"""What others did in the last seconds, which lists show for a while."""

import time
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.store.records.changes import Signal, StoreChange, Subject
from backlit.store.records.others import OthersAct, OthersEdit
from backlit.store.views.lookups import Lookups

SHOWN_SECONDS = 8.0
"""Seconds after which what others did is shown no longer; one timer looks for it, so that it may be twice as many."""
MOST_NAMED = 5
"""Items changed together whose rows say by whom; of more a sentence does."""


class RecentEdit(Struct, frozen=True):
    """An edit with the monotonic time of its arrival; `is_named` where its row says who did it."""

    edit: OthersEdit
    at: float
    is_named: bool


class RecentEdits:
    """Edits of others, noted on the engine's thread and read on any."""

    def __init__(self, lookups: Lookups, signal: Signal, shown_seconds: float = SHOWN_SECONDS) -> None:
        self._lookups = lookups
        self._signal = signal
        self._shown_seconds = shown_seconds
        self._edits: Mapping[int, RecentEdit] = {}
        self._removed: tuple[tuple[RecentEdit, str], ...] = ()
        self._is_waiting = False

    def note(self, edits: Sequence[OthersEdit], names: Mapping[int, str]) -> None:
        """Note edits that are about to be read, with the names of the items that are about to go."""
        now, is_named = time.monotonic(), len(edits) <= MOST_NAMED
        recent = {each.item_id: RecentEdit(each, now, is_named) for each in edits if each.act is not OthersAct.REMOVED}
        gone = [RecentEdit(each, now, is_named) for each in edits if each.act is OthersAct.REMOVED]
        self._edits = {**self._edits, **recent}
        self._removed += tuple((each, names.get(each.edit.item_id, "")) for each in gone)

    def show(self, edits: Iterable[OthersEdit]) -> None:
        """Have screens show noted edits, and take them away after a while."""
        self._publish(each.item_id for each in edits)
        if not self._is_waiting:
            self._is_waiting = True
            import asyncio  # on the engine's thread alone, which has it

            asyncio.get_running_loop().call_later(self._shown_seconds, self._expire)

    @property
    def item_ids(self) -> AbstractSet[int]:
        return self._edits.keys()

    def named_of(self, item_id: int) -> str:
        """Return who did what with an item, as its row says it; nothing where it has only the sign."""
        recent = self._edits.get(item_id)
        if recent is None or not recent.is_named:
            return ""
        name = self._name(recent.edit.user_id)
        return f"{name} moved it" if recent.edit.act is OthersAct.MOVED else f"{name} · now"

    def editor_of(self, item_id: int, key: str) -> str:
        """Return the name of the user who changed a field of an item just now; nothing for nobody."""
        recent = self._edits.get(item_id)
        return self._name(recent.edit.user_id) if recent is not None and key in recent.edit.fields else ""

    @property
    def sentence(self) -> str:
        """What the rows do not say: a deletion, or a change of many items."""
        many = [each for each in (*self._edits.values(), *(each for each, _ in self._removed)) if not each.is_named]
        if many:
            who = {each.edit.user_id for each in many}
            people = self._name(next(iter(who))) if len(who) == 1 else f"{len(who)} people"
            return f"{people} changed {counted(len(many), 'item')}"
        if not self._removed:
            return ""
        last, name = self._removed[-1]
        return f"{self._name(last.edit.user_id)} deleted #{last.edit.item_id} {name}".rstrip()

    def _name(self, user_id: int) -> str:
        person = self._lookups.known_people().get(user_id)
        return person.username if person is not None else f"user {user_id}"

    def _expire(self) -> None:
        self._is_waiting = False
        begin = time.monotonic() - self._shown_seconds
        over = [item_id for item_id, each in self._edits.items() if each.at <= begin]
        self._edits = {item_id: each for item_id, each in self._edits.items() if each.at > begin}
        self._removed = tuple(each for each in self._removed if each[0].at > begin)
        self._publish(over)
        if self._edits or self._removed:
            self.show(())

    def _publish(self, item_ids: Iterable[int]) -> None:
        # Without an id it would be about every row.
        self._signal.publish(StoreChange(Subject.OTHERS, frozenset(item_ids) or frozenset({0})))
