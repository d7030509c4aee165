"""What the application itself does: refresh, palette, chords, themes."""

import pytest
from tests.quiet import workers_done
from tests.store.service_items import on_service
from tests.store.world import World, until
from tests.tui.bare_app import lines_of, missing, place_of, text_of
from tests.tui.opened import Open

from backlit.store import Store, ViewSpec
from backlit.tui.editor.screen import ItemEditorScreen
from backlit.tui.widgets.view_list import BacklogList


@pytest.mark.slow
async def test_refreshing_without_a_service_says_why(world: World, store: Store, opened: Open) -> None:
    world.faults.is_down = True
    async with opened(store) as pilot:
        await pilot.press("R")

        await until(lambda: " is unavailable (503)" in text_of(pilot.app), lambda: text_of(pilot.app))
        tried_at, next_try = store.connection.tried_at, store.connection.next_try
        assert tried_at is not None
        assert next_try is not None
        assert tried_at <= next_try


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "head"),
    [("gb", "╭─ Open items"), ("gp", "╭─ Backlog"), ("gi", "  Iteration  "), ("ga", "  Area  ")],
)
async def test_every_place_says_why_nothing_was_loaded_in_a_box_alone_until_it_is(
    world: World, opened: Open, keys: str, head: str
) -> None:
    world.faults.is_down = True
    async with opened(world.store("empty"), (120, 40)) as pilot:
        await until(lambda: "Next try" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press(*keys)
        await until(
            lambda: place_of(pilot.app) in {"Backlog", "Plan", "Iterations", "Areas"}, lambda: text_of(pilot.app)
        )
        await until(lambda: text_of(pilot.app).count("╭") == 1, lambda: text_of(pilot.app))
        assert missing(pilot.app, ["╭─ Nothing loaded yet", "! backlit.local is unavailable (503)."]) == []
        assert missing(pilot.app, [head]) == [head]

        world.faults.is_down = False
        await pilot.press("R")
        await until(lambda: text_of(pilot.app).count("╭") > 1, lambda: text_of(pilot.app))
        await until(lambda: missing(pilot.app, [head]) == [], lambda: text_of(pilot.app))
        assert missing(pilot.app, ["Nothing loaded yet"]) == ["Nothing loaded yet"]


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["gb", "gp", "gi", "ga"])
async def test_every_place_where_nothing_was_loaded_says_so_in_its_heading_and_offers_no_change(
    world: World, opened: Open, keys: str
) -> None:
    world.faults.is_down = True
    async with opened(world.store("empty"), (80, 24)) as pilot:
        await until(lambda: "Next try" in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press(*keys)
        await until(lambda: "not loaded" in lines_of(pilot.app)[1], lambda: text_of(pilot.app))

        assert "╭─ Nothing loaded yet" in text_of(pilot.app)
        assert " ".join(lines_of(pilot.app)[-1].split()) == "g go to… ? keys"


@pytest.mark.slow
async def test_a_report_says_that_there_is_no_project_until_one_is_loaded(world: World, opened: Open) -> None:
    world.faults.is_down = True
    async with opened(world.store("empty"), (120, 40)) as pilot:
        await pilot.press("g", "r")
        await until(lambda: "No project is open yet." in text_of(pilot.app), lambda: text_of(pilot.app))

        world.faults.is_down = False
        await pilot.press("R")
        await until(lambda: "Still open" in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_an_item_found_in_the_palette_is_opened(store: Store, opened: Open) -> None:
    view = store.view(ViewSpec())
    await view.load()
    row = view.rows(3, 4)[0]
    async with opened(store) as pilot:
        await pilot.press("ctrl+p", "#", *str(row.id))
        await until(lambda: row.name[:20] in text_of(pilot.app).split("Palette")[1], lambda: text_of(pilot.app))
        await pilot.press("enter")
        await pilot.pause()

        assert isinstance(pilot.app.screen, ItemEditorScreen)
        assert row.name[:20] in text_of(pilot.app)


@pytest.mark.slow
async def test_a_command_found_in_the_palette_acts_where_it_was_opened(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("ctrl+p", *"iterations", "enter")
        await pilot.pause()

        assert place_of(pilot.app) == "Iterations"


async def test_a_chord_that_leads_nowhere_says_so(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "X")
        await pilot.pause()

        assert "gX is not a command here; ? shows the keys." in text_of(pilot.app)


async def test_what_can_follow_a_chord_is_shown_after_a_while(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("z")
        await until(lambda: not missing(pilot.app, ["zz centre", "zt to top"]), lambda: text_of(pilot.app))
        await pilot.press("escape")
        await pilot.pause()

        assert "zz centre" not in text_of(pilot.app)


async def test_a_message_does_not_lie_over_what_can_follow_a_chord(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await pilot.press("g", "X")
        await pilot.pause()
        await pilot.press("g")
        await until(lambda: not missing(pilot.app, ["gb backlog"]), lambda: text_of(pilot.app))
        await until(lambda: "gX is no command" not in text_of(pilot.app), lambda: text_of(pilot.app))

        assert missing(pilot.app, ["gi iterations", "go outbox", "gP project"]) == []


@pytest.mark.slow
async def test_a_command_with_nothing_to_act_on_says_so(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("/", *"no such item at all", "enter")
        await pilot.pause()
        await pilot.press("s")
        await until(lambda: "There is no item under the cursor." in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_theme_is_worn_while_the_cursor_is_on_it(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("t", "T", *"paper")
        await until(lambda: pilot.app.theme == "paper")
        await pilot.press("escape")
        await pilot.pause()
        assert pilot.app.theme == "backlit"
        await pilot.press("t", "T", *"contrast", "enter")
        await pilot.pause()

        assert pilot.app.theme == "contrast"
        assert 'set theme = "contrast" in config.toml.' in text_of(pilot.app)


@pytest.mark.slow
async def test_leaving_asks_only_while_changes_wait(world: World, store: Store, opened: Open) -> None:
    view = store.view(ViewSpec())
    await view.load()
    world.faults.is_down = True
    async with opened(store) as pilot:
        await store.items.edit([view.rows(0, 1)[0].id], {"Name": "Waits"})
        await pilot.press("q")
        await pilot.pause()
        asked = text_of(pilot.app)
        await pilot.press("enter")
        await pilot.pause()
        stayed = pilot.app.is_running
        await pilot.press("q", "q")
        await pilot.pause()

        assert "1 change is waiting to be sent. It is kept" in " ".join(asked.split())
        assert stayed
        assert pilot.app.return_code == 0


@pytest.mark.slow
async def test_a_refresh_with_a_rivals_changes_keeps_cursor_scroll_and_the_open_editor(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store, (120, 16)) as pilot:
        await pilot.press(*("j",) * 20)
        await pilot.pause()
        backlog = pilot.app.screen.query_one(BacklogList)
        before = (backlog.current_id, backlog.scroll_y)
        item_id = backlog.current_id or 0
        others = [each for each in sorted(await on_service(world)) if each != item_id]
        pilot.app.push_screen(ItemEditorScreen(store, item_id))
        await pilot.pause()

        await world.rival.work_items.update(others[0], {"Name": "Changed by a rival"})
        await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "New"}})
        await store.refresh()
        await workers_done(pilot.app)
        await pilot.pause()
        is_still_open = isinstance(pilot.app.screen, ItemEditorScreen)
        pilot.app.pop_screen()
        await pilot.pause()

        assert is_still_open
        assert (backlog.current_id, backlog.scroll_y) == before
