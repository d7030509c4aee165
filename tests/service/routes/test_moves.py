"""Items that move to another project with all that is theirs, and tasks that move below another item."""

from typing import Any

import httpx
import pytest
from sqlalchemy import Connection
from tests.service.routes.reported import item

from backlit.service.admin.below_check import faults_below_items
from backlit.service.app import Service

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient


async def move(client: Client, item_id: int, **body: Any) -> httpx.Response:
    return await client.post(f"workitems/{item_id}/move", json=body)


async def document(client: Client, item_id: int) -> dict[str, Any]:
    found: dict[str, Any] = (await client.get(f"workitems/{item_id}")).json()
    return found


async def relate(client: Client, item_id: int, kind: str, target_id: int) -> None:
    body = {"workItemId": item_id, "type": kind, "targetId": target_id}
    assert (await client.post("relations", json=body)).status_code == 201


async def project_of_each(client: Client, **addresses: str) -> dict[str, set[int]]:
    """Return the projects of the results of lists."""
    answers = {name: (await client.get(address)).json()["results"] for name, address in addresses.items()}
    return {name: {each["projectId"] for each in results} for name, results in answers.items()}


async def faults(service: Service) -> list[Any]:
    def found(connection: Connection) -> list[Any]:
        return list(faults_below_items(connection))

    return await service.shared.database.fast.run(found)


async def test_item_takes_along_what_is_its_own(maya: Client, service: Service) -> None:
    places = (await maya.get("iterations", params={"$filter": "projectId eq 2 and name eq 'Sprint 15'"})).json()[
        "results"
    ]
    own = (await maya.get("iterations", params={"$filter": "projectId eq 1 and name eq 'Sprint 15'"})).json()["results"]
    story = await item(maya, Estimate="5", IterationID=own[0]["id"], AreaID=3, Channel_cf="Store", Status="In Progress")
    task = await item(maya, "Task", ParentID=story, WorkRemaining=2)
    await maya.post("timeentries", json={"taskId": task, "date": "2026-03-11", "hours": 1, "type": "Testing"})
    for noun, body in (
        ("comments", {"projectId": 1, "description": "Said."}),
        ("links", {"displayText": "x", "url": "https://example.org"}),
        ("acceptancecriteria", {"title": "It works"}),
    ):
        assert (await maya.post(noun, json={"workItemId": story, **body})).status_code == 201
    feature, other = await item(maya, "Feature"), await item(maya)
    await relate(maya, story, "Parent", feature)
    await relate(maya, story, "Blocks", other)

    answer = await move(maya, story, projectId=2)

    moved = answer.json()
    assert (answer.status_code, moved["id"], moved["projectId"]) == (200, story, 2)
    assert moved["fields"]["IterationID"] == places[0]["id"]
    assert (moved["fields"]["Status"], moved["fields"]["Estimate"]) == ("In Progress", "5")
    assert "Channel_cf" not in moved["fields"]
    last = (
        await maya.get(
            "workitems", params={"$filter": "projectId eq 2", "$orderby": "BacklogPriority desc", "$top": "2"}
        )
    ).json()
    assert [each["id"] for each in last["results"]] == [task, story]
    assert (await document(maya, task))["projectId"] == 2
    lists = {noun: f"workitems/{story}/{noun}" for noun in ("comments", "links", "acceptancecriteria")}
    lists["timeentries"] = f"tasks/{task}/timeentries"
    assert await project_of_each(maya, **lists) == {noun: {2} for noun in lists}
    sides = (await maya.get(f"workitems/{story}/relations")).json()["results"]
    assert [(each["type"], each["projectId"], each["targetProjectId"]) for each in sides] == [("Blocks", 2, 1)]
    assert await faults(service) == []


async def test_move_is_one_activity_that_names_what_was_lost(maya: Client) -> None:
    story = await item(maya, AreaID=3, Channel_cf="Store")

    await move(maya, story, projectId=2)

    newest, created = (await maya.get(f"workitems/{story}/activities")).json()["results"]
    assert (newest["verb"], newest["content"]) == ("moved", f"Maya Kent moved #{story} to another project")
    assert {each["field"] for each in newest["changes"]} == {"AreaID", "Channel_cf"}
    assert created["verb"] == "created"


async def test_parent_asks_whether_its_children_come_along(maya: Client, service: Service) -> None:
    upper, feature, stays = await item(maya, "Feature"), await item(maya, "Feature"), await item(maya, "Feature")
    story, left = await item(maya), await item(maya)
    for child, parent in ((feature, upper), (story, feature), (left, stays)):
        await relate(maya, child, "Parent", parent)

    asked = await move(maya, upper, projectId=2)
    moved = await move(maya, upper, projectId=2, children="move")
    alone = await move(maya, stays, projectId=2, children="leave")

    assert (asked.status_code, moved.status_code, alone.status_code) == (409, 200, 200)
    assert [(await document(maya, each))["projectId"] for each in (feature, story, left)] == [2, 2, 1]
    children = [
        (await maya.get(f"workitems/{each}/children")).json()["totalResults"] for each in (upper, feature, stays)
    ]
    assert children == [1, 1, 0]
    assert await faults(service) == []


async def test_counts_follow_to_the_other_project(maya: Client) -> None:
    async def totals() -> list[int]:
        conditions = [{"$filter": f"projectId eq {number}", "$top": "1"} for number in (1, 2)]
        return [(await maya.get("workitems", params=each)).json()["totalResults"] for each in conditions]

    story = await item(maya)
    await item(maya, "Task", ParentID=story)
    before = await totals()

    await move(maya, story, projectId=2)

    assert await totals() == [before[0] - 2, before[1] + 2]


async def test_task_moves_below_another_item(maya: Client) -> None:
    first, second = await item(maya), await item(maya)
    task = await item(maya, "Task", ParentID=first, WorkRemaining=2)

    moved = await move(maya, task, ParentID=second)

    assert (moved.status_code, moved.json()["fields"]["ParentID"]) == (200, second)
    estimates = [(await document(maya, each))["fields"]["CalculatedEstimate"] for each in (first, second)]
    assert estimates == [None, 2]
    newest = (await maya.get(f"workitems/{task}/activities")).json()["results"][0]
    assert (newest["verb"], newest["content"]) == ("moved", f"Maya Kent moved #{task} below #{second}")


async def test_move_refuses_what_it_cannot_do(maya: Client, jon: Client, rex: Client) -> None:
    story, other = await item(maya), await item(maya)
    task = await item(maya, "Task", ParentID=story)
    etag = (await maya.get(f"workitems/{story}")).headers["etag"]
    await maya.put(f"workitems/{story}", json={"Name": "Newer"})
    stale = await maya.post(f"workitems/{story}/move", json={"projectId": 2}, headers={"If-Match": etag})

    wrong = [
        await move(maya, task, projectId=2),
        await move(maya, task, projectId=2, ParentID=other),
        await move(maya, task, ParentID=task),
        await move(maya, story, ParentID=other),
        await move(maya, story, projectId=1),
        await move(maya, story, projectId=99),
        await move(maya, story, projectId=2, AreaID=3),
        await move(maya, story),
    ]

    assert [answer.status_code for answer in wrong] == [400] * len(wrong)
    assert stale.status_code == 412
    assert (await move(rex, story, projectId=2)).status_code == 403
    assert (await move(jon, story, projectId=2)).status_code == 200
