"""Links, acceptance criteria and time entries as tests make them at the service."""

from typing import Any

import httpx
from tests.service.routes.reported import item

Client = httpx.AsyncClient
Document = dict[str, Any]
NOUNS = ("links", "acceptancecriteria", "timeentries")
DAY = "2026-03-11"


async def task_of(client: Client, **fields: Any) -> int:
    return await item(client, "Task", ParentID=await item(client), **fields)


async def new(client: Client, noun: str, item_id: int, **values: Any) -> Document:
    answer = await client.post(noun, json={**body_of(noun, item_id), **values})
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"].endswith(f"/{noun}/{answer.json()['id']}")
    made: Document = answer.json()
    return made


def body_of(noun: str, item_id: int) -> Document:
    return {
        "links": {"workItemId": item_id, "displayText": "Survey", "url": "https://example.org/2026"},
        "acceptancecriteria": {"workItemId": item_id, "title": "It works"},
        "timeentries": {"taskId": item_id, "date": DAY, "hours": 1.5, "type": "Testing"},
    }[noun]


async def item_for(client: Client, noun: str) -> int:
    return await (task_of(client) if noun == "timeentries" else item(client))
