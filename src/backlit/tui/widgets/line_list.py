"""Lists of lines: widgets that draw only the lines in sight, and the commands that move the cursor."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Generic, Protocol, TypeVar

from rich.segment import Segment
from textual import events, on
from textual.geometry import Region
from textual.message import Message
from textual.reactive import reactive
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.errors import StorageError
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.drawing.framed_app import refresh, scroll
from backlit.tui.drawing.text import Line, fit, wrapped
from backlit.tui.drawing.themes import CURSOR_BAR, ThemeStyles
from backlit.tui.widgets.item_rows import SCROLLBAR
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.storage_errors import StorageErrorGuard

if TYPE_CHECKING:
    from backlit.tui.widgets.empty_list import EmptyList

WHEEL_LINES = 3


def is_over_ssh() -> bool:
    return bool(os.environ.get("SSH_CONNECTION"))


SCROLL_MARGIN = 2
"""Rows kept in sight above and below a cursor that moves by rows."""
BOLD = "bold"
"""The colour of a text in bold foreground."""
MARGIN = "   "
"""Blanks beside a text in place of rows."""


class RowMessage(Message):
    """A message about a row of a list."""

    def __init__(self, line_list: "LineList", index: int) -> None:
        super().__init__()
        self.line_list = line_list
        self.index = index

    @property
    def control(self) -> "LineList":
        """Return the list, so that `@on` can select it."""
        return self.line_list


# Textual's DataTable measures every cell: 100,000 rows of 9 columns took 13.9 s and 384 MB to show, and a changed cell
# 171 to 610 ms. A list that reads only what is in sight took 0.3 s and 51 MB, and 3 ms, at any length.
class LineList(StorageErrorGuard, Widget, can_focus=True):
    """A list of any number of rows with cursor, scrolling and mouse; subclasses draw a row.

    `top` is the index of the first row in sight, `cursor` that of the current one. Under SSH the
    list scrolls by half a page when the cursor leaves the view, so that few moves repaint it all.
    """

    HEADER_LINES = 0
    ROW_LINES = 1
    IS_PLAIN = True
    """Whether a line shows the same row wherever it is; else all lines are drawn again when the list scrolls."""
    IS_IN_DIALOG: ClassVar[bool] = False
    """Whether it stands on the ground of a dialog."""
    COMMAND_GROUPS: ClassVar[Sequence[str]] = ("widgets.line_list",)

    empty_text: reactive[str] = reactive("")
    """The text in place of rows where there are none."""
    empty: reactive["EmptyList | None"] = reactive(None)
    """What stands in place of rows where there is more to say than a text."""

    class Highlighted(RowMessage):
        """The cursor moved to another row."""

    class Chosen(RowMessage):
        """The row was double-clicked."""

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id, classes=classes)
        self._clicked: int | None = None
        """The row of the last click; a click with ctrl or shift is not the first of two."""
        self.top = 0
        self.cursor = 0
        self.row_lines: Sequence[tuple[int, int]] = ()
        """The row and the line of each line of rows of different heights, where there is room for all of them."""
        self.is_low_bandwidth = False
        self.frame: PaneFrame | None = None
        """The frame around the list, which draws its scrollbar where there is room; None without one."""
        self._bar = range(0)
        self._notes: Sequence[Sequence[tuple[str, str]]] = ()
        self._empty_lines: tuple[object, Sequence[Line]] = None, ()
        # A step at the edge paints every row. By half pages one step in some twenty does, and a slow line keeps up.
        self.scrolls_by_half = is_over_ssh()

    def say_below(self, notes: Sequence[Sequence[tuple[str, str]]]) -> None:
        """Show lines of coloured texts below the last row, where there is room for them."""
        if notes != self._notes:
            self._notes = notes
            self.refresh()

    def show_empty(self, empty: "EmptyList | None") -> None:
        """Show what stands in place of rows; its text is what commands that need a row say."""
        self.empty = empty
        if empty is not None:
            self.empty_text = empty.text
        self._note_box()

    def _note_box(self) -> None:
        """Have the frame leave its place to the box that stands in place of rows, where one does."""
        if self.frame is not None:
            self.frame.bare(is_bare=self.empty is not None and bool(self.empty.facts) and not self.row_count())

    # Hooks

    @property
    def theme_styles(self) -> ThemeStyles:
        styles = ThemeStyles.of(self.app)
        return styles.on_surface if self.IS_IN_DIALOG else styles

    def row_count(self) -> int:
        raise NotImplementedError

    def render_row(self, index: int, *, is_cursor: bool) -> Strip:
        """Draw one row, exactly as wide as the widget."""
        raise NotImplementedError

    def render_row_line(self, index: int, line: int, *, is_cursor: bool) -> Strip:  # noqa: ARG002 - for subclasses
        """Draw one of the lines of a row; for lists with several."""
        return self.render_row(index, is_cursor=is_cursor)

    def fit_lines(self, room: int) -> None:
        """Choose `row_lines` for so many lines below the header; for lists whose rows differ in height."""

    def render_header(self, y: int) -> Strip:  # noqa: ARG002 - for subclasses
        return Strip.blank(self.size.width, self.rich_style)

    def render_blank(self, y: int) -> Strip:
        """Draw a line below the last row; y counts from the first row's line."""
        if (self.empty_text or self.empty) and not self.row_count():
            return self.draw_empty_line(y)
        at = y - self.row_count() if self.ROW_LINES == 1 and self._notes else -1
        if 0 <= at < len(self._notes):
            return self.draw_parts(self._notes[at], is_cursor=False)
        return Strip.blank(self.size.width, self.rich_style)

    # Drawing

    def draw_parts(self, parts: Sequence[tuple[str, str]], *, is_cursor: bool) -> Strip:
        """Draw a row of coloured texts after the cursor bar; foreground is bold under the cursor, BOLD always.

        BOLD may stand before a colour, as in `bold owner-1`.
        """
        theme, on = self.theme_styles, "cursor-background" if is_cursor else None
        segments = [Segment("▌" if is_cursor else " ", theme.style(CURSOR_BAR, on=on))]
        for text, colour in parts:
            is_bold = colour.startswith(BOLD) or (is_cursor and colour == "foreground")
            name = colour.removeprefix(BOLD).strip() or "foreground"
            segments.append(Segment(text, theme.style(name, on=on, bold=is_bold)))
        return Strip(segments).adjust_cell_length(self.size.width, theme.style(on=on))

    @property
    def page(self) -> int:
        return self.row_count() if self.row_lines else max(1, (self.size.height - self.HEADER_LINES) // self.ROW_LINES)

    def place_at(self, y: int) -> tuple[int, int]:
        """Return the row on a line below the header, and the number of its line."""
        if self.row_lines:
            return self.row_lines[y] if y < len(self.row_lines) else (self.row_count(), 0)
        row, line = divmod(y, self.ROW_LINES)
        return self.top + row, line

    def render_line(self, y: int) -> Strip:
        if y < self.HEADER_LINES:
            return self.render_header(y)
        index, line = self.place_at(y - self.HEADER_LINES)
        if index >= self.row_count():
            return self.render_blank(y - self.HEADER_LINES)
        try:
            return self.render_row_line(index, line, is_cursor=index == self.cursor)
        # Drawing runs outside the handling of a message, where `StorageErrorGuard` would show the error as a toast.
        except StorageError as error:
            return Strip([Segment(fit(f"   {error.message}", self.size.width), self.rich_style)])

    refresh = refresh

    def refresh_row(self, index: int) -> None:
        if 0 <= index - self.top < self.page:
            rows = [row for row, _ in self.row_lines]
            y = rows.index(index) if rows else self.ROW_LINES * (index - self.top)
            height = rows.count(index) or self.ROW_LINES
            self.refresh(Region(0, y + self.HEADER_LINES, self.size.width, height))

    def refresh_cursor(self, index: int) -> None:
        self.refresh_row(index)

    def repaint(self) -> None:
        self.refresh()

    # Moving

    def move_to(self, index: int) -> None:
        index = max(0, min(index, self.row_count() - 1))
        before, self.cursor = self.cursor, index
        self._keep_in_sight()
        self.refresh_cursor(before)
        self.refresh_cursor(index)
        self.moved(before)

    def move_by(self, rows: int) -> None:
        """Move the cursor by some rows; less than half a page leaves rows around it in sight."""
        self.move_to(self.cursor + rows)
        if abs(rows) < self.page // 2:
            self.keep_margin()

    def page_by(self, step: float, count: int) -> None:
        """Move the cursor by half pages, or scroll by whole ones; the cursor keeps its line of the screen then."""
        rows, before = int(step * self.page) * count, self.cursor
        if abs(step) < 1:
            self.move_by(rows)
            return
        line = before - self.top
        self.top = max(0, min(self.top + rows, max(0, self.row_count() - self.page)))
        self.cursor = max(0, min(before + rows, self.row_count() - 1))
        if not self.top <= self.cursor < self.top + self.page:
            self.top = max(0, self.cursor - line)
        self.repaint()
        self.note_bar()
        self.moved(before)

    def moved(self, before: int) -> None:
        if before != self.cursor:
            self.post_message(self.Highlighted(self, self.cursor))

    def row_of(self, number: int) -> int:
        return number - 1

    def scroll_cursor_to(self, line: int) -> None:
        """Scroll until the cursor's row is on a line of the page; the cursor stays in sight."""
        top = max(0, min(self.cursor - line, self.row_count() - self.page))
        if top != self.top:
            self.show_from(top)
        self.move_to(max(self.top, min(self.cursor, self.top + self.page - 1)))

    def rows_replaced(self, cursor: int) -> None:
        """Take other rows: clamp the cursor, and keep its line of the screen where possible."""
        line = self.cursor - self.top
        count = self.row_count()
        self.cursor = max(0, min(cursor, count - 1))
        self.top = max(0, min(self.cursor - line, count - self.page))
        self._keep_in_sight()
        self.repaint()
        self.note_bar()
        self._note_box()

    def _keep_in_sight(self) -> None:
        step = self.page // 2 if self.scrolls_by_half else 0
        top = self.top
        if self.cursor < top:
            top = self.cursor - step
        elif self.cursor >= top + self.page:
            top = self.cursor - self.page + 1 + step
        top = max(0, min(top, max(0, self.row_count() - self.page)))
        if top != self.top:
            self.show_from(top)

    def on_resize(self) -> None:
        self._keep_in_sight()
        self._bar = self.bar_lines()
        if self.frame is not None:
            self.frame.move_bar()  # the list may stand at another line of its frame

    # Mouse

    @on(events.MouseScrollDown)
    @on(events.MouseScrollUp)
    def _wheel_turned(self, event: events.MouseScrollDown | events.MouseScrollUp) -> None:
        event.stop()
        self.turn_wheel(WHEEL_LINES if isinstance(event, events.MouseScrollDown) else -WHEEL_LINES)

    def turn_wheel(self, lines: int) -> None:
        self.scroll_cursor_to(self.cursor - self.top - lines)

    def on_click(self, event: events.Click) -> None:
        y = event.y - self.gutter.top - self.HEADER_LINES
        index, _ = self.place_at(y)
        if y >= 0 and index < self.row_count():
            self.clicked(index, event)

    def clicked(self, index: int, event: events.Click) -> None:
        self.move_to(index)
        is_plain = not (event.ctrl or event.shift)
        is_second = event.chain > 1 or (is_plain and index == self._clicked)
        self._clicked = index if is_plain and not is_second else None
        if is_second:
            self.post_message(self.Chosen(self, index))

    def draw_empty_line(self, y: int) -> Strip:
        """Draw a line of an empty list."""
        empty, theme, size = self.empty, self.theme_styles, self.size
        if empty is None:
            return self.draw_text_line(self.empty_text, y)
        key = empty, size, theme
        if self._empty_lines[0] != key:
            self._empty_lines = key, empty.lines(size.width, size.height - self.HEADER_LINES, theme)
        lines = self._empty_lines[1]
        y -= not self.HEADER_LINES  # a blank line is above the text either way
        return Strip(lines[y] if 0 <= y < len(lines) else []).adjust_cell_length(size.width, theme.style())

    def draw_text_line(self, words: str, y: int) -> Strip:
        """Draw a line of a text in place of rows: it starts on the second line and wraps. An error begins with !."""
        theme, width = self.theme_styles, self.size.width
        lines = wrapped(words, width - 2 * len(MARGIN)) if words else []
        text = MARGIN + lines[y - 1] if 1 <= y <= len(lines) else ""
        return Strip([Segment(fit(text, width), theme.style("conflict" if words.startswith("!") else "muted"))])

    def draw_headings(self, words: str) -> Strip:
        style = self.theme_styles.heading("muted")
        return Strip([Segment(words, style)]).adjust_cell_length(self.size.width, style)

    def keep_margin(self) -> None:
        """Scroll until there are rows around the cursor in sight; half pages make room by themselves."""
        margin = 0 if self.scrolls_by_half else min(SCROLL_MARGIN, (self.page - 1) // 2)
        top = min(max(self.top, self.cursor - self.page + 1 + margin), self.cursor - margin)
        top = max(0, min(top, self.row_count() - self.page))
        if top != self.top:
            self.show_from(top)

    def show_from(self, top: int) -> None:
        """Scroll to a first row; rows that stay in sight are moved, not drawn again."""
        lines, bar = self.ROW_LINES * (top - self.top), self.scrollbar_rows()
        self.top = top
        self.note_bar()
        body = Region(0, self.HEADER_LINES, self.size.width, self.size.height - self.HEADER_LINES)
        # Where rows are moved in the frame only the new ones are drawn. Of 150 `j` through a list each took 3.4 ms of
        # CPU without, and takes 2.8.
        if self.row_lines or not (self.IS_PLAIN and scroll(self, body, lines)):
            self.repaint()
            return
        if self.is_framed:
            return
        for index in {*bar} ^ {*self.scrollbar_rows()}:
            self.refresh_row(index)

    def scrollbar_rows(self) -> range:
        """Return the rows beside which the scrollbar is drawn; none where all rows fit, or on a slow connection."""
        count, page = self.row_count(), self.page
        if count <= page or page == 1 or self.is_low_bandwidth:
            return range(0)
        size = max(1, page * page // count)
        start = self.top + round(self.top / (count - page) * (page - size))
        return range(start, start + size)

    def bar_lines(self) -> range:
        """Return the lines of the widget beside which its frame draws the scrollbar."""
        rows = self.scrollbar_rows()
        start = self.HEADER_LINES + self.ROW_LINES * (rows.start - self.top)
        return range(start, start + self.ROW_LINES * len(rows))

    @property
    def is_framed(self) -> bool:
        return self.frame is not None and self.frame.is_framed

    def foot_words(self) -> Sequence[tuple[str, str]]:
        """Return the words that the bottom edge of its frame has; others give the position."""
        return ()

    def note_bar(self) -> None:
        """Have the frame draw the scrollbar where it is now."""
        if self.frame is not None and (lines := self.bar_lines()) != self._bar:
            self._bar = lines
            self.frame.move_bar()

    def with_scrollbar(self, line: Strip, index: int) -> Strip:
        if self.is_framed or index not in self.scrollbar_rows():
            return line
        theme = self.theme_styles
        bar = Segment(SCROLLBAR if theme.is_colourless else " ", theme.style(on="rule"))
        return Strip([*line.crop(0, self.size.width - 1), bar], self.size.width)


class Identified(Protocol):
    """An entry of a list."""

    @property
    def id(self) -> int: ...


Entry = TypeVar("Entry", bound=Identified)


class EntryList(LineList, Generic[Entry]):
    """A list of entries; the cursor stays on its entry when others are shown, else near its line."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self.entries: Sequence[Entry] = ()

    def show(self, entries: Sequence[Entry]) -> None:
        current, self.entries = self.current, entries
        ids = [entry.id for entry in entries]
        self.rows_replaced(ids.index(current.id) if current and current.id in ids else self.cursor)
        self.post_message(self.Highlighted(self, self.cursor))

    @property
    def current(self) -> Entry | None:
        return self.entries[self.cursor] if self.cursor < len(self.entries) else None

    def chosen(self) -> Entry:
        """Return the entry under the cursor; raises CannotAct without one."""
        if self.current is None:
            raise CannotAct("Nothing selected.")
        return self.current

    def row_count(self) -> int:
        return len(self.entries)


class MoveTarget(Protocol):
    """What a command that moves a cursor acts on: anything of rows, also the texts of comments."""

    cursor: int

    @property
    def page(self) -> int: ...

    def row_count(self) -> int: ...

    def move_to(self, index: int) -> None: ...

    def move_by(self, rows: int) -> None: ...

    def page_by(self, step: float, count: int) -> None:
        """Move by a number of half pages (step 0.5), or scroll by whole ones (step 1); negative is up."""

    def row_of(self, number: int) -> int:
        """Return the row with a number, as the position and a count before G have it."""

    def scroll_cursor_to(self, line: int) -> None: ...


def step(target: MoveTarget, call: CommandContext) -> None:
    target.move_by(int(call.command.argument) * (call.count or 1))


def to_first(target: MoveTarget, call: CommandContext) -> None:
    """Go to the first row, or to row n with a count."""
    target.move_to(target.row_of(call.count or 1))


def to_last(target: MoveTarget, call: CommandContext) -> None:
    target.move_to(target.row_of(call.count) if call.count else target.row_count() - 1)


def page(target: MoveTarget, call: CommandContext) -> None:
    target.page_by(float(call.command.argument), call.count or 1)


def scroll_to(target: MoveTarget, call: CommandContext) -> None:
    """Scroll the row to a share of the page from its top, by the command's argument."""
    target.scroll_cursor_to(int((target.page - 1) * float(call.command.argument) + 0.5))
