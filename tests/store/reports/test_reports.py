"""Reports over the real store: a history written by hand into the journal, and what the service holds now."""

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, node, offline_store, put_nouns, state_project
from tests.store.reports.presented import presented
from tests.store.world import World

from backlit.model.amounts import points_of
from backlit.model.errors import BadRequest
from backlit.model.reports.machine.documents import NO_HISTORY
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.report import Timeline
from backlit.model.settings.shared_settings import WEEKDAY_KEYS
from backlit.model.statuses import StatusGroups
from backlit.store import Store
from backlit.store.journal.reports import ScopeMove, SnapshotRow
from backlit.store.reports.coverages import Coverage
from backlit.store.reports.machine import MAKERS

Day = tuple[date, Iterable[SnapshotRow]]


def line(iteration_id: int, **statuses: tuple[int, float]) -> SnapshotRow:
    """What is in an iteration, by status: `Not_Done=(3, 8.0)`."""
    written = ", ".join(
        f'"{name.replace("_", " ")}": [{count}, {points}]' for name, (count, points) in statuses.items()
    )
    return iteration_id, f"{{{written}}}", 0.0, 0.0


async def record(store: Store, *days: Day) -> None:
    """Write a history, in place of what is there."""
    for day, lines in days:
        await store.files.write(lambda writer, day=day, lines=lines: writer.journal.snapshots.put(1, day, lines, []))  # type: ignore[misc] # bound at once


@pytest.fixture
async def store(world: World) -> Store:
    world.without_history()
    return await world.online()


@pytest.fixture
def sprint(store: Store) -> Coverage:
    """An iteration that ended, so that nothing is recorded in it while the test runs."""
    return store.reports.coverages.named("previous")


async def test_a_burndown_is_drawn_from_the_journal_with_its_gaps(store: Store, sprint: Coverage) -> None:
    assert sprint.node_id is not None
    first = sprint.start
    await record(
        store,
        (first, [line(0), line(sprint.node_id, Not_Done=(4, 13.0), Deferred=(1, 8.0))]),
        (first + timedelta(2), [line(0), line(sprint.node_id, Not_Done=(2, 5.0), Done=(3, 10.0), Closed=(1, 2.0))]),
    )

    report = await presented(store, ReportName.BURNDOWN, sprint)
    assert isinstance(report.chart, Timeline)
    assert report.chart.bars.values[:4] == (13.0, None, 5.0, None)
    assert report.table.rows[2][:3] == (first + timedelta(2), 5.0, 12.0)
    assert report.notes[:3] == ("Source: this machine's records.", NO_HISTORY, "2 of 14 days were recorded.")


async def test_a_burndown_falls_on_the_days_of_the_project_where_the_server_states_them(
    store: Store, sprint: Coverage
) -> None:
    assert sprint.node_id is not None
    first = sprint.start
    work = [WEEKDAY_KEYS[(first + timedelta(2)).weekday()]]
    state_project(store, timeZone="Pacific/Kiritimati", workingDays=work, daysOff=[(first + timedelta(2)).isoformat()])
    await record(store, (first, [line(0), line(sprint.node_id, Not_Done=(4, 13.0))]))

    document = (await presented(store, ReportName.BURNDOWN, sprint)).document

    # The sprint has two of the weekday, and the first one is a day off.
    assert document.numbers("Ideal") == (*[13.0] * 9, *[0.0] * 5)
    assert document.time_zone == "Pacific/Kiritimati"


async def test_a_day_that_was_recorded_while_the_iteration_was_empty_is_no_gap(store: Store, sprint: Coverage) -> None:
    assert sprint.node_id is not None
    await record(
        store, (sprint.start, [line(0)]), (sprint.start + timedelta(1), [line(0), line(sprint.node_id, Done=(1, 3.0))])
    )

    report = await presented(store, ReportName.SCOPE, sprint)
    assert [row[1] for row in report.table.rows[:3]] == [0.0, 3.0, None]


async def test_a_release_adds_up_its_iterations(store: Store) -> None:
    release = next(each for each in store.reports.coverages.iterations() if len(each.iteration_ids) > 1)
    one, other = sorted(release.iteration_ids - {release.node_id or 0})[:2]
    day = release.start
    await record(store, (day, [line(0), line(one, Done=(1, 3.0)), line(other, Done=(1, 4.0), Not_Done=(2, 6.0))]))

    report = await presented(store, ReportName.BURNUP, release)
    assert report.table.rows[0][:3] == (day, 7.0, 13.0)


async def test_the_whole_backlog_over_a_period_ends_today(store: Store) -> None:
    report = await presented(store, ReportName.BURNUP, store.reports.coverages.period(30))

    assert isinstance(report.chart, Timeline)
    assert len(report.chart.days) == 30
    assert report.chart.days[-1] == store.today()
    assert report.chart.bars.values[-1] == store.snapshots.of_project()[-1].done.points
    assert set(report.chart.bars.values[:-1]) == {None}


async def test_velocity_takes_the_last_record_of_an_iteration_and_else_how_it_stands_now(
    world: World, store: Store, sprint: Coverage
) -> None:
    assert sprint.node_id is not None
    await record(
        store,
        (sprint.start, [line(0), line(sprint.node_id, Not_Done=(5, 20.0))]),
        (sprint.end, [line(0), line(sprint.node_id, Not_Done=(1, 3.0), Done=(4, 18.0))]),
        (sprint.end + timedelta(1), [line(0), line(sprint.node_id, Done=(4, 18.0))]),
    )
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'", top=1000)
    before = next(each for each in reversed(store.reports.coverages.leaves()) if each.end < sprint.start)
    done_there = [
        points_of(each["fields"].get("Estimate")) or 0.0
        for each in page.results
        if each["fields"]["IterationID"] == before.node_id and each["fields"].get("Status") in {"Done", "Closed"}
    ]

    report = await presented(store, ReportName.VELOCITY, store.reports.coverages.usual())
    rows = {row[0]: row for row in report.table.rows}
    assert rows[sprint.name][1:5] == (20.0, 1.0, 18.0, 3.0)
    assert rows[before.name][1:4] == (None, None, sum(done_there))
    assert rows[before.name][6] == "now"


async def test_an_iteration_is_a_sample_from_the_day_after_its_end(tmp_path: Path) -> None:
    done = [item(each, IterationID=each + 10, Status="Done", Estimate=str(each)) for each in (1, 2)]
    with offline_store(tmp_path, done, lambda: datetime(2026, 3, 11, 12, tzinfo=UTC)) as store:
        spans = {11: ("2026-02-26", "2026-03-10"), 12: ("2026-02-27", "2026-03-11")}
        sprints = [node(each, f"S{each}", 10, startDate=start, endDate=end) for each, (start, end) in spans.items()]
        put_nouns(store, iterations=[node(10, "Root"), *sprints])
        await record(store, (date(2026, 3, 10), [line(0), line(11, Done=(1, 1.0)), line(12, Done=(1, 2.0))]))

        velocity = await store.reports.velocity()
        assert (velocity.median, velocity.samples, velocity.is_of_machine) == (1.0, 1, True)


async def test_what_went_on_to_the_next_iteration_on_the_last_day_is_carried_over(
    store: Store, sprint: Coverage
) -> None:
    following = next(each for each in store.reports.coverages.leaves() if each.start > sprint.end)
    assert sprint.node_id is not None
    assert following.node_id is not None
    places = sprint.node_id, following.node_id
    await record(
        store,
        (sprint.start, [line(0), line(places[0], Not_Done=(3, 16.0), Done=(1, 2.0))]),
        (sprint.end, [line(0), line(places[0], Done=(1, 2.0))]),
    )
    early = sprint.end - timedelta(5)
    days = ((early, 7, 8.0, places[1]), (sprint.end, 8, 5.0, places[1]), (sprint.end, 9, 3.0, None))
    for day, item_id, points, to in days:
        moves = [ScopeMove(places[0], item_id, points, None), *([ScopeMove(to, item_id, None, points)] if to else [])]
        await store.files.write(lambda writer, day=day, moves=moves: writer.journal.scope_log.move(1, day, moves))  # type: ignore[misc] # bound at once

    report = await presented(store, ReportName.VELOCITY, store.reports.coverages.usual())
    rows = {row[0]: row for row in report.table.rows}
    assert rows[sprint.name][1:5] == (18.0, -11.0, 2.0, 5.0)


async def test_load_and_estimates_are_of_what_is_open_now(world: World, store: Store) -> None:
    page = await world.rival.work_items.page(filter="projectId eq 1", top=1000)
    # The sample's Feature has items, which count in its place.
    shown = [each for each in page.results if each["type"] not in {"Task", "Feedback", "Feature"}]
    opened = [each["fields"] for each in shown if StatusGroups().is_open(each["fields"].get("Status"))]
    whole = store.reports.coverages.period(30)

    people = await presented(store, ReportName.PEOPLE, whole)
    areas = await presented(store, ReportName.AREAS, whole)
    sizes = await presented(store, ReportName.ESTIMATES, whole)
    points = sum(points_of(each.get("Estimate")) or 0.0 for each in opened)
    for report in (people, areas):
        titles = [column.title for column in report.table.columns]
        pts, items = titles.index("Pts"), titles.index("Items")
        assert sum(float(str(row[pts])) for row in report.table.rows) == pytest.approx(points)
        assert sum(int(float(str(row[items]))) for row in report.table.rows) == len(opened)
    unset = sum(not each.get("Estimate") for each in opened)
    assert {row[0]: row[1] for row in sizes.table.rows}["not set"] == unset


async def test_an_edit_that_is_not_sent_yet_counts_at_once(world: World, store: Store) -> None:
    whole = store.reports.coverages.period(30)
    before = await presented(store, ReportName.AGE, whole)
    world.faults.is_down = True
    page = await world.rival.work_items.page(filter="projectId eq 1 and Status eq 'Not Done'", top=1)
    item_id = page.results[0]["id"]
    await store.items.edit([item_id], {"Status": "In Progress"})

    after = await presented(store, ReportName.AGE, whole)
    assert set(after.table.item_ids) - set(before.table.item_ids) == {item_id}


async def test_coverages_are_found_by_name_path_and_number(store: Store) -> None:
    coverages = store.reports.coverages
    current = coverages.usual()

    assert current.start <= store.today() <= current.end
    assert coverages.named("current") == coverages.named(current.name.upper()) == coverages.named(str(current.node_id))
    assert [each.start for each in coverages.leaves()] == sorted(each.start for each in coverages.leaves())


@pytest.mark.parametrize(
    ("text", "said"),
    [("Sprint 99", "Unknown iteration “Sprint 99”. Did you mean “Sprint 9”[?] Iterations: "), ("", "Unknown")],
)
async def test_an_iteration_that_is_not_there_is_named(store: Store, text: str, said: str) -> None:
    with pytest.raises(BadRequest, match=said):
        store.reports.coverages.named(text)


@pytest.mark.parametrize("days", [0, 4000])
async def test_a_period_has_a_length_that_makes_sense(store: Store, days: int) -> None:
    with pytest.raises(BadRequest, match="from 1 to"):
        store.reports.coverages.period(days)


@pytest.mark.parametrize("name", [name for name in ReportName if name in MAKERS])
async def test_no_report_is_made_before_a_project_is_there(world: World, name: ReportName) -> None:
    store = world.store("empty", signed_in=False)

    with pytest.raises(BadRequest, match=r"^No project is open yet"):
        await store.reports.answer(name, store.reports.coverages.usual(), ReportUnit.ITEMS)


@pytest.mark.parametrize(
    ("name", "unit", "said"),
    [
        (ReportName.CYCLE_TIME, None, "Cycle time needs the history of a server, and this server keeps none."),
        (ReportName.BURNDOWN, ReportUnit.HOURS, "A burndown of hours needs the history of a server"),
    ],
)
async def test_what_needs_a_history_says_so_where_there_is_none(
    store: Store, sprint: Coverage, name: ReportName, unit: ReportUnit | None, said: str
) -> None:
    with pytest.raises(BadRequest, match=said):
        await store.reports.answer(name, sprint, unit)
    with pytest.raises(BadRequest, match="Reports of one team need the history of a server"):
        await store.reports.answer(ReportName.BURNUP, sprint, team_id=1)
