"""Roles and visibility on every route, and what all errors look like."""

import logging
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from backlit.service.app import ROUTES, Service

Client = httpx.AsyncClient

WRITES = [(route.method, route.path) for route in ROUTES if route.method != "GET"]
OF_READERS = ("/presence", "/activities")
"""What readers write too: where they are, and what they have read."""
READS_ONE = [
    route.path for route in ROUTES if route.method == "GET" and "{id}" in route.path and "users" not in route.path
]


def address(path: str, item_id: int) -> str:
    return path.replace("{id}", str(item_id)).removeprefix("/")


async def in_project(client: Client, path: str, project_id: int) -> int:
    """The id of something of the kind the path addresses, in a project."""
    noun = path.split("/")[1]
    if noun == "projects":
        return project_id
    if noun == "views":
        view = {"name": "Bugs", "spec": {}, "isShared": True}
        view_id: int = (await client.post(f"projects/{project_id}/views", json=view)).json()["id"]
        return view_id
    if noun == "activities":
        item_id = await in_project(client, "/workitems", project_id)
        await client.put(f"workitems/{item_id}", json={"Name": "Another name"})
        activity_id: int = (await client.get(f"workitems/{item_id}/activities")).json()["results"][0]["id"]
        return activity_id
    if noun in {"attachment", "attachments"}:
        item_id = await in_project(client, "/workitems", project_id)
        added = await client.post(f"workitems/{item_id}/attachments", files={"files": ("a.txt", b"a", "text/plain")})
        added_id: int = added.json()["id"]
        return added_id
    if noun in MADE_BELOW or noun == "tasks":
        new = {"projectId": project_id, "type": "Story", "fields": {"Name": "x"}}
        story, other = [(await client.post("workitems", json=new)).json()["id"] for _ in range(2)]
        task = {"projectId": project_id, "type": "Task", "fields": {"Name": "x", "ParentID": story}}
        task_id: int = (await client.post("workitems", json=task)).json()["id"]
        if noun == "tasks":
            return task_id
        return await below(client, noun, task_id if noun == "timeentries" else story, other)
    found = await client.get(noun, params={"$filter": f"projectId eq {project_id}", "$top": "1"})
    found_id: int = found.json()["results"][0]["id"]
    return found_id


async def below(client: Client, noun: str, item_id: int, other_id: int) -> int:
    made = await client.post(noun, json=MADE_BELOW[noun](item_id, other_id))
    assert made.status_code == 201, made.text
    made_id: int = made.json()["id"]
    return made_id


MADE_BELOW: dict[str, Callable[[int, int], dict[str, Any]]] = {
    "relations": lambda item_id, other_id: {"workItemId": item_id, "type": "Related", "targetId": other_id},
    "links": lambda item_id, _: {"workItemId": item_id, "displayText": "x", "url": "https://example.org"},
    "acceptancecriteria": lambda item_id, _: {"workItemId": item_id, "title": "x"},
    "timeentries": lambda item_id, _: {"taskId": item_id, "date": "2026-03-11", "hours": 1, "type": "Testing"},
}
"""New objects below items."""


async def test_every_route_asks_for_a_token(visitor: Client) -> None:
    for route in ROUTES:
        answer = await visitor.request(route.method, address(route.path, 1))

        assert answer.status_code == 401, route
        assert answer.headers["www-authenticate"].startswith("WRAP "), route


@pytest.mark.parametrize(("method", "path"), [(m, p) for m, p in WRITES if not p.startswith(OF_READERS)])
async def test_readers_may_not_write(maya: Client, rex: Client, method: str, path: str) -> None:
    item_id = await in_project(maya, path, 1)
    bodies: dict[str, dict[str, Any]] = {
        "/workitems": {"type": "Story", "projectId": 1, "fields": {"Name": "x"}},
        "/comments": {"projectId": 1, "workItemId": 1, "description": "x"},
        "/areas": {"projectId": 1},
        "/iterations": {"projectId": 1},
        **{f"/{noun}": body(1, 2) for noun, body in MADE_BELOW.items()},
    }

    if path.startswith("/timeentries"):
        bodies["/timeentries"]["taskId"] = await in_project(maya, "/tasks", 1)
    noun = path.removesuffix("/batch")
    bodies |= {f"{noun}/batch": {"items": [bodies[noun]]}} if noun != path else {}

    answer = await rex.request(method, address(path, item_id), json=bodies.get(path, {"Name": "x"}))

    assert answer.status_code == 403
    assert answer.json()["message"]


@pytest.mark.parametrize("path", READS_ONE)
async def test_resources_of_other_projects_are_missing(maya: Client, rex: Client, path: str) -> None:
    hidden = await in_project(maya, path, 2)

    assert (await maya.get(address(path, hidden))).status_code == 200
    unseen, missing = await rex.get(address(path, hidden)), await rex.get(address(path, 987_654))
    assert unseen.status_code == missing.status_code == 404
    assert unseen.json()["message"].replace(str(hidden), "") == missing.json()["message"].replace("987654", "")
    assert (await rex.get(address(path, 2**64))).status_code == 404


@pytest.mark.parametrize(("method", "path"), [(m, p) for m, p in WRITES if "{id" in p])
async def test_writing_what_is_not_granted_finds_nothing(maya: Client, rex: Client, method: str, path: str) -> None:
    hidden = await in_project(maya, path, 2)

    assert (await rex.request(method, address(path, hidden), json={"Name": "x"})).status_code == 404


async def test_creating_in_a_hidden_project_names_the_field_as_for_an_unknown_one(rex: Client) -> None:
    for project_id in (2, 999, 0, "1", None, True):
        body = {"type": "Story", "projectId": project_id, "fields": {"Name": "x"}}
        answer = await rex.post("workitems", json=body)
        assert answer.status_code == 400
        assert set(answer.json()["errors"]) == {"projectId"}


async def test_a_hidden_item_can_neither_be_commented_nor_be_a_parent(maya: Client, rex: Client) -> None:
    hidden = await in_project(maya, "/workitems", 2)

    comment = await rex.post("comments", json={"projectId": 2, "workItemId": hidden, "description": "x"})
    task = await maya.post(
        "workitems", json={"type": "Task", "projectId": 1, "fields": {"Name": "x", "ParentID": hidden}}
    )

    assert set(comment.json()["errors"]) == {"workItemId"}
    assert set(task.json()["errors"]) == {"ParentID"}


async def test_lists_hold_only_what_is_granted(rex: Client) -> None:
    for noun in ("workitems", "comments", "areas", "iterations"):
        found = (await rex.get(noun, params={"$top": "1000"})).json()
        assert {resource["projectId"] for resource in found["results"]} == {1}
        assert found["totalResults"] == len(found["results"])
    assert [project["id"] for project in (await rex.get("projects")).json()["results"]] == [1]


async def test_a_contributor_writes(jon: Client) -> None:
    assert (await jon.put("workitems/1", json={"Name": "x"})).json()["lastModifiedBy"] == "jon"


@pytest.mark.parametrize("path", ["/api/v1/users/me", "/api/users/me", "//api//v1///users/me/", "/api/v1/users/me/"])
async def test_addresses_are_read_kindly(maya: Client, path: str) -> None:
    assert (await maya.get(f"http://backlit.test{path}")).json()["name"] == "maya"


async def test_unknown_addresses_and_methods_have_json_errors(maya: Client) -> None:
    nothing, wrong = await maya.get("nothing"), await maya.patch("workitems/1")

    assert (nothing.status_code, wrong.status_code) == (404, 405)
    assert set(nothing.json()) == set(wrong.json()) == {"message", "errors"}
    assert wrong.headers["allow"] == "GET, PUT, DELETE, HEAD"
    assert (await maya.get("workitems/x")).status_code == 404
    assert (await maya.get(f"workitems/{'9' * 5000}")).status_code == 404


async def test_head_answers_without_a_body(maya: Client) -> None:
    answer = await maya.head("workitems/1")

    assert (answer.status_code, answer.content) == (200, b"")
    assert answer.headers["etag"]


async def test_a_crash_says_only_an_id_that_is_in_the_log(
    maya: Client, service: Service, caplog: pytest.LogCaptureFixture
) -> None:
    def drop(connection: Any) -> None:
        connection.exec_driver_sql("DROP TABLE comments")

    service.shared.database.write.submit(drop).result()
    with caplog.at_level(logging.ERROR):
        answer = await maya.get("comments")

    crash_id = answer.json()["message"].rstrip(".").split()[-1]
    assert answer.status_code == 500
    assert crash_id in caplog.text
    assert "no such table" not in answer.text


async def test_health_needs_no_token(visitor: Client) -> None:
    assert (await visitor.get("http://backlit.test/healthz")).status_code == 200
