"""The sprints besides the target: their loads as bars in the scale of the target's own, and the release."""

from collections.abc import Iterator, Sequence
from datetime import date

from msgspec import Struct
from rich.cells import cell_len
from textual.strip import Strip
from textual.widget import Widget

from backlit.model.dates import written_day
from backlit.model.planning import Capacity, CapacityFit, PlannedLoad
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

DONE: Sequence[Word] = (("█", "bar-done"), (" done", "faint"))
LEGEND: Sequence[Word] = (*DONE, (" █", "bar"), (" planned ", "faint"), ("█", "bar-band"), (" target", "faint"))
"""The colours of the bars; a red part stands beside its own words, as in `13 over`."""
OTHERS = "Other sprints"
"""The heading of the sprints besides the target."""


class OtherSprint(Struct, frozen=True):
    """A sprint or a release beside the target; `scale` is the points of a bar's whole width.

    A release has no bar: its scale would make those of the sprints too short to read.
    """

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

    @property
    def line_count(self) -> int:
        return 1 if self.is_release else 2

    def lines(self, width: int, today: date, *, has_dates: bool = True) -> list[HeadLine]:
        """Return the words, and below them the bar."""
        return [self.line(width, today, has_dates=has_dates), self._bar(width)][: self.line_count]

    def tall_lines(self, width: int, today: date, *, has_dates: bool) -> list[HeadLine]:
        """Return the name with its days, the bar, and the words about it."""
        if self.is_release:
            return self.lines(width, today)
        edge: Part = (" ", "muted")
        name = [edge, self._name(width - 2, today), (f" {self._dates(today)}" if has_dates else "", "muted")]
        unit: Part = (" pts" if range_words(self.capacity) else "", "muted")
        return [HeadLine(name), self._bar(width), HeadLine([edge, *self._load(), unit], [*self._words(today), edge])]

    def _bar(self, width: int) -> HeadLine:
        drawn = Instrument(self.load, self.capacity, self.scale)
        bar = drawn.bar(max(1, width - 2)) if self.scale and range_words(self.capacity) else []
        return HeadLine([(" ", "muted"), *bar])

    def line(self, width: int, today: date, *, has_dates: bool = True) -> HeadLine:
        """Return name, load and words in one line, as many as fit."""
        right = self._figures(width, today)
        edge: Part = (" ", "muted")
        name: list[Part] = [edge, self._name(width - length(right) - 3, today)]
        when = f" {self._dates(today)}" if has_dates else ""
        name += [(when, "muted")] if length(name) + len(when) + length(right) + 2 <= width else []
        return HeadLine(name, [*right, edge])

    def has_room_for_dates(self, width: int, today: date, *, is_tall: bool = False) -> bool:
        dates = cell_len(f"{safe(self.name)} {self._dates(today)}")
        return self.is_release or dates + (0 if is_tall else length(self._figures(width, today)) + 1) + 2 <= width

    def _dates(self, today: date) -> str:
        """Return the days without years, which the sprints before and after one leave no doubt about."""
        start, end = self.start, self.end
        if start and end and start.year != end.year:
            return f"{written_day(start, start)}–{written_day(end, end)}"
        return span(start, end, start or end or today)

    def _figures(self, width: int, today: date) -> list[Part]:
        """Return the load, and the words about it where the whole name still has room."""
        load, words = self._load(), self._words(today)
        right = [*words, ("   ", "muted"), *load] if words else load
        return load if length(right) + length([(self.name, "")]) + 3 > width else right

    def _load(self) -> list[Part]:
        target = range_words(self.capacity)
        points: Part = (number_text(round(self.load.points, 1)), "foreground")
        return [points, (f" of {target}" if target else " pts", "muted")]

    def _name(self, room: int, today: date) -> Part:
        is_current = self.is_current(today)
        name = safe(self.name)
        return fit(name, max(1, min(length([(name, "")]), room))), CURRENT_ITERATION if is_current else "foreground"

    def _words(self, today: date) -> list[Part]:
        """Return the verdict, but for what is missing, as the bar shows; of a running sprint what is done."""
        if self.is_current(today) and self.load.done:
            return [(f"{number_text(self.load.done)} done", "muted")]
        is_under = self.capacity.fit(self.load.points) is CapacityFit.UNDER
        verdict, colour = Instrument(self.load, self.capacity, self.scale).verdict(self.load.points)
        return [(verdict, colour)] if verdict and not is_under else []


def have_room_for_dates(sprints: Sequence[OtherSprint], width: int, today: date, *, is_tall: bool = False) -> bool:
    """Return whether all sprints have it: dates of some alone would look as if the others had none."""
    return all(each.has_room_for_dates(width, today, is_tall=is_tall) for each in sprints)


def next_lines(sprints: Sequence[OtherSprint], width: int, today: date, next_key: Sequence[Part]) -> Iterator[HeadLine]:
    """Yield a line for each sprint, the first with the key that leads to it, where its own words leave room."""
    has_dates = have_room_for_dates(sprints, width - length(next_key), today)
    for at, sprint in enumerate(sprints):
        line = sprint.line(width, today, has_dates=has_dates)
        # The title of the pane has the key too, so it yields to the words.
        has_room = length([*line.left, *line.right, *next_key]) < width
        yield HeadLine(line.left, [*line.right, *next_key]) if at == 0 and has_room else line


class OtherSprints(StorageErrorGuard, Widget):
    """The sprints beside the target, one below the other; nothing in it has the focus."""

    refresh = refresh

    def __init__(self) -> None:
        super().__init__(id="other-sprints")
        self.frame: PaneFrame | None = None
        self._sprints: Sequence[OtherSprint] = ()
        self._above: Sequence[HeadLine] = ()
        self._lines: Sequence[HeadLine] = ()
        self._today = date.min

    def show(self, sprints: Sequence[OtherSprint], today: date, above: Sequence[HeadLine]) -> None:
        if (sprints, today, above) != (self._sprints, self._today, self._above):
            self._sprints, self._today, self._above = sprints, today, above
            self._lay_out()

    def on_resize(self) -> None:
        self._lay_out()

    def _lay_out(self) -> None:
        (width, height), above = self.size, [*self._above]
        sprints, today = self._sprints, self._today
        has_dates, has_tall_dates = (
            have_room_for_dates(sprints, width, today, is_tall=is_tall) for is_tall in (False, True)
        )
        short = [each.lines(width, today, has_dates=has_dates) for each in sprints]
        tall = [each.tall_lines(width, today, has_dates=has_tall_dates) for each in sprints] if above else short
        if above and short:
            rule = "─" * max(0, width - cell_len(OTHERS) - length(DONE) - 4)
            above += [HeadLine(), HeadLine([(f" {OTHERS}", "heading"), (f" {rule} ", "rule"), *DONE])]
        room = height - len(above)
        spaced = ([[*[HeadLine()] * (at > 0), *each] for at, each in enumerate(parts)] for parts in (tall, short))
        parts = next((each for each in spaced if sum(map(len, each)) <= room), short)
        while parts and sum(map(len, parts)) > room:
            parts.pop()  # no name without its bar
        below = [line for part in parts for line in part]
        self._lines = [*[HeadLine()] * (bool(above) and len(below) < room), *above, *below]
        self.refresh()

    def size_above(self, sprints: Sequence[OtherSprint]) -> tuple[int, int]:
        """Return the width, and the lines that some sprints leave above them."""
        return self.size.width, self.size.height - sum(each.line_count for each in sprints) - 2

    def bar_lines(self) -> range:
        return range(0)

    def foot_words(self) -> Sequence[Part]:
        return ()

    def render_line(self, y: int) -> Strip:
        line = self._lines[y] if y < len(self._lines) else HeadLine()
        return line.drawn(self.size.width, ThemeStyles.of(self.app))
