"""A name behind `@` is completed by tab in a text of several lines."""

import pytest
from tests.tui.bare_app import BareApp, text_of
from tests.tui.widgets.text_dialog import TextDialog

NAMES = ("maya", "Mara", "jon")


@pytest.mark.parametrize(
    ("typed", "text"),
    [
        ("see @j", "see @jon"),
        ("@MAY", "@MAYa"),
        ("@m", "@mara"),
        ("(@", "(@jon"),
        ("a@j", "a@j"),
        ("@x", "@x"),
        ("j", "j"),
    ],
)
async def test_tab_completes_a_name_behind_the_sign(typed: str, text: str) -> None:
    async with BareApp().run_test() as pilot:
        dialog = TextDialog(NAMES)
        await pilot.app.push_screen(dialog)
        dialog.input.insert(typed)
        await pilot.press("tab")

        assert dialog.input.text == text


async def test_the_rest_of_the_name_is_shown_while_it_is_typed() -> None:
    async with BareApp().run_test() as pilot:
        dialog = TextDialog(NAMES)
        await pilot.app.push_screen(dialog)
        await pilot.press("at", "m", "a", "y")
        await pilot.pause()

        assert "@maya" in text_of(pilot.app)
        assert dialog.input.text == "@may"


async def test_tab_leaves_a_text_whose_name_is_complete() -> None:
    async with BareApp().run_test() as pilot:
        dialog = TextDialog(NAMES)
        await pilot.app.push_screen(dialog)
        dialog.input.insert("@jon")
        await pilot.press("tab")

        assert dialog.input.text == "@jon"
