"""Steps that the tests of lists share."""

from tests.quiet import rest
from tests.store.world import World, sent, until
from tests.tui.bare_app import lines_of, position_of
from textual.pilot import Pilot

from backlit.store import Store, ViewSpec
from backlit.store.records.item import ItemRow
from backlit.tui.widgets.view_list import BacklogList


def items(pilot: Pilot[None]) -> BacklogList:
    return pilot.app.screen.query_one(BacklogList)


async def shown(store: Store, *, with_done: bool = False) -> list[ItemRow]:
    view = store.view(ViewSpec(with_done=with_done))
    await view.load()
    return view.rows(0, 500)


async def press(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    await rest(pilot)


async def go_to(pilot: Pilot[None], store: Store, item_type: str) -> int:
    """Put the cursor on the first open item of a type, with no filter."""
    rows = await shown(store)
    index = next(index for index, each in enumerate(rows) if each.type == item_type)
    await press(pilot, *str(index + 1), "G")
    await until(lambda: items(pilot).current_id == rows[index].id)
    return rows[index].id


async def select(pilot: Pilot[None], store: Store, *item_types: str) -> list[int]:
    """Select the first open item of each type."""
    ids = []
    for item_type in item_types:
        ids.append(await go_to(pilot, store, item_type))
        await press(pilot, "space")
    return ids


async def fields_of(world: World, store: Store, item_id: int) -> dict[str, object]:
    """Return the fields of an item on the service once everything is sent."""
    await sent(store)
    fields = (await world.rival.work_items.get(item_id))["fields"]
    assert isinstance(fields, dict)
    return fields


def status_line(pilot: Pilot[None]) -> str:
    """Return the footer, after the words on the line above it."""
    return f"{position_of(pilot.app)}  {lines_of(pilot.app)[-1]}"


async def group_by(pilot: Pilot[None], *words: str) -> None:
    """Pick one field, or two."""
    if len(words) == 1:
        await press(pilot, "t", "g", *words[0], "enter")
        return
    await press(pilot, "t", "g")
    for word in words:
        await press(pilot, *word, "tab")
    await press(pilot, "enter")
