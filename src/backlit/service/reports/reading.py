"""The events and items of a report, from the tables."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

import orjson
from msgspec import Struct
from sqlalchemy import ColumnElement, Connection, Select, func, or_, select

from backlit.model.dates import parse_datetime
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.planning import IterationEvent
from backlit.model.reports.names import ReportUnit
from backlit.model.resources import Area, Iteration
from backlit.model.trees import ROOT_PARENT
from backlit.service.reports.calendar import ProjectCalendar
from backlit.service.reports.context import ReportContext, ReportNames, ReportQuestion
from backlit.service.reports.events import DEPARTURES, ItemChange
from backlit.service.reports.history import Moment, history_of
from backlit.service.reports.hours_reading import LoggedHoursReading
from backlit.service.reports.iterations import IterationTree, ReportedIteration
from backlit.service.reports.reports import ServiceReport
from backlit.service.storage.schema import areas, changes, item_splits, iteration_log, iterations, projects, work_items
from backlit.service.tables import capacities, iteration_events, trees, users
from backlit.service.tables.capacities import Capacities
from backlit.service.tables.changes import LAST_DOCUMENT, ChangeAct, ChangeCause, ChangeKind
from backlit.service.tables.iteration_events import Events
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import SPLIT_KEY

KEYS = (
    *("Name", "Status", "Estimate", "IterationID", "TeamID", "ParentID", "AssignedToID", "AreaID"),
    *("WorkRemaining", "WorkCompleted"),
)
"""The keys of an item that figures are computed from."""
_CHANGING_KEYS = frozenset(KEYS) - {"Name"} | {"type", SPLIT_KEY}
"""Those that change a figure: a report names an item as it is called now."""
_IDS_AT_ONCE = 500
"""SQLite takes 32,766 values in a statement; a long statement is compiled anew for each length."""
_BEFORE_FIRST_DAY = timedelta(days=2)
"""Two days are more than any time zone is away from UTC."""


class ReportReading(Struct, frozen=True):
    """What a report of one project is read with."""

    connection: Connection
    settings: ProjectSettings
    now: datetime

    @property
    def project_id(self) -> int:
        return self.settings.id

    def context(self, report: ServiceReport, question: ReportQuestion) -> ReportContext:
        """Read what a report needs to answer a question."""
        nodes = trees.list_nodes(self.connection, iterations, Iteration, [self.project_id])
        calendar, events_by_iteration = self._calendar(), iteration_events.of_project(self.connection, self.project_id)
        reported = [
            _reported(
                node,
                events_by_iteration.get(node.id, {}),
                self._dates_changed(node, calendar) if node.id == question.iteration_id else None,
            )
            for node in nodes
        ]
        wanted = self._wanted(report, question, IterationTree(reported))
        project = self._project()
        present = self._present(wanted)
        events = self._events(wanted, project.history_from)
        logged = LoggedHoursReading(self.connection, self.project_id) if report.is_of_time else None
        return ReportContext(
            history_of(present, events, self.settings.groups, project.history_since),
            reported,
            calendar,
            self.now,
            question,
            names=self._names(project.name),
            usual_capacities=self._of_members(capacities.of_project(self.connection, self.project_id)),
            iteration_capacities=self._iteration_capacities(question.iteration_id),
            default_length=project.default_iteration_length,
            logged=() if logged is None else logged.asked(question, calendar.day_of(self.now)),
        )

    def _project(self) -> Any:
        columns = (
            projects.c.name,
            projects.c.history_from,
            projects.c.history_since,
            projects.c.default_iteration_length,
        )
        return self.connection.execute(select(*columns).where(projects.c.id == self.project_id)).one()

    def _calendar(self) -> ProjectCalendar:
        shared = self.settings.shared
        return ProjectCalendar(shared.time_zone, shared.weekdays, frozenset(shared.days_off))

    def _dates_changed(self, node: Iteration, calendar: ProjectCalendar) -> datetime | None:
        """Return when the dates of an iteration last changed after it had begun."""
        assert node.start_date is not None
        has_dates = or_(*(changes.c.fields.contains(f'"{key}"') for key in ("startDate", "endDate")))
        # Changes without an item are few, and have the index of items.
        found = select(func.max(changes.c.at)).where(
            changes.c.item_id.is_(None),
            changes.c.kind == ChangeKind.ITERATION,
            changes.c.object_id == node.id,
            changes.c.act == ChangeAct.CHANGED,
            changes.c.at >= calendar.start_of(node.start_date),
            has_dates,
        )
        return self.connection.execute(found).scalar()

    def _iteration_capacities(self, iteration_id: int | None) -> dict[int, Capacities]:
        if iteration_id is None:
            return {}
        return {iteration_id: self._of_members(capacities.of_iteration(self.connection, iteration_id))}

    def _of_members(self, found: Capacities) -> Capacities:
        """Leave out people who have left the project."""
        members = capacities.members(self.connection, self.project_id) if found else ()
        return {user_id: capacity for user_id, capacity in found.items() if user_id in members}

    def _names(self, project: str) -> ReportNames:
        nodes = trees.list_nodes(self.connection, areas, Area, [self.project_id])
        return ReportNames(
            project,
            dict(self.settings.teams),
            {user.id: user.name for user in users.licensed(self.connection)},
            {node.id: node.path for node in nodes},
        )

    # Which items

    def _wanted(self, report: ServiceReport, question: ReportQuestion, tree: IterationTree) -> frozenset[int] | None:
        """Return the ids of the items that a report takes part of; None: all of the project."""
        if report.is_of_time:
            return frozenset()
        covered = self._covered(report, question, tree)
        if covered is None:
            return None
        found = self._logged(covered)
        if report.has_tasks or question.unit is ReportUnit.HOURS:
            first = min(tree[each].start for each in covered)
            start = datetime(first.year, first.month, first.day) - _BEFORE_FIRST_DAY
            found |= self._tasks(covered, start if question.unit is ReportUnit.HOURS else None)
        return frozenset(found)

    def _covered(self, report: ServiceReport, question: ReportQuestion, tree: IterationTree) -> frozenset[int] | None:
        asked = tree.get(question.iteration_id)
        is_whole = asked is None or asked.parent_id == ROOT_PARENT
        if is_whole and not report.is_of_sprints_alone:
            return None
        sprints = frozenset(sprint.id for sprint in tree.sprints()) if report.is_of_sprints else frozenset()
        return sprints if asked is None or is_whole else sprints | tree.coverage(asked.id)

    def _logged(self, covered: Collection[int]) -> set[int]:
        """Return the items but tasks that ever were in one of the iterations."""
        members = select(iteration_log.c.item_id).where(iteration_log.c.iteration_id.in_(covered)).distinct()
        return set(self.connection.execute(members).scalars())

    def _tasks(self, covered: Collection[int], start: datetime | None) -> set[int]:
        """Return the tasks in one of the iterations, now or since a time, and their parents."""
        now = select(work_items.c.id, work_items.c.parent_id).where(
            work_items.c.iteration_id.in_(covered), work_items.c.type == ItemType.TASK
        )
        found = {item_id for row in self.connection.execute(now) for item_id in row if item_id is not None}
        if start is not None:
            gone = {event.item_id: event for event in self._moves_since(start) if _was_in(event, covered)}
            found |= gone.keys()
            found |= {parent for event in gone.values() if (parent := event.fields.get("ParentID", (None,))[0])}
            found |= set(self._parents(gone))
        return found

    def _moves_since(self, start: datetime) -> Iterator[ItemChange]:
        """Return the changes after a time that may have taken an item out of an iteration.

        The log of iterations has no tasks, so that what left one is found among all changes since its first day.
        """
        gone = or_(changes.c.act.in_(DEPARTURES), changes.c.fields.contains('"IterationID"'))
        rows = _ITEM_ROWS.where(
            changes.c.project_id == self.project_id, changes.c.revision > self._revision_before(start), gone
        )
        return map(_event, self.connection.execute(rows))

    def _revision_before(self, at: datetime) -> int:
        """Return a revision before which nothing happened after a time: times grow with revisions, which are dense."""
        low, high = 0, self.connection.execute(select(func.max(changes.c.revision))).scalar_one() or 0
        while low < high:
            middle = (low + high) // 2
            next_one = select(changes.c.at).where(changes.c.revision > middle).order_by(changes.c.revision).limit(1)
            moment = self.connection.execute(next_one).scalar()
            if moment is not None and moment < at:
                low = middle + 1
            else:
                high = middle
        return low

    def _parents(self, item_ids: Iterable[int]) -> Iterator[int]:
        for some in _few_of(item_ids):
            found = select(work_items.c.parent_id).where(work_items.c.id.in_(some), work_items.c.parent_id.is_not(None))
            yield from self.connection.execute(found).scalars()

    # Items and events

    def _present(self, wanted: frozenset[int] | None) -> dict[int, dict[str, Any]]:
        found: dict[int, dict[str, Any]] = {}
        for some in _some_of(work_items.c.id, wanted):
            rows = _PRESENT.where(work_items.c.project_id == self.project_id, some)
            for item_id, item_type, created_at, source_id, *values in self.connection.execute(rows):
                own = {"type": item_type, "createdAt": created_at, SPLIT_KEY: source_id}
                found[item_id] = {**own, **dict(zip(KEYS, values, strict=True))}
        return found

    def _events(self, wanted: frozenset[int] | None, first: int) -> list[ItemChange]:
        """Return the changes of items from the first revision that the project's history has completely."""
        # Without the items, the project's own index; with them SQLite would take that one too, and read all changes.
        mine = (changes.c.project_id == self.project_id,) if wanted is None else ()
        events = (
            _event(row)
            for some in _some_of(changes.c.item_id, wanted)
            for row in self.connection.execute(_ITEM_ROWS.where(some, *mine))
            if row.project_id == self.project_id and row.revision >= first
        )
        return [event for event in events if event.fields]


_PRESENT = select(
    work_items.c.id,
    work_items.c.type,
    work_items.c.created_at,
    item_splits.c.source_id,
    *(work_items.c[FIELD_BY_KEY[key].column] for key in KEYS),
).select_from(work_items.outerjoin(item_splits))
_ITEM_ROWS: Select[Any] = select(
    changes.c.revision,
    changes.c.at,
    changes.c.act,
    changes.c.cause,
    changes.c.object_id,
    changes.c.fields,
    changes.c.project_id,
).where(changes.c.kind == ChangeKind.ITEM)


def _some_of(column: ColumnElement[int], wanted: frozenset[int] | None) -> Iterator[ColumnElement[bool]]:
    """Return conditions that together find the wanted ids, few at a time; None: one that finds all."""
    if wanted is None:
        yield column.is_not(None)
        return
    for some in _few_of(wanted):
        yield column.in_(some)


def _few_of(item_ids: Iterable[int]) -> Iterator[tuple[int, ...]]:
    rest = iter(sorted(item_ids))
    while some := tuple(islice(rest, _IDS_AT_ONCE)):
        yield some


def _reported(node: Iteration, events: Events, dates_changed_at: datetime | None) -> ReportedIteration:
    assert node.start_date is not None
    assert node.end_date is not None
    started, closed = (events.get(event) for event in (IterationEvent.START, IterationEvent.CLOSE))
    return ReportedIteration(
        node.id,
        node.parent_id,
        node.name,
        node.start_date,
        node.end_date,
        node.is_release,
        node.max_capacity,
        None if started is None else Moment(*started),
        None if closed is None else Moment(*closed),
        dates_changed_at,
    )


def _event(row: Sequence[Any]) -> ItemChange:
    revision, at, act, cause, item_id, text, _ = row
    fields: Mapping[str, tuple[Any, Any]]
    if act in DEPARTURES:
        fields = _removed_values(orjson.loads(text)[LAST_DOCUMENT])
    else:
        sent = orjson.loads(text)
        fields = {key: (old, new) for key, (old, new) in sent.items() if key in _CHANGING_KEYS}
    is_rename = cause == ChangeCause.ADMINISTRATION and act == ChangeAct.CHANGED and "Status" in fields
    return ItemChange(revision, at, item_id, ChangeAct(act), fields, is_rename)


def _removed_values(document: Mapping[str, Any]) -> dict[str, tuple[Any, Any]]:
    """Return the values of an item's last document, which a removal keeps."""
    values = {key: document["fields"].get(key) for key in KEYS}
    # A long name is kept apart from its change, by its digest.
    name = values["Name"] if isinstance(values["Name"], str) else f"#{document['id']}"
    own = {
        "type": document["type"],
        "createdAt": parse_datetime(document["createdAt"]),
        SPLIT_KEY: document.get(SPLIT_KEY),
        "Name": name,
    }
    return {key: (value, None) for key, value in {**values, **own}.items()}


def _was_in(event: ItemChange, covered: Collection[int]) -> bool:
    return event.fields.get("IterationID", (None,))[0] in covered
