"""Views of scrolled lines: the base that lays them out for its width, and a long text as Markdown."""

from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.reactive import Reactive
from textual.scroll_view import ScrollView
from textual.strip import Strip

from backlit.tui.drawing.text import Line
from backlit.tui.drawing.themes import ThemeStyles


class LinesView(ScrollView, can_focus=False, inherit_bindings=False):
    """Lines that are laid out once for a width and a theme, and scrolled."""

    virtual_size = Reactive(Size(0, 0), layout=False)

    def __init__(self, *, id: str) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._lines: Sequence[Line] = ()

    def lines_for(self, width: int, theme: ThemeStyles) -> Sequence[Line]:
        """Return the content in lines of a width; for subclasses."""
        raise NotImplementedError

    def lay_out(self) -> None:
        """Lay the content out for the current width, and redraw it."""
        width = self.scrollable_content_region.width
        self._lines = self.lines_for(width, ThemeStyles.of(self.app)) if width > 0 else ()
        self.virtual_size = Size(width, len(self._lines))
        self._scroll_update(self.virtual_size)
        self.refresh(layout=self.styles.auto_dimensions)

    def notify_style_update(self) -> None:
        """Take the new theme's colours."""
        super().notify_style_update()
        if self.is_mounted:
            self.lay_out()

    def on_resize(self, event: events.Resize) -> None:
        """Lay the content out for another width."""
        if event.size.width != self.virtual_size.width:
            self.lay_out()

    def render_line(self, y: int) -> Strip:
        """Draw one line."""
        theme, at = ThemeStyles.of(self.app), y + round(self.scroll_y)
        line = self._lines[at] if at < len(self._lines) else []
        return Strip(line).adjust_cell_length(self.size.width, theme.style())
