"""The list of a view: one line for each item or group header, in columns that can be scrolled."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

from rich.cells import cell_len
from textual import events, on
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip

from backlit.model.fields import ItemType
from backlit.model.query import NameText
from backlit.model.query.keys import parts_of
from backlit.store.records.item import ItemRow, number_of
from backlit.store.views.groups import GroupKey, GroupLine, ListLines
from backlit.store.views.query import ViewSpec
from backlit.store.views.view import View
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.text import Line, fit, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.widgets.column_scroll import FIRST_ROWS, ColumnScroll
from backlit.tui.widgets.feature_columns import with_own_estimate_apart
from backlit.tui.widgets.flash import DrawnCells
from backlit.tui.widgets.item_list import GroupFolding, ItemList, RowIdentity
from backlit.tui.widgets.item_rows import (
    EDGE,
    FRAMED_EDGE,
    LEAD,
    NO_BADGE,
    USUAL_COLUMNS,
    DisplayNames,
    ListColumn,
    RowLayout,
)
from backlit.tui.widgets.row_window import RowWindow

MAX_GROUP_NAME_WIDTH = 24
"""Cells of a group's name in the footer."""
ShowTasks = Callable[[int | None, bool], object]


class GroupFolds:
    """Folds of a view's groups; the cost depends on the number of groups."""

    def __init__(self, rows: ItemList) -> None:
        self._rows = rows

    def fold(self) -> None:
        """Fold the group; from a folded one, go to the header of the outer group."""
        view, group = self._view(), self._group()
        if not group.is_folded:
            self._fold(group.group, group.group, is_folded=True)
            return
        line = view.outline.header_line(group.group[:-1])
        if line is not None:
            self._rows.move_to(line)

    def unfold(self) -> None:
        """Unfold the group; from the header of an unfolded one, go to its first row."""
        view, group = self._view(), self._group()
        if group.is_folded:
            self._fold(group.group, group.group, is_folded=False)
        elif view.outline.header_line(group.group) == self._rows.cursor:
            self._rows.move_to(self._rows.cursor + 1)

    def toggle(self) -> None:
        group = self._group()
        self._fold(group.group, group.group, is_folded=not group.is_folded)

    def fold_all(self) -> None:
        """Fold all groups; the cursor goes to the outermost header of its own."""
        outermost = self._group().group[:1]
        self._fold(outermost, *(each.group for each in self._outline().headers), is_folded=True)

    def unfold_all(self) -> None:
        group = self._group().group
        self._fold(group, *(each.group for each in self._outline().headers), is_folded=False)

    def step(self, steps: int) -> None:
        for step in range(abs(steps)):
            outline = self._outline()
            find = outline.next_header if steps > 0 else outline.previous_header
            line = find(self._rows.cursor)
            if line is None and not step:
                raise CannotAct(f"This is the {'last' if steps > 0 else 'first'} group.")
            if line is None:
                break
            self._rows.move_to(line)

    def ids_under_header(self) -> Sequence[int] | None:
        view = self._rows.view
        group = view.outline.header_at(self._rows.cursor) if view is not None and view.is_grouped else None
        if view is None or group is None or view.outline.top(self._rows.cursor) != self._rows.cursor:
            return None
        return view.ids_in(group.group)

    def _view(self) -> View:
        if self._rows.view is None or not self._rows.view.is_grouped:
            raise CannotAct(f"The list is not grouped. {key_of('list.group')} groups it.")
        return self._rows.view

    def _outline(self) -> ListLines:
        return self._view().outline

    def _group(self) -> GroupLine:
        group = self._outline().header_at(self._rows.cursor)
        if group is None:
            raise CannotAct("No group here.")
        return group

    def _fold(self, wanted: GroupKey, *groups: GroupKey, is_folded: bool) -> None:
        """Fold or unfold groups; the cursor stays on its row, or goes to the header of the wanted group."""
        view, rows = self._view(), self._rows
        item_id = view.id_at(rows.cursor)
        view.fold(*groups, is_folded=is_folded)
        rows.show(view, item_id)
        if item_id is None or view.index_of(item_id) is None:
            line = view.outline.header_line(wanted)
            if line is not None:
                rows.move_to(line)


class TaskFolds(GroupFolds):
    """The folds of tasks below the item, else of its group; `turn` shows or hides those of an item, or all for None."""

    def __init__(self, rows: "BacklogList", folded: Callable[[int], int], turn: ShowTasks) -> None:
        super().__init__(rows)
        self._row_at = rows.row
        self._folded = folded
        self._turn = turn

    def fold(self) -> None:
        """Hide the tasks of the item, or of the task's; else fold the group."""
        row = self._row()
        if row is not None and self._go_to_item_of(row):
            self._turn(row.parent_id, False)
        elif row is not None and self._has_tasks_below(row):
            self._turn(row.id, False)
        elif row is not None and self._rows.view is not None and self._rows.view.is_grouped and not self._has_groups():
            raise CannotAct(f"{number_of(row.id)} has no tasks in sight to hide.")
        else:
            super().fold()

    def unfold(self) -> None:
        row = self._row()
        if row is not None and row.type != ItemType.TASK and (self._folded(row.id) or not self._has_groups()):
            self._turn(row.id, True)
        else:
            super().unfold()

    def toggle(self) -> None:
        row = self._row()
        if row is None:
            super().toggle()
        elif row.type == ItemType.TASK or self._has_tasks_below(row):
            self.fold()
        elif self._folded(row.id) or not self._has_groups():
            self.unfold()
        else:
            super().toggle()

    def reveal(self, item_id: int) -> bool:
        """Show the folded tasks of an item; return False without any."""
        if is_folded := bool(self._folded(item_id)):
            self._turn(item_id, True)
        return is_folded

    def fold_all(self) -> None:
        if (row := self._row()) is not None:
            self._go_to_item_of(row)
        if self._has_groups():
            super().fold_all()
        self._turn(None, False)

    def unfold_all(self) -> None:
        if self._has_groups():
            super().unfold_all()
        self._turn(None, True)

    def _row(self) -> ItemRow | None:
        row = self._row_at(self._rows.cursor)
        return row if isinstance(row, ItemRow) else None

    def _go_to_item_of(self, task: ItemRow) -> bool:
        """Put the cursor on the item of a task; return False for other rows, and without the item in the list."""
        return task.type == ItemType.TASK and task.parent_id is not None and self._rows.go_to(task.parent_id)

    def _has_tasks_below(self, row: ItemRow) -> bool:
        below = self._row_at(self._rows.cursor + 1)
        return isinstance(below, ItemRow) and below.type == ItemType.TASK and below.parent_id == row.id

    def _has_groups(self) -> bool:
        return self._rows.view is not None and bool(self._rows.view.spec.group)


class BacklogList(ItemList):
    """A window on a view; only the rows in sight and their drawn lines are kept in memory.

    Id, type and name always show; other columns are dropped in tight space, and can be scrolled to.
    """

    HEADER_LINES = 1
    COLUMNS: ClassVar[Sequence[ListColumn]] = USUAL_COLUMNS
    """The default columns."""
    HAS_BOLD_FEATURES: ClassVar[bool] = True
    COMMAND_GROUPS: ClassVar[Sequence[str]] = (*ItemList.COMMAND_GROUPS, "widgets.view_list")

    class ColumnsMoved(Message):
        """Other columns may be in sight."""

    def __init__(self, names: DisplayNames, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(names, id=id)
        self.folds: GroupFolding = GroupFolds(self)
        self._window = window = RowWindow(names)

        def redraw() -> None:
            window.forget_words()
            self.refresh()
            self.post_message(self.ColumnsMoved())

        def lay_out(width: int, columns: Sequence[ListColumn]) -> RowLayout:
            theme = ThemeStyles.of(self.app)
            return RowLayout(
                width,
                names,
                theme,
                self._largest_id,
                columns,
                sought=self._sought,
                is_plain=self.is_low_bandwidth,
                edge=FRAMED_EDGE if self.is_framed else EDGE,
                name_widths=self.columns.name_widths,
                has_bold_features=self.HAS_BOLD_FEATURES,
            )

        self.columns = ColumnScroll(self.COLUMNS, lambda: self.size.width, lay_out, redraw)
        self._group_here: GroupKey | None = None
        self._levels: tuple[str, ...] = ()
        self._is_page_held = False
        self._offered: View | None = None
        """A view of what is near, for a list without matches."""
        self._known = 0
        self._largest_id = 0
        self._sought: tuple[str, ...] = ()

    # The view

    def offer(self, view: View) -> None:
        """Show what is near in groups below the reason why nothing matches; the cursor stands on an item."""
        was_on_heading = self.shows_near and self.current_id is None
        self._offered = view
        self.show(view, self.current_id)
        if self.cursor == 0 and not was_on_heading:
            self.move_to(1)

    @property
    def shows_near(self) -> bool:
        """True where the rows are what is near, as nothing matches."""
        return self.view is not None and self.view is self._offered

    @property
    def _head(self) -> Sequence[Line]:
        """The lines above the headings of the columns."""
        if self.empty is None or not self.shows_near:
            return ()
        return self.empty.head(self.size.width, self.size.height, ThemeStyles.of(self.app))

    def watch_empty(self) -> None:
        self._fit_head()

    def _fit_head(self) -> None:
        if (lines := len(self._head) + 1) != self.HEADER_LINES:
            self.HEADER_LINES = lines
            self.repaint()
            self.note_bar()

    def show(self, view: View, item_id: int | None = None) -> None:
        item_id, before = self._begin_view(item_id), self.view
        self.view = view
        self._fit_head()
        self._window.forget_lines()
        # Before all ids are loaded a list is as long as its first rows, so the first paint waits for no more of them.
        self._known = len(view.rows(0, FIRST_ROWS)) if view.count is None else 0
        sought = searched_name_parts(view.spec)
        if sought != self._sought or len(str(view.largest_id)) != len(str(self._largest_id)):
            self._largest_id, self._sought = view.largest_id, sought
            self.columns.forget()
        index = view.index_of(item_id) if item_id is not None else None
        if index is None and self._group_here is not None:
            index = view.outline.header_line(self._group_here)
        if self._is_page_held and index is not None:
            self.cursor = index
        if index is None and before is not None and _selected_by(before.spec) != _selected_by(view.spec):
            self.cursor = self.top = 0  # another list, which begins at its first row
        self.rows_replaced(self.cursor if index is None else index)
        self.columns.fit(view, self.top, self.page, self._names)
        if view.spec.group != self._levels and view.line_count is not None:
            self._levels = view.spec.group
            while self.cursor < self.top + self.page - 1 and isinstance(self.row(self.top - 1), GroupLine):
                self.top -= 1  # the headers right above the first row are to be seen
        self.selection.find_anchor()
        self._note_current()

    @property
    def row_identity(self) -> RowIdentity:
        return RowIdentity(self.current_id, self._group_here)

    def start_in(self, group: GroupKey | None) -> None:
        self._group_here = group

    def go_to(self, item_id: int) -> bool:
        view = self.view
        if view is None:
            return False
        if view.folded and view.index_of(item_id) is None and item_id in view.ids():
            view.fold(*view.folded, is_folded=False)
            self.show(view, item_id)
        if view.reveal(item_id):
            self.show(view, item_id)
        index = view.index_of(item_id)
        if index is not None:
            self.move_to(index)
        return index is not None

    def hold_page(self) -> None:
        self._is_page_held = True

    def moved(self, before: int) -> None:
        self._is_page_held = False
        self._note_current()
        super().moved(before)

    def rows_changed(self, ids: set[int] | None) -> None:
        if ids == set():
            return
        for index in self._window.forget_items(ids):
            self.refresh_row(index)

    def drawn_cells(self, ids: Collection[int]) -> Mapping[int, DrawnCells]:
        return self._window.drawn(ids)

    def flash_ended(self) -> None:
        self.refresh()

    def ids_between(self, start: int, stop: int | None) -> Sequence[int]:
        if self.view is None:
            return ()
        if stop is None and self.view.tree is not None:
            return self.view.tree.selectable_ids()
        return self.view.ids(start) if stop is None else self.view.ids_on(start, stop)

    def find_row(self, item_id: int) -> int | None:
        return self.view.index_of(item_id) if self.view is not None else None

    def row_count(self) -> int:
        if self.view is None:
            return 0
        return self._known if self.view.line_count is None else self.view.line_count

    def row(self, index: int) -> ItemRow | GroupLine | None:
        if self.view is None or not 0 <= index < self.row_count():
            return None
        return self._window.line(self.view, index, self.top, self.page)

    def group_here(self) -> Mapping[str, object]:
        view = self.view
        header = view.outline.header_at(self.cursor) if view is not None and view.spec.group else None
        return dict(zip(view.spec.group, header.group, strict=False)) if view is not None and header else {}

    def _note_current(self) -> None:
        row = self.row(self.cursor)
        self.current_id = row.id if isinstance(row, ItemRow) else None
        self._group_here = row.group if isinstance(row, GroupLine) else None

    # Mouse

    def clicked(self, index: int, event: events.Click) -> None:
        """Fold or unfold a group by its header; with ctrl its items are selected."""
        is_header = self.view is not None and bool(self.view.spec.group) and self.view.id_at(index) is None
        if not is_header or event.shift:
            super().clicked(index, event)
            return
        self.move_to(index)
        if event.ctrl:
            self.selection.toggle_all(self.folds.ids_under_header() or ())
        else:
            self.folds.toggle()

    @on(events.MouseScrollRight)
    @on(events.MouseScrollLeft)
    def _turn_wheel_aside(self, event: events.MouseScrollRight | events.MouseScrollLeft) -> None:
        event.stop()
        self.columns.scroll(1 if isinstance(event, events.MouseScrollRight) else -1)

    # Drawing

    def forget_drawn(self) -> None:
        self._window.forget_words()
        self.columns.forget()
        if self.view is not None:
            self.columns.fit(self.view, self.top, self.page, self._names, is_renamed=True)
        self.refresh()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self.columns.forget()

    def on_resize(self) -> None:
        self._fit_head()
        self.columns.resize()
        super().on_resize()
        self.keep_margin()

    def refresh_cursor(self, index: int) -> None:
        y = index - self.top
        # A cursor that colours its row writes two rows a step, some 300 bytes; as a bar it writes three cells of each.
        if not self.is_low_bandwidth:
            self.refresh_row(index)
        elif 0 <= y < self.page:
            self.refresh(Region(0, y + self.HEADER_LINES, LEAD, 1))

    def render_header(self, y: int) -> Strip:
        head = self._head
        if y < len(head):
            return Strip(head[y]).adjust_cell_length(self.size.width, ThemeStyles.of(self.app).style())
        return self.columns.header() if self.row_count() else super().render_header(y)

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        row = self.row(index)
        if row is None:
            return self.render_blank(-1)
        if isinstance(row, GroupLine):
            return self.with_scrollbar(self.columns.line((row, (), is_cursor, False, NO_BADGE, ())), index)
        is_selected = self.selection.has_row(index, row.id)
        cells = self._window.cells(row.id, self.columns.layout.read)
        badge = self._window.badge(row.id)
        row = with_own_estimate_apart(row, self.columns.layout.read, cells)
        if self.view is not None and self.view.tree is not None:
            mark = self.view.tree.mark(index)
            badge = badge._replace(depth=mark.depth, folded=mark.folded, is_path=mark.is_path)
        flashed: tuple[str, ...] = ()
        if row.id in self.flash:
            flashed = self.columns.layout.changed_keys(self.flash.before(row.id), row, cells)
        return self.with_scrollbar(self.columns.line((row, cells, is_cursor, is_selected, badge, flashed)), index)

    def position_in_list(self, name_of: Callable[[GroupLine], str]) -> tuple[int, int, str]:
        """Return the place of the row in its group or list, on a header that of the outermost group, with its noun."""
        view, count = self.view, self.row_count()
        outline = view.outline if view is not None and view.is_grouped else None
        header = outline.header_at(self.cursor) if outline is not None else None
        if outline is None or header is None:
            return self.cursor + 1, count, "row"
        line = outline.top(self.cursor)
        if self.cursor > line:
            name = safe(name_of(header))
            return self.cursor - line, header.rows, f"{fit(name, min(cell_len(name), MAX_GROUP_NAME_WIDTH))} · row"
        return *outline.outermost(header.group), "group"

    def scroll_columns(self, call: CommandContext) -> None:
        steps = int(call.command.argument) * (call.count or 1)
        if not self.columns.scroll(steps):
            more = f". {key_of('list.columns')} chooses the columns"
            raise CannotAct(f"No more columns to the {'left' if steps < 0 else f'right{more}'}.")


def searched_name_parts(spec: ViewSpec) -> tuple[str, ...]:
    """Return the parts of names that a spec asks for, in lower case."""
    words = [each.text for each in parts_of(spec.query) if isinstance(each, NameText)]
    return tuple(each.lower() for each in (spec.text, *words) if each)


def _selected_by(spec: ViewSpec) -> tuple[object, ...]:
    return spec.text, spec.query, spec.filter, spec.area_ids, spec.iteration_ids
