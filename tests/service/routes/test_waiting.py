"""Requests that wait for changes: what answers them, and what they may hold meanwhile."""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.service.every_call import comment, item
from tests.service.served_process import Served

from backlit.service.admin.users import license_, set_grant
from backlit.service.admin.workspace import writing
from backlit.service.app import Service
from backlit.service.storage.access import Role
from backlit.service.storage.settings import ServiceLimits, ServiceSettings

LONG = 25
PATIENCE = 20.0
"""Seconds after which a waiting request counts as forgotten; less than it would wait by itself."""
Client = httpx.AsyncClient


async def cursor_of(client: Client) -> str:
    return str((await client.get("changes")).json()["cursor"])


@pytest.fixture
async def waiting() -> AsyncIterator[Callable[..., asyncio.Task[httpx.Response]]]:
    """Begins requests that wait; those that are left are cancelled."""
    tasks: list[asyncio.Task[httpx.Response]] = []

    def begin(client: Client, cursor: str, **query: Any) -> asyncio.Task[httpx.Response]:
        tasks.append(asyncio.create_task(client.get("changes", params={"after": cursor, "wait": LONG, **query})))
        return tasks[-1]

    yield begin
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


async def waits(service: Service, count: int) -> None:
    """Return once so many requests wait."""
    async with asyncio.timeout(PATIENCE):
        while service.shared.waiters.waiting != count:  # noqa: ASYNC110 - the service has no event for it
            await asyncio.sleep(0.005)


async def answered(task: asyncio.Task[httpx.Response]) -> httpx.Response:
    return await asyncio.wait_for(asyncio.shield(task), PATIENCE)


@pytest.mark.postgresql
async def test_the_next_change_answers_a_waiting_request(
    maya: Client, jon: Client, service: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    request = waiting(jon, await cursor_of(jon))
    await waits(service, 1)
    story = await item(maya)

    found = (await answered(request)).json()["changes"]
    assert [(each["k"], each["a"], each["id"]) for each in found] == [("item", "created", story)]


async def test_without_a_change_the_answer_comes_after_its_time_and_has_none(maya: Client) -> None:
    cursor = await cursor_of(maya)

    answer = await maya.get("changes", params={"after": cursor, "wait": 1})

    assert (answer.json()["changes"], answer.json()["cursor"]) == ([], cursor)


async def test_what_is_there_already_is_not_waited_for(maya: Client, service: Service) -> None:
    cursor = await cursor_of(maya)
    await item(maya)

    answer = await asyncio.wait_for(maya.get("changes", params={"after": cursor, "wait": LONG}), PATIENCE)

    assert len(answer.json()["changes"]) == 1
    assert service.shared.waiters.waiting == 0


async def test_a_request_waits_on_where_the_change_is_of_another_kind(
    maya: Client, service: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    request = waiting(maya, await cursor_of(maya), kind="comment")
    await waits(service, 1)
    await item(maya)
    said = await comment(maya)

    found = (await answered(request)).json()["changes"]
    assert [(each["k"], each["id"]) for each in found] == [("comment", said)]


@pytest.mark.parametrize("wait", ["-1", "26", "1.5", "x", "", "1e1"])
async def test_a_time_that_cannot_be_waited_is_refused(maya: Client, wait: str) -> None:
    answer = await maya.get("changes", params={"after": await cursor_of(maya), "wait": wait})

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"wait"}


@pytest.mark.postgresql
async def test_a_change_by_another_process_is_seen(
    maya: Client, service: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    request = waiting(maya, await cursor_of(maya), kind="grant")
    await waits(service, 1)

    def act() -> None:
        with writing(service.settings) as connection:
            set_grant(connection, "rex", "1", Role.CONTRIBUTOR)

    await asyncio.to_thread(act)

    found = (await answered(request)).json()["changes"]
    assert [each["k"] for each in found] == ["grant"]


async def test_who_may_no_longer_see_the_service_waits_no_longer(
    maya: Client, jon: Client, service: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    request = waiting(jon, await cursor_of(jon))
    await waits(service, 1)
    service.shared.database.write.submit(lambda connection: license_(connection, "jon", is_licensed=False)).result()

    assert (await answered(request)).status_code == 401


async def test_the_oldest_of_too_many_requests_of_a_user_is_answered(
    maya: Client, service: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    cursor, most = await cursor_of(maya), service.settings.limits.waiters_per_user
    first = waiting(maya, cursor)
    await waits(service, 1)
    others = [waiting(maya, cursor) for _ in range(most)]

    answer = await answered(first)
    assert (answer.status_code, answer.json()["changes"]) == (200, [])
    await waits(service, most)
    assert not any(task.done() for task in others)


@pytest.fixture
async def small(settings: ServiceSettings, service: Service) -> AsyncIterator[Service]:
    """A service on the same database with two running requests and two waiting ones."""
    limits = replace(ServiceLimits(), waiters=2)
    small = Service(replace(settings, concurrent_requests=2, limits=limits))
    await small.start()
    yield small
    await small.stop()


@asynccontextmanager
async def at(service: Service, client: Client) -> AsyncIterator[Client]:
    """The same person at another service."""
    transport = httpx.ASGITransport(service.asgi)
    async with Client(transport=transport, base_url=client.base_url, headers=client.headers) as other:
        yield other


async def test_waiting_requests_hold_no_place_of_running_ones(
    maya: Client, jon: Client, small: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    async with at(small, maya) as her, at(small, jon) as his:
        for client in (her, his):
            waiting(client, await cursor_of(her))
        await waits(small, 2)

        assert (await her.get("users/me")).status_code == 200


async def test_one_more_is_refused_and_told_when_to_come_again(
    maya: Client, jon: Client, small: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    async with at(small, maya) as her, at(small, jon) as his:
        cursor = await cursor_of(her)
        for client in (her, his):
            waiting(client, cursor)
        await waits(small, 2)

        answer = await her.get("changes", params={"after": cursor, "wait": LONG})

        assert answer.status_code == 429
        assert 20 <= int(answer.headers["retry-after"]) <= 41
        assert (await her.get("changes", params={"after": cursor})).status_code == 200


async def test_a_service_that_stops_waits_for_nobody(
    maya: Client, service: Service, waiting: Callable[..., asyncio.Task[httpx.Response]]
) -> None:
    request = waiting(maya, await cursor_of(maya))
    await waits(service, 1)

    service.shared.waiters.stop()

    assert (await answered(request)).json()["changes"] == []


@pytest.mark.slow
def test_a_server_ends_at_once_with_requests_that_wait(sample_file: Path, tmp_path: Path) -> None:
    shutil.copy(sample_file, tmp_path / "service.db")
    with (
        Served(tmp_path, f"sqlite:///{tmp_path}/service.db") as served,
        httpx.Client(base_url=f"{served.base}/api/v1/", headers={"authorization": served.sign_in("maya")}) as client,
    ):
        cursor = client.get("changes").json()["cursor"]
        with ThreadPoolExecutor() as pool:
            query = {"after": cursor, "wait": LONG}
            request = pool.submit(client.get, "changes", params=query, timeout=2 * LONG)
            time.sleep(1)  # the request has to be there first
            code = served.stop()

            assert code == 0
            assert request.result().elapsed.total_seconds() < PATIENCE
