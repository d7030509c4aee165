"""The ways of items through their statuses, as spans of whole days that end today, on one axis for all of them."""

from collections.abc import Sequence
from datetime import date, timedelta

from msgspec import Struct
from rich.cells import cell_len

from backlit.model.amounts import counted
from backlit.model.reports.item_reports import STUCK_DAYS
from backlit.model.reports.report import StatusStep, day_text
from backlit.model.statuses import StatusGroup, StatusGroups, status_word
from backlit.tui.drawing.charts import LIMIT_LINE, ON, Piece, joined
from backlit.tui.drawing.text import fit, fit_right, safe
from backlit.tui.drawing.themes import status_colour, status_sign

LEAST_DAYS, MOST_DAYS = 9, 21
"""Days that spans stand for: at least a little more than the limit, and not so many that it is at their end."""
LEAST_CELLS = 3
"""Cells of a day, so that the last week has room for words: where there is less room, spans stand for fewer days."""
PRESENT_GROUNDS = {"status-progress": "span-progress", "status-test": "span-test"}
"""The grounds of present spans by the colours of their statuses."""
LINE = "muted"
"""The colour of the line of a week ago."""
WEEK_AGO, TODAY = " a week ago", "today"
EARLIER = " ←"
"""Stands before the words of a span that began before the first day."""


class DayScale(Struct, frozen=True):
    """The cells of all spans, and the days that they stand for."""

    width: int
    days: int

    @property
    def week(self) -> int:
        """The cell of the line of a week ago."""
        return self.at(STUCK_DAYS)

    def at(self, ago: int) -> int:
        """Return the first cell of the last days."""
        return max(0, self.width - round(ago * self.width / self.days))


def day_scale(ways: Sequence[Sequence[StatusStep]], groups: StatusGroups, room: int) -> DayScale:
    """Return the scale of the days since the first item was started, as far as there is room."""
    most = max(LEAST_DAYS, min(MOST_DAYS, room // LEAST_CELLS))
    return DayScale(room, min(most, max([LEAST_DAYS, *(days_since_start(way, groups) for way in ways)])))


def days_since_start(way: Sequence[StatusStep], groups: StatusGroups) -> int:
    return sum(step.days for step in _since_start(way, groups))


def _since_start(way: Sequence[StatusStep], groups: StatusGroups) -> Sequence[StatusStep]:
    return way[next((at for at, step in enumerate(way) if _is_started(step, groups)), len(way) - 1) :]


def _is_started(step: StatusStep, groups: StatusGroups) -> bool:
    return bool(step.status) and groups.of(step.status) is not StatusGroup.NOT_STARTED


def day_axis(scale: DayScale, today: date) -> list[Piece]:
    """Return the names of the first day, of the line of a week ago, and of today."""
    line, rest = scale.week, scale.width - scale.week - 1
    first = day_text(today - timedelta(days=scale.days))
    behind = WEEK_AGO if len(WEEK_AGO + TODAY) < rest else ""
    return [
        (fit(first if len(first) < line else "", line), "muted"),
        (f"{LIMIT_LINE}{behind}", LINE),
        (fit_right(TODAY, rest - len(behind)), "muted"),
    ]


def span_bar(way: Sequence[StatusStep], groups: StatusGroups, scale: DayScale) -> list[Piece]:
    """Return a span for each status since the start, and the line of a week ago.

    The present one has a tint, and says in red how far it is over a week. What does not fit stands on the one before.
    """
    way = _since_start(way, groups)
    bar, spans, ago = SpanBar(scale), list[tuple[Sequence[str], int, int]](), sum(step.days for step in way)
    for step in way:
        earlier = EARLIER if ago > scale.days else ""
        begin, ago = scale.at(ago), ago - step.days
        spans.append(([f"{earlier}{label}" for label in _labels(step, groups)], begin, scale.at(ago)))
        bar.ground(begin, scale.at(ago), *_look(step, groups, is_present=step is way[-1]))
    present, (labels, begin, end) = way[-1], spans.pop()
    if present.days > STUCK_DAYS:
        if present.days > scale.days:
            bar.write([EARLIER], begin, scale.week)
        excess = f" · {counted(present.days - STUCK_DAYS, 'day')} over"
        written = bar.write(_labels(present, groups), scale.week, end)
        bar.write([f"{excess} a week", excess], written or scale.week, end, "conflict")
    elif not bar.write(labels[:2], begin, end):
        begin = bar.write_at_end(labels[1:], status_colour(present.status, groups))
    for labels, start, last in spans:
        bar.write(labels, start, min(last, begin))
    return bar.pieces()


def without_words(bar: Sequence[Piece]) -> list[Piece]:
    """Return the grounds of a bar and its line, for the lines above and below that of its words."""
    return [
        ("".join(sign if sign == LIMIT_LINE else " " * cell_len(sign) for sign in text), look) for text, look in bar
    ]


def _look(step: StatusStep, groups: StatusGroups, *, is_present: bool) -> tuple[str, str]:
    """Return the colour of a status, and the ground of its span."""
    if not is_present and not _is_started(step, groups):
        return "muted", ""
    colour = status_colour(step.status, groups)
    return colour, PRESENT_GROUNDS.get(colour, "key-background") if is_present else "key-background"


def _labels(step: StatusStep, groups: StatusGroups) -> Sequence[str]:
    """Return what a span says of its status, the longest first."""
    days, brief = (counted(step.days, "day"), f"{step.days} d") if step.days else (TODAY, TODAY)
    sign, word = status_sign(step.status, groups), safe(status_word(step.status))
    return f" {sign} {word} {days}", f" {sign} {word} {brief}", f" {sign} {brief}", f" {sign}"


class SpanBar:
    """The cells of a bar, each a sign with its colour and its ground; texts do not cross the line of a week ago."""

    def __init__(self, scale: DayScale) -> None:
        self._line = scale.week
        self._signs = [" "] * scale.width
        self._colours = ["muted"] * scale.width
        self._grounds = [""] * scale.width

    def ground(self, start: int, end: int, colour: str, ground: str) -> None:
        """Give cells a ground, and the colour of what is written on it."""
        self._colours[start:end], self._grounds[start:end] = [colour] * (end - start), [ground] * (end - start)

    def write(self, texts: Sequence[str], start: int, end: int, colour: str = "") -> int:
        """Write the first of some texts that fits before the line or behind it; return its end, 0 without one."""
        parts = (start, min(end, self._line)), (max(start, self._line + 1), end)
        for text in texts:
            for first, last in parts:
                if cell_len(text) <= last - first:
                    return self._put(text, first, colour)
        return 0

    def write_at_end(self, texts: Sequence[str], colour: str) -> int:
        """Write the first of some texts that fits behind the line, up to the end of the bar; return where it begins."""
        room = len(self._signs) - self._line - 1
        text = next((each for each in texts if cell_len(each) < room), "")
        begin = len(self._signs) - cell_len(text) - 1
        self._put(text, begin, colour)
        return begin

    def _put(self, text: str, at: int, colour: str) -> int:
        for sign in text:
            cells = cell_len(sign)
            if not cells:  # a mark on the sign before it
                self._signs[at - 1] += sign
                continue
            self._signs[at : at + cells] = [sign, *[""] * (cells - 1)]
            if colour:
                self._colours[at : at + cells] = [colour] * cells
            at += cells
        return at

    def pieces(self) -> list[Piece]:
        if self._line < len(self._signs):
            self._signs[self._line], self._colours[self._line] = LIMIT_LINE, LINE
        looks = (
            f"{colour}{ON}{ground}" if ground else colour
            for colour, ground in zip(self._colours, self._grounds, strict=True)
        )
        return joined([*zip(self._signs, looks, strict=True)])
