"""Links, acceptance criteria and time entries: their values, their order, and the work that follows from time."""

from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, delete, update
from tests.service.routes.objects import NOUNS, body_of, item_for, new, task_of
from tests.service.routes.reported import item, put

from backlit.service.app import Service
from backlit.service.storage.schema import projects, time_entry_types

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient
Document = dict[str, Any]
HOSTILE = "'; DROP TABLE links; -- %s {0} <b>\u202e\U0001f600\x1b[31m\n:x"
"""A text that stays as it is only where every value is bound."""


WRONG: dict[str, list[Document]] = {
    "links": [
        *(
            {"url": url}
            for url in ("example.org", "/a", "javascript:alert(1)", "http://", "mailto:", "http://a b", "", 1)
        ),
        {"url": "https://example.org/" + "a" * 2000},
        {"url": "https://example.org/\u0007"},
        *({"displayText": text} for text in ("", " ", "a" * 501, 1, "a\0")),
    ],
    "acceptancecriteria": [
        *({"title": text} for text in ("", " ", "a" * 501, 1)),
        *({"status": status} for status in ("Passed", "pass", 1)),
        {"description": 1},
        *({"sequence": number} for number in ("1", 1.5, True)),
    ],
    "timeentries": [
        *({"hours": hours} for hours in (0, -1, 1000.1, "1", True)),
        *({"date": day} for day in ("2026-02-30", "11.3.2026", 1)),
        *({"type": kind} for kind in ("Sleeping", "", 1)),
        *({"workRemaining": work} for work in (-1, "1")),
        {"note": 1},
    ],
}


@pytest.mark.parametrize("noun", NOUNS)
async def test_wrong_value_is_refused_and_named(maya: Client, noun: str) -> None:
    item_id = await item_for(maya, noun)
    made = await new(maya, noun, item_id)
    wrong = {}
    for values in WRONG[noun]:
        (key,) = values
        for answer in (
            await maya.post(noun, json={**body_of(noun, item_id), **values}),
            await maya.put(f"{noun}/{made['id']}", json=values),
        ):
            if answer.status_code != 400 or set(answer.json()["errors"]) != {key}:
                wrong[str(values)] = answer.text

    assert wrong == {}
    assert (await maya.get(f"{noun}/{made['id']}")).json() == made


@pytest.mark.parametrize("noun", NOUNS)
async def test_item_and_required_values_are_needed(maya: Client, rex: Client, noun: str) -> None:
    item_id = await item_for(maya, noun)
    other = (await maya.post("workitems", json={"projectId": 2, "type": "Story", "fields": {"Name": "x"}})).json()["id"]
    right, key = body_of(noun, item_id), next(iter(body_of(noun, 1)))
    unfit = await item(maya) if noun == "timeentries" else await task_of(maya)

    for missing in (each for each in right if each != key):
        answer = await maya.post(noun, json={name: value for name, value in right.items() if name != missing})
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {missing}), missing
    for client, values, named in (
        (maya, {key: 987_654}, key),
        (maya, {key: str(item_id)}, key),
        (rex, {key: other}, key),
        (maya, {"projectId": 2}, "projectId"),
        *(((maya, {key: unfit}, key),) if noun != "links" else ()),
    ):
        answer = await client.post(noun, json={**right, **values})
        assert (answer.status_code, set(answer.json()["errors"])) == (400, {named}), values


async def test_whole_objects_of_the_original_library_are_taken(maya: Client) -> None:
    audit: Document = {"createdBy": None, "createdAt": "0001-01-01T00:00:00", "lastModifiedBy": None}
    audit |= {"lastModifiedAt": "0001-01-01T00:00:00", "id": 0, "projectId": 0, "unknown": 1}
    story, task = await item(maya), await task_of(maya)

    link = await new(maya, "links", story, **audit)
    criterion = await new(maya, "acceptancecriteria", story, description=None, status=None, **audit)
    day = {"date": "2014-01-31T00:00:00+02:00", "week": 0, "userId": 0, "note": None}
    entry = await new(maya, "timeentries", task, **day, **audit)

    assert {key: link[key] for key in ("projectId", "workItemId", "displayText", "createdBy")} == {
        "projectId": 1, "workItemId": story, "displayText": "Survey", "createdBy": "maya",
    }  # fmt: skip
    assert (criterion["description"], criterion["status"], criterion["sequence"]) == ("", "Not Executed", 1)
    assert (entry["date"], entry["week"], entry["userId"], entry["note"]) == ("2014-01-31T00:00:00", 5, 1, None)
    for noun, made in (("links", link), ("acceptancecriteria", criterion), ("timeentries", entry)):
        again = await maya.put(f"{noun}/{made['id']}", json={**made, "createdBy": "x", "week": 3})
        assert (again.status_code, again.json()) == (200, made)


@pytest.mark.parametrize("noun", NOUNS)
async def test_change_is_read_back_and_moves_the_stamp_of_the_item(maya: Client, jon: Client, noun: str) -> None:
    item_id = await item_for(maya, noun)
    changes: dict[str, Document] = {
        "links": {"displayText": HOSTILE, "url": "mailto:ann@example.org?subject=';--"},
        "acceptancecriteria": {"title": HOSTILE, "description": HOSTILE, "status": "Fail"},
        "timeentries": {"date": "2026-03-12T00:00:00", "hours": 0.016666668, "type": "Design", "note": HOSTILE},
    }
    stamps = [(await maya.get(f"workitems/{item_id}")).json()["lastModifiedAt"]]

    async def note_stamp() -> None:
        found = (await maya.get(f"workitems/{item_id}")).json()
        stamps.append(found["lastModifiedAt"])
        assert found["lastModifiedBy"] == "jon"

    made = await new(jon, noun, item_id)
    await note_stamp()
    changed = await jon.put(f"{noun}/{made['id']}", json=changes[noun])
    await note_stamp()
    stale = await jon.put(f"{noun}/{made['id']}", json=changes[noun], headers={"if-match": '"other"'})
    listed = (await maya.get(f"{'tasks' if noun == 'timeentries' else 'workitems'}/{item_id}/{noun}")).json()["results"]
    gone = await jon.delete(f"{noun}/{made['id']}")
    await note_stamp()

    assert changed.status_code == 200, changed.text
    assert {key: changed.json()[key] for key in changes[noun]} == changes[noun]
    assert stale.status_code == 412
    assert listed == [changed.json()]
    assert gone.json() == {"id": made["id"]}
    assert sorted(set(stamps)) == stamps


async def test_criteria_keep_the_order_that_is_asked_for(maya: Client) -> None:
    story, other = await item(maya), await item(maya)
    await new(maya, "acceptancecriteria", other)
    made = {name: await new(maya, "acceptancecriteria", story, title=name) for name in "ab"}
    made["c"] = await new(maya, "acceptancecriteria", story, title="c", sequence=0)

    async def order() -> str:
        found = (await maya.get(f"workitems/{story}/acceptancecriteria")).json()["results"]
        assert [each["sequence"] for each in found] == [*range(1, len(found) + 1)]
        return "".join(each["title"] for each in found)

    assert await order() == "cab"
    etag = (await maya.get(f"acceptancecriteria/{made['a']['id']}")).headers["etag"]
    for name, sequence, expected in (("c", 1000, "abc"), ("b", 1, "bac"), ("b", 2, "abc"), ("c", 0, "cab")):
        await maya.put(f"acceptancecriteria/{made[name]['id']}", json={"sequence": sequence})
        assert await order() == expected
    kept = await maya.put(f"acceptancecriteria/{made['a']['id']}", json={"status": "Pass"}, headers={"if-match": etag})
    assert kept.status_code == 200
    await maya.delete(f"acceptancecriteria/{made['c']['id']}")
    assert await order() == "ab"
    chosen = {"$select": "CriteriaCount,CriteriaPassed"}
    assert (await maya.get(f"workitems/{story}", params=chosen)).json() == {"CriteriaCount": 2, "CriteriaPassed": 1}
    everywhere = (await maya.get("acceptancecriteria")).json()["results"]
    assert [each["workItemId"] for each in everywhere] == [story, story, other]


async def test_time_changes_the_work_of_its_task_by_the_difference(maya: Client) -> None:
    story = await item(maya)
    task = await item(maya, "Task", ParentID=story, WorkRemaining=3)
    empty = await item(maya, "Task", ParentID=story)

    async def work(of: int = task) -> tuple[float | None, float | None]:
        fields = (await maya.get(f"workitems/{of}")).json()["fields"]
        return fields["WorkCompleted"], fields["WorkRemaining"]

    entry = await new(maya, "timeentries", task, hours=2)
    assert await work() == (2, 1)
    address = f"timeentries/{entry['id']}"
    for body, completed, remaining in (
        ({"hours": 2.5}, 2.5, 0.5),
        ({"hours": 4}, 4, 0),
        ({"hours": 1, "workRemaining": 7}, 1, 7),
        ({"workRemaining": None}, 1, None),
        ({"workRemaining": 5}, 1, 5),
        ({"note": "x"}, 1, 5),
    ):
        assert (await maya.put(address, json=body)).status_code == 200
        assert await work() == (completed, remaining), body
    await put(maya, task, WorkCompleted=0.5)
    await maya.delete(address)
    assert await work() == (0, 6)
    for _ in range(3):
        await new(maya, "timeentries", task, hours=0.1)
    assert await work() == (0.3, 5.7)
    await new(maya, "timeentries", empty, hours=0.25)
    assert await work(empty) == (0.25, None)
    assert (await maya.get(f"workitems/{story}")).json()["fields"]["CalculatedEstimate"] == 6.25


async def test_time_leaves_the_work_alone_where_the_project_says_so(service: Service, maya: Client) -> None:
    task = await task_of(maya, WorkRemaining=3, WorkCompleted=1)

    def turn_off(connection: Connection) -> None:
        revision = projects.c.settings_revision + 1
        connection.execute(update(projects).values(work_from_time=False, settings_revision=revision))

    service.shared.database.write.submit(turn_off).result()
    entry = await new(maya, "timeentries", task, workRemaining=9)
    await maya.delete(f"timeentries/{entry['id']}")

    fields = (await maya.get(f"workitems/{task}")).json()["fields"]
    told = (await maya.get("capabilities")).json()["projects"]
    assert (fields["WorkCompleted"], fields["WorkRemaining"]) == (1, 3)
    assert {each["workFromTime"] for each in told} == {False}


async def test_time_of_others_is_for_managers(maya: Client, jon: Client, rex: Client) -> None:
    task = await task_of(maya)
    mine, other = await new(jon, "timeentries", task), await new(maya, "timeentries", task, userId=2)
    hers = await new(maya, "timeentries", task)
    strangers = [(await maya.post("timeentries", json=body_of("timeentries", task) | {"userId": 987_654}))]

    assert [each["userId"] for each in (mine, other, hers)] == [2, 2, 1]
    assert (await jon.post("timeentries", json=body_of("timeentries", task) | {"userId": 1})).status_code == 403
    assert [set(each.json()["errors"]) for each in strangers] == [{"userId"}]
    for client, entry, status in ((jon, hers, 403), (rex, mine, 403), (jon, other, 200), (maya, mine, 200)):
        changed = await client.put(f"timeentries/{entry['id']}", json={"note": "x", "userId": 1, "taskId": 1})
        assert changed.status_code == status
        if status == 200:
            assert (changed.json()["userId"], changed.json()["taskId"]) == (2, task)
    assert (await jon.delete(f"timeentries/{hers['id']}")).status_code == 403
    assert (await maya.delete(f"timeentries/{mine['id']}")).status_code == 200
    assert (await maya.get(f"tasks/{await item(maya)}/timeentries")).status_code == 404


async def test_entry_keeps_a_type_that_the_project_gave_up(service: Service, maya: Client) -> None:
    task = await task_of(maya)
    entry = await new(maya, "timeentries", task)

    def give_up(connection: Connection) -> None:
        connection.execute(delete(time_entry_types).where(time_entry_types.c.name == "Testing"))

    service.shared.database.write.submit(give_up).result()
    kept = await maya.put(f"timeentries/{entry['id']}", json={**entry, "hours": 3})
    refused = await maya.post("timeentries", json=body_of("timeentries", task))
    service.shared.database.write.submit(lambda connection: connection.execute(delete(time_entry_types))).result()
    without = await new(maya, "timeentries", task, type=None)

    assert (kept.status_code, kept.json()["type"], kept.json()["hours"]) == (200, "Testing", 3)
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"type"})
    assert without["type"] is None


async def test_day_of_an_entry_is_found(maya: Client) -> None:
    task = await task_of(maya)
    made = [await new(maya, "timeentries", task, date=day) for day in ("2014-01-30", "2014-01-31", "2014-02-01")]

    for text, numbers in (
        ("date eq datetime'2014-01-31'", [1]),
        ("date ge 2014-01-31 and projectId eq 1", [1, 2]),
        ("week eq 5 and userId eq 1", [0, 1, 2]),
        ("date gt datetime'2014-01-31T00:00:00'", [2]),
    ):
        found = await maya.get("timeentries", params={"$filter": text, "$orderby": "date"})
        assert [each["id"] for each in found.json()["results"]] == [made[number]["id"] for number in numbers], text


async def test_deleted_item_takes_what_is_below_it(maya: Client) -> None:
    story = await item(maya)
    task = await item(maya, "Task", ParentID=story)
    made = {noun: await new(maya, noun, task if noun == "timeentries" else story) for noun in NOUNS}

    await maya.delete(f"workitems/{story}")

    assert {(await maya.get(f"{noun}/{each['id']}")).status_code for noun, each in made.items()} == {404}
    assert [(await maya.get(noun)).json()["totalResults"] for noun in NOUNS] == [0, 0, 0]


@pytest.mark.slow
@pytest.mark.parametrize("noun", ["links", "acceptancecriteria"])
async def test_item_has_at_most_200(maya: Client, noun: str) -> None:
    story = await item(maya)
    made = await maya.post(f"{noun}/batch", json={"items": [body_of(noun, story)] * 200})
    assert made.status_code == 201, made.text

    refused = await maya.post(noun, json=body_of(noun, story))

    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"workItemId"})
    assert (await maya.get(f"workitems/{story}/{noun}")).json()["totalResults"] == 200
