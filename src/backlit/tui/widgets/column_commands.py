"""Commands that scroll the columns of a list."""

from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.widgets.view_list import BacklogList


def right(target: BacklogList, call: Call) -> None:
    """Let the first columns go out of sight, so that others come in."""
    if not target.columns.scroll(call.count or 1):
        raise CannotAct("There are no more columns at the right; tc chooses others.")


def left(target: BacklogList, call: Call) -> None:
    """Let the columns that went out of sight come back."""
    if not target.columns.scroll(-(call.count or 1)):
        raise CannotAct("These are the first columns.")
