"""The drawing of a board: the cards in sight, one card with the head of its column, and the lines of all columns."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import groupby, islice, starmap
from typing import NamedTuple, Protocol

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from backlit.model.amounts import counted, estimate_text
from backlit.model.planning import Capacity
from backlit.model.statuses import status_word
from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import (
    GAP,
    HEADER_LINES,
    MIN_NAME_WIDTH,
    BoardLayout,
    ColumnSlot,
    ColumnTotals,
    Swimlane,
    count_words,
    is_over,
)
from backlit.tui.board.position import BoardPosition
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.charts import capacity_bar
from backlit.tui.drawing.text import fit, safe, wrapped
from backlit.tui.drawing.themes import CURSOR_BAR, KEY, ThemeStyles, status_colour, status_sign, type_colour, type_sign
from backlit.tui.widgets.item_list import RowSelection
from backlit.tui.widgets.item_rows import (
    CURSOR_BACKGROUND,
    SELECTED_BACKGROUND,
    SELECTED_SIGN,
    USUAL_COLUMNS,
    Badge,
    Badges,
    DisplayNames,
    ListColumn,
    RowLayout,
    group_counts,
    lacks_estimate,
    state_sign,
)
from backlit.tui.widgets.side_lines import indices_around

ROWS_KEPT = 4_000
CARDS_KEPT = 512
CardLines = tuple[Strip, ...]
INDENT = 5
"""Cells before a card's name: bar, selection, a blank, type and a blank; the state is below the type."""
LIMIT_BAR = 6
"""Cells of the bar of a limit."""
MIN_FACT_WIDTH, MIN_LANE_WIDTH = 6, len("▸  1   ")
"""The fewest cells of a fact on a card, and of a folded lane's name and count."""


class HiddenColumnLabel(NamedTuple):
    """A word for a column in the line below the heads, at its left (-1) or right (1); None for no column."""

    text: str
    side: int
    number: int | None = None


class CardWindow:
    """The cards in sight by their places in the view, with their badges; read column by column."""

    def __init__(self, names: DisplayNames) -> None:
        self._rows: dict[int, ItemRow] = {}
        self._badges = Badges(names, self.read)

    def read(self) -> Sequence[ItemRow]:
        return [*self._rows.values()]

    def at(self, view: View, place: int, in_sight: Callable[[], Sequence[int]]) -> ItemRow | None:
        """Return the card at a place of the view; an unread card is read with the others in sight of its column."""
        if place not in self._rows:
            if len(self._rows) > ROWS_KEPT:
                self._rows.clear()
            for run in _runs([*in_sight(), place]):
                self._rows.update(zip(run, view.rows(run.start, run.stop), strict=False))
        return self._rows.get(place)

    def badge(self, item_id: int) -> Badge:
        return self._badges.of(item_id)

    def forget_rows(self) -> None:
        self._rows.clear()

    def forget_items(self, ids: set[int] | None) -> None:
        self._badges.forget(None if len(self._badges) > ROWS_KEPT else ids)
        for place in [place for place, row in self._rows.items() if ids is None or row.id in ids]:
            del self._rows[place]


def _runs(places: Sequence[int]) -> Iterator[range]:
    for _, stretch in groupby(enumerate(sorted(set(places))), lambda each: each[1] - each[0]):
        run = [place for _, place in stretch]
        yield range(run[0], run[-1] + 1)


class BoardToPaint(Protocol):
    """A board as its painter sees it."""

    position: BoardPosition
    cursor: int
    top: int
    laid_out: BoardLayout
    box: Size
    view: View | None
    selection: RowSelection
    cards: CardWindow

    @property
    def page(self) -> int: ...

    def draw_empty_line(self, y: int) -> Strip: ...


class CardPainter:
    """Draws for one theme and one choice of columns; with `has_status` cards name their status."""

    def __init__(self, theme: ThemeStyles, names: DisplayNames, *, has_status: bool) -> None:
        self._theme = theme
        self._names = names
        self._has_status = has_status
        self.ground = theme.style()
        self._blanks: dict[int, Strip] = {}
        self._tables: dict[tuple[int, int, tuple[ListColumn, ...]], RowLayout] = {}

    def head(self, column: BoardColumn, totals: ColumnTotals, width: int) -> Strip:
        """Draw the name of a column with its figures, its points where they fit, and a bar up to its limit."""
        style, over = self._theme.style, is_over(column, totals)
        name, count = column.word, count_words(column, totals)
        points = totals.points_words
        points *= width - len(f"   {count}{points}") >= min(cell_len(safe(name)), MIN_NAME_WIDTH)
        room, bar = width - 3 - len(count + points), []
        if column.limit and room - cell_len(safe(name)) > LIMIT_BAR:
            bar = [*capacity_bar(totals.count, 0, Capacity(None, column.limit), LIMIT_BAR), (" ", "muted")]
        parts = [(" ", "muted"), *bar, (count, "conflict" if over else "foreground"), (f"{points} ", "muted")]
        figures = (Segment(text, style(colour, bold=over and text == count)) for text, colour in parts)
        named = Segment(fit(name, max(1, room - sum(cell_len(text) for text, _ in bar))), style(bold=True))
        return Strip([Segment(" ", style()), named, *figures]).adjust_cell_length(width, style())

    def rules(self, slots: Sequence[ColumnSlot], current: int, words: Sequence[HiddenColumnLabel], width: int) -> Strip:
        """Draw the line below the heads, with words about columns out of sight over its ends."""
        style = self._theme.style
        looks = [("━", style("foreground")) if each.number == current else ("─", style("rule")) for each in slots]
        rules = [Segment(line * slot.width, look) for slot, (line, look) in zip(slots, looks, strict=True)]
        lines = [segment for rule in rules for segment in (rule, Segment(" " * GAP, style()))]
        sides = ([each for each in words if each.side == way] for way in (-1, 1))
        left, right = (Strip([Segment(each.text, style("muted")) for each in side]) for side in sides)
        start, end = left.cell_length, width - right.cell_length
        rule = Strip(lines).adjust_cell_length(width, style()).crop(start, max(start, end))
        return Strip.join([left, rule, right]).adjust_cell_length(width, style())

    def tabs(self, columns: Sequence[BoardColumn], totals: Sequence[ColumnTotals], current: int, width: int) -> Strip:
        theme = self._theme
        words = [f"{safe(each.word)} {count_words(each, sums)}" for each, sums in zip(columns, totals, strict=True)]
        sight = indices_around([cell_len(each) + 3 for each in words], current, width - 3)
        segments = [Segment("‹ " if sight.start else " ", theme.style("muted"))]
        for number in sight:
            is_current = number == current
            colour = "conflict" if is_over(columns[number], totals[number]) else "foreground" if is_current else "muted"
            segments += [Segment(words[number], theme.style(colour, bold=is_current)), Segment("   ", theme.style())]
        more = [Segment("›", theme.style("muted"))] if sight.stop < len(words) else []
        return Strip([*segments[:-1], Segment("  ", theme.style()), *more]).adjust_cell_length(width, theme.style())

    def card(
        self, row: ItemRow, width: int, lines: int, *, is_cursor: bool, is_selected: bool, badge: Badge
    ) -> CardLines:
        """Draw a card: type and title, in up to two lines, and facts; the rest is blank.

        On a card of two lines the rest of a title is before the facts, or is cut where they leave no room for it.
        """
        theme, on = self._theme, CURSOR_BACKGROUND if is_cursor else SELECTED_BACKGROUND if is_selected else None
        edge = Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on))
        room = max(1, width - INDENT - 1)
        title, *more = wrapped(row.name, room)
        rest, (sign, sign_colour), name = " ".join(more), state_sign(row, badge), theme.style(on=on, bold=is_cursor)
        facts = self._facts(row, room, on)
        if rest and lines == 2:
            beside = [Segment(rest, name), Segment(" · ", theme.style("muted", on=on)), *facts]
            title, facts = (title, beside) if Segment.get_line_length(beside) <= room else (row.name, facts)
        mark = Segment(SELECTED_SIGN if is_selected else " ", theme.style("mark", on=on, bold=True))
        kind = Segment(f" {type_sign(row.type)} ", theme.style(type_colour(row.type), on=on))
        found = [Strip([edge, mark, kind, Segment(fit(title, room), name)])]
        if rest and lines > 2:
            found.append(Strip([edge, Segment(" " * (INDENT - 1) + fit(rest, room), name)]))
        state = Segment(f"{sign:>{INDENT - 2}} ", theme.style(sign_colour, on=on, bold=True))
        found.append(Strip([edge, state, *facts]))
        drawn = [each.adjust_cell_length(width, theme.style(on=on)) for each in found]
        return (*drawn, *[self.blank(width)] * (lines - len(drawn)))

    def _facts(self, row: ItemRow, room: int, on: str | None) -> list[Segment]:
        """Return number, points, status and owner, as many as fit; dim, so that the titles tell the cards apart."""
        groups = self._names.status_groups()
        facts = [(f"#{row.id}" if row.id > 0 else "new", "muted")]
        if row.estimate:
            facts.append((safe(estimate_text(row.estimate)), "muted"))
        elif lacks_estimate(row, groups):
            facts.append(("no pts", "muted"))
        if self._has_status and row.status:
            word = f"{status_sign(row.status, groups)} {status_word(row.status)}"
            facts.append((word, status_colour(row.status, groups)))
        owner = self._names.owner(row.owner_id)
        facts += [(safe(owner), "muted")] if owner else []
        segments: list[Segment] = []
        for text, colour in facts:
            separator = " · " if segments else ""
            if room < cell_len(separator) + min(cell_len(text), MIN_FACT_WIDTH):
                break
            shown = fit(text, min(cell_len(text), room - cell_len(separator)))
            pair = ((separator, "muted"), (shown, colour))
            segments += [Segment(each, self._theme.style(tone, on=on)) for each, tone in pair]
            room -= cell_len(separator) + cell_len(shown)
        return segments

    def table(self, width: int, largest_id: int = 0, columns: Sequence[ListColumn] = USUAL_COLUMNS) -> RowLayout:
        """Return the columns of a list for cards in single mode."""
        key = (width, largest_id, tuple(columns))
        if key not in self._tables:
            self._tables[key] = RowLayout(width, self._names, self._theme, largest_id, columns)
        return self._tables[key]

    def lane(
        self, header: GroupLine, cells: Sequence[tuple[ColumnSlot, ColumnTotals]], width: int, *, is_cursor: bool
    ) -> Strip:
        """Draw the header of a lane with its sums, and beside it a rule with those of each column; points go first."""
        style, on = self._theme.style, CURSOR_BACKGROUND if is_cursor else None
        counts, points = f"  {' + '.join(group_counts(header))} · ", counted(header.points, "pt")
        name = safe(self._names.group(header))
        for slot, totals in cells[:1]:
            least = cell_len(name) + len(f"▌▾   {points}  {totals.shown_words}{totals.points_words} ")
            counts = "  " if totals.count and least < slot.width <= least + len(counts) - 2 else counts
        parts = [("▌" if is_cursor else " ", style(CURSOR_BAR, on=on))]
        parts += [("▸ " if header.is_folded else "▾ ", style("muted", on=on))]
        parts += [(fit(name, min(cell_len(name), width - len(counts + points) - 3)), self._theme.heading(on=on))]
        parts += [(counts, style("muted", on=on)), (points, style(on=on, bold=True))]
        at = sum(cell_len(text) for text, _ in parts)
        for slot, totals in cells:
            start, end = max(at + 1, slot.x), slot.x + slot.width
            if start < end:
                sums = (f" {totals.shown_words}{points} " for points in (totals.points_words, "") if totals.count)
                words = next((each for each in sums if len(each) < end - start), "")
                parts += [(" " * (start - at), style(on=on)), ("─" * (end - start - len(words)), style("rule", on=on))]
                parts += [(words, style("muted", on=on))]
                at = end
        return Strip(starmap(Segment, parts)).adjust_cell_length(width, style(on=on))

    def foot(self, below: int, hidden: int, width: int) -> Strip:
        """Draw the number of cards below those in sight, and that of older ones with the key that shows them."""
        key = key_of("board.all-done")
        parts = [(" " * INDENT, "muted"), (f"{below:,} more ↓" if below else "", "muted")]
        parts += [("  " if below else "", "muted"), (key, KEY), (f" {hidden:,} older", "muted")] if hidden else []
        return self._words(parts, width)

    def lanes(self, below: Iterable[GroupLine], count: int, width: int) -> Strip:
        """Draw the lanes below those in sight like folded ones, as many as fit, and the key of the next one."""
        named = [
            (safe(self._names.group(each)), f" {each.rows:,}   ") for each in islice(below, width // MIN_LANE_WIDTH)
        ]
        key, label = key_of("list.next-group"), " next lane"
        sizes = [cell_len(f"▸ {name}{rows}") for name, rows in named]
        fitting = indices_around(sizes, 0, width - len(f" 99 more lanes   {key}{label} ")).stop
        parts = [(" ", "muted")]
        for name, rows in named[:fitting]:
            parts += [("▸ ", "muted"), (name, "foreground"), (rows, "muted")]
        more = [(f"{counted(count - fitting, 'more lane')}   ", "muted")] if fitting < count else []
        return self._words([*parts, *more, (key, KEY), (label, "muted")] if count else [], width)

    def _words(self, parts: Sequence[tuple[str, str]], width: int) -> Strip:
        words = [Segment(text, self._theme.style(colour)) for text, colour in parts]
        return Strip(words).adjust_cell_length(width, self.ground)

    def blank(self, width: int) -> Strip:
        if width not in self._blanks:
            self._blanks[width] = Strip.blank(width, self.ground)
        return self._blanks[width]


# Only cards in sight are read and drawn, and of their lines only the parts that look otherwise are painted. A card that
# was moved wrote 82,000 bytes before that, and 27,000 since, with 242 cards and with 5,347 (`python -m benchmarks
# board`).
class BoardPainter:
    """Draws lines and caches drawn cards; `make` returns a painter of cards in the theme's colours."""

    def __init__(self, board: BoardToPaint, make: Callable[[], CardPainter]) -> None:
        self._board = board
        self._make = make
        self._kept: CardPainter | None = None
        self._drawn: dict[tuple[ItemRow, int, int, bool, bool, Badge], CardLines] = {}
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
            return [(slot.x, self._foot(slot)) for slot in layout.slots] if y == foot else [(0, self._lanes_below())]
        if not sum(totals.count for totals in grid.totals):
            return [(0, self._board.draw_empty_line(y - HEADER_LINES))]
        if y - HEADER_LINES >= len(layout.lines):
            return [(0, self._painter.blank(self._board.box.width))]
        offset, line = layout.lines[y - HEADER_LINES]
        lane = grid.header_at(self._board.top + offset)
        if lane is None and offset == 0 and self._board.cursor != self._board.top:
            lane = self._board.position.lane(self._board.top)  # its header scrolled away
        if lane is not None:
            return [(0, self._lane_line(lane, self._board.top + offset))]
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
            return [(0, painter.rules(layout.slots, current, self._words(), width))]
        if layout.is_single:
            return [(0, painter.tabs(grid.columns, grid.totals, current, width))]
        heads = [(slot, grid.columns[slot.number], grid.totals[slot.number]) for slot in layout.slots]
        return [(slot.x, painter.head(column, totals, slot.width)) for slot, column, totals in heads]

    def _words(self) -> list[HiddenColumnLabel]:
        grid, layout = self._board.position.grid, self._board.laid_out
        if layout.is_single:
            return []
        shown = grid.open_columns()
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

        full = [*words(before, -1, is_brief=False), *words(beyond, 1, is_brief=False)]
        if sum(cell_len(each.text) for each in full) <= self._board.box.width * 2 // 3:
            return full
        return [*words(before, -1, is_brief=True), *words(beyond, 1, is_brief=True)]

    def _lane_line(self, lane: Swimlane, row: int) -> Strip:
        assert lane.header is not None
        header = replace(lane.header, is_folded=lane.is_folded, count=lane.header.rows)
        cells = [(slot, lane.totals[slot.number]) for slot in self._board.laid_out.slots]
        return self._painter.lane(header, cells, self._board.box.width, is_cursor=row == self._board.cursor)

    def _cell(self, slot: ColumnSlot, offset: int, line: int) -> Strip:
        is_current = slot.number == self._board.position.column
        board, position = self._board, self._board.position
        row = position.top_of(slot.number, board.top, board.page) + offset
        place = position.grid.place_at(slot.number, row)
        found = None
        if place is not None and board.view is not None:
            in_sight = partial(position.places_in_sight, slot.number, board.top, board.laid_out.shown)
            found = board.cards.at(board.view, place, in_sight)
        if found is None:
            return self._painter.blank(slot.width)
        is_cursor = is_current and row == board.cursor
        is_selected = board.selection.has_row(row, found.id) if is_current else board.selection.has(found.id)
        return self._card(found, slot.width, is_cursor, is_selected)[line]

    def _lanes_below(self) -> Strip:
        board, grid = self._board, self._board.position.grid
        below = grid.lanes_from(board.top + board.laid_out.shown)
        headers = (header for number in below if (header := grid.lanes[number].header))
        return self._painter.lanes(headers, len(below), board.box.width)

    def _foot(self, slot: ColumnSlot) -> Strip:
        board, position = self._board, self._board.position
        totals = position.grid.totals[slot.number]
        end = position.top_of(slot.number, board.top, board.page) + board.laid_out.shown
        found = position.grid.lane_at(end - 1)
        below = len(found[0].cells[slot.number]) - found[1] - (not position.grid.has_lanes) if found else 0
        is_folded = found is not None and found[0].is_folded
        return self._painter.foot(0 if is_folded else max(0, below), totals.count - totals.shown, slot.width)

    def _card(self, row: ItemRow, width: int, is_cursor: bool, is_selected: bool) -> CardLines:
        lines, badge = self._board.laid_out.card_lines, self._board.cards.badge(row.id)
        key = (row, width, lines, is_cursor, is_selected, badge)
        if key not in self._drawn:
            if len(self._drawn) >= CARDS_KEPT:
                self._drawn.clear()
            self._drawn[key] = self._draw(row, width, is_cursor, is_selected, badge)
        return self._drawn[key]

    def _draw(self, row: ItemRow, width: int, is_cursor: bool, is_selected: bool, badge: Badge) -> CardLines:
        lines = self._board.laid_out.card_lines
        if lines > 1:
            return self._painter.card(row, width, lines, is_cursor=is_cursor, is_selected=is_selected, badge=badge)
        columns = self._painter.table(width, self._board.view.largest_id if self._board.view else 0)
        return (columns.row(row, is_cursor=is_cursor, is_selected=is_selected, badge=badge),)
