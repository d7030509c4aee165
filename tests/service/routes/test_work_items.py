"""Work items: presets, checks, calculated estimates, ETags."""

from collections.abc import Mapping
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, update

from backlit.model.fields import Kind
from backlit.service.admin import custom_fields
from backlit.service.app import Service
from backlit.service.storage.schema import users

Client = httpx.AsyncClient


async def added(client: Client, item_type: str = "Story", project: int = 1, **fields: Any) -> dict[str, Any]:
    body = {"type": item_type, "projectId": project, "fields": {"Name": "Added", **fields}}
    answer = await client.post("workitems", json=body)
    assert answer.status_code == 201, answer.text
    document: dict[str, Any] = answer.json()
    return document


async def refused(client: Client, item_type: str = "Story", **fields: Any) -> Mapping[str, str]:
    body = {"type": item_type, "projectId": 1, "fields": {"Name": "Refused", **fields}}
    answer = await client.post("workitems", json=body)
    assert answer.status_code == 400, answer.text
    errors: Mapping[str, str] = answer.json()["errors"]
    return errors


async def test_a_new_item_gets_the_presets_and_a_location(maya: Client) -> None:
    answer = await maya.post("workitems", json={"type": "Story", "projectId": 1, "fields": {"Name": "Hello"}})

    document = answer.json()
    fields = document["fields"]
    assert answer.status_code == 201
    assert answer.headers["location"].endswith(f"/api/v1/workitems/{document['id']}")
    assert fields["Status"] == "Not Done"
    assert fields["Channel_cf"] == "Web"
    assert (fields["Tags"], fields["Description"], fields["Estimate"]) == ([], "", None)
    assert (await maya.get(f"areas/{fields['AreaID']}")).json()["parentId"] == -1
    assert (await maya.get(f"iterations/{fields['IterationID']}")).json()["parentId"] == -1
    assert document["createdBy"] == document["lastModifiedBy"] == "maya"
    assert (await maya.get(answer.headers["location"])).json() == document


@pytest.mark.parametrize(
    ("item_type", "status"), [("Feature", "Not Done"), ("Bug", "Not Done"), ("Issue", "Active"), ("Risk", "Active")]
)
async def test_status_is_preset_by_type(maya: Client, item_type: str, status: str) -> None:
    assert (await added(maya, item_type))["fields"]["Status"] == status


async def test_feedback_has_no_status_owner_or_estimate(maya: Client) -> None:
    fields = (await added(maya, "Feedback"))["fields"]

    assert not {"Status", "AssignedToID", "TeamID", "Estimate", "SyncID", "IsSyncable"} & fields.keys()


async def test_new_items_go_to_the_end_of_the_backlog(maya: Client) -> None:
    first, second = await added(maya), await added(maya)

    last = (await maya.get("workitems", params={"$filter": "projectId eq 1", "$skip": "0", "$top": "1000"})).json()
    assert [item["id"] for item in last["results"][-2:]] == [first["id"], second["id"]]


async def test_put_changes_only_the_keys_given_and_answers_201(maya: Client) -> None:
    item = await added(maya, Description="kept")

    answer = await maya.put(f"workitems/{item['id']}", json={"Name": "New", "Status": "Done"})

    assert answer.status_code == 201
    assert answer.json()["fields"] == item["fields"] | {"Name": "New", "Status": "Done"}
    assert answer.json()["lastModifiedAt"] > item["lastModifiedAt"]
    assert (await maya.get(f"workitems/{item['id']}")).json() == answer.json()


async def test_last_modified_at_never_repeats_for_one_item(maya: Client) -> None:
    item = await added(maya)

    answers = [await maya.put(f"workitems/{item['id']}", json={"Name": name}) for name in ("a", "b", "c", "d")]
    moments = [item["lastModifiedAt"], *(answer.json()["lastModifiedAt"] for answer in answers)]

    assert moments == sorted(set(moments))
    assert all(len(moment.partition(".")[2]) == 3 for moment in moments)


async def test_changed_settings_count_from_the_next_request_on(maya: Client, service: Service) -> None:
    await added(maya)
    given = custom_fields.CustomFieldChange(default="7", types=["Story"])
    service.shared.database.write.submit(
        lambda connection: custom_fields.add(connection, "Aurora", "Effort_cf", Kind.INTEGER, given)
    ).result()

    story = await added(maya)

    assert story["fields"]["Effort_cf"] == 7
    assert (await maya.get("workitems", params={"$filter": "Effort_cf eq 7"})).json()["results"] == [story]
    assert (await maya.put("workitems/1", json={"Effort_cf": "x"})).status_code == 400


async def test_a_date_is_kept_filtered_and_sorted_by_its_day(maya: Client, service: Service) -> None:
    given = custom_fields.CustomFieldChange(default="2026-03-01", types=["Story"])
    service.shared.database.write.submit(
        lambda connection: custom_fields.add(connection, "Aurora", "Due_cf", Kind.DATE, given)
    ).result()
    preset, late, early = [
        await added(maya), await added(maya, Due_cf="2026-10-02T09:00:00"), await added(maya, Due_cf="2026-02-03"),
    ]  # fmt: skip

    async def ids(**params: str) -> list[int]:
        answer = await maya.get("workitems", params={"$filter": "Due_cf ne null", **params})
        assert answer.status_code == 200, answer.text
        return [each["id"] for each in answer.json()["results"]]

    assert [each["fields"]["Due_cf"] for each in (preset, late, early)] == ["2026-03-01", "2026-10-02", "2026-02-03"]
    assert await ids(**{"$orderby": "Due_cf desc"}) == [late["id"], preset["id"], early["id"]]
    for day in ("'2026-03-01'", "2026-03-01"):
        assert await ids(**{"$filter": f"Due_cf le {day}"}) == [preset["id"], early["id"]]
        assert await ids(**{"$filter": f"{day} lt Due_cf or Due_cf in ({day})"}) == [preset["id"], late["id"]]
    assert await refused(maya, Due_cf="soon") == {"Due_cf": "Due_cf must be a date such as 2026-03-01, not 'soon'."}


async def test_of_two_custom_fields_of_one_name_that_of_the_first_project_is_filtered_by(
    maya: Client, service: Service
) -> None:
    def write(connection: Connection) -> None:
        custom_fields.add(connection, "Harbour", "channel_cf", Kind.INTEGER, custom_fields.CustomFieldChange())

    before = (await maya.get("workitems", params={"$filter": "Channel_cf eq 'Web'"})).json()
    service.shared.database.write.submit(write).result()

    assert (await maya.get("workitems", params={"$filter": "Channel_cf eq 'Web'"})).json() == before
    assert before["totalResults"] > 0


async def test_a_put_that_changes_nothing_leaves_the_item_as_it_is(maya: Client) -> None:
    item = await added(maya, Estimate="3")

    answer = await maya.put(f"workitems/{item['id']}", json={"Name": "Added", "Estimate": 3})

    assert answer.json() == item


async def test_a_value_sent_back_unchanged_is_not_checked_again(maya: Client, service: Service) -> None:
    item = await added(maya, AssignedToID=2)
    gone = update(users).where(users.c.id == 2).values(is_licensed=False)
    service.shared.database.write.submit(lambda connection: connection.execute(gone)).result()

    whole = await maya.put(f"workitems/{item['id']}", json=item["fields"] | {"Name": "New"})
    anew = await maya.put("workitems/1", json={"AssignedToID": 2})

    assert whole.status_code == 201, whole.text
    assert anew.status_code == 400


async def test_unknown_and_foreign_keys_are_refused_by_name(maya: Client) -> None:
    nulls = dict.fromkeys(("Nonsense", "Severity", "Missing_cf"))
    story = await added(maya)
    assert (await maya.put(f"workitems/{story['id']}", json=nulls)).json()["errors"].keys() == nulls.keys()
    assert set(await refused(maya, Nonsense=1, Severity="1 - Critical", Missing_cf=2)) == {
        "Nonsense",
        "Severity",
        "Missing_cf",
    }


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("Name", ""),
        ("Name", "   "),
        ("Name", "x" * 501),
        ("Name", 5),
        ("Name", None),
        ("Name", "nul\0"),
        ("Status", "Nope"),
        ("PriorityClass", "5 - Never"),
        ("Priority", "5"),
        ("Priority", 1.5),
        ("Priority", True),
        ("Priority", 2**60),
        ("AreaID", 999_999),
        ("AreaID", 2**80),
        ("IterationID", 999_999),
        ("TeamID", 999),
        ("AssignedToID", 5),
        ("AssignedToID", 999),
        ("AssignedToID", "1"),
        ("Tags", "ux"),
        ("Tags", ["ux", 1]),
        ("Tags", [""]),
        ("Tags", [f"t{number}" for number in range(101)]),
        ("Estimate", ["3"]),
        ("Estimate", True),
        ("Channel_cf", "Pigeon"),
        ("BusinessValue_cf", "1"),
        ("NeedsLegalReview_cf", "true"),
    ],
)
async def test_a_bad_value_is_refused_by_key(maya: Client, key: str, value: Any) -> None:
    assert set(await refused(maya, **{key: value})) == {key}


async def test_true_is_refused_in_place_of_the_one_that_it_equals(maya: Client) -> None:
    item = await added(maya, Priority=1)

    answer = await maya.put(f"workitems/{item['id']}", json={"Priority": True})

    assert answer.json()["errors"] == {"Priority": "Priority must be a whole number."}


async def test_nul_in_a_text_is_refused_by_that_name(maya: Client) -> None:
    tags = await refused(maya, Tags=["a\0b"])
    comment = await maya.post("comments", json={"projectId": 1, "workItemId": 1, "description": "a\0b"})
    area = await maya.put("areas/2", json={"name": "a\0b"})

    said = [tags["Tags"], comment.json()["errors"]["description"], area.json()["errors"]["name"]]
    assert [sentence.partition(" may ")[2] for sentence in said] == ["not contain NUL characters."] * 3


async def test_infinite_numbers_are_refused(maya: Client) -> None:
    parent = await added(maya)

    fields = f'{{"Name":"x","ParentID":{parent["id"]},"WorkRemaining":1e999}}'
    content = f'{{"type":"Task","projectId":1,"fields":{fields}}}'
    answer = await maya.post("workitems", content=content, headers={"content-type": "application/json"})

    assert answer.status_code == 400


@pytest.mark.parametrize(("sent", "stored"), [(3, "3"), (3.0, "3"), (2.5, "2.5"), ("XL", "XL"), ("3,5", "3,5")])
async def test_an_estimate_is_text_and_numbers_are_taken(maya: Client, sent: object, stored: str) -> None:
    assert (await added(maya, Estimate=sent))["fields"]["Estimate"] == stored


async def test_read_only_keys_and_zero_values_are_ignored(maya: Client) -> None:
    body = {
        "id": 0,
        "type": "Bug",
        "projectId": 1,
        "createdBy": None,
        "createdAt": "0001-01-01T00:00:00",
        "lastModifiedBy": None,
        "lastModifiedAt": "0001-01-01T00:00:00",
        "fields": {
            "Name": "Whole",
            "BacklogPriority": 0,
            "CalculatedEstimate": 7,
            "SyncID": 0,
            "AssignedToID": 0,
            "AreaID": 0,
            "Status": None,
            "Severity": None,
        },
    }

    answer = await maya.post("workitems", json=body)

    fields = answer.json()["fields"]
    assert answer.status_code == 201, answer.text
    assert (fields["Status"], fields["AssignedToID"], fields["CalculatedEstimate"]) == ("Not Done", None, None)
    flat = {"id": 9, "type": "Story", "projectId": 2, "createdBy": "x", "lastModifiedAt": "", "BacklogPriority": 1.0}
    changed = await maya.put(f"workitems/{answer.json()['id']}", json=flat)
    assert changed.json() == answer.json()


async def test_null_unsets_what_may_be_unset(maya: Client) -> None:
    item = await added(maya, Estimate="5", AssignedToID=1, Tags=["ux"], Description="x", Channel_cf="Store")

    unset = dict.fromkeys(("Estimate", "AssignedToID", "Tags", "Description", "Channel_cf"))
    answer = await maya.put(f"workitems/{item['id']}", json=unset)

    fields = answer.json()["fields"]
    assert [fields[key] for key in unset] == [None, None, [], "", None]


@pytest.mark.parametrize("key", ["Name", "Status", "AreaID", "IterationID"])
async def test_null_is_refused_where_there_is_always_a_value(maya: Client, key: str) -> None:
    item = await added(maya)

    answer = await maya.put(f"workitems/{item['id']}", json={key: None})

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {key}


async def test_type_project_and_fields_are_required(maya: Client) -> None:
    answer = await maya.post("workitems", json={})

    assert answer.status_code == 400
    assert set(answer.json()["errors"]) == {"type", "projectId", "fields"}
    odd = await maya.post("workitems", json={"type": {}, "projectId": [], "fields": []})
    assert set(odd.json()["errors"]) == {"type", "projectId", "fields"}


async def test_one_wrong_part_of_a_new_item_is_named_alone(maya: Client) -> None:
    wrong = {"type": ("story", None, "Epic"), "projectId": (0, 99, True), "fields": (None, "x", [])}

    for key, value in ((key, value) for key, values in wrong.items() for value in values):
        body = {"type": "Story", "projectId": 1, "fields": {"Name": "x"}} | {key: value}
        answer = await maya.post("workitems", json=body)
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {key}), value


async def test_a_task_needs_a_parent_that_is_no_task_of_its_project(maya: Client) -> None:
    story = await added(maya)
    elsewhere = await added(maya, project=2)
    task = await added(maya, "Task", ParentID=story["id"])

    for parent in (None, 0, "1", 999_999, task["id"], elsewhere["id"], 2**70):
        assert set(await refused(maya, "Task", ParentID=parent)) == {"ParentID"}


async def test_a_task_takes_area_and_iteration_from_its_parent(maya: Client) -> None:
    story = await added(maya, AreaID=2, IterationID=3)

    task = await added(maya, "Task", ParentID=story["id"])

    assert (task["fields"]["AreaID"], task["fields"]["IterationID"]) == (2, 3)
    assert not {"Tags", "Estimate", "CalculatedEstimate"} & task["fields"].keys()


async def test_references_are_those_of_the_items_project(maya: Client) -> None:
    places: dict[int, dict[str, Any]] = {}
    for project in (1, 2):
        names = {"AreaID": "areas", "IterationID": "iterations", "TeamID": "teams"}
        found = {key: (await maya.get(f"projects/{project}/{noun}")).json()["results"] for key, noun in names.items()}
        places[project] = {key: nodes[-1]["id"] for key, nodes in found.items()}

    own = await added(maya, **places[1])

    assert {key: own["fields"][key] for key in places[1]} == places[1]
    assert set(await refused(maya, **places[2])) == set(places[2])


async def test_a_change_of_the_tasks_is_one_of_their_item_by_the_same_person(maya: Client, jon: Client) -> None:
    story = await added(maya)

    async def stamp() -> tuple[str, str]:
        item = (await maya.get(f"workitems/{story['id']}")).json()
        assert (item["createdBy"], item["createdAt"]) == ("maya", story["createdAt"])
        return item["lastModifiedBy"], item["lastModifiedAt"]

    task = await added(jon, "Task", ParentID=story["id"], WorkRemaining=2)
    stamps = [await stamp()]
    await maya.put(f"workitems/{task['id']}", json={"WorkRemaining": 3})
    stamps.append(await stamp())
    await jon.put(f"workitems/{task['id']}", json={"Name": "No figure"})
    same = await stamp()
    await jon.delete(f"workitems/{task['id']}")
    stamps.append(await stamp())

    assert [by for by, _ in stamps] == ["jon", "maya", "jon"]
    assert [at for _, at in stamps] == sorted({at for _, at in stamps})
    assert same == stamps[1]


async def test_pert_and_calculated_estimates_follow_the_tasks(maya: Client) -> None:
    story = await added(maya)
    assert story["fields"]["CalculatedEstimate"] is None

    estimates = {"EstimateOptimistic": 1, "EstimateProbable": 2, "EstimatePessimistic": 9}
    first = await added(maya, "Task", ParentID=story["id"], **estimates)
    second = await added(maya, "Task", ParentID=story["id"], WorkRemaining=2.5, WorkCompleted=1)

    assert first["fields"]["PertEstimate"] == 3.0
    assert second["fields"]["PertEstimate"] is None
    assert await calculated_estimate(maya, story["id"]) == 6.5
    await maya.put(f"workitems/{second['id']}", json={"WorkRemaining": 0})
    assert await calculated_estimate(maya, story["id"]) == 4.0
    await maya.put(f"workitems/{first['id']}", json={"EstimateOptimistic": 7})
    assert await calculated_estimate(maya, story["id"]) == 5.0
    await maya.put(f"workitems/{second['id']}", json={"WorkCompleted": 0, "WorkRemaining": 1})
    assert await calculated_estimate(maya, story["id"]) == 5.0
    await maya.put(f"workitems/{second['id']}", json={"WorkCompleted": 1, "WorkRemaining": 0})
    await maya.delete(f"workitems/{first['id']}")
    assert await calculated_estimate(maya, story["id"]) == 1.0
    await maya.delete(f"workitems/{second['id']}")
    assert await calculated_estimate(maya, story["id"]) is None


async def calculated_estimate(client: Client, item_id: int) -> float | None:
    fields = (await client.get(f"workitems/{item_id}")).json()["fields"]
    listed = (await client.get("workitems", params={"$filter": f"id eq {item_id}"})).json()["results"][0]["fields"]
    assert listed == fields
    value: float | None = fields["CalculatedEstimate"]
    return value


async def test_deleting_an_item_deletes_its_tasks_and_their_comments(maya: Client) -> None:
    story = await added(maya)
    task = await added(maya, "Task", ParentID=story["id"])
    comment = {"projectId": 1, "workItemId": task["id"], "description": "gone soon"}
    comment_id = (await maya.post("comments", json=comment)).json()["id"]
    total = (await maya.get("workitems", params={"$top": 0})).json()["totalResults"]

    answer = await maya.delete(f"workitems/{story['id']}")

    assert (answer.status_code, answer.json()) == (200, {"id": story["id"]})
    assert (await maya.get(f"workitems/{task['id']}")).status_code == 404
    assert (await maya.get(f"comments/{comment_id}")).status_code == 404
    assert (await maya.get("workitems", params={"$top": 0})).json()["totalResults"] == total - 2


async def test_the_tasks_of_an_item_are_listed(maya: Client) -> None:
    story = await added(maya)
    tasks = [await added(maya, "Task", ParentID=story["id"]) for _ in range(3)]

    answer = (await maya.get(f"workitems/{story['id']}/tasks")).json()

    assert answer == {"totalResults": 3, "top": 3, "skip": 0, "results": tasks}


async def test_if_match_lets_only_the_version_read_be_changed(maya: Client) -> None:
    item = await added(maya)
    etag = (await maya.get(f"workitems/{item['id']}")).headers["etag"]

    good = await maya.put(f"workitems/{item['id']}", json={"Name": "b"}, headers={"if-match": etag})
    late = await maya.put(f"workitems/{item['id']}", json={"Name": "c"}, headers={"if-match": etag})
    gone = await maya.delete(f"workitems/{item['id']}", headers={"if-match": etag})
    last = await maya.put(f"workitems/{item['id']}", json={"Name": "d"}, headers={"if-match": good.headers["etag"]})

    assert [answer.status_code for answer in (good, late, gone, last)] == [201, 412, 412, 201]


async def test_a_body_that_is_no_json_object_is_refused(maya: Client) -> None:
    json_type = {"content-type": "application/json"}

    assert (await maya.put("workitems/1", content="{", headers=json_type)).status_code == 400
    assert (await maya.put("workitems/1", content="[]", headers=json_type)).status_code == 400
    assert (await maya.put("workitems/1", content='"\\ud800"', headers=json_type)).status_code == 400
    assert (await maya.put("workitems/1", content="a=b", headers={"content-type": "text/plain"})).status_code == 415
    assert (await maya.put("workitems/1", content=b" " * 5_000_000, headers=json_type)).status_code == 413
    for kind in ("APPLICATION/JSON ; charset=utf-8", "application/vnd.api+json"):
        assert (await maya.put("workitems/1", content="{}", headers={"content-type": kind})).status_code == 201


async def test_hostile_text_comes_back_as_it_was_sent(maya: Client) -> None:
    for name in ("[bold]x[/]", "\x1b[31mred", "👩‍👩‍👧 emoji", "漢字", "x" * 500, "עברית العربية \u202e", "%_'\"\\"):
        item = await added(maya, Name=name, Tags=[name[:90]])

        assert item["fields"]["Name"] == name
        listed = await maya.get("workitems", params={"$filter": f"Name eq '{name.replace(chr(39), chr(39) * 2)}'"})
        assert item["id"] in [found["id"] for found in listed.json()["results"]]
