"""Pure: whose tasks stand under their items in the lists of a plan."""

from dataclasses import dataclass, replace

from backlit.model.fields import ItemType
from backlit.model.filters import Comparison, Filter, In, Literal, Not, Operator, Or, Property

_NO_TASK = Comparison(Operator.NE, Property("type"), Literal(ItemType.TASK.value))


@dataclass(frozen=True, slots=True)
class TasksShown:
    """The tasks of all items or of none, but for some items."""

    of_all: bool = False
    but_of: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        """Whether any are shown."""
        return self.of_all or bool(self.but_of)

    def shows(self, item_id: int) -> bool:
        """Whether an item's are."""
        return self.of_all != (item_id in self.but_of)

    def turned(self, item_id: int, *, is_shown: bool) -> "TasksShown":
        """With an item's shown, or hidden."""
        but_of = self.but_of | {item_id} if is_shown != self.of_all else self.but_of - {item_id}
        return replace(self, but_of=but_of)

    def filter(self) -> Filter | None:
        """What is listed by that; None for all."""
        among = In(Property("ParentID"), tuple(map(Literal, sorted(self.but_of))))
        if not self.but_of:
            return None if self.of_all else _NO_TASK
        return Or((_NO_TASK, Not(among) if self.of_all else among))
