"""The History tab: days, exact values, older pages, the state offline, restored values, and who changed a field."""

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import line_with, lines_of, missing, text_of
from tests.tui.editor_steps import Edit, fields_on, go_to, item_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.history.screen import HistoryScreen


async def shows(pilot: Pilot[None], *words: str) -> None:
    await until(lambda: not missing(pilot.app, words), lambda: text_of(pilot.app))


async def old_story(world: World) -> int:
    """Return a story from before the history."""
    item_id = await item_of(world, "Story")
    world.forget_history(item_id)
    return item_id


async def test_a_day_stands_once_beside_its_latest_event(world: World, store: Store, opened: Open) -> None:
    item_id = await old_story(world)
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Between"})
    await world.rival.work_items.update(item_id, {"Estimate": "21"})
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await shows(pilot, "→ 21")

        lines = lines_of(pilot.app)
        at = next(number for number, line in enumerate(lines) if "▌" in line)
        day, _time, *words = lines[at].lstrip("│▌ ").split()
        assert (day, words[:3]) == ("Today", ["jon", "changed", "Estimate"])
        assert lines[at + 1].lstrip("│ ").split()[1:4] == ["jon", "commented", "Between"]


async def test_the_cursor_passes_over_the_note_between_events(world: World, store: Store, opened: Open) -> None:
    item_id = await old_story(world)
    await world.rival.work_items.update(item_id, {"Estimate": "21"})
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await shows(pilot, "→ 21")

        await pilot.press("j", "j")
        await pilot.pause()
        below = line_with(pilot.app, "▌")
        await pilot.press("g", "g")
        await pilot.pause()

        assert "created" in below
        assert "→ 21" in line_with(pilot.app, "▌")


@pytest.mark.slow
async def test_r_restores_the_value_before_a_change_and_u_takes_that_back(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Name": "Before"})
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Between"})
    await world.rival.work_items.update(item_id, {"Name": "After"})
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await shows(pilot, "Before → After")
        await until(lambda: (item := store.item(item_id)) is not None and item.name == "After")
        assert "restore" in lines_of(pilot.app)[-1]
        await pilot.press("r")
        await until(lambda: (item := store.item(item_id)) is not None and item.name == "Before")
        restored = await fields_on(world, store, item_id)
        newest = (await world.rival.work_items.history(item_id))["results"][0]
        await pilot.press("u")
        await until(lambda: (item := store.item(item_id)) is not None and item.name == "After")
        await sent(store)

        assert restored["Name"] == "Before"
        assert (newest["cause"], newest["fields"]["Name"]) == ("restore", ["After", "Before"])


@pytest.mark.slow
async def test_a_comment_has_no_value_to_restore(world: World, store: Store, opened: Open) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": "Said"})
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await shows(pilot, "commented")
        footer = lines_of(pilot.app)[-1]
        await pilot.press("r")

        assert "copy" in footer
        assert "restore" not in footer
        await shows(pilot, "Nothing to restore here")


@pytest.mark.slow
async def test_older_pages_come_as_the_cursor_nears_the_end(world: World, store: Store, opened: Open) -> None:
    item_id = await old_story(world)
    for number in range(60):
        fields = {"Name": f"Name {number}"} if number % 2 else {"Estimate": str(number)}
        await world.rival.work_items.update(item_id, fields)
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await shows(pilot, "1 of 50", "→ Name 59")
        await pilot.press("G")

        await shows(pilot, "of 61")
        await pilot.press("G")
        await shows(pilot, "The server's history begins on")


@pytest.mark.slow
async def test_the_item_is_beside_its_history_where_that_leaves_it_room(
    world: World, store: Store, opened: Open
) -> None:
    item_id = await item_of(world, "Story")
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await pilot.resize_terminal(160, 40)
        await shows(pilot, "◆ Story · ", "╭─ Details ─", "Owner  ")
        await pilot.resize_terminal(120, 40)

        await until(lambda: "Owner  " not in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_comment_has_a_line_of_the_list_and_is_whole_below_it(world: World, store: Store, opened: Open) -> None:
    item_id = await item_of(world, "Story")
    text = "It works. The second retry does not."
    await world.rival.comments.create({"projectId": 1, "workItemId": item_id, "description": text})
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, item_id))
        await shows(pilot, "It works. …", text)
        lines = lines_of(pilot.app)
        at = next(number for number, line in enumerate(lines) if "It works. …" in line)

        assert not lines[at + 1].strip("│ ")  # another day follows
        assert lines[at + 2].strip("│ ")


@pytest.mark.slow
async def test_a_new_item_has_the_values_that_it_began_with(world: World, store: Store, opened: Open) -> None:
    fields = {"Name": "A seam is open", "Severity": "2 - High"}
    created = await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": fields})
    await store.refresh()
    async with opened(store) as pilot:
        pilot.app.push_screen(HistoryScreen(store, int(str(created["id"]))))
        await shows(pilot, "created", "A seam is open")
        await until(lambda: "Severity" in text_of(pilot.app), lambda: text_of(pilot.app))

        below = text_of(pilot.app).partition("jon created")[2]
        assert "→" not in below
        assert "High" in below


@pytest.mark.slow
async def test_the_editor_says_who_changed_a_field(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Estimate": "21"})
    await world.rival.work_items.update(item_id, {"Name": "Another"})
    await store.refresh()
    async with edit(item_id) as pilot:
        await go_to(pilot, "Estimate")
        await pilot.press("g", "L")
        await shows(pilot, "only Estimate", "→ 21", "jon")
        narrowed = text_of(pilot.app)
        await pilot.press("f", "0")
        await shows(pilot, "changed    Name")

        assert "changed    Name" not in narrowed


async def test_a_field_without_a_change_says_so(world: World, store: Store, edit: Edit) -> None:
    item_id = await old_story(world)
    async with edit(item_id) as pilot:
        await go_to(pilot, "Name")
        await pilot.press("g", "L")

        await shows(pilot, "No change of Name is recorded.")


async def test_without_a_connection_the_tab_says_as_of_when_it_is(world: World, store: Store, opened: Open) -> None:
    item_id = await item_of(world, "Story")
    await world.rival.work_items.update(item_id, {"Estimate": "21"})
    await store.item_history.read(item_id)
    await world.close(store)
    world.faults.is_down = True
    offline = world.store()
    async with opened(offline) as pilot:
        pilot.app.push_screen(HistoryScreen(offline, item_id))

        await shows(pilot, "→ 21", "as of just now")
