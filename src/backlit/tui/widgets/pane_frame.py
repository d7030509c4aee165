"""Frames of panes: from FRAME_WIDTH columns on a rounded line, with the head, the position and the scrollbar in it."""

from collections.abc import Sequence
from typing import Protocol, cast

from rich.segment import Segment
from textual import events, on
from textual.app import ComposeResult
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from backlit.tui.commands.table import key_of
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.themes import KEY, ThemeStyles
from backlit.tui.widgets.side_lines import (
    MIN_RULE_WIDTH,
    Drawn,
    Part,
    TwoSidedLine,
    Word,
    capped,
    command_at,
    drawn_word,
    fitted_sides,
    length,
    segments_of,
    spaced,
)
from backlit.tui.widgets.storage_errors import StorageErrorGuard

FRAMED_CLASS, ZEN_CLASS = "-framed", "-zen"
"""The class of a screen with room for frames, and of one that hides all lines around its panes."""
SIDE, BAR = "│", "┃"
FRAME_LINES = 2
"""Lines of the edges of a frame."""
Sides = tuple[tuple[Drawn, ...], tuple[Drawn, ...]]
NO_WORDS: Sides = ((), ())


def key_words(command_id: str, label: str) -> list[Word]:
    """Return the key of a command and what it does, for an edge; a click on either runs it."""
    return [(key_of(command_id), KEY, command_id), (f" {label}", "muted", command_id)]


class ScrolledContent(Protocol):
    """What scrolls in a frame: a list, or a view of lines."""

    frame: "PaneFrame | None"

    def bar_lines(self) -> range:
        """Return the lines of the content that have the scrollbar beside them."""

    def foot_words(self) -> Sequence[Part]:
        """Return words of the content's own for the bottom edge."""


class PaneFrame(StorageErrorGuard, Widget):
    """A pane: one widget, and around it a frame where there is room; its `scrolled` part has the bar at the right.

    In a narrower terminal, and without lines around the panes, the widget has all of the place.
    """

    DEFAULT_CSS = "PaneFrame { layout: vertical; width: 1fr; height: 1fr; }"
    refresh = refresh

    class Entered(Message):
        """The pane got the focus."""

        def __init__(self, frame: "PaneFrame") -> None:
            super().__init__()
            self.frame = frame

    def __init__(self, pane: Widget, scrolled: Widget | None = None, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._pane = pane
        self._scrolled = cast("ScrolledContent", scrolled or pane)
        self._scrolled.frame = self
        self._scrolled_widget = scrolled or pane
        self._head = self._foot = NO_WORDS
        self._bar = range(0)
        """The lines of the frame that have the scrollbar."""
        self.is_current = False
        self._is_bare = False

    def compose(self) -> ComposeResult:
        yield self._pane

    @property
    def is_wanted(self) -> bool:
        """True where a frame belongs around the pane, before it is laid out too; False while its screen is composed."""
        if not self.is_attached:
            return False
        return self.screen.has_class(FRAMED_CLASS) and not any(
            each.has_class(ZEN_CLASS) for each in self.ancestors_with_self
        )

    @property
    def is_framed(self) -> bool:
        """True where the pane leaves room for its frame; it is asked for each line that is drawn."""
        return not self._is_bare and 0 < self._pane.outer_size.width < self.outer_size.width

    @property
    def head_room(self) -> int:
        """The cells for words in the top edge: two pieces of it and a blank are beside each corner."""
        return self.size.width - 8 - MIN_RULE_WIDTH

    def say(
        self,
        head: Sequence[Word],
        head_right: Sequence[Word] = (),
        foot: Sequence[Word] = (),
        foot_right: Sequence[Word] = (),
    ) -> None:
        """Show words in the top edge and in the bottom one, each at the left and at the right."""
        self._head = self._said(0, self._head, head, head_right)
        self._foot = self._said(-1, self._foot, foot, foot_right)

    def _said(self, line: int, before: Sides, left: Sequence[Word], right: Sequence[Word]) -> Sides:
        said = tuple(map(drawn_word, left)), tuple(map(drawn_word, right))
        if said != before and self.is_mounted:
            self._refresh_edge(line)
        return said

    def _refresh_edge(self, line: int) -> None:
        if self.is_framed:  # else the pane covers the edge: Textual would draw its line of the pane once more
            width, height = self.outer_size
            self.refresh(Region(0, line % max(1, height), width, 1))

    def turn(self, *, is_current: bool) -> None:
        """Draw the frame as that of the pane with the focus, or of another one."""
        if is_current is not self.is_current:
            self.is_current = is_current
            self.refresh()

    def bare(self, *, is_bare: bool) -> None:
        """Draw no frame around a content that has one of its own."""
        if is_bare is not self._is_bare:
            self._is_bare = is_bare
            self.refresh()

    @on(events.DescendantFocus)
    def _focus_came(self) -> None:
        self.post_message(self.Entered(self))

    def on_resize(self) -> None:
        self.move_bar()  # Textual has drawn the new size already, with the bar of the old one

    def move_bar(self) -> None:
        """Draw the scrollbar where the content is now, and the words of the bottom edge about it."""
        before, lines = self._bar, self._scrolled.bar_lines()
        top = self._scrolled_widget.content_region.y - self.region.y if lines else 0
        self._bar = range(lines.start + top, lines.stop + top)
        ends = (before.start, self._bar.start), (before.stop, self._bar.stop)
        moved = [end for end in ends if end[0] != end[1]]
        if moved and self.is_framed:
            x = self.outer_size.width - 1
            self.refresh(*(Region(x, min(end), 1, max(end) - min(end)) for end in moved))
        if self._scrolled.foot_words() or self._foot == NO_WORDS:
            self._refresh_edge(-1)

    # Drawing

    def render_line(self, y: int) -> Strip:
        theme, (width, height) = ThemeStyles.of(self.app), self.outer_size
        if not self.is_framed:
            return Strip.blank(width, theme.style())
        line = "focus" if self.is_current else "rule"
        if 0 < y < height - 1:
            sides = Segment(SIDE, theme.style(line)), Segment(BAR if y in self._bar else SIDE, theme.style(line))
            return Strip([sides[0], Segment(" " * (width - 2), theme.style()), sides[1]], width)
        segments = [each for word in self._edge(y, line) for each in segments_of(word, theme)]
        return Strip(segments).adjust_cell_length(width, theme.style())

    def _edge(self, y: int, line: str) -> list[Drawn]:
        sides, corners = (self._head, "╭╮") if y == 0 else (self._foot, "╰╯")
        if y:
            own = tuple(map(drawn_word, self._scrolled.foot_words()))
            sides = (sides[0], own or sides[1])
        width, has_caps = self.outer_size.width - 4, ThemeStyles.of(self.app).has_frames
        left, right = (capped(each, has_caps=has_caps) for each in sides)
        start, end = map(spaced, fitted_sides(left, right, width - 4, drops_muted=True))
        rule = "─" * (width - length(start) - length(end))
        return [(f"{corners[0]}─", line, ""), *start, (rule, line, ""), *end, (f"─{corners[1]}", line, "")]

    def on_click(self, event: events.Click) -> None:
        if self.is_framed and event.y in {0, self.size.height - 1}:
            line = "focus" if self.is_current else "rule"
            if command_id := command_at(self._edge(event.y, line), event.x):
                self.post_message(TwoSidedLine.Asked(command_id))
