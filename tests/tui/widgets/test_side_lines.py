"""The lines around the panes, where it is tight."""

from collections.abc import Sequence

import pytest
from rich.segment import Segment
from tests.tui.bare_app import BareApp, lines_of
from tests.tui.widgets.wrapped_words import Words
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.screen import Screen

from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import KEY, ThemeStyles
from backlit.tui.widgets.footer_line import FooterLine
from backlit.tui.widgets.side_lines import SEPARATOR, capped, fitted_sides, spaced
from backlit.tui.widgets.text_view import LinesView


class Lines(Screen[None]):
    """A status line."""

    def __init__(self, hints: Sequence[str]) -> None:
        super().__init__()
        self._hints = hints

    def compose(self) -> ComposeResult:
        line = FooterLine()
        line.show(
            self._hints,
            [("  The service cannot be reached.", "conflict"), ("  2 of 259", "muted")],
        )
        yield line


async def shown_at(width: int, hints: Sequence[str] = ("list.filter", "item.status", "app.help")) -> str:
    async with BareApp().run_test(size=(width, 3)) as pilot:
        pilot.app.push_screen(Lines(hints))
        await pilot.pause()
        return lines_of(pilot.app)[0]


async def test_hints_of_less_importance_go_first_and_the_last_one_stays() -> None:
    state = "  The service cannot be reached.  2 of 259 "

    assert await shown_at(71) == f" / filter  s status  ? keys {state}".rstrip()
    assert await shown_at(70) == f" / filter  ? keys {' ' * 9}{state}".rstrip()
    assert await shown_at(52) == f" ? keys {' ' * 1}{state}".rstrip()


async def test_the_key_that_leads_back_is_before_the_last_one_and_stays() -> None:
    hints = ("list.filter", "app.back", "item.status", "app.help")

    assert (await shown_at(90, hints)).startswith(" / filter  s status  q back  ? keys ")
    assert (await shown_at(62, hints)).startswith(" q back  ? keys ")


async def test_a_sentence_that_hardly_fits_is_cut_with_a_sign() -> None:
    assert await shown_at(36) == " ? keys   The service ca…  2 of 259"


async def test_a_scrap_of_a_sentence_is_not_shown_at_all() -> None:
    assert await shown_at(28) == " ? keys            2 of 259"


async def shown_words(pilot: Pilot[None]) -> Words:
    view = Words(id="words")
    await pilot.app.mount(view)
    await pilot.pause()
    return view


async def test_lines_are_wrapped_beside_the_scrollbar_that_they_need() -> None:
    async with BareApp().run_test(size=(40, 12)) as pilot:
        view = await shown_words(pilot)
        view.text = "four " * 40
        view.lay_out()
        await pilot.pause()
        long = view.show_vertical_scrollbar, view.virtual_size.width

        view.text = "four"
        view.lay_out()
        await pilot.pause()

        assert long == (True, 19)
        assert (view.show_vertical_scrollbar, view.virtual_size.width) == (False, 20)


async def test_lines_take_the_place_of_their_bar_in_a_view_that_becomes_higher() -> None:
    async with BareApp().run_test(size=(40, 12)) as pilot:
        view = await shown_words(pilot)
        view.text = "four " * 26
        view.lay_out()
        view.styles.height = 10
        await pilot.pause()

        assert (view.show_vertical_scrollbar, view.virtual_size.width) == (False, 20)


class Texts(LinesView):
    """Two texts with headings, in a view of six lines."""

    DEFAULT_CSS = "Texts { height: 6; width: 30; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:  # noqa: ARG002 - as the base has it
        def text(words: str) -> list[Line]:
            return [[Segment(words, theme.style(bold=True))], *([Segment(f"{words} {at}")] for at in range(3))]

        return [*text("one"), [], *text("two"), []]


async def test_the_last_line_of_a_longer_text_says_how_much_is_left_and_no_heading_stands_above_it() -> None:
    async with BareApp().run_test(size=(40, 12)) as pilot:
        view = Texts(id="texts")
        await pilot.app.mount(view)
        view.lay_out()
        await pilot.pause()
        first = [line.split("  ")[0].strip() for line in lines_of(pilot.app)[:6]]
        view.scroll_to(y=1, animate=False)
        await pilot.pause()
        second = [line.split("  ")[0].strip() for line in lines_of(pilot.app)[:6]]

        assert first == ["one", "one 0", "one 1", "one 2", "", "ctrl+e 5 more lines"]
        assert second == ["one 0", "one 1", "one 2", "two", "two 0", "ctrl+e 3 more lines"]


def test_a_key_keeps_its_ground_at_both_ends_of_an_edge() -> None:
    words = capped([("td", KEY, "a"), (" day table", "muted", "a"), ("w", KEY, "b")], has_caps=True)

    assert [text for text, _, _ in spaced(words)] == [" ", " td ", " day table", " w ", " "]


def test_figures_keep_the_separator_between_them_where_the_muted_words_go() -> None:
    right = [
        *[
            ("about ", "muted", ""),
            (SEPARATOR, "muted", ""),
            ("6 days", "foreground", ""),
            (" the median", "muted", ""),
        ],
        *[(SEPARATOR, "muted", ""), ("9 days", "foreground", ""), (" the oldest", "muted", "")],
    ]

    _, kept = fitted_sides([("Cycle", "heading", "")], right, 30, drops_muted=True)

    assert "".join(text for text, _, _ in kept) == "6 days · 9 days"


def test_figures_leave_with_their_unit_and_short_facts_as_a_whole() -> None:
    figures = [("120", "figure", ""), (" items", "muted", ""), (SEPARATOR, "muted", ""), ("373", "figure", "")]
    left = [("Backlog ", "heading", ""), *figures, (" pts", "muted", "")]
    dated = [("Sprint 14", "heading", ""), (" 2 – 15 Mar", "muted", ""), (" · started 2 Mar", "muted", "")]

    words = ["".join(text for text, *_ in fitted_sides(side, [], width, drops_muted=True)[0]) for side, width in (
        (left, 27), (left, 26), (left, 12), (dated, 36), (dated, 35),
    )]  # fmt: skip

    assert words == [
        "Backlog 120 items · 373 pts",
        "Backlog 120 items",
        "Backlog ",
        "Sprint 14 2 – 15 Mar · started 2 Mar",
        "Sprint 14 2 – 15 Mar",
    ]


@pytest.mark.parametrize(
    ("width", "left", "right"),
    [
        (66, "Everything of the shop 120 items · 373 pts", "4 not ready gq groom"),
        (58, "Everything of the shop 120 items · 373 pts", "4 not ready"),
        (46, "Everything of the shop 120 items · 373 pts", ""),
        (38, "Everything of the… 120 items · 373 pts", ""),
        (30, "Everything … 120 items", ""),
    ],
)
def test_sums_of_a_heading_outlast_key_hints_and_the_end_of_its_name(width: int, left: str, right: str) -> None:
    figures = [(" 120", "figure", ""), (" items", "muted", ""), (SEPARATOR, "muted", ""), ("373", "figure", "")]
    start = [("Everything of the shop", "heading", ""), *figures, (" pts", "muted", "")]
    unready = [("4", "foreground", "g"), (" not ready ", "muted", "g"), ("gq", KEY, "g"), (" groom", "muted", "g")]

    sides = fitted_sides(start, unready, width, drops_muted=True)

    assert ["".join(text for text, *_ in side).strip() for side in sides] == [left, right]
