"""What --legacy-clients relaxes, for programs that were written for the original service."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import httpx
import pytest
from msgspec.structs import replace
from sqlalchemy import update

from backlit.model.wrap import TOKEN_PATH, Challenge, authorization_header, parse_challenge, parse_grant
from backlit.service.app import Service
from backlit.service.storage.schema import refresh_tokens
from backlit.service.storage.settings import ServiceSettings

BASE = "http://backlit.test"
CLIENT_ID = "uri:backlit"


@pytest.fixture
async def service(settings: ServiceSettings) -> AsyncIterator[Service]:
    service = Service(replace(settings, legacy_clients=True))
    await service.start()
    yield service
    await service.stop()


async def test_the_client_id_is_quoted_in_the_challenge(visitor: httpx.AsyncClient) -> None:
    header = (await visitor.get("users/me")).headers["www-authenticate"]

    assert header == f'WRAP location="{BASE}{TOKEN_PATH}", client_id="{CLIENT_ID}"'
    assert parse_challenge(header) == Challenge(f"{BASE}{TOKEN_PATH}", CLIENT_ID)


async def test_refresh_tokens_may_be_used_again_until_they_expire(visitor: httpx.AsyncClient, service: Service) -> None:
    async def granted(**form: str) -> httpx.Response:
        return await visitor.post(f"{BASE}{TOKEN_PATH}", data={"wrap_client_id": CLIENT_ID, **form})

    token = parse_grant(
        (await granted(wrap_verification_code=service.invite("maya"))).text, "tracker.example"
    ).refresh_token
    write = service.shared.database.write
    await granted(wrap_refresh_token=token)
    now = service.shared.clock.now()
    long_ago = update(refresh_tokens).values(used_at=now - timedelta(days=1))
    write.submit(lambda connection: connection.execute(long_ago)).result()

    assert (await granted(wrap_refresh_token=token)).status_code == 200
    write.submit(lambda connection: connection.execute(update(refresh_tokens).values(expires_at=now))).result()
    assert (await granted(wrap_refresh_token=token)).status_code == 401


async def test_a_change_under_the_unversioned_address_answers_200(maya: httpx.AsyncClient) -> None:
    async def change(path: str) -> int:
        return (await maya.put(f"{BASE}{path}", json={"Name": "x"})).status_code

    assert [await change("/api/workitems/1"), await change("/api/v1/workitems/1")] == [200, 201]
    created = await maya.post(f"{BASE}/api/workitems", json={"type": "Bug", "projectId": 1, "fields": {"Name": "x"}})
    assert created.status_code == 201


@asynccontextmanager
async def maya_of_tracker(settings: ServiceSettings, *, is_legacy: bool) -> AsyncIterator[httpx.AsyncClient]:
    """Sign maya in to a service of the name Tracker."""
    service = Service(replace(settings, name="Tracker", legacy_clients=is_legacy))
    await service.start()
    transport = httpx.ASGITransport(service.asgi)
    async with httpx.AsyncClient(transport=transport, base_url=f"{BASE}/api/v1/") as client:
        form = {"wrap_client_id": "uri:Tracker", "wrap_verification_code": service.invite("maya")}
        grant = parse_grant((await client.post(f"{BASE}{TOKEN_PATH}", data=form)).text, "tracker.example")
        client.headers["authorization"] = authorization_header(grant.access_token)
        yield client
    await service.stop()


@pytest.mark.parametrize("is_legacy", [True, False])
async def test_the_internal_type_is_written_as_the_services_name(settings: ServiceSettings, is_legacy: bool) -> None:
    async with maya_of_tracker(settings, is_legacy=is_legacy) as client:
        body = {"projectId": 1, "workItemId": 1, "description": "x"}
        made = await client.post("comments", json=body | {"type": "Tracker"})
        seen = await client.post("comments", json=body | {"type": "Feedback"})
        listed = await client.get("workitems/1/comments?$orderby=id desc&$top=2")
        file = await client.post("workitems/1/attachments", files={"files": ("a.txt", b"a")})
        gone = await client.delete(made.headers["location"], headers={"if-match": made.headers["etag"]})

    written = "Tracker" if is_legacy else "Service"
    assert [each.json()["type"] for each in (made, seen, file)] == [written, "Feedback", written]
    assert [each["type"] for each in listed.json()["results"]] == ["Feedback", written]
    assert gone.status_code == 200


@pytest.mark.parametrize("is_legacy", [True, False])
async def test_a_filter_names_the_internal_type_in_both_ways(settings: ServiceSettings, is_legacy: bool) -> None:
    async with maya_of_tracker(settings, is_legacy=is_legacy) as client:
        for kind in ("Service", "Feedback"):
            await client.post(f"workitems/1/attachments?type={kind}", files={"files": ("a.txt", b"a")})
            await client.post("comments", json={"projectId": 1, "workItemId": 1, "description": "x", "type": kind})

        for rows in ("comments", "attachments"):

            async def found(text: str, rows: str = rows) -> tuple[set[str], int]:
                answer = (await client.get(rows, params={"$filter": text, "$orderby": "type", "$top": 1000})).json()
                return {each["type"] for each in answer["results"]}, answer["totalResults"]

            written = "Tracker" if is_legacy else "Service"
            internal, portal = await found(f"startswith(type, '{written[:3]}')"), await found("type eq 'Feedback'")

            assert (internal[0], portal[0]) == ({written}, {"Feedback"})
            for name in ("Service", "Tracker"):
                assert await found(f"type eq '{name}' and id gt 0") == internal
                assert await found(f"type in ('x', '{name}')") == internal
                assert await found(f"not ('{name}' eq type) or id lt 0") == portal
                assert await found(f"type ne '{name}'") == portal


async def test_compatibility_mode_is_logged_at_the_start(
    settings: ServiceSettings, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        for chosen in (settings, replace(settings, legacy_clients=True)):
            service = Service(chosen)
            await service.start()
            await service.stop()

    assert caplog.text.count("Legacy clients are let in") == 1
