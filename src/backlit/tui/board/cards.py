"""The drawing of a board's heads, cards and lane headers, one at a time."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.store.records.item import Row
from backlit.store.views.groups import GroupLine
from backlit.tui.board.columns import BoardColumn
from backlit.tui.board.grid import ColumnTotals
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.theme_styles import (
    ThemeStyles,
    status_colour,
    status_sign,
    status_word,
    type_colour,
    type_sign,
)
from backlit.tui.widgets.item_rows import CURSOR, ROW_SIGNS, SELECTED, Badge, Layout, Names, state_sign, unready_sign

INDENT = 4
"""Cells before a card's name: bar, sign, type and a blank."""
OVER = "!"
ROOM_FOR_POINTS = 22


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
        count, points = count_words(column, totals), f"{totals.points:,.10g} pts "
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
            Segment("▌" if is_cursor else " ", theme.style("accent", on=on)),
            Segment(unready_sign(badge), theme.style("muted", on=on, bold=True)),
            *self._figures(row, width, on),
        ]
        blank = theme.style(on=on)
        return Strip(name).adjust_cell_length(width, blank), Strip(under).adjust_cell_length(width, blank)

    def _figures(self, row: Row, width: int, on: str | None) -> list[Segment]:
        theme = self._theme
        number = str(row.id) if row.id > 0 else "new"
        points = f"  {safe(row.estimate)} pts" if row.estimate else ""
        points = points if cell_len(points) < 12 else ""
        status = f"  {status_sign(row.status)} {status_word(row.status)}" if self._has_status and row.status else ""
        room = width - INDENT - len(number) - cell_len(points) - cell_len(status) - 3
        owner = fit(self._names.owner(row.owner_id), room).rstrip() if room > 2 else ""
        gap = " " * max(0, room + 2 - cell_len(owner))
        return [
            Segment(" " * (INDENT - 2) + number, theme.style("muted", on=on)),
            Segment(points, theme.style("foreground", on=on)),
            Segment(status, theme.style(status_colour(row.status), on=on)),
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
