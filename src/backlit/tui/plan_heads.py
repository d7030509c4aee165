"""Pure: what stands above the lists of the plan."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

from backlit.model.planning import Capacity, Load, Velocity
from backlit.model.trees import Totals
from backlit.store.people import IterationEntry
from backlit.store.plan_places import Release
from backlit.tui.plan_words import (
    BAR,
    People,
    Shift,
    capacity_bar,
    capacity_of,
    capacity_words,
    extra_words,
    people_words,
    shift_part,
    team_words,
    velocity_words,
)
from backlit.tui.spans import span
from backlit.tui.widgets.lines import Part
from backlit.tui.widgets.plan_pane import HeadLine
from backlit.tui.widgets.tree_columns import number_text

HEAD_LINES = 5
LEAST_BAR = 6
EDGES = 4
"""Cells around a bar."""


def backlog_head(totals: Totals | None, velocity: Velocity, *, is_here: bool) -> list[HeadLine]:
    """How much is unplanned, and how much is done in an iteration."""
    amount = f"{totals.count:,} items  {number_text(totals.points)} pts " if totals else ""
    return [
        HeadLine([_name("Backlog", is_here=is_here), ("  unplanned", "muted")], [(amount, "foreground")]),
        HeadLine(velocity_words(velocity)),
    ]


@dataclass(frozen=True, slots=True)
class Fill:
    """What is in an iteration, what the draft does to it, the people who do the work, and the release it is for."""

    load: Load
    shift: Shift
    people: People
    release: Release | None = None
    released: Load = field(default_factory=Load)


def iteration_head(
    iteration: IterationEntry | None, fill: Fill, today: date, width: int, *, is_here: bool
) -> list[HeadLine]:
    """When it is and what the draft does to it, how full it is, who has how much, its release, and its teams."""
    if iteration is None:
        none = HeadLine([(" No iteration to plan", "muted")]), HeadLine([(" gi, then cs makes a series", "muted")])
        return [*none, *[HeadLine()] * (HEAD_LINES - len(none))]
    load, capacity = fill.load, capacity_of(iteration)
    dates: Part = (f"  {span(iteration.start, iteration.end, today)}", "muted")
    beside = width - _length(capacity_words(load, capacity)) - LEAST_BAR - EDGES - 1
    extra = extra_words(load, beside)
    full = _full(load, capacity, width - _length(extra) - len(extra))
    return [
        HeadLine([_name(iteration.name, is_here=is_here), dates], shift_part(fill.shift)),
        HeadLine(full, extra),
        HeadLine(people_words(load, fill.people, iteration.name)),
        _release_line(fill, width),
        HeadLine(team_words(load, fill.people.teams)),
    ]


def _full(load: Load, capacity: Capacity, width: int) -> list[Part]:
    """A bar, as far as there is room for one, and the points in words."""
    words = capacity_words(load, capacity)
    bar_width = min(BAR, width - _length(words) - EDGES)
    bar = capacity_bar(load.points, load.done, capacity, bar_width) if bar_width >= LEAST_BAR else []
    return [(" ", "muted"), *bar, *words]


def _release_line(fill: Fill, width: int) -> HeadLine:
    """How full the release of the iteration is, all of its iterations together."""
    if fill.release is None:
        return HeadLine()
    name = f"{fill.release.entry.name} "
    return HeadLine(_full(fill.released, fill.release.capacity, width - len(name) - 1), [(name, "muted")])


def _length(parts: Sequence[Part]) -> int:
    return sum(len(text) for text, _ in parts)


def _name(text: str, *, is_here: bool) -> Part:
    return (f" {text}", "accent" if is_here else "foreground")
