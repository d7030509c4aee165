"""A pane of the plan: a head of a few lines above a list of items, whose tasks unfold."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from itertools import zip_longest
from typing import ClassVar

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import DescendantBlur, DescendantFocus
from textual.message import Message
from textual.strip import Strip

from backlit.model.amounts import counted
from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.drawing.text import safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.lists.list_frame import SIGNS, STARTED_MEANING
from backlit.tui.widgets.item_list import GroupFolding
from backlit.tui.widgets.item_rows import (
    EDGE,
    FRAMED_EDGE,
    OWNER_COLUMN,
    POINTS_COLUMN,
    DisplayNames,
    ListColumn,
)
from backlit.tui.widgets.side_lines import TwoSidedLine, Word, drawn_word, segments_of
from backlit.tui.widgets.storage_errors import StorageErrorGuard
from backlit.tui.widgets.view_list import BacklogList, TaskFolds

POINTS_COLUMN = replace(POINTS_COLUMN, width=3, is_usual=False)
HOURS_COLUMN = ListColumn("WorkRemaining", "Hours", 5, is_number=True)
MAX_PASSED_ROWS = 500
"""Rows that the cursor skips at most to reach a remaining item."""
FORECAST_KEY = "forecast"
"""The key of the lines that divide the backlog by iterations."""
FITTING_SIGN = "✓"
"""The sign of an iteration that is on target."""
SIGNS_OF_PLAN = "  ".join(each for each in SIGNS if each != STARTED_MEANING)
MIN_WIDTH_WITH_SIGNS, MIN_WIDTH_WITH_OWNER = 54, 66
"""Cells of a pane whose edge has room for them beside the position, and of one whose names leave room for owners."""


class HeadLine(Struct, frozen=True):
    """A line of a pane's head: its left and its right side."""

    left: Sequence[Word] = ()
    right: Sequence[Word] = ()

    def drawn(self, width: int, theme: ThemeStyles) -> Strip:
        sides = self.left, self.right
        left, right = ([each for word in side for each in segments_of(drawn_word(word), theme)] for side in sides)
        room = width - sum(each.cell_length for each in right)
        return Strip([*Strip(left).adjust_cell_length(room, theme.style()), *right])


class TasksAsked(Message):
    """A request to show or hide the tasks of an item, or of all items for None."""

    def __init__(self, item_id: int | None, *, is_shown: bool) -> None:
        super().__init__()
        self.item_id = item_id
        self.is_shown = is_shown


class PlanList(BacklogList):
    """The items of a pane; only the pane with the focus shows its cursor."""

    COLUMNS: ClassVar[Sequence[ListColumn]] = (OWNER_COLUMN, POINTS_COLUMN)
    WITH_HOURS: ClassVar[Sequence[ListColumn]] = (OWNER_COLUMN, POINTS_COLUMN, HOURS_COLUMN)

    def __init__(self, names: DisplayNames) -> None:
        super().__init__(names)
        self._chosen: Sequence[ListColumn] = ()
        self._usual = self.COLUMNS
        self.below: Sequence[HeadLine] = ()
        """Lines below the last row, where there is room for them."""
        self.folds: GroupFolding
        self.task_folds = self.folds = TaskFolds(
            self,
            lambda item_id: self._window.badge(item_id).folded,
            lambda item_id, is_shown: self.post_message(TasksAsked(item_id, is_shown=is_shown)),
        )

    def use_columns(self, chosen: Sequence[ListColumn], *, has_hours: bool) -> None:
        """Show the chosen columns; without any the usual ones, as far as names leave room for the owner."""
        self._chosen, self._usual = chosen, self.WITH_HOURS if has_hours else self.COLUMNS
        self._fit_columns()

    def on_resize(self) -> None:
        self._fit_columns()
        super().on_resize()

    def _fit_columns(self) -> None:
        has_owner = self.size.width >= MIN_WIDTH_WITH_OWNER
        self.columns.use(self._chosen or self._usual[not has_owner :])

    def render_blank(self, y: int) -> Strip:
        at = y - (self.row_count() - self.top) - 1
        if not self.row_count() or not 0 <= at < len(self.below):
            return super().render_blank(y)
        return self.below[at].drawn(self.size.width, ThemeStyles.of(self.app))

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        row = self.row(index)
        if isinstance(row, GroupLine) and row.key == FORECAST_KEY:
            end = FRAMED_EDGE if self.is_framed else EDGE
            line = forecast_line(self._names.group(row), row, self.size.width, ThemeStyles.of(self.app), end)
            return self.with_scrollbar(line, index)
        return super().render_row(index, is_cursor=is_cursor and self.has_focus)

    def move_to(self, index: int) -> None:
        index, before = max(0, min(index, self.row_count() - 1)), self.cursor
        is_top = index == 0
        if self._is_forecast(index):
            beyond = index + (1 if index >= self.cursor or is_top else -1)
            index = beyond if 0 <= beyond < self.row_count() else index
        super().move_to(index)
        if (is_top or index < before) and self.cursor == self.top == 1 and self._is_forecast(0):
            self.show_from(0)  # the line above the first item comes with it

    def page_by(self, step: float, count: int) -> None:
        super().page_by(step, count)
        if self._is_forecast(self.cursor):
            self.move_to(self.cursor)

    def _is_forecast(self, index: int) -> bool:
        row = self.row(index)
        return isinstance(row, GroupLine) and row.key == FORECAST_KEY

    def show(self, view: View, item_id: int | None = None) -> None:
        shows_what_comes = self.top == 0 and not self.has_focus  # above its cursor too
        super().show(view, item_id)
        self.move_to(self.cursor)
        gained_head = self.top == 1 and isinstance(self.row(0), GroupLine)  # after its rows were shown
        if self.cursor < self.page and (shows_what_comes or gained_head):
            self.top = 0

    def step_past(self, gone: AbstractSet[int]) -> None:
        """Put the cursor on the next row that remains without the items in `gone` and their tasks."""
        row = self.row(self.cursor)
        if not isinstance(row, ItemRow) or row.id not in gone:
            return
        for index in range(self.cursor + 1, min(self.row_count(), self.cursor + 1 + MAX_PASSED_ROWS)):
            row = self.row(index)
            if isinstance(row, ItemRow) and row.id not in gone and not (row.is_task and row.parent_id in gone):
                self.move_to(index)
                return


def forecast_line(name: str, line: GroupLine, width: int, theme: ThemeStyles, end: int = EDGE) -> Strip:
    """Draw a rule between the name of a part and its figures, as many as fit, which end where points do.

    A name that begins with FITTING_SIGN stands in place of the start of the rule.
    """
    fits, name = name.startswith(FITTING_SIGN), name.removeprefix(FITTING_SIGN).strip()
    facts, points = safe(name).split(" · "), counted(line.points, "pt")
    count, room = f"{counted(line.count, 'item')} · {points}", width - end - 6
    fitting = [
        (" · ".join(facts[:end]), each) for end, each in ((3, count), (2, count), (2, points), (1, count), (1, points))
    ]
    words, figures = next((each for each in fitting if cell_len("".join(each)) <= room), fitting[-1])
    rule = f" {'─' * max(1, room - cell_len(words) - cell_len(figures) + 1)} "
    name, dot, rest = words.partition(" · ")
    sign = (f" {FITTING_SIGN} ", "status-done") if fits else (" ─ ", "rule")
    parts = [
        sign,
        (name, "status-done" if fits else "foreground"),
        (dot + rest, "muted"),
        (rule, "rule"),
        (figures, "muted"),
    ]
    segments = [Segment(text, theme.style(colour, bold=at == 1)) for at, (text, colour) in enumerate(parts)]
    return Strip(segments).adjust_cell_length(width, theme.style())


class PlanPane(StorageErrorGuard, Vertical):
    """A head and a list; `place` is the id of the iteration shown, None in the backlog's pane."""

    HEAD_LINES, TALL = 5, 30
    """Lines of the head at most, and of a terminal that has all of them, and a blank one below."""

    class Resized(Message):
        """The pane has another size or position."""

    def __init__(self, names: DisplayNames, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.place: int | None = None
        self.items = PlanList(names)
        self._head = [TwoSidedLine() for _ in range(self.HEAD_LINES + 1)]

    def compose(self) -> ComposeResult:
        yield from self._head
        yield self.items

    def on_resize(self) -> None:
        self.post_message(self.Resized())

    @on(DescendantFocus)
    @on(DescendantBlur)
    def _focus_changed(self) -> None:
        self.items.refresh_row(self.items.cursor)

    def say(self, lines: Sequence[HeadLine]) -> None:
        is_tall = self.app.size.height >= self.TALL
        for line, shown in zip_longest(self._head, [*lines, *[HeadLine()] * (is_tall and bool(lines))]):
            line.display = shown is not None
            if shown is not None:
                line.say(shown.left, shown.right)

    def say_below(self, lines: Sequence[HeadLine]) -> None:
        if lines != self.items.below:
            self.items.below = lines
            self.items.refresh()
