"""What the sample has beside items: relations, links, acceptance criteria and time entries."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Any

from msgspec.structs import replace
from sqlalchemy import Connection, insert

from backlit.model.fields import ItemType
from backlit.model.relations import RelationType
from backlit.model.resources import CriterionStatus
from backlit.service.sample import vocabulary as words
from backlit.service.sample.items import SampleProject
from backlit.service.sample.past import ItemPast
from backlit.service.storage.columns import audit
from backlit.service.tables.below import CRITERIA, LINKS, RELATIONS, TIME_ENTRIES, ObjectTable
from backlit.service.tables.changes import RecordedChange
from backlit.service.tables.projects import DEFAULT_TIME_ENTRY_TYPES
from backlit.service.tables.work_items import WorkItemRow

_PLANNED = (ItemType.STORY, ItemType.BUG)
_LEAST_PARTS, _MORE_PARTS = 4, 6
"""A Feature has four to nine items."""
_ITEMS_PER_PAIR = 120
"""Items of the sample for each pair of blockers in the backlog, of duplicates, and of related items."""
_WORDS_ALIKE = 4
"""Words that two names begin with which say much the same."""
_WITH_CRITERIA, _WITH_LINK = 3, 12
"""One in so many stories has acceptance criteria; one in so many items has a link."""
_LOGGED_DAYS = timedelta(days=14)
_LATER = timedelta(minutes=30)
_GIVEN_UP = frozenset({"Deferred", "Deleted"})
_SETTLED = _GIVEN_UP | {"Done", "Closed"}


class ObjectsBelow:
    """Maker of what is below the items of one project, which come in batches in order of id; nothing is after `now`.

    It draws no random numbers, so that the items stay the same whatever is below them.
    """

    def __init__(
        self, connection: Connection, project: SampleProject, ids: Mapping[str, Iterator[int]], now: datetime
    ) -> None:
        self._connection = connection
        self._project = project
        self._ids = ids
        self._now = now
        self._user_ids = {name: user_id for user_id, name in project.members}
        self._subjects = dict(project.areas)
        self._items: dict[int, WorkItemRow] = {}
        self._rows: dict[str, list[dict[str, Any]]] = {}
        self._changes: list[tuple[str, RecordedChange]] = []

    def write(self, batch: Sequence[ItemPast]) -> tuple[list[ItemPast], list[tuple[str, RecordedChange]]]:
        """Write what is below some items; return these as that touches them, and its changes with their authors."""
        self._items = {past.item.id: past.item for past in batch}
        self._rows, self._changes = {}, []
        items = [past.item for past in batch]
        self._relate(items)
        for item in items:
            self._describe(item)
        for past in batch:
            self._log_time(past)
        for objects in (RELATIONS, LINKS, CRITERIA, TIME_ENTRIES):
            if rows := self._rows.get(objects.table.name):
                self._connection.execute(insert(objects.table), rows)
        return [replace(past, item=self._items[past.item.id]) for past in batch], self._changes

    def _relate(self, items: Sequence[WorkItemRow]) -> None:
        planned = [item for item in items if item.type in _PLANNED]
        waiting = [item for item in planned if item.values["Status"] not in _SETTLED]
        features = [item for item in items if item.type == ItemType.FEATURE]
        self._divide([item for item in features if item.values["Status"] not in _GIVEN_UP], planned)
        self._block(planned, waiting)
        most = max(2, len(items) // _ITEMS_PER_PAIR)
        bugs, stories = ([item for item in waiting if item.type == kind] for kind in (ItemType.BUG, ItemType.STORY))
        for first, second in _alike(bugs)[:most]:
            self._relation(second, RelationType.DUPLICATES, first)
        for first, second in _alike(stories)[:most]:
            self._relation(first, RelationType.RELATED, second)

    def _divide(self, features: Sequence[WorkItemRow], items: Sequence[WorkItemRow]) -> None:
        """Put stories and bugs below Features of their subject, and Features below others."""
        free = [item for item in items if item.values["Status"] != "Deleted"]
        for feature in features:
            subject = words.SUBJECTS.get(feature.values["Name"], self._subjects.get(feature.values["AreaID"]))
            fitting = [item for item in free if self._subjects.get(item.values["AreaID"]) == subject]
            some = fitting if len(fitting) >= _LEAST_PARTS else free
            number = min(_LEAST_PARTS + feature.id % _MORE_PARTS, len(some))
            # Items of all ages, so that some are done and some are only thought of.
            parts = [some[place * len(some) // number] for place in range(number)] if number >= _LEAST_PARTS else []
            for part in parts:
                self._relation(part, RelationType.PARENT, feature)
            free = [item for item in free if item not in parts]
        feature_by_name = {feature.values["Name"]: feature for feature in features}
        for name, above in words.PARTS.items():
            if name in feature_by_name and above in feature_by_name:
                self._relation(feature_by_name[name], RelationType.PARENT, feature_by_name[above])

    def _block(self, planned: Sequence[WorkItemRow], waiting: Sequence[WorkItemRow]) -> None:
        """Have items wait for others of their sprint, of a later one and of the backlog; some no longer wait."""
        sprints, today = self._project.sprints, self._now.date()
        current = {
            sprint.id for sprint in sprints if sprint.start and sprint.end and sprint.start <= today <= sprint.end
        }
        later = {sprint.id for sprint in sprints if sprint.start and sprint.start > today}
        begun = _of(waiting, current, lambda item: item.values["Status"] != "Not Done")
        not_begun = _of(waiting, current, lambda item: item.values["Status"] == "Not Done")
        following, unplanned = _of(waiting, later), _of(waiting, {sprints[0].id})
        done = [item for item in planned if item.values["Status"] == "Done"]
        pairs = [*zip(following[:1] + begun[:1], not_begun, strict=False)]  # the first is planned after what it blocks
        pairs += zip(done[-1:], following[1:2], strict=False)
        most = max(2, len(planned) // _ITEMS_PER_PAIR)
        pairs += zip(unplanned[: 2 * most : 2], unplanned[1 : 2 * most : 2], strict=False)
        for blocker, blocked in pairs:
            self._relation(blocker, RelationType.BLOCKS, blocked)

    def _relation(self, first: WorkItemRow, kind: RelationType, second: WorkItemRow) -> None:
        at = min(max(first.created_at, second.created_at) + _LATER, self._now)
        project = {"project_id": first.project_id, "target_project_id": second.project_id}
        ends = {"work_item_id": first.id, "type": kind.value, "target_id": second.id}
        self._add(RELATIONS, project | ends, first.created_by, at)

    def _describe(self, item: WorkItemRow) -> None:
        """Give acceptance criteria to some stories, and web addresses to some items."""
        at = min(item.created_at + _LATER, item.last_modified_at)
        mine = {"project_id": item.project_id, "work_item_id": item.id}
        if item.type in _PLANNED and item.id % _WITH_LINK == 0:
            text, url = words.LINKS[item.id // _WITH_LINK % len(words.LINKS)]
            self._add(LINKS, {**mine, "display_text": text, "url": url}, item.created_by, at)
        if item.type != ItemType.STORY or item.id % _WITH_CRITERIA:
            return
        first = item.id // _WITH_CRITERIA
        for number in range(2 + first % 3):
            title = words.CRITERIA[(first + number) % len(words.CRITERIA)]
            row = {**mine, "title": title, "description": "", "sequence": number + 1}
            status = _outcome(item, number) if item.last_modified_at > at else CriterionStatus.NOT_EXECUTED
            self._add_criterion(row, item, at, status)

    def _add_criterion(
        self, values: Mapping[str, Any], item: WorkItemRow, at: datetime, status: CriterionStatus
    ) -> None:
        """Add a criterion that was executed with the last change of its item, or not at all."""
        added = self._add(CRITERIA, {**values, "status": CriterionStatus.NOT_EXECUTED.value}, item.created_by, at)
        if status is CriterionStatus.NOT_EXECUTED:
            return
        by, at = item.last_modified_by, item.last_modified_at
        outcome = {"status": status.value, "last_modified_by": by, "last_modified_at": at}
        self._rows[CRITERIA.table.name][-1].update(outcome)
        executed = replace(added, **outcome)
        self._changes += [(by, change) for change in CRITERIA.difference(added, executed)]

    def _log_time(self, past: ItemPast) -> None:
        """Log the work that was done on a task in the last two weeks."""
        task = past.item
        if task.type != ItemType.TASK:
            return
        for change, version in zip(past.changes, past.versions()[1:], strict=True):
            hours = version.values["WorkCompleted"] - change.before.get(
                "WorkCompleted", version.values["WorkCompleted"]
            )
            if hours > 0 and change.at > self._now - _LOGGED_DAYS:
                kind = DEFAULT_TIME_ENTRY_TYPES["test" in task.values["Name"]]
                day = {"date": datetime.combine(change.at, time()), "week": change.at.isocalendar().week}
                work = {"user_id": self._user_ids[change.by], "hours": hours, "type": kind, "note": None}
                mine = {"project_id": task.project_id, "task_id": task.id}
                self._add(TIME_ENTRIES, mine | day | work, change.by, change.at)

    def _add(self, objects: ObjectTable[Any], values: Mapping[str, Any], by: str, at: datetime) -> Any:
        name = objects.table.name
        row = {"id": next(self._ids[name]), **values, **audit(by, at)}
        self._rows.setdefault(name, []).append(row)
        added = objects.model(**row)
        self._changes += [(by, change) for change in objects.creation(added, at)]
        for item_id, _ in objects.items_of(added):
            item = self._items[item_id]
            if at > item.last_modified_at:
                self._items[item_id] = replace(item, last_modified_by=by, last_modified_at=at)
        return added


def _of(
    items: Iterable[WorkItemRow], sprint_ids: set[int], fits: Callable[[WorkItemRow], bool] = lambda _: True
) -> list[WorkItemRow]:
    return [item for item in items if item.values["IterationID"] in sprint_ids and fits(item)]


def _alike(items: Iterable[WorkItemRow]) -> list[tuple[WorkItemRow, WorkItemRow]]:
    """Return pairs of items whose names begin alike, each item once."""
    known: dict[str, WorkItemRow] = {}
    pairs = []
    for item in items:
        beginning = " ".join(item.values["Name"].split()[:_WORDS_ALIKE])
        subject = words.SAME_BUGS.get(beginning, beginning)
        other = known.pop(subject, None)
        if other is None:
            known[subject] = item
        else:
            pairs.append((other, item))
    return pairs


def _outcome(item: WorkItemRow, number: int) -> CriterionStatus:
    if item.values["Status"] == "Done":
        return CriterionStatus.PASS
    if item.values["Status"] in {"In Progress", "Ready For Test"}:
        return tuple(CriterionStatus)[number % len(CriterionStatus)]
    return CriterionStatus.NOT_EXECUTED
