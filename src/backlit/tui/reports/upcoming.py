"""The next sprints below the velocity: what is planned into each of them, against what a sprint usually brings."""

from collections.abc import Sequence
from datetime import date

from msgspec import Struct
from rich.cells import cell_len

from backlit.model.reports.report import number_text
from backlit.store.store import Store
from backlit.tui.drawing.charts import LIMIT_LINE, ON, Piece, Row
from backlit.tui.drawing.text import fit, safe
from backlit.tui.widgets.side_lines import HEADING

UPCOMING_HEADING, LINES_OF_SPRINT = "Planned next", 3
MOST_SPRINTS = 5
BAR = "█"


class UpcomingSprint(Struct, frozen=True):
    """A sprint that has not begun, and the points that are planned into it."""

    name: str
    points: float


def upcoming_sprints(store: Store, today: date) -> list[UpcomingSprint]:
    """Read the loads of the next sprints."""
    entries = [each for each in store.plan.iterations.targets() if each.start is not None and each.start > today]
    loads = store.plan_preview.loads_now({each.id for each in entries[:MOST_SPRINTS]}, {})
    return [UpcomingSprint(each.name, loads[each.id].points) for each in entries[:MOST_SPRINTS]]


def upcoming_rows(sprints: Sequence[UpcomingSprint], velocity: float, width: int, room: int) -> list[Row]:
    """Return name, points and bar of each sprint that fits, to one scale, with a line at the velocity."""
    shown = sprints[: max(0, (room - 2) // LINES_OF_SPRINT)]
    if not shown or not velocity:
        return []
    scale = max(velocity * 4 / 3, *(each.points for each in shown))
    at = min(width - 1, round(velocity / scale * width))
    rows: list[Row] = [(), ((UPCOMING_HEADING, HEADING), (" pts", "muted"))]
    for sprint in shown:
        over = sprint.points - velocity
        points = f"  {number_text(sprint.points)}"
        word, colour = (
            (f"{number_text(over)} over", "conflict") if over > 0 else (f"{number_text(-over)} free", "muted")
        )
        name = fit(safe(sprint.name), max(1, width - cell_len(points) - cell_len(word) - 1)).rstrip()
        gap = " " * (width - cell_len(name) - cell_len(points) - cell_len(word))
        rows += [((name, "foreground"), (points, "foreground"), (gap, "muted"), (word, colour))]
        rows += [tuple(_bar(sprint.points, scale, at, width)), ()]
    return rows[:-1]


def _bar(points: float, scale: float, at: int, width: int) -> list[Piece]:
    cells = round(points / scale * width)
    before, after = min(cells, at), max(0, cells - at - 1)
    return [
        (BAR * before, "bar"),
        (BAR * (at - before), "bar-track"),
        (LIMIT_LINE, f"foreground{ON}{'bar' if cells > at else 'bar-track'}"),
        (BAR * after, "bar-over"),
        (BAR * (width - at - 1 - after), "bar-track"),
    ]
