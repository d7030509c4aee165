"""Steps in the reports of an application."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.store.world import until
from tests.tui.bare_app import missing, text_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store


@asynccontextmanager
async def reports_of(opened: Open, store: Store, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
    async with opened(store, size) as pilot:
        await pilot.press("g", "r")
        await shown(pilot, "history of the server")
        yield pilot


async def shown(pilot: Pilot[None], *parts: str) -> None:
    await until(lambda: missing(pilot.app, parts) == [], lambda: text_of(pilot.app))
