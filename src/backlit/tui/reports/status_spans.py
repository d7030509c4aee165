"""The ways of items through their statuses, as bars of spans that end today."""

from collections.abc import Sequence

from rich.cells import cell_len

from backlit.model.reports.item_reports import STUCK_DAYS
from backlit.model.reports.report import StatusStep
from backlit.model.statuses import StatusGroup, StatusGroups, status_word
from backlit.tui.drawing.charts import LIMIT_LINE, ON, Piece, Row, joined
from backlit.tui.drawing.text import fit
from backlit.tui.drawing.themes import status_colour, status_sign

LEAST_LABEL = 5
"""Cells before the line of a week ago in which a span says what it is, so that the line does not part its words."""
LEAST_DAYS, MOST_DAYS = 9, 28
"""Days that bars stand for: at least a little more than the limit, and not so many that it is at their end."""


def span_legend(width: int) -> Row:
    """Return what red and the line mean, and that bars end today, over their end."""
    signs = ("█ ", "bar-over"), ("over a week in one status  ", "muted"), (f"{LIMIT_LINE} ", "foreground")
    rest = max(0, width - sum(cell_len(text) for text, _ in signs))
    return *signs, (fit("a week ago", rest), "muted") if rest < 17 else (f"a week ago{'today':>{rest - 10}}", "muted")


def shown_days(ways: Sequence[Sequence[StatusStep]], groups: StatusGroups) -> int:
    """Return the days that all bars stand for: those since the first item was started."""
    return min(MOST_DAYS, max([LEAST_DAYS, *(sum(step.days for step in _started(way, groups)) for way in ways)]))


def _started(way: Sequence[StatusStep], groups: StatusGroups) -> Sequence[StatusStep]:
    first = next((at for at, step in enumerate(way) if _is_started(step, groups)), len(way))
    return way[first:]


def _is_started(step: StatusStep, groups: StatusGroups) -> bool:
    return bool(step.status) and groups.of(step.status) is not StatusGroup.NOT_STARTED


def span_bar(way: Sequence[StatusStep], groups: StatusGroups, days: int, room: int) -> list[Piece]:
    """Return a span for each status, the present one lit and red where it is over a week, with the line of that day."""

    def cell(ago: int) -> int:
        return room - round(min(ago, days) / days * room)

    cells: list[Piece] = []
    limit = cell(STUCK_DAYS)
    ago = sum(step.days for step in way)
    least = max((cell_len(" ".join(_sign_and_word(step, groups))) + 2 for step in way[-1:]), default=0)
    for step in way[:-1]:
        ago -= step.days
        colour, ground = ("muted", "bar-track")
        if _is_started(step, groups):
            colour, ground = status_colour(step.status, groups), "key-background"
        width, before_line = min(cell(ago), room - least) - len(cells), limit - len(cells)
        is_crossed = LEAST_LABEL <= before_line < width
        label = _label(before_line if is_crossed else width, *_sign_and_word(step, groups), step.words)
        cells += [(sign, f"{colour}{ON}{ground}") for sign in f"{label:<{width}}"]
    for step in way[-1:]:
        over = _label(cell(STUCK_DAYS) - len(cells), "", f"{step.days - STUCK_DAYS}d over", "")
        label = _label(room - len(cells) - len(over), *_sign_and_word(step, groups), "")
        cells += [(sign, f"background{ON}bar-over") for sign in over]
        cells += [(sign, f"background{ON}{status_colour(step.status, groups)}") for sign in label]
    if way and way[-1].days < STUCK_DAYS and [sign for sign, _ in cells[limit : limit + 2]] == [" ", " "]:
        cells[limit] = (LIMIT_LINE, f"foreground{ON}{cells[limit][1].partition(ON)[2]}")
    return joined(cells)


def _sign_and_word(step: StatusStep, groups: StatusGroups) -> tuple[str, str]:
    return (status_sign(step.status, groups), status_word(step.status)) if step.status else ("", "")


def _label(width: int, sign: str, word: str, days: str) -> str:
    """Return the most that fits of a status and its days, as wide as its span."""
    offered = (sign, word, days), (sign, days), (sign,)
    labels = (" ".join(["", *filter(None, parts)]) for parts in offered)
    return next((f"{label:<{width}}" for label in labels if cell_len(label) <= width), " " * width)
