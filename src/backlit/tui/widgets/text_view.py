"""Views of scrolled lines: the base that lays them out for its width, and the detail below a list."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import ClassVar

from rich.segment import Segment
from rich.style import Style
from textual.app import ComposeResult
from textual.containers import Container
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scrollbar import ScrollBar, ScrollBarRender
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from backlit.model.amounts import counted
from backlit.tui.commands.command import CannotAct, CommandContext
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.text import Line
from backlit.tui.drawing.textual_private import ContentSizeView
from backlit.tui.drawing.themes import KEY, ThemeStyles
from backlit.tui.widgets.line_list import LineList
from backlit.tui.widgets.pane_frame import FRAME_LINES, PaneFrame
from backlit.tui.widgets.side_lines import Part, RuleLine

PREVIEW_DELAY = 0.06
"""Seconds until the text of a row is drawn, so that holding j draws none."""
MARGIN = 1
"""Blanks between the text and the scroll bar."""
MIN_LINES_WITHOUT_BLANK = 4
"""Lines up to which a view leaves out no blank."""
SCROLL_LINES = 3
"""Lines that a key scrolls by."""


class PlainScrollBar(ScrollBarRender):
    """Bar of whole cells; parts of cells look like dashes in many fonts."""

    VERTICAL_BARS: ClassVar[list[str]] = [" "]


class LinesView(ContentSizeView, can_focus=False, inherit_bindings=False):
    """Lines that are laid out once for a width and a theme, and scrolled."""

    # Textual lays the whole screen out when a content changes its size. Only the lines of this view change.
    virtual_size = Reactive(Size(0, 0), layout=False, repaint=False)
    refresh = refresh
    MORE_KEY: ClassVar[str] = "ctrl+e"
    """The key that scrolls on, named with the number of lines below those in sight; empty where neither is."""

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()
        self._timer: Timer | None = None
        self.frame: PaneFrame | None = None
        """The frame around the view, which draws its scrollbar and names the key that scrolls on; None without one."""

    @property
    def is_framed(self) -> bool:
        return self.frame is not None and self.frame.is_framed

    def bar_lines(self) -> range:
        """Return the lines of the view beside which its frame draws the scrollbar."""
        count, height = len(self._lines), self._height
        if count <= height or height <= 1:
            return range(0)
        size = max(1, height * height // count)
        start = round(self.scroll_y / (count - height) * (height - size))
        return range(start, start + size)

    def foot_words(self) -> Sequence[Part]:
        """Return the key that scrolls on and the number of lines below those in sight; nothing without any."""
        left = len(self._lines) - round(self.scroll_y) - self._height
        if left <= 0 or not self.MORE_KEY:
            return ()
        return (self.MORE_KEY, KEY), (f" {counted(left, 'more line')}", "muted")

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        super().watch_scroll_y(old_value, new_value)
        if self.frame is not None:
            self.frame.move_bar()

    def show_soon(self, show: Callable[[], None]) -> None:
        """Call what shows the row under the cursor, once the cursor rests."""
        if self._timer is not None:
            self._timer.stop()
        self._timer = self.screen.set_timer(PREVIEW_DELAY, show)  # never while the screen removes its widgets

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        raise NotImplementedError

    def lay_out(self) -> None:
        """Lay the content out for the current width, again where its scrollbar changes the width, and redraw it."""
        self._lay_out()
        if self.scrollable_content_region.width != self.virtual_size.width:
            self._lay_out()
        self.refresh(self.scrollable_content_region.size.region, layout=self.styles.auto_dimensions)
        if self.frame is not None:
            self.frame.move_bar()

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        self._lines = self.lines_for(width, ThemeStyles.of(self.app)) if width > 0 else ()
        self.virtual_size = Size(width, len(self._lines))
        self.update_content_size()

    def show_content_size(self, size: Size) -> bool:
        """Show the new height of the content; a bar that keeps its place is painted with the lines, unless blank."""
        bar, height = self.vertical_scrollbar, self.container_size.height
        # Textual repaints both bars, and lays the screen out where one comes or goes: about 5 ms of the 15 of a key
        # after which the cursor rests.
        if self.styles.overflow_y != "scroll" or bar.window_size != height or not bar.display:
            return False
        if max(size.height, bar.window_virtual_size) > height:
            bar.set_reactive(ScrollBar.window_virtual_size, size.height)
            bar.refresh(repaint=False)  # frees its drawing
            refresh(bar)
            self.scroll_y = self.validate_scroll_y(self.scroll_y)
        return True

    def notify_style_update(self) -> None:
        super().notify_style_update()
        if self.is_mounted:
            self.lay_out()

    def on_resize(self) -> None:
        if self.scrollable_content_region.width != self.virtual_size.width:
            self.lay_out()

    def render_line(self, y: int) -> Strip:
        """Draw one line; the last one says how many more there are below those in sight."""
        theme, at, width = ThemeStyles.of(self.app), y + round(self.scroll_y), self.virtual_size.width
        style = theme.style()
        if self.MORE_KEY and not self.is_framed:
            height = self._height
            if y == height - 1 and at + 1 < len(self._lines):
                more = f" {counted(len(self._lines) + y - at - self.page, 'more line')}"
                words = [theme.cap(self.MORE_KEY), Segment(more, theme.style("muted"))]
                return Strip(words).adjust_cell_length(width, style)
            at += y >= self._left_out(height)
        if at >= len(self._lines):
            return _blank(width, style)
        return Strip(self._lines[at]).adjust_cell_length(width, style)

    @property
    def _height(self) -> int:
        return self.outer_size.height - self.styles.gutter.height

    @property
    def page(self) -> int:
        """The number of lines in sight; the last line of a view of more lines holds the number of the others."""
        height = self._height
        is_longer = not self.is_framed and len(self._lines) > round(self.scroll_y) + height
        return height - is_longer + (self._left_out(height) < height)

    def _left_out(self, height: int) -> int:
        """Return the line of the blank that is left out above a heading at the end, so that text follows it."""
        top = round(self.scroll_y)
        if not self.MORE_KEY or self.is_framed or height <= MIN_LINES_WITHOUT_BLANK or len(self._lines) <= top + height:
            return height
        blanks = [at for at in (height - 3, height - 4) if not self._lines[top + at]]
        start = self._lines[top + height - 2][:1]
        return blanks[0] if blanks and any(each.style and each.style.bold for each in start) else height


@lru_cache(maxsize=16)
def _blank(width: int, style: Style) -> Strip:
    """Return a blank line, the same one each time, which is not compared anew."""
    return Strip.blank(width, style)


DrawDetail = Callable[[int, int, ThemeStyles], Sequence[Line]]
"""Lays a content out for so many columns and lines."""


class DetailView(LinesView):
    """A content that is laid out for the size of the view."""

    DEFAULT_CSS = "DetailView { height: 1fr; padding: 0 0 0 1; overflow-x: hidden; scrollbar-size-vertical: 1; }"

    def __init__(self) -> None:
        super().__init__(id="detail")
        self._draw: DrawDetail | None = None

    def show(self, draw: DrawDetail | None) -> None:
        self._draw = draw
        if self.is_mounted:
            self.lay_out()
            self.scroll_to(y=0, animate=False, force=True)

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        return self._draw(width - MARGIN, self.size.height, theme) if self._draw else ()


class RowsOverDetail(Container):
    """A list as high as its rows, or half of the room for a long one, and below it the detail of its row.

    Each has a frame where there is room, else a rule stands between them.
    """

    COMMAND_GROUPS = ("widgets.text_view",)
    DEFAULT_CSS = """
    RowsOverDetail { height: 1fr; }
    RowsOverDetail > RuleLine { margin: 1 0 0 0; }
    """

    def __init__(self, rows: LineList) -> None:
        super().__init__()
        self._rows, self._rule, self._detail = rows, RuleLine("─"), DetailView()
        self.frame = PaneFrame(rows, id="body-frame")
        self._detail_frame = PaneFrame(self._detail, id="detail-frame")

    def compose(self) -> ComposeResult:
        yield self.frame
        yield self._rule
        yield self._detail_frame

    def on_resize(self) -> None:
        self._share()

    def show(self, draw: DrawDetail | None, heading: Sequence[Part] = ()) -> None:
        """Show the detail of the current row, below its heading; None hides it."""
        self._rule.say(heading)
        self._detail_frame.say(heading)
        self._detail.display = self._detail_frame.display = draw is not None
        self._share()
        self._detail.show(draw)

    def _share(self) -> None:
        is_framed, is_split = self.frame.is_wanted, self._detail.display
        self._rule.display = is_split and not is_framed
        edges = FRAME_LINES * is_framed
        room = self.size.height - edges * (1 + is_split)
        self._rows.fit_lines(room * 2 // 3 - self._rows.HEADER_LINES)
        fit_rows(self._rows, room if is_split else None, self.frame, edges)


def fit_rows(rows: LineList, room: int | None, pane: Widget | None = None, edges: int = 0) -> None:
    """Make a list as high as its rows; where those leave less than a third of a room that it shares, it gets half.

    None gives it all of the room. A pane around the list has its height, and that of its edges.
    """
    pane = pane or rows
    wanted = rows.HEADER_LINES + (len(rows.row_lines) or rows.ROW_LINES * rows.row_count())
    height: int | str = "1fr" if room is None else edges + (wanted if wanted <= room * 2 // 3 else room // 2)
    if str(pane.styles.height) != str(height):
        pane.styles.height = height


def scroll_detail(target: Widget, call: CommandContext) -> None:
    views = [each for each in target.query(LinesView) if each.display]
    if not views:
        raise CannotAct("Nothing is shown beside or below the list.")
    view = next((each for each in views if each.max_scroll_y), views[0])
    view.scroll_relative(y=SCROLL_LINES * int(call.command.argument) * (call.count or 1), animate=False, immediate=True)
