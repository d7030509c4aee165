"""The grid of a board: the places of cards in columns and swimlanes, and the widths of the columns in sight."""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, pairwise

from msgspec import Struct, field
from msgspec.structs import replace
from rich.cells import cell_len

from backlit.model.amounts import counted
from backlit.store.views.groups import GroupKey, GroupLine
from backlit.tui.board.columns import BoardColumn
from backlit.tui.drawing.text import safe


class ColumnTotals(Struct):
    """The cards of a column and their points; a task that is a card counts as one. `shown` leaves out hidden ones."""

    count: int = 0
    shown: int = 0
    points: float = 0.0

    @property
    def hides_cards(self) -> bool:
        return self.shown < self.count

    @property
    def shown_words(self) -> str:
        return f"{self.shown:,} of {self.count:,}" if self.hides_cards else f"{self.count:,}"

    @property
    def points_words(self) -> str:
        return f" · {counted(self.points, 'pt')}" if self.count else ""


class Swimlane(Struct):
    """A lane across all columns: its header (None on a board without lanes), and the cards of each column.

    `first` is the place of its first card.
    """

    header: GroupLine | None
    cells: list[range]
    totals: list[ColumnTotals]
    first: int = 0
    is_folded: bool = False
    height: int = field(default=0)


class CardGrid:
    """Rows and columns of cards.

    With lanes all columns scroll together: a row is a lane's header, or has at most one card in each column. A lane is
    as high as its highest column, or as the `only` shown one. Without lanes each column has rows of its own. A place is
    the index of a card among the view's ids. A column shows at most its number of cards in each lane, and a column of
    done items no more than make the lane higher than what is open; `whole` are the lanes that show all of them, None
    means all lanes.
    """

    def __init__(
        self,
        columns: Sequence[BoardColumn] = (),
        headers: Sequence[GroupLine] = (),
        collapsed: Collection[int] = (),
        folded: Collection[GroupKey] = (),
        only: int | None = None,
        *,
        whole: Collection[GroupKey] | None = None,
    ) -> None:
        self.columns = columns
        self.collapsed = frozenset(collapsed)
        self.totals = [ColumnTotals() for _ in columns]
        self.lanes: list[Swimlane] = []
        self._number = {each.first: number for number, each in enumerate(columns)}
        self._place(headers)
        if whole is not None and only is None:
            self._cut_done(whole)
        self._firsts: list[int] = []
        row = 0
        for lane in self.lanes:
            self._firsts.append(row)
            lane.is_folded = lane.header is not None and lane.header.group in folded
            cells = enumerate(lane.cells) if only is None else [(only, lane.cells[only])]
            shown = [len(cell) for number, cell in cells if number not in self.collapsed]
            lane.height = (lane.header is not None) + (0 if lane.is_folded else max(shown, default=0))
            row += lane.height
        self._height = row

    def _place(self, headers: Sequence[GroupLine]) -> None:
        deepest = max((header.level for header in headers), default=1)
        if deepest == 1:
            self._add_lane(None, 0)
        at = 0
        for header in headers:
            if header.level < deepest:
                self._add_lane(header, at)
                continue
            number = self._number.get(header.group[-1])
            if number is not None:
                most = self.columns[number].most
                shown = header.rows if most is None else min(most, header.rows)
                for totals in (self.totals[number], self.lanes[-1].totals[number]):
                    totals.count += header.rows
                    totals.points += header.points
                    totals.shown += shown
                self.lanes[-1].cells[number] = range(at, at + shown)
            at += header.rows

    def _add_lane(self, header: GroupLine | None, first: int) -> None:
        totals = [ColumnTotals() for _ in self.columns]
        self.lanes.append(Swimlane(header, [range(0)] * len(self.columns), totals, first))

    def _cut_done(self, whole: Collection[GroupKey]) -> None:
        for lane in self.lanes:
            most = self.open_height(lane)
            if lane.header is None or lane.header.group in whole or not most:
                continue
            for number, column in enumerate(self.columns):
                hidden = len(lane.cells[number]) - most
                if column.is_done and hidden > 0:
                    lane.cells[number] = lane.cells[number][:most]
                    for totals in (self.totals[number], lane.totals[number]):
                        totals.shown -= hidden

    def open_height(self, lane: Swimlane) -> int:
        """Return how many rows the cards of a lane need that are not done."""
        cells = zip(self.columns, lane.cells, strict=True)
        shown = [
            len(cell)
            for number, (column, cell) in enumerate(cells)
            if not column.is_done and number not in self.collapsed
        ]
        return max(shown, default=0)

    def has_open_cards(self, lane: Swimlane) -> bool:
        """Return whether a lane has cards that are not done, also in a column that the user folded."""
        cells = zip(self.columns, lane.cells, strict=True)
        return any(len(cell) for column, cell in cells if not (column.is_done or column.is_collapsed))

    @property
    def has_lanes(self) -> bool:
        """True where all columns scroll together, below headers."""
        return bool(self.lanes) and self.lanes[0].header is not None

    def open_columns(self) -> list[int]:
        return [number for number in range(len(self.columns)) if number not in self.collapsed]

    def height(self, column: int) -> int:
        if self.has_lanes:
            return self._height
        is_shown = 0 <= column < len(self.columns) and column not in self.collapsed
        return len(self.lanes[0].cells[column]) if is_shown and self.lanes else 0

    def lines(self, card_lines: int) -> int:
        """Return the lines of all lanes with cards of a height, which may have a blank line below all but the last."""
        blanks = sum(upper.is_folded and not lower.is_folded for upper, lower in pairwise(self.lanes))
        blanks -= any(lane.height > 1 for lane in self.lanes[-1:])
        cards = sum(lane.height - 1 for lane in self.lanes) * card_lines
        return len(self.lanes) + cards + blanks * (card_lines > CARD_LINES)

    def has_cards_below_others(self) -> bool:
        """Return whether a lane has more than one row of cards in sight."""
        return any(lane.height > 1 + self.has_lanes for lane in self.lanes)

    def gaps(self) -> int:
        """Return the blank lines between lanes: one above and below each open one."""
        return sum(not (upper.is_folded and lower.is_folded) for upper, lower in pairwise(self.lanes))

    def lane_at(self, row: int) -> tuple[Swimlane, int] | None:
        """Return the lane of a row, and the row's offset in the lane."""
        number = self._lane_number(row)
        return None if number is None else (self.lanes[number], row - self._firsts[number])

    def lanes_from(self, row: int) -> range:
        return range(bisect_left(self._firsts, row), len(self.lanes))

    def lane_with(self, place: int) -> Swimlane | None:
        """Return the lane of a card, whether it is shown or not; None without lanes."""
        number = bisect_right(self.lanes, place, key=lambda lane: lane.first) - 1
        return self.lanes[number] if self.has_lanes and number >= 0 else None

    def header_at(self, row: int) -> Swimlane | None:
        found = self.lane_at(row) if self.has_lanes else None
        return found[0] if found and found[1] == 0 else None

    def place_at(self, column: int, row: int) -> int | None:
        found = self.lane_at(row) if self.has_lanes else (self.lanes[0], row) if self.lanes else None
        if found is None or column in self.collapsed or not 0 <= column < len(self.columns):
            return None
        lane, offset = found
        cell, offset = lane.cells[column], offset - self.has_lanes
        return cell.start + offset if 0 <= offset < len(cell) and not lane.is_folded else None

    def places(self, column: int, start: int, stop: int) -> list[int]:
        found = (self.place_at(column, row) for row in range(max(0, start), min(stop, self.height(column))))
        return [place for place in found if place is not None]

    def all_places(self, column: int) -> list[int]:
        """Return the places of all shown cards of a column, in folded lanes too."""
        return [place for lane in self.lanes for place in lane.cells[column]]

    def spot_of(self, place: int) -> tuple[int, int] | None:
        """Return the column and the row of a card; the row of the header in a folded lane."""
        for first, lane in zip(self._firsts, self.lanes, strict=True):
            for column, cell in enumerate(lane.cells):
                if place in cell:
                    return column, first if lane.is_folded else first + self.has_lanes + place - cell.start
        return None

    def column_of(self, value: object) -> int | None:
        return next((number for number, each in enumerate(self.columns) if value in each.values), None)

    def lane_row(self, number: int) -> int | None:
        return self._firsts[number] if self.has_lanes and 0 <= number < len(self.lanes) else None

    def next_lane(self, column: int, row: int, step: int) -> int | None:
        """Return the first row for the cursor in the lane below (1) or above (-1); above, from inside a lane, its own.

        Lanes without a card of the column are passed over.
        """
        number = self._lane_number(row) if self.has_lanes else None
        while number is not None and 0 <= number < len(self.lanes):
            stops = self._stops(column, number)
            if stops and (stops.start > row if step > 0 else stops.start < row):
                return stops.start
            number += step
        return None

    def step(self, column: int, row: int, count: int) -> int:
        """Return the row some cards below (above) a row of a column; folded headers count as cards."""
        if not self.has_lanes:
            return max(0, min(row + count, self.height(column) - 1))
        direction = 1 if count > 0 else -1
        for _ in range(abs(count)):
            found = self._next_stop(column, row, direction)
            if found is None:
                break
            row = found
        return row

    def snapped(self, column: int, row: int, direction: int) -> int:
        """Return the nearest row with a card or a folded header, searched in a direction first."""
        header = self.header_at(row)
        if not self.has_lanes or (header.is_folded if header else self.place_at(column, row) is not None):
            return row
        first = -1 if direction < 0 else 1
        found = (self._next_stop(column, row, way) for way in (first, -first))
        return next((each for each in found if each is not None), row)

    def _next_stop(self, column: int, row: int, direction: int) -> int | None:
        """Return the next row for the cursor in a direction; the cost depends on the lanes between."""
        number = self._lane_number(row)
        while number is not None and 0 <= number < len(self.lanes):
            stops = self._stops(column, number)
            if stops and direction > 0 and row < stops.stop - 1:
                return max(row + 1, stops.start)
            if stops and direction < 0 and row > stops.start:
                return min(row - 1, stops.stop - 1)
            number += direction
            row = self._firsts[number] - 1 if direction > 0 and number < len(self.lanes) else row
        return None

    def _stops(self, column: int, number: int) -> range:
        """Return the rows of a lane for the cursor: its cards in a column, or its header where it is folded."""
        lane, first = self.lanes[number], self._firsts[number]
        length = 0 if lane.is_folded or column in self.collapsed else len(lane.cells[column])
        return range(first, first + 1) if lane.is_folded else range(first + 1, first + 1 + length)

    def _lane_number(self, row: int) -> int | None:
        number = bisect_right(self._firsts, row) - 1
        return number if number >= 0 else None

    def column_widths(self, width: int) -> dict[int, int | None]:
        """Return the cells of the columns; None for those that share the rest alike.

        Where all fit, they share the rest by their cards, as far as these are in sight. Where not all fit, an empty one
        is as wide as its head.
        """
        open_columns = self.open_columns()
        widths = dict[int, int | None].fromkeys(open_columns)
        free = width + GAP - len(open_columns) * (MIN_COLUMN_WIDTH + GAP)
        if open_columns and free >= 0:
            shares = [MIN_SHARE + min(self.totals[number].shown, MAX_SHARING_CARDS) for number in open_columns]
            edges = [free * edge // sum(shares) for edge in accumulate(shares, initial=0)]
            spare = (after - before for before, after in pairwise(edges))
            widths = {number: MIN_COLUMN_WIDTH + cells for number, cells in zip(open_columns, spare, strict=True)}
        if free < 0 and any(each.count for each in self.totals):
            for number in (each for each in open_columns if not self.totals[each].count):
                column, words = self.columns[number], count_words(self.columns[number], self.totals[number])
                widths[number] = min(cell_len(safe(column.word)), MIN_NAME_WIDTH) + len(f"◐    {words}")
        return widths


HEADER_LINES = 2
MIN_COLUMN_WIDTH = 22
"""Cells of a column with cards beside others."""
GAP = 2
MIN_SHARE, MAX_SHARING_CARDS = 2, 5
"""The share in the width of a column without cards, and the cards of one beyond which its share grows no more."""
MIN_NAME_WIDTH = 16
"""Cells of a column's name at least, if it has so many."""
CARD_LINES = 3
"""Lines of a card, of more with a blank below it."""
OVER_LIMIT_WORD = "over"
MIN_HEIGHT_WITH_LANE_LINES = 18
"""Lines of a board below which no lines follow the lanes."""


def is_over(column: BoardColumn, totals: ColumnTotals) -> bool:
    return column.limit is not None and totals.count > column.limit


def count_words(column: BoardColumn, totals: ColumnTotals) -> str:
    """Return the number of cards in a column, the shown ones of them or its limit, and a word over the limit."""
    if column.limit is None:
        return totals.shown_words
    return f"{totals.count:,} / {column.limit:,}" + (f" {OVER_LIMIT_WORD}" if is_over(column, totals) else "")


class ColumnSlot(Struct, frozen=True):
    """A column in sight: its number, its first cell and its width."""

    number: int
    x: int
    width: int


class BoardLayout(Struct, frozen=True):
    """The columns in sight from left to right, and the numbers of open columns beyond them."""

    slots: tuple[ColumnSlot, ...] = ()
    left: int = 0
    right: int = 0
    card_lines: int = 2
    has_gaps: bool = False
    """True where a blank line parts open lanes, whose cards have none below them."""
    is_single: bool = False
    """True where one column is in sight at a time."""
    lines: tuple[tuple[int, int], ...] = ()
    """The row on each line below the heads, counted from the first one in sight, and the line of the row.

    A lane's header, the first row too, has only the last line of a card, and the blank where cards have one and an open
    lane follows a folded one; what has a blank below it may lack that one at the end.
    """

    @property
    def shown(self) -> int:
        """The number of rows in sight, the last of which may be cut."""
        return self.lines[-1][0] + 1 if self.lines else 1

    def foot_lines(self, grid: CardGrid, height: int) -> int:
        """Return the lines below the cards: one counts those out of sight, or names the lanes below, if there are."""
        if self.is_single or not grid.has_lanes:
            return int(not self.is_single)
        has_all = self.lines_of(grid) <= height - HEADER_LINES and not any(each.hides_cards for each in grid.totals)
        return int(height >= MIN_HEIGHT_WITH_LANE_LINES and not has_all)

    def lines_of(self, grid: CardGrid) -> int:
        """Return the lines of all lanes."""
        return grid.lines(self.card_lines) + self.has_gaps * grid.gaps()

    def holds(self, grid: CardGrid, height: int) -> bool:
        """Return whether all lanes are in sight in a height."""
        return self.lines_of(grid) <= height - HEADER_LINES - self.foot_lines(grid, height)

    def fitted(self, grid: CardGrid, top: int, height: int) -> "BoardLayout":
        room, last = height - HEADER_LINES - self.foot_lines(grid, height), min(self.card_lines, CARD_LINES) - 1
        lines: list[tuple[int, int]] = []
        for row in range(room):
            is_header = grid.has_lanes and (not row or grid.header_at(top + row) is not None)
            own = [(row, line) for line in range(self.card_lines)]
            if is_header:
                has_blank = self.card_lines > CARD_LINES and _is_above_open(grid, top + row)
                own = own[last:] if has_blank else own[last : last + 1]
            if self.has_gaps and _is_above_gap(grid, top + row):
                own.append((row, CARD_LINES))
            if room - len(lines) < len(own) - (own[-1][1] == CARD_LINES):
                break
            lines += own[: room - len(lines)]
        if lines and lines[-1][0] and _is_open_header(grid, top + lines[-1][0]):
            lines = [each for each in lines if each[0] < lines[-1][0]]  # no header without a card below it
        return replace(self, lines=tuple(lines))

    def slot(self, number: int) -> ColumnSlot | None:
        return next((each for each in self.slots if each.number == number), None)

    def slot_at(self, x: int) -> ColumnSlot | None:
        return next((each for each in self.slots if each.x <= x < each.x + each.width), None)


def _is_open_header(grid: CardGrid, row: int) -> bool:
    lane = grid.header_at(row)
    return lane is not None and not lane.is_folded and lane.height > 1


def _is_above_open(grid: CardGrid, row: int) -> bool:
    lane = grid.header_at(row)
    return lane is not None and lane.is_folded and _is_open_header(grid, row + 1)


def _is_above_gap(grid: CardGrid, row: int) -> bool:
    lane, below = grid.header_at(row), grid.header_at(row + 1)
    return below is not None and not (lane is not None and lane.is_folded and below.is_folded)


def lay_out_columns(width: int, columns: Mapping[int, int | None], current: int, before: BoardLayout) -> BoardLayout:
    """Lay out the open columns with the current one in sight, moving as little as possible from the layout before.

    `columns` has a width by number, None for a column that shares the rest.
    """
    shown = list(columns)
    if not shown or width <= 0:
        return replace(before, slots=(), left=0, right=0)
    at = max(0, bisect_right(shown, current) - 1)
    if before.is_single:
        return replace(before, slots=(ColumnSlot(current, 0, width),), left=at, right=len(shown) - at - 1)
    least = [columns[number] or MIN_COLUMN_WIDTH for number in shown]

    def taken(start: int, stop: int) -> int:
        return sum(least[start:stop]) + GAP * (stop - start - 1)

    first = min(before.left, at)
    while taken(first, at + 1) > width and first < at:
        first += 1
    last = at + 1
    while last < len(shown) and taken(first, last + 1) <= width:
        last += 1
    while first > 0 and taken(first - 1, last) <= width:
        first -= 1
    growing = [number for number in shown[first:last] if columns[number] is None]
    each, more = divmod(max(0, width - taken(first, last)), len(growing)) if growing else (0, 0)
    slots: list[ColumnSlot] = []
    x = 0
    for number, own in zip(shown[first:last], least[first:last], strict=True):
        extra = each + (growing.index(number) < more) if number in growing else 0
        slots.append(ColumnSlot(number, x, min(width, own + extra)))
        x += slots[-1].width + GAP
    return replace(before, slots=tuple(slots), left=first, right=len(shown) - last)
