"""The columns of the backlog: which fit a width, and how a row is drawn in them."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.fields import ItemType
from backlit.store.rows import Row, RowSign
from backlit.store.views_groups import GroupLine
from backlit.tui.looks import Looks, status_colour, status_sign, status_word, type_colour, type_sign
from backlit.tui.text import fit, fit_right, safe

CURSOR = "cursor-background"
MARK = "✓"
UNREADY = "¡"
"""The quiet sign of an item that fails the ready-check."""
ROW_SIGNS: Mapping[RowSign, tuple[str, str]] = {
    RowSign.NONE: (" ", "muted"),
    RowSign.PENDING: ("↑", "pending"),
    RowSign.REFUSED: ("!", "conflict"),
    RowSign.CONFLICT: ("≠", "conflict"),
    RowSign.ALTERED: ("~", "accent"),
    RowSign.PLANNED: ("+", "accent"),
    RowSign.CONTESTED: ("≠", "conflict"),
}


@dataclass(frozen=True, slots=True)
class Names:
    """How a row's references and the headers of groups read; ids without a name read as themselves."""

    owner: Callable[[int | None], str]
    iteration: Callable[[int | None], str]
    group: Callable[[GroupLine], str] = lambda line: str(line.value)
    unready: Callable[[Sequence[int]], Collection[int]] = lambda _ids: ()
    """Which of some items fail the ready-check."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its heading, its width in cells, from which width of the list on it is shown."""

    title: str
    width: int
    shown_from: int = 0
    is_number: bool = False


ID = Column("ID", 3, 48, is_number=True)
STATUS = Column("Status", 7, 44)
POINTS = Column("Pts", 5, 36, is_number=True)
OWNER = Column("Owner", 7, 60)
ITERATION = Column("Iteration", 11, 70)
USUAL_COLUMNS = (STATUS, POINTS, OWNER, ITERATION)
LEAD = 2
"""Cells before the first column: the cursor bar and the row's sign."""
TYPE = 2
INDENT = 2
"""Cells by which the headers of an inner level stand further in."""


class Layout:
    """The columns that fit a width; the name gets what is left."""

    def __init__(
        self,
        width: int,
        names: Names,
        looks: Looks,
        largest_id: int = 0,
        columns: Sequence[Column] = USUAL_COLUMNS,
    ) -> None:
        self.width = width
        self._names = names
        self._looks = looks
        self._id_width = max(ID.width, len(str(largest_id))) if width >= ID.shown_from else 0
        self._right = [column for column in columns if width >= column.shown_from]
        taken = LEAD + TYPE + (self._id_width + 1 if self._id_width else 0)
        taken += sum(column.width + 1 for column in self._right)
        taken += bool(self._right and self._right[-1].is_number)  # numbers do not touch what is beside them
        self._name_width = max(4, width - taken)

    def header(self) -> Strip:
        """Draw the headings."""
        style = self._looks.style("muted")
        text = " " * LEAD
        if self._id_width:
            text += ID.title.rjust(self._id_width) + " "
        text += " " * TYPE + "Name".ljust(self._name_width)
        for column in self._right:
            text += " " + (column.title.rjust(column.width) if column.is_number else column.title.ljust(column.width))
        return Strip([Segment(text, style)]).adjust_cell_length(self.width, style)

    def row(self, row: Row, *, is_cursor: bool, is_marked: bool = False, is_unready: bool = False) -> Strip:
        """Draw one item; a mark stands at the edge, or beside the cursor's bar in the place of the row's sign."""
        on = CURSOR if is_cursor else None
        looks = self._looks
        sign, sign_colour = (MARK, "mark") if is_cursor and is_marked else ROW_SIGNS[row.sign]
        if sign == " " and is_unready:
            sign = UNREADY
        edge, edge_colour = ("▌", "accent") if is_cursor else (MARK, "mark") if is_marked else (" ", "accent")
        segments = [
            Segment(edge, looks.style(edge_colour, on=on, bold=is_marked)),
            Segment(sign, looks.style(sign_colour, on=on, bold=True)),
        ]
        if self._id_width:
            number = str(row.id) if row.id > 0 else "new"
            segments.append(Segment(fit_right(number, self._id_width) + " ", looks.style("muted", on=on)))
        segments += self._type_and_name(row, on)
        for column in self._right:
            segments.append(self._cell(column, row, on))
        return Strip(segments).adjust_cell_length(self.width, looks.style(on=on))

    def group(self, line: GroupLine, *, is_cursor: bool) -> Strip:
        """Draw the header of a group: what it is called, a rule up to the columns, how much is in it."""
        looks, on = self._looks, CURSOR if is_cursor else None
        noun = "item" if line.count == 1 else "items"
        figures = f" {line.count:,} {noun}, {line.points:,.10g} pts"
        lead = INDENT * (line.level - 1)
        end = self.width - 1 - max(sum(column.width + 1 for column in self._right), cell_len(figures))
        room = max(0, end - 2 - lead)
        name = safe(self._names.group(line))
        name = fit(name, min(cell_len(name), max(0, room - 2)))
        rule = "─" * max(0, room - cell_len(name) - 1)
        segments = [
            Segment("▌" if is_cursor else " ", looks.style("accent", on=on)),
            Segment(" " * lead + ("▸" if line.is_folded else " "), looks.style("accent", on=on)),
            Segment(name, looks.style("accent" if line.level == 1 else "foreground", on=on, bold=True)),
            Segment(f" {rule}", looks.style("rule", on=on)),
            Segment(figures, looks.style("muted", on=on)),
        ]
        return Strip(segments).adjust_cell_length(self.width, looks.style(on=on))

    def _type_and_name(self, row: Row, on: str | None) -> Sequence[Segment]:
        looks = self._looks
        is_task = row.type == ItemType.TASK
        sign = Segment(f"{'  ' if is_task else ''}{type_sign(row.type)} ", looks.style(type_colour(row.type), on=on))
        name_width = self._name_width - (2 if is_task else 0)
        return sign, Segment(fit(row.name, name_width), looks.style(on=on, bold=on is not None))

    def _cell(self, column: Column, row: Row, on: str | None) -> Segment:
        looks = self._looks
        if column is STATUS:
            text = f"{status_sign(row.status)} {status_word(row.status)}"
            return Segment(" " + fit(text, STATUS.width), looks.style(status_colour(row.status), on=on))
        if column is POINTS:
            return Segment(" " + fit_right(row.estimate or "·", POINTS.width), looks.style(on=on))
        is_owner = column.title == OWNER.title
        name = self._names.owner(row.owner_id) if is_owner else self._names.iteration(row.iteration_id)
        return Segment(" " + fit(name or "–", column.width), looks.style("foreground" if name else "faint", on=on))
