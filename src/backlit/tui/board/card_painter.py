"""The drawing of one card, of the head of its column and of its lane, and of the words around the cards."""

from collections.abc import Iterable, Sequence
from itertools import islice, starmap
from typing import NamedTuple

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from backlit.model.amounts import counted
from backlit.model.fields import ItemType
from backlit.model.statuses import STARTED_GROUPS, status_word
from backlit.store.records.item import ItemRow
from backlit.store.views.groups import GroupLine
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import (
    GAP,
    MIN_NAME_WIDTH,
    ColumnSlot,
    ColumnTotals,
    count_words,
    is_over,
)
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.text import fit, fit_right, marked, safe, wrapped
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
from backlit.tui.widgets.flash import FLASH_GROUND
from backlit.tui.widgets.item_rows import (
    BLOCKED_SIGN,
    CURSOR_BACKGROUND,
    SELECTED_BACKGROUND,
    SELECTED_SIGN,
    UNESTIMATED_SIGN,
    UNREADY_SIGN,
    Badge,
    DisplayNames,
    lacks_estimate,
    state_sign,
)
from backlit.tui.widgets.side_lines import indices_around

CardLines = tuple[Strip, ...]
CardFact = tuple[str, str, bool]
"""A fact of a card: its text, its colour, and whether it is bold."""
CARD_GROUND, NAME_GROUND = "surface", "key-background"
"""The ground of a card, and of its name above facts."""
INDENT = 2
"""Cells before the lines of a card: its edge and a blank."""
SHOWN_WORD = " shown"
"""What follows the number of cards in the head of a column that hides some, where there is room."""
UNREADY_WORDS, BLOCKED_WORDS = " not ready", "  blocked"
"""What follows the sign of a started card that is not ready, and that an open item comes before a card."""
COMPACT_CARD_LINES, MIN_CARD_LINES = 1, 2
"""Lines of a card that has its name among its facts, and of the lowest one with a line for each."""
MIN_NUMBER_CELLS = 4
"""Cells of a number that ends a line, so that those of three digits stand below each other."""
POINT_CELLS, MAX_POINT_CELLS = 4, 8
"""Cells of a card's points, with the blanks before them, and of a longer estimate at most."""
MIN_FACT_WIDTH, MIN_LANE_WIDTH = 6, len("▸  1   ")
"""The fewest cells of a fact on a card, and of a lane's name and count below the cards."""


def _cells(facts: Iterable[CardFact]) -> int:
    return sum(cell_len(text) for text, _, _ in facts)


class HiddenColumnLabel(NamedTuple):
    """A word for a column in the line below the heads, at its left (-1) or right (1); None for no column."""

    text: str
    side: int
    number: int | None = None


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
        self._blanks: dict[tuple[int, str | None], Strip] = {}

    def head(self, column: BoardColumn, totals: ColumnTotals, width: int) -> Strip:
        """Draw the sign and the name of a column with its count, and its points at the right where they fit."""
        style, groups = self._theme.style, self._names.status_groups()
        sign = [Segment(f"{status_sign(str(column.first), groups)} ", style(self.column_colour(column)))]
        sign = [] if self._has_status or column.first is None else sign
        count, is_full = count_words(column, totals), is_over(column, totals)
        is_cut = totals.hides_cards and column.limit is None
        points = counted(totals.points, "pt") if totals.count else ""
        room = width - Segment.get_line_length(sign) - cell_len(count) - 1
        name_cells = min(cell_len(safe(column.word)), MIN_NAME_WIDTH)
        points = points if room - name_cells >= cell_len(points) + GAP else ""
        left = room - cell_len(safe(column.word)) - cell_len(points) - GAP
        if is_cut and left >= cell_len(SHOWN_WORD):
            count, room = f"{count}{SHOWN_WORD}", room - cell_len(SHOWN_WORD)
        name = fit(column.word, max(1, min(cell_len(safe(column.word)), room - cell_len(points) - GAP * bool(points))))
        blanks = " " * (room - cell_len(name) - cell_len(points))
        figures = Segment(f" {count}", style("conflict" if is_full else "muted", bold=is_full))
        after = Segment(blanks + points, style("muted"))
        return Strip([*sign, Segment(name, style(bold=True)), figures, after]).adjust_cell_length(width, style())

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
        on: str | None = None,
        is_flashing: bool = False,
        has_words: bool = False,
    ) -> CardLines:
        """Draw a card: its name in up to two lines, and its facts; a compact one has both in one line.

        The facts of a card of two lines end the second one. A higher one has its name on a ground of its own, which is
        that of the cursor: with the facts on it too a step writes 440 bytes, not 400. With `has_words` it says in words
        that it is not ready or blocked, which the cards of a board do alike.
        """
        theme, ground = self._theme, SELECTED_BACKGROUND if is_selected else on
        own_ground = ground if is_selected or lines <= MIN_CARD_LINES else NAME_GROUND
        edge = ("█", CURSOR_BAR) if is_cursor else ("▌", type_colour(row.type))
        room, around_name = max(1, width - INDENT - 1), CURSOR_BACKGROUND if is_cursor else own_ground
        under_name = FLASH_GROUND if is_flashing else around_name
        is_done = not self._names.status_groups().is_open(row.status)
        name = theme.style(
            "muted" if is_done and not (is_cursor or is_flashing) else "foreground",
            on=under_name,
            bold=is_cursor or (row.type == ItemType.FEATURE and not is_done),
        )

        def drawn(line: Sequence[Segment], under: str | None) -> Strip:
            start = Segment(edge[0], theme.style(edge[1], on=under)), Segment(" ", theme.style(on=under))
            return Strip([*start, *line]).adjust_cell_length(width, theme.style(on=under))

        if lines == COMPACT_CARD_LINES:
            return (drawn(self._one_line(row, room, name, under_name, badge, is_selected=is_selected), under_name),)
        if lines == MIN_CARD_LINES:
            upper, lower = self._two_lines(row, room, name, around_name, badge, is_selected=is_selected)
            return drawn(upper, around_name), drawn(lower, around_name)
        title, *more = wrapped(row.name, room)
        facts = self._facts(row, room, ground, badge, is_selected=is_selected, has_words=has_words)
        return (
            *(drawn([*marked(fit(each, room), self._sought, name)], around_name) for each in (title, " ".join(more))),
            drawn(facts, ground),
        )

    def _one_line(
        self, row: ItemRow, room: int, name: Style, on: str | None, badge: Badge, *, is_selected: bool
    ) -> list[Segment]:
        """Return the sign and number of a card, its name, what it waits for or lacks, and its points."""
        left, end = self._start(row, badge, is_selected=is_selected), [(" ", "muted", False), self._points(row)]
        if badge.blockers:
            end.insert(0, (f" {BLOCKED_SIGN}", "warn", False))
        elif badge.is_unready and self._names.status_groups().of(row.status) in STARTED_GROUPS:
            end.insert(0, (f" {UNREADY_SIGN}", "warn", True))
        free = max(1, room - sum(cell_len(text) for text, _, _ in [*left, *end]) - 1)
        title = marked(fit(row.name, free), self._sought, name)
        return [*self._segments(left, on), Segment(" ", name), *title, *self._segments(end, on)]

    def _start(self, row: ItemRow, badge: Badge, *, is_selected: bool) -> list[CardFact]:
        sign, colour = state_sign(row, badge)
        start: list[CardFact] = [(f"{SELECTED_SIGN} ", "mark", True)] * is_selected
        start += [(f"{sign} ", colour, True)] if sign not in {" ", UNREADY_SIGN} else []
        number = f"#{row.id}" if row.id > 0 else "new"
        return [*start, (f"{type_sign(row.type)} ", type_colour(row.type), False), (number, "muted", False)]

    def _points(self, row: ItemRow) -> CardFact:
        """Return the estimate at the right of its cells, and a sign where one lacks."""
        points: CardFact = (UNESTIMATED_SIGN, "muted", False)
        if not lacks_estimate(row, self._names.status_groups()):
            estimate = row.estimate or ""
            points = (fit(estimate, min(len(estimate), MAX_POINT_CELLS)), "foreground", bool(estimate))
        return (fit_right(points[0], max(POINT_CELLS - 2, cell_len(points[0]))), *points[1:])

    def _facts(
        self, row: ItemRow, room: int, on: str | None, badge: Badge, *, is_selected: bool, has_words: bool
    ) -> list[Segment]:
        """Return sign and number, what is missing or its status, and at the right owner and points."""
        left, end = self._start(row, badge, is_selected=is_selected), [("  ", "muted", False), self._points(row)]
        free = room - _cells([*left, *end])
        owner, remarks = self._fitting(row, self._remarks(row, badge, has_words=has_words), free)
        blanks = room - _cells([*left, *remarks, owner, *end])
        return self._segments([*left, *remarks, (" " * blanks, "muted", False), owner, *end], on)

    def _two_lines(
        self, row: ItemRow, room: int, name: Style, on: str | None, badge: Badge, *, is_selected: bool
    ) -> tuple[list[Segment], list[Segment]]:
        """Return a name, and its rest before the facts, whose numbers stand below each other at the right.

        The rest leaves room for the signs of what is missing, and the owner has what the rest leaves. A rest of a few
        cells is none: the name is cut in its first line.
        """
        *start, (number, colour, bold) = self._start(row, badge, is_selected=is_selected)
        padded = (number.ljust(MIN_NUMBER_CELLS), colour, bold)
        end = [("  ", "muted", False), *start, padded, ("  ", "muted", False), self._points(row)]
        remarks, free = self._remarks(row, badge, has_words=False), room - _cells(end)
        title, *more = wrapped(row.name, room)
        rest = " ".join(more)
        rest_cells = min(cell_len(rest), free - _cells(remarks[-1]))
        if rest_cells < min(cell_len(rest), MIN_FACT_WIDTH):
            title, rest_cells = row.name, 0
        owner, shown_remarks = self._fitting(row, remarks, free - rest_cells)
        blanks = free - rest_cells - _cells([*shown_remarks, owner])
        facts = self._segments([(" " * blanks, "muted", False), *shown_remarks, owner, *end], on)
        shown_rest = marked(fit(rest, rest_cells), self._sought, name) if rest_cells else ()
        return [*marked(fit(title, room), self._sought, name)], [*shown_rest, *facts]

    def _fitting(
        self, row: ItemRow, remarks: Sequence[Sequence[CardFact]], free: int
    ) -> tuple[CardFact, Sequence[CardFact]]:
        """Return the owner of a card and its remarks as they fit into some cells.

        Where it is tight, the tasks go first, then words of which a sign stays, and then the owner.
        """
        owner, spare = safe(self._names.owner(row.owner_id)) if self._has_owner else "", free - _cells(remarks[-1])
        named = f"  {fit(owner, min(cell_len(owner), max(MIN_FACT_WIDTH, spare - 2)))}" if owner else ""
        if cell_len(named) > spare:
            named = ""
        left = free - cell_len(named)
        shown = next((each for each in remarks if _cells(each) <= left), ())
        return (named, self._names.owner_colour(row.owner_id), False), shown

    def width_with_words(self) -> int:
        """Return the cells of a card of three lines that hold the words of a sign beside its other facts."""
        owner = MIN_FACT_WIDTH + 2 if self._has_owner else 0
        return INDENT + 1 + 2 + MIN_NUMBER_CELLS + len(f"  {UNREADY_SIGN}{UNREADY_WORDS}") + owner + POINT_CELLS

    def _remarks(self, row: ItemRow, badge: Badge, *, has_words: bool) -> Sequence[Sequence[CardFact]]:
        """Return what is missing or the status, what the card waits for and its tasks, from all to signs alone."""
        groups = self._names.status_groups()
        lack, brief_lack = list[CardFact](), list[CardFact]()
        if self._has_status and row.status:
            sign, colour = f"  {status_sign(row.status, groups)}", status_colour(row.status, groups)
            lack, brief_lack = [(f"{sign} {status_word(row.status)}", colour, False)], [(sign, colour, False)]
        elif badge.is_unready and groups.of(row.status) in STARTED_GROUPS and not self._has_status:
            sign = f"  {UNREADY_SIGN}"
            lack, brief_lack = [(f"{sign}{UNREADY_WORDS}", "warn", False)], [(sign, "warn", True)]
        blocked, waits = list[CardFact](), list[CardFact]()
        if badge.blockers:
            blocked, waits = [(f"  {BLOCKED_SIGN}{badge.blockers}", "warn", False)], [(BLOCKED_WORDS, "warn", False)]
        tasks = list[CardFact]()
        if badge.task_progress is not None:
            done, count = badge.task_progress
            tasks.append((f"  {done}/{counted(count, 'task')}", "muted", False))
        in_words = (
            ([*lack, *waits, *tasks], [*lack, *waits], [*lack, *blocked]) if has_words or self._has_status else ()
        )
        return *in_words, [*brief_lack, *blocked, *tasks], [*brief_lack, *blocked]

    def _segments(self, facts: Iterable[CardFact], on: str | None) -> list[Segment]:
        """Return facts; under the cursor they have one colour beside the type's, or a step writes 420 bytes."""

        def shown(colour: str) -> str:
            return colour if on != CURSOR_BACKGROUND or colour.startswith("type-") else "foreground"

        return [
            Segment(text, self._theme.style(shown(colour), on=on, bold=bold)) for text, colour, bold in facts if text
        ]

    def lane(self, header: GroupLine, width: int, *, is_cursor: bool) -> Strip:
        """Draw the header of a lane: its name, a rule, and its sums at the right. A folded lane is quiet.

        The ground of the cursor ends with the name: across the board a step writes 595 bytes, not 400.
        """
        style, on = self._theme.style, CURSOR_BACKGROUND if is_cursor else None
        name = safe(self._names.group(header))
        counts, points = " + ".join(header.counts), counted(header.points, "pt")
        has_points = header.points and f"/{points}" not in name  # a Feature's progress has them
        figures = f" {counts} · " if has_points else f" {counts} "
        sums = f"{points} " if has_points else ""
        room = width - INDENT - 1 - len(figures) - len(sums)
        name = fit(name, min(cell_len(name), room - 1))
        quiet = "muted" if header.is_folded else "foreground"
        line = [
            ("▌" if is_cursor else " ", style(CURSOR_BAR, on=on)),
            ("▸ " if header.is_folded else "▾ ", style("muted", on=on)),
            (f"{name} ", self._lane_name(header, on)),
            ("─" * (room - cell_len(name) - 1), style("rule")),
            (figures, style("muted")),
            (sums, style(quiet, bold=not header.is_folded)),
        ]
        return Strip(starmap(Segment, line)).adjust_cell_length(width, style())

    def _lane_name(self, header: GroupLine, on: str | None) -> Style:
        """Return the look of a lane's name: a person's has the colour of the person, that of a folded lane none."""
        owner_id, colour = header.value, "foreground"
        if header.is_folded and on != CURSOR_BACKGROUND:
            return self._theme.style("muted", on=on)
        if header.key == "AssignedToID" and isinstance(owner_id, int) and on != CURSOR_BACKGROUND:
            colour = self._names.owner_colour(owner_id)
        return self._theme.style(colour, on=on, bold=True)

    def foot(self, above: int, below: int, width: int, totals: ColumnTotals) -> Strip:
        """Draw the numbers of cards above and below those in sight, and the key that shows all of a column."""
        key = self._shows_all(f" {totals.count:,}") if totals.hides_cards else []
        room = width - sum(cell_len(text) for text, _ in key)
        for more in (" more", ""):
            counts = [f"{above:,}{more} ↑"] * bool(above) + [f"{below:,}{more} ↓"] * bool(below)
            words = " " * INDENT + "  ".join(counts) + "  " * bool(counts and key)
            if cell_len(words) <= room:
                break
        return self._words([(words, "muted"), *key], width)

    def _shows_all(self, what: str) -> list[tuple[str, str]]:
        return [(self._theme.cap(key_of("board.all-done")).text, KEY), (f" all{what}", "muted")]

    def lanes(
        self, below: Iterable[GroupLine], count: int, width: int, cut: GroupLine | None = None, done: int = 0
    ) -> Strip:
        """Draw what is below the cards in sight: the rest of a cut lane, and lanes, as many as fit, and their key.

        At the right is the key that shows all `done` cards, where some are hidden and there is room.
        """
        named = [
            (safe(self._names.group(each)), f" {each.rows:,}   ") for each in islice(below, width // MIN_LANE_WIDTH)
        ]
        parts = [(f" {cut.rows:,} more of {safe(self._names.group(cut))} ↓   ", "muted")] if cut else [(" ", "muted")]
        parts += [(f"{counted(count, 'more lane')} ↓   ", "muted")] if count else []
        key, label = self._theme.cap(key_of("list.next-group")).text, " next lane"
        sizes = [cell_len(f"{name}{rows}") for name, rows in named]
        shows_all = self._shows_all(f" {done:,} done") if done else []
        all_cells = sum(cell_len(text) for text, _ in shows_all)
        room = width - sum(cell_len(text) for text, _ in parts) - len(f"…   {key}{label}  ") - all_cells
        fitting = indices_around(sizes, 0, room).stop if room > 0 else 0
        for name, rows in named[:fitting]:
            parts += [(name, "foreground"), (rows, "muted")]
        more = [("…   ", "muted")] if 0 < fitting < count else []
        parts += [*more, (key, KEY), (label, "muted")] if count else []
        blanks = width - sum(cell_len(text) for text, _ in parts) - all_cells
        return self._words([*parts, *([(" " * blanks, "muted"), *shows_all] if blanks >= GAP else ())], width)

    def _words(self, parts: Sequence[tuple[str, str]], width: int) -> Strip:
        words = [Segment(text, self._theme.style(colour)) for text, colour in parts]
        return Strip(words).adjust_cell_length(width, self.ground)

    def blank(self, width: int, on: str | None = None) -> Strip:
        if (width, on) not in self._blanks:
            self._blanks[width, on] = Strip.blank(width, self._theme.style(on=on))
        return self._blanks[width, on]
