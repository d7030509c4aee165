"""Characters of several code points in text inputs: typed whole, passed whole and deleted whole."""

import pytest
from tests.store.world import until
from tests.tui.bare_app import BareApp, messages_of, text_of
from tests.tui.widgets.text_dialog import TextDialog
from textual import events
from textual.pilot import Pilot

from backlit.tui.dialogs.dialog import LineInput
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.drawing.input_parser import MAX_PASTE, InputParser
from backlit.tui.widgets.inputs import MAX_PASTED_LINE
from backlit.tui.widgets.multiline_input import PASTE_PART_LENGTH, MultilineInput

FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467"
CHARACTERS = {
    "joined": FAMILY,
    "flag": "\U0001f1e9\U0001f1ea",
    "skin tone": "\U0001f44d\U0001f3fd",
    "mark": "e\u0301",
    "region": "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
}


async def put(pilot: Pilot[None], text: str) -> None:
    """Type a text as a terminal does: each code point is a key."""
    for each in text:
        pilot.app.post_message(events.Key("left_square_bracket" if each == "[" else f"key_{ord(each):x}", each))
    await pilot.pause()


def value_of(line: LineInput | MultilineInput) -> str:
    return line.value if isinstance(line, LineInput) else line.text


@pytest.fixture(params=[LineDialog, TextDialog], ids=["line", "text"])
def dialog(request: pytest.FixtureRequest) -> LineDialog | TextDialog:
    made: LineDialog | TextDialog = request.param("Name") if request.param is LineDialog else request.param()
    return made


@pytest.mark.parametrize("character", CHARACTERS.values(), ids=CHARACTERS)
@pytest.mark.long_but("line-joined", "line-mark", "text-flag")
async def test_a_character_of_several_parts_is_typed_passed_and_deleted_whole(
    dialog: LineDialog | TextDialog, character: str
) -> None:
    async with BareApp().run_test() as pilot:
        pilot.app.push_screen(dialog)
        await pilot.pause()
        await put(pilot, f"a{character}b")
        typed = value_of(dialog.input)
        await pilot.press("left", "left")
        await put(pilot, "x")
        before = value_of(dialog.input)
        await pilot.press("right", "backspace")
        behind = value_of(dialog.input)
        await pilot.press("home")
        await put(pilot, character)
        await pilot.press("home", "delete")

        assert typed == f"a{character}b"
        assert before == f"ax{character}b"
        assert behind == "axb"
        assert value_of(dialog.input) == "axb"


async def test_the_cursor_on_a_joined_character_does_not_take_it_apart(dialog: LineDialog | TextDialog) -> None:
    async with BareApp().run_test() as pilot:
        pilot.app.push_screen(dialog)
        await pilot.pause()
        await put(pilot, f"a{FAMILY}b")
        await pilot.press("left", "left")

        assert f"a{FAMILY}b" in text_of(pilot.app)


async def paste(pilot: Pilot[None], *texts: str) -> None:
    """Paste texts, each as the terminal sends it, and wait for their end."""
    app = pilot.app
    assert isinstance(app, BareApp)
    for text in texts:
        for message in InputParser().feed(f"\x1b[200~{text}\x1b[201~"):
            app.post_message(message)
    await pilot.pause()
    await until(lambda: app.input.is_idle, lambda: text_of(app))


@pytest.mark.slow
async def test_a_text_that_is_pasted_in_parts_is_whole_and_keys_behind_it_wait() -> None:
    text = "\n".join(f"Line {number} of a long text" for number in range(2 * PASTE_PART_LENGTH // 20))
    async with BareApp().run_test() as pilot:
        dialog = TextDialog()
        pilot.app.push_screen(dialog)
        await pilot.pause()
        pilot.app.post_message(events.Paste(text))
        await paste(pilot, "!")

        assert dialog.input.text == f"{text}!"


@pytest.mark.parametrize("length", [MAX_PASTED_LINE + 1, MAX_PASTE + 1])
async def test_a_paste_that_is_too_long_is_refused_with_a_sentence(
    dialog: LineDialog | TextDialog, length: int
) -> None:
    async with BareApp().run_test(notifications=True) as pilot:
        pilot.app.push_screen(dialog)
        await pilot.pause()
        await paste(pilot, "x" * length)
        (message,) = messages_of(pilot.app)

        assert f"{length:,} characters" in message
        assert "Nothing was pasted" in message
        assert value_of(dialog.input) == ""
