"""An open editor follows what others do: fields without own text take it, and a field with own text names who."""

import pytest
from tests.store.following import following
from tests.store.world import World, until
from tests.tui.bare_app import text_of
from tests.tui.editor_steps import screen_of
from tests.tui.list_steps import items, press
from tests.tui.opened import Open

from backlit.store import Store
from backlit.tui.editor.screen import ItemEditorScreen


async def test_an_open_editor_says_what_another_changed_under_it(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, (160, 40)) as pilot:
        item_id = items(pilot).current_id
        assert item_id is not None
        await press(pilot, "enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        draft = screen_of(pilot).draft
        draft.set("Name", "Mine")
        screen_of(pilot).form.changed()

        await world.rival.work_items.update(item_id, {"Name": "Theirs", "Estimate": "8"})

        await until(lambda: "≠ jon: Theirs  (g= decides)" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert draft.value("Name") == "Mine"
        assert draft.value("Estimate") == "8"


async def test_who_edits_an_item_is_said_on_its_row_and_in_its_editor(world: World, opened: Open) -> None:
    async with following(world) as store, opened(store, (160, 40)) as pilot:
        item_id = items(pilot).current_id
        assert item_id is not None

        await world.rival.tell_presence(item_id, "Description")

        await until(lambda: "jon is editing this (Description)" in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: "▌ J" in text_of(pilot.app), lambda: text_of(pilot.app))
        await press(pilot, "enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        assert "jon is editing this (Description)." in text_of(pilot.app)


@pytest.mark.slow
async def test_what_the_user_undoes_under_an_open_editor_is_not_ascribed_to_others(store: Store, opened: Open) -> None:
    async with opened(store, (160, 40)) as pilot:
        item_id = items(pilot).current_id
        await press(pilot, "c", "n", *"Renamed", "enter", "enter")
        await until(lambda: isinstance(pilot.app.screen, ItemEditorScreen))
        await press(pilot, "u")
        await until(lambda: "Undone: Name" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert screen_of(pilot).item_id == item_id
        assert screen_of(pilot).draft.value("Name") != "Renamed"
        assert not screen_of(pilot).draft.arrived
