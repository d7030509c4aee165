"""Loads of iterations in words and bars: their capacity, the people, the teams, and the effect of the draft."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backlit.model.amounts import counted, points_of
from backlit.model.planning import Capacity, Fit, Load, OwnCapacities, Share, Velocity
from backlit.model.reports.report import number_text
from backlit.store.planning.plan import PlanChange
from backlit.store.records.item import Row
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store
from backlit.tui.drawing.text import safe
from backlit.tui.widgets.side_lines import Part

BAR = 24
"""Cells of a capacity bar."""


@dataclass(frozen=True, slots=True)
class Shift:
    """The draft's effect on one iteration: items that come, go, and get other values."""

    comes: int = 0
    goes: int = 0
    altered: int = 0


def points_of_row(row: Row) -> float:
    """Return the points of a row; 0 without an estimate."""
    return points_of(row.estimate) or 0.0


def shifts(changes: Sequence[PlanChange]) -> dict[object, Shift]:
    """Count the changes of each iteration, and under None of all of them together; tasks are left out."""
    found: dict[object, Shift] = {None: Shift()}

    def add(place: object, comes: int = 0, goes: int = 0, altered: int = 0) -> None:
        before = found.get(place, Shift())
        found[place] = Shift(before.comes + comes, before.goes + goes, before.altered + altered)

    for change in changes:
        move = change.fields.get("IterationID")
        if change.type == "Task" or not change.fields:
            continue
        if move is None:
            add(None, altered=1)
        else:
            add(None, comes=1)
            add(move.mine, comes=1)
            add(move.base, goes=1)
    return found


def shift_part(shift: Shift) -> list[Part]:
    """Return the counts as +3 −1 ~2; nothing without a change."""
    words = [
        f"{sign}{count}" for sign, count in zip("+−~", (shift.comes, shift.goes, shift.altered), strict=True) if count
    ]
    return [(f"draft {' '.join(words)} ", "accent")] if words else []


def capacity_of(iteration: IterationEntry) -> Capacity:
    """Return the minimum and the maximum points of an iteration."""
    return Capacity(iteration.min_capacity, iteration.max_capacity)


def capacity_bar(points: float, done: float, capacity: Capacity, width: int) -> list[Part]:
    """Return a bar from 0 to the maximum or to the load, with lines at minimum and maximum.

    Done points, planned points and points over the maximum have a colour and a sign each.
    """
    scale = max(capacity.most or (capacity.least or 0) * 1.25, points)
    if not (capacity.least or capacity.most) or not scale:
        return []

    def cell(amount: float) -> int:
        return min(width, round(amount / scale * width))

    limits = [capacity.least, capacity.most if points > (capacity.most or 0) else None]
    marks = {min(width - 1, cell(limit)) for limit in limits if limit}
    full, finished, most = cell(points), cell(done), cell(capacity.most or scale)
    parts: list[Part] = [("▕", "rule")]
    for at in range(width):
        if at in marks:
            parts.append(("│", "foreground"))
        elif at >= full:
            parts.append(("·", "faint"))
        elif at < finished:
            parts.append(("▓", "status-done"))
        else:
            parts.append(("█", "conflict" if at >= most else "accent"))
    return [*_joined(parts), ("▏", "rule")]


def _joined(parts: Sequence[Part]) -> list[Part]:
    found: list[Part] = []
    for text, colour in parts:
        if found and found[-1][1] == colour:
            found[-1] = (found[-1][0] + text, colour)
        else:
            found.append((text, colour))
    return found


def capacity_words(load: Load, capacity: Capacity) -> list[Part]:
    """Return the points, the capacity, and the points over the maximum or below the minimum."""
    text = f" {number_text(load.points)}"
    if capacity.least and capacity.most:
        text += f" of {number_text(capacity.least)}–{number_text(capacity.most)}"
    elif capacity.most or capacity.least:
        text += f" of {'at least ' if not capacity.most else ''}{number_text(capacity.most or capacity.least or 0)}"
    over = capacity.over(load.points)
    parts: list[Part] = [(f"{text} pts", "foreground")]
    if over:
        parts.append((f"  ! {number_text(over)} over", "conflict"))
    elif capacity.fit(load.points) is Fit.UNDER:
        parts.append((f"  {number_text((capacity.least or 0) - load.points)} below minimum", "muted"))
    return parts


def styled(parts: Sequence[Part]) -> list[Part]:
    """Return parts with the styles of `Content` instead of colours."""
    return [(safe(text), "bold $error" if colour == "conflict" else f"${colour}") for text, colour in parts]


def extra_words(load: Load, width: int) -> list[Part]:
    """Return the unestimated items, the done points and the hours of tasks, as many as fit the width."""
    words = [f"{load.unestimated} unestimated"] if load.unestimated else []
    words += [f"{number_text(load.done)} done"] if load.done else []
    words += [f"{number_text(load.hours)} h tasks"] if load.hours else []
    while words and len(", ".join(words)) >= width:
        words.pop()
    return [(f"{', '.join(words)} ", "muted")] if words else []


@dataclass(frozen=True, slots=True)
class People:
    """Names of people and teams, and the capacities of people."""

    names: Mapping[int, str]
    own: OwnCapacities
    teams: Mapping[int, str]

    def name(self, owner: int) -> str:
        """Return the user name, or the number of an unknown user."""
        return self.names.get(owner, f"user {owner}")

    def limit(self, owner: int, iteration: str) -> Share | None:
        """Return a person's capacity in an iteration; None without a limit."""
        return self.own.of(self.name(owner), iteration)


def people_of(store: Store, own: OwnCapacities) -> People:
    """Read the people and the teams of the project; `own` holds the capacities from this machine's settings."""
    names = {each.id: each.username for each in store.lookups.known_people().values()}
    return People(names, own, store.lookups.teams())


def over_limits(load: Load, people: People, iteration: str) -> list[str]:
    """Return a phrase for each person over their capacity."""
    found = []
    for owner, share in load.people.items():
        limit = None if owner is None else people.limit(owner, iteration)
        if owner is None or limit is None:
            continue
        parts = [
            f"{number_text(amount)} of {number_text(most)} {unit}"
            for amount, most, unit in ((share.points, limit.points, "pts"), (share.hours, limit.hours, "h"))
            if most and amount > most
        ]
        if parts:
            found.append(f"{people.name(owner)} has {' and '.join(parts)} (local limit)")
    return found


def people_words(load: Load, people: People, iteration: str) -> list[Part]:
    """Return each person's points and hours with the limits, the fullest first.

    The line marks the limits as local: only this machine knows them.
    """
    parts: list[Part] = []
    is_local = False
    for owner, share in _fullest_first(load.people):
        limit = None if owner is None else people.limit(owner, iteration)
        is_local = is_local or limit is not None
        parts += _share_words("nobody" if owner is None else people.name(owner), share, limit or Share())
    return [*parts, *([("  (limits: local)", "faint")] if is_local else [])]


def team_words(load: Load, teams: Mapping[int, str]) -> list[Part]:
    """Return each team's points and hours; nothing without teams."""
    if not any(load.teams):
        return []
    parts: list[Part] = []
    for team, share in _fullest_first(load.teams):
        parts += _share_words("no team" if team is None else teams.get(team, f"team {team}"), share, Share())
    return parts


def _fullest_first(shares: Mapping[int | None, Share]) -> list[tuple[int | None, Share]]:
    """Sort shares by their size; items of nobody come last."""
    return sorted(shares.items(), key=lambda each: (each[0] is None, -each[1].points, -each[1].hours))


def _share_words(name: str, share: Share, limit: Share) -> list[Part]:
    parts: list[Part] = [(f" {name}", "muted")]
    if share.points or limit.points or not share.hours:
        points = number_text(share.points) + (f"/{number_text(limit.points)}" if limit.points else "")
        parts.append((f" {points}", _colour(share.points, limit.points)))
    if share.hours:
        hours = number_text(share.hours) + (f"/{number_text(limit.hours)}" if limit.hours else "")
        parts.append((f" {hours}h", _colour(share.hours, limit.hours)))
    return [*parts, (" ", "muted")]


def _colour(amount: float, limit: float) -> str:
    return "conflict" if limit and amount > limit else "foreground"


def velocity_words(velocity: Velocity) -> list[Part]:
    """Return the average of done points in an iteration, and the points of each one counted."""
    if not velocity.points:
        return [(" No velocity yet (no completed iteration)", "faint")]
    each = " ".join(number_text(points) for points in reversed(velocity.points))
    return [
        (" velocity ", "muted"),
        (counted(round(velocity.mean, 1), "pt"), "foreground"),
        (f"  ({each})", "faint"),
    ]
