"""What the extensions of relations, criteria, links and time have in common, and the edges of their values."""

from random import Random
from typing import Any

import httpx
import pytest
from tests.service.routes.objects import NOUNS, body_of, item_for, new, task_of
from tests.service.routes.reported import item, put

from backlit.model.relations import INVERSES

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient


async def ids_in(client: Client, path: str, **options: Any) -> list[int]:
    answer = await client.get(path, params={f"${name}": value for name, value in options.items()})
    assert answer.status_code == 200, answer.text
    return [each["id"] for each in answer.json()["results"]]


async def test_capabilities_name_the_extensions_the_relations_and_what_projects_do(maya: Client) -> None:
    document = (await maya.get("capabilities")).json()

    wanted = {"relations", "links", "timeEntries", "acceptanceCriteria", "activities", "convert", "move"}
    assert wanted <= set(document["extensions"])
    assert document["relationTypes"] == [{"type": kind, "inverse": inverse} for kind, inverse in INVERSES.items()]
    assert {(each["workFromTime"], each["dueField"]) for each in document["projects"]} >= {(True, None)}


async def test_team_is_read_alone_as_in_its_list(maya: Client) -> None:
    listed = (await maya.get("teams")).json()["results"][0]

    assert (await maya.get(f"teams/{listed['id']}")).json() == listed
    assert (await maya.get("teams/987654")).status_code == 404


@pytest.mark.parametrize("noun", [*NOUNS, "relations"])
async def test_object_is_made_changed_and_deleted_with_the_answers_of_all_lists(maya: Client, noun: str) -> None:
    item_id = await (item(maya) if noun == "relations" else item_for(maya, noun))
    others = [await item(maya) for _ in range(2)]
    related = {"workItemId": item_id, "type": "Blocks", "targetId": others[0]}
    made = await maya.post(noun, json=related if noun == "relations" else body_of(noun, item_id))
    address = f"{noun}/{made.json()['id']}"
    change = {"relations": {"targetId": others[1]}, "links": {"displayText": "x"}, "timeentries": {"note": "x"}}

    changed = await maya.put(address, json=change.get(noun, {"title": "x"}))
    stale = await maya.put(address, json={}, headers={"if-match": made.headers["etag"]})
    deleted = await maya.delete(address)

    assert (made.status_code, made.headers["location"].rpartition("/api/v1/")[2]) == (201, address)
    assert (changed.status_code, changed.json()["id"]) == (200, made.json()["id"])
    assert stale.status_code == 412
    assert (deleted.status_code, deleted.json()) == (200, {"id": made.json()["id"]})
    assert [(await maya.get(address)).status_code, (await maya.delete(address)).status_code] == [404, 404]


async def test_list_of_an_item_comes_whole_and_others_with_100(maya: Client) -> None:
    item_id = await item(maya)
    batch = [body_of("links", item_id) for _ in range(101)]
    assert (await maya.post("links/batch", json={"items": batch})).status_code == 201

    assert len(await ids_in(maya, f"workitems/{item_id}/links")) == 101
    assert len(await ids_in(maya, "links")) == 100
    assert len(await ids_in(maya, "links", top=7)) == 7


async def test_criteria_of_many_items_are_listed_by_item_and_place(maya: Client) -> None:
    first, second = await item(maya), await item(maya)
    made = [
        (await new(maya, "acceptancecriteria", of, sequence=place))["id"]
        for of, place in ((second, 9), (first, 9), (second, 0), (first, 0))
    ]

    found = await ids_in(maya, "acceptancecriteria", filter=f"workItemId in ({first}, {second})")

    assert found == [made[3], made[1], made[2], made[0]]


async def test_relation_and_virtual_property_change_no_key_of_an_item(maya: Client) -> None:
    story, feature = await item(maya), await item(maya, "Feature")
    before = (await maya.get(f"workitems/{story}")).json()
    for kind in ("Parent", "Blocked By", "Related"):
        body = {"workItemId": story, "type": kind, "targetId": feature}
        assert (await maya.post("relations", json=body)).status_code == 201

    after = (await maya.get(f"workitems/{story}")).json()
    refused = await maya.put(f"workitems/{story}", json={"FeatureID": feature})

    assert list(after["fields"].items()) == list(before["fields"].items()), "the status too"
    assert (refused.status_code, set(refused.json()["errors"])) == (400, {"FeatureID"})
    assert await ids_in(maya, f"workitems/{feature}/tasks") == []


@pytest.mark.parametrize(
    ("sent", "day", "week"),
    [
        ("0001-01-01T00:00:00+14:00", "0001-01-01", 1),
        ("9999-12-31T23:59:59-12:00", "9999-12-31", 52),
        ("2026-01-01T00:00:00-11:00", "2026-01-01", 1),
        ("2027-01-01", "2027-01-01", 53),
    ],
)
async def test_day_of_an_entry_is_the_written_one_with_any_offset(maya: Client, sent: str, day: str, week: int) -> None:
    entry = await new(maya, "timeentries", await task_of(maya), date=sent)

    assert (entry["date"], entry["week"]) == (f"{day}T00:00:00", week)


@pytest.mark.parametrize("seed", range(2))
async def test_work_of_a_task_follows_any_sequence_of_entries(maya: Client, seed: int) -> None:
    """Completed work changes by differences, and neither figure falls below zero: against a plain model."""
    random, task = Random(seed), await task_of(maya, WorkRemaining=5)
    entries: dict[int, float] = {}
    completed, remaining = 0.0, 5.0
    for _ in range(15):
        act = random.choice(["log", "log", "change", "delete", "write"])
        before = after = 0.0
        if act == "write":
            completed = random.choice([0.0, 1.5, 8.0])
            await put(maya, task, WorkCompleted=completed)
        elif act == "log" or not entries:
            after = random.choice([0.25, 1.0, 4.5])
            entries[(await new(maya, "timeentries", task, hours=after))["id"]] = after
        else:
            number = random.choice(list(entries))
            before = entries[number]
            if act == "delete":
                del entries[number]
                await maya.delete(f"timeentries/{number}")
            else:
                after = entries[number] = random.choice([0.5, 2.0])
                await maya.put(f"timeentries/{number}", json={"hours": after})
        completed, remaining = max(0.0, completed + after - before), max(0.0, remaining - after + before)

        fields = (await maya.get(f"workitems/{task}")).json()["fields"]
        assert (fields["WorkCompleted"], fields["WorkRemaining"]) == (completed, remaining), act
