"""Short messages: confirmations in the footer, what needs attention in one toast away from the cursor."""

import re
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, places_in
from tests.store.world import until
from tests.tui.bare_app import lines_of, messages_of, said, text_of, words_of_dialog
from tests.tui.list_steps import press, status_line
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.store.files.files import kept_value
from backlit.store.views.preferences import START_PROBLEMS
from backlit.tui.app.app import BacklitApp
from backlit.tui.dialogs.reading import ReadingDialog


async def delete_one(pilot: Pilot[None]) -> str:
    """Delete the item under the cursor and return the footer that says so."""
    await press(pilot, "d", "h", "y")
    await until(lambda: "Deleted" in status_line(pilot), lambda: text_of(pilot.app))
    return status_line(pilot)


async def click_in_footer(pilot: Pilot[None], words: str) -> None:
    lines = lines_of(pilot.app)
    await pilot.click(offset=(lines[-1].index(words), len(lines) - 1))


@pytest.mark.slow
async def test_a_confirmation_is_in_the_footer_beside_the_last_hint(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        footer = await delete_one(pilot)

        assert footer.endswith("  u undo")
        assert "? keys" in footer
        assert not [line for line in lines_of(pilot.app)[:-1] if "Deleted" in line]


async def test_a_confirmation_replaces_a_refusal_and_a_refusal_a_confirmation(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "Z", "u")
        await until(lambda: "is not a command" not in text_of(pilot.app), lambda: text_of(pilot.app))
        confirmed = messages_of(pilot.app)
        await press(pilot, "Z")

        assert confirmed == {"Nothing to undo."}
        assert messages_of(pilot.app) == {"Z is not a command here; ? shows the keys."}


@pytest.mark.slow
async def test_a_click_on_undo_in_the_footer_asks_as_the_key_does(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await delete_one(pilot)
        await click_in_footer(pilot, "undo")

        await until(lambda: isinstance(pilot.app.screen, ReadingDialog), lambda: text_of(pilot.app))


async def test_one_refusal_replaces_the_one_before(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "g", "X", "g", "Y", "g", "Y")

        assert len(messages_of(pilot.app)) == 1
        assert text_of(pilot.app).count("is not a command here") == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "shown"), [("d", "delete permanently"), ("C", "ctrl+s send"), (":", ":command or item number")]
)
async def test_a_refusal_goes_when_a_dialog_or_a_line_opens(store: Store, opened: Open, keys: str, shown: str) -> None:
    async with opened(store, (60, 20)) as pilot:
        await press(pilot, "g", "X")
        before = text_of(pilot.app)
        await press(pilot, *keys)

        assert "command here" in before
        await until(lambda: shown in text_of(pilot.app), lambda: text_of(pilot.app))
        await until(lambda: "command here" not in text_of(pilot.app), lambda: text_of(pilot.app))


async def test_a_refusal_goes_with_its_screen(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        for place in "ib":
            await press(pilot, "g", "X")
            before = text_of(pilot.app)
            await press(pilot, "g", place)

            assert "command here" in before
            await until(lambda: "command here" not in text_of(pilot.app), lambda: text_of(pilot.app))
            assert messages_of(pilot.app) == set()


async def test_an_error_of_the_background_is_shown_once_over_a_dialog(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        pilot.app.notify("Could not save #7.", severity="error")
        for keys in (["d"], ["escape"]):
            await press(pilot, *keys)
            await until(lambda: text_of(pilot.app).count("Could not save #7.") == 1, lambda: text_of(pilot.app))


@pytest.mark.parametrize("keys", [["C"], ["d"], ["c", "n"], ["question_mark"]])
@pytest.mark.long_but("keys0")
async def test_ctrl_c_twice_quits_from_a_dialog(store: Store, opened: Open, keys: list[str]) -> None:
    async with opened(store) as pilot:
        await press(pilot, *keys, "ctrl+c")
        warned = text_of(pilot.app)
        for _ in range(5):
            if pilot.app.is_running:  # the keys are two seconds apart on a busy processor
                await press(pilot, "ctrl+c")

        assert "Press ctrl+c again to quit." in warned
        assert not pilot.app.is_running


async def test_a_toast_leaves_the_row_under_the_cursor_the_heading_and_the_footer_free(
    store: Store, opened: Open
) -> None:
    async with opened(store, (60, 20)) as pilot:
        for key in ("G", "g"):
            await press(pilot, key, *(("g",) if key == "g" else ()))
            await press(pilot, "g", "X")
            lines = lines_of(pilot.app)
            cursor = next(line for line in lines if line.startswith("▌"))

            assert any("is not a command here" in line for line in lines)
            assert "is no command" not in cursor
            assert "Open items" in lines[1]
            assert "? keys" in lines[-1]


@pytest.mark.slow
async def test_the_hints_follow_the_state_of_the_list(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        usual = status_line(pilot)
        await press(pilot, "space")
        await until(lambda: "selected" in status_line(pilot))
        selected = status_line(pilot)
        await press(pilot, "escape", "/", *"zebra", "enter")
        empty = status_line(pilot)

        assert "g  go to…" in usual
        assert "esc  unselect" in selected
        assert "go to…" not in selected
        assert re.split(" {2,}", empty.strip())[:4] == ["a", "add", "#", "go to item"]
        assert not [label for label in ("open", "status", "filter", "change…") if label in empty]


@pytest.mark.slow
async def test_a_click_on_a_chord_in_the_footer_shows_the_keys_that_follow(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await click_in_footer(pilot, "go to…")

        await said(pilot, "gk board")


@pytest.mark.slow
async def test_messages_leave_no_widget_behind(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        counts = []
        for _ in range(5):
            await press(pilot, "g", "X", "g", "k")
            board = len(pilot.app.screen.query("*"))
            await press(pilot, "g", "b", "g", "Y", "g", "Y")
            counts.append((board, len(pilot.app.screen.query("*"))))

        assert counts[-1] == counts[1]


async def test_a_message_does_not_follow_to_a_screen_that_a_later_key_opens(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await pilot.pause()
            app.say("Something is wrong here.", is_bad=True)
            app.say("What a long confirmation, which has no room beside the hints of the footer " * 2)
            await press(pilot, "j")
            before = messages_of(app)
            await press(pilot, "g", "k")

            assert before
            await until(lambda: not messages_of(app), lambda: text_of(app))


async def test_a_confirmation_ends_with_its_screen(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await press(pilot, "u")
            said_at_first = status_line(pilot)
            await press(pilot, "g", "k", "g", "b")

            assert "Nothing to undo." in said_at_first
            assert "Nothing to undo." not in status_line(pilot)


async def test_esc_removes_a_refusal(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await press(pilot, "Z")
            before = messages_of(app)
            await press(pilot, "escape")

            assert before == {"Z is not a command here; ? shows the keys."}
            await until(lambda: not messages_of(app), lambda: text_of(app))


@pytest.mark.slow
async def test_messages_are_read_again_and_say_when(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await press(pilot, "g", "X")
            await press(pilot, ":", *"messages", "enter")
            await until(lambda: isinstance(app.screen, ReadingDialog), lambda: text_of(app))

            assert re.search(r"\d\d:\d\d:\d\d +gX is not a command here", words_of_dialog(app))


@pytest.mark.parametrize("size", [(120, 40), (60, 20)])
async def test_several_faults_at_the_start_are_all_to_be_read(tmp_path: Path, size: tuple[int, int]) -> None:
    faults = ["The theme “x” is unknown.", "The setting “y” is unknown."]
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store, problems=faults)
        async with app.run_test(size=size, notifications=True) as pilot:
            await press(pilot)
            shown = messages_of(app)
            await press(pilot, ":", *"messages", "enter")
            await until(lambda: isinstance(app.screen, ReadingDialog), lambda: text_of(app))

            assert shown == {f"2 faults at the start; :messages shows all. The first: {faults[0]}"}
            assert all(fault in words_of_dialog(app) for fault in faults)
            await until(lambda: kept_value(places_in(tmp_path).journal, START_PROBLEMS) == faults)


async def test_no_message_has_the_sign_of_a_line_break(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        app = BacklitApp(store)
        async with app.run_test(size=(80, 24), notifications=True) as pilot:
            await pilot.pause()
            app.say("One fault.\nAnother fault.", is_bad=True)

            await until(lambda: messages_of(app) == {"One fault. Another fault."}, lambda: messages_of(app))
