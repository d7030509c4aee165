"""Reports of the service: the same for every client, kept for times without a connection."""

import pytest
from tests.store.world import World, raised

from backlit.model.errors import BacklitError, BadRequest
from backlit.model.reports.document import FigureSource
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.store import Store
from backlit.store.journal.reports import SnapshotRow
from backlit.store.reports.answers import KEPT_ANSWERS


async def remember(store: Store, points: float) -> None:
    """Give a machine a past of its own."""
    sprint = store.reports.coverages.usual()
    assert sprint.node_id is not None
    rows: list[SnapshotRow] = [(sprint.node_id, f'{{"Not Done": [9, {points}]}}', 0.0, 0.0)]
    await store.files.write(lambda writer: writer.journal.snapshots.put(1, sprint.start, rows, ()))


@pytest.mark.parametrize("name", list(ReportName))
@pytest.mark.long_but("burndown", "velocity", "people", "estimates")
async def test_clients_with_different_pasts_show_equal_figures(world: World, name: ReportName) -> None:
    one, other = await world.online(), await world.online("other")
    await remember(one, 99.0)
    await remember(other, 7.0)

    answers = [await store.reports.answer(name, store.reports.coverages.usual()) for store in (one, other)]

    first, second = (answer.document for answer in answers)
    assert first.source is (FigureSource.NOW if name is ReportName.TIME else FigureSource.HISTORY)
    assert (first.summary, first.rows, first.notes, first.details) == (
        *(second.summary, second.rows, second.notes, second.details),
    )


async def test_an_answer_is_that_of_the_address(world: World) -> None:
    store = await world.online()
    sprint = store.reports.coverages.usual()
    query = {"iteration": str(sprint.node_id), "unit": "items"}

    answer = await store.reports.answer(ReportName.BURNDOWN, sprint, ReportUnit.ITEMS)

    wire = await world.rival.projects.report(1, "burndown", query)
    assert answer.document.wire() | {"asOf": ""} == wire | {"asOf": ""}


async def test_the_last_answer_stays_without_a_connection_and_after_a_restart(world: World) -> None:
    store = await world.online()
    sprint = store.reports.coverages.usual()
    fresh = await store.reports.answer(ReportName.BURNDOWN, sprint)
    world.faults.is_down = True

    kept = await store.reports.answer(ReportName.BURNDOWN, sprint)
    error = await raised(store.reports.answer(ReportName.BURNUP, sprint))
    await world.close(store)
    again = world.store()
    still = await again.reports.answer(ReportName.BURNDOWN, sprint)

    assert not fresh.is_kept
    assert (kept.is_kept, kept.document) == (True, fresh.document)
    assert (still.is_kept, still.document) == (True, fresh.document)
    assert isinstance(error, BacklitError)


async def test_an_answer_that_is_the_same_is_not_written_again(world: World) -> None:
    store = await world.online()
    sprint = store.reports.coverages.usual()
    await store.reports.answer(ReportName.BURNDOWN, sprint)
    notes = "SELECT value FROM notes WHERE key LIKE 'report %'"
    before = store.files.mirror.execute(notes).fetchall()

    await store.reports.answer(ReportName.BURNDOWN, sprint)

    assert store.files.mirror.execute(notes).fetchall() == before


@pytest.mark.slow
async def test_the_last_answers_alone_are_kept(world: World) -> None:
    store = await world.online()
    for days in range(1, KEPT_ANSWERS + 3):
        await store.reports.answer(ReportName.ESTIMATES, store.reports.coverages.period(days))

    kept = store.files.mirror.execute("SELECT count(*) FROM notes WHERE key LIKE 'report %'").fetchone()[0]
    world.faults.is_down = True
    assert kept == KEPT_ANSWERS
    assert (await store.reports.answer(ReportName.ESTIMATES, store.reports.coverages.period(99))).is_kept


async def test_a_velocity_is_known_once_the_service_was_asked(world: World) -> None:
    store = await world.online()
    before = await store.reports.velocity()

    await store.reports.ask_velocity()

    found = await store.reports.velocity()
    answer = await store.reports.answer(ReportName.VELOCITY, store.reports.coverages.usual())
    assert not before.is_known
    assert found.samples >= 3
    assert found.median == answer.document.figure("median")
    assert not found.is_of_machine


async def test_a_machine_records_nothing_where_the_service_keeps_a_history(world: World) -> None:
    store = await world.online()

    assert store.snapshots.of_project() == ()
    assert (await store.status_history.seen(1)).items == {}


async def test_a_unit_that_a_report_lacks_means_its_usual_one(world: World) -> None:
    store = await world.online()
    sprint = store.reports.coverages.usual()

    units = [
        (await store.reports.answer(name, sprint, unit)).document.unit
        for name, unit in ((ReportName.AGE, ReportUnit.POINTS), (ReportName.BURNDOWN, ReportUnit.HOURS))
    ]

    assert units == ["items", "hours"]


async def test_an_iteration_that_was_not_sent_has_no_reports_yet(world: World) -> None:
    store = await world.online()
    world.faults.is_down = True
    sprint = store.reports.coverages.usual()
    new = type(sprint)("New", sprint.start, sprint.end, -3, frozenset({-3}))

    with pytest.raises(BadRequest, match="“New” is not on the server yet"):
        await store.reports.answer(ReportName.BURNDOWN, new)
