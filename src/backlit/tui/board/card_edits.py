"""Edits of cards by their columns: moves between columns, new cards in a column, the order within one."""

from collections import Counter
from collections.abc import Sequence

from msgspec.structs import replace

from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind, Settable
from backlit.model.filters import (
    And,
    AnyTag,
    Comparison,
    Filter,
    In,
    Literal,
    Not,
    Operator,
    Property,
    TagVariable,
    all_of,
)
from backlit.model.statuses import status_word
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec, level_value
from backlit.tui.board.columns import BoardColumn, field_of
from backlit.tui.board.grid import CardGrid
from backlit.tui.fields.field_edits import BulkChange, Changes, DoesNotApply, FieldEdit


def move_between_columns(store: Store, key: str, grid: CardGrid, steps: int) -> FieldEdit:
    field = field_of(store, key)
    columns = grid.columns

    def changes(item: Item) -> Changes:
        here = grid.column_of(item.fields.get(field.key))
        if here is None:
            raise DoesNotApply("It is not on the board.")
        number = _target(columns, here, steps)
        beyond = columns[number + 1 :] if steps > 0 else columns[:number]
        try:
            return {field.key: value_for(store, field, item.type, columns[number])}
        except DoesNotApply as reason:
            if not any(each.takes_cards for each in beyond):
                raise
            raise DoesNotApply(f"{reason} {abs(steps) + 1}{'L' if steps > 0 else 'H'} skips the column.") from None

    words = f"up to {abs(steps)} columns" if abs(steps) > 1 else "one column"
    return FieldEdit(f"{field.label}: {words} {'right' if steps > 0 else 'left'}", (field.key,), changes)


def _target(columns: Sequence[BoardColumn], here: int, steps: int) -> int:
    way = 1 if steps > 0 else -1
    onwards = range(here + way, len(columns) if way > 0 else -1, way)
    taking = [number for number in onwards if columns[number].takes_cards]
    if not taking:
        raise DoesNotApply(f"Already in the {'last' if steps > 0 else 'first'} column.")
    return taking[min(abs(steps), len(taking)) - 1]


def value_for(store: Store, field: Field, item_type: str, column: BoardColumn) -> object:
    """Return the first value of a column that a type has. Raises DoesNotApply without one."""
    if field.kind is not Kind.STATUS:
        return column.first
    allowed = store.lookups.statuses(item_type)
    for value in column.values:
        if value in allowed:
            return value
    article = "An" if item_type[:1] in "AEIOU" else "A"
    names = " or ".join(f"“{status_word(str(value))}”" for value in column.values)
    raise DoesNotApply(f"{article} {item_type.lower()} has no status {names}.")


def limit_warning(grid: CardGrid, field: Field, plan: BulkChange) -> str:
    """Return a warning for each limit that a plan exceeds; an empty text without one."""
    after: Counter[int] = Counter()
    coming: set[int] = set()
    for item_id, changes in plan.changes.items():
        there = grid.column_of(changes[field.key])
        here = grid.column_of(plan.items[item_id].fields.get(field.key))
        after.update({number: step for number, step in ((there, 1), (here, -1)) if number is not None})
        coming |= {there} - {None}  # type: ignore[arg-type] # no number is left out
    passed = []
    for number in sorted(coming):
        column, count = grid.columns[number], grid.totals[number].count + after[number]
        if column.limit is not None and count > column.limit:
            passed.append(f"{column.name} is over its limit: {count:,} of {column.limit:,}.")
    return " ".join(passed)


def column_spec(
    store: Store,
    key: str,
    spec: ViewSpec,
    column: BoardColumn,
    lane: tuple[str, object] | None,
    *,
    around: object = None,
) -> ViewSpec:
    """Return the spec of the cards of a column in a lane, those of the leading iterations alone around one of them."""
    values = tuple(Literal(value) for value in column.values)  # type: ignore[arg-type] # a field's values
    own = In(Property(field_of(store, key).key), values)
    leading = In(Property("IterationID"), tuple(map(Literal, spec.leading))) if spec.leading else None
    beside = leading if leading is None or around in spec.leading else Not(leading)
    parts = (spec.filter, own, None if lane is None else _in_lane(*lane), beside)
    found = all_of([each for each in parts if each is not None])
    return replace(spec, filter=found, group=(), alike=(), leading=frozenset())


def _in_lane(key: str, value: object) -> Filter:
    """Return the filter for the cards of a lane; a lane by tags needs exactly its tags."""
    tags = level_value(key, value)
    if not isinstance(tags, tuple):
        return Not(AnyTag(None)) if key == "Tags" else In(Property(key), (Literal(value),))  # type: ignore[arg-type] # a field's value
    each = [AnyTag(Comparison(Operator.EQ, TagVariable(), Literal(tag))) for tag in tags]
    return And((*each, Not(AnyTag(Not(In(TagVariable(), tuple(map(Literal, tags))))))))


def card_preset(
    store: Store, key: str, item_type: ItemType, column: BoardColumn | None, lane: tuple[str, object] | None
) -> tuple[dict[str, object], list[str]]:
    """Return the values of a new item from its column and lane, and the reasons for missing values."""
    found: dict[str, object] = {}
    reasons: list[str] = []
    own = FIELD_BY_KEY.get(lane[0]) if lane is not None and lane[1] is not None else None
    if lane is not None and own is not None and own.settable is not Settable.NEVER and own.applies_to(item_type):
        value = level_value(*lane)
        found[own.key] = list(value) if isinstance(value, tuple) else value
    if column is None or column.first is None:
        return found, reasons
    field = field_of(store, key)
    if not field.applies_to(item_type):
        reasons.append(f"Added without {field.label.lower()}: a {item_type.lower()} has none.")
        return found, reasons
    try:
        found[field.key] = value_for(store, field, item_type, column)
    except DoesNotApply as reason:
        reasons.append(f"{reason} Added with the default status.")
    return found, reasons
