"""What is planned against what can be done: loads, capacities, velocity, and what it foretells."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

RECENT = 3
"""How many iterations the velocity is taken from."""


class Fit(StrEnum):
    """How a load lies to a capacity; OPEN where there is none."""

    OPEN = "open"
    UNDER = "under"
    WITHIN = "within"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class Capacity:
    """The least and the most; None where it is not set (FEATURES rule 56)."""

    least: float | None = None
    most: float | None = None

    def fit(self, amount: float) -> Fit:
        """How an amount lies to it."""
        if self.most and amount > self.most:
            return Fit.OVER
        if self.least and amount < self.least:
            return Fit.UNDER
        return Fit.WITHIN if self.least or self.most else Fit.OPEN

    def over(self, amount: float) -> float:
        """By how much an amount is too much."""
        return max(0.0, amount - self.most) if self.most else 0.0


@dataclass(frozen=True, slots=True)
class Share:
    """What one person has to do: points of items, and apart from them the hours that tasks still take."""

    points: float = 0.0
    hours: float = 0.0

    def __add__(self, other: "Share") -> "Share":
        return Share(self.points + other.points, self.hours + other.hours)


@dataclass(frozen=True, slots=True)
class OwnCapacities:
    """What people can take on in an iteration, by user name; 0 stands for no limit.

    The service knows no such thing (FEATURES rule 57), so it is the setting of one machine. `special` is for some
    iterations, by their names.
    """

    usual: Mapping[str, Share] = field(default_factory=dict)
    special: Mapping[str, Mapping[str, Share]] = field(default_factory=dict)

    def of(self, user: str, iteration: str) -> Share | None:
        """What a person can take on in an iteration; None where nothing is set."""
        return self.special.get(iteration, {}).get(user) or self.usual.get(user)


@dataclass(frozen=True, slots=True)
class Part:
    """What one item adds to the load of where it is planned: a task only hours, anything else no hours."""

    place: int | None
    owner: int | None
    points: float | None
    hours: float = 0.0
    is_task: bool = False
    is_done: bool = False
    takes_estimate: bool = True
    team: int | None = None


@dataclass(frozen=True, slots=True)
class Load:
    """How much is planned into one place; `people` and `teams` have None for what nobody, or no team, has taken."""

    count: int = 0
    points: float = 0.0
    done: float = 0.0
    unestimated: int = 0
    hours: float = 0.0
    people: Mapping[int | None, Share] = field(default_factory=dict)
    teams: Mapping[int | None, Share] = field(default_factory=dict)

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.count + other.count,
            self.points + other.points,
            self.done + other.done,
            self.unestimated + other.unestimated,
            self.hours + other.hours,
            _shares((*self.people.items(), *other.people.items())),
            _shares((*self.teams.items(), *other.teams.items())),
        )


def _shares(parts: Iterable[tuple[int | None, Share]]) -> dict[int | None, Share]:
    """What each has of something, without those who have none."""
    found: dict[int | None, Share] = {}
    for who, share in parts:
        if share != Share():
            found[who] = found.get(who, Share()) + share
    return found


def loads(parts: Iterable[Part]) -> dict[int, Load]:
    """The loads of all places that something is planned into."""
    found: dict[int, list[Part]] = {}
    for part in parts:
        if part.place is not None:
            found.setdefault(part.place, []).append(part)
    return {place: _load(each) for place, each in found.items()}


def _load(parts: Sequence[Part]) -> Load:
    shares = [(part, Share(part.points or 0.0, part.hours)) for part in parts]
    items = [part for part in parts if not part.is_task]
    return Load(
        count=len(items),
        points=sum(part.points or 0.0 for part in items),
        done=sum(part.points or 0.0 for part in items if part.is_done),
        unestimated=sum(part.points is None and part.takes_estimate and not part.is_done for part in items),
        hours=sum(part.hours for part in parts),
        people=_shares((part.owner, share) for part, share in shares),
        teams=_shares((part.team, share) for part, share in shares),
    )


@dataclass(frozen=True, slots=True)
class Velocity:
    """Points done in each of the last iterations, the latest first."""

    points: tuple[float, ...]

    @property
    def mean(self) -> float:
        """What is done in one, on average; 0 where nothing is known."""
        return sum(self.points) / len(self.points) if self.points else 0.0


def velocity_of(done: Iterable[float]) -> Velocity:
    """From the points done in ended iterations, the latest first; those in which nothing was done tell nothing."""
    return Velocity(tuple([points for points in done if points > 0][:RECENT]))


def forecast(points: Sequence[float], rooms: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Which stretch of a backlog fits which room, in the order of both: the number of the room, and where it ends.

    A room takes items until the next one is more than what is left of it; one that is larger than a whole room takes
    that room alone, as it has to be done at some time. Rooms without any space take nothing. What comes after the
    last stretch fits nowhere.
    """
    at = 0
    for number, room in enumerate(rooms):
        left, start = room, at
        while room > 0 and at < len(points) and (points[at] <= left or at == start):
            left -= points[at]
            at += 1
        if at > start:
            yield number, at
