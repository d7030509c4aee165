"""What a report is asked, and all that it is computed from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from functools import cached_property
from typing import TYPE_CHECKING

from msgspec import Struct, field

from backlit.model.amounts import counted
from backlit.model.planning import PersonalCapacity
from backlit.model.reports.document import NOT_COMMITTED, CellValue, FigureSource, ReportDocument
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.report import day_text
from backlit.model.time_groups import TimeGroup
from backlit.model.working_days import DAY, days_between
from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.events import ItemState
from backlit.service.reports.history import CountedWalk, Moment, ProjectHistory, ProjectState, now_moment
from backlit.service.reports.iterations import IterationTree, ReportedIteration, SprintSpan, span_of

if TYPE_CHECKING:
    from backlit.service.reports.logged_time import LoggedHours

DEFAULT_DAYS = 30
"""Days of the whole backlog, unless a question says how many."""


class ItemSelection(Struct, frozen=True):
    """The items of some iterations and of a team, at the moment that is looked at; None: of all."""

    iteration_ids: frozenset[int] | None = None
    team_id: int | None = None

    def covers(self, iteration_id: int | None) -> bool:
        return self.iteration_ids is None or iteration_id in self.iteration_ids

    def has(self, item: ItemState | None) -> bool:
        if item is None or not self.covers(item.iteration_id):
            return False
        return self.team_id is None or item.team_id == self.team_id

    def counted(self, state: ProjectState) -> list[ItemState]:
        return [item for item in state.counted() if self.has(item)]


class ReportQuestion(Struct, frozen=True):
    """The choices of the caller; None: all iterations, all teams, the usual unit and number of days."""

    iteration_id: int | None = None
    team_id: int | None = None
    unit: ReportUnit | None = None
    days: int | None = None
    week: date | None = None
    """A day of the week that logged time is asked about."""
    by: TimeGroup | None = None
    """What logged time is summed up by; None for people."""

    @property
    def is_of_week(self) -> bool:
        """True of logged time in a week, which is this one unless the question names another time."""
        return self.week is not None or (self.iteration_id is None and self.days is None)


class ReportNames(Struct, frozen=True):
    """Names by id, and the paths of areas."""

    project: str = ""
    teams: Mapping[int, str] = field(default_factory=dict)
    people: Mapping[int, str] = field(default_factory=dict)
    areas: Mapping[int, str] = field(default_factory=dict)


class ReportContext:
    """The history, the iterations and the settings of a project at one moment, and the question."""

    def __init__(
        self,
        history: ProjectHistory,
        iterations: Iterable[ReportedIteration],
        calendar: ProjectCalendar,
        now: datetime,
        question: ReportQuestion | None = None,
        *,
        names: ReportNames | None = None,
        usual_capacities: Mapping[int, PersonalCapacity] | None = None,
        iteration_capacities: Mapping[int, Mapping[int, PersonalCapacity]] | None = None,
        default_length: int | None = None,
        logged: Sequence["LoggedHours"] = (),
    ) -> None:
        self.history = history
        self.tree = IterationTree(iterations)
        self.calendar = calendar
        self.now = now_moment(now)
        self.question = question or ReportQuestion()
        self.names = names or ReportNames()
        self.usual_capacities = usual_capacities or {}
        self.iteration_capacities = iteration_capacities or {}
        self.default_length = default_length
        """Days of a sprint, as the project's settings have it."""
        self.logged = logged
        """The time entries of the asked days and tasks, where the report is about them."""

    @property
    def today(self) -> date:
        return self.calendar.day_of(self.now.at)

    @property
    def iteration(self) -> ReportedIteration | None:
        return self.tree.get(self.question.iteration_id)

    @property
    def span(self) -> SprintSpan | None:
        return None if self.iteration is None else span_of(self.iteration, self.calendar)

    @cached_property
    def selection(self) -> ItemSelection:
        iteration_id = self.question.iteration_id
        covered = None if iteration_id is None else self.tree.coverage(iteration_id)
        return ItemSelection(covered, self.question.team_id)

    @cached_property
    def present(self) -> ProjectState:
        return self.history.state(self.now)

    def selection_of(self, iteration: ReportedIteration) -> ItemSelection:
        return ItemSelection(self.tree.coverage(iteration.id), self.question.team_id)

    # Units

    @cached_property
    def unit(self) -> ReportUnit:
        """The unit that was asked for; else points, or items where no counted item ever had points."""
        if self.question.unit is not None:
            return self.question.unit
        return ReportUnit.POINTS if self._has_points else ReportUnit.ITEMS

    @cached_property
    def _has_points(self) -> bool:
        walk = CountedWalk(ProjectState(self.history.baseline))
        if any(self.selection.has(item) and item.points for item in walk.counted()):
            return True
        changes = (change for step in self.history.steps for change in walk.follow(step))
        return any(item is not None and item.points and self.selection.has(item) for _, item in changes)

    def amount(self, items: Iterable[ItemState]) -> float:
        """Return the sum of some items in the unit of the report."""
        return amount_of(items, self.unit)

    def amount_text(self, amount: float) -> str:
        return counted(amount, "pt" if self.unit is ReportUnit.POINTS else "item")

    def is_closed(self, iteration: ReportedIteration) -> bool:
        return span_of(iteration, self.calendar).is_closed(self.now)

    # Days

    @cached_property
    def days(self) -> tuple[date, ...]:
        """The days of the report: those of the iteration, up to a close that prolongs it, or those before today."""
        if self.iteration is None or self.span is None:
            last, number = self.today, self.question.days or DEFAULT_DAYS
            return tuple(days_between(last - DAY * (number - 1), last))
        return tuple(days_between(self.iteration.start, max(self.iteration.end, self.span.end_day)))

    def moment_of(self, day: date) -> Moment | None:
        """Return the moment whose state a day shows; None for one to come, after a close, or before the history."""
        if day > self.today:
            return None
        moment = min(Moment(self.calendar.end_of(day)), self.now)
        if self.span is not None:
            if day > self.span.end_day:
                return None
            moment = min(moment, self.span.end)
        return moment if self.history.knows(moment) else None

    def states_by_day(self) -> Iterator[tuple[date, ProjectState | None]]:
        moments = {day: self.moment_of(day) for day in self.days}
        states = self.history.states(moment for moment in moments.values() if moment is not None)
        for day, moment in moments.items():
            yield day, None if moment is None else next(states)

    # Commitment

    @cached_property
    def committed_state(self) -> ProjectState | None:
        """The state at the commitment, or so far; None where the history begins later."""
        if self.span is None:
            return None
        moment = min(self.span.commitment, self.now)
        return self.history.state(moment) if self.history.knows(moment) else None

    @property
    def committed_items(self) -> Sequence[ItemState] | None:
        state = self.committed_state
        return None if state is None else self.selection.counted(state)

    # Answers

    def document(
        self,
        report: ReportName,
        summary: Mapping[str, CellValue],
        columns: Sequence[str],
        rows: Sequence[Sequence[CellValue]],
        notes: Iterable[str] = (),
        *,
        details: Sequence[Mapping[str, CellValue]] = (),
    ) -> ReportDocument:
        is_seen = self.span is None or self.history.knows(min(self.span.end, self.now))
        return ReportDocument(
            report=report.value,
            about=self.about,
            team=self.team,
            unit=self.unit.value,
            source=FigureSource.HISTORY if is_seen else FigureSource.NOW,
            since=self.history.since,
            as_of=self.now.at,
            time_zone=self.calendar.zone,
            summary=summary,
            columns=columns,
            rows=rows,
            notes=(*notes, *self._common_notes()),
            details=details,
        )

    @property
    def team(self) -> str | None:
        team_id = self.question.team_id
        return None if team_id is None else self.names.teams.get(team_id, f"team {team_id}")

    def person(self, user_id: int | None) -> str | None:
        return None if user_id is None else self.names.people.get(user_id, f"user {user_id}")

    @property
    def about(self) -> str:
        if self.iteration is not None:
            return self.iteration.name
        days = self.question.days
        return self.names.project if days is None else f"{self.names.project}, {counted(days, 'day')}"

    def _common_notes(self) -> Iterator[str]:
        if self.question.unit is None and self.unit is ReportUnit.ITEMS:
            yield "No item has points: items are counted."
        since = self.history.since
        if since is not None and self._needs_time_before(since):
            yield f"The server's history begins on {day_text(self.calendar.day_of(since))}."
        if self.span is not None and not self.span.is_committed(self.now):
            yield NOT_COMMITTED
        if self.iteration is not None and self.iteration.dates_changed_at is not None:
            yield f"Dates changed on {day_text(self.calendar.day_of(self.iteration.dates_changed_at))}."
        yield from self._notes_on_meanings()

    def _needs_time_before(self, since: datetime) -> bool:
        first = self.calendar.end_of(self.days[0]) if self.span is None else self.span.commitment.at
        return first < since

    def _notes_on_meanings(self) -> Iterator[str]:
        found: dict[str, int] = {}
        for item in self.selection.counted(self.present):
            if not item.has_meaning:
                found[item.status] = found.get(item.status, 0) + 1
        for status, count in sorted(found.items()):
            yield f"{counted(count, 'item')} in {status}, a status without a meaning."


def amount_of(items: Iterable[ItemState], unit: ReportUnit) -> float:
    if unit is ReportUnit.POINTS:
        return sum((item.points for item in items), 0.0)
    return float(sum(1 for _ in items))
