"""People whom `/users` does not list: asked for one by one, once, behind what shows them."""

import pytest
from tests.store.foreign_server import PACING, ForeignServer, Online, Quirks
from tests.store.world import until


@pytest.fixture
def server() -> ForeignServer:
    return ForeignServer(Quirks(), items=3)


def asked(server: ForeignServer) -> list[str]:
    return [path for _, path, _ in server.requests if "/users/" in path and not path.endswith("/me")]


async def test_who_is_not_listed_is_asked_for_once_and_then_known(server: ForeignServer, online: Online) -> None:
    server.unlisted["57"] = "ursula"
    store = await online(server)

    first, *_ = [store.everybody.person(57) for _ in range(3)]
    await until(lambda: 57 in store.lookups.known_people())

    person = store.everybody.person(57)
    assert first is None
    assert person is not None
    assert person.username == "ursula"
    assert 57 not in store.lookups.people()
    assert len(asked(server)) == 1


async def test_that_nobody_knows_somebody_is_remembered_over_restarts(server: ForeignServer, online: Online) -> None:
    store = await online(server)
    store.everybody.person(58)
    await until(lambda: 58 in store.lookups.known_people())
    store.close()

    again = await online(server)
    person = again.everybody.person(58)
    await again.refresh()

    assert person is not None
    assert person.display_name == "user 58"
    assert len(asked(server)) == 1


async def test_those_who_are_listed_are_not_asked_for(server: ForeignServer, online: Online) -> None:
    store = await online(server)

    await store.everybody.load_users([3, None, "pat"])

    assert asked(server) == []
    assert store.everybody.person(3) == store.lookups.people()[3]


async def test_whoever_needs_the_name_now_waits_for_it(server: ForeignServer, online: Online) -> None:
    server.unlisted["57"] = "ursula"
    store = await online(server)

    await store.everybody.load_users([57])

    assert store.lookups.known_people()[57].username == "ursula"


async def test_somebody_is_looked_up_again_after_the_service_was_gone(server: ForeignServer, online: Online) -> None:
    server.unlisted["57"] = "ursula"
    store = await online(server)
    server.is_down = True
    store.everybody.person(57)
    await until(lambda: len(asked(server)) == PACING.attempts)

    server.is_down = False

    await until(lambda: store.everybody.person(57))


@pytest.mark.parametrize("told", ["58", "0"])
async def test_an_answer_about_somebody_else_names_nobody(server: ForeignServer, online: Online, told: str) -> None:
    server.unlisted["57"] = "ursula"
    server.instead["57"] = told
    store = await online(server)

    await store.everybody.load_users([57])

    assert store.lookups.known_people()[57].username == "user 57"
