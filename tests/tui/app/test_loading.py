"""The first load of a large backlog, stopped and gone on with."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from tests.store.documents import places_in
from tests.store.foreign_server import ForeignServer, Quirks
from tests.store.world import until
from tests.tui.bare_app import text_of

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import Offline
from backlit.store import ConnectionState, Store
from backlit.store.engine.engine import Report
from backlit.tui.app.app import BacklitApp
from backlit.tui.plan.screen import PlanScreen


@pytest.mark.slow
async def test_ctrl_c_stops_the_first_load_and_a_refresh_goes_on_with_it(tmp_path: Path) -> None:
    server = ForeignServer(Quirks(cap=20), items=600)
    goes_on = asyncio.Event()

    async def slow(scope: Any, receive: Any, send: Any) -> None:
        if store.connection.done:
            await goes_on.wait()
        await server(scope, receive, send)

    async def connect(_report: Report) -> Client:
        client = Client.inside(slow, TokenCache(tmp_path / "pat.json", server.base), server.base)
        await client.auth.sign_in("pat", "secret")
        return client

    store = Store(places_in(tmp_path), connect)
    store.open()
    app = BacklitApp(store)
    async with app.run_test(size=(120, 40), notifications=True) as pilot:
        await until(lambda: store.connection.state is ConnectionState.LOADING and store.connection.done)
        await pilot.press("g", "p")
        await until(lambda: isinstance(app.screen, PlanScreen))
        planned = text_of(app)
        await pilot.press("g", "b", "g", "q")
        await until(lambda: "The list is still loading." in text_of(app), lambda: text_of(app))
        await pilot.press("ctrl+c")
        goes_on.set()
        await until(lambda: "Loading stopped. Refresh to resume." in text_of(app), lambda: text_of(app))
        stopped = text_of(app)
        await pilot.press("R")
        await until(lambda: " 600 items" in text_of(app), lambda: text_of(app))
    await asyncio.to_thread(store.close)

    assert "Loading …" in planned
    assert not [each for each in ("No iteration", "No velocity", "No open items", "add an item") if each in planned]
    assert " 600 items" not in stopped


async def test_a_key_for_an_item_says_that_the_list_is_loading_before_there_is_one(tmp_path: Path) -> None:
    goes_on = asyncio.Event()

    async def connect(_report: Report) -> Client:
        await goes_on.wait()
        raise Offline("It is gone.")

    store = Store(places_in(tmp_path), connect)
    store.open()
    app = BacklitApp(store)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await pilot.press("s")
        await until(lambda: "The list is still loading. Try again in a moment." in text_of(app), lambda: text_of(app))
        goes_on.set()
    await asyncio.to_thread(store.close)
