"""The editor's drafts: what is changed, kept, restored, discarded, and what others change meanwhile."""

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import line_with, lines_of, missing, text_of
from tests.tui.editor_steps import Edit, fields_on, has_changes, item_of, screen_of
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.editor.screen import ItemEditorScreen


@pytest.mark.slow
async def test_the_old_value_typed_again_is_no_change(world: World, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e", *"xy", "escape")
        changed = missing(pilot.app, ["1 change  ctrl+s", "▌~Name"])
        await pilot.press("e", "backspace", "backspace", "escape")

        assert changed == []
        assert not has_changes(pilot)


@pytest.mark.slow
async def test_revert_goes_back_to_what_the_store_has(world: World, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        before = lines_of(pilot.app)
        await pilot.press("e", *" and more", "escape", "g", "u", "j")
        await pilot.pause()

        assert lines_of(pilot.app)[3] == before[3]
        assert not has_changes(pilot)


@pytest.mark.slow
async def test_the_difference_shows_both_values(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")
    item = store.item(item_id)
    assert item is not None

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"[Other]", "escape", "g", "D")
        await pilot.pause()

        assert missing(pilot.app, [f"- {item.fields['Name']}", "+ [Other]"]) == []


async def leave_unsaved(pilot: Pilot[None], answer: str) -> None:
    await pilot.press("e", "ctrl+u", *"Unsaved", "escape", "q")
    await pilot.pause()
    assert missing(pilot.app, ["Not saved: Name."]) == []
    await pilot.press(answer)
    await pilot.pause()


@pytest.mark.slow
async def test_enter_at_the_question_stays_and_loses_nothing(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        await leave_unsaved(pilot, "enter")

        assert screen_of(pilot).draft.changes == {"Name": "Unsaved"}


@pytest.mark.slow
async def test_a_kept_draft_comes_back_and_says_so(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await leave_unsaved(pilot, "k")
        pilot.app.push_screen(ItemEditorScreen(store, item_id))
        await pilot.pause()

        assert missing(pilot.app, ["▌~Name", "Unsaved", "Kept changes from", "gu reverts"]) == []
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_a_discarded_draft_is_gone(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await leave_unsaved(pilot, "d")
        await until(lambda: store.drafts.find(f"edit:{item_id}") is None)

        assert not isinstance(pilot.app.screen, ItemEditorScreen)
        assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_save_at_the_question_saves_and_closes(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await leave_unsaved(pilot, "s")
        await until(lambda: not isinstance(pilot.app.screen, ItemEditorScreen))

        assert (await fields_on(world, store, item_id))["Name"] == "Unsaved"
        assert store.drafts.find(f"edit:{item_id}") is None


@pytest.mark.slow
async def test_going_elsewhere_asks_first(world: World, edit: Edit) -> None:
    async with edit(await item_of(world, "Bug")) as pilot:
        await pilot.press("e", *"!", "escape", "g", "a")
        await pilot.pause()
        asked = missing(pilot.app, ["Not saved: Name."])
        await pilot.press("d")
        await pilot.pause()

        assert asked == []
        assert pilot.app.current_mode == "areas"


async def test_what_is_typed_survives_a_crash_while_it_is_typed(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"Half a na")
        await until(lambda: (store.drafts.find(f"edit:{item_id}") or {}).get("changes") == {"Name": "Half a na"})

        assert screen_of(pilot).form.is_editing


@pytest.mark.slow
async def test_a_draft_is_written_while_somebody_goes_on_typing(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e")
        for _ in range(12):
            await pilot.press("x")
        written = store.drafts.find(f"edit:{item_id}")

        assert written is not None


@pytest.mark.slow
async def test_a_foreign_change_shows_where_nothing_was_touched_and_is_said_where_it_was(
    world: World, store: Store, edit: Edit
) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"Mine", "escape")
        await world.rival.work_items.update(item_id, {"Name": "Theirs", "Estimate": "21"})
        await store.refresh()
        await until(lambda: "server now has: Theirs" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert "≠Name" in text_of(pilot.app)
        assert line_with(pilot.app, "Estimate  ").rstrip(" │").endswith("21")


async def test_quitting_while_a_field_is_open_keeps_what_was_typed(world: World, store: Store, edit: Edit) -> None:
    item_id = await item_of(world, "Bug")

    async with edit(item_id) as pilot:
        await pilot.press("e", "ctrl+u", *"Going")
        await pilot.press("ctrl+c", "ctrl+c")

    assert (store.drafts.find(f"edit:{item_id}") or {})["changes"] == {"Name": "Going"}
