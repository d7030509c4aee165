"""What was typed into a dialog's line comes back when the dialog is opened again."""

import ast
from collections.abc import Sequence
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.faulty_files import held, no_room
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, line_with, text_of, words_of_dialog
from tests.tui.editor_steps import burst
from tests.tui.items.conflicts import contest_names, settling
from tests.tui.list_steps import items, press
from tests.tui.opened import Open

from backlit import tui
from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.shell.drafts import RESTORED_SENTENCE, StoredLines
from backlit.tui.widgets.item_rows import DRAFT_SIGN


@pytest.mark.slow
async def test_a_name_that_was_being_typed_is_restored_after_the_application_ended(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("c", "n", "ctrl+u", *"Half a name")
    async with opened(store) as pilot:
        await press(pilot, "c", "n")

        assert RESTORED_SENTENCE in text_of(pilot.app)
        assert "Half a name" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_name_that_was_being_typed_is_not_offered_for_another_item(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("c", "n", "ctrl+u", *"Half a name")
    async with opened(store) as pilot:
        await press(pilot, "j", "c", "n")

        assert "Half a name" not in text_of(pilot.app)


LEFT: Sequence[tuple[str, Sequence[str], Sequence[str]]] = (
    ("add", (), ("a", "enter")),
    ("add a task", (), ("A",)),
    ("name", (), ("c", "n")),
    ("estimate", (), ("c", "e")),
    ("description", (), ("c", "d")),
    ("comment", (), ("C",)),
    ("place", (), ("m", "#")),
    ("attach", ("g", "t"), ("a",)),
    ("area", ("g", "a"), ("a",)),
    ("area's name", ("g", "a", "j"), ("c", "n")),
    ("dates", ("g", "i", "j"), ("c", "d")),
    ("capacity", ("g", "i", "j"), ("c", "m")),
    ("sprints", ("g", "i", "j"), ("c", "s")),
)
"""Dialogs that take a text, the keys to their place from the backlog, and the keys that open them there."""


@pytest.mark.slow
@pytest.mark.parametrize(("place", "keys"), [each[1:] for each in LEFT], ids=[each[0] for each in LEFT])
@pytest.mark.long_but("sprints", "area", "comment", "estimate", "attach")
async def test_what_was_typed_into_a_dialog_that_was_left_comes_back_when_it_opens_again(
    store: Store, opened: Open, place: Sequence[str], keys: Sequence[str]
) -> None:
    async with opened(store) as pilot:
        await press(pilot, *place)
        await press(pilot, *keys)
        await press(pilot, "ctrl+u", *"417", "escape")
        is_left = not pilot.app.screen.is_modal
        await press(pilot, *keys)

        assert is_left
        assert "417" in words_of_dialog(pilot.app)
        assert "estored your" in words_of_dialog(pilot.app)


@pytest.mark.slow
async def test_a_name_that_was_taken_or_emptied_is_not_offered_again(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "c", "n", "y", "wait:400", "enter")
        await press(pilot, "c", "n")
        taken = text_of(pilot.app)
        await press(pilot, "z", "escape", "c", "n", "ctrl+u", "escape", "c", "n")

        assert RESTORED_SENTENCE not in taken
        assert RESTORED_SENTENCE not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_text_for_some_items_is_not_offered_for_others(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "space", "space", "c", "n", *"Half a name", "escape")
        await press(pilot, "c", "n")
        same = text_of(pilot.app)
        await press(pilot, "escape", "space", "c", "n")

        assert "Half a name" in same
        assert "Half a name" not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_row_has_a_sign_while_its_item_has_an_unfinished_text(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await press(pilot)
            before = line_with(app, "1 ◆ Item 1")
            await press(pilot, "c", "n", "x", "escape")
            await until(lambda: DRAFT_SIGN in line_with(app, "1 ◆ Item 1"), lambda: text_of(app))
            other = line_with(app, "2 ◆ Item 2")
            await press(pilot, "c", "n", "ctrl+u", "escape")
            await until(lambda: DRAFT_SIGN not in line_with(app, "1 ◆ Item 1"), lambda: text_of(app))

            assert DRAFT_SIGN not in before
            assert DRAFT_SIGN not in other


async def test_a_draft_about_a_new_item_follows_it_to_its_real_id(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        await store.drafts.save("comment:-7", {"text": "Begun"})
        await store.drafts.save("typed:new Task:-7", {"lines": ["A task"]})
        await store.drafts.save("comment:-77", {"text": "Another"})
        await store.files.write(lambda writer: writer.journal.follow({-7: 40}))

        assert store.drafts.find("comment:40") == {"text": "Begun"}
        assert store.drafts.find("typed:new Task:40") == {"lines": ["A task"]}
        assert store.drafts.item_ids() == {40, -77}


@pytest.mark.slow
def test_every_dialog_for_a_line_keeps_what_is_typed() -> None:
    without = [
        f"{path.name}:{call.lineno}"
        for path in sorted(Path(tui.__file__).parent.rglob("*.py"))
        for call in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id in {"LineDialog", "PathDialog"}
        and len(call.args) < 5  # the fifth argument is what keeps it
        and not any(each.arg == "kept" for each in call.keywords)
    ]

    assert [place.partition(":")[0] for place in without] == ["item_commands.py"]  # the number that confirms a deletion


@pytest.mark.parametrize("key", ["escape", "enter"])
async def test_no_change_that_is_noticed_after_a_dialog_closed_alters_what_is_kept(tmp_path: Path, key: str) -> None:
    with offline_store(tmp_path) as store:
        kept = StoredLines(store, "name")
        async with BareApp().run_test() as pilot:
            dialog = LineDialog("Name", kept=kept)
            pilot.app.push_screen(dialog)
            await pilot.pause()
            dialog.input.value = "Typed"
            dialog.press(key)
            await until(lambda: pilot.app.screen is not dialog)
            dialog.input.value = "Noticed later"
            kept.write_soon()
            kept.write()
            await kept.flush()
            await pilot.app.workers.wait_for_complete()

        assert store.drafts.find("typed:name") == ({"lines": ["Typed"]} if key == "escape" else None)


@pytest.mark.slow
async def test_a_new_item_that_was_being_named_is_restored(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("a", "enter", *"A new wish")
    async with opened(store) as pilot:
        await press(pilot, "a", "enter")

        assert RESTORED_SENTENCE in text_of(pilot.app)
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
            assert RESTORED_SENTENCE in offered
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

        assert RESTORED_SENTENCE in text_of(pilot.app)
        assert "Both names" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_path_being_typed_is_restored_after_the_application_ended(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "t", "a", *"/srv/shots")
    async with opened(store) as pilot:
        await press(pilot, "g", "t", "a")

        assert RESTORED_SENTENCE in text_of(pilot.app)
        assert "/srv/shots" in text_of(pilot.app)
