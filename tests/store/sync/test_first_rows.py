"""The first start: rows are there as soon as one or two answers came, whatever else takes its time."""

from tests.store.sync.first_answers import LIST, PROJECTS, answer_only
from tests.store.world import World, until

from backlit.store import Store, ViewSpec
from backlit.store.sqlite.database import drop_database


def shown(store: Store) -> list[int]:
    return [row.id for row in store.view(ViewSpec(with_done=True)).rows(0, 100)]


async def test_two_answers_bring_the_first_rows_in_the_services_order(world: World) -> None:
    page = await world.rival.work_items.page(filter="projectId eq 1 and type ne 'Task'", top=100)
    left = answer_only(world, PROJECTS, LIST)
    store = world.store()

    store.start()

    await until(lambda: shown(store), lambda: (left, store.connection, world.faults.requests))
    tops = {each["id"] for each in page.results}
    assert [item_id for item_id in shown(store) if item_id in tops] == [each["id"] for each in page.results]
    assert [project.name for project in store.lookups.projects()][:1] == ["Aurora"]


async def test_one_answer_brings_the_first_rows_of_a_project_that_is_known(world: World) -> None:
    store = await world.online()
    await world.close(store)
    drop_database(world.places().mirror)
    answer_only(world, LIST)
    store = world.store()

    store.start()

    await until(lambda: shown(store), lambda: (store.connection, world.faults.requests))


async def test_a_project_that_is_chosen_begins_with_the_top_of_its_backlog(world: World) -> None:
    store = await world.online()
    second = [project.id for project in store.lookups.projects()][1]
    answer_only(world, LIST)

    store.choose_project(second)

    await until(lambda: shown(store), lambda: (store.connection, world.faults.requests[-9:]))


async def test_the_rest_is_asked_for_meanwhile(world: World) -> None:
    answer_only(world)
    store = world.store()

    store.start()

    wanted = {"/projects", "/users", "/capabilities"}
    await until(lambda: wanted <= {path.removeprefix("/api/v1") for _, path in world.faults.requests})
    assert not [path for _, path in world.faults.requests if path.endswith(LIST)]
