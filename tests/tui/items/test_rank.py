"""Ranking by keys: rows and selections move at once, the cursor goes along, and the service has the same order."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, sent, until
from tests.tui.bare_app import heading_of, text_of
from tests.tui.list_steps import items, press, shown
from tests.tui.opened import Open
from tests.tui.target import FakeTarget
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import COMMANDS
from backlit.tui.shell.dispatch import function_of


async def items_of(store: Store) -> list[int]:
    """The open items, tasks left out, in the order of the list."""
    return [row.id for row in await shown(store) if row.type != "Task"]


async def on_service(world: World, ids: list[int]) -> list[int]:
    """The same items in the service's order."""
    page = await world.rival.work_items.page(filter="projectId eq 1", order="BacklogPriority,id", top=1000)
    return [each["id"] for each in page.results if each["id"] in set(ids)]


async def go_to_item(pilot: Pilot[None], store: Store, item_id: int) -> None:
    ids = [row.id for row in await shown(store)]
    await press(pilot, *str(ids.index(item_id) + 1), "G")
    await until(lambda: items(pilot).current_id == item_id)


async def settled(pilot: Pilot[None], store: Store, item_id: int) -> None:
    """Wait until the cursor is on an item where the store has it."""
    ids = [row.id for row in await shown(store)]
    await until(lambda: items(pilot).current_id == item_id and items(pilot).cursor == ids.index(item_id))


@pytest.mark.slow
async def test_five_presses_move_the_row_by_five_and_the_cursor_goes_along(
    world: World, store: Store, opened: Open
) -> None:
    ids = await items_of(store)
    async with opened(store) as pilot:
        await go_to_item(pilot, store, ids[0])
        await press(pilot, *"JJJJJ")
        await settled(pilot, store, ids[0])
        page = items(pilot).top
        down = await items_of(store)
        await press(pilot, "2", "K")
        await settled(pilot, store, ids[0])
        await sent(store)

        assert page == 0
        assert down == [*ids[1:6], ids[0], *ids[6:]]
        assert await items_of(store) == [*ids[1:4], ids[0], *ids[4:]] == await on_service(world, ids)


@pytest.mark.slow
async def test_selected_rows_move_as_one_block_and_u_takes_it_back(world: World, store: Store, opened: Open) -> None:
    ids = await items_of(store)
    async with opened(store) as pilot:
        for each in (ids[4], ids[2]):
            await go_to_item(pilot, store, each)
            await press(pilot, "space")
        await press(pilot, "m", "t")
        first = await items_of(store)
        said = text_of(pilot.app)
        await press(pilot, "u")
        await until(lambda: "moved back" in text_of(pilot.app))
        await sent(store)

        assert first[:3] == [ids[2], ids[4], ids[0]]
        assert "2 items moved as one" in said
        assert await items_of(store) == ids == await on_service(world, ids)


@pytest.mark.slow
async def test_a_place_is_given_as_a_count_or_asked_for(store: Store, opened: Open) -> None:
    ids = await items_of(store)
    async with opened(store) as pilot:
        await go_to_item(pilot, store, ids[0])
        await press(pilot, "3", "m", "#")
        third = await items_of(store)
        await press(pilot, "m", "#", "2", "enter")

        assert third[:3] == [ids[1], ids[2], ids[0]]
        assert (await items_of(store))[:3] == [ids[1], ids[0], ids[2]]


async def test_at_the_end_it_says_so(store: Store, opened: Open) -> None:
    ids = await items_of(store)
    async with opened(store) as pilot:
        await go_to_item(pilot, store, ids[0])
        await press(pilot, "K")
        top = text_of(pilot.app)
        await press(pilot, "m", "e", "J")

        assert "is already at the top" in top
        assert "is already at the bottom" in text_of(pilot.app)


@pytest.mark.slow
async def test_in_another_order_ranking_is_refused_with_the_reason(store: Store, opened: Open) -> None:
    ids = await items_of(store)
    async with opened(store) as pilot:
        await press(pilot, "t", "s", *"Name", "enter", "J")

        assert "sorted by name" in text_of(pilot.app)
        assert await items_of(store) == ids
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_where_the_service_cannot_rank_title_and_message_say_that_it_is_local(world: World, opened: Open) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    store = await world.online("local")
    ids = await items_of(store)
    async with opened(store) as pilot:
        await go_to_item(pilot, store, ids[0])
        await press(pilot, "J")
        said, title = text_of(pilot.app), heading_of(pilot.app)
        await press(pilot, "J")
        moved = await items_of(store)
        await press(pilot, "m", "0")
        await until(lambda: "local order" not in heading_of(pilot.app))

        assert "This server cannot rank" in said
        assert "local order" in title
        assert moved[:3] == [ids[1], ids[2], ids[0]]
        assert await items_of(store) == ids == await on_service(world, ids)


@pytest.mark.slow
async def test_the_order_is_written_to_priority_after_its_difference_was_seen(
    world: World, store: Store, opened: Open
) -> None:
    rows = [row for row in await shown(store) if row.type in {"Story", "Bug"}]
    chosen = [rows[0].id, rows[1].id, rows[2].id]
    async with opened(store) as pilot:
        for each in chosen:
            await go_to_item(pilot, store, each)
            await press(pilot, "space")
        await press(pilot, "m", "w")
        asked = text_of(pilot.app)
        await press(pilot, "y")
        await sent(store)

        written = [(await world.rival.work_items.get(each))["fields"]["Priority"] for each in chosen]
        assert "Priority" in asked
        assert written == [1, 2, 3]


async def test_one_item_alone_makes_no_order(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        with pytest.raises(CannotAct, match="Select two or more items"):
            await function_of("items.rank:write_order")(FakeTarget(store, [2]), CommandContext(COMMANDS[0]))

        assert store.outbox_entries() == ()
