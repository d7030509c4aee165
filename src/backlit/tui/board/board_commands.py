"""Commands on the board as a whole: its columns and swimlanes, and cards moved from column to column."""

from dataclasses import replace
from typing import Protocol

from backlit.model.errors import BadRequest
from backlit.tui.board.arrangement import Arrangement
from backlit.tui.board.axes import column_fields, column_label, lane_choices
from backlit.tui.board.board_list import BoardList
from backlit.tui.board.card_edits import moved_by, over_words
from backlit.tui.commands.command import Call
from backlit.tui.dialogs.pick import PickDialog
from backlit.tui.fields.acts import plan_of
from backlit.tui.fields.names import ListNames
from backlit.tui.lists.target import ListTarget
from backlit.tui.lists.view_commands import complete_field, key_named
from backlit.tui.widgets.choice_list import Choice

__all__ = ["columns", "complete_field", "lanes", "move"]


class BoardTarget(ListTarget, Protocol):
    """The screen of the board."""

    arrangement: Arrangement
    board: BoardList


async def columns(target: BoardTarget, _call: Call) -> None:
    """Pick the field of the columns."""
    store, arrangement = target.store, target.arrangement
    choices = [Choice(key, column_label(store, key)) for key in column_fields(store)]
    choice = await target.ask(PickDialog("Columns by", choices, arrangement.by))
    if choice is not None and choice.value != arrangement.by:
        arrangement.by = str(choice.value)
        arrangement.lanes = "" if arrangement.lanes == arrangement.field.key else arrangement.lanes
        target.board.collapsed = {}
        target.show_spec(replace(target.spec, with_done=arrangement.has_status))
        await arrangement.keep({})


async def lanes(target: BoardTarget, call: Call) -> None:
    """Have swimlanes by the field that was typed, else pick one. Raises BadRequest where there can be none by it."""
    arrangement = target.arrangement
    offered = list(lane_choices(target.store, arrangement.by))
    if call.text:
        key = "" if call.text == "none" else key_named(target.store, call.text)
        if key and key not in {each.value for each in offered}:
            raise BadRequest(
                f"There are no swimlanes by {ListNames(target.store).label(key)}; tg lists those there can be."
            )
    else:
        choice = await target.ask(PickDialog("Swimlanes by", [Choice("", "no swimlanes"), *offered], arrangement.lanes))
        if choice is None:
            return
        key = str(choice.value)
    arrangement.lanes = key
    target.show_spec(target.spec)
    await arrangement.keep(dict(target.board.collapsed))


async def move(target: BoardTarget, call: Call) -> None:
    """Move the cards by as many columns as the argument's sign and the count say."""
    steps = int(call.command.argument) * (call.count or 1)
    items, grid, arrangement = target.chosen(), target.board.grid, target.arrangement
    act = moved_by(target.store, arrangement.by, grid, steps)
    words = over_words(grid, arrangement.field, plan_of(act, items, target.store.lookups))
    await target.apply(act, items)
    if words:
        target.say(words, is_bad=True)
