"""Lists with heads between their entries, which do not count."""

from msgspec import Struct
from tests.tui.bare_app import BareApp
from textual.app import ComposeResult
from textual.screen import Screen
from textual.strip import Strip

from backlit.tui.widgets.headed_list import HeadedList


class Line(Struct, frozen=True):
    id: int
    is_head: bool = False


class Days(HeadedList[Line]):
    """Lines of days, with the days between them."""

    def is_head(self, entry: Line) -> bool:
        return entry.is_head

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:  # noqa: ARG002 - nothing is looked at
        return Strip.blank(self.size.width)


class ListScreen(Screen[None]):
    def __init__(self) -> None:
        super().__init__()
        self.days = Days()

    def compose(self) -> ComposeResult:
        yield self.days


async def test_count_before_a_move_to_a_row_counts_entries_without_the_heads() -> None:
    screen = ListScreen()
    async with BareApp().run_test(size=(40, 10)) as pilot:
        await pilot.app.push_screen(screen)
        lines = [Line(1, is_head=True), Line(2), Line(3), Line(4, is_head=True), Line(5), Line(6)]
        screen.days.show(lines)

        assert [lines[screen.days.row_of(number)].id for number in (1, 2, 3, 4, 9)] == [2, 3, 5, 6, 6]
