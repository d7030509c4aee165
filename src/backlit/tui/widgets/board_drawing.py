"""How a board draws: the cards of a grouped view in columns, read and drawn as far as they are in sight."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from textual.geometry import Region, Size
from textual.strip import Strip

from backlit.store.rows import Row
from backlit.store.views import View
from backlit.tui.board_columns import BoardColumn
from backlit.tui.board_grid import Grid, Lane
from backlit.tui.commands import Context
from backlit.tui.looks import Looks
from backlit.tui.widgets.backlog_columns import Names
from backlit.tui.widgets.badges import Badge
from backlit.tui.widgets.board_cards import CardPainter
from backlit.tui.widgets.board_layout import GAP, BoardLayout, Slot, laid_out
from backlit.tui.widgets.item_list import ItemList

CARDS_KEPT = 512
ROWS_KEPT = 4_000
EMPTY_LINES = 4
"""Lines for the words why there are no cards."""
SINGLE_BELOW = 80
"""Columns of the terminal below which one column of the board is shown at a time."""
Card = tuple[Strip, ...]
ColumnsOf = Callable[[View], Sequence[BoardColumn]]


class BoardDrawing(ItemList):
    """Draws a grid; what the rows of the current column are is what a list's rows are.

    A row is as high as a card. Without lanes each column keeps its own place; `top` and `cursor` are the current one's.
    """

    CONTEXTS = (Context.BOARD, Context.LIST, Context.ITEM)
    HEADER_LINES = 2

    def __init__(self, names: Names, columns_of: ColumnsOf, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self.column = 0
        self.has_status = False
        self._columns_of = columns_of
        self._grid = Grid()
        self._spots: dict[object, tuple[int, int]] = {}
        self._layout = BoardLayout()
        self._rows: dict[int, Row] = {}
        self._cards: dict[tuple[Row, int, bool, bool, Badge], Card] = {}
        self._kept_painter: CardPainter | None = None
        self._painted: dict[int, list[tuple[int, Strip]]] = {}
        self._is_due = False
        self._box = Size(0, 0)

    # Sizes

    @property
    def is_single(self) -> bool:
        """Whether one column is shown at a time."""
        return self.app.size.width < SINGLE_BELOW

    @property
    def card_lines(self) -> int:
        """The lines of a card."""
        return 1 if self._layout.is_single else 2

    @property
    def page(self) -> int:
        """The cards that fit below each other."""
        return max(1, (self._box.height - self.HEADER_LINES) // self.card_lines)

    def row_count(self) -> int:
        """The rows of the current column."""
        return self._grid.height(self.column)

    def lay_out(self) -> bool:
        """Place the columns; whether they lie otherwise than before."""
        count, collapsed = len(self._grid.columns), self._grid.collapsed
        laid = laid_out(self.size.width, count, collapsed, self.column, self._layout, is_single=self.is_single)
        is_other = laid != self._layout
        self._layout = laid
        return is_other

    def on_resize(self) -> None:
        """Place the columns anew."""
        self._box = self.size
        self.forget_drawn()
        self.lay_out()
        super().on_resize()

    # Drawing

    def forget_drawn(self) -> None:
        """Draw everything anew, because names or the theme changed."""
        self._kept_painter = None
        self._cards.clear()
        self._badges.clear()
        self._painted.clear()
        self.refresh()

    def notify_style_update(self) -> None:
        """Take the new theme's colours."""
        super().notify_style_update()
        self._kept_painter = None
        self._cards.clear()

    @property
    def _painter(self) -> CardPainter:
        if self._kept_painter is None:
            self._kept_painter = CardPainter(Looks.of(self.app), self._names, has_status=self.has_status)
        return self._kept_painter

    def refresh_row(self, index: int) -> None:
        """Repaint a card of the current column, or a lane's header, if it is in sight."""
        slot = self._layout.slot(self.column)
        if slot is not None and 0 <= index - self.top < self.page:
            is_wide = self._grid.header_at(index) is not None
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
        for y in range(self._box.height):
            before, now = self._painted.get(y), self._parts(y)
            if before is None or len(before) != len(now):
                self.refresh(Region(0, y, self._box.width, 1))
                continue
            for (x, old), (new_x, new) in zip(before, now, strict=True):
                if old is not new and (x != new_x or old != new):
                    self.refresh(Region(min(x, new_x), y, max(old.cell_length, new.cell_length), 1))

    def render_line(self, y: int) -> Strip:
        """Draw what all columns in sight have on a line."""
        parts = self._painted[y] = self._parts(y)
        gap = self._painter.blank(GAP)
        strips = [strip for _, strip in parts for strip in (gap, strip)][1:]
        return Strip.join(strips).adjust_cell_length(self._box.width, self._painter.ground)

    def _parts(self, y: int) -> list[tuple[int, Strip]]:
        """The pieces of a line, each with where it begins."""
        if y < self.HEADER_LINES:
            return self._header(y)
        offset, line = divmod(y - self.HEADER_LINES, self.card_lines)
        lane = self._grid.header_at(self.top + offset) if offset < self.page else None
        if lane is not None:
            return [(0, self._lane_line(lane, self.top + offset, line))]
        if not sum(totals.count for totals in self._grid.totals) and y < self.HEADER_LINES + EMPTY_LINES:
            return [(0, self.draw_words(self.empty_words, y - self.HEADER_LINES))]
        return [(slot.x, self._cell(slot, offset, line, y - self.HEADER_LINES)) for slot in self._layout.slots]

    def _header(self, y: int) -> list[tuple[int, Strip]]:
        grid, layout, painter = self._grid, self._layout, self._painter
        if layout.is_single and y == 0:
            return [(0, painter.tabs(grid.columns, grid.totals, self.column, self._box.width))]
        return [(slot.x, self._head(slot, y)) for slot in layout.slots]

    def _head(self, slot: Slot, y: int) -> Strip:
        layout, painter, is_current = self._layout, self._painter, slot.number == self.column
        if y:
            is_first, is_last = slot is layout.slots[0], slot is layout.slots[-1]
            before, beyond = layout.left if is_first else 0, layout.right if is_last else 0
            if layout.is_single:
                before = beyond = 0
            return painter.rule(slot.width, is_current=is_current, before=before, beyond=beyond)
        draw = painter.narrow_head if slot.is_collapsed else painter.head
        return draw(self._grid.columns[slot.number], self._grid.totals[slot.number], slot.width, is_current=is_current)

    def _lane_line(self, lane: Lane, row: int, line: int) -> Strip:
        assert lane.header is not None
        if line < self.card_lines - 1:
            return self._painter.blank(self._box.width)
        header = replace(lane.header, is_folded=lane.is_folded, count=lane.header.rows)
        return self._painter.lane(header, self._box.width, is_cursor=row == self.cursor)

    def _cell(self, slot: Slot, offset: int, line: int, y: int) -> Strip:
        is_current = slot.number == self.column
        if slot.is_collapsed:
            return self._painter.collapsed(self._grid.columns[slot.number], y, slot.width, is_current=is_current)
        row = self.top_of(slot.number) + offset
        place = self._grid.place_at(slot.number, row) if offset < self.page else None
        found = None if place is None else self.row_at(slot.number, place)
        if found is None:
            return self._painter.blank(slot.width)
        is_cursor = is_current and row == self.cursor
        is_marked = self.is_marked(row, found.id) if is_current else found.id in self._marks
        return self._card(found, slot.width, is_cursor, is_marked)[line]

    def _card(self, row: Row, width: int, is_cursor: bool, is_marked: bool) -> Card:
        key = (row, width, is_cursor, is_marked, self.badge(row.id))
        card = self._cards.get(key)
        if card is None:
            if len(self._cards) >= CARDS_KEPT:
                self._cards.clear()
            card = self._cards[key] = self._draw(*key)
        return card

    def _draw(self, row: Row, width: int, is_cursor: bool, is_marked: bool, badge: Badge) -> Card:
        if not self._layout.is_single:
            return self._painter.card(row, width, is_cursor=is_cursor, is_marked=is_marked, badge=badge)
        columns = self._painter.table(width, self._view.largest_id if self._view else 0)
        return (columns.row(row, is_cursor=is_cursor, is_marked=is_marked, badge=badge),)

    # Rows

    def rows_read(self) -> Sequence[Row]:
        """The cards that were read."""
        return [*self._rows.values()]

    def top_of(self, column: int) -> int:
        """The first row in sight of a column."""
        if self._grid.has_lanes or column == self.column:
            return self.top
        top = self._spots.get(self._grid.columns[column].first, (0, 0))[1]
        return max(0, min(top, self._grid.height(column) - self.page))

    def row_at(self, column: int, place: int) -> Row | None:
        """The card at a place of the view; what else of its column is in sight is read with it."""
        if place not in self._rows and self._view is not None:
            if len(self._rows) > ROWS_KEPT:
                self._rows.clear()
            top = self.top_of(column)
            for run in _runs([*self._grid.places(column, top, top + self.page), place]):
                self._rows.update(zip(run, self._view.rows(run.start, run.stop), strict=False))
        return self._rows.get(place)


def _runs(places: Sequence[int]) -> Iterator[range]:
    """Stretches of places that follow each other."""
    start = stop = None
    for place in sorted(set(places)):
        if stop == place:
            stop += 1
            continue
        if start is not None and stop is not None:
            yield range(start, stop)
        start, stop = place, place + 1
    if start is not None and stop is not None:
        yield range(start, stop)
