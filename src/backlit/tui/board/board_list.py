"""The board: the cards of a grouped view in columns, of which only those in sight are read and drawn."""

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from backlit.store.views.view import View
from backlit.tui.board.board_painter import HEADER_LINES, BoardPainter
from backlit.tui.board.card_window import CardWindow
from backlit.tui.board.cards import CardPainter
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import Grid, Lane
from backlit.tui.board.lane_folds import LaneFolds
from backlit.tui.board.layout import BoardLayout, laid_out
from backlit.tui.commands.command import Context
from backlit.tui.drawing.theme_styles import ThemeStyles
from backlit.tui.widgets.item_list import ItemList
from backlit.tui.widgets.item_rows import Names

SINGLE_BELOW = 80
"""Columns of the terminal below which one column of the board is shown at a time."""
ColumnsOf = Callable[[View], Sequence[BoardColumn]]


class BoardList(ItemList):
    """A grid of cards; the rows of the current column are the list's rows.

    A row is as high as a card. Without lanes each column keeps its own place; `top` and `cursor` are the current one's.
    """

    CONTEXTS = (Context.BOARD, Context.MOVES, Context.LIST, Context.ITEM)
    COMMAND_GROUPS: ClassVar[Sequence[str]] = (*ItemList.COMMAND_GROUPS, "board.cursor_commands")
    HEADER_LINES = HEADER_LINES

    class Collapsed(Message):
        """A column was collapsed, or opened again."""

    def __init__(self, names: Names, columns_of: ColumnsOf, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self.column = 0
        self.has_status = False
        self.grid = Grid()
        self.laid_out = BoardLayout()
        self.box = Size(0, 0)
        self.folds: LaneFolds = LaneFolds(self)
        self.cards = CardWindow(self, names)
        self.painter = BoardPainter(
            self, lambda: CardPainter(ThemeStyles.of(self.app), names, has_status=self.has_status)
        )
        self.collapsed: dict[object, bool] = {}
        """By the first value of a column whether it was collapsed or opened by key."""
        self._columns_of = columns_of
        self._spots: dict[object, tuple[int, int]] = {}
        self._is_due = False

    # What is shown

    def show(self, view: View, item_id: int | None = None) -> None:
        """Show a grouped view, the cursor on the item where it has it."""
        before = self.shown_column
        is_other = self.view is None or view.spec.group != self.view.spec.group
        self.view = view
        self.cards.forget_rows()
        if is_other:
            self.folds.folded.clear()
            self._spots.clear()
        self._make_grid()
        place = self._place_of(item_id) if item_id is not None else None
        spot = None if place is None else self.grid.spot_of(place)
        column = self._number_of(before) if spot is None else spot[0]
        self._take_column(self._first_column() if column is None else column)
        if self._has_own_lanes():
            self._make_grid()
            spot = None if place is None else self.grid.spot_of(place)
        self.lay_out()
        self.rows_replaced(self.cursor if spot is None else spot[1])
        self._settle()

    def go_to(self, item_id: int) -> bool:
        """Put the cursor on a card, opening the column and the lane it is in."""
        place = self._place_of(item_id)
        spot = None if place is None else self.grid.spot_of(place)
        if spot is None:
            return False
        column = spot[0]
        if column in self.grid.collapsed or self.grid.header_at(spot[1]):
            self.collapsed[self.grid.columns[column].first] = False
            self.folds.folded.clear()
            self._make_grid()
            spot = self.grid.spot_of(place or 0) or spot
        self.go_to_column(column, spot[1])
        return True

    def rows_changed(self, ids: set[int] | None) -> None:
        """Read anew the cards whose items changed, None means any; they are drawn when the view is shown again."""
        self.cards.forget_items(ids)

    # Rows of the current column, as marks see them

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        """The ids of the cards on a stretch of rows; without an end those of all columns that are not collapsed."""
        if self.view is None:
            return ()
        ids = self.view.ids()
        if stop is None:
            shown = (n for n in range(len(self.grid.columns)) if n not in self.grid.collapsed)
            return [ids[place] for number in shown for place in self.grid.all_places(number)]
        return [ids[place] for place in self.grid.places(self.column, start, stop)]

    def find_row(self, item_id: int) -> int | None:
        """The row of a card in the current column."""
        place = self._place_of(item_id)
        spot = None if place is None else self.grid.spot_of(place)
        return spot[1] if spot is not None and spot[0] == self.column else None

    # Sizes

    @property
    def is_single(self) -> bool:
        """True where one column is shown at a time."""
        return self.app.size.width < SINGLE_BELOW

    @property
    def card_lines(self) -> int:
        """The lines of a card."""
        return 1 if self.laid_out.is_single else 2

    @property
    def page(self) -> int:
        """The cards that fit below each other."""
        return max(1, (self.box.height - self.HEADER_LINES) // self.card_lines)

    def row_count(self) -> int:
        """The rows of the current column."""
        return self.grid.height(self.column)

    def lay_out(self) -> None:
        """Place the columns."""
        count, collapsed = len(self.grid.columns), self.grid.collapsed
        self.laid_out = laid_out(
            self.size.width, count, collapsed, self.column, self.laid_out, is_single=self.is_single
        )

    # Drawing

    def forget_drawn(self) -> None:
        """Draw everything anew, because names or the theme changed."""
        self.painter.forget()
        self.cards.forget_badges()
        self.refresh()

    def notify_style_update(self) -> None:
        """Take the new theme's colours."""
        super().notify_style_update()
        self.painter.forget()

    def refresh_row(self, index: int) -> None:
        """Repaint a card of the current column, or a lane's header, if it is in sight."""
        slot = self.laid_out.slot(self.column)
        if slot is not None and 0 <= index - self.top < self.page:
            is_wide = self.grid.header_at(index) is not None
            x, width = (0, self.size.width) if is_wide else (slot.x, slot.width)
            y = self.HEADER_LINES + (index - self.top) * self.card_lines
            self.refresh(Region(x, y, width, self.card_lines))

    def repaint(self) -> None:
        """Paint soon the parts of lines that look otherwise than when they were last painted."""
        if not self._is_due:
            self._is_due = True
            self.call_next(self._repaint)

    def _repaint(self) -> None:
        self._is_due = False
        for y in range(self.box.height):
            for x, width in self.painter.changed(y):
                self.refresh(Region(x, y, width, 1))

    def render_line(self, y: int) -> Strip:
        """Draw what all columns in sight have on a line."""
        return self.painter.line(y)

    def top_of(self, column: int) -> int:
        """The first row in sight of a column."""
        if self.grid.has_lanes or column == self.column:
            return self.top
        top = self._spots.get(self.grid.columns[column].first, (0, 0))[1]
        return max(0, min(top, self.grid.height(column) - self.page))

    # Where the cursor is

    @property
    def shown_column(self) -> BoardColumn | None:
        """The current column."""
        return self.grid.columns[self.column] if self.column < len(self.grid.columns) else None

    def lane(self) -> Lane | None:
        """The lane under the cursor; None without lanes."""
        found = self.grid.lane_at(self.cursor) if self.grid.has_lanes else None
        return found[0] if found else None

    def _number_of(self, column: BoardColumn | None) -> int | None:
        return None if column is None else self.grid.column_of(column.first)

    def _first_column(self) -> int:
        """The first column that has cards and shows them."""
        shown = (n for n in range(len(self.grid.columns)) if n not in self.grid.collapsed)
        return next((number for number in shown if self.grid.totals[number].count), 0)

    def _place_of(self, item_id: int) -> int | None:
        ids = self.view.ids() if self.view is not None else ()
        try:
            return ids.index(item_id)
        except ValueError:
            return None

    def _take_column(self, column: int) -> None:
        """Make another column the current one; each remembers its own place."""
        if self.shown_column is not None:
            self._spots[self.shown_column.first] = (self.cursor, self.top)
        if column != self.column and column < len(self.grid.columns):
            self.column = column
            if not self.grid.has_lanes:
                self.cursor, self.top = self._spots.get(self.grid.columns[column].first, (0, 0))
        self.column = min(column, max(0, len(self.grid.columns) - 1))

    def _note_current(self) -> None:
        place = self.grid.place_at(self.column, self.cursor)
        found = self.view.ids(place, place + 1) if self.view is not None and place is not None else ()
        self.current_id = found[0] if found else None

    # Moving

    def _keep_in_sight(self) -> bool:
        """Scroll if the cursor is out of sight, and so that the header right above the first row is seen."""
        is_scrolled = super()._keep_in_sight()
        if self.top and self.grid.header_at(self.top - 1) and self.cursor < self.top + self.page - 1:
            self.top -= 1
            self.repaint()
            return True
        return is_scrolled

    def moved(self, before: int) -> None:
        """Remember which card it is now."""
        self._note_current()
        super().moved(before)

    def move_by(self, rows: int) -> None:
        """Move by cards, over the rows between them."""
        self.move_to(self.grid.step(self.column, self.cursor, rows))

    def move_to(self, index: int) -> None:
        """Put the cursor on a card, as near as there is one."""
        index = max(0, min(index, self.row_count() - 1))
        super().move_to(self.grid.snapped(self.column, index, index - self.cursor))

    def go_to_column(self, column: int, row: int | None = None) -> None:
        """Make another column the current one, the cursor at a row of it or where it was."""
        if not 0 <= column < len(self.grid.columns):
            return
        was = self.current_id
        self.marks.end_range()
        found = self.grid.lane_at(self.cursor if row is None else row)
        self._take_column(column)
        wanted = self.cursor if row is None else row
        if found is not None and self._has_own_lanes():
            number = self.grid.lanes.index(found[0])
            self._make_grid()
            wanted = (self.grid.lane_row(number) or 0) + found[1]
        self.cursor = self.grid.snapped(column, max(0, min(wanted, self.row_count() - 1)), 1)
        self._keep_in_sight()
        self._note_current()
        self.lay_out()
        self.repaint()
        if was != self.current_id:
            self.post_message(self.Highlighted(self, self.cursor))

    def regrid(self, item_id: int | None) -> None:
        """Place everything anew, the cursor on a card or in the lane it was in."""
        lane = self.lane()
        number = self.grid.lanes.index(lane) if lane is not None else 0
        self._make_grid()
        place = self._place_of(item_id) if item_id is not None else None
        spot = self.grid.spot_of(place) if place is not None else None
        here = self.grid.lane_row(number) if spot is None else spot[1]
        self.rows_replaced(self.cursor if here is None else here)
        self._settle()

    def _settle(self) -> None:
        """After the rows were replaced: stand on something, and draw."""
        self.cursor = self.grid.snapped(self.column, self.cursor, 1)
        self.lay_out()
        self._keep_in_sight()
        self.marks.find_anchor()
        self._note_current()
        self.repaint()

    def on_resize(self) -> None:
        """Place everything anew, where lanes get another height by it too."""
        is_single = self.laid_out.is_single
        self.box = self.size
        self.forget_drawn()
        self.lay_out()
        super().on_resize()
        if self.laid_out.is_single != is_single:
            self.regrid(self.current_id)

    def _has_own_lanes(self) -> bool:
        """Return whether lanes are as high as the one column needs that is shown."""
        return self.is_single and self.grid.has_lanes

    def _make_grid(self) -> None:
        if self.view is None:
            return
        columns = self._columns_of(self.view)
        collapsed = [n for n, each in enumerate(columns) if self.collapsed.get(each.first, each.is_collapsed)]
        only = self.column if self.is_single and self.column < len(columns) else None
        self.grid = Grid(columns, self.view.outline.headers, collapsed, self.folds.folded, only)

    # Mouse

    def on_click(self, event: events.Click) -> None:
        """Put the cursor on the card; ctrl and shift mark in its column, a double click chooses."""
        event.prevent_default()  # the list's own would take the line for a row
        slot = self.laid_out.slot_at(event.x)
        if slot is None:
            return
        row = self.top_of(slot.number) + max(0, event.y - self.HEADER_LINES) // self.card_lines
        if slot.number != self.column or event.y < self.HEADER_LINES:
            self.go_to_column(slot.number, row if event.y >= self.HEADER_LINES else None)
        if event.y >= self.HEADER_LINES:
            self.clicked(row, event)
