"""The fields that columns and swimlanes of a board can stand for."""

from collections.abc import Iterator

from backlit.model.fields import FIELDS
from backlit.model.settings.boards import COLUMN_KINDS, LANE_KINDS, PARENT, RELEASE
from backlit.store.store import Store
from backlit.tui.board.columns import field_of
from backlit.tui.widgets.choice_list import Choice

OFFERED = ("Status", "IterationID", RELEASE, "AssignedToID", "TeamID")
"""What columns can stand for, that is offered first."""


def column_fields(store: Store) -> list[str]:
    """Everything that columns can stand for in the current project."""
    more = [each.key for each in (*FIELDS, *store.lookups.custom_fields()) if each.kind in COLUMN_KINDS]
    return list(dict.fromkeys((*OFFERED, *more)))


def column_label(store: Store, key: str) -> str:
    """Return the field of columns in a word."""
    return "Release" if key == RELEASE else field_of(store, key).label


def lane_choices(store: Store, columns: str) -> Iterator[Choice]:
    """Return the fields that swimlanes can stand for beside the columns."""
    yield Choice("type", "Type")
    column = field_of(store, columns).key
    for each in (*FIELDS, *store.lookups.custom_fields()):
        if each.kind in LANE_KINDS and each.key != column:
            yield Choice(each.key, each.label, "the cards are tasks" if each.key == PARENT else "")
