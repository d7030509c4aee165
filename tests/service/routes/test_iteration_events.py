"""Starts and closes of iterations: who records them, what stays, and where their times are shown."""

from typing import Any

import httpx
import pytest
from tests.service.every_call import node
from tests.service.history_rows import rows_after

from backlit.service.app import Service
from backlit.service.tables.changes import ChangeAct, ChangeKind, last_revision

Client = httpx.AsyncClient
TIMES = {"$select": "name,startedAt,closedAt"}


@pytest.fixture
async def sprint(maya: Client) -> int:
    return await node(maya, "iterations")


async def times(client: Client, sprint: int) -> dict[str, Any]:
    document: dict[str, Any] = (await client.get(f"iterations/{sprint}", params=TIMES)).json()
    return document


@pytest.mark.postgresql
async def test_start_and_close_are_recorded_once(maya: Client, jon: Client, service: Service, sprint: int) -> None:
    started = await jon.post(f"iterations/{sprint}/start", json={})
    again = await maya.post(f"iterations/{sprint}/start")
    closed = await maya.post(f"iterations/{sprint}/close")

    rows = service.shared.database.write.submit(rows_after).result()[-2:]
    at, end = started.json()["startedAt"], closed.json()["closedAt"]
    assert started.json() == again.json() == {"id": sprint, "startedAt": at, "closedAt": None}
    assert closed.json() == {"id": sprint, "startedAt": at, "closedAt": end}
    assert "backlit-revision" not in again.headers
    assert [(row["kind"], row["act"], row["object_id"]) for row in rows] == [
        (ChangeKind.ITERATION, ChangeAct.CHANGED, sprint)
    ] * 2
    assert [row["fields"] for row in rows] == [{"startedAt": [None, at]}, {"closedAt": [None, end]}]
    assert at <= end


async def test_withdrawn_event_is_gone_and_can_be_recorded_anew(maya: Client, service: Service, sprint: int) -> None:
    first = (await maya.post(f"iterations/{sprint}/start")).json()["startedAt"]
    withdrawn = [await maya.delete(f"iterations/{sprint}/start") for _ in range(2)]
    fields = service.shared.database.write.submit(rows_after).result()[-1]["fields"]

    assert [answer.json()["startedAt"] for answer in withdrawn] == [None, None]
    assert ["backlit-revision" in answer.headers for answer in withdrawn] == [True, False]
    assert fields == {"startedAt": [first, None]}
    assert (await maya.post(f"iterations/{sprint}/start")).json()["startedAt"] >= first


async def test_only_a_selection_shows_the_times(maya: Client, sprint: int) -> None:
    at = (await maya.post(f"iterations/{sprint}/start")).json()["startedAt"]
    plain = (await maya.get(f"iterations/{sprint}")).json()
    every = (await maya.get(f"iterations/{sprint}", params={"$select": "*"})).json()
    listed = (await maya.get("projects/1/iterations", params={"$select": "id,STARTEDAT"})).json()["results"]
    whole = (await maya.get("iterations", params={"$select": "*,closedAt"})).json()["results"]

    assert "startedAt" not in plain
    assert every == plain
    assert await times(maya, sprint) == {"name": plain["name"], "startedAt": at, "closedAt": None}
    assert {each["id"]: each["startedAt"] for each in listed}[sprint] == at
    assert {each["startedAt"] for each in listed if each["id"] != sprint} == {None}
    assert all({*each} == {*plain, "closedAt"} for each in whole)


async def test_event_leaves_the_document_and_its_version_alone(maya: Client, sprint: int) -> None:
    before = await maya.get(f"iterations/{sprint}")
    etag = {"if-match": before.headers["etag"]}
    await maya.post(f"iterations/{sprint}/start", headers=etag)
    after = await maya.get(f"iterations/{sprint}")
    await maya.put(f"iterations/{sprint}", json={"name": "Other"}, headers=etag)
    late = await maya.post(f"iterations/{sprint}/close", headers=etag)

    assert (after.content, after.headers["etag"]) == (before.content, before.headers["etag"])
    assert late.status_code == 412


async def test_root_has_no_start(maya: Client, service: Service) -> None:
    root = (await maya.get("projects/1/iterations")).json()["results"][0]
    last = service.shared.database.write.submit(last_revision).result()

    answer = await maya.post(f"iterations/{root['id']}/start")

    assert (answer.status_code, root["name"] in answer.json()["message"]) == (400, True)
    assert service.shared.database.write.submit(last_revision).result() == last


async def test_deleted_iteration_takes_its_events_along(maya: Client, sprint: int) -> None:
    for event in ("start", "close"):
        await maya.post(f"iterations/{sprint}/{event}")

    assert (await maya.delete(f"iterations/{sprint}")).status_code == 200
    assert (await maya.get(f"iterations/{sprint}", params=TIMES)).status_code == 404
