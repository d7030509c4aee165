"""The ways of items through their statuses, as bars of spans that end today."""

from collections.abc import Mapping, Sequence

from rich.cells import cell_len

from backlit.model.amounts import counted
from backlit.model.reports.item_reports import STUCK_DAYS
from backlit.model.reports.report import StatusStep
from backlit.model.statuses import StatusGroup, StatusGroups, status_word
from backlit.tui.drawing.charts import LIMIT_LINE, ON, Piece, joined
from backlit.tui.drawing.text import fit_right
from backlit.tui.drawing.themes import status_colour, status_sign

LEAST_LABEL = 5
"""Cells before the line of a week ago in which a span says what it is, so that the line does not part its words."""
LEAST_DAYS, MOST_DAYS = 9, 28
"""Days that bars stand for: at least a little more than the limit, and not so many that it is at their end."""
LEAST_WEEK = 15
"""Cells of the last week, in which a status is told in words: where there is less room, bars stand for fewer days."""
PRESENT_GROUNDS: Mapping[str, str] = {"status-progress": "span-progress", "status-test": "span-test"}
"""The grounds of present spans by the colours of their statuses."""
LINE = "muted"
"""The colour of the line of a week ago."""
WEEK_AGO, TODAY = "a week ago", "today"
EARLIER = "←"
"""Begins a span that began before the first day."""


def shown_days(ways: Sequence[Sequence[StatusStep]], groups: StatusGroups, room: int) -> int:
    """Return the days that all bars stand for: those since the first item was started, as far as there is room."""
    most = max(LEAST_DAYS, min(MOST_DAYS, STUCK_DAYS * room // LEAST_WEEK))
    return min(most, max([LEAST_DAYS, *(sum(step.days for step in _started(way, groups)) for way in ways)]))


def _started(way: Sequence[StatusStep], groups: StatusGroups) -> Sequence[StatusStep]:
    first = next((at for at, step in enumerate(way) if _is_started(step, groups)), len(way))
    return way[first:]


def _is_started(step: StatusStep, groups: StatusGroups) -> bool:
    return bool(step.status) and groups.of(step.status) is not StatusGroup.NOT_STARTED


def week_line(days: int, room: int) -> int:
    """Return the cell of the line of a week ago."""
    return room - round(STUCK_DAYS / days * room)


def day_axis(days: int, room: int) -> list[Piece]:
    """Return the names of the first day, of the line of a week ago and of today."""
    line, named = week_line(days, room), f"{LIMIT_LINE} {WEEK_AGO}"
    if room - line < len(f"{named} {TODAY}"):
        line, named = line - len(WEEK_AGO) - 1, f"{WEEK_AGO} {LIMIT_LINE}"
    first = next((each for each in (f"{days} days ago", f"{days}d ago") if len(each) < line), "")
    return [(f"{first:<{line}}{named}", "muted"), (fit_right(TODAY, room - line - len(named)), "muted")]


def span_bar(way: Sequence[StatusStep], groups: StatusGroups, days: int, room: int) -> list[Piece]:
    """Return a span for each status, the present one in a tint and red where it is over a week, and the line of it."""

    def cell(ago: int) -> int:
        return room - round(min(ago, days) / days * room)

    if not way:
        return []
    *earlier_steps, present = way
    cells: list[Piece] = []
    line = week_line(days, room)
    ago = sum(step.days for step in way)
    word = " ".join(_sign_and_word(present, groups))
    least = min(cell_len(word) + 2, room - line)  # what is not over a week does not cross the line
    for step in earlier_steps:
        earlier = EARLIER if ago > days else ""
        ago -= step.days
        colour, ground = ("muted", "bar-track")
        if _is_started(step, groups):
            colour, ground = status_colour(step.status, groups), "key-background"
        width, before_line = min(cell(ago), room - least) - len(cells), line - len(cells)
        is_crossed = LEAST_LABEL <= before_line < width
        label = _label(before_line if is_crossed else width, earlier, *_sign_and_word(step, groups), step.words)
        cells += [(sign, f"{colour}{ON}{ground}") for sign in f"{label:<{width}}"]
    colour, over = status_colour(present.status, groups), present.days - STUCK_DAYS
    ground = PRESENT_GROUNDS.get(colour, "key-background")
    excess = f"{counted(over, 'day')} over" if over > 0 else ""
    red = _over(line - len(cells), excess, f"+{over}d", is_earlier=ago > days)
    cells += [(sign, f"background{ON}bar-over") for sign in red]
    if len(cells) == line:  # behind the line
        cells.append((" ", f"{colour}{ON}{ground}"))
    label = _label(room - len(cells), "", *_sign_and_word(present, groups), "")
    if excess and not red.strip(f" {EARLIER}"):
        said = label.rstrip()
        cells += [(sign, f"{colour}{ON}{ground}") for sign in said]
        left = room - len(cells)
        label = next(f"{each:<{left}}" for each in (f"  {excess}", f"  +{over}d", "") if len(each) <= left)
        colour = "conflict"
    cells += [(sign, f"{colour}{ON}{ground}") for sign in label]
    cells[line] = LIMIT_LINE, f"{LINE}{ON}{cells[line][1].partition(ON)[2]}"
    return joined(cells)


def _over(width: int, excess: str, brief: str, *, is_earlier: bool) -> str:
    """Return the part of a span before the line, with the days over a week where they fit."""
    sign = f"{EARLIER} " if is_earlier else ""
    offered = f" {sign}{excess} ", f" {sign}{brief if is_earlier else ''} ", f" {sign}"
    return next((f"{each:<{width}}" for each in offered if excess and len(each) <= width), " " * width)


def _sign_and_word(step: StatusStep, groups: StatusGroups) -> tuple[str, str]:
    return (status_sign(step.status, groups), status_word(step.status)) if step.status else ("", "")


def _label(width: int, earlier: str, sign: str, word: str, days: str) -> str:
    """Return the most that fits of a status and its days, as wide as its span."""
    offered = (earlier, sign, word, days), (earlier, sign, days), (earlier, days), (sign,)
    labels = (" ".join(["", *filter(None, parts)]) for parts in offered)
    return next((f"{label:<{width}}" for label in labels if cell_len(label) <= width), " " * width)
