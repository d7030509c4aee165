"""Items of the sample: names, places and comments."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, time, timedelta
from random import Random
from typing import Any

from msgspec import Struct

from backlit.model import fields as table
from backlit.model.fields import FIELDS, ItemType
from backlit.service.sample import vocabulary as words
from backlit.service.sample.discussions import DISCUSSIONS
from backlit.service.sample.names import NameChoice
from backlit.service.sample.past import ItemPast, Sprint, TeamPast
from backlit.service.sample.sprints import CurrentSprint, PastSprint, PastSprints, room_in
from backlit.service.tables.projects import ProjectSettings
from backlit.service.tables.work_items import WorkItemRow, calculated, columns_of, pert

POINTS = (1, 2, 3, 5, 8, 13, 21)
_POINT_WEIGHTS = (10, 16, 22, 24, 16, 8, 2)
_TYPES = (ItemType.STORY, ItemType.BUG, ItemType.FEATURE, ItemType.ISSUE, ItemType.RISK, ItemType.FEEDBACK)
_TYPE_WEIGHTS = (52, 27, 5, 5, 3, 8)
_TEXTS: Mapping[ItemType, Sequence[str]] = {
    ItemType.BUG: words.BUGS,
    ItemType.FEATURE: words.FEATURES,
    ItemType.ISSUE: words.ISSUES,
    ItemType.RISK: words.RISKS,
    ItemType.FEEDBACK: words.FEEDBACK,
}
_PLANNED = {ItemType.STORY, ItemType.BUG}
_SETTLED = ("Done", "Done", "Done", "Done", "Done", "Done", "Done", "Done", "Done", "Done", "Deferred", "Deleted")
_CURRENT = ("Not Done", "Not Done", "In Progress", "In Progress", "In Progress", "Ready For Test", "Done", "Done")
_OPEN = ("Not Done",) * 14 + ("Deferred",)
_POINTS_PER_ITEM = 1.6
"""Points of stories and bugs, with tasks counted, as they are half of all items."""
_DAY = timedelta(days=1)
_OVERDUE = 2
_POSTPONED = timedelta(days=90)
"""More than the days by which a due date may be past."""
_ADDED_LATER = 7
"""One in so many items of a sprint came up while it was running."""
_SINCE_HARD = 2
"""Sprints since the one that left much undone."""


class SampleProject(Struct, frozen=True):
    """A sample project: its settings, areas, iterations (root first) and members."""

    settings: ProjectSettings
    areas: tuple[tuple[int, str], ...]
    sprints: tuple[Sprint, ...]
    members: tuple[tuple[int, str], ...]


class ItemMaker:
    """Maker of one project's items in order of id, with their comments; no stamp is later than `now`, in UTC."""

    _before: PastSprints

    def __init__(
        self, places: SampleProject, wanted: int, first_id: int, *, today: date, now: datetime, random: Random,
        past_random: Random,
    ) -> None:  # fmt: skip
        self.places = places
        self.wanted = wanted
        self.first_id = first_id
        self.today = today
        self._now = _milliseconds(now)
        self.random = random
        self._comments: list[dict[str, Any]] = []
        sprint = next(each for each in self.places.sprints if each.end is not None and each.end >= self.today)
        number = self.places.sprints.index(sprint)
        hard = self.places.sprints[number - _SINCE_HARD].id if number > _SINCE_HARD else None
        self._overdue = 0
        self._past = TeamPast(self.places.sprints, self.places.members, hard, now=self._now, random=past_random)
        self._names = NameChoice()
        self._discussions = dict(DISCUSSIONS)
        self._current = CurrentSprint(sprint.id, sprint.start or self.today, self.today, self.places.members)

    @property
    def project_id(self) -> int:
        return self.places.settings.id

    def take_comments(self) -> list[dict[str, Any]]:
        """Return the comments on the items made since the last call."""
        taken, self._comments = self._comments, []
        return taken

    def pasts(self) -> Iterator[ItemPast]:
        """Yield all items with their past; tasks follow their parent."""
        made = 0
        chance = min(0.62, 160 / max(self.wanted, 1) + 0.02)
        room = self._room(chance)
        self._before = self._sprints_before(room)
        while made < self.wanted:
            group = self._group(self.first_id + made, made / self.wanted, chance, room)
            parent, *tasks = group[: self.wanted - made]
            yield from self._past.of(parent, tasks)
            made += len(group)

    def _room(self, chance: float) -> dict[int, float]:
        """Return the points of each sprint: past ones full, the next ones less and less."""
        room = {sprint.id: sprint.points * self._fill(sprint) for sprint in self.places.sprints[1:]}
        past = [s.id for s in self.places.sprints[1:] if s.end is not None and s.end < self.today]
        to_come = sum(points for sprint_id, points in room.items() if sprint_id not in past)
        expected = self.wanted * chance * _POINTS_PER_ITEM
        share = (expected - to_come) / sum(room[sprint_id] for sprint_id in past)
        return room | {sprint_id: room[sprint_id] * min(1.0, max(0.15, share)) for sprint_id in past}

    def _sprints_before(self, room: Mapping[int, float]) -> PastSprints:
        """Return the past sprints with a random part of their capacity."""
        found = [
            PastSprint(each.id, each.start, each.end, room_in(number, each.points, room[each.id]))
            for number, each in enumerate(self.places.sprints)
            if each.start is not None and each.end is not None and each.end < self.today
        ]
        return PastSprints(found, self.places.members, self.wanted)

    def _fill(self, sprint: Sprint) -> float:
        assert sprint.start is not None
        ahead = (sprint.start - self.today).days
        return 1.0 if ahead <= 0 else max(0.0, 0.75 - ahead / 28 * 0.5)

    def _group(self, item_id: int, age: float, chance: float, room: dict[int, float]) -> list[WorkItemRow]:
        kind = self.random.choices(_TYPES, _TYPE_WEIGHTS)[0]
        points = self.random.choices(POINTS, _POINT_WEIGHTS)[0]
        sprint = self._sprint(kind, points, chance, room)
        parent = self._current.item(self._item(item_id, kind, points, sprint, age))
        if sprint.start is None and kind in _PLANNED:
            parent = self._before.item(parent, points, item_id - self.first_id)
        parent = self._with_day_to_come(parent)
        if kind not in _PLANNED or self.random.random() > (0.45 if sprint.start else 0.2):
            return [parent]
        tasks = [self._task(item_id + n, parent, sprint) for n in range(1, self.random.randint(2, 5))]
        tasks = _with_own_names(tasks)
        left_over = self.wanted - (item_id - self.first_id) - 1
        kept = [self._before.task(self._current.task(task, parent), parent) for task in tasks[: max(0, left_over)]]
        sums = [(t.values["PertEstimate"], t.values["WorkRemaining"], t.values["WorkCompleted"]) for t in kept]
        values = {**parent.values, "CalculatedEstimate": calculated(sums)}
        return [_with_values(parent, values), *kept]

    def _with_day_to_come(self, item: WorkItemRow) -> WorkItemRow:
        """Return an open item with a later due date, once as many are overdue as there should be."""
        due, status = item.values.get("TargetDate_cf"), item.values.get("Status")
        if due is None or due >= self.today.isoformat() or status in {"Done", "Deferred", "Deleted", "Closed"}:
            return item
        self._overdue += 1
        if self._overdue <= _OVERDUE:
            return item
        later = date.fromisoformat(due) + _POSTPONED
        return _with_values(item, {**item.values, "TargetDate_cf": later.isoformat()})

    def _sprint(self, kind: ItemType, points: int, chance: float, room: dict[int, float]) -> Sprint:
        if kind in _PLANNED and self.random.random() < chance:
            now = next(n for n, s in enumerate(self.places.sprints) if s.end is not None and s.end >= self.today)
            for sprint in self.places.sprints[now if self.random.random() < 0.3 else 1 :]:
                if room[sprint.id] >= points:
                    room[sprint.id] -= points
                    return sprint
        return self.places.sprints[0]

    def _item(self, item_id: int, kind: ItemType, points: int, sprint: Sprint, age: float) -> WorkItemRow:
        random = self.random
        area_id, area = random.choice(self.places.areas)
        created, changed = self._times(sprint, age)
        owner = random.choice(self.places.members)
        status = self._status(kind, sprint)
        author = random.choice(self.places.members)[1]
        values: dict[str, Any] = {
            "Name": self._name(kind, area),
            "Status": status,
            "Description": self._description(kind),
            "AreaID": area_id,
            "IterationID": sprint.id,
            "Tags": random.sample(words.TAGS, random.choice((0, 0, 0, 1, 1, 2))),
            "BacklogPriority": float(item_id) + round(random.uniform(-40, 40), 3),
        }
        if kind is not ItemType.FEEDBACK:
            is_taken = sprint.start is not None and status not in {"Not Done", "Deferred", "Deleted"}
            values["AssignedToID"] = owner[0] if is_taken or random.random() < 0.3 else None
            values["TeamID"] = random.choice((*(team_id for team_id, _ in self.places.settings.teams), None))
            values["Estimate"] = str(points) if sprint.start or random.random() < 0.7 else None
        values |= self._details(kind)
        values |= self._custom()
        item = WorkItemRow(item_id, kind, self.project_id, values, author, created, owner[1], changed)
        self._discuss(item)
        return item

    def _task(self, item_id: int, parent: WorkItemRow, sprint: Sprint) -> WorkItemRow:
        random = self.random
        status = self._status(ItemType.TASK, sprint)
        probable = float(random.choice((1, 2, 3, 4, 6, 8)))
        values: dict[str, Any] = {
            "Name": random.choice(words.TASKS),
            "Status": status,
            "Description": "",
            "ParentID": parent.id,
            "AreaID": parent.values["AreaID"],
            "IterationID": sprint.id,
            "AssignedToID": random.choice(self.places.members)[0] if status != "Not Done" else None,
            "BacklogPriority": float(item_id),
            "WorkRemaining": 0.0 if status == "Done" else probable,
            "WorkCompleted": probable if status == "Done" else 0.0,
        }
        if random.random() < 0.5:
            values |= {"EstimateOptimistic": probable / 2, "EstimateProbable": probable}
            values |= {"EstimatePessimistic": probable * 2}
        values["PertEstimate"] = pert(values)
        return WorkItemRow(
            item_id, ItemType.TASK, self.project_id, values, parent.created_by, parent.created_at,
            parent.last_modified_by, parent.last_modified_at,
        )  # fmt: skip

    def _times(self, sprint: Sprint, age: float) -> tuple[datetime, datetime]:
        morning = min(datetime.combine(self.today, time(7)), self._now)
        begun = datetime.combine(self.places.sprints[1].start or self.today, time(8)) - 25 * _DAY
        created = begun + (morning - begun) * age * 0.97 + timedelta(milliseconds=self.random.randrange(36_000_000))
        last = morning if sprint.end is None else min(morning, datetime.combine(sprint.end, time(17)))
        created = min(_in_working_hours(created), last - _DAY, _latest_creation(sprint, age))
        changed = _in_working_hours(created + (last - created) * self.random.random() ** 0.5)
        return _milliseconds(created), _milliseconds(max(changed, created))

    def _status(self, kind: ItemType, sprint: Sprint) -> str | None:
        choices = table.STATUSES[kind]
        if not choices:
            return None
        if "Closed" in choices:
            return self.random.choice(choices)
        if sprint.start is None or sprint.start > self.today:
            pool: tuple[str, ...] = _OPEN
            otherwise = "Not Done"
        elif sprint.end is not None and sprint.end < self.today:
            pool, otherwise = _SETTLED, "Done"
        else:
            pool, otherwise = _CURRENT, "In Progress"
        status = self.random.choice(pool)
        return status if status in choices else otherwise

    def _name(self, kind: ItemType, area: str) -> str:
        texts = words.STORIES.get(area, words.OTHER_STORIES) if kind is ItemType.STORY else _TEXTS[kind]
        subject = area if kind is ItemType.STORY else kind.value
        text = self.random.choice(texts)
        client, market = self.random.choice(words.CLIENTS), self.random.choice(words.MARKETS)
        return self._names.name(subject, texts, text, client, market)

    def _description(self, kind: ItemType) -> str:
        random = self.random
        length = random.random()
        if length < 0.2:
            return ""
        reason = random.choice(words.REASONS)
        if length < 0.6:
            return reason
        criteria = "\n".join(f"- {c}" for c in random.sample(words.CRITERIA, random.randint(2, 4)))
        heading = "What is expected" if kind is ItemType.BUG else "Done when"
        text = f"{reason}\n\n## {heading}\n\n{criteria}\n"
        if length > 0.85:
            notes = "\n\n".join(random.sample(words.NOTES, 2))
            text += f"\n## Notes\n\n{notes}\n\n> {random.choice(words.FEEDBACK[:4])}\n"
        return text

    def _details(self, kind: ItemType) -> dict[str, Any]:
        random = self.random
        choices = {f.key: f.choices for f in FIELDS if f.choices and f.applies_to(kind)}
        values: dict[str, Any] = {k: random.choice(v) for k, v in choices.items() if random.random() < 0.6}
        if kind in {ItemType.STORY, ItemType.BUG, ItemType.ISSUE, ItemType.RISK} and random.random() < 0.5:
            values["Priority"] = random.randint(1, 5)
        if kind is ItemType.BUG:
            values |= {"IsBlocking": random.random() < 0.05, "IsTriaged": random.random() < 0.8}
            values["StepsToReproduce"] = random.choice(words.STEPS)
        elif kind is ItemType.FEEDBACK:
            values |= {"Source": random.choice(words.SOURCES), "Likes": random.randrange(40), "Disliked": 0}
            values |= {"IsVisibleInPortal": random.random() < 0.5, "IsPrivate": False}
        elif kind in {ItemType.ISSUE, ItemType.RISK}:
            values |= {"IsBlocking": random.random() < 0.1, "Assessed": random.random() < 0.7}
        return values

    def _custom(self) -> dict[str, Any]:
        if not self.places.settings.custom:
            return {}
        random = self.random
        values: dict[str, Any] = {"Channel_cf": random.choices(("Web", "Store", "Phone"), (8, 2, 1))[0]}
        if random.random() < 0.3:
            values["BusinessValue_cf"] = float(random.randrange(5, 100, 5))
        if random.random() < 0.1:
            values["TargetDate_cf"] = (self.today + random.randint(-60, 120) * _DAY).isoformat()
        if random.random() < 0.15:
            values["NeedsLegalReview_cf"] = random.random() < 0.5
        return values

    def _discuss(self, item: WorkItemRow) -> None:
        random = self.random
        said_at = item.created_at
        said = []
        for text in random.sample(words.COMMENTS, random.choices((0, 1, 2, 3, 5), (50, 20, 14, 10, 6))[0]):
            said_at = _milliseconds(said_at + (item.last_modified_at - said_at) * random.random())
            by = random.choice(self.places.members)[1]
            is_open = item.type == ItemType.FEEDBACK and random.random() < 0.5
            said.append(_comment(item, text, by, said_at, "Feedback" if is_open else "Service"))
        self._comments += self._discussion(item) or said

    def _discussion(self, item: WorkItemRow) -> list[dict[str, Any]]:
        """Return the comments of the discussion of an item that is old enough for it; empty without one."""
        name = next((each for each in self._discussions if str(item.values["Name"]).startswith(each)), "")
        said = [
            _comment(item, each.text, each.author, datetime.combine(self.today - each.days_ago * _DAY, each.at))
            for each in self._discussions.get(name, ())
        ]
        if not said or said[0]["created_at"] < item.created_at:
            return []
        del self._discussions[name]
        return said

    def row(self, item: WorkItemRow) -> dict[str, Any]:
        """Return the row of an item, with its document."""
        return {
            **_EMPTY_ROW,
            **columns_of(item.values),
            "id": item.id,
            "type": str(item.type),
            "project_id": item.project_id,
            "created_by": item.created_by,
            "created_at": item.created_at,
            "last_modified_by": item.last_modified_by,
            "last_modified_at": item.last_modified_at,
            "doc": item.document(self.places.settings.fields_by_type[item.type]),
        }


def _comment(item: WorkItemRow, text: str, by: str, at: datetime, kind: str = "Service") -> dict[str, Any]:
    return {
        "project_id": item.project_id,
        "work_item_id": item.id,
        "description": text,
        "type": kind,
        "created_by": by,
        "created_at": at,
        "last_modified_by": by,
        "last_modified_at": at,
    }


def _with_own_names(tasks: Sequence[WorkItemRow]) -> list[WorkItemRow]:
    """Return the tasks of an item without a name that two of them have."""
    names = dict.fromkeys(task.values["Name"] for task in tasks)
    others = (name for name in words.TASKS if name not in names)
    given: set[str] = set()
    found = []
    for task in tasks:
        name = task.values["Name"]
        if name in given:
            name = next(others)
        given.add(name)
        found.append(_with_values(task, {**task.values, "Name": name}))
    return found


def _in_working_hours(at: datetime) -> datetime:
    return at.replace(hour=8 + at.hour % 9)


def _latest_creation(sprint: Sprint, age: float) -> datetime:
    """Return when an item of a sprint was known at the latest: before its planning, or for some in its first days."""
    if sprint.start is None:
        return datetime.max  # noqa: DTZ901  stamps have no zone
    number = int(age * 9973)
    start = datetime.combine(sprint.start, time(9 + number % 8, number % 60))
    return start + 3 * _DAY if number % _ADDED_LATER == 0 else start - (3 + number % 17) * _DAY


_EMPTY_ROW: Mapping[str, Any] = {f.column: None for f in FIELDS}


def _with_values(item: WorkItemRow, values: Mapping[str, Any]) -> WorkItemRow:
    return WorkItemRow(
        item.id, item.type, item.project_id, values, item.created_by, item.created_at,
        item.last_modified_by, item.last_modified_at,
    )  # fmt: skip


def _milliseconds(moment: datetime) -> datetime:
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
