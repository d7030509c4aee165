"""The lines around the panes, where it is tight."""

from tests.tui.stage import Stage, lines_of
from textual.app import ComposeResult
from textual.screen import Screen

from backlit.tui.widgets.side_lines import FooterLine


class Lines(Screen[None]):
    """A status line."""

    def compose(self) -> ComposeResult:
        line = FooterLine()
        line.show(
            ["list.filter", "item.status", "app.help"],
            [("  The service cannot be reached.", "conflict"), ("  2 of 259", "muted")],
        )
        yield line


async def shown_at(width: int) -> str:
    async with Stage().run_test(size=(width, 3)) as pilot:
        pilot.app.push_screen(Lines())
        await pilot.pause()
        return lines_of(pilot.app)[0]


async def test_hints_of_less_importance_go_first_and_the_last_one_stays() -> None:
    state = "  The service cannot be reached.  2 of 259 "

    assert await shown_at(71) == f" / filter  s status  ? keys {state}".rstrip()
    assert await shown_at(70) == f" / filter  ? keys {' ' * 9}{state}".rstrip()
    assert await shown_at(52) == f" ? keys {' ' * 1}{state}".rstrip()


async def test_a_sentence_that_hardly_fits_is_cut_with_a_sign() -> None:
    assert await shown_at(36) == " ? keys   The service ca…  2 of 259"


async def test_a_scrap_of_a_sentence_is_not_shown_at_all() -> None:
    assert await shown_at(28) == " ? keys            2 of 259"
