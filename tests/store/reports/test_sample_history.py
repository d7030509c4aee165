"""The history that is made up for the sample workspace: only there, only before the first true record, and said."""

from tests.store.world import World, until

from backlit.store import ConnectionState, Store
from backlit.store.records.changes import StoreChange, Subject
from backlit.store.reports.reports import ReportName


async def inventing(world: World) -> Store:
    store = world.store()
    store.is_sample = True
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
    return store


async def test_no_other_workspace_has_a_made_up_history(world: World) -> None:
    store = await world.online()

    assert store.sample_history.until() is None
    assert [each.day for each in store.snapshots.of_project()] == [store.today()]


async def test_the_sample_has_one_up_to_the_first_true_record(world: World) -> None:
    store = await inventing(world)
    days = [each.day for each in store.snapshots.of_project()]

    assert len(days) > 100
    assert days[-1] == store.today()
    assert store.sample_history.until() == days[-2]
    assert not any(day.weekday() > 4 for day in days[:-1])


async def test_it_ends_where_the_items_stand(world: World) -> None:
    store = await inventing(world)
    made_up, true = store.snapshots.of_project()[-2:]
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'", top=1000)
    fresh = [each for each in page.results if each["createdAt"][:10] > made_up.day.isoformat()]

    assert made_up.scope.count <= true.scope.count <= made_up.scope.count + len(fresh)
    assert made_up.done.count == true.done.count


async def test_a_report_on_made_up_days_says_so(world: World) -> None:
    store = await inventing(world)
    report = await store.reports.make(ReportName.BURNDOWN, store.reports.coverages.named("previous"))

    assert report.notes[0].startswith("Demo data")
    assert len([row for row in report.table.rows if row[1] is not None]) >= 8


async def test_it_is_made_once_and_true_records_stay(world: World) -> None:
    store = await inventing(world)
    before = store.snapshots.of_project()
    await world.rival.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Fresh"}})
    await store.refresh()

    after = store.snapshots.of_project()
    assert after[:-1] == before[:-1]
    assert after[-1].scope.count == before[-1].scope.count + 1
    assert store.sample_history.until() == before[-2].day


async def test_what_came_and_went_on_made_up_days_is_all_that_changed(world: World) -> None:
    store = await inventing(world)
    report = await store.reports.make(ReportName.SCOPE, store.reports.coverages.usual())

    made_up = [row for row in report.table.rows if row[0] != store.today() and row[2] is not None]
    assert len(made_up) > 1
    assert all(row[3] is not None for row in made_up)


async def test_a_new_history_is_announced_after_the_load(world: World) -> None:
    store = world.store()
    store.is_sample, changes = True, list[StoreChange]()
    store.subscribe(changes.append)
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)

    assert store.sample_history.until() is not None
    assert [each.kind for each in changes].count(Subject.HISTORY) == 1
