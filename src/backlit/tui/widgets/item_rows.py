"""Rows of work items: their badges, their columns and layout, and the window of rows in sight."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace
from rich.cells import cell_len
from rich.segment import Segment
from textual.strip import Strip

from backlit.model.amounts import counted
from backlit.model.fields import FIELD_BY_KEY, Field, ItemType, Kind, choice_word
from backlit.model.filters import POINTS
from backlit.model.settings.view_settings import COMPUTED_COLUMNS, ChosenColumn, ComputedColumn
from backlit.model.statuses import StatusGroup, StatusGroups, status_word
from backlit.store.records.item import ItemRow, RowSign, number_of
from backlit.store.views.groups import GroupLine, KeyedHeading
from backlit.store.views.view import MOST_COMPARED, ColumnValues, View
from backlit.tui.drawing.text import fit, fit_right, line_of, marked, safe
from backlit.tui.drawing.themes import (
    CURSOR_BAR,
    ThemeStyles,
    status_colour,
    status_sign,
    type_colour,
    type_sign,
)
from backlit.tui.widgets.flash import FLASH_GROUND, DrawnCells
from backlit.tui.widgets.name_widths import NameWidths

SYNCED_SIGN = "⇄"
"""The sign of an item that is synced with another tracker."""
FOLDED_SIGN = "▸"
"""The sign before the number of the rows that are folded below an item."""
CURSOR_BACKGROUND, SELECTED_BACKGROUND, GROUP_BACKGROUND = "cursor-background", "selected-background", "surface"
SELECTED_SIGN = "✓"
UNREADY_SIGN = "¬"
"""The sign of an open item that fails the readiness check."""
DRAFT_SIGN = "…"
"""The sign of an item with an unfinished text, which only this machine has."""
OTHERS_SIGN = "◂"
"""The sign of an item that somebody else changed just now."""
MIN_NOTE_ROOM = 14
"""Blank cells after a name in which a row says who changed it."""
OVERDUE_SIGN = "!"
"""The sign behind a due date that has passed."""
UNESTIMATED_SIGN = "–"
"""The sign of a missing estimate."""
ROW_SIGNS: Mapping[RowSign, tuple[str, str]] = {
    RowSign.NONE: (" ", "muted"),
    RowSign.PENDING: ("↑", "pending"),
    RowSign.REFUSED: ("!", "conflict"),
    RowSign.CONFLICT: ("≠", "conflict"),
    RowSign.ALTERED: ("~", "pending"),
    RowSign.PLANNED: ("+", "pending"),
    RowSign.CONTESTED: ("≠", "conflict"),
}
MIN_ID_WIDTH, MIN_LIST_WIDTH_WITH_ID = 3, 48
"""Least width of the id column, and the width of the list from which it is shown."""
QUIET_TYPES = frozenset({ItemType.TASK, ItemType.FEEDBACK})
"""Types whose names are muted."""
LEAD, TYPE = 3, 2
"""Cells before the first column, for cursor bar, selection, and sign of the row's state; and those of the type."""
INDENT = 2
"""Cells by which headers of inner levels are indented, and rows of a tree."""
MAX_INDENTS = 6
"""Levels of a tree that are indented; the interface has five."""
GAP = 2
"""Blanks before each column."""
MIN_LIST_WIDTH_WITH_STATUS_WORD = 100
"""Width of the list from which a status has its word beside its sign; a narrower one gives the cells to the names.

A chosen column of usual width has the sign alone where other columns would not fit.
"""
SCROLLBAR = "█"
BLOCKED_SIGN = "⊣"
"""The sign before the number of the open items that an item waits for."""
EDGE, FRAMED_EDGE = 2, 1
"""Cells at the end of a line: a blank and the scrollbar. A frame has the bar, which leaves the blank."""
MIN_NAME_WIDTH, MIN_NAME_WIDTH_IN_PANE, MAX_PANE_WIDTH = 28, 22, 48
"""Cells of the name below which columns are dropped: in a list, and in a pane with less than PANE cells for all."""
MAX_WIDE_COLUMN_WIDTH = 30
"""Cells of a column that has what names leave."""
AMPLE_NAME_WIDTH = 40
"""Cells of the name above which growing columns take half of the rest."""
_WIDTHS: Mapping[Kind, int] = {
    Kind.INTEGER: 5,
    Kind.NUMBER: 6,
    Kind.BOOLEAN: 5,
    Kind.DATE: 11,
    Kind.USER: 8,
    Kind.TEAM: 10,
    Kind.AREA: 16,
    Kind.ITERATION: 11,
    Kind.TAGS: 16,
    Kind.ITEM: 16,
}
_USUAL_WIDTH = 12
_NUMBERS = frozenset({Kind.INTEGER, Kind.NUMBER})


class Badge(NamedTuple):
    """An item's facts beside its row: another tracker has it too, the rows folded below it, its readiness, a draft.

    `task_progress` has the number of its done tasks and that of all of them, None where they are not counted. `depth`
    is that in a tree, None in a list; a row of a path only leads to others.
    """

    is_synced: bool = False
    folded: int = 0
    is_unready: bool = False
    has_draft: bool = False
    task_progress: tuple[int, int] | None = None
    changed_by: str | None = None
    """Who changed it just now, in words for its row; None for nobody."""
    editor: str = ""
    """The initial of who edits it now."""
    depth: int | None = None
    is_path: bool = False
    blockers: int = 0
    late_blocker: int = 0
    """An open blocker that is planned after the item; 0 for none."""


NO_BADGE = Badge()


def state_sign(row: ItemRow, badge: Badge) -> tuple[str, str]:
    """Return the sign of a row's state and its colour, else of its draft, or of an unready or synced item."""
    sign, colour = ROW_SIGNS[row.sign]
    if sign != " ":
        return sign, colour
    if badge.editor:
        return badge.editor, "mark"
    if badge.changed_by is not None:
        return OTHERS_SIGN, "mark"
    if badge.has_draft:
        return DRAFT_SIGN, "pending"
    if badge.is_unready:
        return UNREADY_SIGN, "warn"
    return (SYNCED_SIGN, "muted") if badge.is_synced else (sign, colour)


def lacks_estimate(row: ItemRow, groups: StatusGroups) -> bool:
    return not row.estimate and FIELD_BY_KEY["Estimate"].applies_to(row.type) and groups.is_open(row.status)


class DisplayNames(Struct, frozen=True):
    """Texts for ids: owners, iterations, group headers, badges and cells; an id without a name is shown as itself."""

    owner: Callable[[int | None], str]
    iteration: Callable[[int | None], str]
    group: Callable[[GroupLine], str] = lambda line: str(line.value)
    badges: Callable[[Sequence[ItemRow]], Mapping[int, Badge]] = lambda _rows: {}
    """Badges of some rows by id; rows without badges are left out."""
    cells: Callable[[Sequence[int], Sequence[str]], Mapping[int, Sequence[str]]] = lambda _ids, _keys: {}
    """Texts of some items in some fields; empty for no value."""
    status_groups: Callable[[], StatusGroups] = StatusGroups
    """The meaning of the project's statuses."""
    owner_colour: Callable[[int | None], str] = lambda _id: "muted"
    iteration_colour: Callable[[int | None], str] = lambda _id: "muted"


class ListColumn(Struct, frozen=True):
    """A column: field, heading, width in cells; whether it grows, and its order of being dropped."""

    key: str
    title: str
    width: int
    is_number: bool = False
    grows: bool = False
    drop: int = 0
    is_usual: bool = False
    """True for a default column, which takes no more cells than its values need."""
    is_due: bool = False
    """True for the due date, which ends with OVERDUE_SIGN where its item should be done."""


STATUS_COLUMN = ListColumn("Status", "Status", 13, drop=3, is_usual=True)
POINTS_COLUMN = ListColumn(POINTS, "Pts", 4, is_number=True, drop=4, is_usual=True)
OWNER_COLUMN = ListColumn("AssignedToID", "Owner", 8, drop=2, is_usual=True)
ITERATION_COLUMN = ListColumn("IterationID", "Iteration", 11, drop=1, is_usual=True)
BRIEF_STATUS_COLUMN = replace(STATUS_COLUMN, title="", width=1)
"""The column of a status without its word."""
USUAL_COLUMNS = (ITERATION_COLUMN, OWNER_COLUMN, STATUS_COLUMN, POINTS_COLUMN)
"""Those that few items have stand first, as names go on in their empty cells."""
WIDE_COLUMNS = (ListColumn("AreaID", "Area", 16), ListColumn("Tags", "Tags", 16))
"""Columns that stand beside the default ones where names have more room than MAX_NAME_WIDTH."""
YIELDING = frozenset({ITERATION_COLUMN.key, OWNER_COLUMN.key})
"""Columns right of the name in whose empty cells it goes on."""
USUAL_COLUMN_BY_KEY: Mapping[str, ListColumn] = {each.key: each for each in USUAL_COLUMNS}
"""Columns whose values rows carry, each drawn in its own way."""
NAME = "Name"
"""The key of the column of names, which is always there."""
_VALUES: Mapping[str, Callable[[ItemRow], Any]] = {
    STATUS_COLUMN.key: attrgetter("status"),
    POINTS_COLUMN.key: attrgetter("estimate", "type", "status"),
    OWNER_COLUMN.key: attrgetter("owner_id"),
    ITERATION_COLUMN.key: attrgetter("iteration_id"),
}
"""The values of a row that a column is drawn from."""


def column_of(wish: ChosenColumn, field: Field | None) -> ListColumn:
    """Return the column of a wish; an empty one for a field that the project does not have."""
    known: ComputedColumn | ListColumn | None = COMPUTED_COLUMNS.get(wish.key) or USUAL_COLUMN_BY_KEY.get(wish.key)
    title = known.title if known else field.label if field else wish.key.removesuffix("_cf")
    kind = field.kind if field else Kind.TEXT
    longest = max((cell_len(choice_word(each)) for each in field.choices), default=0) if field else 0
    usual = min(longest, _USUAL_WIDTH) or _WIDTHS.get(kind, _USUAL_WIDTH)
    wide = known.width if known else max(usual, min(cell_len(title), _USUAL_WIDTH))
    is_number = known.is_number if known else kind in _NUMBERS
    is_due = field is not None and field.is_due
    return ListColumn(wish.key, title, wish.width or wide, is_number, wish.grows, wish.drop, is_due=is_due)


def fitting_columns(columns: Sequence[ListColumn], room: int, edge: int = EDGE) -> list[ListColumn]:
    """Return the columns that fit beside the shortest name; growing ones take half of the spare cells."""
    shown, least = list(columns), MIN_NAME_WIDTH if room >= MAX_PANE_WIDTH else MIN_NAME_WIDTH_IN_PANE
    while shown and room - columns_width(shown, edge) < least:
        shown.remove(min(shown, key=lambda each: (not each.drop, each.drop, -shown.index(each))))
    growing = sum(each.grows for each in shown)
    if not growing:
        return shown
    more = max(0, room - columns_width(shown, edge) - AMPLE_NAME_WIDTH) // 2 // growing
    return [replace(each, width=each.width + more) if each.grows else each for each in shown]


def _with_brief_status(columns: Sequence[ListColumn]) -> list[ListColumn]:
    """Return columns with the sign alone of a status of usual width."""
    brief = [each for each in columns if each.key == STATUS_COLUMN.key and each.width <= STATUS_COLUMN.width]
    return [replace(BRIEF_STATUS_COLUMN, drop=each.drop) if each in brief else each for each in columns]


def name_widths_of(rows: Iterable[ItemRow]) -> NameWidths:
    lengths = [cell_len(safe(row.name)) + INDENT * (row.type == ItemType.TASK) for row in rows]
    return NameWidths.of(lengths, MIN_NAME_WIDTH, GAP)


def columns_width(columns: Sequence[ListColumn], edge: int = EDGE) -> int:
    """Return the cells that columns take, with those between the last one and the end of a line."""
    return sum(each.width + GAP for each in columns) + edge


def needed_widths(view: View, rows: Iterable[ItemRow], names: DisplayNames) -> Mapping[str, int]:
    """Return the cells that the values of default columns need, in some rows and in all items of a loaded view.

    A column without values needs none, and neither does one whose value stands above the rows: in the header of each
    group, or in the heading of a list of one iteration.
    """
    above = {*view.spec.group} | ({ITERATION_COLUMN.key} if len(view.spec.iteration_ids or ()) == 1 else set())
    if (view.count or 0) > MOST_COMPARED:
        return {each.key: 0 if each.key in above else each.width for each in USUAL_COLUMNS}
    known, shown = view.values or ColumnValues(), list(rows)
    statuses, estimates = {row.status for row in shown}, {row.estimate for row in shown}
    owners, iterations = {row.owner_id for row in shown}, {row.iteration_id for row in shown}
    texts = {
        STATUS_COLUMN.key: [f"○ {status_word(each)}" for each in known.statuses | statuses if each],
        POINTS_COLUMN.key: [safe(each) for each in known.estimates | estimates if each],
        OWNER_COLUMN.key: [safe(names.owner(each)) for each in known.owner_ids | owners],
        ITERATION_COLUMN.key: [safe(names.iteration(each)) for each in known.iteration_ids | iterations],
    }
    return {key: 0 if key in above else max(map(cell_len, found), default=0) for key, found in texts.items()}


# A row is one strip of 5 or 6 segments, and what few values have, such as status or owner, is drawn once for each
# value. Of three strips with up to 14 segments a page took 8.0 ms of CPU to draw, and takes 6.0; each change of colour
# is 20 to 40 bytes more.
class RowLayout:
    """The columns that fit a width; the name takes the rest, with sought parts marked. A plain cursor is a bar."""

    def __init__(
        self,
        width: int,
        names: DisplayNames,
        theme: ThemeStyles,
        largest_id: int = 0,
        columns: Sequence[ListColumn] = USUAL_COLUMNS,
        *,
        sought: Sequence[str] = (),
        is_plain: bool = False,
        edge: int = EDGE,
        name_widths: NameWidths | None = None,
        has_bold_features: bool = True,
    ) -> None:
        self.width = width
        self._edge = edge
        self._names = names
        self._sought = sought
        self._has_bold_features = has_bold_features
        self._theme = theme.in_one_colour() if is_plain else theme
        self._id_width = max(MIN_ID_WIDTH, len(str(largest_id))) + 1 if width >= MIN_LIST_WIDTH_WITH_ID else 0
        room = width - LEAD - self._id_width - 1 - TYPE
        has_usual, is_narrow = any(each.is_usual for each in columns), width < MIN_LIST_WIDTH_WITH_STATUS_WORD
        if (is_narrow and has_usual) or len(fitting_columns(columns, room, edge)) < len(columns):
            columns = _with_brief_status(columns)
        self.columns = fitting_columns(columns, room, edge)
        self._cursor = None if is_plain else CURSOR_BACKGROUND
        self._chosen = None if is_plain else SELECTED_BACKGROUND
        self._name_width = max(4, room - columns_width(self.columns, edge))
        if not is_narrow:
            self._share_with_names(name_widths or NameWidths(), has_usual=has_usual)
        self._drawn: dict[tuple[str, str | None, Any], Segment] = {}

    def _share_with_names(self, names: NameWidths, *, has_usual: bool) -> None:
        """Give further columns what names leave; beside default columns these are WIDE_COLUMNS, as many as fit.

        Names that would be cut have half of the spare cells, and what these leave; the rest stands between columns. A
        status, which most items begin without, leaves the cells of its word to the area, which all have.
        """
        wide, brief = [], _with_brief_status(self.columns)
        saved = columns_width(self.columns) - columns_width(brief)
        if has_usual and self._name_width < names.near + WIDE_COLUMNS[0].width + GAP <= self._name_width + saved:
            self.columns, self._name_width = brief, self._name_width + saved
        for column in WIDE_COLUMNS if has_usual else ():
            if self._name_width - column.width - GAP >= names.near:
                wide.append(column)
                self._name_width -= column.width + GAP
        spare, lacking = max(0, self._name_width - names.near), max(0, names.whole - names.near)
        each_more = (spare - min(lacking, spare // 2)) // max(1, len(wide))
        grown = [replace(each, width=min(each.width + each_more, MAX_WIDE_COLUMN_WIDTH)) for each in wide]
        room = self._name_width - sum(each.width for each in grown) + sum(each.width for each in wide)
        between = max(0, room - names.near - lacking) // max(1, len(self.columns + grown))
        self.columns = [replace(each, width=each.width + between) for each in self.columns + grown]
        self._name_width = room - between * len(self.columns)

    @property
    def read(self) -> tuple[str, ...]:
        """Return the shown fields whose values rows do not carry."""
        return tuple(each.key for each in self.columns if each.key not in USUAL_COLUMN_BY_KEY)

    def header(self, before: str = "", after: str = "") -> Strip:
        """Draw the headings; `before` follows that of the name, `after` stands at the edge."""
        theme = self._theme
        text = " " * LEAD + ("#" if self._id_width else "").rjust(self._id_width)
        text += " " * (1 + TYPE) + fit(f"Name{before}", self._name_width)
        for column in self.columns:
            text += " " * GAP + (fit_right if column.is_number else fit)(safe(column.title), column.width)
        after = after if cell_len(text := text.rstrip()) + GAP + len(after) <= self.width else after[-1:]
        headings = Segment(fit(text, self.width - len(after)), theme.heading("muted"))
        return line_of([headings, Segment(after, theme.style("muted"))], self.width, theme.style("muted"))

    def row(
        self,
        row: ItemRow,
        cells: Sequence[str] = (),
        *,
        is_cursor: bool,
        is_selected: bool = False,
        badge: Badge = NO_BADGE,
        flashed: Collection[str] = (),
    ) -> Strip:
        """Draw one item; cursor, selection and state have a cell each. `flashed` are keys of columns, and NAME.

        Up to the points the row under the cursor has one colour of text, which keeps a step small on the wire; owner
        and iteration keep theirs, as they are drawn again with it anyway. A name goes on in the empty cells of both.
        """
        is_shown = is_cursor and self._cursor is not None
        on = self._cursor if is_cursor else self._chosen if is_selected else None
        columns, spare = self.columns, 0
        while columns and columns[0].key not in flashed and self._yields(columns[0], row, on):
            columns, spare = columns[1:], spare + columns[0].width + GAP
        # A sign right beside that of the selection is hard to read, and changes of a selection name what is not ready.
        theme, shown_badge = self._theme, badge._replace(is_unready=badge.is_unready and not is_selected)
        sign, sign_colour = state_sign(row, shown_badge)
        mark, mark_colour = (SELECTED_SIGN, "mark") if is_selected else (" ", "muted")
        quiet = "foreground" if is_shown else "muted"
        number, ground = theme.style(quiet, on=on), theme.style(on=on)
        shown = fit_right(str(row.id) if row.id > 0 else "new", self._id_width) if self._id_width else ""
        segments = [
            Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on)),
            Segment(mark, theme.style(mark_colour, on=on, bold=is_selected)),
            Segment(sign, number if sign == " " else theme.style(quiet if is_shown else sign_colour, on=on, bold=True)),
            Segment(shown + " ", number),
            *self._type_and_name(row, badge, on, FLASH_GROUND if NAME in flashed else on, spare, is_cursor=is_shown),
        ]
        texts = iter(cells)
        for column in columns:
            under = FLASH_GROUND if column.key in flashed else on
            if column.key in USUAL_COLUMN_BY_KEY:
                segments.append(self._known(column, row, under))
                continue
            text = next(texts, "")
            is_overdue = column.is_due and text.endswith(OVERDUE_SIGN) and not is_shown
            colour = "foreground" if column.is_number or is_shown or under == FLASH_GROUND else "muted"
            segments.append(self._plain(column, text, under, "warn" if is_overdue else colour))
        return line_of(segments, self.width, ground)

    def group(self, line: GroupLine, *, is_cursor: bool) -> Strip:
        """Draw the header of a group on its own ground: fold, name, and its items, tasks and points at the right.

        Tasks are left out beside a name that would be cut.
        """
        has_grounds = self._cursor is not None  # a plain list has none
        theme, on = self._theme, self._cursor if is_cursor or not has_grounds else GROUP_BACKGROUND
        points, muted = counted(line.points, "pt"), theme.style("muted", on=on)
        dot, sums, end = " · ", f"{points} ", self.width - self._edge // 2
        if POINTS_COLUMN.key in (keys := [each.key for each in self.columns]):
            last = keys.index(POINTS_COLUMN.key)
            end = self.width - columns_width(self.columns[last + 1 :], self._edge)
            dot, sums = " ", (points.split()[0] if line.points else "").rjust(self.columns[last].width + GAP)
        cap: Sequence[Segment] = ()
        lead = "▌" if is_cursor else " ", " " * INDENT * (line.level - 1) + ("▸ " if line.is_folded else "▾ ")
        if isinstance(line.value, KeyedHeading):
            cap = theme.cap(line.value.keys), Segment(" only these  ", muted)
            lead = lead[0], "▸ " if line.is_folded else "  "
        room = max(0, end - sum(map(cell_len, lead)) - sum(each.cell_length for each in cap))
        name, counts = safe(self._names.group(line)), line.counts
        if cell_len(f"{name}   {' + '.join(counts)}{dot}{sums}") > room:
            counts = counts[:1]
        taken = cell_len(figures := f" {' + '.join(counts)}{dot}") + cell_len(sums)
        name = fit(name, min(cell_len(name), max(0, room - taken - 1)))
        segments = [
            Segment(lead[0], theme.style(CURSOR_BAR, on=on)),
            Segment(lead[1], muted),
            Segment(name, theme.heading(on=on)),
            Segment(" " * max(0, room - cell_len(name) - taken), muted),
            *cap,
            Segment(figures, muted),
            Segment(sums, theme.style("foreground", on=on, bold=True)),
        ]
        return line_of(segments, self.width, theme.style(on=on))

    def changed_keys(self, before: DrawnCells | None, row: ItemRow, cells: Sequence[str]) -> tuple[str, ...]:
        """Return the columns whose cells differ from what was drawn before; that of the name without it."""
        if before is None:
            return (NAME,)
        drawn, texts = before
        keys = [key for key, value in _VALUES.items() if value(drawn) != value(row)]
        keys += [key for key, one, other in zip(self.read, texts, cells, strict=False) if one != other]
        return (*[NAME][: drawn.name != row.name], *keys)

    def _type_and_name(
        self, row: ItemRow, badge: Badge, on: str | None, under_name: str | None, spare: int, *, is_cursor: bool
    ) -> Iterator[Segment]:
        theme, depth = self._theme, badge.depth
        lead = " " * INDENT * (row.type == ItemType.TASK if depth is None else min(depth, MAX_INDENTS))
        yield Segment(f"{lead}{type_sign(row.type)} ", theme.style(type_colour(row.type), on=on))
        is_closed = not self._names.status_groups().is_open(row.status)
        is_quiet = not is_cursor and (badge.is_path or is_closed or row.type in QUIET_TYPES)
        is_bold = is_cursor or (row.type == ItemType.FEATURE and self._has_bold_features and not is_quiet)
        colour = "muted" if is_quiet and on == under_name else "foreground"
        style, room = theme.style(colour, on=under_name, bold=is_bold), self._name_width + spare - len(lead)
        late = f" {BLOCKED_SIGN} {number_of(badge.late_blocker)}" if badge.late_blocker else ""
        blocked = f" {BLOCKED_SIGN}{badge.blockers}" if badge.blockers and not late else ""
        folded = blocked + (f" {FOLDED_SIGN}{badge.folded}" if badge.folded else "")
        name = fit(row.name, min(cell_len(safe(row.name)), room - len(folded) - len(late)))
        yield from marked(name, self._sought, style)
        if late:
            yield Segment(late, theme.style("foreground" if is_cursor else "warn", on=on))
        rest = room - cell_len(name) - len(late)
        note = badge.changed_by or ""
        if note and rest - len(folded) >= MIN_NOTE_ROOM:
            note = fit(note, min(cell_len(safe(note)), rest - len(folded) - GAP))
            folded = folded.ljust(rest - cell_len(note)) + note
        yield Segment(folded.ljust(rest), theme.style("foreground" if is_cursor else "muted", on=on))

    def _yields(self, column: ListColumn, row: ItemRow, on: str | None) -> bool:
        return column.key in YIELDING and self._known(column, row, on).text.isspace()

    def _known(self, column: ListColumn, row: ItemRow, on: str | None) -> Segment:
        value = column.key, on, _VALUES[column.key](row)
        if value not in self._drawn:
            self._drawn[value] = self._draw_known(column, row, on)
        return self._drawn[value]

    def _draw_known(self, column: ListColumn, row: ItemRow, on: str | None) -> Segment:
        is_cursor = on in {CURSOR_BACKGROUND, FLASH_GROUND}  # grounds with one colour of text
        match column.key:
            case STATUS_COLUMN.key:
                groups = self._names.status_groups()
                if groups.of(row.status) is StatusGroup.NOT_STARTED:
                    return self._plain(column, "", on)
                sign = status_sign(row.status, groups)
                text = sign if column.title == BRIEF_STATUS_COLUMN.title else f"{sign} {status_word(row.status)}"
                return self._plain(column, text, on, "foreground" if is_cursor else status_colour(row.status, groups))
            case POINTS_COLUMN.key:
                if lacks_estimate(row, self._names.status_groups()):
                    return self._plain(column, UNESTIMATED_SIGN, on, "foreground" if is_cursor else "muted")
                return self._plain(column, row.estimate or "", on, is_bold=is_cursor)
            case OWNER_COLUMN.key:
                colour = "foreground" if on == FLASH_GROUND else self._names.owner_colour(row.owner_id)
                return self._plain(column, self._names.owner(row.owner_id), on, colour)
        colour = "foreground" if on == FLASH_GROUND else self._names.iteration_colour(row.iteration_id)
        return self._plain(column, self._names.iteration(row.iteration_id), on, colour)

    def _plain(
        self, column: ListColumn, text: str, on: str | None, colour: str = "foreground", *, is_bold: bool = False
    ) -> Segment:
        shown = (fit_right if column.is_number else fit)(text, column.width)
        return Segment(" " * GAP + shown, self._theme.style(colour, on=on, bold=is_bold))
