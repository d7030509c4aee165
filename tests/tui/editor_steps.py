"""What the tests of the editor share."""

import re
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager

from tests.store.world import World, sent, until
from tests.tui.bare_app import text_of
from textual import events
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.editor.screen import ItemEditorScreen

Edit = Callable[..., AbstractAsyncContextManager[Pilot[None]]]
"""Opens the editor of an item, or of a new one of a type."""


async def item_of(world: World, item_type: str) -> int:
    page = await world.rival.work_items.page(filter=f"projectId eq 1 and type eq '{item_type}'", top=1)
    return int(str(page.results[0]["id"]))


async def fields_on(world: World, store: Store, item_id: int) -> dict[str, object]:
    """What the service holds once everything is sent."""
    await sent(store)
    document = await world.rival.work_items.get(item_id)
    fields = document["fields"]
    assert isinstance(fields, dict)
    return fields


def screen_of(pilot: Pilot[None]) -> ItemEditorScreen:
    screen = pilot.app.screen
    assert isinstance(screen, ItemEditorScreen), screen
    return screen


def has_changes(pilot: Pilot[None]) -> bool:
    """Whether the editor counts unsaved changes."""
    return re.search(r"\d changes?\b", text_of(pilot.app)) is not None


async def go_to(pilot: Pilot[None], key: str) -> None:
    screen_of(pilot).form.grid.go_to(key)
    await pilot.pause()


def burst(pilot: Pilot[None], *keys: str) -> None:
    """Keys as a slow line delivers them: all at once."""
    for key in keys:
        pilot.app.post_message(events.Key(key, key if len(key) == 1 else None))


async def save(pilot: Pilot[None]) -> None:
    await pilot.press("ctrl+s")
    await until(lambda: "Saved" in text_of(pilot.app), lambda: text_of(pilot.app))
