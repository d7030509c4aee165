"""Views of a project: who sees and changes them, and what they may be."""

from typing import Any

import httpx
import pytest
from tests.service.history_rows import rows_after

from backlit.service.app import Service
from backlit.service.routes.views import SPEC_LIMIT
from backlit.service.tables.changes import ChangeAct, ChangeKind

Client = httpx.AsyncClient
PLACE = "projects/1/views"
SPEC = {"query": "type:bug iter:current", "sort": ["changed desc"], "group": ["status"], "columns": ["status 14+"]}


async def create(client: Client, name: str = "Bugs", **more: Any) -> int:
    answer = await client.post(PLACE, json={"name": name, "spec": SPEC, **more})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


async def names(client: Client) -> list[str]:
    return [view["name"] for view in (await client.get(PLACE)).json()["results"]]


@pytest.mark.postgresql
async def test_view_comes_back_as_it_was_created(maya: Client) -> None:
    view_id = await create(maya, " Bugs of today ")

    found = (await maya.get(f"views/{view_id}")).json()

    own = {"id": view_id, "projectId": 1, "ownerId": 1, "name": "Bugs of today", "spec": SPEC, "isShared": False}
    assert {key: found[key] for key in own} == own
    assert (found["createdBy"], found["lastModifiedBy"]) == ("maya", "maya")
    assert (await maya.get(PLACE)).json()["results"] == [found]
    assert (await maya.get(PLACE, params={"$select": "spec"})).json()["results"] == [{"spec": SPEC}]


async def test_private_views_are_seen_by_their_owner_alone(maya: Client, jon: Client, rex: Client) -> None:
    private, shared = await create(jon, "Mine"), await create(jon, "Ours", isShared=True)

    assert [await names(each) for each in (jon, maya, rex)] == [["Mine", "Ours"], ["Ours"], ["Ours"]]
    for client in (maya, rex):
        assert (await client.get(f"views/{shared}")).status_code == 200
        hidden, missing = await client.get(f"views/{private}"), await client.get("views/987654")
        assert hidden.status_code == missing.status_code == 404
        assert hidden.text.replace(str(private), "") == missing.text.replace("987654", "")
    assert (await maya.delete(f"views/{private}")).status_code == 404


async def test_owner_and_managers_change_a_view(maya: Client, jon: Client) -> None:
    of_jon, of_maya = await create(jon, isShared=True), await create(maya, isShared=True)

    by_owner = await jon.put(f"views/{of_jon}", json={"spec": {"query": "x"}})
    by_manager = await maya.put(f"views/{of_jon}", json={"name": "All bugs", "ownerId": 1, "id": 7})
    refused = [await jon.put(f"views/{of_maya}", json={"name": "x"}), await jon.delete(f"views/{of_maya}")]

    assert by_owner.json()["spec"] == {"query": "x"}
    assert (by_manager.json()["name"], by_manager.json()["ownerId"], by_manager.json()["id"]) == ("All bugs", 2, of_jon)
    assert [answer.status_code for answer in refused] == [403, 403]
    assert (await maya.delete(f"views/{of_jon}")).json() == {"id": of_jon}
    assert (await jon.get(f"views/{of_jon}")).status_code == 404


async def test_manager_who_takes_a_view_of_somebody_else_back_is_answered(maya: Client, jon: Client) -> None:
    view_id = await create(jon, "Of jon")
    await jon.put(f"views/{view_id}", json={"isShared": True})

    answer = await maya.put(f"views/{view_id}", json={"isShared": False})

    assert (answer.status_code, answer.json()["isShared"]) == (200, False)
    assert (await maya.get(f"views/{view_id}")).status_code == 404
    assert (await jon.get(f"views/{view_id}")).json()["isShared"] is False


async def test_change_after_that_of_somebody_else_is_refused(maya: Client) -> None:
    view_id = await create(maya)
    etag = {"if-match": (await maya.get(f"views/{view_id}")).headers["etag"]}
    first = await maya.put(f"views/{view_id}", json={"name": "One"}, headers=etag)
    late = [
        await maya.put(f"views/{view_id}", json={}, headers=etag),
        await maya.delete(f"views/{view_id}", headers=etag),
    ]

    assert first.status_code == 200
    assert [answer.status_code for answer in late] == [412, 412]


async def test_history_has_the_values_of_shared_views_alone(maya: Client, service: Service) -> None:
    view_id = await create(maya)
    await maya.put(f"views/{view_id}", json={"name": "Secret", "isShared": None})
    await maya.put(f"views/{view_id}", json={"isShared": True})
    await maya.put(f"views/{view_id}", json={"name": "Told"})
    await maya.put(f"views/{view_id}", json={"name": "Told"})
    await maya.delete(f"views/{view_id}")

    rows = service.shared.database.write.submit(rows_after).result()[-5:]
    assert {(row["kind"], row["object_id"], row["project_id"]) for row in rows} == {(ChangeKind.VIEW, view_id, 1)}
    assert [row["act"] for row in rows] == [ChangeAct.CREATED, *[ChangeAct.CHANGED] * 3, ChangeAct.REMOVED]
    assert [row["fields"] for row in rows] == [
        {"name": [None, None], "spec": [None, None], "isShared": [None, False]},
        {"name": [None, None]},
        {"isShared": [False, True]},
        {"name": ["Secret", "Told"]},
        {"=": {"name": "Told", "spec": SPEC, "isShared": True}},
    ]


def nested(depth: int) -> dict[str, Any]:
    return {"query": nested(depth - 1)} if depth else {}


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("name", " ", "cannot be empty"),
        ("name", "x" * 101, "may have 100 characters"),
        ("name", None, "name is required"),
        ("spec", None, "spec is required"),
        ("spec", "type:bug", "spec must be an object"),
        ("spec", {"query": "x" * SPEC_LIMIT}, "may have 8,192 bytes"),
        ("spec", {"query": "a\0b"}, "may not contain NUL"),
        ("spec", nested(400), "nested too deeply"),
        ("isShared", 1, "must be true or false"),
    ],
    ids=lambda value: str(value)[:20],
)
async def test_wrong_view_is_named(maya: Client, key: str, value: Any, words: str) -> None:
    answer = await maya.post(PLACE, json={"name": "Bugs", "spec": SPEC, key: value})

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {key}
    assert words in answer.json()["errors"][key]
