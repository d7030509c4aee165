"""The long texts of an item beside its fields: read as Markdown, or one of them in an input."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.app import ComposeResult
from textual.containers import Container

from backlit.store.views.items import CommentEntry
from backlit.tui.drawing.markdown import markdown_lines
from backlit.tui.drawing.text import Line, literal, safe
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.editor.item_top import ItemTop
from backlit.tui.fields.values import merged
from backlit.tui.items.preview import MAX_TEXT_WIDTH, PreviewLayout
from backlit.tui.widgets.multiline_input import MultilineInput
from backlit.tui.widgets.side_lines import TwoSidedLine
from backlit.tui.widgets.text_view import LinesView


class LongTextInput(MultilineInput):
    """The input of a long text; gives back byte for byte what was not touched."""

    def __init__(self, names: Sequence[str]) -> None:
        super().__init__(names=names, id="long-text")
        self._raw = ""
        self._loaded = ""

    def open(self, label: str, raw: str) -> None:
        self._raw = raw
        self.load_text(raw)
        self._loaded = self.text
        self.move_cursor(self.document.end)
        self.border_title = literal(f" {label} ")

    @property
    def edited(self) -> str:
        if self.text == self._loaded:
            return self._raw
        return merged(self._raw, [self.document.get_line(row) for row in range(self.document.line_count)])


class ItemText(NamedTuple):
    """A long text of an item; `empty` is shown in its place where there is none."""

    key: str
    label: str
    text: str
    empty: str = ""


COMMENT_PLACE = "comment place"
"""The mark of the cells where a click begins a comment."""


def writing_line(width: int, theme: ThemeStyles) -> Line:
    """Return the place of a new comment."""
    place = theme.style("muted", on="surface") + Style(meta={COMMENT_PLACE: True})
    return [Segment(" Add a comment …".ljust(width), place)]


def begins_comment(event: events.Click) -> bool:
    return COMMENT_PLACE in event.style.meta


class LongTextsView(LinesView):
    """Long texts below each other as Markdown, and the comments below them; a text after the first has its label."""

    MORE_KEY = "space"

    def __init__(self, now: Callable[[], datetime]) -> None:
        super().__init__(id="texts")
        self._now = now
        self._texts: Sequence[ItemText] = ()
        self._comments: Sequence[CommentEntry] = ()
        self._starts: Mapping[str, int] = {}
        self.can_write = False
        self.colours: Mapping[str, str] = {}
        """The colours of authors by their names."""

    def show(self, texts: Sequence[ItemText] | None = None, comments: Sequence[CommentEntry] | None = None) -> bool:
        """Show other texts or comments, and return whether they are others; the lines stay where they are scrolled to.

        A hidden view lays out nothing.
        """
        before = self._texts, self._comments
        self._texts = before[0] if texts is None else texts
        self._comments = before[1] if comments is None else comments
        is_other = before != (self._texts, self._comments)
        if is_other and self.is_mounted and self.display:
            self.lay_out()
        return is_other

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        lines: list[Line] = []
        width = min(width, MAX_TEXT_WIDTH)
        starts = {}
        for number, (key, label, text, empty) in enumerate(self._texts):
            starts[key] = len(lines)
            if number:
                lines += [[], [Segment(safe(label), theme.style("muted", bold=True))]]
            lines += markdown_lines(text, width, theme) if text else [[Segment(empty, theme.style("muted"))]]
        self._starts = starts
        lines += [[], writing_line(width, theme)] if self.can_write else []
        comments = PreviewLayout(theme, width).comments(self._comments, self._now(), self.colours)
        lines += [[], *comments] if self._comments else []
        return lines if not lines or lines[-1] else lines[:-1]

    def on_click(self, event: events.Click) -> None:
        if begins_comment(event):
            self.post_message(TwoSidedLine.Asked("item.comment"))

    def height_at(self, width: int) -> int:
        return len(self.lines_for(width, ThemeStyles.of(self.app)))

    def go_to(self, key: str) -> None:
        if key in self._starts:
            self.scroll_to(y=self._starts[key], animate=False, force=True)

    def read_on(self) -> None:
        """Scroll by a page, from the end to the top."""
        if self.scroll_y >= self.max_scroll_y:
            self.scroll_to(y=0, animate=False, force=True)
        else:
            self.scroll_relative(y=max(1, self.page), animate=False, immediate=True, force=True)


class LongTextPane(Container):
    """The texts of an item, or the input of one."""

    def __init__(self, now: Callable[[], datetime], names: Callable[[], Sequence[str]]) -> None:
        """`names` are those of the people whom a text can mention."""
        super().__init__(id="text-pane")
        self._names = names
        self.top = ItemTop()
        self.view = LongTextsView(now)
        self._input: LongTextInput | None = None

    def compose(self) -> ComposeResult:
        yield self.top
        yield self.view

    def open_input(self, label: str, text: str) -> None:
        if self._input is None:
            self._input = LongTextInput(self._names())
            self.mount(self._input, before=self.view)
        self._input.display = True
        self.view.display = False
        self._input.open(label, text)
        self.screen.set_focus(self._input)

    def close_input(self) -> None:
        if self._input is not None:
            self._input.display = False
        self.view.display = True
        self.view.lay_out()

    @property
    def edited(self) -> str | None:
        """The text in the input; None before it was first used."""
        return None if self._input is None else self._input.edited
