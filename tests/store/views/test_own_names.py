"""What the user calls teams and says of fields, and where work is begun."""

from pathlib import Path

from tests.store.documents import item, offline_store
from tests.store.world import World, until

from backlit.model.fields import Kind
from backlit.model.settings.user_settings import OwnNames
from backlit.store import ConnectionState


def test_teams_have_the_users_names_and_else_their_numbers(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, TeamID=3), item(2, TeamID=4)]) as store:
        store.lookups.own_names = OwnNames({3: "Payments", 9: "Nobody's"})

        assert store.lookups.teams() == {3: "Payments", 4: "team 4"}


def test_fields_hold_what_the_user_says_and_else_what_their_values_look_like(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1, Ticket_cf=4711, Weight_cf=2)]) as store:
        store.lookups.own_names = OwnNames(kinds={"Ticket_cf": Kind.TEXT})

        assert {field.key: field.kind for field in store.lookups.custom_fields()} == {
            "Ticket_cf": Kind.TEXT,
            "Weight_cf": Kind.INTEGER,
        }


async def test_the_project_that_is_named_is_begun_with(world: World) -> None:
    store = world.store()
    store.lookups.own_names = OwnNames(project_id=2)

    store.start()
    await until(lambda: store.project_id is not None)

    assert store.project_id == 2


async def test_a_pinned_project_is_shown_once_the_service_names_it(world: World) -> None:
    world.faults.is_down = True
    store = world.store(pinned="beacon")
    store.start()
    await until(lambda: store.connection.state is ConnectionState.OFFLINE, lambda: store.connection)
    before = store.project_id

    world.faults.is_down = False
    await until(lambda: store.project_id is not None, lambda: store.connection)

    assert (before, store.project_id) == (None, 2)


async def test_a_pinned_project_is_kept_to_its_process(world: World) -> None:
    remembered = await world.online()
    pinned = world.store(pinned="2")
    at_once = pinned.project_id
    pinned.start()
    await until(lambda: pinned.connection.state is ConnectionState.ONLINE, lambda: pinned.connection)

    assert (at_once, pinned.project_id, remembered.project_id, world.store().project_id) == (2, 2, 1, 1)


async def test_an_unknown_pinned_project_is_named_until_another_is_chosen(world: World) -> None:
    store = world.store(pinned="nowhere")

    store.start()
    await until(lambda: store.connection.state is ConnectionState.FAILED, lambda: store.connection)
    sentence = store.connection.sentence
    store.choose_project(1)
    await store.refresh()

    assert sentence.startswith("There is no single project 'nowhere'. There are: Aurora (1), Beacon (2)")
    assert (store.project_id, store.connection.state) == (1, ConnectionState.ONLINE)
