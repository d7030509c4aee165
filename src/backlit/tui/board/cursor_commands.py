"""Commands that go from column to column of a board, and collapse columns."""

from backlit.tui.board.board_list import BoardList
from backlit.tui.commands.command import Call, CannotAct


def to_column(target: BoardList, call: Call) -> None:
    """Go on by as many columns as the argument's sign and the count say."""
    wanted = target.column + int(call.command.argument) * (call.count or 1)
    target.go_to_column(max(0, min(len(target.grid.columns) - 1, wanted)))


def collapse(target: BoardList, _call: Call) -> None:
    """Collapse the column, or open it again."""
    column = target.shown_column
    if column is None:
        raise CannotAct("There is no column here.")
    target.collapsed[column.first] = target.column not in target.grid.collapsed
    target.regrid(target.current_id)
    target.post_message(target.Collapsed())
