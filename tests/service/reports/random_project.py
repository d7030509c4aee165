"""Random histories: two teams, parallel sprints, weekends, splits, rollovers and statuses of a project's own."""

import random
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from msgspec.structs import replace
from tests.service.reports.histories import BLUE, RED, ROOT, RecordedProject

from backlit.model.planning import PersonalCapacity
from backlit.model.statuses import StatusGroup
from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.tables.changes import ChangeAct

RELEASE = 50
SPRINTS = {
    10: (date(2026, 10, 12), date(2026, 10, 25)),
    11: (date(2026, 10, 26), date(2026, 11, 8)),
    12: (date(2026, 11, 9), date(2026, 11, 22)),
    13: (date(2026, 11, 23), date(2026, 12, 6)),
    20: (date(2026, 10, 19), date(2026, 11, 1)),
    21: (date(2026, 11, 2), date(2026, 11, 15)),
    30: (date(2026, 10, 5), date(2026, 10, 11)),
    31: (date(2026, 12, 7), date(2026, 12, 20)),
}
"""Sprints one after the other, two beside them, a short one before, and one in which little is planned."""
IN_RELEASE = (10, 11, 12)
ZONES = ("Europe/Berlin", "America/Los_Angeles", "Pacific/Kiritimati")
OWN_GROUPS = {
    "Blocked": StatusGroup.IN_PROGRESS,
    "Parked": StatusGroup.EXCLUDED,
    "Accepted": StatusGroup.DONE,
}
STATUSES = (
    *("Not Done", "Not Done", "In Progress", "In Progress", "Ready For Test", "Done", "Done", "Done"),
    *("Deferred", "Deleted", "Blocked", "Parked", "Accepted", "Limbo"),
)
ESTIMATES = ("1", "2", "3", "5", "8", "2,5", "5 pts", "XL", None)
TYPES = ("Story", "Story", "Story", "Bug", "Issue", "Risk", "Feature", "Feedback", "Task", "Task")
FIRST = datetime(2026, 10, 1)
EVENTS = 160


class RandomProject(RecordedProject):
    """A project with a history of random changes up to a random moment of one of its sprints."""

    sprints = SPRINTS
    releases: ClassVar = {ROOT: (RELEASE, *SPRINTS), RELEASE: IN_RELEASE}
    people: ClassVar = {1: "maya", 2: "jon", None: None}

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        super().__init__(self.random.choice(ZONES), OWN_GROUPS)
        days_off = frozenset(date(2026, 11, self.random.randint(1, 30)) for _ in range(3))
        working = self.random.choice((frozenset(range(5)), frozenset({6, 0, 1, 2, 3})))
        self.calendar = ProjectCalendar(self.calendar.zone, working, days_off)
        self._add_iterations()
        self.now = FIRST + timedelta(minutes=self.random.randint(24 * 60, 70 * 24 * 60))
        span = int((self.now - FIRST).total_seconds() // 60)
        times = sorted(self._time(span) for _ in range(EVENTS))
        for item_id in range(1, 9):
            self._create(times[0], item_id)
        for at in times:
            self.random.choice(self.actions)(at)

    def _add_iterations(self) -> None:
        ends = [SPRINTS[sprint][1] for sprint in IN_RELEASE]
        release = self.has_sprint(RELEASE, "12 Oct", "22 Nov", is_release=True)
        self.iterations[RELEASE] = replace(release, end=max(ends))
        for sprint, (start, end) in SPRINTS.items():
            parent = RELEASE if sprint in IN_RELEASE else ROOT
            maximum = self.random.choice((None, None, 8.0, 20.0))
            found = self.has_sprint(sprint, "1 Oct", "1 Oct", parent=parent, max_capacity=maximum)
            self.iterations[sprint] = replace(found, start=start, end=end)
        self.usual_capacities = {1: PersonalCapacity(10.0, 60.0, frozenset({date(2026, 11, 3), date(2026, 11, 7)}))}
        self.iteration_capacities = {11: {2: PersonalCapacity(points=7.0)}}

    def _time(self, span: int) -> datetime:
        """Return a time in so many minutes from the first on, now and then a midnight of its zone."""
        at = FIRST + timedelta(minutes=self.random.randint(0, span))
        midnight = self.calendar.start_of(self.calendar.day_of(at))
        return midnight if self.random.random() < 0.1 and midnight >= FIRST else at

    @property
    def actions(self) -> tuple[Callable[[datetime], None], ...]:
        return (
            *(self._create_next, self._create_next, self._set_status, self._set_status, self._set_status),
            *(self._set_estimate, self._move, self._move, self._change_several, self._set_hours),
            *(self._remove, self._split, self._roll_over, self._start_or_close, self._rank),
        )

    def _create_next(self, at: datetime) -> None:
        self._create(at, max((event.item_id for event in self.events), default=0) + 1)

    def _create(self, at: datetime, item_id: int) -> None:
        item_type = self.random.choice(TYPES)
        values = {"type": item_type, "IterationID": self._iteration(), "TeamID": self._team(), "AreaID": 1}
        if item_type == "Feedback":
            self.create(item_id, at, **values, Status=None)
            return
        values |= {
            "AssignedToID": self.random.choice((1, 2, None)),
            "Status": self.random.choice(("Not Done", *STATUSES)),
        }
        parents = [each for each, old in self.values.items() if old["type"] not in {"Task", "Feedback"}]
        if item_type == "Task" and parents:
            hours = {"WorkRemaining": self._hours(), "WorkCompleted": self._hours()}
            self.create(item_id, at, **values, ParentID=self.random.choice(parents), **hours)
        elif item_type != "Task":
            self.create(item_id, at, **values, Estimate=self.random.choice(ESTIMATES), FeatureID=self._feature(item_id))

    def _iteration(self) -> int:
        return self.random.choice((ROOT, RELEASE, *SPRINTS, *SPRINTS))

    def _team(self) -> int | None:
        return self.random.choice((RED, RED, BLUE, BLUE, None))

    def _hours(self) -> float | None:
        return self.random.choice((None, 0.5, 2.0, 4.0, 6.25))

    def _feature(self, item_id: int) -> int | None:
        """Return an older Feature, so that there are no circles."""
        features = [each for each, old in self.values.items() if old["type"] == "Feature" and each < item_id]
        return self.random.choice([*features, None, None])

    def _some(self, *, tasks: bool = True) -> int | None:
        known = [
            item_id
            for item_id, old in self.values.items()
            if old["type"] != "Feedback" and (tasks or old["type"] != "Task")
        ]
        return self.random.choice(known) if known else None

    def _set_status(self, at: datetime) -> None:
        if (item_id := self._some()) is not None:
            self.change(item_id, at, Status=self.random.choice(STATUSES))

    def _set_estimate(self, at: datetime) -> None:
        if (item_id := self._some(tasks=False)) is not None:
            self.change(item_id, at, Estimate=self.random.choice(ESTIMATES))

    def _move(self, at: datetime) -> None:
        if (item_id := self._some()) is not None:
            self.change(item_id, at, IterationID=self._iteration())

    def _change_several(self, at: datetime) -> None:
        """Change some fields of an item at once, its type among them."""
        item_id = self._some(tasks=False)
        if item_id is None:
            return
        values: dict[str, Any] = {
            "IterationID": self._iteration(),
            "TeamID": self._team(),
            "Estimate": self.random.choice(ESTIMATES),
            "Status": self.random.choice(STATUSES),
            "FeatureID": self._feature(item_id),
            "AssignedToID": self.random.choice((1, 2, None)),
            "type": self.random.choice(("Story", "Bug", "Feature")),
        }
        keys = self.random.sample(sorted(values), self.random.randint(1, 3))
        self.change(item_id, at, **{key: values[key] for key in keys})

    def _set_hours(self, at: datetime) -> None:
        tasks = [item_id for item_id, old in self.values.items() if old["type"] == "Task"]
        if tasks:
            self.change(self.random.choice(tasks), at, WorkRemaining=self._hours(), WorkCompleted=self._hours())

    def _remove(self, at: datetime) -> None:
        item_id = self._some()
        if item_id is None or self.random.random() < 0.5:
            return
        for task_id in [each for each, old in self.values.items() if old.get("ParentID") == item_id]:
            self.remove(task_id, at)
        self.remove(item_id, at, self.random.choice((ChangeAct.REMOVED, ChangeAct.LEFT)))

    def _split(self, at: datetime) -> None:
        item_id = self._some(tasks=False)
        if item_id is None or self.values[item_id]["type"] == "Feature":
            return
        old = self.values[item_id]
        part = max(event.item_id for event in self.events) + 1
        kept = {key: old.get(key) for key in ("type", "IterationID", "TeamID")}
        self.create(part, at, **kept, Estimate="1", Status="Done", splitFrom=item_id)
        if self.random.random() < 0.5:
            self.change(item_id, at, Estimate="2", IterationID=self._iteration())
        else:
            self.change(item_id, at, Estimate="2")
            self.change(item_id, at, IterationID=self._iteration())

    def _roll_over(self, at: datetime) -> None:
        """Move all that is open in a sprint to another, mostly the next."""
        sprint = self.random.choice(list(SPRINTS))
        goal = sprint + 1 if sprint + 1 in SPRINTS else self._iteration()
        for item_id, old in list(self.values.items()):
            if old["IterationID"] == sprint and old["Status"] not in {"Done", "Accepted", None}:
                self.change(item_id, at, IterationID=goal)

    def _start_or_close(self, at: datetime) -> None:
        """Start a sprint on its first days, or close it on its last or soon after."""
        day = at.replace(tzinfo=UTC).astimezone(ZoneInfo(self.calendar.zone)).date()
        for sprint in SPRINTS:
            found = self.iterations[sprint]
            if found.started is None and -1 <= (day - found.start).days <= 2:
                self.iterations[sprint] = replace(found, started=self.moment(at))
            elif found.closed is None and -2 <= (day - found.end).days <= 2:
                self.iterations[sprint] = replace(found, closed=self.moment(at))

    def _rank(self, at: datetime) -> None:
        if (item_id := self._some()) is not None:
            self.change(item_id, at, BacklogPriority=self.random.random())
