"""What the columns and the swimlanes of a board can stand for, to choose from."""

from collections.abc import Iterator

from backlit.model.boards import COLUMN_KINDS, LANE_KINDS, PARENT, RELEASE
from backlit.model.fields import FIELDS
from backlit.store.store import Store
from backlit.tui.board_columns import field_of
from backlit.tui.dialogs.choice_list import Choice

OFFERED = ("Status", "IterationID", RELEASE, "AssignedToID", "TeamID")
"""What columns can stand for, that is offered first."""


def column_fields(store: Store) -> list[str]:
    """Everything that columns can stand for in the current project."""
    more = [each.key for each in (*FIELDS, *store.custom_fields()) if each.kind in COLUMN_KINDS]
    return list(dict.fromkeys((*OFFERED, *more)))


def column_label(store: Store, key: str) -> str:
    """What columns stand for, in a word."""
    return "Release" if key == RELEASE else field_of(store, key).label


def lane_choices(store: Store, columns: str) -> Iterator[Choice]:
    """What swimlanes can stand for beside the columns."""
    yield Choice("type", "Type")
    column = field_of(store, columns).key
    for each in (*FIELDS, *store.custom_fields()):
        if each.kind in LANE_KINDS and each.key != column:
            yield Choice(each.key, each.label, "the cards are tasks" if each.key == PARENT else "")
