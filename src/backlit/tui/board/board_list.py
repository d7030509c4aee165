"""The list of a board: cards in columns, of which only those in sight are read and drawn."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec.structs import replace
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.strip import Strip

from backlit.store.views.groups import GroupKey
from backlit.store.views.view import View
from backlit.tui.board.board_painter import BoardPainter
from backlit.tui.board.card_painter import COMPACT_CARD_LINES, MIN_CARD_LINES, CardPainter
from backlit.tui.board.card_window import CardWindow
from backlit.tui.board.grid import CARD_LINES, HEADER_LINES, BoardLayout, lay_out_columns
from backlit.tui.board.position import BoardPosition, ColumnsOf, RowPosition
from backlit.tui.commands.command import CannotAct
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.flash import DrawnCells
from backlit.tui.widgets.item_list import ItemList, RowIdentity
from backlit.tui.widgets.item_rows import DisplayNames
from backlit.tui.widgets.view_list import searched_name_parts

MIN_WIDTH_OF_COLUMNS = 80
"""Columns of the terminal below which one column of the board is shown at a time."""
MIN_HEIGHT_WITH_GAPS = 30
"""Lines of a board below which no blank line follows a card."""


class BoardList(ItemList):
    """A grid of cards; the rows of the current column are the list's rows, each as high as a card."""

    HEADER_LINES = HEADER_LINES
    IS_PLAIN = False

    class Collapsed(Message):
        """A column was collapsed, or opened again."""

    def __init__(self, names: DisplayNames, columns_of: ColumnsOf, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self.position = BoardPosition(columns_of)
        self.laid_out = BoardLayout()
        self.box = Size(0, 0)
        self.has_status, self.has_owner = False, True
        self.folds: LaneFolds = LaneFolds(self)
        self.cards = CardWindow(names)
        self._sought: Sequence[str] = ()
        self._painter = BoardPainter(
            self,
            lambda: CardPainter(
                ThemeStyles.of(self.app),
                names,
                has_status=self.has_status,
                has_owner=self.has_owner,
                sought=self._sought,
            ),
        )
        self._is_due = False
        self._widths: Mapping[int, int | None] = {}
        self._card_lines, self._has_gaps = CARD_LINES, False
        self._opened: tuple[object, ...] | None = None

    # The view

    def show(self, view: View, item_id: int | None = None) -> None:
        item_id = self._begin_view(item_id)
        if (sought := searched_name_parts(view.spec)) != self._sought:
            self._sought = sought
            self._painter.forget()
        self.view = view
        self.cards.forget_rows()
        self.cursor, self.top = self.position.show(view, item_id, RowPosition(self.cursor, self.top))
        row = self.position.row_of(item_id)
        self._settle(self.cursor if row is None else row)

    @property
    def row_identity(self) -> RowIdentity:
        return RowIdentity(self.current_id, self.position.group)

    def start_in(self, group: GroupKey | None) -> None:
        self.position.start_in(group)

    def regrid(self, item_id: int | None = None) -> None:
        """Place the cards again, with the cursor on an item, else on its own."""
        self._settle(self.position.regrid(item_id or self.current_id, self.cursor))

    def _settle(self, row: int) -> None:
        position, before = self.position, self.current_id
        self._measure()
        lines, has_gaps = self._card_lines, self._has_gaps
        self.laid_out = replace(self.laid_out, card_lines=lines, has_gaps=has_gaps, is_single=position.is_single)
        self.rows_replaced(row)
        self.cursor = position.grid.snapped(position.column, self.cursor, 1)
        self._keep_in_sight()
        self.selection.find_anchor()
        self.current_id = position.id_at(self.cursor)
        if before != self.current_id:
            self.post_message(self.Highlighted(self, self.cursor))

    def rows_changed(self, ids: set[int] | None) -> None:
        """Forget the cards whose items changed, None means any; they are drawn when the view is shown again."""
        self.cards.forget_items(ids)  # and all badges: an item's has its tasks

    def drawn_cells(self, ids: Collection[int]) -> Mapping[int, DrawnCells]:
        return self.cards.drawn(ids)

    def flash_ended(self) -> None:
        self.repaint()

    def row_count(self) -> int:
        return self.position.grid.height(self.position.column)

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        return self.position.ids_between(start, stop)

    def find_row(self, item_id: int) -> int | None:
        return self.position.row_of(item_id)

    # Moving

    def go_to(self, item_id: int) -> bool:
        spot = self.position.reveal(item_id)
        if spot is not None:
            self.go_to_column(*spot)
        return spot is not None

    def go_to_column(self, column: int, row: int | None = None) -> None:
        if not 0 <= column < len(self.position.grid.columns):
            return
        self.selection.end_range()
        self.cursor, self.top = self.position.enter(column, row, RowPosition(self.cursor, self.top))
        self._settle(self.cursor)

    def move_by(self, rows: int) -> None:
        """Move by cards, over the rows between them."""
        self.move_to(self.position.grid.step(self.position.column, self.cursor, rows))

    def move_to(self, index: int) -> None:
        index = max(0, min(index, self.row_count() - 1))
        super().move_to(self.position.grid.snapped(self.position.column, index, index - self.cursor))

    def moved(self, before: int) -> None:
        self.current_id = self.position.id_at(self.cursor)
        super().moved(before)

    def _keep_in_sight(self) -> None:
        """Scroll to the cursor, below its lane's header, which stays in the first row."""
        grid, height = self.position.grid, self.box.height
        self.laid_out = self.laid_out.fitted(grid, self.top, height)
        super()._keep_in_sight()
        before = self.top
        has_room = self.cursor < self.top + self.page - 1
        is_below = has_room and self.top > 0 and grid.header_at(self.top - 1) is not None
        is_covered = self.cursor == self.top and self.page > 1 and grid.has_lanes and grid.header_at(self.top) is None
        self.top -= self.top > 0 and (is_below or is_covered)
        self.laid_out = self.laid_out.fitted(grid, self.top, height)
        while self.cursor >= self.top + self.page:  # fewer rows fit below another first one
            self.top += 1
            self.laid_out = self.laid_out.fitted(grid, self.top, height)
        if self.top != before:
            self.repaint()

    def on_click(self, event: events.Click) -> None:
        event.prevent_default()  # the list's own would take the line for a row
        word = self._painter.column_at(event.x) if event.y == 1 else None
        if word is not None:
            self.go_to_column(word)
            return
        slot = self.laid_out.slot_at(event.x)
        if slot is None:
            return
        is_head, lines = event.y < self.HEADER_LINES, dict(enumerate(self.laid_out.lines, self.HEADER_LINES))
        row = self.position.top_of(slot.number, self.top, self.page) + lines.get(event.y, (self.laid_out.shown, 0))[0]
        if slot.number != self.position.column or is_head:
            self.go_to_column(slot.number, None if is_head else row)
        if not is_head:
            self.clicked(row, event)

    # Drawing

    @property
    def page(self) -> int:
        last = min(self.laid_out.card_lines, CARD_LINES) - 1
        return max(1, sum(line == last for _, line in self.laid_out.lines))

    def on_resize(self) -> None:
        """Place the cards again: one column is shown at a time in a narrow terminal."""
        self.box = self.size
        self.position.is_single = self.app.size.width < MIN_WIDTH_OF_COLUMNS
        self.forget_drawn()
        self.regrid()

    def forget_drawn(self) -> None:
        self._painter.forget()
        self.cards.forget_items(None)
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._painter.forget()

    def refresh_row(self, index: int) -> None:
        slot = self.laid_out.slot(self.position.column)
        lines = [y for y, (row, _) in enumerate(self.laid_out.lines, self.HEADER_LINES) if row == index - self.top]
        if slot is not None and lines:
            is_header = self.position.grid.header_at(index) is not None
            x, width = (0, self.size.width) if is_header else (slot.x, slot.width)
            self.refresh(Region(x, lines[0], width, len(lines)))

    def repaint(self) -> None:
        """Lay the columns out, and repaint soon the parts of lines that differ from the last painting."""
        position = self.position
        before = self.laid_out = self.laid_out.fitted(position.grid, self.top, self.box.height)
        self.laid_out = lay_out_columns(self.size.width, self._widths, position.column, before)
        if before != self.laid_out:
            self.refresh()

        # Most lines look the same after a move. Painting all of them wrote 82,000 bytes for a card, the differing parts
        # 9,000 to 27,000. They wait for the end of the turn, so that several changes are painted once.
        def paint() -> None:
            self._is_due = False
            for y in range(self.box.height):
                for x, width in self._painter.changed(y):
                    self.refresh(Region(x, y, width, 1))

        if not self._is_due:
            self._is_due = True
            self.call_next(paint)

    def _measure(self) -> None:
        """Choose widths and heights for the cards that the view was opened with, so that no moved card moves others."""
        grid, spec, is_single = self.position.grid, self.view.spec if self.view else None, self.position.is_single
        only = self.position.column if is_single else None
        opened = spec, self.size, only, tuple(each.first for each in grid.columns), grid.collapsed
        if opened == self._opened:
            return
        self._widths = grid.column_widths(self.size.width)
        has_room = self.size.height >= MIN_HEIGHT_WITH_GAPS
        usual = MIN_CARD_LINES if is_single else CARD_LINES + has_room
        self._card_lines, self._has_gaps = usual, False
        if grid.has_lanes:
            layout, height = replace(self.laid_out, has_gaps=False, is_single=is_single), self.size.height
            layouts = [replace(layout, card_lines=each) for each in range(usual, COMPACT_CARD_LINES - 1, -1)]
            if grid.has_cards_below_others():  # those of three lines would touch; lower ones have grounds in turn
                layouts = [each for each in layouts if each.card_lines != CARD_LINES]
            fewest = usual if has_room else MIN_CARD_LINES
            self._card_lines = next((each.card_lines for each in layouts if each.holds(grid, height)), fewest)
            apart = replace(layout, card_lines=self._card_lines, has_gaps=True)
            self._has_gaps = self._card_lines <= CARD_LINES and apart.holds(grid, height)
        self._opened = opened if any(totals.count for totals in grid.totals) else None

    def render_line(self, y: int) -> Strip:
        return self._painter.line(y)


class LaneFolds:
    """The folding of a board's swimlanes; every method but `ids_under_header` raises CannotAct without lanes."""

    def __init__(self, board: BoardList) -> None:
        self._board = board

    def fold(self) -> None:
        self._change(lambda folded, lane: folded.add(lane))

    def unfold(self) -> None:
        self._change(lambda folded, lane: folded.discard(lane))

    def toggle(self) -> None:
        self._change(lambda folded, lane: folded.symmetric_difference_update({lane}))

    def fold_all(self) -> None:
        lanes = {lane.header.group for lane in self._board.position.grid.lanes if lane.header}
        self._change(lambda folded, _lane: folded.update(lanes))

    def unfold_all(self) -> None:
        self._change(lambda folded, _lane: folded.clear())

    def step(self, steps: int) -> None:
        self._lane()
        row, position = self._board.cursor, self._board.position
        for step in range(abs(steps)):
            found = position.grid.next_lane(position.column, row, 1 if steps > 0 else -1)
            if found is None and not step:
                raise CannotAct(f"This is the {'last' if steps > 0 else 'first'} lane.")
            row = row if found is None else found
        self._board.move_to(row)

    def ids_under_header(self) -> Sequence[int] | None:
        """Return None: the cursor marks cards."""
        return None

    def _change(self, change: Callable[[set[GroupKey], GroupKey], None]) -> None:
        change(self._board.position.folded, self._lane())
        self._board.regrid()
        self._board.post_message(BoardList.Highlighted(self._board, self._board.cursor))

    def _lane(self) -> GroupKey:
        lane = self._board.position.lane(self._board.cursor)
        if lane is None or lane.header is None:
            raise CannotAct(f"No swimlanes. Press {key_of('board.lanes')} to choose them.")
        return lane.header.group
