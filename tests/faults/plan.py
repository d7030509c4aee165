"""What people do, and take back, from a seed; what they write is written by that act only."""

import random
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

CLASSES = ("1 - Must Have", "2 - Should Have", "3 - Could Have", "4 - Won't Have")


class Deed(StrEnum):
    FIELD = "field"
    SHARED = "shared"
    TAG = "tag"
    COMMENT = "comment"
    ADD = "add"
    TASK = "task"
    SOFT = "soft delete"
    HARD = "delete"


class After(StrEnum):
    """What follows an act at once."""

    NOTHING = ""
    UNDO = "undo"
    REDO = "undo and redo"


class Act(Struct, frozen=True):
    """`on` is an item's id; `made` the number of the act that makes it, where it is new."""

    number: int
    who: str
    deed: Deed
    on: int = 0
    made: int = 0
    key: str = ""
    value: object = None
    after: After = After.NOTHING

    @property
    def item(self) -> tuple[str, int]:
        """The new item that it is done to."""
        return self.who, self.made

    @property
    def text(self) -> str:
        """What only this act writes."""
        return f"{self.who} {self.deed} {self.number}"


OWNED: Mapping[str, tuple[str, ...]] = {
    "maya": ("Estimate", "Description"),
    "jon": ("Priority", "PriorityClass"),
    "ada": ("TargetDate_cf",),
}
"""Fields that only one of them changes; Name is changed by all."""
DELETED = "Deleted"
_DEEDS = {
    Deed.FIELD: 36,
    Deed.SHARED: 4,
    Deed.TAG: 8,
    Deed.COMMENT: 20,
    Deed.ADD: 16,
    Deed.TASK: 9,
    Deed.SOFT: 3,
    Deed.HARD: 4,
}
_UNSURE = frozenset({"Name", "PriorityClass"})
"""What others change too, and what may be so already, which is no act: the act before would be taken back."""
_ON_NEW = frozenset({Deed.SOFT, Deed.HARD})
_AFTER = {After.NOTHING: 80, After.UNDO: 13, After.REDO: 7}


def acts(seed: str, who: str, item_ids: Sequence[int], count: int) -> Iterator[Act]:
    """Stories (`item_ids`) and new ones are edited, commented on, given tasks and deleted.

    What is deleted for good, or was taken back, is left alone from then on.
    """
    chance = random.Random(f"{seed} {who}")
    added: list[int] = []
    soft: set[int] = set()
    for number in range(1, count + 1):
        deed = chance.choices(list(_DEEDS), list(_DEEDS.values()))[0]
        if deed in _ON_NEW and not added:
            deed = Deed.ADD
        is_new = deed in _ON_NEW or (bool(added) and deed not in {Deed.SHARED, Deed.ADD} and chance.random() < 0.5)
        on = 0 if is_new else chance.choice(item_ids)
        made = chance.choice(added[-8:]) if is_new else 0
        key = _key(deed, who, chance)
        after = chance.choices(list(_AFTER), list(_AFTER.values()))[0]
        if key in _UNSURE or (deed is Deed.SOFT and made in soft):
            after = After.NOTHING
        soft |= {made} if deed is Deed.SOFT else set()
        if deed is Deed.HARD:
            added.remove(made)
            after = After.NOTHING if after is After.REDO else after
        elif deed is Deed.ADD and after is not After.UNDO:
            added.append(number)
        act = Act(number, who, deed, on, made, key, after=after)
        yield replace(act, value=_value(act, chance))


def _key(deed: Deed, who: str, chance: random.Random) -> str:
    keys = {Deed.SHARED: "Name", Deed.TAG: "Tags", Deed.SOFT: "Status"}
    return chance.choice(OWNED[who]) if deed is Deed.FIELD else keys.get(deed, "")


def _value(act: Act, chance: random.Random) -> object:
    match act.key:
        case "Priority":
            return act.number
        case "PriorityClass":
            return chance.choice(CLASSES)
        case "Status":
            return DELETED
        case _:
            return act.text
