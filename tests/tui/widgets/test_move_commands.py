"""The commands that move the cursor of any list, against a list that is no widget."""

import pytest
from rich.segment import Segment
from tests.tui.bare_app import BareApp
from textual.strip import Strip

from backlit.tui.attachments.screen import AttachmentList
from backlit.tui.commands.command import CommandContext
from backlit.tui.commands.table import COMMAND_BY_ID, COMMANDS
from backlit.tui.editor.field_grid import FieldGrid
from backlit.tui.inbox.inbox_list import FeedList, InboxList
from backlit.tui.items.comment_thread import CommentThread
from backlit.tui.outbox.outbox_list import OutboxList
from backlit.tui.reports.report_panes import ReportTableView
from backlit.tui.shell.dispatch import function_of
from backlit.tui.trees.tree_list import TreeList
from backlit.tui.widgets.line_list import LineList


class FakeRows:
    """A hundred rows, ten of them in sight, with the cursor on the row 50."""

    cursor = 50
    page = 10

    def row_count(self) -> int:
        return 100

    def row_of(self, number: int) -> int:
        return number - 1

    def move_to(self, index: int) -> None:
        self.cursor = index

    def move_by(self, rows: int) -> None:
        self.cursor += rows

    def page_by(self, step: float, count: int) -> None:
        self.cursor += int(step * count * self.page)


@pytest.mark.parametrize(
    ("command_id", "count", "cursor"),
    [
        *(("list.down", None, 51), ("list.down", 3, 53), ("list.up", None, 49), ("list.up", 3, 47)),
        *(("list.first", None, 0), ("list.first", 7, 6), ("list.last", None, 99), ("list.last", 7, 6)),
        *(("list.half-down", None, 55), ("list.half-down", 2, 60), ("list.half-up", None, 45)),
    ],
)
def test_a_count_is_a_number_of_steps_or_a_row(command_id: str, count: int | None, cursor: int) -> None:
    rows, command = FakeRows(), COMMAND_BY_ID[command_id]

    function_of(command.handler)(rows, CommandContext(command, count))

    assert rows.cursor == cursor


PLACES = [TreeList, OutboxList, InboxList, FeedList, ReportTableView, AttachmentList, CommentThread, FieldGrid]


@pytest.mark.parametrize("kind", PLACES)
def test_the_lists_of_places_have_the_keys_of_rows(kind: type[LineList | CommentThread]) -> None:
    keys = {key for command in COMMANDS if command.group in kind.COMMAND_GROUPS for key in command.keys}

    assert {"j", "k", "g g", "G", "ctrl+d", "ctrl+u"} <= keys


class Numbers(LineList):
    """A hundred numbered rows."""

    def row_count(self) -> int:
        return 100

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        return Strip([Segment(f"{index}{'<' * is_cursor}".ljust(self.size.width))])


async def test_a_count_of_half_pages_moves_as_that_many_half_pages_do() -> None:
    async with BareApp().run_test(size=(20, 11)) as pilot:
        once, twice = Numbers(), Numbers()
        for rows in (once, twice):
            await pilot.app.mount(rows)
            rows.styles.height = 11
            await pilot.pause()
        command = COMMAND_BY_ID["list.half-down"]

        function_of(command.handler)(once, CommandContext(command, 2))
        for _ in range(2):
            function_of(command.handler)(twice, CommandContext(command, None))

        assert (once.cursor, once.top) == (twice.cursor, twice.top) == (10, 0)
