"""The drawing of a board: the lines of all columns in sight, from cards that were drawn before."""

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from textual.geometry import Size
from textual.strip import Strip

from backlit.store.records.item import Row
from backlit.store.views.view import View
from backlit.tui.board.card_window import CardWindow
from backlit.tui.board.cards import CardPainter
from backlit.tui.board.grid import Grid, Lane
from backlit.tui.board.layout import GAP, BoardLayout, Slot
from backlit.tui.widgets.item_rows import Badge
from backlit.tui.widgets.marks import RowMarks

CARDS_KEPT = 512
EMPTY_LINES = 4
"""Lines for the words why there are no cards."""
HEADER_LINES = 2
Card = tuple[Strip, ...]


class PaintedBoard(Protocol):
    """A board as its painter sees it."""

    column: int
    cursor: int
    top: int
    grid: Grid
    laid_out: BoardLayout
    box: Size
    view: View | None
    marks: RowMarks
    cards: CardWindow
    empty_words: str

    @property
    def card_lines(self) -> int:
        """The lines of a card."""

    @property
    def page(self) -> int:
        """The cards that fit below each other."""

    def top_of(self, column: int) -> int:
        """Return the first row in sight of a column."""

    def draw_words(self, words: str, y: int, colour: str = "muted") -> Strip:
        """Draw a line of what stands in the place of cards."""


class BoardPainter:
    """Draws lines and keeps the cards that were drawn; `make` returns a painter of cards in the theme's colours."""

    def __init__(self, board: PaintedBoard, make: Callable[[], CardPainter]) -> None:
        self._board = board
        self._make = make
        self._kept: CardPainter | None = None
        self._drawn: dict[tuple[Row, int, bool, bool, Badge], Card] = {}
        self._painted: dict[int, list[tuple[int, Strip]]] = {}

    def forget(self) -> None:
        """Forget what was drawn: names, theme or size changed."""
        self._kept = None
        self._drawn.clear()
        self._painted.clear()

    def line(self, y: int) -> Strip:
        """Draw what all columns in sight have on a line."""
        parts = self._painted[y] = self.parts(y)
        gap = self._painter.blank(GAP)
        strips = [strip for _, strip in parts for strip in (gap, strip)][1:]
        return Strip.join(strips).adjust_cell_length(self._board.box.width, self._painter.ground)

    def changed(self, y: int) -> list[tuple[int, int]]:
        """Return the stretches of a line that look otherwise than when it was last drawn: start and width."""
        before, now = self._painted.get(y), self.parts(y)
        if before is None or len(before) != len(now):
            return [(0, self._board.box.width)]
        return [
            (min(x, new_x), max(old.cell_length, new.cell_length))
            for (x, old), (new_x, new) in zip(before, now, strict=True)
            if old is not new and (x != new_x or old != new)
        ]

    @property
    def _painter(self) -> CardPainter:
        if self._kept is None:
            self._kept = self._make()
        return self._kept

    def parts(self, y: int) -> list[tuple[int, Strip]]:
        """The pieces of a line, each with where it begins."""
        if y < HEADER_LINES:
            return self._header(y)
        offset, line = divmod(y - HEADER_LINES, self._board.card_lines)
        lane = self._board.grid.header_at(self._board.top + offset) if offset < self._board.page else None
        if lane is not None:
            return [(0, self._lane_line(lane, self._board.top + offset, line))]
        if not sum(totals.count for totals in self._board.grid.totals) and y < HEADER_LINES + EMPTY_LINES:
            return [(0, self._board.draw_words(self._board.empty_words, y - HEADER_LINES))]
        return [(slot.x, self._cell(slot, offset, line, y - HEADER_LINES)) for slot in self._board.laid_out.slots]

    def _header(self, y: int) -> list[tuple[int, Strip]]:
        grid, layout, painter = self._board.grid, self._board.laid_out, self._painter
        if layout.is_single and y == 0:
            return [(0, painter.tabs(grid.columns, grid.totals, self._board.column, self._board.box.width))]
        return [(slot.x, self._head(slot, y)) for slot in layout.slots]

    def _head(self, slot: Slot, y: int) -> Strip:
        layout, painter, is_current = self._board.laid_out, self._painter, slot.number == self._board.column
        if y:
            is_first, is_last = slot is layout.slots[0], slot is layout.slots[-1]
            before, beyond = layout.left if is_first else 0, layout.right if is_last else 0
            if layout.is_single:
                before = beyond = 0
            return painter.rule(slot.width, is_current=is_current, before=before, beyond=beyond)
        draw = painter.narrow_head if slot.is_collapsed else painter.head
        return draw(
            self._board.grid.columns[slot.number],
            self._board.grid.totals[slot.number],
            slot.width,
            is_current=is_current,
        )

    def _lane_line(self, lane: Lane, row: int, line: int) -> Strip:
        assert lane.header is not None
        if line < self._board.card_lines - 1:
            return self._painter.blank(self._board.box.width)
        header = replace(lane.header, is_folded=lane.is_folded, count=lane.header.rows)
        return self._painter.lane(header, self._board.box.width, is_cursor=row == self._board.cursor)

    def _cell(self, slot: Slot, offset: int, line: int, y: int) -> Strip:
        is_current = slot.number == self._board.column
        if slot.is_collapsed:
            return self._painter.collapsed(self._board.grid.columns[slot.number], y, slot.width, is_current=is_current)
        row = self._board.top_of(slot.number) + offset
        place = self._board.grid.place_at(slot.number, row) if offset < self._board.page else None
        found = None if place is None else self._board.cards.at(slot.number, place)
        if found is None:
            return self._painter.blank(slot.width)
        is_cursor = is_current and row == self._board.cursor
        is_marked = self._board.marks.has_row(row, found.id) if is_current else self._board.marks.has(found.id)
        return self._card(found, slot.width, is_cursor, is_marked)[line]

    def _card(self, row: Row, width: int, is_cursor: bool, is_marked: bool) -> Card:
        key = (row, width, is_cursor, is_marked, self._board.cards.badge(row.id))
        card = self._drawn.get(key)
        if card is None:
            if len(self._drawn) >= CARDS_KEPT:
                self._drawn.clear()
            card = self._drawn[key] = self._draw(*key)
        return card

    def _draw(self, row: Row, width: int, is_cursor: bool, is_marked: bool, badge: Badge) -> Card:
        if not self._board.laid_out.is_single:
            return self._painter.card(row, width, is_cursor=is_cursor, is_marked=is_marked, badge=badge)
        columns = self._painter.table(width, self._board.view.largest_id if self._board.view else 0)
        return (columns.row(row, is_cursor=is_cursor, is_marked=is_marked, badge=badge),)
