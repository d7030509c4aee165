"""Users, projects and iterations for screens."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum

from msgspec import Struct

from backlit.model.dates import parse_date
from backlit.model.errors import BadRequest, ServiceError
from backlit.model.planning import EVENT_KEYS, Capacity, IterationEvent, PersonalCapacity
from backlit.store.records.item import id_in, moment


class TreeKind(StrEnum):
    """The two trees of a project."""

    AREAS = "areas"
    ITERATIONS = "iterations"


LOOKED_UP_USER = "looked_up_user"
"""The noun kind of unlicensed or unknown users. Unknown ones have only an id."""

ITERATION_EVENTS = "iteration events"
"""The noun kind of the starts and closes of iterations, by the id of the iteration."""

CAPACITIES = "capacities"
"""The noun kind of what people can do, by the id of the iteration, 0 for what is usual in the project."""

TIME_ENTRY_TYPES = "time entry types"
"""The noun kind of time entry types, which have only a name."""

KEPT_VIEWS = "views"
"""The noun kind of the views that the service keeps: those that members share, and the user's own."""


class Person(Struct, frozen=True):
    """A user. The service does not list unlicensed users, so some users are unknown."""

    id: int
    username: str
    display_name: str


class ProjectEntry(Struct, frozen=True):
    """A project visible to the user."""

    id: int
    name: str


class IterationEntry(Struct, frozen=True):
    """An iteration or release. `end` is inclusive, capacities are story points, None if unset or 0."""

    id: int
    name: str
    path: str
    start: date | None
    end: date | None
    min_capacity: float | None
    max_capacity: float | None
    is_release: bool
    started_at: datetime | None = None
    closed_at: datetime | None = None
    """Times of the service at which its work was started and closed, None without such an event."""

    @property
    def capacity(self) -> Capacity:
        return Capacity(self.min_capacity, self.max_capacity)

    def is_over(self, today: date) -> bool:
        """Return whether it was closed or its last day is past, so that nothing more is planned into it."""
        return self.closed_at is not None or (self.end is not None and self.end < today)


def capacity_of(row: Mapping[str, object]) -> tuple[int, PersonalCapacity] | None:
    """Read what was said of a person, with the person's id; None for a row without one."""
    user_id, days = id_in(row, "userId"), row.get("daysOff")
    if not user_id:
        return None
    found = [_date(each) for each in days] if isinstance(days, list) else []
    points, hours = (_amount(row.get(key)) for key in ("points", "hours"))
    return user_id, PersonalCapacity(points, hours, frozenset(day for day in found if day is not None))


def _amount(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None


def person_of(document: Mapping[str, object]) -> Person:
    """Read a user. A missing display name falls back to the names, then to the user name."""
    names = (document.get("firstName"), document.get("lastName"))
    full = " ".join(str(part) for part in names if part)
    username = str(document.get("name") or "")
    return Person(id_in(document), username, str(document.get("displayName") or full or username))


def looked_up_user_of(document: Mapping[str, object]) -> Person:
    """Read a looked-up user. An unnamed user is called by the id."""
    person = person_of(document)
    number = f"user {person.id}"
    return Person(person.id, person.username or number, person.display_name or number)


def signed_in_of(document: Mapping[str, object], server: str) -> Person:
    """Read the signed-in user. Raises ServiceError, which names the server, for a response without a name."""
    person = person_of(document)
    if not person.id or not person.display_name:
        raise ServiceError(f"{server} did not state who is signed in.")
    return person


def iteration_of(document: Mapping[str, object], path: str) -> IterationEntry:
    return IterationEntry(
        id=id_in(document),
        name=str(document.get("name") or ""),
        path=path,
        start=_date(document.get("startDate")),
        end=_date(document.get("endDate")),
        min_capacity=_capacity(document.get("minCapacity")),
        max_capacity=_capacity(document.get("maxCapacity")),
        is_release=document.get("isRelease") is True,
        started_at=moment(document.get(EVENT_KEYS[IterationEvent.START])),
        closed_at=moment(document.get(EVENT_KEYS[IterationEvent.CLOSE])),
    )


def _date(value: object) -> date | None:
    try:
        return parse_date(value) if isinstance(value, str) else None
    except BadRequest:
        return None


def _capacity(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and value else None


def leaves(iterations: Iterable[IterationEntry]) -> list[IterationEntry]:
    """Return the plannable iterations: no releases, no root, and no parents of others."""
    every = list(iterations)
    divided = {each.path.rpartition("\\")[0] for each in every if not each.is_release}
    return [each for each in every if not each.is_release and "\\" in each.path and each.path not in divided]


def current(iterations: Iterable[IterationEntry], today: date) -> list[IterationEntry]:
    return [each for each in iterations if each.start and each.end and each.start <= today and not each.is_over(today)]


def following(iterations: Iterable[IterationEntry], today: date) -> Sequence[IterationEntry]:
    starts = [
        (each.start, each) for each in iterations if each.start and each.start > today and not each.is_over(today)
    ]
    first = min((start for start, _ in starts), default=None)
    return [each for start, each in starts if start == first]


def target_of(targets: Sequence[IterationEntry], remembered: int | None, today: date) -> IterationEntry | None:
    """Return the remembered target, else the next, the current or the last iteration; None without iterations."""
    known = [each for each in targets if each.id == remembered]
    found = [*known, *following(targets, today), *current(targets, today), *targets[-1:]]
    return found[0] if found else None


def preceding(iterations: Iterable[IterationEntry], today: date) -> Sequence[IterationEntry]:
    ends = [(each.end, each) for each in iterations if each.end and each.is_over(today)]
    last = max((end for end, _ in ends), default=None)
    return [each for end, each in ends if end == last]
