"""Commands that filter a list: by values of a field or by a typed query; the way to a match, and back to all items."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import NamedTuple

from backlit.model.errors import BacklitError
from backlit.model.query import Candidate, complete
from backlit.model.query.keys import LINT_KEY, values_of, with_values
from backlit.store.views.view import View
from backlit.tui.commands.command import Call, CannotAct
from backlit.tui.dialogs.pick import PickValuesDialog
from backlit.tui.lists.filter_fields import FILTER_FIELDS, OWNER, STATUS, FilterField, choices_for, chosen_in, counted
from backlit.tui.lists.filtering import filter_list, narrowed
from backlit.tui.lists.target import ListTarget
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import FILTER
from backlit.tui.widgets.item_list import ItemList

FIELD_BY_KEY = {each.key: each for each in FILTER_FIELDS}


async def by_field(target: ListTarget, call: Call) -> None:
    """Pick values of the field that the command's argument names."""
    by = FIELD_BY_KEY[call.command.argument]
    choices = choices_for(target.store, by)
    chosen = chosen_in(choices, values_of(target.shared.now.query, by.key), target.store)
    dialog = PickValuesDialog(f"Filter by {by.label}", f"any {by.label}", choices, chosen)
    target.run_worker(work(_count, target, by, dialog), exclusive=True, group="facets")
    values = await target.ask(dialog)
    if values is not None:
        _set_values(target, by.key, values)


def mine(target: ListTarget, _call: Call) -> None:
    """Show the user's items; again, the items of all."""
    if target.store.lookups.me() is None:
        raise CannotAct("Your user is not known yet. Try again after the first sync.")
    is_mine = [value.casefold() for value in values_of(target.shared.now.query, OWNER.key)] == ["me"]
    _set_values(target, OWNER.key, () if is_mine else ("me",))


def unready(target: ListTarget, _call: Call) -> None:
    """Show the items that are not ready; again, all items."""
    _set_values(target, LINT_KEY, () if values_of(target.shared.now.query, LINT_KEY) else ("any",))


def _set_values(target: ListTarget, key: str, values: Sequence[str]) -> None:
    now = target.shared.now
    filter_list(target, replace(now, query=with_values(now.query, key, tuple(values))))


async def _count(target: ListTarget, by: FilterField, dialog: PickValuesDialog) -> None:
    """Count the values of the items that match the other filters."""
    spec = target.spec
    query = with_values(spec.query, by.key, ())
    rest = replace(spec, query=query, with_done=spec.with_done or by is STATUS, sort=(), group=())
    try:
        facets = await target.store.view(rest).facets(by.field.key)
    except BacklitError:
        return  # the choices stay without counts
    if dialog.is_attached:
        dialog.count(counted(target.store, by, facets))


def open_line(target: ListTarget, call: Call) -> None:
    """Open the filter line, or filter the view by the typed query. Raises BadRequest naming the place of a fault."""
    if call.text:
        filter_list(target, narrowed(target, call.text, target.shared.now.view.spec.query))
    else:
        target.line.begin()


def complete_query(target: ListTarget, text: str, cursor: int) -> Sequence[Candidate]:
    """Return the parts of a query that can stand at the cursor."""
    return complete(text, cursor, target.store.names.vocabulary()) if text.strip() else ()


def clear(target: ListTarget, _call: Call) -> None:
    """Clear every filter but the view's own."""
    now = target.shared.now
    target.shared.now = replace(now.cleared, node=None if target.node else now.node)
    target.line.close()
    target.take_filter()


def unwind(target: ListTarget, _call: Call) -> None:
    """Undo one layer: the filter line, the range, the text, the selection, the query, the node."""
    now, items = target.shared.now, target.items
    if target.line.is_open:
        target.line.leave()
    elif items.selection.end_range():
        return
    elif now.text:
        filter_list(target, replace(now, text=""))
    elif items.selection.clear():
        return
    elif now.is_narrowed:
        filter_list(target, replace(now, query=target.line.before(now)))
    elif target.node is not None:
        filter_list(target, replace(now, node=None))
    else:
        raise CannotAct("Nothing to cancel. Press q to leave.")


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
