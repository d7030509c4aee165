"""Columns of a list: their widths, and the ones that fit."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from backlit.model.fields import Field, Kind
from backlit.model.filters import POINTS
from backlit.store.views.columns import COMPUTED, ColumnWish

NAME_LEAST = 25
"""Cells of the name below which columns are dropped."""
NAME_ENOUGH = 40
"""Cells of the name above which growing columns take half of the rest."""
_WIDTHS: Mapping[Kind, int] = {
    Kind.INTEGER: 5,
    Kind.NUMBER: 6,
    Kind.BOOLEAN: 5,
    Kind.USER: 7,
    Kind.TEAM: 10,
    Kind.AREA: 16,
    Kind.ITERATION: 11,
    Kind.TAGS: 16,
    Kind.CHOICE: 12,
    Kind.ITEM: 16,
}
_USUAL_WIDTH = 12
_LONGEST_TITLE = 12
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})


@dataclass(frozen=True, slots=True)
class Column:
    """A column: field, heading, width in cells; whether it grows, and its order of being dropped."""

    key: str
    title: str
    width: int
    is_number: bool = False
    grows: bool = False
    drop: int = 0


STATUS = Column("Status", "Status", 7)
PTS = Column(POINTS, "Pts", 5, is_number=True)
OWNER = Column("AssignedToID", "Owner", 7)
ITERATION = Column("IterationID", "Iteration", 11)
KNOWN: Mapping[str, Column] = {each.key: each for each in (STATUS, PTS, OWNER, ITERATION)}
"""Columns whose values rows carry, each drawn in its own way."""
USUAL = (
    Column("Status", "Status", 7, drop=3),
    Column(POINTS, "Pts", 5, is_number=True, drop=4),
    Column("AssignedToID", "Owner", 7, drop=2),
    Column("IterationID", "Iteration", 11, drop=1),
)


def column_of(wish: ColumnWish, field: Field | None) -> Column:
    """Return the column of a wish; an empty one for a field that the project does not have."""
    computed = COMPUTED.get(wish.key)
    known = Column(computed.key, computed.title, computed.width) if computed else KNOWN.get(wish.key)
    title = known.title if known else field.label if field else wish.key.removesuffix("_cf")
    kind = field.kind if field else Kind.TEXT
    wide = known.width if known else max(_WIDTHS.get(kind, _USUAL_WIDTH), min(cell_len(title), _LONGEST_TITLE))
    is_number = known.is_number if known else kind in _NUMBERS
    return Column(wish.key, title, wish.width or wide, is_number, wish.grows, wish.drop)


def fitting(columns: Sequence[Column], room: int) -> list[Column]:
    """Return the columns that fit beside the shortest name; growing ones take half of the spare cells."""
    shown = list(columns)
    while shown and room - taken_by(shown) < NAME_LEAST:
        shown.remove(min(shown, key=lambda each: (not each.drop, each.drop, -shown.index(each))))
    growing = sum(each.grows for each in shown)
    if not growing:
        return shown
    more = max(0, room - taken_by(shown) - NAME_ENOUGH) // 2 // growing
    return [_wider(each, more) if each.grows else each for each in shown]


def taken_by(columns: Sequence[Column]) -> int:
    """Return the cells that columns take; a number never touches its neighbour."""
    return sum(each.width + 1 for each in columns) + bool(columns and columns[-1].is_number)


def _wider(column: Column, cells: int) -> Column:
    return Column(column.key, column.title, column.width + cells, column.is_number, column.grows, column.drop)
