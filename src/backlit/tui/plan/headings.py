"""The heads of the plan's panes, and the plan in title and status."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from backlit.model.planning import Capacity, Load, Velocity
from backlit.model.reports.report import number_text
from backlit.model.trees import Totals
from backlit.store.planning.plan import Plan, Release
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.fields.dates import span
from backlit.tui.plan.capacity import (
    BAR,
    People,
    Shift,
    capacity_bar,
    capacity_of,
    capacity_words,
    extra_words,
    people_words,
    shift_part,
    shifts,
    team_words,
    velocity_words,
)
from backlit.tui.plan.pane import HeadLine
from backlit.tui.plan.pane_contents import PlanLists
from backlit.tui.widgets.side_lines import Part

TALL, TALLER, TALLEST = 24, 30, 36
"""Heights of the screen from which the heads have the lines of people, of releases and of teams."""
HEAD_LINES = 5
LEAST_BAR = 6
EDGES = 4
"""Cells around a bar."""


class PlanHeads:
    """The heads of all panes, drawn from their contents."""

    def __init__(self, store: Store, lists: PlanLists) -> None:
        self._store = store
        self._lists = lists

    def draw(self, people: People, height: int) -> None:
        """Draw the load of each iteration, in as many lines as the height of the screen allows."""
        store, lists, panes = self._store, self._lists, self._lists.panes
        found = shifts(store.plan.difference())
        releases = {
            pane: store.plan.iterations.release_of(pane.place) if pane.place else None for pane in panes.targets
        }
        kept = self._kept_lines(height, has_releases=any(releases.values()))
        here = panes.focused
        head = backlog_head(lists.totals, lists.velocity, is_here=panes.backlog is here)
        panes.backlog.say([*head, *[HeadLine()] * len(kept)][: len(kept)])
        for pane in panes.targets:
            iteration = store.lookups.iterations().get(pane.place) if pane.place is not None else None
            load, shift = lists.loads.get(pane.place or 0, Load()), found.get(pane.place, Shift())
            release = releases[pane]
            fill = Fill(load, shift, people, release, _released(release, lists.loads))
            lines = iteration_head(iteration, fill, store.today(), pane.size.width, is_here=pane is here)
            pane.say([lines[at] for at in kept])
            pane.items.empty_text = "No items. Press > to plan one into this iteration." if iteration else ""

    def _kept_lines(self, height: int, *, has_releases: bool) -> list[int]:
        """Return the numbers of the lines that fit."""
        loads = self._lists.loads
        has_teams = any(any(loads.get(each.place or 0, Load()).teams) for each in self._lists.panes.targets)
        wanted = (True, True, height >= TALL, height >= TALLER and has_releases, height >= TALLEST and has_teams)
        return [at for at, is_wanted in enumerate(wanted) if is_wanted]


def _released(release: Release | None, loads: Mapping[int, Load]) -> Load:
    """Return the load of all iterations of a release together."""
    return sum((loads.get(each.id, Load()) for each in release.iterations), Load()) if release else Load()


def plan_title(title: Sequence[Part], plan: Plan, *, is_plain: bool) -> list[Part]:
    """Return the title of a list with the plan's name, and the number of items that others changed.

    A plain list, without view and node, loses the part that names it.
    """
    parts = list(title)
    parts[2 : 3 if is_plain else 2] = [(" › Plan", "foreground")]
    count = len(plan.state.contests)
    return parts + [(f"   ≠ {count} changed by others (gD)", "conflict")] * bool(count)


def sent_words(plan: Plan) -> list[Part]:
    """Return the progress of the plan saved last, for the status line."""
    sent = plan.sent()
    if sent is None:
        return []
    held = f", {sent.held} on hold (go)" if sent.held else ""
    return [(f" plan: {sent.done} of {sent.total} sent{held} ", "conflict" if held else "pending")]


def backlog_head(totals: Totals | None, velocity: Velocity, *, is_here: bool) -> list[HeadLine]:
    """Return the head of the backlog: unplanned items and points, and the velocity."""
    amount = f"{totals.count:,} items  {number_text(totals.points)} pts " if totals else ""
    return [
        HeadLine([_name("Backlog", is_here=is_here), ("  unplanned", "muted")], [(amount, "foreground")]),
        HeadLine(velocity_words(velocity)),
    ]


@dataclass(frozen=True, slots=True)
class Fill:
    """Load of an iteration, the draft's effect on it, its people and its release."""

    load: Load
    shift: Shift
    people: People
    release: Release | None = None
    released: Load = field(default_factory=Load)


def iteration_head(
    iteration: IterationEntry | None, fill: Fill, today: date, width: int, *, is_here: bool
) -> list[HeadLine]:
    """Return the lines of an iteration: dates and changes, load, people, release, teams."""
    if iteration is None:
        none = (
            HeadLine([(" No iteration to plan", "muted")]),
            HeadLine([(" Press gi, then cs to create sprints", "muted")]),
        )
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
    """Return the points in words, after a bar that fills the room left."""
    words = capacity_words(load, capacity)
    bar_width = min(BAR, width - _length(words) - EDGES)
    bar = capacity_bar(load.points, load.done, capacity, bar_width) if bar_width >= LEAST_BAR else []
    return [(" ", "muted"), *bar, *words]


def _release_line(fill: Fill, width: int) -> HeadLine:
    """Return the load of the iteration's release."""
    if fill.release is None:
        return HeadLine()
    name = f"{fill.release.entry.name} "
    return HeadLine(_full(fill.released, fill.release.capacity, width - len(name) - 1), [(name, "muted")])


def _length(parts: Sequence[Part]) -> int:
    return sum(len(text) for text, _ in parts)


def _name(text: str, *, is_here: bool) -> Part:
    return (f" {text}", "accent" if is_here else "foreground")
