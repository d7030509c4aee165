"""Commands that move items in the backlog's order: by some rows, to an end, to a place."""

from collections.abc import Awaitable, Callable

from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.store.edits.ranking import MoveResult, refuse_other_orders
from backlit.store.records.item import Item, number_of
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of, with_keys
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.fields.field_edits import Changes, FieldEdit
from backlit.tui.items.item_screen import refuse_too_many
from backlit.tui.items.target import RankTarget
from backlit.tui.shell.drafts import StoredLines

LOCAL_ORDER_NOTE = (
    "This server cannot rank: the order is kept on this machine and is not sent;"
    " [item.rank-write] writes it to Priority."
)


async def step(target: RankTarget, call: CommandContext) -> None:
    ranking = target.store.ranking
    move, end = (ranking.up, "top") if call.command.argument == "up" else (ranking.down, "bottom")
    await _rank(target, lambda view, ids: move(view, ids, call.count or 1), f"at the {end}")


async def to_end(target: RankTarget, call: CommandContext) -> None:
    ranking, end = target.store.ranking, call.command.argument
    await _rank(target, ranking.to_top if end == "top" else ranking.to_bottom, f"at the {end}", call.rows)


async def to_position(target: RankTarget, call: CommandContext) -> None:
    """Move to the place of the count or the typed text, else ask for it. Raises BadRequest for other text."""
    target.store.lookups.need_writer()
    _ordered_view(target)
    text = call.text or (str(call.count) if call.count is not None else None)
    if text is None:
        note, kept = "Counted from 1 at the top.", StoredLines(target.store, f"place:{target.current().id}")
        text = await target.ask(LineDialog("To place", "", _check_place, note=note, kept=kept))
        if text is None:
            return
    fault = _check_place(text)
    if fault:
        raise BadRequest(fault)
    place = int(text)
    await _rank(target, lambda view, ids: target.store.ranking.to_position(view, ids, place), "at that place")


async def write_order(target: RankTarget, call: CommandContext) -> None:
    """Write the order into Priority as 1, 2, 3 and so on, for the selected items or those moved on this machine."""
    target.store.lookups.need_writer()
    chosen = target.chosen_ids(call.rows)
    ids = list(chosen) if len(chosen) > 1 else target.store.ranking.local_ids()
    if not ids:
        raise CannotAct(
            f"Select two or more items; {key_of('item.rank-write')} numbers their Priority in the order of the list."
        )
    refuse_too_many(ids)
    items = [each for each in target.store.batch.items(ids) if each.type != ItemType.TASK]
    able = [each.id for each in items if FIELD_BY_KEY["Priority"].applies_to(each.type)]
    places = {item_id: place for place, item_id in enumerate(able, 1)}

    def changes(item: Item) -> Changes:
        return {"Priority": places[item.id]}

    await target.apply(FieldEdit("Priority by order", ("Priority",), changes, is_repeatable=False), items)


async def forget_order(target: RankTarget, _call: CommandContext) -> None:
    """Drop the order that is kept on this machine."""
    if not target.store.project_facts.count_local_positions():
        raise CannotAct("No order is kept on this machine; the list shows the server's order.")
    count = await target.store.ranking.forget()
    target.say(f"The list shows the server's order again; {counted(count, 'item')} had been moved here.")


def _ordered_view(target: RankTarget) -> View:
    view = target.ranked_view()
    try:
        refuse_other_orders(view)
    except BacklitError as refusal:
        raise CannotAct(f"{refusal} {key_of('list.sort')} and {key_of('list.group')} change that.") from None
    return view


async def _rank(
    target: RankTarget, move: Callable[[View, list[int]], Awaitable[MoveResult]], place: str, rows: int | None = None
) -> None:
    target.store.lookups.need_writer()
    view, ids = _ordered_view(target), list(target.chosen_ids(rows))
    refuse_too_many(ids)
    done = await move(view, ids)
    if done.is_first:
        target.say(with_keys(LOCAL_ORDER_NOTE))
    elif not done.count:
        target.say(f"{number_of(ids[0])} is already {place}." if len(ids) == 1 else f"Already {place}.")
    elif done.count > 1:
        target.say(f"{target.store.batch.words(ids)} moved as one. u to undo.")
    else:  # else the footer would still offer the undo of what was done before
        target.say(f"{number_of(ids[0])} moved. u to undo.")


def _check_place(text: str) -> str | None:
    is_number = text.strip().isascii() and text.strip().isdigit() and 0 < int(text) < 10**9
    return None if is_number else "The position must be a number, 1 or more."
