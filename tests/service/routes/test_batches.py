"""Several new items in one request."""

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
