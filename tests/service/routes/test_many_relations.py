"""Ten thousand relations in one project."""

from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, insert, select
from tests.service.routes.reported import item

from backlit.service.app import Service
from backlit.service.storage.objects_schema import relations

Client = httpx.AsyncClient
ITEMS, REACH = 200, 59
"""Each item blocks the next ones."""
COUNT = sum(min(REACH, ITEMS - 1 - at) for at in range(ITEMS))


@pytest.mark.slow
@pytest.mark.postgresql
async def test_many_relations_are_listed_once_checked_filtered_and_deleted(service: Service, maya: Client) -> None:
    assert COUNT >= 10_000
    items = [await item(maya) for _ in range(ITEMS)]
    pairs = [(items[at], other) for at in range(ITEMS) for other in items[at + 1 : at + 1 + REACH]]
    body = {"workItemId": items[0], "type": "Blocks", "targetId": items[1]}
    made = (await maya.post("relations", json=body)).json()["id"]

    def fill(connection: Connection) -> None:
        row = dict(connection.execute(select(relations).where(relations.c.id == made)).mappings().one())
        del row["id"]
        connection.execute(
            insert(relations), [row | {"work_item_id": first, "target_id": second} for first, second in pairs[1:]]
        )

    service.shared.database.write.submit(fill).result()
    listed = await all_of(maya, "relations?$filter=id gt {} and projectId eq 1&$orderby=id&$top=1000")
    circle = await maya.post("relations", json={"workItemId": items[-1], "type": "Blocks", "targetId": items[0]})
    blocked = await all_of(maya, "workitems?$filter=IsBlocked eq true and id gt {}&$orderby=id&$top=1000&$select=id")
    counts = (await maya.get(f"workitems?$filter=id eq {items[100]}&$select=id,RelationCount")).json()["results"]
    assert (await maya.delete(f"workitems/{items[100]}")).status_code == 200
    left = (await maya.get("relations?$top=1")).json()["totalResults"]

    assert [(each["workItemId"], each["targetId"]) for each in listed] == pairs
    assert (circle.status_code, "circle" in circle.json()["message"]) == (400, True)
    assert [each["id"] for each in blocked if each["id"] in set(items)] == items[1:]
    assert counts[0]["RelationCount"] == 2 * REACH
    assert left == COUNT - 2 * REACH


async def all_of(client: Client, address: str) -> list[dict[str, Any]]:
    """Read a list in pages, each after the last id of the one before."""
    found: list[dict[str, Any]] = []
    while True:
        page = (await client.get(address.format(found[-1]["id"] if found else 0))).json()["results"]
        if not page:
            return found
        found += page
