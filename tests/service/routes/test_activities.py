"""Activities: one for each request, in words, for those who may see the project."""

from typing import Any

import httpx
import pytest
from tests.service.every_call import a_file, item, made

from backlit.service.admin import value_lists
from backlit.service.app import Service

Client = httpx.AsyncClient


async def activities(client: Client, item_id: int | None = None, **query: Any) -> list[dict[str, Any]]:
    address = "activities" if item_id is None else f"workitems/{item_id}/activities"
    answer = await client.get(address, params=query)
    assert answer.status_code == 200, answer.text
    found: list[dict[str, Any]] = answer.json()["results"]
    return found


async def test_each_request_makes_one_activity_with_its_sentence(maya: Client, jon: Client) -> None:
    story = await item(maya)
    await jon.put(f"workitems/{story}", json={"Status": "Done"})
    await jon.put(f"workitems/{story}", json={"Estimate": "5", "Tags": ["a"]})
    said = (await maya.post("comments", json={"projectId": 1, "workItemId": story, "description": "Seen"})).json()
    await maya.post(f"workitems/{story}/attachments", files=a_file())
    await maya.delete(f"comments/{said['id']}")
    await maya.post(f"workitems/{story}/rank", json={"top": True})
    await maya.put(f"workitems/{story}", json={"Status": "Done"})

    found = await activities(maya, story)

    about = [(each["subject"], each["verb"], each["createdBy"]) for each in found]
    assert about == [
        ("comment", "deleted", "maya"),
        ("attachment", "created", "maya"),
        ("comment", "created", "maya"),
        ("item", "changed", "jon"),
        ("item", "changed", "jon"),
        ("item", "created", "maya"),
    ]
    author = found[4]["author"]
    assert author != "jon"
    assert found[4]["content"] == f"{author} changed Status of #{story} from Not Done to Done"
    assert found[4]["changes"] == [{"field": "Status", "old": "Not Done", "new": "Done"}]
    assert found[3]["content"] in {
        f"{author} changed Estimate and Tags of #{story}",
        f"{author} changed Tags and Estimate of #{story}",
    }
    assert found[2]["content"].endswith(f"commented on #{story}: Seen")
    assert found[2]["commentType"] == "Service"


async def test_each_change_below_an_item_is_one_activity(maya: Client, jon: Client) -> None:
    story, other = await item(maya), await item(maya)
    task = await made(maya, "workitems", type="Task", fields={"Name": "t", "ParentID": story, "WorkRemaining": 3})
    relation = await made(jon, "relations", workItemId=story, type="Blocks", targetId=other)
    link = await made(jon, "links", workItemId=story, displayText="Survey", url="https://example.org")
    await made(jon, "acceptancecriteria", workItemId=story, title="It works")
    first = await made(jon, "acceptancecriteria", workItemId=story, title="@maya can see it", sequence=0)
    await jon.put(f"acceptancecriteria/{first}", json={"status": "Pass"})
    await made(jon, "timeentries", taskId=task, date="2026-03-11", hours=1.5, type="Testing")
    for path in (f"links/{link}", f"relations/{relation}"):
        await jon.delete(path)

    found = (await activities(maya))[:8]

    author = found[0]["author"]
    assert [(each["subject"], each["verb"], each["content"].removeprefix(f"{author} ")) for each in found] == [
        ("relation", "deleted", f"deleted from #{story} the relation #{story} Blocks #{other}"),
        ("link", "deleted", f"deleted from #{story} the link Survey"),
        ("time", "created", f"logged 1.5 h on #{task}"),
        ("criterion", "changed", f"changed a criterion of #{story}"),
        ("criterion", "created", f"added to #{story} the criterion @maya can see it"),
        ("criterion", "created", f"added to #{story} the criterion It works"),
        ("link", "created", f"added to #{story} the link Survey"),
        ("relation", "created", f"added to #{story} the relation #{story} Blocks #{other}"),
    ]
    assert [each["mentions"] for each in found] == [[], [], [], [], [1], [], [], []]
    assert found[3]["changes"] == [{"field": "status", "old": "Not Executed", "new": "Pass"}]
    assert [each["subject"] for each in await activities(maya, other)] == ["relation", "relation", "item"]
    assert (await maya.get("activities/unread")).json()["unread"] == len(found)


async def test_a_request_of_many_changes_is_one_activity(maya: Client, service: Service) -> None:
    for _ in range(2):
        await maya.put(f"workitems/{await item(maya)}", json={"Status": "In Progress"})
    before = (await activities(maya))[0]["id"]
    statuses = ["Not Done", "Doing", "Ready For Test", "Done", "Deferred", "Deleted"]
    changed = service.shared.database.write.submit(
        lambda connection: value_lists.set_values(
            connection, "1", "Story", "Status", statuses, renames=["In Progress=Doing"]
        )
    ).result()

    found = [each for each in await activities(maya) if each["id"] > before]

    assert changed["itemsChanged"] > 1
    assert [(each["systemEvent"], each["author"]) for each in found] == [("SystemMessage", "backlit")]


async def test_a_deletion_with_all_below_it_is_one_activity(maya: Client) -> None:
    story = await item(maya)
    await made(maya, "workitems", type="Task", fields={"Name": "t", "ParentID": story, "WorkRemaining": 3})
    await made(maya, "comments", workItemId=story, description="Below")
    before = len(await activities(maya))
    await maya.delete(f"workitems/{story}")

    found = await activities(maya)

    assert len(found) - before in {0, 1}  # a page has fifty at most
    assert (found[0]["verb"], found[0]["workItemId"]) == ("deleted", story)
    assert [each["verb"] for each in (await activities(maya, story))][:2] == ["deleted", "created"]


async def test_long_texts_are_cut(maya: Client) -> None:
    story = await item(maya)
    await maya.put(f"workitems/{story}", json={"Description": "x" * 2000})

    (change,) = (await activities(maya, story))[0]["changes"]

    assert (change["old"], change["new"], change["cut"]) == ("", "x" * 500, True)


async def test_changes_by_others_of_ones_own_items_are_flagged(maya: Client, jon: Client) -> None:
    story = await item(maya)
    await jon.put(f"workitems/{story}", json={"Status": "Done"})

    hers, his = await activities(maya, story), await activities(jon, story)

    assert [each["isFlagged"] for each in hers] == [True, False]
    assert [each["isFlagged"] for each in his] == [False, False]


@pytest.mark.slow
@pytest.mark.postgresql
async def test_pages_go_back_without_gap_or_double(maya: Client) -> None:
    story = await item(maya)
    for number in range(7):
        await maya.put(f"workitems/{story}", json={"Name": f"{number}"})
    whole = [each["id"] for each in await activities(maya, story)]

    paged: list[int] = []
    query: dict[str, Any] = {"$top": 3}
    while True:
        answer = (await maya.get(f"workitems/{story}/activities", params=query)).json()
        paged += [each["id"] for each in answer["results"]]
        if answer["next"] is None:
            break
        query["before"] = answer["next"]

    assert paged == whole
    assert len(whole) == 8


async def test_one_persons_activities_are_found_alone(maya: Client, jon: Client) -> None:
    story = await item(maya)
    await jon.put(f"workitems/{story}", json={"Status": "Done"})
    me = (await jon.get("users/me")).json()["id"]

    found = [await activities(maya, by=me), await activities(maya, by=me, projectId=1)]

    assert all({each["createdBy"] for each in page} == {"jon"} for page in found)


async def test_a_hidden_project_has_no_activities(maya: Client, rex: Client) -> None:
    projects = [each["id"] for each in (await rex.get("projects")).json()["results"]]
    hidden = next(each["id"] for each in (await maya.get("projects")).json()["results"] if each["id"] not in projects)
    await made(maya, "workitems", type="Bug", projectId=hidden, fields={"Name": "Hidden"})

    assert {each["projectId"] for each in await activities(rex)} <= set(projects)


@pytest.mark.parametrize("option", ["by=x", "before=x", "projectId=987654", "$skip=1", "$top=0"])
async def test_an_option_that_makes_no_sense_is_refused(maya: Client, option: str) -> None:
    assert (await maya.get(f"activities?{option}")).status_code == 400


async def test_shared_message_is_seen_by_all_with_a_project_in_common(maya: Client, jon: Client, rex: Client) -> None:
    told = (await jon.post("activities/share", json={"message": "Lunch is ready."})).json()

    [newest, *_] = await activities(maya)
    assert newest == {**told, "isRead": False}
    assert newest["content"] == f"{newest['author']}: Lunch is ready."
    about = {key: newest[key] for key in ("projectId", "workItemId", "subject", "systemEvent", "createdBy")}
    assert about == {"projectId": None, "workItemId": None, "subject": "message"} | {
        "systemEvent": "PersonalMessage", "createdBy": "jon",
    }  # fmt: skip
    assert [each["id"] for each in await activities(maya)].count(told["id"]) == 1
    assert (await activities(rex))[0]["content"] == newest["content"]
    for wrong in ("", " ", "x" * 2001, None, 3):
        assert (await maya.post("activities/share", json={"message": wrong})).status_code == 400
