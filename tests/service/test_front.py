"""What every request passes: its id, limits, trusted proxies, security headers and the log."""

import asyncio
import io
import json
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import httpx
import pytest
from msgspec.structs import replace
from tests.logs import logs_kept

from backlit.model.errors import BadRequest
from backlit.model.wrap import LOGIN_PATH, TOKEN_PATH
from backlit.service.app import Service
from backlit.service.front import set_up_log
from backlit.service.routes.directory import BODY_LIMIT
from backlit.service.storage.settings import HEAD_LIMIT, ServiceSettings

BASE = "http://backlit.test"
CLIENT_ID = "uri:backlit"
SECRETS = ("lantern", "wrap_", "code=", "?")

Client = httpx.AsyncClient


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    stream = io.StringIO()
    with logs_kept():
        set_up_log("info", stream)
        yield stream


def lines(log: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.getvalue().splitlines()]


@asynccontextmanager
async def started(settings: ServiceSettings, client: str = "192.0.2.7") -> AsyncIterator[tuple[Service, Client]]:
    """A service, and somebody whose connection comes from the address."""
    service = Service(settings)
    await service.start()
    transport = httpx.ASGITransport(service.asgi, raise_app_exceptions=False, client=(client, 4711))
    async with Client(transport=transport, base_url=BASE) as visitor:
        yield service, visitor
    await service.stop()


async def test_a_request_has_an_id_of_its_own_or_the_one_it_came_with(visitor: Client) -> None:
    answers = [
        await visitor.get("users/me", headers={"x-request-id": given} if given else {})
        for given in ("", "", "abc-1.2_3", "a b", "x" * 65, "a=b")
    ]

    ids = [answer.headers["x-request-id"] for answer in answers]
    assert ids[2] == "abc-1.2_3"
    assert len(set(ids)) == 6
    assert all(len(own) == 16 for own in (*ids[:2], *ids[3:]))


async def test_every_answer_has_the_security_headers(maya: Client) -> None:
    for path in ("/api/v1/users/me", "/api/v1/nothing", "/nothing", "/healthz", LOGIN_PATH):
        headers = (await maya.get(f"{BASE}{path}")).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["cache-control"] == "no-store"
        assert (headers["cross-origin-resource-policy"], headers["x-frame-options"]) == ("same-origin", "DENY")


async def test_a_crash_has_the_id_of_its_request_in_log_and_answer(
    maya: Client, service: Service, log: io.StringIO
) -> None:
    drop = "ALTER TABLE comments RENAME TO gone"
    service.shared.database.write.submit(lambda connection: connection.exec_driver_sql(drop)).result()

    filtered = {"$filter": "description eq 'hunter2'"}
    answer = await maya.get("comments", params=filtered, headers={"x-request-id": "crash-1"})

    assert answer.status_code == 500
    assert answer.json() == {"message": "The service failed; its log has the cause under crash-1.", "errors": {}}
    crash, line = lines(log)
    assert (crash["level"], crash["request_id"], line["request_id"]) == ("error", "crash-1", "crash-1")
    assert "comments" in crash["traceback"]
    assert "hunter2" not in log.getvalue()
    assert (line["status"], line["user"]) == (500, 1)


@pytest.mark.slow
async def test_the_log_has_a_line_for_each_request_and_no_secret(
    visitor: Client, service: Service, log: io.StringIO
) -> None:
    form = {"wrap_client_id": CLIENT_ID, "wrap_username": "maya", "wrap_password": "lantern"}
    await visitor.post(f"{BASE}{TOKEN_PATH}?wrap_client_id=x", data=form)
    await visitor.post(f"{BASE}{TOKEN_PATH}", data=form | {"wrap_username": "hunter2", "wrap_password": "x"})
    await visitor.post(f"{BASE}{TOKEN_PATH}", data={"wrap_client_id": CLIENT_ID, "wrap_verification_code": "hunter2"})
    await visitor.get(f"{BASE}{LOGIN_PATH}?code=secret")

    said, rejected = lines(log), ["A sign-in was rejected.", "request"]
    assert [line["message"] for line in said] == ["request", *rejected, *rejected, "request"]
    assert [line.get("status") for line in said] == [200, None, 401, None, 401, 200]
    assert said[1]["request_id"] == said[2]["request_id"]
    assert not [secret for secret in (*SECRETS, "hunter2") if secret in log.getvalue()]


async def test_a_line_of_the_log_cannot_be_made_up(visitor: Client, log: io.StringIO) -> None:
    await visitor.get(f'{BASE}/x%0A{{"level":"error"}}')

    assert len(log.getvalue().splitlines()) == 1


async def test_front_rejects_large_requests(maya: Client) -> None:
    async def parts() -> AsyncIterator[bytes]:
        for _ in range(BODY_LIMIT // 65536 + 1):
            yield b" " * 65536

    told = await maya.put("workitems/1", content=b" " * (BODY_LIMIT + 1))
    untold = await maya.put("workitems/1", content=parts())
    head = await maya.get("users/me", headers={"x-long": "x" * HEAD_LIMIT})
    address = await maya.get("workitems", params={"$filter": "x" * (HEAD_LIMIT - 50)})

    assert [answer.status_code for answer in (told, untold, head, address)] == [413, 413, 431, 431]
    assert all(set(answer.json()) == {"message", "errors"} for answer in (told, untold, head, address))


@pytest.mark.parametrize("host", ["", "a b", "evil<script>", "a/b", "user@host", "x:y", "[::1", "x:123456"])
async def test_a_host_that_is_none_is_refused(visitor: Client, host: str) -> None:
    assert (await visitor.get("users/me", headers={"host": host})).status_code == 400


@pytest.mark.parametrize("host", ["backlit.test:8080", "[::1]:8484", "10.0.0.1", "a-b.c_d.example"])
async def test_addresses_in_answers_are_those_the_caller_used(visitor: Client, host: str) -> None:
    challenge = (await visitor.get("users/me", headers={"host": host})).headers["www-authenticate"]

    assert f'location="http://{host}{TOKEN_PATH}"' in challenge


GRANT = {"wrap_client_id": CLIENT_ID, "wrap_username": "maya", "wrap_password": "wrong"}


async def test_front_defers_a_request_over_the_limit(settings: ServiceSettings) -> None:
    async with started(replace(settings, concurrent_requests=2)) as (service, visitor):
        gate = threading.Event()
        service.shared.database.write.submit(lambda _: gate.wait(60))
        working = [asyncio.create_task(visitor.post(TOKEN_PATH, data=GRANT)) for _ in range(2)]
        await asyncio.sleep(0.05)
        refused = await visitor.get("/api/v1/users/me")
        health = await visitor.get("/healthz")
        gate.set()
        answered = [await task for task in working]
        after = await visitor.get("/api/v1/users/me")

    assert (refused.status_code, refused.headers["retry-after"], health.status_code) == (503, "2", 200)
    assert [answer.status_code for answer in (*answered, after)] == [401, 401, 401]


async def test_requests_that_wait_for_their_bodies_take_no_place(settings: ServiceSettings) -> None:
    async with started(replace(settings, concurrent_requests=1)) as (_, visitor):
        gate = asyncio.Event()

        async def slow_body() -> AsyncIterator[bytes]:
            yield b"wrap_client_id="
            await gate.wait()

        waiting = []
        for _ in range(3):
            waiting.append(asyncio.create_task(visitor.post(TOKEN_PATH, content=slow_body())))
            await asyncio.sleep(0.05)
        meanwhile = await visitor.get("/api/v1/users/me")
        gate.set()
        answered = [await task for task in waiting]

    assert [answer.status_code for answer in (meanwhile, *answered)] == [401, 400, 400, 400]


FORWARDED = {"x-forwarded-proto": "https", "x-forwarded-host": "team.example", "x-forwarded-for": "198.51.100.9"}


async def test_only_a_trusted_proxy_is_believed(settings: ServiceSettings, log: io.StringIO) -> None:
    async with started(replace(settings, trusted_proxies=("10.0.0.0/8",)), "192.0.2.7") as (_, visitor):
        stranger = await visitor.get("/api/v1/users/me", headers=FORWARDED)
    async with started(replace(settings, trusted_proxies=("10.0.0.0/8", "::1")), "10.1.2.3") as (_, visitor):
        proxied = await visitor.get("/api/v1/users/me", headers=FORWARDED)
        page = await visitor.get(LOGIN_PATH, headers=FORWARDED)

    assert f'location="{BASE}{TOKEN_PATH}"' in stranger.headers["www-authenticate"]
    assert f'location="https://team.example{TOKEN_PATH}"' in proxied.headers["www-authenticate"]
    assert "Secure" in page.headers["set-cookie"]
    assert [line["client"] for line in lines(log)] == ["192.0.2.7", "198.51.100.9", "198.51.100.9"]


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("1.1.1.1, 198.51.100.9", "198.51.100.9"),  # what the caller made up stands first
        ("1.1.1.1, 198.51.100.9, 10.9.9.9", "198.51.100.9"),
        ("198.51.100.9:4711", "198.51.100.9"),
        ("[2001:db8::1]:4711", "2001:db8::1"),
        ("10.1.1.1", "10.1.1.1"),
        ("unknown", "10.1.2.3"),
        ("", "10.1.2.3"),
    ],
)
async def test_the_caller_is_the_nearest_that_is_no_trusted_proxy(
    settings: ServiceSettings, log: io.StringIO, forwarded: str, client: str
) -> None:
    async with started(replace(settings, trusted_proxies=("10.0.0.0/8",)), "10.1.2.3") as (_, visitor):
        await visitor.get("/healthz", headers={"x-forwarded-for": forwarded})

    assert lines(log)[0]["client"] == client


@pytest.mark.slow
@pytest.mark.parametrize(
    "attempts",
    [
        [
            *(("db8::1", "user1", 401), ("db8::1", "user2", 401), ("db8::1", "user3", 401)),
            *(("db8::2", "user4", 429), ("db8:1::1", "user4", 401)),
        ],
        [
            *(("db8::1", "Maya", 401), ("db8::2", "maya", 401), ("db8::3", "MAYA", 429)),
            *(("db8::1", "jon", 401), ("db8:2::1", "maya", 401)),
        ],
    ],
    ids=["address", "name in any case at an address"],
)
async def test_login_limits_go_by_the_caller_behind_the_proxy_and_by_the_name(
    settings: ServiceSettings, attempts: list[tuple[str, str, int]]
) -> None:
    few = replace(settings, trusted_proxies=("10.0.0.0/8",), login_failures=2, login_failures_per_address=3)
    answers = []
    async with started(few, "10.1.2.3") as (_, visitor):
        for address, username, _status in attempts:
            form = {"wrap_client_id": CLIENT_ID, "wrap_username": username, "wrap_password": "wrong"}
            headers = {"x-forwarded-for": f"2001:{address}"}
            answers.append((await visitor.post(TOKEN_PATH, data=form, headers=headers)).status_code)

    assert answers == [status for *_, status in attempts]


async def test_wrong_codes_count_for_their_address_alone(settings: ServiceSettings) -> None:
    few = replace(settings, trusted_proxies=("10.0.0.0/8",), login_failures_per_address=2)
    async with started(few, "10.1.2.3") as (service, visitor):

        async def status(address: str, code: str) -> int:
            form = {"wrap_client_id": CLIENT_ID, "wrap_verification_code": code}
            headers = {"x-forwarded-for": f"192.0.2.{address}"}
            return (await visitor.post(TOKEN_PATH, data=form, headers=headers)).status_code

        right = [service.invite("maya") for _ in range(3)]
        codes = [("1", "wrong"), ("1", right[0]), ("1", "wrong"), ("1", right[1]), ("2", "wrong"), ("2", right[2])]
        answers = [await status(*each) for each in codes]

    assert answers == [401, 200, 401, 429, 401, 200]


async def test_login_limits_are_shared_by_the_services_of_one_database(settings: ServiceSettings) -> None:
    few = replace(settings, login_failures=2)
    async with started(few) as (_, one), started(few) as (_, other):
        form = {"wrap_client_id": CLIENT_ID, "wrap_username": "maya", "wrap_password": "wrong"}
        answers = [(await client.post(TOKEN_PATH, data=form)).status_code for client in (one, other, one, other)]

    assert answers == [401, 401, 429, 429]


def test_a_proxy_that_is_no_address_is_refused(settings: ServiceSettings) -> None:
    with pytest.raises(BadRequest, match="trusted proxy"):
        Service(replace(settings, trusted_proxies=("proxy.example",)))
