"""Commands of the board: its columns and swimlanes, the column of the cursor, and cards moved between columns."""

from dataclasses import replace

from backlit.model.errors import BadRequest
from backlit.tui.board.card_edits import moved_by, over_words
from backlit.tui.board.screen import BoardScreen
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.acts import plan_of
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.view_commands import complete_field, key_named
from backlit.tui.widgets.choice_list import Choice

__all__ = ["collapse", "columns", "complete_field", "lanes", "move", "to_column"]


async def columns(target: BoardScreen, _call: Call) -> None:
    """Pick the field of the columns."""
    arrangement = target.arrangement
    choice = await target.ask(PickDialog("Columns by", arrangement.column_choices(), arrangement.by))
    if choice is not None and choice.value != arrangement.by:
        arrangement.by = str(choice.value)
        arrangement.lanes = "" if arrangement.lanes == arrangement.field.key else arrangement.lanes
        target.board.position.collapsed = {}
        target.show_spec(replace(target.spec, with_done=arrangement.has_status))
        await arrangement.save({})


async def lanes(target: BoardScreen, call: Call) -> None:
    """Set swimlanes by the typed field, else pick one. Raises BadRequest for a field without swimlanes."""
    arrangement = target.arrangement
    offered = arrangement.lane_choices()
    if call.text:
        key = "" if call.text == "none" else key_named(target.store, call.text)
        if key and key not in {each.value for each in offered}:
            raise BadRequest(f"Cannot make swimlanes by {ListNames(target.store).label(key)}. Press tg to choose.")
    else:
        choice = await target.ask(PickDialog("Swimlanes by", [Choice("", "no swimlanes"), *offered], arrangement.lanes))
        if choice is None:
            return
        key = str(choice.value)
    arrangement.lanes = key
    target.show_spec(target.spec)
    await arrangement.save(dict(target.board.position.collapsed))


async def move(target: BoardScreen, call: Call) -> None:
    """Move the cards to other columns, by the argument's sign and the count."""
    steps = int(call.command.argument) * (call.count or 1)
    items, grid, arrangement = target.chosen(), target.board.position.grid, target.arrangement
    act = moved_by(target.store, arrangement.by, grid, steps)
    words = over_words(grid, arrangement.field, plan_of(act, items, target.store.lookups))
    await target.apply(act, items)
    if words:
        target.say(words, is_bad=True)


def to_column(target: BoardScreen, call: Call) -> None:
    """Go to another column, by the argument's sign and the count."""
    position = target.board.position
    wanted = position.column + int(call.command.argument) * (call.count or 1)
    target.board.go_to_column(max(0, min(len(position.grid.columns) - 1, wanted)))


def collapse(target: BoardScreen, _call: Call) -> None:
    """Collapse the column, or open it again."""
    if not target.board.position.toggle_collapsed():
        raise CannotAct("The board has no columns.")
    target.board.regrid()
    target.board.post_message(target.board.Collapsed())
