"""Items, iterations and values in words that are read aloud."""

from collections.abc import Sequence
from datetime import date

from backlit.model.amounts import counted, points_of
from backlit.model.fields import Field, ItemType, Kind
from backlit.model.planning import Capacity, PlannedLoad
from backlit.store.field_words import FieldWords
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item, ItemRow
from backlit.store.records.people import IterationEntry, TreeKind, current, following
from backlit.store.store import Store

PART_LINES = 20
"""Lines of a long text that are read at once."""
_RELATED = {"Parent": "Feature", "Child": "Below it", "Related": "Related to"}
"""Words for relations that differ from their names."""
_DESCRIBED = {"Status", "AssignedToID", "TeamID", "AreaID", "IterationID", "Estimate", "Tags"}


def number_of(item_id: int) -> str:
    return f"number {id_of(item_id)}"


class SpokenWords:
    """Words for what the store holds."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._fields = FieldWords(store)

    def item(self, item: Item) -> str:
        return f"{number_of(item.id)}, {item.type}, {item.name}."

    def row(self, row: ItemRow) -> str:
        return (
            f"{number_of(row.id)}, {row.type}, {self._points(row.estimate)}, {row.status or 'no status'}, {row.name}."
        )

    def _points(self, estimate: str | None) -> str:
        points = points_of(estimate)
        return (estimate or "not estimated") if points is None else counted(points, "point")

    def fields(self, item: Item, fields: Sequence[Field]) -> str:
        """Return the fields that describe an item; an empty one that a question may be about is named too."""
        parts = [self.field(field, item.fields.get(field.key)) for field in fields if field.key in _DESCRIBED]
        return " ".join(f"{part}." for part in parts if part)

    def related(self, item: Item) -> list[str]:
        """Return a sentence for the item of a task, for each relation, and for each acceptance criterion."""
        relations = self._store.relations.of_item(item.id)
        ends = [(_RELATED.get(each.word, each.word.capitalize()), each.other_id) for each in relations]
        if item.type == ItemType.TASK and isinstance(parent_id := item.fields.get("ParentID"), int):
            ends.insert(0, ("Task of", parent_id))
        found = []
        for words, other_id in ends:
            other = self._store.item(other_id)
            name = "" if other is None else f", {other.type}, {other.status or 'no status'}, {other.name}"
            found.append(f"{words} {number_of(other_id)}{name}.")
        criteria = self._store.criteria.of_item(item.id)
        return [*found, *(f"Criterion {each.status_words}: {each.title}." for each in criteria)]

    def field(self, field: Field, value: object) -> str:
        is_empty = value in (None, "", [])
        if field.key == "Estimate":
            return self._points(str(value)).capitalize() if not is_empty else "Not estimated"
        if is_empty or (field.kind is Kind.ITERATION and value == self._root_iteration()):
            return f"No {field.label.lower()}"
        return f"{field.label} {self.value(field, value)}"

    def value(self, field: Field, value: object) -> str:
        if field.kind is Kind.ITERATION and value == self._root_iteration():
            return "backlog"
        if field.kind is Kind.ITERATION and isinstance(value, int):
            found = self._store.lookups.iterations().get(value)
            return found.name if found else f"number {value}"
        if field.kind is Kind.AREA and isinstance(value, int):
            tree = self._store.lookups.tree(TreeKind.AREAS)
            _, _, below = tree.path(value).partition("\\") if value in tree else ("", "", str(value))
            return below.replace("\\", ", ") or tree.path(value)
        return self._fields.written(field, value).replace("–", "none")

    def _root_iteration(self) -> int | None:
        roots = self._store.lookups.tree(TreeKind.ITERATIONS).roots
        return roots[0].id if roots else None

    def person(self, user_id: int | None) -> str:
        person = self._store.everybody.person(user_id) if user_id is not None else None
        return "unassigned" if user_id is None else person.username if person else f"user {user_id}"

    def iteration(self, iteration: IterationEntry) -> str:
        """Return a name with what one has to know to choose it: when it is, and how full."""
        targets, today = self._store.plan.iterations.targets(), self._store.today()
        parts = [iteration.name]
        if iteration in current(targets, today):
            parts += ["current", f"ends {_ahead(today, iteration.end)}"]
        elif iteration in following(targets, today):
            parts.append("next")
        load = self._store.plan_preview.loads_now([iteration.id])[iteration.id]
        return ", ".join([*parts, load_of(load, iteration.capacity)])


def load_of(load: PlannedLoad, capacity: Capacity) -> str:
    """Return points and capacity, and what is missing or too much."""
    if not (capacity.least or capacity.most):
        return counted(load.points, "point")
    if not capacity.most:
        room = f"at least {counted(capacity.least or 0.0, 'point')}"
    else:
        room = f"{capacity.least:g} to {counted(capacity.most, 'point')}" if capacity.least else f"{capacity.most:g}"
    over, below = capacity.over(load.points), (capacity.least or 0.0) - load.points
    more = f", {over:g} over" if over else f", {below:g} below" if below > 0 else ""
    return f"{load.points:g} of {room}{more}"


def dates_of(iteration: IterationEntry) -> str:
    if iteration.start is None or iteration.end is None:
        return "without dates"
    return f"{_day(iteration.start)} to {_day(iteration.end)}"


def _ahead(today: date, day: date | None) -> str:
    if day is None:
        return "on no day"
    days = (day - today).days
    return {0: "today", 1: "tomorrow"}.get(days, _day(day))


def _day(day: date) -> str:
    return f"{day.day} {day:%B}"
