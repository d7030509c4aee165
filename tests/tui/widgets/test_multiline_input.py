"""The input of several lines: lists that go on."""

import pytest
from tests.tui.bare_app import BareApp
from tests.tui.widgets.text_dialog import TextDialog


@pytest.mark.parametrize(
    ("text", "typed", "became"),
    [
        ("- one", "two", "- one\n- two"),
        ("  * one", "two", "  * one\n  * two"),
        ("9. one", "two", "9. one\n10. two"),
        ("- [x] one", "two", "- [x] one\n- [ ] two"),
        ("- one\n- ", "after", "- one\nafter"),
        ("-one", "two", "-one\ntwo"),
        ("one - two", "three", "one - two\nthree"),
    ],
)
async def test_enter_in_a_list_begins_its_next_point(text: str, typed: str, became: str) -> None:
    dialog = TextDialog()
    async with BareApp().run_test() as pilot:
        pilot.app.push_screen(dialog)
        await pilot.pause()
        dialog.input.text = text
        dialog.input.move_cursor(dialog.input.document.end)
        await pilot.press("enter", *typed)
        await pilot.pause()

        assert dialog.input.text == became


async def test_enter_before_a_point_only_breaks_the_line() -> None:
    dialog = TextDialog()
    async with BareApp().run_test() as pilot:
        pilot.app.push_screen(dialog)
        await pilot.pause()
        dialog.input.text = "- one"
        dialog.input.move_cursor((0, 0))
        await pilot.press("enter")
        await pilot.pause()

        assert dialog.input.text == "\n- one"
