"""The drawing of a board: the cards in sight, one card with the head of its column, and the lines of all columns."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Protocol

from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from backlit.model.amounts import counted, estimate_text
from backlit.store.records.item import Row
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import GAP, BoardLayout, ColumnTotals, Lane, Slot
from backlit.tui.board.position import BoardPosition
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import (
    ThemeStyles,
    status_colour,
    status_sign,
    status_word,
    type_colour,
    type_sign,
)
from backlit.tui.widgets.item_list import Selection
from backlit.tui.widgets.item_rows import (
    CURSOR,
    ROW_SIGNS,
    SELECTED,
    Badge,
    Badges,
    Layout,
    Names,
    state_sign,
)

ROWS_KEPT = 4_000
CARDS_KEPT = 512
HEADER_LINES = 2
Card = tuple[Strip, ...]
INDENT = 4
"""Cells before a card's name: bar, sign, type and a blank."""
OVER = "!"
ROOM_FOR_POINTS = 22


class CardWindow:
    """The cards in sight by their places in the view, with their badges; read column by column."""

    def __init__(self, names: Names) -> None:
        self._rows: dict[int, Row] = {}
        self._badges = Badges(names, self.read)

    def read(self) -> Sequence[Row]:
        """Return the cards that were read."""
        return [*self._rows.values()]

    def at(self, view: View, place: int, in_sight: Callable[[], Sequence[int]]) -> Row | None:
        """Return the card at a place of the view; an unread card is read with the others in sight of its column."""
        if place not in self._rows:
            if len(self._rows) > ROWS_KEPT:
                self._rows.clear()
            for run in _runs([*in_sight(), place]):
                self._rows.update(zip(run, view.rows(run.start, run.stop), strict=False))
        return self._rows.get(place)

    def badge(self, item_id: int) -> Badge:
        """Return the badge of a card."""
        return self._badges.of(item_id)

    def forget_rows(self) -> None:
        """Forget all cards, because the view is another one."""
        self._rows.clear()

    def forget_badges(self) -> None:
        """Forget all badges."""
        self._badges.forget()

    def forget_items(self, ids: set[int] | None) -> None:
        """Forget the cards of some items; None means all."""
        self._badges.forget(None if len(self._badges) > ROWS_KEPT else ids)
        for place in [place for place, row in self._rows.items() if ids is None or row.id in ids]:
            del self._rows[place]


def _runs(places: Sequence[int]) -> Iterator[range]:
    """Yield the stretches of consecutive places."""
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


class PaintedBoard(Protocol):
    """A board as its painter sees it."""

    position: BoardPosition
    cursor: int
    top: int
    laid_out: BoardLayout
    box: Size
    view: View | None
    selection: Selection
    cards: CardWindow

    @property
    def page(self) -> int:
        """The number of cards that fit below each other."""

    def draw_empty(self, y: int) -> Strip:
        """Draw a line of the message in the place of cards."""


def is_over(column: BoardColumn, totals: ColumnTotals) -> bool:
    """Return whether a column is over its limit."""
    return column.limit is not None and totals.count > column.limit


def count_words(column: BoardColumn, totals: ColumnTotals) -> str:
    """Return the number of cards in a column, its limit, and a sign over the limit."""
    if column.limit is None:
        return f"{totals.count:,}"
    return f"{totals.count:,}/{column.limit:,}" + (f" {OVER}" if is_over(column, totals) else "")


class CardPainter:
    """Draws for one theme and one choice of columns; with `has_status` cards name their status."""

    def __init__(self, theme: ThemeStyles, names: Names, *, has_status: bool) -> None:
        self._theme = theme
        self._names = names
        self._has_status = has_status
        self.ground = theme.style()
        self._blanks: dict[int, Strip] = {}
        self._letters: dict[tuple[str, int, bool], Strip] = {}
        self._tables: dict[tuple[int, int], Layout] = {}

    def head(self, column: BoardColumn, totals: ColumnTotals, width: int, *, is_current: bool) -> Strip:
        """Draw the name of a column with its figures."""
        theme = self._theme
        count, points = count_words(column, totals), f"{counted(totals.points, 'pt')} "
        colour = "conflict" if is_over(column, totals) else "foreground"
        has_points = width - 2 - cell_len(column.name) - len(count) - len(points) > 2 and width >= ROOM_FOR_POINTS
        points = f"  {points}" if has_points else " "
        room = max(1, width - 2 - len(count) - len(points))
        return Strip(
            [
                Segment(" ", theme.style()),
                Segment(fit(column.name, room), theme.style("accent" if is_current else "foreground", bold=True)),
                Segment(" ", theme.style()),
                Segment(count, theme.style(colour, bold=is_over(column, totals))),
                Segment(points, theme.style("muted")),
            ]
        ).adjust_cell_length(width, theme.style())

    def narrow_head(self, column: BoardColumn, totals: ColumnTotals, width: int, *, is_current: bool) -> Strip:
        """Draw the count of a collapsed column, cut to the width."""
        over = is_over(column, totals)
        colour = "conflict" if over else "accent" if is_current else "muted"
        text = count_words(column, totals) if totals.count < 10 ** (width - over) else f"{totals.count:,}"
        text = text if cell_len(text) <= width else f"{'9' * (width - 1)}+"
        return Strip([Segment(text.center(width), self._theme.style(colour, bold=over or is_current))])

    def rule(self, width: int, *, is_current: bool, before: int = 0, beyond: int = 0) -> Strip:
        """Draw the line below a head; at the edges of the board it counts the columns out of sight."""
        left, right = f"‹{before} " if before else "", f" {beyond}›" if beyond else ""
        line = ("━" if is_current else "─") * max(0, width - len(left) - len(right))
        theme = self._theme
        style = theme.style("accent" if is_current else "rule")
        return Strip([Segment(left, theme.style("muted")), Segment(line, style), Segment(right, theme.style("muted"))])

    def tabs(self, columns: Sequence[BoardColumn], totals: Sequence[ColumnTotals], current: int, width: int) -> Strip:
        """Draw the names of the columns that fit around the current one."""
        theme = self._theme
        words = [f"{safe(each.name)} {count_words(each, sums)}" for each, sums in zip(columns, totals, strict=True)]
        first = current
        while first > 0 and sum(cell_len(each) + 3 for each in words[first - 1 : current + 1]) + 4 <= width:
            first -= 1
        segments = [Segment("‹ " if first else " ", theme.style("muted"))]
        taken = cell_len(segments[0].text)
        for number in range(first, len(words)):
            if taken + cell_len(words[number]) + 2 > width and number > current:
                segments.append(Segment("›", theme.style("muted")))
                break
            is_current = number == current
            colour = "conflict" if is_over(columns[number], totals[number]) else "accent" if is_current else "muted"
            segments.append(Segment(words[number], theme.style(colour, bold=is_current)))
            segments.append(Segment("   ", theme.style()))
            taken += cell_len(words[number]) + 3
        return Strip(segments).adjust_cell_length(width, theme.style())

    def card(self, row: Row, width: int, *, is_cursor: bool, is_selected: bool, badge: Badge) -> tuple[Strip, Strip]:
        """Draw the two lines of a card: its type and name, then its figures."""
        theme, on = self._theme, CURSOR if is_cursor else None
        sign, sign_colour = (SELECTED, "mark") if is_cursor and is_selected else ROW_SIGNS[row.sign]
        edge, edge_colour = ("▌", "accent") if is_cursor else (SELECTED, "mark") if is_selected else (" ", "accent")
        name = [
            Segment(edge, theme.style(edge_colour, on=on, bold=is_selected)),
            Segment(state_sign(sign, badge), theme.style(sign_colour, on=on, bold=True)),
            Segment(f"{type_sign(row.type)} ", theme.style(type_colour(row.type), on=on)),
            Segment(fit(row.name, width - INDENT), theme.style(on=on, bold=is_cursor)),
        ]
        under = [
            Segment("▌ " if is_cursor else "  ", theme.style("accent", on=on)),
            *self._figures(row, width, on),
        ]
        blank = theme.style(on=on)
        return Strip(name).adjust_cell_length(width, blank), Strip(under).adjust_cell_length(width, blank)

    def _figures(self, row: Row, width: int, on: str | None) -> list[Segment]:
        theme = self._theme
        number = str(row.id) if row.id > 0 else "new"
        points = f"  {safe(estimate_text(row.estimate))}" if row.estimate else ""
        points = points if cell_len(points) < 12 else ""
        groups = self._names.status_groups()
        sign = status_sign(row.status, groups)
        status = f"  {sign} {status_word(row.status)}" if self._has_status and row.status else ""
        room = width - INDENT - len(number) - cell_len(points) - cell_len(status) - 3
        owner = fit(self._names.owner(row.owner_id), room).rstrip() if room > 2 else ""
        gap = " " * max(0, room + 2 - cell_len(owner))
        return [
            Segment(" " * (INDENT - 2) + number, theme.style("muted", on=on)),
            Segment(points, theme.style("foreground", on=on)),
            Segment(status, theme.style(status_colour(row.status, groups), on=on)),
            Segment(gap + owner, theme.style("muted", on=on)),
        ]

    def collapsed(self, column: BoardColumn, y: int, width: int, *, is_current: bool) -> Strip:
        """Draw one line of a collapsed column, whose name reads downwards."""
        name = safe(column.name)
        key = (name[y] if y < len(name) else " ", width, is_current)
        if key not in self._letters:
            theme = self._theme
            bar = Segment("▌" if is_current else " ", theme.style("accent"))
            colour = "accent" if is_current else "muted"
            letter = Segment(fit(key[0], 1), theme.style(colour, bold=is_current))
            self._letters[key] = Strip([bar, letter]).adjust_cell_length(width, self.ground)
        return self._letters[key]

    def table(self, width: int, largest_id: int = 0) -> Layout:
        """Return the columns of a list for cards in single mode."""
        key = (width, largest_id)
        if key not in self._tables:
            self._tables[key] = Layout(width, self._names, self._theme, largest_id)
        return self._tables[key]

    def lane(self, header: GroupLine, width: int, *, is_cursor: bool) -> Strip:
        """Draw the header of a lane across all columns."""
        return self.table(width).group(header, is_cursor=is_cursor)

    def blank(self, width: int) -> Strip:
        """Return an empty strip."""
        if width not in self._blanks:
            self._blanks[width] = Strip.blank(width, self.ground)
        return self._blanks[width]


class BoardPainter:
    """Draws lines and caches drawn cards; `make` returns a painter of cards in the theme's colours."""

    def __init__(self, board: PaintedBoard, make: Callable[[], CardPainter]) -> None:
        self._board = board
        self._make = make
        self._kept: CardPainter | None = None
        self._drawn: dict[tuple[Row, int, bool, bool, Badge], Card] = {}
        self._painted: dict[int, list[tuple[int, Strip]]] = {}

    def forget(self) -> None:
        """Drop the cached drawings, because names, theme or size changed."""
        self._kept = None
        self._drawn.clear()
        self._painted.clear()

    def line(self, y: int) -> Strip:
        """Draw a line of all columns in sight."""
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
        offset, line = divmod(y - HEADER_LINES, self._board.laid_out.card_lines)
        lane = self._board.position.grid.header_at(self._board.top + offset) if offset < self._board.page else None
        if lane is None and offset == 0 and self._board.cursor != self._board.top:
            lane = self._board.position.lane(self._board.top)  # its header scrolled away
        if lane is not None:
            return [(0, self._lane_line(lane, self._board.top + offset, line))]
        if not sum(totals.count for totals in self._board.position.grid.totals):
            return [(0, self._board.draw_empty(y - HEADER_LINES))]
        return [(slot.x, self._cell(slot, offset, line, y - HEADER_LINES)) for slot in self._board.laid_out.slots]

    def _header(self, y: int) -> list[tuple[int, Strip]]:
        grid, layout, painter = self._board.position.grid, self._board.laid_out, self._painter
        if layout.is_single and y == 0:
            return [(0, painter.tabs(grid.columns, grid.totals, self._board.position.column, self._board.box.width))]
        return [(slot.x, self._head(slot, y)) for slot in layout.slots]

    def _head(self, slot: Slot, y: int) -> Strip:
        layout, painter, is_current = self._board.laid_out, self._painter, slot.number == self._board.position.column
        if y:
            is_first, is_last = slot is layout.slots[0], slot is layout.slots[-1]
            before, beyond = layout.left if is_first else 0, layout.right if is_last else 0
            if layout.is_single:
                before = beyond = 0
            return painter.rule(slot.width, is_current=is_current, before=before, beyond=beyond)
        draw, grid = painter.narrow_head if slot.is_collapsed else painter.head, self._board.position.grid
        return draw(grid.columns[slot.number], grid.totals[slot.number], slot.width, is_current=is_current)

    def _lane_line(self, lane: Lane, row: int, line: int) -> Strip:
        assert lane.header is not None
        if line < self._board.laid_out.card_lines - 1:
            return self._painter.blank(self._board.box.width)
        header = replace(lane.header, is_folded=lane.is_folded, count=lane.header.rows)
        return self._painter.lane(header, self._board.box.width, is_cursor=row == self._board.cursor)

    def _cell(self, slot: Slot, offset: int, line: int, y: int) -> Strip:
        is_current = slot.number == self._board.position.column
        if slot.is_collapsed:
            return self._painter.collapsed(
                self._board.position.grid.columns[slot.number], y, slot.width, is_current=is_current
            )
        board, position = self._board, self._board.position
        row = position.top_of(slot.number, board.top, board.page) + offset
        place = position.grid.place_at(slot.number, row) if offset < board.page else None
        found = None
        if place is not None and board.view is not None:
            in_sight = partial(position.places_in_sight, slot.number, board.top, board.page)
            found = board.cards.at(board.view, place, in_sight)
        if found is None:
            return self._painter.blank(slot.width)
        is_cursor = is_current and row == board.cursor
        is_selected = board.selection.has_row(row, found.id) if is_current else board.selection.has(found.id)
        return self._card(found, slot.width, is_cursor, is_selected)[line]

    def _card(self, row: Row, width: int, is_cursor: bool, is_selected: bool) -> Card:
        key = (row, width, is_cursor, is_selected, self._board.cards.badge(row.id))
        card = self._drawn.get(key)
        if card is None:
            if len(self._drawn) >= CARDS_KEPT:
                self._drawn.clear()
            card = self._drawn[key] = self._draw(*key)
        return card

    def _draw(self, row: Row, width: int, is_cursor: bool, is_selected: bool, badge: Badge) -> Card:
        if not self._board.laid_out.is_single:
            return self._painter.card(row, width, is_cursor=is_cursor, is_selected=is_selected, badge=badge)
        columns = self._painter.table(width, self._board.view.largest_id if self._board.view else 0)
        return (columns.row(row, is_cursor=is_cursor, is_selected=is_selected, badge=badge),)
