"""Several new items, or objects below them, in one request."""

from typing import Any

import httpx
import pytest

pytestmark = pytest.mark.postgresql

Client = httpx.AsyncClient


def story(name: str, **fields: Any) -> dict[str, Any]:
    return {"projectId": 3, "type": "Story", "fields": {"Name": name, **fields}}


async def names(client: Client) -> list[str]:
    listed = await client.get("workitems", params={"$filter": "projectId eq 3", "$top": "1000"})
    return [item["fields"]["Name"] for item in listed.json()["results"]]


async def test_items_of_a_batch_are_made_in_their_order(maya: Client) -> None:
    before = await names(maya)

    answer = await maya.post("workitems/batch", json={"items": [story("One"), story("Two"), story("Three")]})

    assert answer.status_code == 201
    results = answer.json()["results"]
    assert [each["fields"]["Name"] for each in results] == ["One", "Two", "Three"]
    assert results[1] == (await maya.get(f"workitems/{results[1]['id']}")).json()
    assert await names(maya) == [*before, "One", "Two", "Three"]


async def test_a_batch_with_a_wrong_item_makes_none_and_names_it(maya: Client) -> None:
    before = await names(maya)

    answer = await maya.post("workitems/batch", json={"items": [story("One"), story("Two", Status="Nowhere")]})

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["items[1].Status"]
    assert await names(maya) == before


@pytest.mark.parametrize("items", [[], None, ["One"], [story("One")] * 201], ids=["none", "null", "text", "many"])
async def test_a_batch_that_is_no_list_of_items_is_refused(maya: Client, items: object) -> None:
    answer = await maya.post("workitems/batch", json={"items": items})

    assert answer.status_code == 400
    assert "items" in answer.json()["message"]


OBJECTS: dict[str, list[dict[str, Any]]] = {
    "comments": [{"projectId": 3, "description": text} for text in ("One", "Two")],
    "links": [{"displayText": text, "url": "https://example.org"} for text in ("One", "Two")],
    "acceptancecriteria": [{"title": text} for text in ("One", "Two")],
}


async def of_item(client: Client, noun: str, bodies: list[dict[str, Any]]) -> tuple[int, list[dict[str, Any]]]:
    """A new item, and bodies of objects below it."""
    item_id = (await client.post("workitems", json=story("With objects"))).json()["id"]
    return item_id, [{"workItemId": item_id, **body} for body in bodies]


@pytest.mark.parametrize("noun", OBJECTS)
async def test_objects_of_a_batch_are_made_in_their_order(maya: Client, noun: str) -> None:
    item_id, bodies = await of_item(maya, noun, OBJECTS[noun])

    answer = await maya.post(f"{noun}/batch", json={"items": bodies})

    assert answer.status_code == 201
    assert answer.json()["results"] == (await maya.get(f"workitems/{item_id}/{noun}")).json()["results"]
    assert len(answer.json()["results"]) == 2


@pytest.mark.parametrize("noun", OBJECTS)
async def test_a_batch_with_a_wrong_object_makes_none_and_names_it(maya: Client, noun: str) -> None:
    item_id, bodies = await of_item(maya, noun, OBJECTS[noun])

    answer = await maya.post(f"{noun}/batch", json={"items": [*bodies, {**bodies[0], "workItemId": 987_654}]})

    assert answer.status_code == 400
    assert list(answer.json()["errors"]) == ["items[2].workItemId"]
    assert (await maya.get(f"workitems/{item_id}/{noun}")).json()["results"] == []
