"""The first line of the screens: places as tabs, and the state of the project."""

import re
import time
from pathlib import Path

import orjson
import pytest
from tests.quiet import rest
from tests.store.documents import item, offline_store
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, lines_of, place_of, text_of, title_of
from tests.tui.list_steps import press, shown
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.trees import NodeTotals
from backlit.store import Store
from backlit.tui.shell.status_text import TitleLine, totals_words


async def click(pilot: Pilot[None], word: str) -> None:
    await pilot.click(pilot.app.screen.query_one(TitleLine), offset=(title_of(pilot.app).index(word) + 1, 0))
    await rest(pilot)


@pytest.mark.parametrize(
    ("keys", "place"),
    [("", "Backlog"), ("gk", "Board"), ("gp", "Plan"), ("gi", "Iterations"), ("ga", "Areas"), ("gh", "Inbox")],
)
@pytest.mark.long_but("Backlog", "Plan")
async def test_title_marks_the_tab_of_the_screen_by_more_than_colour(
    store: Store, opened: Open, keys: str, place: str
) -> None:
    async with opened(store) as pilot:
        await press(pilot, *keys)

        assert place_of(pilot.app) == place


@pytest.mark.slow
async def test_title_adds_a_tab_for_an_open_item(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "g", "k", "enter")

        assert place_of(pilot.app).startswith("#")
        assert "Board" in title_of(pilot.app)


@pytest.mark.slow
async def test_a_click_on_a_tab_goes_to_the_place_also_from_a_screen_over_it(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await click(pilot, "Iterations")
        there = place_of(pilot.app)
        await click(pilot, "Inbox")
        over = place_of(pilot.app)
        await click(pilot, "Backlog")

        assert (there, over, place_of(pilot.app)) == ("Iterations", "Inbox", "Backlog")


@pytest.mark.slow
async def test_a_narrow_title_keeps_the_current_tab_and_the_outage_and_the_footer_what_waits(
    world: World, store: Store, opened: Open
) -> None:
    async with opened(store, (40, 20)) as pilot:
        await press(pilot, "g", "i")
        usual = title_of(pilot.app)
        world.faults.is_down = True
        await press(pilot, "g", "b")
        await store.items.edit([(await shown(store))[0].id], {"Estimate": "8"})
        await until(lambda: "offline" in title_of(pilot.app), lambda: text_of(pilot.app))

        assert "Iterations" in usual
        assert place_of(pilot.app) == "Backlog"
        assert "↑ 1 edit" in lines_of(pilot.app)[-1]


async def test_the_tabs_stay_beside_a_screen_without_one_while_a_change_is_sent(tmp_path: Path) -> None:
    app = BareApp()
    with offline_store(tmp_path, [item(1)]) as store:
        await store.items.edit([1], {"Name": "Another"})
        async with app.run_test(size=(74, 24)) as pilot:
            await app.mount(TitleLine(store, "Grooming"))
            await pilot.pause()
            at_first = title_of(app)
            await pilot.resize_terminal(66, 24)
            await pilot.pause()

            assert [word for word in ("Backlog", "Inbox", "Grooming", "↑ 1") if word not in at_first] == []
            assert "pending" not in at_first
            assert title_of(app).split()[:2] == ["lit", "Grooming"]
            assert "↑ 1 pending" in title_of(app)


async def test_offline_the_footer_says_what_is_kept_and_the_way_out(world: World, store: Store, opened: Open) -> None:
    async with opened(store, (120, 30)) as pilot:
        world.faults.is_down = True
        await press(pilot, "R")
        await until(lambda: "! offline  maya" in title_of(pilot.app), lambda: text_of(pilot.app))

        foot = lines_of(pilot.app)[-1]
        assert re.search(r"edits are kept · next try \d\d:\d\d:\d\d   R  try again", foot)
        assert "unavailable" not in foot


async def test_a_narrow_title_leaves_out_the_age_before_the_user(world: World, store: Store, opened: Open) -> None:
    async with opened(store, (88, 24)) as pilot:
        world.faults.is_down = True
        await press(pilot, "R")
        await until(lambda: "! offline" in title_of(pilot.app), lambda: text_of(pilot.app))

        assert "Aurora  ! offline  maya" in title_of(pilot.app)
        assert "synced" not in title_of(pilot.app)


async def test_a_narrow_title_leaves_out_that_the_project_is_synced(store: Store, opened: Open) -> None:
    async with opened(store, (120, 40)) as wide:
        assert "● synced" in title_of(wide.app)
        store.is_local = True
        wide.app.screen.query_one(TitleLine).draw()
        assert "● local" in title_of(wide.app)
    async with opened(store, (60, 20)) as narrow:
        assert "  Aurora" in title_of(narrow.app)
        assert "synced" not in title_of(narrow.app)


@pytest.mark.slow
async def test_a_click_on_the_unsent_changes_shows_them(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        world.faults.is_down = True
        await store.items.edit([(await shown(store))[0].id], {"Estimate": "8"})
        await until(lambda: "1 edit kept" in lines_of(pilot.app)[-1], lambda: text_of(pilot.app))
        foot = pilot.app.size.height - 1
        await pilot.click(offset=(lines_of(pilot.app)[foot].index("1 edit kept"), foot))

        await until(lambda: place_of(pilot.app) == "Outbox", lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_a_start_without_the_server_shows_the_age_of_the_data(tmp_path: Path, opened: Open) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        path = store.files.places.syncing(1)
        path.write_bytes(orjson.dumps({"process": 1, "done": 0, "total": 0, "synced_at": time.time() - 3 * 3600 - 60}))
        async with opened(store) as pilot:
            shown = title_of(pilot.app)

        assert "synced 3h ago" in shown


@pytest.mark.parametrize(
    ("totals", "among", "words"),
    [
        (NodeTotals(1, 5.0), None, " 1 item · 5 pts"),
        (NodeTotals(1, 5.0), 92, " 1 of 92 items · 5 pts"),
        (NodeTotals(1, 1.0), 1, " 1 of 1 item · 1 pt"),
        (NodeTotals(20, 5.0, tasks=3), 92, " 20 of 92 items + 3 tasks · 5 pts"),
        (NodeTotals(0, 0.0, tasks=3), 92, " 3 tasks"),
    ],
)
def test_the_noun_of_what_matches_is_that_of_all(totals: NodeTotals, among: int | None, words: str) -> None:
    assert "".join(word[0] for word in totals_words(totals, among)) == words
