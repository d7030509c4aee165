"""Parts of items that were split: what is told of them, and what reports make of them."""

from typing import Any

import httpx
import pytest
from tests.service.history_rows import everything, expected, recorded, rows_after
from tests.service.routes.reported import item, let_days_pass, put, report, say, sprint_from, value_of

from backlit.service.app import Service
from backlit.service.tables.changes import last_revision

Client = httpx.AsyncClient


async def part_of(client: Client, source: int, item_type: str = "Story", **fields: Any) -> httpx.Response:
    body = {"projectId": 1, "type": item_type, "splitFrom": source, "fields": {"Name": "Part", **fields}}
    return await client.post("workitems", json=body)


async def part_id(client: Client, source: int, **fields: Any) -> int:
    answer = await part_of(client, source, **fields)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


@pytest.mark.postgresql
async def test_only_a_selection_shows_what_an_item_was_split_from(maya: Client) -> None:
    source = await item(maya)
    made = await part_of(maya, source)
    part = made.json()["id"]
    here = {"$filter": f"id ge {source} and projectId eq 1"}

    one = [(await maya.get(f"workitems/{each}", params={"$select": "id,splitFrom"})).json() for each in (source, part)]
    listed = (await maya.get("workitems", params={**here, "$select": "id,SplitFrom,fields/Name"})).json()["results"]
    every = (await maya.get("workitems", params={**here, "$select": "*"})).json()["results"]

    assert one == [{"id": source, "splitFrom": None}, {"id": part, "splitFrom": source}]
    assert [(each["id"], each["splitFrom"]) for each in listed] == [(source, None), (part, source)]
    assert every == [(await maya.get(f"workitems/{each}")).json() for each in (source, part)]
    assert "splitFrom" not in {*made.json(), *made.json()["fields"], *every[1]}


async def test_what_an_item_was_split_from_never_changes(maya: Client) -> None:
    source, other = await item(maya), await item(maya)
    part = await part_id(maya, source)

    await put(maya, part, splitFrom=other, Name="Renamed")

    found = (await maya.get(f"workitems/{part}", params={"$select": "splitFrom,Name"})).json()
    assert found == {"splitFrom": source, "fields": {"Name": "Renamed"}}


@pytest.mark.parametrize("source", [0, None])
async def test_item_without_a_source_is_no_part(maya: Client, source: Any) -> None:
    part = await part_id(maya, source)

    assert (await maya.get(f"workitems/{part}", params={"$select": "splitFrom"})).json() == {"splitFrom": None}


@pytest.mark.parametrize("source", [987_654, "1", True, -1, 1.5, [1], "task", "hidden"])
async def test_wrong_source_is_named(maya: Client, source: Any) -> None:
    if source == "task":
        source = await item(maya, "Task", ParentID=await item(maya))
    if source == "hidden":
        body = {"projectId": 2, "type": "Story", "fields": {"Name": "Elsewhere"}}
        source = (await maya.post("workitems", json=body)).json()["id"]

    answer = await part_of(maya, source)

    assert answer.status_code == 400
    assert answer.json()["errors"] == {
        "splitFrom": "splitFrom must be the id of a work item of the project that is no task."
    }


async def test_history_has_the_source_of_a_part_that_is_created_and_removed(maya: Client, service: Service) -> None:
    run = service.shared.database.write.submit
    source = await item(maya)
    before, last = run(everything).result(), run(last_revision).result()
    part = await part_id(maya, source)
    created = run(rows_after).result()[-1]["fields"]
    assert run(lambda connection: recorded(connection, last)).result() == expected(before, run(everything).result())
    before, last = run(everything).result(), run(last_revision).result()

    assert (await maya.delete(f"workitems/{part}")).status_code == 200

    assert run(lambda connection: recorded(connection, last)).result() == expected(before, run(everything).result())
    assert created["splitFrom"] == [None, source]
    assert run(rows_after).result()[-1]["fields"]["="]["splitFrom"] == source


@pytest.mark.slow
@pytest.mark.postgresql
async def test_part_that_the_rollover_keeps_is_done_in_the_closed_sprint(service: Service, maya: Client) -> None:
    sprint, following = await sprint_from(maya, -10, -1), await sprint_from(maya, 0, 9)
    source = await item(maya, Estimate="8", IterationID=sprint)
    let_days_pass(service, 10)
    await say(maya, sprint, "close")
    await put(maya, source, Estimate="5", IterationID=following)
    part = await part_id(maya, source, Estimate="3", IterationID=sprint, Status="Done")

    found = await report(maya, "velocity", iteration=sprint)
    assert [value_of(found, title, 0) for title in ("Committed", "Done", "Remaining", "Change")] == [8, 3, 5, 0]

    assert (await maya.delete(f"workitems/{part}")).status_code == 200
    found = await report(maya, "velocity", iteration=sprint)
    assert [value_of(found, title, 0) for title in ("Done", "Remaining")] == [3, 5]


async def test_part_made_in_the_sprint_is_one_move_out_and_never_added(maya: Client) -> None:
    sprint, following = await sprint_from(maya, -4, 4), await sprint_from(maya, 5, 9)
    source = await item(maya, Estimate="8", IterationID=sprint)
    await say(maya, sprint, "start")
    await part_id(maya, source, Estimate="3", IterationID=sprint, Status="Done")
    await put(maya, source, Estimate="5", IterationID=following)

    summary = (await report(maya, "scope", iteration=sprint))["summary"]

    assert (summary["committed"], summary["scope"], summary["movedOut"]) == (8, 3, 5)
    assert (summary["added"], summary["reestimated"]) == (0, 0)
