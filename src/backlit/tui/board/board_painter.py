"""The drawing of a board: the cards in sight, one card with the head of its column, and the lines of all columns."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import islice, starmap
from typing import NamedTuple, Protocol

from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.geometry import Size
from textual.strip import Strip

from backlit.model.amounts import counted
from backlit.model.fields import ItemType
from backlit.model.statuses import STARTED_GROUPS, status_word
from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.store.views.view import View
from backlit.tui.board.card_window import CardWindow
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import (
    CARD_LINES,
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
from backlit.tui.drawing.text import fit, fit_right, safe, wrapped
from backlit.tui.drawing.themes import (
    CURSOR_BAR,
    FOCUSED_HEAD,
    KEY,
    ThemeStyles,
    status_colour,
    status_sign,
    type_colour,
    type_sign,
)
from backlit.tui.widgets.flash import FLASH_GROUND, Flash
from backlit.tui.widgets.item_list import RowSelection
from backlit.tui.widgets.item_rows import (
    BLOCKED_SIGN,
    CURSOR_BACKGROUND,
    SELECTED_BACKGROUND,
    SELECTED_SIGN,
    UNESTIMATED_SIGN,
    UNREADY_SIGN,
    Badge,
    DisplayNames,
    group_counts,
    lacks_estimate,
    marked,
    state_sign,
)
from backlit.tui.widgets.side_lines import indices_around

CARDS_KEPT = 512
CardLines = tuple[Strip, ...]
INDENT = 2
"""Cells before the lines of a card: its edge and a blank."""
MIN_CARD_LINES = 2
"""Lines of the lowest card: its name and its facts."""
POINT_CELLS, MAX_POINT_CELLS = 4, 8
"""Cells of a card's points, with the blanks before them, and of a longer estimate at most."""
"""Statuses in which a card says what it lacks."""
MIN_FACT_WIDTH, MIN_LANE_WIDTH = 6, len("▸  1   ")
"""The fewest cells of a fact on a card, and of a folded lane's name and count."""


class HiddenColumnLabel(NamedTuple):
    """A word for a column in the line below the heads, at its left (-1) or right (1); None for no column."""

    text: str
    side: int
    number: int | None = None


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


class CardPainter:
    """Draws for one theme and one choice of columns and lanes; with `has_status` cards name their status.

    With `has_owner` they name their owner, who else is the name of their lane or column.

    Parts of names that are `sought`, in lower case, are marked.
    """

    def __init__(
        self, theme: ThemeStyles, names: DisplayNames, *, has_status: bool, has_owner: bool, sought: Sequence[str] = ()
    ) -> None:
        self._sought = sought
        self._theme = theme
        self._names = names
        self._has_status, self._has_owner = has_status, has_owner
        self.ground = theme.style()
        self._blanks: dict[int, Strip] = {}

    def head(self, column: BoardColumn, totals: ColumnTotals, width: int) -> Strip:
        """Draw the sign and the name of a column with its count, and its points at the right where they fit."""
        style, groups = self._theme.style, self._names.status_groups()
        sign = [Segment(f"{status_sign(str(column.first), groups)} ", style(self.column_colour(column)))]
        sign = [] if self._has_status or column.first is None else sign
        count, is_full = count_words(column, totals), is_over(column, totals)
        points = counted(totals.points, "pt") if totals.count else ""
        room = width - Segment.get_line_length(sign) - cell_len(count) - 1
        name_cells = min(cell_len(safe(column.word)), MIN_NAME_WIDTH)
        points = points if room - name_cells >= cell_len(points) + 2 else ""
        name = fit(column.word, max(1, min(cell_len(safe(column.word)), room - cell_len(points) - 2 * bool(points))))
        blanks = " " * (room - cell_len(name) - cell_len(points))
        figures = Segment(f" {count}", style("conflict" if is_full else "muted", bold=is_full))
        parts = [*sign, Segment(name, style(bold=True)), figures, Segment(blanks + points, style("muted"))]
        return Strip(parts).adjust_cell_length(width, style())

    def column_colour(self, column: BoardColumn) -> str:
        """Return the colour of a column's status, on a board by other fields that of a rule."""
        groups = self._names.status_groups()
        return "rule" if self._has_status or column.first is None else status_colour(str(column.first), groups)

    def rules(
        self, slots: Sequence[tuple[ColumnSlot, str]], current: int, words: Sequence[HiddenColumnLabel], width: int
    ) -> Strip:
        """Draw the lines below the heads in a colour each, with words about columns out of sight over the ends."""
        style = self._theme.style
        looks = [
            ("━", style(FOCUSED_HEAD if colour != "conflict" else colour))
            if slot.number == current
            else ("─", style(colour))
            for slot, colour in slots
        ]
        rules = [Segment(line * slot.width, look) for (slot, _), (line, look) in zip(slots, looks, strict=True)]
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
        self,
        row: ItemRow,
        width: int,
        lines: int,
        *,
        is_cursor: bool,
        is_selected: bool,
        badge: Badge,
        has_surface: bool = True,
        is_flashing: bool = False,
    ) -> CardLines:
        """Draw a card: its name in up to two lines, and its facts; a line below those is blank.

        The ground of the cursor has the lines of the name alone, which keeps a step small on the wire; so has that of
        a card that flashes. On a card of two lines the name is cut, so that facts are in one column. Where no blank
        parts the cards, every second one has no surface.
        """
        theme, ground = self._theme, SELECTED_BACKGROUND if is_selected else "surface" if has_surface else None
        edge = ("█", CURSOR_BAR) if is_cursor else ("▌", type_colour(row.type))
        room, on = max(1, width - INDENT - 1), CURSOR_BACKGROUND if is_cursor else ground
        under_name = FLASH_GROUND if is_flashing else on
        is_done = not self._names.status_groups().is_open(row.status)
        name = theme.style(
            "muted" if is_done and not (is_cursor or is_flashing) else "foreground",
            on=under_name,
            bold=is_cursor or (row.type == ItemType.FEATURE and not is_done),
        )
        title, *more = wrapped(row.name, room)
        names = [row.name] if lines == MIN_CARD_LINES else [title, " ".join(more)]
        facts = self._facts(row, room, ground, badge, is_selected=is_selected)

        def drawn(line: Sequence[Segment], under: str | None) -> Strip:
            start = Segment(edge[0], theme.style(edge[1], on=under)), Segment(" ", theme.style(on=under))
            return Strip([*start, *line]).adjust_cell_length(width, theme.style(on=under))

        found = [drawn([*marked(fit(each, room), self._sought, name)], on) for each in names]
        found.append(drawn(facts, ground))
        return (*found, *[self.blank(width)] * (lines - len(found)))

    def _facts(self, row: ItemRow, room: int, on: str | None, badge: Badge, *, is_selected: bool) -> list[Segment]:
        """Return sign and number, what is missing or its status, and at the right owner and points.

        Where it is tight, the tasks go first, then what is missing, then the owner.
        """
        style, groups = self._theme.style, self._names.status_groups()
        sign, sign_colour = state_sign(row, badge)
        left: list[tuple[str, str, bool]] = [(f"{SELECTED_SIGN} ", "mark", True)] * is_selected
        left += [(f"{sign} ", sign_colour, True)] if sign not in {" ", UNREADY_SIGN} else []
        left += [(f"{type_sign(row.type)} ", type_colour(row.type), False)]
        left += [(f"#{row.id}" if row.id > 0 else "new", "muted", False)]
        left += [(f" {BLOCKED_SIGN}{badge.blockers}", "warn", False)] if badge.blockers else []
        points = (
            (fit(row.estimate, min(len(row.estimate), MAX_POINT_CELLS)), "foreground", True)
            if row.estimate
            else ("", "muted", False)
        )
        if lacks_estimate(row, groups):
            points = (UNESTIMATED_SIGN, "muted", False)
        owner = safe(self._names.owner(row.owner_id)) if self._has_owner else ""
        more: list[tuple[str, str, bool]] = []
        if self._has_status and row.status:
            word = f"  {status_sign(row.status, groups)} {status_word(row.status)}"
            more.append((word, status_colour(row.status, groups), False))
        elif badge.is_unready and groups.of(row.status) in STARTED_GROUPS:
            more.append(
                (f"  {UNREADY_SIGN} {'no estimate' if lacks_estimate(row, groups) else 'not ready'}", "warn", True)
            )

        def cells(parts: Sequence[tuple[str, str, bool]]) -> int:
            return sum(cell_len(text) for text, _, _ in parts)

        end = [(f"  {fit_right(points[0], max(POINT_CELLS - 2, cell_len(points[0])))}", *points[1:])]
        free = room - cells(left) - cells(end)
        named = f"  {fit(owner, min(cell_len(owner), max(MIN_FACT_WIDTH, free - 2)))}" if owner else ""
        if cell_len(named) > free:
            named = ""
        if cells(more) + cell_len(named) > free:
            more = [(f"  {UNREADY_SIGN}", "warn", True)] if more and not self._has_status else []
        more = more if cells(more) + cell_len(named) <= free else []
        if badge.task_progress is not None:
            done, count = badge.task_progress
            tasks = (f"  {done}/{counted(count, 'task')}", "muted", False)
            more = [tasks, *more] if cells([tasks, *more]) + cell_len(named) <= free else more
        blanks = free - cells(more) - cell_len(named)
        between = [(" " * max(0, blanks), "muted", False), (named, self._names.owner_colour(row.owner_id), False)]
        parts = [*left, *more, *between, *end] if free >= 0 else left
        return [Segment(text, style(colour, on=on, bold=bold)) for text, colour, bold in parts if text]

    def lane(
        self, header: GroupLine, cells: Sequence[tuple[ColumnSlot, ColumnTotals]], width: int, *, is_cursor: bool
    ) -> Strip:
        """Draw the header of a lane with its sums, and beside it a rule with those of each column; points go first."""
        style, on = self._theme.style, CURSOR_BACKGROUND if is_cursor else None
        counts, points = f"  {' + '.join(group_counts(header))} · ", counted(header.points, "pt")
        name = safe(self._names.group(header))
        if f"/{points}" in name:  # a Feature's progress says them
            counts, points = counts.removesuffix(" · "), ""
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

    def foot(self, above: int, below: int, hidden: str, width: int) -> Strip:
        """Draw the cards above and below those in sight, and words for hidden ones with the key that shows them."""
        key = key_of("board.all-done")
        counts = [f"{above:,} more ↑"] * bool(above) + [f"{below:,} more ↓"] * bool(below)
        parts = [(" " * INDENT, "muted"), ("  ".join(counts), "muted")]
        parts += [("  " if counts else "", "muted"), (key, KEY), (f" {hidden}", "muted")] if hidden else []
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
        self._drawn: dict[tuple[ItemRow, int, int, bool, bool, bool, bool, Badge], CardLines] = {}
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
            return [HiddenColumnLabel(f" {word}, {key_of('board.collapse')} opens it ", -1, current)]
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
        lane = position.grid.lane_at(row)
        has_surface = board.laid_out.card_lines > CARD_LINES or lane is None or lane[1] % 2 == position.grid.has_lanes
        return self._card(found, slot.width, is_cursor, is_selected, has_surface)[line]

    def _lanes_below(self) -> Strip:
        board, grid = self._board, self._board.position.grid
        below = grid.lanes_from(board.top + board.laid_out.shown)
        headers = (header for number in below if (header := grid.lanes[number].header))
        return self._painter.lanes(headers, len(below), board.box.width)

    def _foot(self, slot: ColumnSlot) -> Strip:
        board, position = self._board, self._board.position
        totals = position.grid.totals[slot.number]
        top = position.top_of(slot.number, board.top, board.page)
        end = top + board.laid_out.shown
        found = position.grid.lane_at(end - 1)
        below = len(found[0].cells[slot.number]) - found[1] - (not position.grid.has_lanes) if found else 0
        is_folded = found is not None and found[0].is_folded
        hidden = totals.count - totals.shown
        words = f"{hidden:,} {'more' if position.grid.has_lanes else 'older'}" if hidden else ""
        above = 0 if position.grid.has_lanes else top
        return self._painter.foot(above, 0 if is_folded else max(0, below), words, slot.width)

    def _card(self, row: ItemRow, width: int, is_cursor: bool, is_selected: bool, has_surface: bool) -> CardLines:
        lines, badge = self._board.laid_out.card_lines, self._board.cards.badge(row.id)
        is_flashing = row.id in self._board.flash
        key = (row, width, lines, is_cursor, is_selected, has_surface, is_flashing, badge)
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
                has_surface=has_surface,
                is_flashing=is_flashing,
            )
        return self._drawn[key]
