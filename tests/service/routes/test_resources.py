"""Comments, areas, iterations, users, projects and capabilities."""

from datetime import date
from functools import partial
from itertools import pairwise
from typing import Any

import httpx
import pytest

from backlit.model.fields import ItemType
from backlit.model.version import VERSION
from backlit.service.admin.users import set_grant
from backlit.service.app import Service
from backlit.service.storage.access import Role

Client = httpx.AsyncClient


async def results(client: Client, noun: str, **options: str) -> list[dict[str, Any]]:
    answer = await client.get(noun, params={f"${name}": value for name, value in options.items()})
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


async def commented(client: Client, **changes: object) -> httpx.Response:
    body = {"projectId": 1, "workItemId": 1, "description": "Hello"} | changes
    return await client.post("comments", json=body)


async def test_a_comment_is_created_read_and_listed(jon: Client) -> None:
    answer = await commented(jon)

    comment = answer.json()
    assert answer.status_code == 201
    assert answer.headers["location"].endswith(f"/api/v1/comments/{comment['id']}")
    assert list(comment) == [
        "id", "projectId", "workItemId", "description", "type",
        "createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt",
    ]  # fmt: skip
    assert (comment["type"], comment["createdBy"]) == ("Service", "jon")
    assert (await jon.get(f"comments/{comment['id']}")).json() == comment
    assert (await results(jon, "workitems/1/comments"))[-1] == comment
    assert comment in await results(jon, "comments", top="1000")
    assert "skip" not in (await jon.get("comments")).json()


@pytest.mark.parametrize(
    ("sent", "stored"),
    [("Service", "Service"), ("backlit", "Service"), (None, "Service"), ("", "Service"), ("Feedback", "Feedback")],
)
async def test_the_type_of_a_comment_has_three_spellings(jon: Client, sent: object, stored: str) -> None:
    assert (await commented(jon, type=sent)).json()["type"] == stored


async def test_a_bad_comment_is_refused_by_key(jon: Client) -> None:
    changes: list[dict[str, object]] = [
        {"workItemId": 999_999},
        {"workItemId": "1"},
        {"workItemId": 2**70},
        {"projectId": 2},
        {"projectId": None},
        {"description": " "},
        {"description": None},
        {"type": "Loud"},
        {"type": {}},
        {"type": ["Service"]},
    ]
    for change in changes:
        answer = await commented(jon, **change)

        assert answer.status_code == 400, change
        assert set(answer.json()["errors"]) == set(change)
    nowhere = await jon.post("comments", json={"workItemId": 1, "description": "Hello"})
    assert (nowhere.status_code, set(nowhere.json()["errors"])) == (400, {"projectId"})


async def test_comments_are_deleted_by_their_author_and_by_managers(jon: Client, maya: Client, sign_in: Any) -> None:
    mine, managed = [(await commented(jon)).json()["id"] for _ in range(2)]
    ada = await sign_in("ada")

    assert (await ada.delete(f"comments/{mine}")).status_code == 403
    assert (await jon.delete(f"comments/{mine}")).json() == {"id": mine}
    assert (await maya.delete(f"comments/{managed}")).status_code == 200
    assert (await jon.get(f"comments/{mine}")).status_code == 404


async def test_comments_filter_sort_and_page(maya: Client) -> None:
    everything = await results(maya, "comments", top="1000")

    sorted_down = await results(maya, "comments", filter="createdBy eq 'jon'", orderby="createdAt desc", top="5")

    wanted = sorted((c for c in everything if c["createdBy"] == "jon"), key=lambda c: c["createdAt"], reverse=True)
    assert [c["createdAt"] for c in sorted_down] == [c["createdAt"] for c in wanted[:5]]
    assert (await maya.get("comments?$filter=Name eq 'x'")).status_code == 400
    assert (await maya.get("comments?$top=2")).json()["totalResults"] == len(everything)


@pytest.mark.parametrize("noun", ["areas", "iterations"])
async def test_trees_are_listed_depth_first_from_the_root(maya: Client, noun: str) -> None:
    nodes = await results(maya, f"projects/1/{noun}")

    by_id = {node["id"]: node for node in nodes}
    assert (nodes[0]["parentId"], nodes[0]["path"]) == (-1, "Aurora")
    for before, node in pairwise(nodes):
        parent = by_id[node["parentId"]]
        assert node["path"] == f"{parent['path']}\\{node['name']}"
        is_first = node["sequence"] == 1
        assert before["id"] == node["parentId"] if is_first else before["path"].startswith(f"{parent['path']}\\")
    assert (await maya.get(f"{noun}/{nodes[1]['id']}")).json() == nodes[1]
    assert [n for n in await results(maya, noun) if n["projectId"] == 1] == nodes


async def test_an_iteration_has_plain_dates_and_capacities(maya: Client) -> None:
    sprints = [i for i in await results(maya, "projects/1/iterations") if i["name"].startswith("Sprint")]

    assert len(sprints) > 1
    assert all(date.fromisoformat(s["startDate"]) < date.fromisoformat(s["endDate"]) for s in sprints)
    assert all(s["minCapacity"] < s["maxCapacity"] for s in sprints)


@pytest.mark.parametrize("direction", ["asc", "desc"])
async def test_nulls_come_last_in_small_lists(maya: Client, direction: str) -> None:
    found = await results(maya, "iterations", orderby=f"maxCapacity {direction}")

    values = [each["maxCapacity"] for each in found]
    known = [value for value in values if value is not None]
    assert values == sorted(known, reverse=direction == "desc") + [None] * (len(values) - len(known))
    assert 0 < len(known) < len(values)


async def test_small_lists_filter_sort_and_page_too(maya: Client) -> None:
    releases = await results(maya, "iterations", filter="isRelease and projectId eq 1", orderby="startDate desc")
    current = await results(maya, "iterations", filter="startDate le 2026-03-11 and endDate ge 2026-03-11")
    page = (await maya.get("areas", params={"$top": "2", "$skip": "1", "$orderby": "name desc"})).json()

    assert [r["name"] for r in releases] == ["Release 3.2", "Release 3.1", "Release 3.0"]
    assert "Sprint 14" in [iteration["name"] for iteration in current]
    everything = await results(maya, "areas")
    names = sorted((area["name"] for area in everything), reverse=True)
    assert [area["name"] for area in page["results"]] == names[1:3]
    assert (page["totalResults"], page["top"]) == (len(everything), 2)
    assert (await maya.get("areas?$filter=nonsense eq 1")).status_code == 400


async def test_licensed_users_are_listed(maya: Client) -> None:
    users = await results(maya, "users")

    assert "uma" not in [user["name"] for user in users]
    assert (await maya.get("users/5")).status_code == 404
    assert (await maya.get("users/2")).json() == users[1]
    assert users[1]["displayName"] == "Jon Bellamy"
    assert (await maya.get("users/me")).json() == users[0]
    assert [u["id"] for u in await results(maya, "users", filter="name eq 'jon'")] == [2]


async def test_no_date_or_length_of_a_project_is_null(maya: Client) -> None:
    projects = await results(maya, "projects")

    assert [project["name"] for project in projects] == ["Aurora", "Beacon", "Harbour"]
    assert all(p["startDate"] and p["endDate"] and p["defaultIterationLength"] for p in projects)
    assert (await maya.get("projects/1")).json() == projects[0]


async def test_capabilities_name_the_role_in_each_project(rex: Client, service: Service) -> None:
    raise_role = partial(set_grant, user="rex", project="Harbour", role=Role.MANAGER)
    service.shared.database.write.submit(raise_role).result()
    service.shared.database.write.submit(partial(raise_role, project="Beacon", role=Role.CONTRIBUTOR)).result()

    found = (await rex.get("capabilities")).json()["projects"]

    assert [(each["id"], each["role"]) for each in found] == [(1, "reader"), (2, "contributor"), (3, "manager")]
    assert [len(each["customFields"]) > 0 for each in found] == [True, False, False]
    assert [each["teams"] for each in found] == [
        [{"id": team["id"], "name": team["name"]} for team in await results(rex, f"projects/{number}/teams")]
        for number in (1, 2, 3)
    ]


async def test_capabilities_name_values_custom_fields_and_teams(rex: Client) -> None:
    document = (await rex.get("capabilities")).json()

    [project] = document["projects"]
    assert document["name"] == "backlit"
    assert document["limits"] == {
        "topDefault": 100,
        "top": 1000,
        "body": 4 * 1024 * 1024,
        "text": 1_000_000,
        "tag": 100,
        "tags": 100,
        "upload": 100 * 1024 * 1024,
        "accessTokenLifetime": 3600,
    }
    assert (document["version"], document["extensions"]) == (VERSION, sorted(document["extensions"]))
    assert (project["id"], project["role"]) == (1, "reader")
    assert set(project["values"]) == set(ItemType)
    assert project["values"]["Task"] == {"Status": ["Not Done", "In Progress", "Done", "Deleted"]}
    assert set(project["values"]["Feedback"]) == {"FeedbackType", "Size", "Channel_cf"}
    channel = next(field for field in project["customFields"] if field["key"] == "Channel_cf")
    assert (channel["kind"], channel["choices"], channel["default"]) == ("choice", ["Web", "Store", "Phone"], "Web")
    assert project["dueField"] == "TargetDate_cf"
    assert [team["name"] for team in project["teams"]] == ["Storefront", "Money", "Foundations"]
    assert [team["id"] for team in project["teams"]] == [team["id"] for team in await results(rex, "teams")]
    assert channel["types"] == [each for each in ItemType if each is not ItemType.TASK]
