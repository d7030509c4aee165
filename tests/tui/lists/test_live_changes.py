"""Changes of others in a list, as they make them: shown quietly, and never under the keys of the user."""

import asyncio

from tests.store.following import following
from tests.store.world import World, until
from tests.tui.bare_app import lines_of
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import ViewSpec
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.widgets.item_rows import OTHERS_SIGN

WIDE = 160, 40


def line_of(pilot: Pilot[None], words: str) -> str:
    return next((line for line in lines_of(pilot.app) if words in line), "")


async def test_a_row_that_another_changed_says_so(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, WIDE) as pilot:
        row = (await shown(store))[2]

        await world.rival.work_items.update(row.id, {"Name": "Short"})

        await until(
            lambda: OTHERS_SIGN in line_of(pilot, "Short") and "jon · now" in line_of(pilot, "Short"),
            lambda: lines_of(pilot.app),
        )


async def test_a_row_that_the_user_changed_elsewhere_has_no_sign(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, WIDE) as pilot:
        row = (await shown(store))[2]
        elsewhere = await world.client("maya")

        await elsewhere.work_items.update(row.id, {"Name": "Short"})

        await until(lambda: line_of(pilot, "Short"), lambda: lines_of(pilot.app))
        assert OTHERS_SIGN not in line_of(pilot, "Short")
        await elsewhere.aclose()


async def test_a_deletion_is_said_in_the_status_line(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, WIDE) as pilot:
        new = await world.rival.work_items.create({"type": "Story", "projectId": 1, "fields": {"Name": "Brief"}})
        await until(lambda: store.item(new["id"]))

        await world.rival.work_items.delete(new["id"])

        await until(lambda: line_of(pilot, f"jon deleted #{new['id']} Brief"), lambda: lines_of(pilot.app))


async def test_the_cursor_stays_on_its_item_and_its_line(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, WIDE) as pilot:
        await press(pilot, *"jjj")
        rows, item_id = items(pilot), items(pilot).current_id
        first = (await shown(store))[0].id
        line = rows.cursor - rows.top

        await world.rival.work_items.act(first, "rank", {"bottom": True})

        await until(lambda: rows.view is not None and rows.view.index_of(first) not in (None, 0))
        await until(lambda: rows.current_id == item_id)
        assert rows.find_row(item_id or 0) == rows.cursor
        assert rows.cursor - rows.top in {line, line - 1}  # the first page cannot scroll further up


async def test_the_order_waits_while_keys_come_and_values_do_not(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, WIDE) as pilot:
        first, second = (await shown(store))[:2]
        app = pilot.app
        assert isinstance(app, ChordApp)
        app.input.typed_at = asyncio.get_running_loop().time() + 3600.0  # keys that go on coming

        await world.rival.work_items.act(first.id, "rank", {"bottom": True})
        await world.rival.work_items.update(second.id, {"Name": "Short"})

        await until(lambda: line_of(pilot, "Short"), lambda: lines_of(app))
        await until(lambda: all(each.is_finished for each in app.workers if each.group == "view"))
        assert store.view(ViewSpec()).rows(0, 1)[0].id != first.id
        assert [items(pilot).find_row(each.id) for each in (first, second)] == [0, 1]
