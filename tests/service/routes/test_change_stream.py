"""The stream of changes: what it sends to whom, where it goes on, and when it ends."""

import asyncio
import shutil
import threading
import time
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.service.every_call import comment, item, made
from tests.service.followed import Event, following
from tests.service.served_process import Served
from tests.service.signed_in import BASE, CLIENT_ID

from backlit.model.wrap import authorization_header, sign, tokens_in_header, verify
from backlit.service.admin.users import license_, remove_grant, set_grant
from backlit.service.admin.workspace import writing
from backlit.service.app import Service
from backlit.service.routes.change_stream import MOST_AT_ONCE
from backlit.service.routes.login import LOGOUT_PATH
from backlit.service.storage.access import Role
from backlit.service.storage.settings import ServiceLimits, ServiceSettings
from backlit.service.tables import sign_ins
from backlit.service.tables.changes import ChangeAct, ChangeKind, RecordedChange, Stamp, note

Client = httpx.AsyncClient


def told_of(event: Event, kind: str) -> list[int]:
    return [each["id"] for each in event.data.get("changes", ()) if each["k"] == kind]


async def cursor_of(client: Client) -> str:
    return str((await client.get("changes")).json()["cursor"])


def in_database(service: Service, work: Any) -> None:
    service.shared.database.write.submit(work).result()


def add_changes(service: Service, count: int, project_id: int = 1) -> None:
    """Write so many changes of one item into the history by one commit."""
    now = service.shared.clock.now()
    rows = [
        RecordedChange(ChangeKind.ITEM, ChangeAct.CHANGED, 1, project_id, {"Rank": (0, rank)}, now, item_id=1)
        for rank in range(count)
    ]
    in_database(service, lambda connection: note(connection, Stamp(1, "maya", now), *rows))


@pytest.mark.postgresql
async def test_a_change_is_sent_as_ids_and_names_of_fields(maya: Client, jon: Client, service: Service) -> None:
    async with following(service, jon) as follower:
        hello = await follower.next()
        story = await item(maya)
        created = await follower.next()
        await maya.put(f"workitems/{story}", json={"Status": "Done"})
        changed = await follower.next()

    assert (hello.name, hello.data["reset"], hello.data["roles"]["1"]) == ("hello", None, "contributor")
    assert created.data["after"] == hello.data["revision"]
    assert [(each["k"], each["a"], each["id"], each["by"]) for each in created.data["changes"]] == [
        ("item", "created", story, 1)
    ]
    assert changed.data["after"] == created.data["revision"]
    assert [(each["a"], each["f"]) for each in changed.data["changes"]] == [("changed", ["Status"])]


async def test_the_head_keeps_proxies_from_gathering(maya: Client, service: Service) -> None:
    async with following(service, maya) as follower:
        headers = follower.answer.headers

    assert headers["content-type"].partition(";")[0] == "text/event-stream"
    assert (headers["cache-control"], headers["x-accel-buffering"]) == ("no-store", "no")
    assert (await maya.head("changes/stream")).headers["x-accel-buffering"] == "no"


async def test_a_stream_goes_on_from_every_event_without_gap_and_without_double(
    maya: Client, jon: Client, service: Service
) -> None:
    start = await cursor_of(jon)
    async with following(service, jon, start) as follower:
        await follower.next("hello")
        cursors, told = [start], list[int]()
        for _ in range(4):
            await item(maya)
            event = await follower.next("changes")
            cursors.append(str(event.cursor))
            told += [each["r"] for each in event.data["changes"]]
    last = int(start.partition(".")[0])
    assert told == list(range(last + 1, last + 1 + len(told)))

    for cursor in cursors:
        async with following(service, jon, cursor, wait=0) as follower:
            events = await follower.rest()
        later = [each["r"] for event in events if event.name == "changes" for each in event.data["changes"]]
        assert events[0].data["revision"] == int(cursor.partition(".")[0])
        assert later == [revision for revision in told if revision > events[0].data["revision"]]
        assert [event.name for event in events][-1] == "bye"


async def test_what_is_not_in_memory_is_read_from_the_history(maya: Client, service: Service) -> None:
    start = await cursor_of(maya)
    story = await item(maya)
    other = Service(service.settings)
    await other.start()
    try:
        async with following(other, maya, start, wait=0) as follower:
            events = await follower.rest()
    finally:
        await other.stop()

    assert [event.name for event in events] == ["hello", "changes", "bye"]
    assert [each["id"] for each in events[1].data["changes"]] == [story]


async def test_over_a_thousand_changes_are_named_by_their_projects(maya: Client, rex: Client, service: Service) -> None:
    async with following(service, maya, projects="1") as follower:
        await follower.next("hello")
        add_changes(service, MOST_AT_ONCE + 1)
        many = await follower.next()
        add_changes(service, 1, project_id=2)
        add_changes(service, 1)
        after = await follower.next()

    assert (many.name, many.data["projects"]) == ("many", [1])
    assert (after.name, after.data["after"]) == ("changes", many.data["revision"])
    assert [each["p"] for each in after.data["changes"]] == [1]


@pytest.mark.parametrize(("cursor", "reason"), [("1.00000000", "other"), ("999999.00000000", "other")])
async def test_a_cursor_of_another_history_begins_anew(
    maya: Client, service: Service, cursor: str, reason: str
) -> None:
    async with following(service, maya, cursor, wait=0) as follower:
        hello = await follower.next()

    assert (hello.data["reset"], hello.cursor) == (reason, await cursor_of(maya))


@pytest.mark.slow
async def test_a_cursor_far_behind_begins_anew(maya: Client, service: Service) -> None:
    await item(maya)
    cursor = await cursor_of(maya)
    add_changes(service, 10_001)

    async with following(service, maya, cursor, wait=0) as follower:
        assert [event.data.get("reset") for event in await follower.rest()] == ["far", None]


@pytest.mark.parametrize("query", [{"after": "x"}, {"projects": "1,x"}, {"wait": "26"}, {"$top": "1"}])
async def test_a_query_that_cannot_be_read_is_refused_by_name(maya: Client, query: dict[str, str]) -> None:
    answer = await maya.get("changes/stream", params=query)

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == set(query)


async def test_nothing_of_other_projects_is_sent(maya: Client, rex: Client, service: Service) -> None:
    async with following(service, rex) as follower:
        await follower.next("hello")
        await made(maya, "workitems", projectId=2, type="Story", fields={"Name": "x"})
        story = await item(maya)
        event = await follower.next()

    assert [(each["p"], each["id"]) for each in event.data["changes"]] == [(1, story)]


@pytest.mark.postgresql
async def test_a_grant_that_is_taken_away_is_told_and_later_changes_are_not(
    maya: Client, jon: Client, service: Service
) -> None:
    async with following(service, jon) as follower:
        await follower.next("hello")

        def act() -> None:  # as `backlit admin` does, in a process of its own
            with writing(service.settings) as connection:
                remove_grant(connection, "jon", "1")

        await asyncio.to_thread(act)
        taken = await follower.next("access")
        await item(maya)
        in_database(service, lambda connection: set_grant(connection, "jon", "2", Role.READER))
        given = await follower.next("access")
        other = await made(maya, "workitems", projectId=2, type="Story", fields={"Name": "x"})
        while not (told := told_of(await follower.next("changes"), "item")):
            pass

    assert "1" not in taken.data["roles"]
    assert given.data["roles"]["2"] == "reader"
    assert told == [other]


@pytest.mark.parametrize("way", ["license", "sign out"])
async def test_a_stream_ends_with_the_sign_in(maya: Client, jon: Client, service: Service, way: str) -> None:
    async with following(service, jon) as follower:
        await follower.next("hello")
        if way == "license":
            in_database(service, lambda connection: license_(connection, "jon", is_licensed=False))
        else:
            assert (await jon.post(f"{BASE}{LOGOUT_PATH}", data={})).is_success
        rest = await follower.rest()

    assert rest[-1].data == {"reason": "signed out"}
    assert [event.name for event in rest if event.name != "bye"] == []


async def test_a_stream_ends_with_its_token(maya: Client, service: Service) -> None:
    keys: list[bytes] = []
    in_database(service, lambda connection: keys.extend(key.secret for key in sign_ins.keys(connection)))
    given = tokens_in_header(maya.headers["authorization"])[-1]
    claims = verify(given, keys, CLIENT_ID, time.time())
    short = sign(replace(claims, expires_on=int(time.time()) + 2), keys[0])
    async with (
        Client(base_url=maya.base_url, headers={"authorization": authorization_header(short)}) as client,
        following(service, client) as follower,
    ):
        events = await follower.rest()

    assert [(event.name, event.data.get("reason")) for event in events] == [("hello", None), ("bye", "token")]


@pytest.fixture
async def small(settings: ServiceSettings, service: Service) -> AsyncIterator[Service]:
    """A service on the same database with one running request and three followers, two of one person."""
    limits = replace(ServiceLimits(), waiters=3, waiters_per_user=2)
    small = Service(replace(settings, concurrent_requests=1, limits=limits))
    await small.start()
    yield small
    await small.stop()


async def test_followers_hold_no_place_of_running_requests(maya: Client, jon: Client, small: Service) -> None:
    async with following(small, jon) as one, following(small, maya) as other:
        await one.next("hello")
        await other.next("hello")

        transport = httpx.ASGITransport(small.asgi)
        async with Client(transport=transport, base_url=maya.base_url, headers=maya.headers) as client:
            assert (await client.get("users/me")).status_code == 200
            story = await item(client)
        for follower in (one, other):
            assert [each["id"] for each in (await follower.next("changes")).data["changes"]] == [story]


async def test_the_oldest_stream_of_a_person_gives_way_and_one_of_others_is_refused(
    maya: Client, jon: Client, rex: Client, small: Service
) -> None:
    async with following(small, maya) as oldest, following(small, maya) as newer, following(small, jon) as his:
        for follower in (oldest, newer, his):
            await follower.next("hello")
        async with following(small, rex) as refused:
            status, after = refused.answer.status_code, int(refused.answer.headers["retry-after"])
        async with following(small, maya) as newest:
            await newest.next("hello")
            bye = await oldest.next()

    assert (status, bye.data) == (429, {"reason": "replaced"})
    assert 20 <= after <= 41


async def test_who_goes_away_leaves_no_place(maya: Client, service: Service) -> None:
    async with following(service, maya) as follower:
        await follower.next("hello")
        assert service.shared.waiters.waiting == 1

    assert service.shared.waiters.waiting == 0


async def test_a_service_that_stops_says_so(maya: Client, service: Service) -> None:
    async with following(service, maya) as follower:
        await follower.next("hello")
        service.shared.waiters.stop()
        rest = await follower.rest()

    assert [(event.name, event.data) for event in rest] == [("bye", {"reason": "stop"})]


async def test_a_burst_is_gathered(maya: Client, jon: Client, service: Service) -> None:
    async with following(service, jon) as follower:
        await follower.next("hello")
        stories = [await item(maya) for _ in range(12)]
        told, events = list[int](), 0
        while len(told) < len(stories):
            events += 1
            told += [each["id"] for each in (await follower.next("changes")).data["changes"]]

    assert told == stories
    assert events < len(stories)


async def test_comments_of_a_project_are_sent_and_a_long_poll_waits_beside(
    maya: Client, jon: Client, service: Service
) -> None:
    poll = asyncio.create_task(jon.get("changes", params={"after": await cursor_of(jon), "wait": 25}))
    async with following(service, jon) as follower:
        await follower.next("hello")
        said = await comment(maya)
        kinds: list[tuple[str, int]] = []
        while ("comment", said) not in kinds:
            kinds += [(each["k"], each["id"]) for each in (await follower.next("changes")).data["changes"]]

    assert (await asyncio.wait_for(poll, 20)).json()["changes"]


def _events_of(client: httpx.Client, has_begun: threading.Event) -> list[str]:
    with client.stream("GET", "changes/stream", timeout=30) as answer:
        lines = []
        for line in answer.iter_lines():
            lines.append(line)
            if line.startswith("event: hello"):
                has_begun.set()
    return lines


@pytest.mark.slow
def test_a_server_ends_at_once_with_streams(sample_file: Path, tmp_path: Path) -> None:
    shutil.copy(sample_file, tmp_path / "service.db")
    has_begun = threading.Event()
    with (
        Served(tmp_path, f"sqlite:///{tmp_path}/service.db") as served,
        httpx.Client(base_url=f"{served.base}/api/v1/", headers={"authorization": served.sign_in("maya")}) as client,
        ThreadPoolExecutor() as pool,
    ):
        lines = pool.submit(_events_of, client, has_begun)
        assert has_begun.wait(20)
        code = served.stop()

        assert code == 0
        assert 'data: {"reason":"stop"}' in lines.result()
