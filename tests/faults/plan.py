"""What two people do, from a seed: edits, comments and new items, each with a text that only it writes."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

CLASSES = ("1 - Must Have", "2 - Should Have", "3 - Could Have", "4 - Won't Have")


class Deed(StrEnum):
    FIELD = "field"
    SHARED = "shared"
    TAG = "tag"
    COMMENT = "comment"
    ADD = "add"
    TASK = "task"


@dataclass(frozen=True)
class Act:
    """`on` is an item's id; `made` the number of the act that makes it, where it is new."""

    number: int
    who: str
    deed: Deed
    on: int = 0
    made: int = 0
    key: str = ""
    value: object = None

    @property
    def text(self) -> str:
        """What only this act writes."""
        return f"{self.who} {self.deed} {self.number}"


OWNED: Mapping[str, tuple[str, ...]] = {"maya": ("Estimate", "Description"), "jon": ("Priority", "PriorityClass")}
"""Fields that only one of them changes; Name is changed by both."""
_DEEDS = {Deed.FIELD: 40, Deed.SHARED: 4, Deed.TAG: 8, Deed.COMMENT: 22, Deed.ADD: 16, Deed.TASK: 10}


def acts(seed: str, who: str, item_ids: Sequence[int], count: int) -> Iterator[Act]:
    """Stories (`item_ids`) and new ones are edited, commented on and given tasks."""
    chance = random.Random(f"{seed} {who}")
    added: list[int] = []
    for number in range(1, count + 1):
        deed = chance.choices(list(_DEEDS), list(_DEEDS.values()))[0]
        is_new = bool(added) and deed not in {Deed.SHARED, Deed.ADD} and chance.random() < 0.5
        on = 0 if is_new else chance.choice(item_ids)
        made = chance.choice(added[-8:]) if is_new else 0
        key = {Deed.FIELD: chance.choice(OWNED[who]), Deed.SHARED: "Name", Deed.TAG: "Tags"}.get(deed, "")
        act = Act(number, who, deed, on, made, key)
        if deed is Deed.ADD:
            added.append(number)
        yield Act(number, who, deed, on, made, key, _value(act, chance))


def _value(act: Act, chance: random.Random) -> object:
    if act.key == "Priority":
        return act.number
    if act.key == "PriorityClass":
        return chance.choice(CLASSES)
    return act.text
