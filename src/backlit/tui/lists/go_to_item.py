"""Going to an item of a list: to one that the list may hide, and to the next match of the last search."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from backlit.model.errors import BacklitError, sentence_of
from backlit.store.records.item import Item
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.confirm import Answer, ConfirmDialog
from backlit.tui.lists.filter_commands import clear
from backlit.tui.lists.filter_fields import filter_words
from backlit.tui.lists.filtering import narrowed
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.open import ItemPlace
from backlit.tui.shell.workers import COMMANDS_GROUP, work
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.query_line import FILTER


def go_to_item(target: ListTarget, item_id: int, *, is_offered: bool = True) -> None:
    """Put the cursor on an item once the list is loaded; for a hidden item say why, and offer to show it."""
    target.run_worker(work(_go_to_item, target, item_id, is_offered=is_offered), exclusive=True, group="go-to")


async def _go_to_item(target: ListTarget, item_id: int, *, is_offered: bool) -> None:
    try:
        await target.loaded()
        if not target.items.is_attached or target.items.go_to(item_id):
            return
        item = target.store.item(item_id)
        if item is None:
            target.say(f"Item #{item_id} no longer exists.", is_bad=True)
            return
        if item.id != item_id and target.items.go_to(item.id):
            return
        name = f"#{item.id}" if item.id > 0 else str(item.fields.get("Name") or "")
        usual = target.store.view(ViewSpec(text=name))
        await usual.load()
    except BacklitError as error:
        target.say(sentence_of(error), is_bad=True)
        return
    sentence = _hidden(target, item, is_open=bool(usual.count))
    if is_offered:
        target.run_worker(work(_offer_hidden, target, item, sentence, with_done=not usual.count), group=COMMANDS_GROUP)
    else:
        target.say(f"{sentence} Press # to go to it.")


def _hidden(target: ListTarget, item: Item, *, is_open: bool) -> str:
    spec = target.spec
    name = f"{f'#{item.id} ' if item.id > 0 else ''}“{item.fields.get('Name') or ''}”"
    if item.project_id != target.store.project_id:
        return f"{name} is in another project."
    reasons = filter_words(spec.query) + ([f"/{spec.text}"] if spec.text else [])
    reasons += ["one area or iteration"] if spec.area_ids is not None or spec.iteration_ids is not None else []
    reasons += [] if is_open or spec.with_done else ["open items only"]
    return f"{name} is hidden; the list shows {', '.join(reasons)}."


async def _offer_hidden(target: ListTarget, item: Item, sentence: str, *, with_done: bool) -> None:
    is_here = item.project_id == target.store.project_id
    there = [Answer("c", "Clear the filters and go to it")] if is_here else []
    answers = [*there, Answer("e", "Open it in the editor")]
    key = await target.ask(ConfirmDialog("Hidden item", sentence, answers, "Cancel"))
    if key == "c":
        target.show_spec(replace(target.spec, with_done=target.spec.with_done or with_done))
        clear(target)
        target.item_added(item.id)
    elif key == "e":
        target.open(item.id, ItemPlace.EDITOR)


def step_to_match(target: ListTarget, call: Call) -> None:
    """Go to another match of the last search, by the argument's sign and the count.

    The list may show other items too. A burst of keys adds up to one way.
    """
    typed = next(iter(target.store.typed.lines(FILTER)), "")
    if not typed:
        raise CannotAct("No search yet. Press / to search.")
    steps = int(call.command.argument) * (call.count or 1)
    target.line.steps += steps
    target.run_worker(work(_go_to_match, target, typed, is_down=steps > 0), exclusive=True, group="hits")


async def _go_to_match(target: ListTarget, typed: str, *, is_down: bool) -> None:
    filtering = narrowed(target, typed, target.shared.now.query)
    spec = replace(filtering.over(target.spec, target.store), group=(), alike=(), sort=())
    match = await match_from(target.items, target.store.view(spec), target.line.steps)
    target.line.steps = 0
    if match is None:
        target.say(f"No matches for “{typed}” in this list.", is_bad=True)
    elif target.items.is_attached and target.items.go_to(match.item_id) and match.is_around:
        target.say(f"“{typed}”: continued from the {'top' if is_down else 'bottom'}.")


class Match(NamedTuple):
    """A match; `is_around` is true when the way to it went past an end of the list."""

    item_id: int
    is_around: bool


async def match_from(items: ItemList, view: View, steps: int) -> Match | None:
    """Return the match some steps from the cursor, in the list's order; `view` has all matches. None without one."""
    await view.load()
    order, found = items.ids_between(0, None), frozenset(view.ids())
    here = items.current_id
    if here is None:
        here = next(iter(items.ids_between(items.cursor, items.cursor + 2)), None)
        steps -= 1 if here in found and steps > 0 else 0
    return await asyncio.to_thread(nth_match, order, found, here, steps)


def nth_match(order: Sequence[int], matches: Collection[int], here: int | None, steps: int) -> Match | None:
    """Return the match some steps after an item, before it for negative steps; past one end comes the other."""
    places = [place for place, item_id in enumerate(order) if item_id in matches]
    if not places:
        return None
    at = order.index(here) if here in order else -1
    number = bisect_right(places, at) - 1 + steps if steps >= 0 else bisect_left(places, at) + steps
    return Match(order[places[number % len(places)]], not 0 <= number < len(places))
