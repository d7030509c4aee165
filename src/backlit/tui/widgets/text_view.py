"""A long text as Markdown, read only."""

from rich.segment import Segment
from textual import events
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from backlit.tui.drawing.markdown import Line, markdown_lines
from backlit.tui.drawing.text import literal
from backlit.tui.drawing.theme_styles import ThemeStyles


class TextView(ScrollView, can_focus=False, inherit_bindings=False):
    """Takes the place of the long text in the editor; the grid moves on under it."""

    def __init__(self, *, id: str = "text-view") -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._shown: tuple[str, str] = ("", "")
        self._lines: list[Line] = []

    def show(self, label: str, text: str) -> None:
        """Show a text, from its top if it is another field's."""
        if self._shown == (label, text):
            return
        is_other, self._shown = label != self._shown[0], (label, text)
        self.border_title = literal(label)
        self._lay_out()
        if is_other:
            self.scroll_to(y=0, animate=False, force=True)

    def page_by(self, pages: int) -> None:
        """Scroll."""
        self.scroll_relative(y=pages * max(1, self.size.height - 1), animate=False, force=True)

    def notify_style_update(self) -> None:
        """Take the new theme's colours."""
        super().notify_style_update()
        if self.is_mounted:
            self._lay_out()

    def on_resize(self, event: events.Resize) -> None:
        """Break the lines anew."""
        if event.size.width != self.virtual_size.width:
            self._lay_out()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        theme, at = ThemeStyles.of(self.app), y + round(self.scroll_y)
        line = self._lines[at] if at < len(self._lines) else []
        return Strip(line).adjust_cell_length(self.size.width, theme.style())

    def _lay_out(self) -> None:
        width = self.scrollable_content_region.width
        if width <= 0:
            return
        theme, text = ThemeStyles.of(self.app), self._shown[1]
        self._lines = markdown_lines(text, width, theme) if text else [[Segment("empty", theme.style("faint"))]]
        self.virtual_size = Size(width, len(self._lines))
        self.refresh()
