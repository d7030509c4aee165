"""The screen of the outbox, opened."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store, ViewSpec


async def story(store: Store) -> int:
    view = store.view(ViewSpec())
    await view.load()
    return next(row.id for row in view.rows(0, 50) if row.type == "Story")


@asynccontextmanager
async def outbox_of(opened: Open, store: Store, size: tuple[int, int] = (100, 30)) -> AsyncIterator[Pilot[None]]:
    async with opened(store, size) as pilot:
        await pilot.press("g", "o")
        await pilot.pause()
        yield pilot
