"""Items that become another type: what stays, what is lost, and what stands against it."""

from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection
from tests.service.routes.reported import item

from backlit.service.admin.below_check import faults_below_items
from backlit.service.admin.check import Checker
from backlit.service.app import Service
from backlit.service.files.local import LocalContentStore
from backlit.service.tables.work_items import calculated

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient
ENTRY = {"date": "2026-03-11", "hours": 2, "type": "Testing"}


async def convert(client: Client, item_id: int, item_type: str, **fields: Any) -> httpx.Response:
    return await client.post(f"workitems/{item_id}/convert", json={"type": item_type, "fields": fields})


async def task_of(client: Client, parent_id: int, **fields: Any) -> int:
    return await item(client, "Task", ParentID=parent_id, **fields)


async def relate(client: Client, item_id: int, kind: str, target_id: int) -> None:
    body = {"workItemId": item_id, "type": kind, "targetId": target_id}
    assert (await client.post("relations", json=body)).status_code == 201


async def activities_of(client: Client, item_id: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = (await client.get(f"workitems/{item_id}/activities")).json()["results"]
    return found


async def test_item_keeps_what_both_types_have_and_names_what_it_lost(maya: Client) -> None:
    story = await item(maya, Estimate="5", Status="Ready For Test", Certainty="3 - Average", Tags=["ux"], Priority=2)
    await maya.post("comments", json={"projectId": 1, "workItemId": story, "description": "Said."})
    await maya.post("acceptancecriteria", json={"workItemId": story, "title": "It works"})
    before = (await maya.get(f"workitems/{story}")).json()

    answer = await convert(maya, story, "Bug", Severity="2 - High")

    document = answer.json()
    assert answer.status_code == 200
    assert answer.headers["etag"] == (await maya.get(f"workitems/{story}")).headers["etag"]
    assert (document["id"], document["type"]) == (story, "Bug")
    kept = {key: document["fields"][key] for key in ("Estimate", "Status", "Tags", "Priority", "BacklogPriority")}
    assert kept == {key: before["fields"][key] for key in kept}
    assert document["fields"]["Severity"] == "2 - High"
    assert "Certainty" not in document["fields"]
    assert (await maya.get(f"workitems/{story}/comments")).json()["totalResults"] == 1
    assert (await maya.get(f"workitems/{story}/acceptancecriteria")).json()["totalResults"] == 1
    first, *_ = await activities_of(maya, story)
    assert (first["verb"], first["content"]) == ("converted", f"Maya Kent converted #{story} from Story to Bug")
    assert {"field": "Certainty", "old": "3 - Average", "new": None} in first["changes"]
    assert {"field": "Severity", "old": None, "new": "2 - High"} in first["changes"]
    assert len(await activities_of(maya, story)) == 4  # with its creation, the comment and the criterion


@pytest.mark.parametrize(
    ("before", "item_type", "after"),
    [
        ("Ready For Test", "Issue", "Active"),
        ("Done", "Issue", "Closed"),
        ("Deferred", "Bug", "Deferred"),
        ("In Progress", "Feedback", None),
    ],
)
async def test_status_stays_or_is_the_first_of_its_group(
    maya: Client, before: str, item_type: str, after: str | None
) -> None:
    story = await item(maya, Status=before)

    assert (await convert(maya, story, item_type)).json()["fields"].get("Status") == after


async def test_story_becomes_a_task_below_another_item(maya: Client) -> None:
    feature, parent, story = await item(maya, "Feature"), await item(maya), await item(maya, Estimate="5", Tags=["a"])
    await relate(maya, story, "Parent", feature)

    refused = await convert(maya, story, "Task")
    own = await convert(maya, story, "Task", ParentID=story)
    task = (await convert(maya, story, "Task", ParentID=parent, WorkRemaining=3)).json()

    assert (refused.status_code, own.status_code) == (400, 400)
    assert "ParentID" in refused.json()["errors"]
    assert (task["type"], task["fields"]["ParentID"], task["fields"]["WorkRemaining"]) == ("Task", parent, 3)
    assert (await maya.get(f"workitems/{feature}/children")).json()["totalResults"] == 0
    assert (await maya.get(f"workitems/{parent}")).json()["fields"]["CalculatedEstimate"] == 3
    assert (await maya.put(f"workitems/{story}", json={"WorkRemaining": 1})).status_code == 201


async def test_task_becomes_an_item_that_is_related_to_its_parent(maya: Client, service: Service) -> None:
    parent = await item(maya)
    task = await task_of(maya, parent, WorkRemaining=4)

    story = (await convert(maya, task, "Story")).json()

    assert (story["type"], story["fields"]["Tags"], story["fields"]["CalculatedEstimate"]) == ("Story", [], None)
    assert "ParentID" not in story["fields"]
    sides = (await maya.get(f"workitems/{task}/relations")).json()["results"]
    assert [(each["type"], each["targetId"]) for each in sides] == [("Related", parent)]
    assert (await maya.get(f"workitems/{parent}")).json()["fields"]["CalculatedEstimate"] is None
    assert len(await activities_of(maya, task)) == 2
    assert (await maya.get("workitems", params={"$filter": f"id eq {task} and type eq 'Story'"})).json()[
        "totalResults"
    ] == 1

    def faults(connection: Connection) -> list[Any]:
        return list(faults_below_items(connection))

    assert await service.shared.database.fast.run(faults) == []


async def test_undo_of_a_conversion_relates_nothing(maya: Client) -> None:
    parent = await item(maya)
    task = await task_of(maya, parent)

    undo = {"Backlit-Change": "cause=undo"}
    answer = await maya.post(f"workitems/{task}/convert", json={"type": "Story"}, headers=undo)

    assert answer.status_code == 200
    assert (await maya.get(f"workitems/{task}/relations")).json()["results"] == []


async def test_what_the_new_type_cannot_have_is_in_the_way(maya: Client) -> None:
    feature, above, story = await item(maya, "Feature"), await item(maya, "Feature"), await item(maya)
    await relate(maya, await item(maya), "Parent", feature)
    parent, with_criteria, twin = await item(maya), await item(maya), await item(maya)
    task = await task_of(maya, parent)
    await maya.post("acceptancecriteria", json={"workItemId": with_criteria, "title": "x"})
    await relate(maya, twin, "Duplicates", story)
    logged = await task_of(maya, parent)
    await maya.post("timeentries", json={"taskId": logged, **ENTRY})
    deep = [await item(maya, "Feature") for _ in range(3)]
    for lower, upper in pairwise(deep):
        await relate(maya, lower, "Parent", upper)
    below = await item(maya)
    await relate(maya, below, "Parent", deep[0])

    said = {
        "children": await convert(maya, feature, "Story"),
        "tasks": await convert(maya, parent, "Task", ParentID=above),
        "criteria": await convert(maya, with_criteria, "Task", ParentID=above),
        "duplicates": await convert(maya, story, "Task", ParentID=above),
        "time": await convert(maya, logged, "Story"),
        "levels": await convert(maya, below, "Feature"),
    }

    assert {key: answer.status_code for key, answer in said.items()} == dict.fromkeys(said, 409)
    reasons = {key: answer.json()["message"].partition(" ")[2] for key, answer in said.items()}
    assert reasons["children"] == "is the parent of other items. Only a Feature can be."
    assert reasons["time"] == "has time entries, which only a Task can have. Delete them first."
    assert (await maya.get(f"workitems/{task}")).json()["type"] == "Task"


async def test_conversion_asks_for_another_type_and_the_version_that_was_read(maya: Client, rex: Client) -> None:
    story = await item(maya)
    etag = (await maya.get(f"workitems/{story}")).headers["etag"]
    await maya.put(f"workitems/{story}", json={"Name": "Newer"})

    stale = await maya.post(f"workitems/{story}/convert", json={"type": "Bug"}, headers={"If-Match": etag})
    wrong = [(await convert(maya, story, kind)).status_code for kind in ("Story", "Epic", "")]
    unknown = await convert(maya, story, "Bug", Certainty="3 - Average")

    assert (stale.status_code, wrong, unknown.status_code) == (412, [400, 400, 400], 400)
    assert (await convert(rex, story, "Bug")).status_code == 403


TYPES = ("Feature", "Feature", "Feature", "Feature", "Story", "Story", "Story", "Bug", "Issue", "Feedback")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.long_but("0")
async def test_no_sequence_of_conversions_and_moves_breaks_a_rule(
    maya: Client, service: Service, tmp_path: Path, seed: int
) -> None:
    """The whole check of the workspace finds nothing: rules of relations, documents, counts and history."""
    random = Random(seed)
    items = [await item(maya, kind, **({} if kind == "Feedback" else {"Estimate": "3"})) for kind in TYPES]
    items += [await task_of(maya, items[4], WorkRemaining=2), await task_of(maya, items[7], WorkRemaining=3)]
    statuses = set()
    for _ in range(60):
        one, two = random.sample(items, 2)
        kind = random.choice(["Feature", "Story", "Bug", "Issue", "Feedback", "Task", "Task"])
        act = random.choice(["relate", "relate", "relate", "convert", "convert", "move", "below", "detail"])
        if act == "relate":
            word = random.choice(["Parent", "Parent", "Child", "Blocks", "Related", "Duplicates"])
            answer = await maya.post("relations", json={"workItemId": one, "type": word, "targetId": two})
        elif act == "convert":
            answer = await convert(maya, one, kind, **({"ParentID": two} if kind == "Task" else {}))
        elif act == "move":
            target = {"projectId": random.choice([1, 2]), "children": random.choice(["move", "leave"])}
            answer = await maya.post(f"workitems/{one}/move", json=target)
        elif act == "below":
            answer = await maya.post(f"workitems/{one}/move", json={"ParentID": two})
        else:
            noun, body = random.choice(
                [("acceptancecriteria", {"workItemId": one, "title": "x"}), ("timeentries", {"taskId": one, **ENTRY})]
            )
            answer = await maya.post(noun, json=body)
        statuses.add(answer.status_code)

    def problems(connection: Connection) -> list[Any]:
        return list(Checker(connection, LocalContentStore(tmp_path)).problems())

    found = (await maya.get("workitems", params={"$filter": f"id in ({', '.join(map(str, items))})"})).json()["results"]
    tasks = {each: (await maya.get(f"workitems/{each}/tasks")).json()["results"] for each in items}
    assert await service.shared.database.slow.run(problems) == []
    assert {200, 201} <= statuses <= {200, 201, 400, 409}
    assert len(found) == len(items)
    for each in found:
        figures = [task["fields"] for task in tasks[each["id"]]]
        sums = [(one["PertEstimate"], one["WorkRemaining"], one["WorkCompleted"]) for one in figures]
        assert each["fields"].get("CalculatedEstimate") == calculated(sums)
