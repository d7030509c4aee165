"""The lines around the panes, where it is tight."""

from tests.tui.stage import Stage, lines_of
from textual.app import ComposeResult
from textual.screen import Screen

from backlit.tui.widgets.side_lines import SidesLine


class Lines(Screen[None]):
    """A status line."""

    def compose(self) -> ComposeResult:
        line = SidesLine()
        line.say([(" 2 of 259", "muted"), ("  The service cannot be reached.", "conflict")], [("  ? keys", "muted")])
        yield line


async def shown_at(width: int) -> str:
    async with Stage().run_test(size=(width, 3)) as pilot:
        pilot.app.push_screen(Lines())
        await pilot.pause()
        return lines_of(pilot.app)[0]


async def test_a_sentence_that_hardly_fits_is_cut_with_a_sign() -> None:
    assert await shown_at(34) == " 2 of 259  The service ca…  ? keys"


async def test_a_scrap_of_a_sentence_is_not_shown_at_all() -> None:
    assert await shown_at(26) == " 2 of 259           ? keys"
