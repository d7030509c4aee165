"""Calls of a project with reports: items, sprints and days that pass."""

from datetime import datetime, timedelta
from typing import Any

import httpx
from sqlalchemy import Connection, select, update

from backlit.service.app import Service
from backlit.service.storage.schema import changes, iteration_events, iteration_log, projects, work_items

Client = httpx.AsyncClient
Document = dict[str, Any]


async def report(client: Client, name: str, **query: Any) -> Document:
    answer = await client.get(f"projects/1/reports/{name}", params=query)
    assert answer.status_code == 200, answer.text
    document: Document = answer.json()
    return document


async def sprint_from(client: Client, first: int, last: int) -> int:
    """Create a sprint whose first and last day are so many days from today."""
    today = datetime.fromisoformat((await report(client, "age"))["asOf"]).date()
    dates = {"startDate": str(today + timedelta(first)), "endDate": str(today + timedelta(last))}
    answer = await client.post("iterations", json={"projectId": 1, "name": f"From {first} to {last}", **dates})
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


async def item(client: Client, item_type: str = "Story", **fields: Any) -> int:
    body = {"projectId": 1, "type": item_type, "fields": {"Name": "New", **fields}}
    answer = await client.post("workitems", json=body)
    assert answer.status_code == 201, answer.text
    return int(answer.json()["id"])


async def put(client: Client, item_id: int, **fields: Any) -> None:
    answer = await client.put(f"workitems/{item_id}", json=fields)
    assert answer.status_code == 201, answer.text


def let_days_pass(service: Service, days: int) -> None:
    """Let all that happened so far have happened so many days earlier."""

    def earlier(connection: Connection) -> None:
        for table, name, key in (
            (changes, "at", "revision"),
            (iteration_log, "at", "revision"),
            (iteration_events, "at", "revision"),
            (work_items, "created_at", "id"),
            (projects, "history_since", "id"),
        ):
            for row in connection.execute(select(table.c[key], table.c[name]).where(table.c[name].is_not(None))).all():
                moved = update(table).where(table.c[key] == row[0], table.c[name] == row[1])
                connection.execute(moved.values({name: row[1] - timedelta(days)}))

    service.shared.database.write.submit(earlier).result()


def value_of(document: Document, title: str, row: int) -> Any:
    return document["rows"][row][document["columns"].index(title)]


async def agree(client: Client, **settings: Any) -> None:
    answer = await client.put("projects/1/settings", json=settings)
    assert answer.status_code == 200, answer.text


async def say(client: Client, sprint: int, event: str) -> None:
    answer = await client.post(f"iterations/{sprint}/{event}")
    assert answer.status_code == 200, answer.text
