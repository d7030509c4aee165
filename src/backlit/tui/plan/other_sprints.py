"""The sprints besides the target: their loads as bars in the scale of the target's own, and the release."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.planning import Capacity, PlannedLoad
from backlit.model.reports.report import number_text
from backlit.tui.drawing.charts import range_words
from backlit.tui.drawing.framed_app import refresh
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import CURRENT_ITERATION, ThemeStyles
from backlit.tui.fields.dates import span
from backlit.tui.plan.instrument import Instrument
from backlit.tui.plan.pane import HeadLine
from backlit.tui.widgets.pane_frame import PaneFrame
from backlit.tui.widgets.side_lines import Part, Word, length
from backlit.tui.widgets.storage_errors import StorageErrorGuard

LEGEND: Sequence[Word] = (
    *(("█", "bar-done"), (" done ", "faint"), ("█", "bar"), (" planned ", "faint"), ("█", "bar-band")),
    (" target", "faint"),
)
"""The colours of the bars; a red part stands beside its own words, as in `13 over`."""
LINES_OF_SPRINT = 2
OWN_SCALE = "own scale"
"""What stands beside a release, whose bar would make those of the sprints too short to read."""


class OtherSprint(Struct, frozen=True):
    """A sprint or a release beside the target; `scale` is the points of a bar's whole width."""

    name: str
    start: date | None
    end: date | None
    capacity: Capacity
    load: PlannedLoad
    scale: float
    is_release: bool = False

    def is_current(self, today: date) -> bool:
        return (
            not self.is_release and self.start is not None and self.end is not None and self.start <= today <= self.end
        )

    def lines(self, width: int, today: date) -> list[HeadLine]:
        """Return the words, and below them the bar."""
        drawn = Instrument(self.load, self.capacity, self.scale)
        bar = drawn.bar(max(1, width - 2)) if self.scale and range_words(self.capacity) else []
        return [self.line(width, today), HeadLine([(" ", "muted"), *bar])]

    def line(self, width: int, today: date) -> HeadLine:
        """Return name, load and words in one line, as many as fit."""
        target = range_words(self.capacity)
        edge: Part = (" ", "muted")
        load: list[Part] = [(number_text(round(self.load.points, 1)), "foreground")]
        load += [(f" / {target}", "muted")] if target else [(" pts", "muted")]
        words = self._words(Instrument(self.load, self.capacity, self.scale), today)
        right = [*words, ("   ", "muted"), *load] if words else load
        if length(right) + length([(self.name, "")]) + 3 > width:
            right = load
        name: list[Part] = [edge, self._name(width - length(right) - 3, today)]
        for fact in (OWN_SCALE * self.is_release, span(self.start, self.end, today)):
            when = f" {fact}" * bool(fact)
            name += [(when, "muted")] if length(name) + len(when) + length(right) + 2 <= width else []
        return HeadLine(name, [*right, edge])

    def _name(self, room: int, today: date) -> Part:
        is_current = self.is_current(today)
        name = safe(self.name)
        return fit(name, max(1, min(length([(name, "")]), room))), CURRENT_ITERATION if is_current else "foreground"

    def _words(self, drawn: Instrument, today: date) -> list[Part]:
        """Return the verdict; of a running one, whose end the footer has, what is done."""
        if self.is_current(today) and self.load.done:
            return [(f"{number_text(self.load.done)} done", "muted")]
        verdict, colour = drawn.verdict(self.load.points)
        return [(verdict, colour)] if verdict else []


class OtherSprints(StorageErrorGuard, Widget):
    """The sprints beside the target, one below the other; nothing in it has the focus."""

    refresh = refresh

    def __init__(self) -> None:
        super().__init__(id="other-sprints")
        self.frame: PaneFrame | None = None
        self._sprints: Sequence[OtherSprint] = ()
        self._lines: Sequence[HeadLine] = ()
        self._today = date.min

    def show(self, sprints: Sequence[OtherSprint], today: date) -> None:
        if (sprints, today) != (self._sprints, self._today):
            self._sprints, self._today = sprints, today
            self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        width, height = self.size
        is_roomy = 3 * len(self._sprints) - 1 <= height
        lines = list[HeadLine]()
        for sprint in self._sprints:
            lines += [HeadLine()] if lines and is_roomy else []
            lines += sprint.lines(width, self._today)
        self._lines = lines
        self.refresh()

    def bar_lines(self) -> range:
        return range(0)

    def foot_words(self) -> Sequence[Part]:
        return ()

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else HeadLine()
        return line.drawn(self.size.width, ThemeStyles.of(self.app))
