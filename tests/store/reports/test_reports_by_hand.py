"""A week that is played on the service day by day, and what every report says of it, computed on paper.

"Hand" has two weeks, "Hand 1" from Monday the 2nd to Friday the 6th of March, and "Hand 2" from Saturday on. Points:

          Mon 2  Tue 3        Wed 4    Thu 5          Fri 6                Sat 7
A         5      5 done       nothing  5 reopened     5 done               5 done
B         3      8            is       8              8 done               8 done
C         8      8            synced   8 begun        8 away and back      goes to Hand 2
D         2      2                     to Hand 2      .                    .
E         .      5 comes               Deleted        .                    .
G         .      .                     .              1 comes, is done     1 done
H         .      .                     .              comes, is removed    .
X, Y      .      .                     .              .                    come into Hand 2: "XL", and no estimate

Scope     18     28                    21             22
Done      0      5                     0              14

A feedback item stands in Hand 1 all the time and counts nowhere; C has a task of 4 hours.
"""

from collections.abc import AsyncIterator
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.store.nodes import AREAS, ITERATIONS, named, root_of
from tests.store.reports.presented import presented
from tests.store.world import World, sent

from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.report import Report
from backlit.store import Store
from backlit.store.edits.nodes import NewNode

MONDAY, TUESDAY, WEDNESDAY, THURSDAY, FRIDAY, SATURDAY = (date(2026, 3, number) for number in range(2, 8))
JON = 2


class Calendar:
    """A clock that is put on a day."""

    def __init__(self) -> None:
        self.moment = datetime(2026, 3, 1, 12, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.moment

    def turn(self, day: date) -> None:
        self.moment = datetime(day.year, day.month, day.day, 12, tzinfo=UTC)


class Week:
    """What is done on the service, by the letters of the items."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ids: dict[str, int] = {}

    async def add(self, name: str, place: int, kind: str = "Story", **fields: object) -> None:
        document = {"type": kind, "projectId": 1, "fields": {"Name": name, "IterationID": place, **fields}}
        self._ids[name] = (await self._world.rival.work_items.create(document))["id"]

    async def task(self, name: str, **fields: object) -> None:
        document = {"type": "Task", "projectId": 1, "fields": {"Name": "T", "ParentID": self._ids[name], **fields}}
        await self._world.rival.work_items.create(document)

    async def change(self, name: str, **fields: object) -> None:
        await self._world.rival.work_items.update(self._ids[name], fields)

    async def remove(self, name: str) -> None:
        await self._world.rival.work_items.delete(self._ids[name])


async def make(store: Store, name: str, parent_id: int, start: date, end: date) -> int:
    """An iteration that the service has."""
    await store.nodes.add(ITERATIONS, parent_id, NewNode(name, start, end))
    await sent(store)
    return named(store, ITERATIONS, name).id


async def played(world: World, calendar: Calendar) -> Store:
    """A store that saw the week, on its Saturday."""
    week, store = Week(world), await world.online()
    hand = await make(store, "Hand", root_of(store, ITERATIONS), MONDAY, FRIDAY + timedelta(7))
    first = await make(store, "Hand 1", hand, MONDAY, FRIDAY)
    second = await make(store, "Hand 2", hand, SATURDAY, FRIDAY + timedelta(7))
    await store.refresh()
    for name, points in {"A": "5", "B": "3", "D": "2"}.items():
        await week.add(name, first, Estimate=points)
    await week.add("C", first, Estimate="8", AssignedToID=JON, AreaID=2)
    await week.task("C", WorkRemaining=4.0)
    await week.add("F", first, "Feedback")
    calendar.turn(MONDAY)
    await store.refresh()
    calendar.turn(TUESDAY)
    await week.change("A", Status="Done")
    await week.change("B", Estimate="8")
    await week.add("E", first, "Bug", Estimate="5")
    await store.refresh()
    calendar.turn(THURSDAY)
    await week.change("A", Status="In Progress")
    await week.change("C", Status="In Progress")
    await week.change("D", IterationID=second)
    await week.change("E", Status="Deleted")
    await store.refresh()
    calendar.turn(FRIDAY)
    await week.change("C", IterationID=1)
    await week.add("H", first, Estimate="13")
    await store.refresh()
    await week.change("C", IterationID=first)
    await week.remove("H")
    for name in "AB":
        await week.change(name, Status="Done")
    await week.add("G", first, Estimate="1", Status="Done")
    await store.refresh()
    calendar.turn(SATURDAY)
    await week.change("C", IterationID=second)
    await week.add("X", second, Estimate="XL")
    await week.add("Y", second)
    await store.refresh()
    return store


@pytest.fixture
async def store(tmp_path: Path, sample: Path) -> AsyncIterator[Store]:
    calendar = Calendar()
    world = World(tmp_path, sample, calendar)
    world.without_history()
    await world.start()
    yield await played(world, calendar)
    await world.stop()


async def report(store: Store, name: ReportName, about: str, unit: ReportUnit = ReportUnit.POINTS) -> Report:
    return await presented(store, name, store.reports.coverages.named(about), unit)


def changes(scope: Report) -> list[tuple[object, ...]]:
    """The rows of a scope change: day, scope, change, added, moved out, re-estimated, items."""
    return [(*row[:4], *row[5:7], row[9]) for row in scope.table.rows]


@pytest.mark.slow
async def test_the_reports_on_the_days_of_a_week_are_those_on_paper(store: Store) -> None:
    burndown = await report(store, ReportName.BURNDOWN, "Hand 1")
    burnup = await report(store, ReportName.BURNUP, "Hand 1")
    scope = await report(store, ReportName.SCOPE, "Hand 1")
    of_items = await report(store, ReportName.SCOPE, "Hand 1", ReportUnit.ITEMS)

    assert [row[:3] for row in burndown.table.rows] == [
        (MONDAY, 18.0, 0.0),
        (TUESDAY, 23.0, 5.0),
        (WEDNESDAY, None, None),
        (THURSDAY, 21.0, 0.0),
        (FRIDAY, 8.0, 14.0),
    ]
    assert [row[3] for row in burndown.table.rows] == pytest.approx([14.4, 10.8, 7.2, 3.6, 0.0])
    assert list(burnup.table.rows) == [
        (MONDAY, 0.0, 18.0, 0.0),
        (TUESDAY, 5.0, 28.0, pytest.approx(17.857, abs=0.001)),
        (WEDNESDAY, None, None, None),
        (THURSDAY, 0.0, 21.0, 0.0),
        (FRIDAY, 14.0, 22.0, pytest.approx(63.636, abs=0.001)),
    ]
    assert changes(scope) == [
        (MONDAY, 18.0, None, None, None, None, 4),
        (TUESDAY, 28.0, 10.0, 5.0, 0.0, 5.0, 5),
        (WEDNESDAY, None, None, None, None, None, None),
        (THURSDAY, 21.0, -7.0, 0.0, 7.0, 0.0, 3),
        (FRIDAY, 22.0, 1.0, 1.0, 0.0, 0.0, 4),
    ]
    assert [row[1:5] for row in changes(of_items)[1::2]] == [(5.0, 1.0, 1.0, 0.0), (3.0, -2.0, 0.0, 2.0)]
    assert scope.headline == "18 pts committed; since then 6 pts added, 7 moved out, +5 re-estimated."
    assert "No data for 4 Mar (backlit was not running)." in scope.notes


@pytest.mark.slow
async def test_what_goes_from_one_half_to_the_other_does_not_change_the_whole(store: Store) -> None:
    scope = await report(store, ReportName.SCOPE, "Hand")

    assert changes(scope) == [
        (MONDAY, 18.0, None, None, None, None, 4),
        (TUESDAY, 28.0, 10.0, 5.0, 0.0, 5.0, 5),
        (WEDNESDAY, None, None, None, None, None, None),
        (THURSDAY, 23.0, -5.0, 0.0, 5.0, 0.0, 4),
        (FRIDAY, 24.0, 1.0, 1.0, 0.0, 0.0, 5),
        (SATURDAY, 24.0, 0.0, 0.0, 0.0, 0.0, 7),
    ]
    assert scope.headline == "18 pts committed; since then 6 pts added, 5 moved out, +5 re-estimated."


@pytest.mark.slow
async def test_the_velocity_of_a_week_and_its_carry_over_are_those_on_paper(store: Store) -> None:
    velocity = await report(store, ReportName.VELOCITY, "Hand")

    assert velocity.table.rows == (
        ("Hand 1", 18.0, 4.0, 14.0, 8.0, None, date(2026, 3, 6)),
        ("Hand 2", 10.0, 0.0, 0.0, 10.0, None, "now"),
    )
    assert velocity.headline == "Velocity 14 pts (median of 1 sprint, 14–14; mean 14)."
    assert "From this machine's records of 1 of 1 ended sprint." in velocity.notes


@pytest.mark.slow
async def test_the_reports_on_what_is_open_now_are_those_on_paper(store: Store) -> None:
    people = await report(store, ReportName.PEOPLE, "Hand")
    areas = await report(store, ReportName.AREAS, "Hand")
    estimates = await report(store, ReportName.ESTIMATES, "Hand")
    age = await report(store, ReportName.AGE, "Hand")
    tree = store.lookups.tree(AREAS)

    assert people.table.rows == (("jon", 80, 8.0, 1, 0.0), ("unassigned", 20, 2.0, 3, 4.0))
    assert areas.table.rows == ((tree[2].name, 80, 8.0, 1, 4.0), (f"{tree[1].name} itself", 20, 2.0, 3, 0.0))
    assert estimates.table.rows == (
        ("2", 1, 2.0, 25),
        ("8", 1, 8.0, 25),
        ("not set", 1, None, 25),
        ("no number", 1, None, 25),
    )
    assert estimates.headline == "Half are 2 pts or less, the largest 8; 2 of 4 open items have no number."
    assert [(row[0], row[2], row[5]) for row in age.table.rows] == [(2.0, "C", THURSDAY)]
    assert age.notes[1].startswith("1 item is at least this old")
