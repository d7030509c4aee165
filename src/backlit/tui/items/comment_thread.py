"""A thread of comments that draws only the lines in sight, however long it is."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import partial
from types import MappingProxyType

from rich.segment import Segment
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip
from textual.timer import Timer

from backlit.model.amounts import counted, size_text
from backlit.store.views.items import AttachmentEntry, CommentEntry
from backlit.tui.commands.command import CommandContext
from backlit.tui.commands.table import key_of
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.text import Line, fit, fit_right, safe
from backlit.tui.drawing.themes import CURSOR_BAR, ThemeStyles
from backlit.tui.fields.dates import ago, moment
from backlit.tui.widgets.pane_frame import PaneFrame

CURSOR_CELLS = 2
"""Cells before the author: the cursor bar and a blank."""
EDGE, EDGE_WIDTH = "▏", 2
"""The bar beside a comment in the colour of its author, and its cells with a blank."""
COMMENTS_A_LAYOUT = 40
"""Comments that are laid out at a time; the older ones follow while nobody waits."""
LAYOUT_PAUSE = 0.01
BYLINE: Line = []
"""Stands for a comment's first line, which is made when it is drawn, as its age changes."""
MIN_FOLDED_LINES = 30
"""Lines from which a comment is folded until zo shows all of it."""
FOLDED_LINES = 20
"""Lines of a folded comment."""
TEXT_WIDTH = 92
"""Cells of the longest line; longer ones are hard to read."""


class CommentLines:
    """Comments as lines, from the first one down; more are put below when they are wanted."""

    def __init__(self, comments: Sequence[CommentEntry], body: Callable[[CommentEntry], list[Line]]) -> None:
        self.lines: list[tuple[int, Line]] = []
        self._comments = comments
        self._body = body
        self._starts: list[int] = []

    @property
    def count(self) -> int:
        return len(self._starts)

    def reach(self, last: int) -> None:
        for index in range(self.count, min(last + 1, len(self._comments))):
            self._starts.append(len(self.lines))
            body = self._body(self._comments[index])
            self.lines += [(index, line) for line in (BYLINE, *body, [])]

    def extent(self, index: int) -> tuple[int, int]:
        """Return the first line of a comment and the one after its last, without the blank below it."""
        end = self._starts[index + 1] if index + 1 < self.count else len(self.lines)
        return self._starts[index], end - 1

    def index_at(self, line: int) -> int:
        return max(0, bisect_right(self._starts, line) - 1)


# One widget for all comments: as a widget of Textual's Markdown each, 40 of them took 1.5 s of CPU to open.
class CommentThread(ScrollView, can_focus=True, inherit_bindings=False):
    """Comments, newest first, with a cursor on one of them.

    `now` gives the server's time, for the ages.
    """

    COMMAND_GROUPS = ("widgets.line_list", "items.comment_thread")
    DEFAULT_CSS = """
    CommentThread { scrollbar-size-vertical: 1; scrollbar-size-horizontal: 0; overflow-x: hidden; }
    """

    empty_text: reactive[str] = reactive("")

    class Highlighted(Message):
        """The cursor is on another comment, or there are others now."""

    def __init__(
        self,
        now: Callable[[], datetime],
        local: Callable[[datetime], datetime],
        *,
        id: str | None = None,  # noqa: A002 - Textual's name
    ) -> None:
        super().__init__(id=id)
        self.cursor = 0
        self._now = now
        self._local = local
        self._comments: Sequence[CommentEntry] = ()
        self._files: Mapping[int, Sequence[AttachmentEntry]] = {}
        self._colours: Mapping[str, str] = {}
        self._expanded: set[int] = set()
        self._drawn: dict[CommentEntry, list[Line]] = {}
        self._laid_out = CommentLines((), self._body)
        self._timer: Timer | None = None
        self._width = 0
        self.frame: PaneFrame | None = None
        """The frame around the thread, which draws its scrollbar."""

    def bar_lines(self) -> range:
        """Return the lines of the thread beside which its frame draws the scrollbar."""
        count, height = self.virtual_size.height, self.size.height
        if count <= height or height <= 1:
            return range(0)
        size = max(1, height * height // count)
        start = round(self.scroll_y / (count - height) * (height - size))
        return range(start, start + size)

    def foot_words(self) -> Sequence[tuple[str, str]]:
        """Return the words for the bottom edge of its frame: whether there is more, the whole time, the position."""
        comment = self.current
        if comment is None:
            return ()
        is_more = round(self.scroll_y) + self.size.height < self.virtual_size.height
        position = f"{self.cursor + 1:,} of {len(self._comments):,}"
        words = "more ↓" if is_more else "", moment(comment.created_at, self._local), position
        return [("  ".join(each for each in words if each), "muted")]

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.frame is not None:
            self.frame.move_bar()

    # What is shown

    def show(
        self,
        comments: Sequence[CommentEntry],
        files: Mapping[int, Sequence[AttachmentEntry]] | None = None,
        colours: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Show comments, given oldest first, their files by the comment's id, and the colours of their authors.

        The cursor stays on its comment; from the newest it goes to a newer one.
        """
        if self._files != (files or {}):
            self._files, self._drawn = files or {}, {}
        self._colours = colours
        current = self.current
        offset = self._laid_out.extent(self.cursor)[0] - round(self.scroll_y) if self._laid_out.lines else 0
        self._comments = comments[::-1]
        ids = [comment.id for comment in self._comments]
        is_kept = current is not None and current.id in ids and (self.cursor > 0 or current.id == ids[0])
        self.cursor = ids.index(current.id) if is_kept and current is not None else 0
        self._lay_out(offset if is_kept else 0)

    @property
    def current(self) -> CommentEntry | None:
        return self._comments[self.cursor] if self.cursor < len(self._comments) else None

    # Laying out

    def _lay_out(self, offset: int = 0) -> None:
        """Lay out the newest comments, and all down to that of the cursor; `offset` is the line it is seen at."""
        if self._width != self.size.width:
            self._width, self._drawn = self.size.width, {}
        if self._width <= 0:
            return
        self._drawn = {comment: self._drawn[comment] for comment in self._comments if comment in self._drawn}
        self._laid_out = CommentLines(self._comments, self._body)
        drawn = (index for index, comment in enumerate(self._comments) if comment in self._drawn)
        self._reach(max(self.cursor, COMMENTS_A_LAYOUT - 1, *drawn))
        start, end = self._laid_out.extent(self.cursor) if self._laid_out.lines else (0, 0)
        self.scroll_to(y=start - offset, animate=False, force=True)
        if not start < start - offset < end:  # else a long comment is being read
            self._show_cursor()
        self.refresh()
        self.post_message(self.Highlighted())

    def _reach(self, last: int) -> None:
        """Have comments laid out down to one of them, and the others soon."""
        if self._timer is not None:
            self._timer.stop()
        self._laid_out.reach(last)
        self.virtual_size = Size(self._width, max(0, len(self._laid_out.lines) - 1))  # no blank below the last one
        count, is_more = self._laid_out.count, self._laid_out.count < len(self._comments)
        self._timer = (
            self.set_timer(LAYOUT_PAUSE, partial(self._reach, count - 1 + COMMENTS_A_LAYOUT)) if is_more else None
        )

    def _body(self, comment: CommentEntry) -> list[Line]:
        if comment not in self._drawn:
            theme, room = ThemeStyles.of(self.app), min(TEXT_WIDTH, self._width - CURSOR_CELLS - EDGE_WIDTH - 1)
            lines = markdown_lines(comment.text, room, theme)
            if len(lines) >= MIN_FOLDED_LINES and comment.id not in self._expanded:
                more = f"… {counted(len(lines) - FOLDED_LINES, 'more line')}: {key_of('comments.expand')} shows them"
                lines = [*lines[:FOLDED_LINES], [Segment(fit(more, room), theme.style("muted"))]]
            self._drawn[comment] = [*lines, *_file_lines(self._files.get(comment.id, ()), room, theme)]
        return self._drawn[comment]

    # Drawing

    def render_line(self, y: int) -> Strip:
        theme, width = ThemeStyles.of(self.app), self.size.width
        at = y + round(self.scroll_y)
        if at >= len(self._laid_out.lines):
            text = "  " + self.empty_text if y == 0 and not self._comments else ""
            return Strip([Segment(fit(text, width), theme.style("muted"))])
        index, line = self._laid_out.lines[at]
        is_within = at + 1 < len(self._laid_out.lines) and self._laid_out.lines[at + 1][0] == index
        is_cursor = is_within and index == self.cursor and self.has_focus
        on = "cursor-background" if is_cursor else None
        bar = Segment("▌ " if is_cursor else "  ", theme.style(CURSOR_BAR, on=on))
        comment = self._comments[index]
        if line is BYLINE:
            body = self._byline(comment, theme, on)
            is_framed = self.frame is not None and self.frame.is_framed  # then the frame has the whole time
            if is_cursor and not is_framed:
                body += self._whole_time(comment, body, theme)
        else:
            body = list(Segment.apply_style(line, post_style=theme.tint(on) if on else None))
        edge = Segment((EDGE if is_within else "").ljust(EDGE_WIDTH), theme.style(self._colour(comment, "rule"), on=on))
        return Strip([bar, edge, *body]).adjust_cell_length(width, theme.style(on=on))

    def _byline(self, comment: CommentEntry, theme: ThemeStyles, on: str | None) -> Line:
        parts = [
            (comment.author or "you", theme.style(self._colour(comment, "foreground"), on=on, bold=True)),
            (ago(comment.created_at, self._now()), theme.style("muted", on=on)),
            ("↑ waiting to be sent" if comment.pending else "", theme.style("pending", on=on)),
            ("" if comment.is_internal else "» customers see this", theme.style("type-feedback", on=on)),
        ]
        return [Segment(f"{safe(text)}  ", style) for text, style in parts if text]

    def _whole_time(self, comment: CommentEntry, byline: Line, theme: ThemeStyles) -> Line:
        room = min(TEXT_WIDTH, self.size.width - CURSOR_CELLS - EDGE_WIDTH - 1)
        room -= sum(segment.cell_length for segment in byline)
        when = moment(comment.created_at, self._local)
        return (
            [Segment(fit_right(when, room), theme.style("muted", on="cursor-background"))] if room >= len(when) else []
        )

    def _colour(self, comment: CommentEntry, otherwise: str) -> str:
        return self._colours.get(comment.author or "", otherwise)

    def on_resize(self, event: events.Resize) -> None:
        if event.size.width != self._width:
            self._lay_out()
        if self.frame is not None:
            self.frame.move_bar()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self._drawn:
            self._drawn = {}
            self._lay_out()

    # Moving

    @property
    def page(self) -> int:
        return self.size.height

    def row_count(self) -> int:
        return len(self._comments)

    def move_to(self, index: int) -> None:
        index = max(0, min(index, len(self._comments) - 1))
        if index >= self._laid_out.count:
            self._reach(index)
        before, self.cursor = self.cursor, index
        top = round(self.scroll_y)
        self._show_cursor()
        if round(self.scroll_y) == top and self._comments:
            self._refresh_comment(before)
            self._refresh_comment(index)
        self.post_message(self.Highlighted())

    def move_by(self, comments: int) -> None:
        self.move_to(self.cursor + comments)

    def page_by(self, step: float, count: int) -> None:
        lines = int(step * count * self.page)
        self.scroll_to(y=self.scroll_y + lines, animate=False, force=True)
        if not self._comments:
            return
        top, count = round(self.scroll_y), self.virtual_size.height
        is_at_end = top + self.size.height >= count
        line = count - 1 if is_at_end and lines > 0 else top + (0 if lines < 0 else self.size.height // 2)
        self.cursor = self._laid_out.index_at(line)
        self.refresh()
        self.post_message(self.Highlighted())

    def row_of(self, number: int) -> int:
        return number - 1

    def scroll_cursor_to(self, line: int) -> None:
        """Scroll until the comment begins on a line of the page, or a line above where it would not be seen whole."""
        if self._comments:
            start, end = self._laid_out.extent(self.cursor)
            line = max(0, min(line, self.page - (end - start)))
            self.scroll_to(y=start - line, animate=False, force=True)

    def _show_cursor(self) -> None:
        if not self._comments:
            return
        start, end = self._laid_out.extent(self.cursor)
        top, height = round(self.scroll_y), self.size.height
        if start < top or end - start > height:
            self.scroll_to(y=start, animate=False, force=True)
        elif end > top + height:
            self.scroll_to(y=end - height, animate=False, force=True)

    def _refresh_comment(self, index: int) -> None:
        start, end = self._laid_out.extent(index)
        self.refresh(Region(0, start - round(self.scroll_y), self.size.width, end - start))

    def toggle_fold(self, _call: CommandContext) -> None:
        comment = self.current
        if comment is not None:
            self._expanded ^= {comment.id}
            self._drawn.pop(comment, None)
            self._lay_out(self._laid_out.extent(self.cursor)[0] - round(self.scroll_y))


def _file_lines(files: Sequence[AttachmentEntry], room: int, theme: ThemeStyles) -> list[Line]:
    if not files:
        return []
    names = ", ".join(each.name + (f" {size_text(each.size)}" if each.size is not None else "") for each in files)
    head = f"+ {counted(len(files), 'file')}  "
    return [[Segment(head, theme.style("mark")), Segment(fit(names, room - len(head)), theme.style("muted"))]]
