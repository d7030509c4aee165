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
"""The colours of the bars."""
LINES_OF_SPRINT = 2


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

    def words_beside(self, width: int, today: date) -> int:
        """Return the cells of the words that the free end of the bar has room for."""
        words = self._words(Instrument(self.load, self.capacity, self.scale), today)
        return length(words) if self._fits_beside(length(words), max(1, width - 2)) else 0

    def _fits_beside(self, words: int, room: int) -> bool:
        return bool(self.scale) and self.load.points / self.scale * room + words + 2 <= room

    def lines(self, width: int, today: date, beside: int = 0) -> list[HeadLine]:
        """Return name, dates and load, and below them the bar with the words that its free end has room for.

        `beside` is the room for words at the right of all bars, which so end below each other.
        """
        drawn = Instrument(self.load, self.capacity, self.scale)
        words = self._words(drawn, today)
        room = max(1, width - 2)
        edge: Part = (" ", "muted")
        # The legend above says that green is done.
        bar = drawn.bar(room, reached="bar") if self.scale and range_words(self.capacity) else []
        is_beside = self._fits_beside(length(words), room)
        beside = beside if self._fits_beside(beside, room) else length(words)
        above = [] if is_beside else words
        load = self._load_words()
        name: list[Part] = [edge, self._name(width - length(load) - 3, today)]
        for more in ([(f" {span(self.start, self.end, today)}", "muted")], [(" · ", "muted"), *above] if above else []):
            name += more if length([*name, *more, *load]) + 3 <= width else []
        below = _cut(bar, room - max(beside, length(words)) - 1) if is_beside and words else bar
        return [HeadLine(name, [*load, edge]), HeadLine([edge, *below], [*words, edge] if is_beside and words else [])]

    def _load_words(self) -> list[Part]:
        target = range_words(self.capacity)
        return [
            (number_text(round(self.load.points, 1)), "foreground"),
            (f" / {target}" if target else " pts", "muted"),
        ]

    def line(self, width: int, today: date) -> HeadLine:
        """Return name, load and words in one line, as many as fit."""
        target = range_words(self.capacity)
        edge: Part = (" ", "muted")
        load: list[Part] = [(number_text(round(self.load.points, 1)), "foreground")]
        load += [(f" / {target}", "muted")] if target else [(" pts", "muted")]
        words = self._words(Instrument(self.load, self.capacity, self.scale), today)
        right = [*load, ("  ", "muted"), *words] if words else load
        if length(right) + length([(self.name, "")]) + 3 > width:
            right = load
        name: list[Part] = [edge, self._name(width - length(right) - 3, today)]
        when = f" {span(self.start, self.end, today)}"
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


def _cut(parts: Sequence[Part], cells: int) -> list[Part]:
    found: list[Part] = []
    for text, colour in parts:
        found.append((text[:cells], colour))
        cells -= len(found[-1][0])
    return found


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
        beside = max((each.words_beside(width, self._today) for each in self._sprints), default=0)
        for sprint in self._sprints:
            lines += [HeadLine()] if lines and is_roomy else []
            lines += sprint.lines(width, self._today, beside)
        self._lines = lines
        self.refresh()

    def bar_lines(self) -> range:
        return range(0)

    def foot_words(self) -> Sequence[Part]:
        return ()

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else HeadLine()
        return line.drawn(self.size.width, ThemeStyles.of(self.app))
