"""Who edits what: leases, who is told of them, and that nothing of it is kept."""

import asyncio
import logging
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.service.every_call import item, made
from tests.service.followed import PATIENCE, Event, Follower, following
from tests.service.history_rows import everything

from backlit.service.admin.users import remove_grant
from backlit.service.app import Service
from backlit.service.storage.settings import ServiceSettings

Client = httpx.AsyncClient
MAYA, JON = 1, 2


async def edit(client: Client, item_id: int | None, **more: Any) -> httpx.Response:
    return await client.put("presence", json={"itemId": item_id, **more})


def in_database(service: Service, work: Any) -> Any:
    return service.shared.database.write.submit(work).result()


async def presence_of(follower: Follower) -> list[dict[str, Any]]:
    here: list[dict[str, Any]] = (await follower.next("presence")).data["here"]
    return here


@pytest.mark.postgresql
async def test_an_edited_item_is_told_to_who_sees_its_project_and_ends(
    maya: Client, jon: Client, service: Service
) -> None:
    story = await item(maya)
    async with following(service, jon) as follower:
        await follower.next("hello")
        answer = await edit(maya, story, mode="edit", field="Description")
        begun = await follower.next("presence")
        await edit(maya, None)
        ended = await follower.next("presence")

    assert (answer.status_code, answer.content) == (204, b"")
    here = [{"user": MAYA, "item": story, "mode": "edit", "field": "Description"}]
    assert (begun.data, begun.cursor) == ({"p": 1, "here": here}, None)
    assert ended.data == {"p": 1, "here": [{"user": MAYA, "item": None}]}


async def test_who_comes_later_is_told_where_everybody_is(maya: Client, jon: Client, service: Service) -> None:
    story, other = await item(maya), await item(maya)
    async with following(service, maya) as own:
        await own.next("hello")
        await edit(maya, story)
        await edit(jon, other, mode="view")
        told = list[dict[str, Any]]()
        while len(told) < 2:
            told += await presence_of(own)

    async with following(service, jon) as follower:
        await follower.next("hello")
        here = await presence_of(follower)

    assert here == [
        {"user": MAYA, "item": story, "mode": "edit"},
        {"user": JON, "item": other, "mode": "view"},
    ]


async def test_nobody_is_told_of_a_project_that_they_do_not_see(maya: Client, rex: Client, service: Service) -> None:
    hidden = await made(maya, "workitems", projectId=2, type="Story", fields={"Name": "x"})
    async with following(service, rex) as follower, following(service, maya) as own:
        await follower.next("hello")
        await own.next("hello")
        await edit(maya, hidden)
        assert (await own.next("presence")).data["p"] == 2
        await item(maya)
        event = await follower.next()

    assert event.name == "changes"


async def test_a_project_that_is_taken_away_says_nothing_more(maya: Client, jon: Client, service: Service) -> None:
    story = await item(maya)
    async with following(service, jon) as follower, following(service, maya) as own:
        await follower.next("hello")
        await own.next("hello")
        await edit(maya, story)
        await follower.next("presence")
        in_database(service, lambda connection: remove_grant(connection, "jon", "1"))
        await follower.next("access")
        await edit(maya, None)
        while (await presence_of(own))[0]["item"] is not None:
            pass
        service.shared.waiters.stop()
        rest = await follower.rest()

    assert "presence" not in [event.name for event in rest]
    assert rest[-1].name == "bye"


async def test_only_asked_for_projects_are_told_of(maya: Client, jon: Client, service: Service) -> None:
    story = await item(maya)
    async with following(service, jon, projects="2") as follower, following(service, jon, projects="1") as other:
        await follower.next("hello")
        await other.next("hello")
        await edit(maya, story)
        await other.next("presence")
        service.shared.waiters.stop()

        assert [event.name for event in await follower.rest()] == ["bye"]


async def test_a_second_lease_within_a_second_is_refused_and_an_end_is_not(maya: Client) -> None:
    story = await item(maya)

    answers = [await edit(maya, story), await edit(maya, story), await edit(maya, None)]

    assert [answer.status_code for answer in answers] == [204, 429, 204]
    assert "once a second" in answers[1].json()["message"]
    assert answers[1].headers["retry-after"] == "1"


@pytest.mark.parametrize(
    ("body", "key"),
    [
        ({}, "itemId"),
        ({"itemId": "7"}, "itemId"),
        ({"itemId": True}, "itemId"),
        ({"itemId": 2**63}, "itemId"),
        ({"itemId": 1, "mode": "look"}, "mode"),
        ({"itemId": 1, "mode": None}, "mode"),
        ({"itemId": 1, "field": 7}, "field"),
        ({"itemId": 1, "field": "x" * 101}, "field"),
        ({"itemId": 1, "until": 7}, "until"),
    ],
)
async def test_what_cannot_be_read_is_refused_by_name(maya: Client, body: dict[str, Any], key: str) -> None:
    answer = await maya.put("presence", json=body)

    assert (answer.status_code, [*answer.json()["errors"]]) == (400, [key])


async def test_presence_is_neither_stored_nor_logged(
    maya: Client, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    story, before = await item(maya), in_database(service, everything)
    with caplog.at_level(logging.INFO):
        await edit(maya, story)
        await edit(maya, 987_654)
        await maya.get("users/me")

    assert in_database(service, everything) == before
    assert [record.path for record in caplog.records if hasattr(record, "path")] == ["/api/v1/users/me"]


async def test_a_service_without_presence_has_neither_the_address_nor_the_extension(
    maya: Client, settings: ServiceSettings
) -> None:
    quiet = Service(replace(settings, has_presence=False))
    await quiet.start()
    try:
        transport = httpx.ASGITransport(quiet.asgi)
        async with Client(transport=transport, base_url=maya.base_url, headers=maya.headers) as client:
            answer = await edit(client, 1)
            extensions = (await client.get("capabilities")).json()["extensions"]
    finally:
        await quiet.stop()

    assert (answer.status_code, answer.json()["message"]) == (404, "This service does not tell who edits what.")
    assert "presence" not in extensions
    assert "presence" in (await maya.get("capabilities")).json()["extensions"]


@pytest.fixture
async def other(settings: ServiceSettings) -> AsyncIterator[Service]:
    """A second process on the same database."""
    other = Service(settings)
    await other.start()
    yield other
    await other.stop()


@pytest.mark.postgresql
@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_another_process_tells_it_too(maya: Client, jon: Client, service: Service, other: Service) -> None:
    story = await item(maya)
    async with following(other, jon) as follower:
        await follower.next("hello")
        told: list[Event] = []
        async with asyncio.timeout(PATIENCE):
            while not told:  # the other one may not listen yet
                await edit(maya, story)
                await asyncio.sleep(0.2)
                told = [await follower.next("presence")] if other.shared.presence.snapshot.leases else []
        await edit(maya, None)
        ended = await presence_of(follower)

    assert told[0].data["here"] == [{"user": MAYA, "item": story, "mode": "edit"}]
    assert ended == [{"user": MAYA, "item": None}]
