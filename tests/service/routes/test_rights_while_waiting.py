"""What is taken from somebody who follows the changes: how they are told, and what they are never told."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import AsyncExitStack
from datetime import datetime

import httpx
import pytest
from sqlalchemy import Connection, delete, insert, select
from tests.service.every_call import CALLS, GRANTS, ask, right_for
from tests.service.followed import Event, Follower, following
from tests.service.signed_in import BASE, SignIn

from backlit.service.admin.users import (
    deactivate,
    license_,
    remove_grant,
    rotate_key,
    set_grant,
    set_password,
)
from backlit.service.admin.workspace import writing
from backlit.service.app import Service
from backlit.service.auth.callers import LOGIN_COOKIE
from backlit.service.storage.access import Role
from backlit.service.storage.schema import grants, users
from backlit.service.tables import sign_ins
from backlit.service.tables.changes import ChangeAct, ChangeKind, RecordedChange, Stamp, last_revision, note

Client = httpx.AsyncClient
Act = Callable[[Connection], object]


def give_licence_up(connection: Connection) -> None:
    license_(connection, "jon", is_licensed=False)


def end_sessions(connection: Connection) -> None:
    sign_ins.revoke_all(connection, 2)


ENDS: Mapping[str, Act] = {
    "licence": give_licence_up,
    "password": lambda connection: set_password(connection, "jon", "another password"),
    "user": lambda connection: deactivate(connection, "jon"),
    "tokens": end_sessions,
    "signing key": lambda connection: rotate_key(connection, forget=True),
}
"""What ends the sign-ins of jon."""


async def do(service: Service, act: Act, process: str) -> None:
    """Act as this process does, or as `backlit admin` beside it."""

    def act_beside() -> None:
        with writing(service.settings) as connection:
            act(connection)

    if process == "same":
        service.shared.database.write.submit(act).result()
    else:
        await asyncio.to_thread(act_beside)


@pytest.mark.postgresql
@pytest.mark.parametrize("process", ["same", "other"])
@pytest.mark.parametrize("act", ENDS.values(), ids=[*ENDS])
@pytest.mark.long_but("licence-same", "password-other", "user-same", "tokens-other", "signing key-same")
async def test_a_stream_ends_with_what_its_sign_in_needs(jon: Client, service: Service, act: Act, process: str) -> None:
    async with following(service, jon) as follower:
        await follower.next("hello")
        await do(service, act, process)
        rest = await follower.rest()

    assert rest[-1] == Event("bye", {"reason": "signed out"}, None)
    assert {event.name for event in rest} <= {"bye", "access"}


async def test_a_stream_of_a_browser_ends_with_its_session(service: Service) -> None:
    now = service.shared.clock.now()
    secret = service.shared.database.write.submit(lambda connection: sign_ins.add_session(connection, 2, now)).result()
    cookie = {"cookie": f"{LOGIN_COOKIE}={secret}"}
    async with (
        Client(transport=httpx.ASGITransport(service.asgi), base_url=f"{BASE}/api/v1/", headers=cookie) as browser,
        following(service, browser) as follower,
    ):
        await follower.next("hello")
        await do(service, lambda connection: sign_ins.end_session(connection, secret), "same")

        assert [event.data for event in await follower.rest()] == [{"reason": "signed out"}]


@pytest.mark.postgresql
@pytest.mark.parametrize("process", ["same", "other"])
async def test_roles_are_told_as_they_are_taken_lowered_and_given(jon: Client, service: Service, process: str) -> None:
    told = []
    async with following(service, jon) as follower:
        await follower.next("hello")
        for act in (
            lambda connection: set_grant(connection, "jon", "1", Role.READER),
            lambda connection: remove_grant(connection, "jon", "1"),
            lambda connection: set_grant(connection, "jon", "1", Role.MANAGER),
        ):
            await do(service, act, process)
            told.append((await follower.next("access")).data["roles"].get("1"))

    assert told == ["reader", None, "manager"]


async def test_who_comes_back_after_a_grant_was_taken_is_told_by_the_first_event(jon: Client, service: Service) -> None:
    async with following(service, jon) as follower:
        cursor = (await follower.next("hello")).cursor
    await do(service, lambda connection: remove_grant(connection, "jon", "1"), "same")

    async with following(service, jon, cursor, wait=0) as follower:
        hello, *rest = await follower.rest()

    assert "1" not in hello.data["roles"]
    assert all(each.get("p") != 1 or each["k"] == "grant" for event in rest for each in event.data.get("changes", ()))


def grant_as_listed(connection: Connection) -> None:
    connection.execute(delete(grants))
    for name, (project_id, role) in GRANTS.items():
        user_id = connection.execute(select(users.c.id).where(users.c.name == name)).scalar_one()
        connection.execute(insert(grants).values(user_id=user_id, project_id=project_id, role=role.value))


async def until(follower: Follower, revision: int) -> list[Event]:
    """Read the events up to a revision that everybody is told of."""
    events = [await follower.next()]
    while events[-1].data.get("revision", 0) < revision:
        events.append(await follower.next())
    return events


async def test_no_stream_names_anything_of_a_project_that_its_reader_does_not_see(
    sign_in: SignIn, service: Service
) -> None:
    await do(service, grant_as_listed, "same")
    clients = {name: await sign_in(name) for name in GRANTS}
    ids = {name: (await client.get("users/me")).json()["id"] for name, client in clients.items()}
    async with AsyncExitStack() as stack:
        followers = {
            name: await stack.enter_async_context(following(service, client)) for name, client in clients.items()
        }
        for method, path in CALLS:
            if method != "GET":
                await ask(clients["maya"], method, path, await right_for(clients["maya"], method, path))
        last = await change_both_projects(service)
        events = {name: await until(follower, last) for name, follower in followers.items()}

    for name, (project_id, _) in GRANTS.items():
        assert len(events[name]) > 1
        for event in events[name]:
            assert set(event.data.get("roles", ())) <= {str(project_id)}
            assert event.name != "presence" or event.data["p"] == project_id
            for each in event.data.get("changes", ()):
                assert each.get("p") == project_id or (each["k"] in {"grant", "user"} and each["id"] == ids[name])


async def change_both_projects(service: Service) -> int:
    """Change something that each of all can see; return its revision."""

    def change(connection: Connection) -> None:
        for project_id in (1, 2):
            add_change(connection, project_id, service.shared.clock.now())

    await do(service, change, "same")
    found: int = await service.shared.database.read(last_revision)
    return found - 1


def add_change(connection: Connection, project_id: int, now: datetime) -> None:
    change = RecordedChange(ChangeKind.ITEM, ChangeAct.CHANGED, 1, project_id, {"Rank": (0, 1)}, now, item_id=1)
    note(connection, Stamp(1, "maya", now), change)
