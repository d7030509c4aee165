"""The classes of the terminal's width: a screen has them before it is styled."""

import pytest
from tests.tui.bare_app import BareApp
from textual.screen import Screen


class Classes(Screen[None]):
    """Keeps the classes that it has when it is first styled."""

    first: frozenset[str]

    def on_mount(self) -> None:
        self.first = self.classes


class OwnWidths(Classes):
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (80, "-wide")]  # noqa: RUF012 - as Textual declares it


@pytest.mark.parametrize(
    ("screen", "width", "expected"),
    [
        (Classes, 99, "-ruled"),
        (Classes, 100, "-framed"),
        (OwnWidths, 79, "-narrow"),
        (OwnWidths, 80, "-wide"),
    ],
)
async def test_a_screen_has_the_classes_of_the_width_before_it_is_styled(
    screen: type[Classes], width: int, expected: str
) -> None:
    async with BareApp().run_test(size=(width, 24)) as pilot:
        shown = screen()
        await pilot.app.push_screen(shown)
        await pilot.pause()

        assert {each for each in shown.first if each in {"-ruled", "-framed", "-narrow", "-wide"}} == {expected}
        assert shown.classes == shown.first
