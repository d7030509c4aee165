"""The drawing of a board: the cards in sight, one card with the head of its column, and the lines of all columns."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Protocol

from msgspec.structs import replace
from rich.cells import cell_len
from textual.geometry import Size
from textual.strip import Strip

from backlit.store.records.item import ItemRow
from backlit.store.views.view import View
from backlit.tui.board.card_painter import CARD_GROUND, CardLines, CardPainter, HiddenColumnLabel
from backlit.tui.board.card_window import CardWindow
from backlit.tui.board.grid import (
    CARD_LINES,
    GAP,
    HEADER_LINES,
    BoardLayout,
    ColumnSlot,
    Swimlane,
    is_over,
)
from backlit.tui.board.position import BoardPosition
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.text import safe
from backlit.tui.widgets.flash import Flash
from backlit.tui.widgets.item_list import RowSelection
from backlit.tui.widgets.item_rows import Badge

CARDS_KEPT = 512
MIN_RULE_CELLS = 4
"""Cells of the line below the head of the current column that words leave."""
OTHER_CARD_GROUND = "key-background"
"""The ground of every second low card of a lane, which no blank parts."""


class BoardToPaint(Protocol):
    """A board as its painter sees it."""

    position: BoardPosition
    cursor: int
    top: int
    laid_out: BoardLayout
    box: Size
    view: View | None
    selection: RowSelection
    flash: Flash
    cards: CardWindow

    @property
    def page(self) -> int: ...

    def draw_empty_line(self, y: int) -> Strip: ...


# Only cards in sight are read and drawn, and of their lines only the parts that look otherwise are painted. A card that
# was moved wrote 82,000 bytes before that, and 27,000 since, with 242 cards and with 5,347 (`python -m benchmarks
# board`).
class BoardPainter:
    """Draws lines and caches drawn cards; `make` returns a painter of cards in the theme's colours."""

    def __init__(self, board: BoardToPaint, make: Callable[[], CardPainter]) -> None:
        self._board = board
        self._make = make
        self._kept: CardPainter | None = None
        self._drawn: dict[tuple[ItemRow, int, int, bool, bool, str | None, bool, Badge, bool], CardLines] = {}
        self._painted: dict[int, list[tuple[int, Strip]]] = {}

    def forget(self) -> None:
        self._kept = None
        self._drawn.clear()
        self._painted.clear()

    def line(self, y: int) -> Strip:
        parts = self._painted[y] = self.parts(y)
        gap = self._painter.blank(GAP)
        strips = [strip for _, strip in parts for strip in (gap, strip)][1:]
        return Strip.join(strips).adjust_cell_length(self._board.box.width, self._painter.ground)

    def changed(self, y: int) -> list[tuple[int, int]]:
        """Return the stretches of a line that differ from its last drawing: start and width."""
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
        """Return the pieces of a line with their first cells."""
        if y < HEADER_LINES:
            return self._header(y)
        layout, grid = self._board.laid_out, self._board.position.grid
        foot = self._board.box.height - layout.foot_lines(grid, self._board.box.height)
        if y >= foot:
            return (
                [(0, self._lanes_below())] if grid.has_lanes else [(slot.x, self._foot(slot)) for slot in layout.slots]
            )
        if not sum(totals.count for totals in grid.totals):
            return [(0, self._board.draw_empty_line(y - HEADER_LINES))]
        if y - HEADER_LINES >= len(layout.lines):
            return [(0, self._painter.blank(self._board.box.width))]
        offset, line = layout.lines[y - HEADER_LINES]
        lane = grid.header_at(self._board.top + offset)
        if lane is None and offset == 0 and self._board.cursor != self._board.top:
            lane = self._board.position.lane(self._board.top)  # its header scrolled away
        if lane is not None:
            line_of_lane = self._lane_line(lane, self._board.top + offset)
            return [(0, self._painter.blank(self._board.box.width) if line == CARD_LINES else line_of_lane)]
        return [(slot.x, self._cell(slot, offset, line)) for slot in layout.slots]

    def column_at(self, x: int) -> int | None:
        """Return the column whose word is on a cell of the line below the heads."""
        words = self._words()
        for side in (-1, 1):
            group = [each for each in words if each.side == side]
            start = 0 if side < 0 else self._board.box.width - sum(cell_len(each.text) for each in group)
            for each in group:
                if start <= x < start + cell_len(each.text):
                    return each.number
                start += cell_len(each.text)
        return None

    def _header(self, y: int) -> list[tuple[int, Strip]]:
        grid, layout, painter = self._board.position.grid, self._board.laid_out, self._painter
        current, width = self._board.position.column, self._board.box.width
        if y:
            columns = [grid.columns[slot.number] for slot in layout.slots]
            colours = [
                "conflict" if is_over(column, grid.totals[slot.number]) else painter.column_colour(column)
                for slot, column in zip(layout.slots, columns, strict=True)
            ]
            slots = [*zip(layout.slots, colours, strict=True)]
            return [(0, painter.rules(slots, current, self._words(), width))]
        if layout.is_single and layout.slots:
            return [(0, painter.tabs(grid.columns, grid.totals, current, width))]
        heads = [(slot, grid.columns[slot.number], grid.totals[slot.number]) for slot in layout.slots]
        return [(slot.x, painter.head(column, totals, slot.width)) for slot, column, totals in heads]

    def _words(self) -> list[HiddenColumnLabel]:
        grid, layout = self._board.position.grid, self._board.laid_out
        if layout.is_single:
            return []
        current, shown = self._board.position.column, grid.open_columns()
        if current in grid.collapsed:  # it has no cards to show the cursor on
            word = f"▸ {safe(grid.columns[current].word)} {grid.totals[current].count:,} folded"
            label = HiddenColumnLabel(f" {word}, {key_of('board.collapse')} opens it ", -1, current)
            return [label, *(each for each in self._folded_labels() if each.number != current)]
        before, beyond = shown[: layout.left], shown[len(shown) - layout.right :]

        def words(numbers: Sequence[int], side: int, *, is_brief: bool) -> list[HiddenColumnLabel]:
            names = [f"{safe(grid.columns[each].word)} {grid.totals[each].count:,}" for each in numbers]
            found = [HiddenColumnLabel(f"{' · ' * bool(at)}{names[at]}", side, each) for at, each in enumerate(numbers)]
            found = (
                [HiddenColumnLabel(f"{len(numbers)} more", side, numbers[min(0, side)])]
                if is_brief and numbers
                else found
            )
            start, end = (" ‹ ", " ") if side < 0 else (" ", " › ")
            return [HiddenColumnLabel(start, side), *found, HiddenColumnLabel(end, side)] if found else []

        full = [*words(before, -1, is_brief=False), *words(beyond, 1, is_brief=False), *self._folded_labels()]
        brief = [*words(before, -1, is_brief=True), *words(beyond, 1, is_brief=True)]
        has_room = sum(cell_len(each.text) for each in full) <= self._board.box.width * 2 // 3
        choices = [full, brief] if has_room else [brief]
        arrows = [HiddenColumnLabel(" ‹ ", -1, before[-1])] if before else []
        arrows += [HiddenColumnLabel(" › ", 1, beyond[0])] if beyond else []
        return next((each for each in choices if self._leave_current_rule(each)), arrows)

    def _leave_current_rule(self, words: Sequence[HiddenColumnLabel]) -> bool:
        """Return whether the line of the current column is seen between words."""
        slot = self._board.laid_out.slot(self._board.position.column)
        left, right = (sum(cell_len(each.text) for each in words if each.side == side) for side in (-1, 1))
        if slot is None:
            return True
        seen = min(slot.x + slot.width, self._board.box.width - right) - max(slot.x, left)
        return seen >= min(slot.width, MIN_RULE_CELLS)

    def _folded_labels(self) -> list[HiddenColumnLabel]:
        grid, first = self._board.position.grid, min((slot.number for slot in self._board.laid_out.slots), default=0)
        return [
            HiddenColumnLabel(
                f" ▸ {safe(grid.columns[each].word)} {grid.totals[each].count:,} ", -1 if each < first else 1, each
            )
            for each in sorted(grid.collapsed)
            if grid.totals[each].count
        ]

    def _lane_line(self, lane: Swimlane, row: int) -> Strip:
        assert lane.header is not None
        header = replace(lane.header, is_folded=lane.is_folded, count=lane.header.rows)
        return self._painter.lane(header, self._board.box.width, is_cursor=row == self._board.cursor)

    def _cell(self, slot: ColumnSlot, offset: int, line: int) -> Strip:
        is_current = slot.number == self._board.position.column
        board, position = self._board, self._board.position
        row = position.top_of(slot.number, board.top, board.page) + offset
        place = position.grid.place_at(slot.number, row)
        found = None
        if place is not None and board.view is not None and line < CARD_LINES:
            in_sight = partial(position.places_in_sight, slot.number, board.top, board.laid_out.shown)
            found = board.cards.at(board.view, place, in_sight)
        if found is None:
            return self._painter.blank(slot.width)
        is_cursor = is_current and row == board.cursor
        is_selected = board.selection.has_row(row, found.id) if is_current else board.selection.has(found.id)
        lane = position.grid.lane_at(row)
        is_apart = board.laid_out.card_lines >= CARD_LINES or lane is None or lane[1] % 2 == position.grid.has_lanes
        on = CARD_GROUND if is_apart else OTHER_CARD_GROUND
        return self._card(found, slot.width, is_cursor=is_cursor, is_selected=is_selected, on=on)[line]

    def _lanes_below(self) -> Strip:
        board, grid = self._board, self._board.position.grid
        below = grid.lanes_from(board.top + board.laid_out.shown)
        headers = (header for number in below if (header := grid.lanes[number].header))
        found = grid.lane_at(board.top + board.laid_out.shown - 1)
        cut = None
        if found is not None and found[0].header is not None and not found[0].is_folded:
            hidden = sum(max(0, len(found[0].cells[slot.number]) - found[1]) for slot in board.laid_out.slots)
            cut = replace(found[0].header, rows=hidden) if hidden else None
        done = sum(totals.count for totals in grid.totals if totals.hides_cards)
        return self._painter.lanes(headers, len(below), board.box.width, cut, done)

    def _foot(self, slot: ColumnSlot) -> Strip:
        board, position = self._board, self._board.position
        top = position.top_of(slot.number, board.top, board.page)
        below = position.grid.height(slot.number) - top - board.laid_out.shown
        return self._painter.foot(top, max(0, below), slot.width, position.grid.totals[slot.number])

    def _card(self, row: ItemRow, width: int, *, is_cursor: bool, is_selected: bool, on: str | None) -> CardLines:
        layout, badge = self._board.laid_out, self._board.cards.badge(row.id)
        lines, is_flashing = layout.card_lines, row.id in self._board.flash
        has_words = min(slot.width for slot in layout.slots) >= self._painter.width_with_words()
        key = (row, width, lines, is_cursor, is_selected, on, is_flashing, badge, has_words)
        if key not in self._drawn:
            if len(self._drawn) >= CARDS_KEPT:
                self._drawn.clear()
            self._drawn[key] = self._painter.card(
                row,
                width,
                lines,
                is_cursor=is_cursor,
                is_selected=is_selected,
                badge=badge,
                on=on,
                is_flashing=is_flashing,
                has_words=has_words,
            )
        return self._drawn[key]
