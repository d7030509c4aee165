"""The application over a store, and its editor."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

import pytest
from tests import quiet
from tests.tui.editor_steps import Edit
from tests.tui.opened import Open, leave_tasks_shown
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.editor.screen import ItemEditorScreen


@pytest.fixture
def opened() -> Open:
    @asynccontextmanager
    async def opened(store: Store, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
        await leave_tasks_shown(store)
        async with BacklitApp(store).run_test(size=size, notifications=True) as pilot:
            await pilot.pause()
            yield pilot

    return opened


@pytest.fixture
def edit(opened: Open, store: Store) -> Edit:
    @asynccontextmanager
    async def edit(
        item_id: int | None = None, size: tuple[int, int] = (120, 44), item_type: str = ""
    ) -> AsyncIterator[Pilot[None]]:
        async with opened(store, size) as pilot:
            pilot.app.push_screen(ItemEditorScreen(store, item_id, item_type))
            await pilot.pause()
            yield pilot

    return edit


@pytest.fixture
def every_frame() -> Iterator[None]:
    """Have each frame drawn, for a test that counts what is drawn."""
    with quiet.every_frame():
        yield
