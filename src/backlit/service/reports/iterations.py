"""Iterations as reports read them: sprints, groups of them, and the moments that bound their figures."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime

from msgspec import Struct

from backlit.model.planning import DayRange
from backlit.model.trees import ROOT_PARENT
from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.history import Moment


class ReportedIteration(Struct, frozen=True):
    """An iteration as it is now; both dates are inclusive. `started` and `closed` are its events, where it has them."""

    id: int
    parent_id: int
    name: str
    start: date
    end: date
    is_release: bool = False
    max_capacity: float | None = None
    started: Moment | None = None
    closed: Moment | None = None
    dates_changed_at: datetime | None = None

    @property
    def days(self) -> int:
        return (self.end - self.start).days + 1

    @property
    def span(self) -> DayRange:
        return self.start, self.end


class IterationTree:
    """The present tree, which decides what belongs to an iteration at all times."""

    def __init__(self, iterations: Iterable[ReportedIteration]) -> None:
        self._by_id = {each.id: each for each in iterations}
        self._below: dict[int, list[int]] = {}
        for each in self._by_id.values():
            self._below.setdefault(each.parent_id, []).append(each.id)

    def __getitem__(self, iteration_id: int) -> ReportedIteration:
        return self._by_id[iteration_id]

    def get(self, iteration_id: int | None) -> ReportedIteration | None:
        return None if iteration_id is None else self._by_id.get(iteration_id)

    def coverage(self, iteration_id: int) -> frozenset[int]:
        """Return an iteration and all below it."""
        found, waiting = {iteration_id}, [iteration_id]
        while waiting:
            below = set(self._below.get(waiting.pop(), ())) - found
            found |= below
            waiting += below
        return frozenset(found)

    def is_sprint(self, iteration: ReportedIteration) -> bool:
        """Return True for what is planned and closed as one: no release, not the root, and with none below it."""
        is_root = iteration.parent_id == ROOT_PARENT
        return not (is_root or iteration.is_release or self._below.get(iteration.id))

    def sprints(self, iteration_id: int | None = None) -> Iterator[ReportedIteration]:
        """Return the sprints, of an iteration or of all, in order of their start."""
        wanted: Mapping[int, object] | frozenset[int]
        wanted = self._by_id if iteration_id is None else self.coverage(iteration_id)
        found = (self._by_id[each] for each in wanted)
        return iter(sorted(filter(self.is_sprint, found), key=lambda each: (each.start, each.end, each.id)))


class SprintSpan(Struct, frozen=True):
    """The moments of an iteration: its commitment, its end, and 00:00 of its last working day."""

    commitment: Moment
    end: Moment
    last_day: Moment
    commitment_day: date
    end_day: date

    def is_committed(self, now: Moment) -> bool:
        return self.commitment <= now

    def is_closed(self, now: Moment) -> bool:
        return self.end <= now


def span_of(iteration: ReportedIteration, calendar: ProjectCalendar) -> SprintSpan:
    """Return the moments of an iteration: those of its events, else those of its dates."""
    working = calendar.working(iteration.start, iteration.end)
    first, last = (working[0], working[-1]) if working else (iteration.start, iteration.end)
    end = iteration.closed or Moment(calendar.end_of(iteration.end))
    commitment = iteration.started or Moment(calendar.end_of(first))
    commitment_day = first if iteration.started is None else calendar.day_of(iteration.started.at)
    end_day = iteration.end if iteration.closed is None else calendar.day_of(iteration.closed.at)
    return SprintSpan(
        # What is closed before its commitment was committed by then.
        commitment=min(commitment, end),
        end=end,
        last_day=Moment(calendar.start_of(last)),
        commitment_day=min(commitment_day, end_day),
        end_day=end_day,
    )
