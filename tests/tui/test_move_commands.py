"""The commands that move the cursor of any list, against a list that is no widget."""

import pytest

from backlit.tui.attachments.attachment_list import AttachmentList
from backlit.tui.commands.command import Call
from backlit.tui.commands.dispatch import function_of
from backlit.tui.commands.table import COMMAND_BY_ID, COMMANDS
from backlit.tui.comments.thread import CommentThread
from backlit.tui.editor.field_grid import FieldGrid
from backlit.tui.inbox.inbox_list import FeedList, InboxList
from backlit.tui.outbox.outbox_list import OutboxList
from backlit.tui.reports.report_table import ReportTable
from backlit.tui.trees.tree_list import TreeList
from backlit.tui.widgets.line_list import LineList


class FakeRows:
    """A hundred rows, ten of them in sight, with the cursor on the row 50."""

    cursor = 50
    page = 10

    def row_count(self) -> int:
        return 100

    def move_to(self, index: int) -> None:
        self.cursor = index

    def move_by(self, rows: int) -> None:
        self.cursor += rows

    def page_by(self, pages: float) -> None:
        self.cursor += int(pages * self.page)


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

    function_of(command.handler)(rows, Call(command, count))

    assert rows.cursor == cursor


PLACES = [TreeList, OutboxList, InboxList, FeedList, ReportTable, AttachmentList, CommentThread, FieldGrid]


@pytest.mark.parametrize("kind", PLACES)
def test_the_lists_of_places_have_the_keys_of_rows(kind: type[LineList | CommentThread]) -> None:
    keys = {key for command in COMMANDS if command.group in kind.COMMAND_GROUPS for key in command.keys}

    assert {"j", "k", "g g", "G", "ctrl+d", "ctrl+u"} <= keys
