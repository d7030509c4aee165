"""A start: what stands on the screen, and when; with a filled mirror before anything is asked of the network."""

import asyncio
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.sync.first_answers import LIST, PROJECTS, answer_only
from tests.store.world import World, until
from tests.tui.bare_app import text_of
from textual._context import active_app

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import Offline
from backlit.store import ConnectionState, Store
from backlit.store.engine.engine import Report
from backlit.tui.app.app import BacklitApp

ITEMS = [item(number, Name=f"Kept from yesterday {number}") for number in range(1, 90)]

EARLY_MODULES = 194
"""The most modules of ours that the first rows wait for, packages included; all others are imported when first used.

They include what only looks dispensable: the driver of the terminal with its parser of input, which draws the rows; the
private files, which are made before the store opens them; the local times of the service's DateTimes; the frame, which
is drawn around the rows; the settings of connections and keys, which hold from the first key on; what a listing reads
without the store; what the backlog shares with the board; its tree, with the tables of what is below items; and the
room of names.
"""
FIRST_PAINT = """
import sys
from pathlib import Path
import backlit.cli.commands.app
from backlit.store import ProfileFiles, Store
from backlit.tui.app.app import BacklitApp

async def connect(report):
    raise AssertionError("The service is asked before the first rows are painted.")

class PaintedApp(BacklitApp, inherit_bindings=False):
    def on_backlog_screen_painted(self):
        print(*sys.modules)
        self.exit()

store = Store(ProfileFiles(Path(sys.argv[1]), Path(sys.argv[2])), connect)
store.open()
PaintedApp(store).run(headless=True, size=(120, 40))
store.close()
"""


@pytest.mark.slow
def test_few_modules_are_imported_before_the_first_rows(tmp_path: Path) -> None:
    with offline_store(tmp_path, ITEMS):
        pass
    places = places_in(tmp_path)

    command = [sys.executable, "-c", FIRST_PAINT, str(places.mirror), str(places.journal)]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    assert "backlit.tui.backlog.screen" in loaded
    assert sum(name.split(".")[0] == "backlit" for name in loaded) <= EARLY_MODULES


async def test_the_rows_are_painted_before_the_first_thought_of_the_network(tmp_path: Path) -> None:
    with offline_store(tmp_path, ITEMS):
        pass
    seen: list[str] = []

    async def connect(_report: Report) -> Client:
        active_app.set(app)  # this is the thread of the engine
        seen.append(text_of(app))
        raise Offline("There is no service in this test.")

    store = Store(places_in(tmp_path), connect)
    store.open()
    app = BacklitApp(store)
    async with app.run_test(size=(120, 40)):
        await until(lambda: seen)
    store.close()

    assert all(f"Kept from yesterday {number} " in seen[0] for number in range(1, 30))


async def test_the_first_rows_are_painted_before_the_rest_of_a_long_list_is_read(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(number) for number in range(1, 301)]) as store:
        counts: list[int | None] = []

        class WatchedApp(BacklitApp, inherit_bindings=False):
            def on_backlog_screen_painted(self) -> None:
                assert self.navigator.backlog is not None
                assert "Item 30" in text_of(self)
                counts.append(self.navigator.backlog.current_view.count)

        app = WatchedApp(store)
        async with app.run_test(size=(120, 40)):
            await until(lambda: counts)
            await until(lambda: "300 items" in text_of(app), lambda: text_of(app))

    assert counts == [None]


async def test_a_service_that_never_answers_keeps_no_row_from_the_screen(tmp_path: Path) -> None:
    with offline_store(tmp_path, ITEMS):
        pass
    silent = socket.create_server(("127.0.0.1", 0))
    url = f"http://127.0.0.1:{silent.getsockname()[1]}"

    async def connect(_report: Report) -> Client:
        client = Client.at(url, TokenCache(tmp_path / "tokens.json", url))
        await client.auth.sign_in("maya", "lantern")
        return client

    store = Store(places_in(tmp_path), connect)
    store.open()
    app = BacklitApp(store)
    async with app.run_test(size=(120, 40)) as pilot:
        await until(lambda: store.connection.state is ConnectionState.PREPARING)
        await pilot.press("j")
        await until(lambda: re.search(r"▌\D+2 ◆", text_of(app)), lambda: text_of(app))
        shown = text_of(app)
    await asyncio.to_thread(store.close)
    silent.close()

    assert "Kept from yesterday 29 " in shown


async def test_the_top_of_the_backlog_is_shown_before_people_and_places_are_known(world: World) -> None:
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'", top=1)
    name = page.results[0]["fields"]["Name"]
    answer_only(world, PROJECTS, LIST)
    app = BacklitApp(world.store())

    async with app.run_test(size=(120, 40)):
        await until(lambda: text_of(app).count(name[:20]) >= 2, lambda: text_of(app))

        assert "Aurora" in text_of(app)
