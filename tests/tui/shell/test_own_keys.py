"""The keys of a user on the screens."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.tui.bare_app import line_with, said, text_of
from textual.pilot import Pilot

from backlit.model.settings.key_sequences import KeyChange, KeyPreset
from backlit.tui.app.app import BacklitApp
from backlit.tui.commands.keymap import use_keys

OWN = {
    "app.help": KeyChange(("f1",)),
    "app.undo": KeyChange(("U",)),
    "item.assign-me": KeyChange(("ö",)),
    "item.status": KeyChange(()),
    "app.board": KeyChange(("g k", "B")),
}


@pytest.fixture(autouse=True)
def usual_keys() -> Iterator[None]:
    """Leave the usual keys to tests that open no application."""
    yield
    use_keys(KeyPreset.VIM, {})


@asynccontextmanager
async def opened(tmp_path: Path, preset: KeyPreset, keys: dict[str, KeyChange]) -> AsyncIterator[Pilot[None]]:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        app = BacklitApp(store, preset=preset, keys=keys)
        async with app.run_test(size=(140, 40), notifications=True) as pilot:
            await pilot.pause()
            yield pilot


async def test_a_users_keys_act_and_are_named_by_footer_help_and_sentences(tmp_path: Path) -> None:
    async with opened(tmp_path, KeyPreset.VIM, OWN) as pilot:
        before = text_of(pilot.app)
        await pilot.press("s")
        await said(pilot, "f1 shows the keys.")
        await pilot.press("x")
        await said(pilot, "U undo")
        await pilot.press("f1", *"to yourself")
        await said(pilot, "Assign the item to yourself")

        assert "f1 keys" in before.splitlines()[-1].replace("  ", " ")
        assert "ö  take it" in before
        assert line_with(pilot.app, "Assign the item to yourself").count("▌ ö ") == 1


async def test_an_unknown_command_is_told_at_the_start(tmp_path: Path) -> None:
    async with opened(tmp_path, KeyPreset.VIM, {"app.boar": KeyChange(("B",))}) as pilot:
        await said(pilot, "There is no command “app.boar”. Did you mean “app.board”?")


async def test_letters_move_nothing_with_arrows(tmp_path: Path) -> None:
    async with opened(tmp_path, KeyPreset.ARROWS, {}) as pilot:
        await pilot.press("j")
        await said(pilot, "j is not a command here; f1 shows the keys.")


async def test_a_letter_of_another_script_is_the_key_at_its_place_but_in_texts(tmp_path: Path) -> None:
    async with opened(tmp_path, KeyPreset.VIM, {}) as pilot:
        await pilot.press("п", "л")  # the keys of g and k
        await said(pilot, "Not done 2")
        board = type(pilot.app.screen).__name__
        await pilot.press("п", "и", "/", "л")
        await said(pilot, "/л")

        assert board == "BoardScreen"
