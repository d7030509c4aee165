"""What was typed into a dialog's line comes back when the dialog is opened again."""

from pathlib import Path

import pytest
from tests.store.papers import item, offline_store, places_in
from tests.store.test_disk import no_room
from tests.store.test_journal_file import held
from tests.store.world import World, until
from tests.tui.conftest import Open
from tests.tui.editing import burst
from tests.tui.listing import items, press
from tests.tui.stage import Stage, text_of
from tests.tui.test_conflict import contest_names, settling

from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.shell.drafts import RESTORED, StoredLines


@pytest.mark.slow
async def test_a_name_that_was_being_typed_is_restored_after_the_application_ended(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("c", "n", "ctrl+u", *"Half a name")
    async with opened(store) as pilot:
        await press(pilot, "c", "n")

        assert RESTORED in text_of(pilot.app)
        assert "Half a name" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_name_that_was_being_typed_is_not_offered_for_another_item(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("c", "n", "ctrl+u", *"Half a name")
    async with opened(store) as pilot:
        await press(pilot, "j", "c", "n")

        assert "Half a name" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_name_that_was_left_or_taken_is_not_offered_again(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "c", "n", "x", "wait:400", "escape")
        await press(pilot, "c", "n")
        left = text_of(pilot.app)
        await press(pilot, "y", "wait:400", "enter")
        await press(pilot, "c", "n")

        assert RESTORED not in left
        assert RESTORED not in text_of(pilot.app)


@pytest.mark.parametrize("key", ["escape", "enter"])
async def test_a_line_is_not_kept_for_a_change_that_is_noticed_after_the_dialog_closed(
    tmp_path: Path, key: str
) -> None:
    with offline_store(tmp_path) as store:
        kept = StoredLines(store, "name")
        async with Stage().run_test() as pilot:
            dialog = LineDialog("Name", kept=kept)
            pilot.app.push_screen(dialog)
            await pilot.pause()
            dialog.input.value = "Typed"
            dialog.press(key)
            await until(lambda: pilot.app.screen is not dialog)
            kept.write_soon()
            kept.write()
            await kept.flush()
            await pilot.app.workers.wait_for_complete()

        assert store.drafts.find("typed:name") is None


@pytest.mark.slow
async def test_a_new_item_that_was_being_named_is_restored(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("a", "enter", *"A new wish")
    async with opened(store) as pilot:
        await press(pilot, "a", "enter")

        assert RESTORED in text_of(pilot.app)
        assert "A new wish" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_line_that_the_full_disk_refused_is_offered_again_and_taken_when_there_is_room(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            with no_room():
                await pilot.press("c", "n", "ctrl+u", *"Kept in spite", "enter")
                await until(lambda: not app.screen.is_modal)
                await press(pilot)
            await press(pilot, "c", "n")
            offered = text_of(app)
            await press(pilot, "enter")
            await until(lambda: "Kept in spite" in text_of(app), lambda: text_of(app))

            found = store.item(items(pilot).current_id or 0)
            assert RESTORED in offered
            assert found is not None
            assert found.fields["Name"] == "Kept in spite"


@pytest.mark.slow
async def test_a_comment_stays_in_its_dialog_until_the_disk_has_room(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            with no_room():
                await pilot.press("C", *"Long thought about", "ctrl+s")
                await until(lambda: "Your text is kept." in text_of(app), lambda: text_of(app))
            refused = text_of(app)
            await pilot.press("ctrl+s")
            await until(lambda: not app.screen.is_modal, lambda: text_of(app))

            assert "Long thought about" in refused
            assert [each.text for each in store.comments.of_item(1)] == ["Long thought about"]
            await until(lambda: store.drafts.find("comment:1") is None)


@pytest.mark.slow
async def test_a_line_answered_while_the_journal_is_locked_is_written_when_it_is_free(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            with held(places_in(tmp_path).journal):
                burst(pilot, "c", "n", "ctrl+u", *"Waited for", "enter")
                await until(lambda: "has locked the journal" in text_of(app), lambda: text_of(app))
            await until(lambda: "Waited for" in text_of(app), lambda: text_of(app))
            await press(pilot)

            found = store.item(items(pilot).current_id or 0)
            assert found is not None
            assert found.fields["Name"] == "Waited for"
            assert store.drafts.find("typed:field:Name:1") is None


@pytest.mark.slow
async def test_a_value_typed_for_a_conflict_is_restored_after_the_application_ended(
    world: World, store: Store, opened: Open
) -> None:
    await contest_names(world, store)
    async with settling(opened, store) as pilot:
        await pilot.press("e", "ctrl+u", *"Both names")
    async with settling(opened, store) as pilot:
        await pilot.press("e")

        assert RESTORED in text_of(pilot.app)
        assert "Both names" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_path_being_typed_is_restored_after_the_application_ended(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "t", "a", *"/srv/shots")
    async with opened(store) as pilot:
        await press(pilot, "g", "t", "a")

        assert RESTORED in text_of(pilot.app)
        assert "/srv/shots" in text_of(pilot.app)
