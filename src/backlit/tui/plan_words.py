"""Pure: what the plan says of iterations: how full they are, who has how much, what the draft does to them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backlit.model.capacity import points_of
from backlit.model.planning import Capacity, Fit, Load, OwnCapacities, Share, Velocity
from backlit.store.people import IterationEntry
from backlit.store.plan_reading import PlanChange
from backlit.store.rows import Row
from backlit.tui.widgets.lines import Part
from backlit.tui.widgets.tree_columns import number_text

BAR = 24
"""Cells of a capacity bar."""


@dataclass(frozen=True, slots=True)
class Shift:
    """What the draft does to one place: items that come, go, and get other values."""

    comes: int = 0
    goes: int = 0
    altered: int = 0


def points_of_row(row: Row) -> float:
    """What a row adds to a sum of points."""
    return points_of(row.estimate) or 0.0


def shifts(changes: Sequence[PlanChange]) -> dict[object, Shift]:
    """What a draft does to every place; under None to all of them together. Tasks go with their items."""
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
    """As +3 −1 ~2, where there is anything."""
    words = [
        f"{sign}{count}" for sign, count in zip("+−~", (shift.comes, shift.goes, shift.altered), strict=True) if count
    ]
    return [(f"draft {' '.join(words)} ", "accent")] if words else []


def capacity_of(iteration: IterationEntry) -> Capacity:
    """The least and the most points of an iteration."""
    return Capacity(iteration.min_capacity, iteration.max_capacity)


def capacity_bar(points: float, done: float, capacity: Capacity, width: int) -> list[Part]:
    """A bar up to the most, or to what there is where that is more; a line marks the least, and the most inside.

    What is done, what is planned, and what is too much have each a colour and a sign of their own.
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
    """How many points of how many, and by how many too much."""
    text = f" {number_text(load.points)}"
    if capacity.least and capacity.most:
        text += f" of {number_text(capacity.least)}–{number_text(capacity.most)}"
    elif capacity.most or capacity.least:
        text += f" of {'at least ' if not capacity.most else ''}{number_text(capacity.most or capacity.least or 0)}"
    over = capacity.over(load.points)
    parts: list[Part] = [(f"{text} pts", "foreground")]
    if over:
        parts.append((f"  ! {number_text(over)} too many", "conflict"))
    elif capacity.fit(load.points) is Fit.UNDER:
        parts.append((f"  {number_text((capacity.least or 0) - load.points)} short", "muted"))
    return parts


def extra_words(load: Load, width: int) -> list[Part]:
    """What does not fit the bar, as much as there is room for: what has no estimate, done points, hours of tasks."""
    words = [f"{load.unestimated} without estimate"] if load.unestimated else []
    words += [f"{number_text(load.done)} done"] if load.done else []
    words += [f"{number_text(load.hours)} h tasks"] if load.hours else []
    while words and len(", ".join(words)) >= width:
        words.pop()
    return [(f"{', '.join(words)} ", "muted")] if words else []


@dataclass(frozen=True, slots=True)
class People:
    """What people and teams are called, and what people can take on."""

    names: Mapping[int, str]
    own: OwnCapacities
    teams: Mapping[int, str]

    def name(self, owner: int) -> str:
        """The user name, or the number of somebody who is not known."""
        return self.names.get(owner, f"user {owner}")

    def limit(self, owner: int, iteration: str) -> Share | None:
        """What somebody can take on in an iteration; None where that is not said."""
        return self.own.of(self.name(owner), iteration)


def over_limits(load: Load, people: People, iteration: str) -> list[str]:
    """Who has more in an iteration than can be taken on, in words."""
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
    """Who has how many points, the fullest first, and apart from them hours; with what each can take on.

    Capacities of people are known on this machine only, and the line says so.
    """
    parts: list[Part] = []
    is_local = False
    for owner, share in _fullest_first(load.people):
        limit = None if owner is None else people.limit(owner, iteration)
        is_local = is_local or limit is not None
        parts += _share_words("nobody" if owner is None else people.name(owner), share, limit or Share())
    return [*parts, *([("  (limits: local)", "faint")] if is_local else [])]


def team_words(load: Load, teams: Mapping[int, str]) -> list[Part]:
    """Which team has how much; nothing where no team has any."""
    if not any(load.teams):
        return []
    parts: list[Part] = []
    for team, share in _fullest_first(load.teams):
        parts += _share_words("no team" if team is None else teams.get(team, f"team {team}"), share, Share())
    return parts


def _fullest_first(shares: Mapping[int | None, Share]) -> list[tuple[int | None, Share]]:
    """In the order of what they have, nobody last."""
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
    """What was done in one iteration on average, and in which ones that was."""
    if not velocity.points:
        return [(" no velocity yet: no ended iteration has points done", "faint")]
    each = " ".join(number_text(points) for points in reversed(velocity.points))
    return [
        (" velocity ", "muted"),
        (f"{number_text(round(velocity.mean, 1))} pts", "foreground"),
        (f"  ({each})", "faint"),
    ]
