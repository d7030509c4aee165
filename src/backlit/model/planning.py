"""Planning figures: loads, capacities, velocity and forecast."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from enum import StrEnum

from msgspec import Struct, field

from backlit.model.person_load import PersonLoad

MIN_FORECAST_SAMPLES = 3
"""Samples of a velocity from which there is a forecast."""
VELOCITY_WINDOW = 6
"""Number of samples in a velocity, the last ones."""


DayRange = tuple[date, date]
"""The first and the last day of a sprint."""


class CapacityFit(StrEnum):
    """Relation of a load to a capacity; OPEN without a capacity."""

    OPEN = "open"
    UNDER = "under"
    WITHIN = "within"
    OVER = "over"


class Capacity(Struct, frozen=True):
    """Minimum and maximum; None if not set."""

    least: float | None = None
    most: float | None = None

    @property
    def is_crossed(self) -> bool:
        """True for a minimum above the maximum; 0 counts as not set."""
        return bool(self.least and self.most and self.least > self.most)

    def fit(self, amount: float) -> CapacityFit:
        if self.most and amount > self.most:
            return CapacityFit.OVER
        if self.least and amount < self.least:
            return CapacityFit.UNDER
        return CapacityFit.WITHIN if self.least or self.most else CapacityFit.OPEN

    def over(self, amount: float) -> float:
        return max(0.0, amount - self.most) if self.most else 0.0


class IterationEvent(StrEnum):
    """What is said of an iteration: that its work starts, and that it is over."""

    START = "start"
    CLOSE = "close"


EVENT_KEYS: Mapping[IterationEvent, str] = {IterationEvent.START: "startedAt", IterationEvent.CLOSE: "closedAt"}
"""The keys of the times of the events."""


class PersonalCapacity(Struct, frozen=True):
    """What a person can do in a sprint; None: not said. `days_off` are the person's own."""

    points: float | None = None
    hours: float | None = None
    days_off: frozenset[date] = frozenset()

    @property
    def is_said(self) -> bool:
        return self != PersonalCapacity()


def capacity_in_sprint(
    usual: PersonalCapacity | None, own: PersonalCapacity | None, working_days: Iterable[date]
) -> PersonalCapacity:
    """Return a person's capacity: what was said for the iteration, else the usual amount less own days off."""
    days = frozenset(working_days)
    said, off = usual or PersonalCapacity(), (usual or PersonalCapacity()).days_off
    if own is not None:
        off |= own.days_off
    share = len(days - off) / len(days) if days else 1.0

    def amount(own_amount: float | None, usual_amount: float | None) -> float | None:
        if own_amount is not None:
            return own_amount
        return None if usual_amount is None else usual_amount * share

    own = own or PersonalCapacity()
    return PersonalCapacity(amount(own.points, said.points), amount(own.hours, said.hours))


class LoadPart(Struct, frozen=True):
    """The contribution of one item to a load: only hours for a task, no hours for other types."""

    place: int | None
    owner: int | None
    points: float | None
    hours: float = 0.0
    is_task: bool = False
    is_done: bool = False
    takes_estimate: bool = True
    team: int | None = None


class PlannedLoad(Struct, frozen=True):
    """The load of one place; `people` and `teams` have the key None for unassigned items."""

    count: int = 0
    points: float = 0.0
    done: float = 0.0
    unestimated: int = 0
    hours: float = 0.0
    people: Mapping[int | None, PersonLoad] = field(default_factory=dict)
    teams: Mapping[int | None, PersonLoad] = field(default_factory=dict)

    def __add__(self, other: "PlannedLoad") -> "PlannedLoad":
        return PlannedLoad(
            self.count + other.count,
            self.points + other.points,
            self.done + other.done,
            self.unestimated + other.unestimated,
            self.hours + other.hours,
            _shares((*self.people.items(), *other.people.items())),
            _shares((*self.teams.items(), *other.teams.items())),
        )


def _shares(parts: Iterable[tuple[int | None, PersonLoad]]) -> dict[int | None, PersonLoad]:
    found: dict[int | None, PersonLoad] = {}
    for who, share in parts:
        if share != PersonLoad():
            found[who] = found.get(who, PersonLoad()) + share
    return found


def loads(parts: Iterable[LoadPart]) -> dict[int, PlannedLoad]:
    found: dict[int, list[LoadPart]] = {}
    for part in parts:
        if part.place is not None:
            found.setdefault(part.place, []).append(part)
    return {place: _load(each) for place, each in found.items()}


def _load(parts: Sequence[LoadPart]) -> PlannedLoad:
    shares = [(part, PersonLoad(part.points or 0.0, part.hours)) for part in parts]
    items = [part for part in parts if not part.is_task]
    return PlannedLoad(
        count=len(items),
        points=sum(part.points or 0.0 for part in items),
        done=sum(part.points or 0.0 for part in items if part.is_done),
        unestimated=sum(part.points is None and part.takes_estimate and not part.is_done for part in items),
        hours=sum(part.hours for part in parts),
        people=_shares((part.owner, share) for part, share in shares),
        teams=_shares((part.team, share) for part, share in shares),
    )


class Velocity(Struct, frozen=True):
    """The points done in the last closed sprints, or in rounds of parallel ones; None without a closed sprint."""

    median: float | None = None
    mean: float = 0.0
    low: float = 0.0
    high: float = 0.0
    samples: int = 0
    is_of_rounds: bool = False
    is_known: bool = True
    """False before the service was asked."""
    is_of_machine: bool = False
    """True for the records of this machine, where the server keeps no history."""

    @property
    def forecast(self) -> float:
        """The points that the next round brings at 50 %; 0 with too few samples."""
        return (self.median or 0.0) if self.samples >= MIN_FORECAST_SAMPLES else 0.0


def shares_round(opening: DayRange, sprint: DayRange) -> bool:
    """Return True for sprints that share at least half of the days of the shorter one."""
    shared = (min(opening[1], sprint[1]) - max(opening[0], sprint[0])).days + 1
    return 2 * shared >= min((end - start).days + 1 for start, end in (opening, sprint))


def forecast(points: Sequence[float], rooms: Sequence[float], size: float) -> Iterator[tuple[int, int]]:
    """Fill the rooms with the backlog, in order; return each room's number and the end of its stretch.

    Each room takes items until the next one exceeds the space that is left in it. An item larger than `size`, a whole
    room, takes one alone: the next with as much space as any room after it. Rooms without space take nothing. Items
    after the last stretch fit in no room.
    """
    at = 0
    for number, room in enumerate(rooms):
        left, start = room, at
        while room > 0 and at < len(points) and points[at] <= left:
            left -= points[at]
            at += 1
        if at == start < len(points) and points[at] > size and 0 < room >= max(rooms[number:]):
            at += 1
        if at > start:
            yield number, at
