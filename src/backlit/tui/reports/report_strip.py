"""The list of reports as one line, the shown one marked."""

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.reports.report import ReportName
from backlit.tui.drawing.text import fit
from backlit.tui.drawing.theme_styles import Looks

NAMES = {
    ReportName.BURNDOWN: "Burndown",
    ReportName.BURNUP: "Burnup",
    ReportName.SCOPE: "Scope",
    ReportName.VELOCITY: "Velocity",
    ReportName.AGE: "Age",
    ReportName.PEOPLE: "People",
    ReportName.AREAS: "Areas",
    ReportName.ESTIMATES: "Sizes",
}
"""The reports in as few letters as say what they are."""


class ReportStrip(Widget):
    """One word for each report; a click shows it."""

    DEFAULT_CSS = "ReportStrip { height: 1; }"

    class Chosen(Message):
        """Another report is wanted."""

        def __init__(self, name: ReportName) -> None:
            super().__init__()
            self.name = name

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._shown = ReportName.BURNDOWN

    def show(self, name: ReportName) -> None:
        """Mark the report that is shown."""
        self._shown = name
        self.refresh()

    @property
    def _gap(self) -> int:
        """The blank after a word, where there is room."""
        return int(sum(len(word) + 2 for word in NAMES.values()) <= self.size.width)

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the words, the shown one like a row under the cursor."""
        looks = Looks.of(self.app)
        segments = []
        for name, word in NAMES.items():
            is_shown = name is self._shown
            on = "cursor-background" if is_shown else None
            segments.append(Segment("▌" if is_shown else " ", looks.style("accent", on=on)))
            segments.append(
                Segment(fit(word, len(word)), looks.style("foreground" if is_shown else "muted", on=on, bold=is_shown))
            )
            segments.append(Segment(" " * self._gap, looks.style(on=on)))
        return Strip(segments).adjust_cell_length(self.size.width, looks.style())

    def on_click(self, event: events.Click) -> None:
        """Show the report whose word was clicked."""
        x = 0
        for name, word in NAMES.items():
            x += len(word) + 1 + self._gap
            if event.x < x:
                self.post_message(self.Chosen(name))
                return
