"""Going from one item that was looked for to the next, in a list that may show others too."""

import asyncio
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from typing import NamedTuple

from backlit.store.views.view import View
from backlit.tui.widgets.item_list import ItemList


class Hit(NamedTuple):
    """The end of the way to another hit: the item, and whether it went past an end of the list."""

    item_id: int
    is_around: bool


async def hit_from(items: ItemList, view: View, steps: int) -> Hit | None:
    """The hit so many steps from the cursor, in the list's order; `view` has all hits. None where the list has none."""
    await view.load()
    order, found = items.ids_between(0, None), frozenset(view.ids())
    here = items.current_id
    if here is None:
        here = next(iter(items.ids_between(items.cursor, items.cursor + 2)), None)
        steps -= 1 if here in found and steps > 0 else 0
    return await asyncio.to_thread(nth_hit, order, found, here, steps)


def nth_hit(order: Sequence[int], hits: Collection[int], here: int | None, steps: int) -> Hit | None:
    """The hit so many steps after an item, before it where they are negative; past an end it goes on at the other."""
    places = [place for place, item_id in enumerate(order) if item_id in hits]
    if not places:
        return None
    at = order.index(here) if here in order else -1
    number = bisect_right(places, at) - 1 + steps if steps >= 0 else bisect_left(places, at) + steps
    return Hit(order[places[number % len(places)]], not 0 <= number < len(places))
