"""Proofs over real processes: nothing acknowledged is lost, and servers that share a database do not undo each other.

BACKLIT_ROUNDS is how often the server is killed (1).
"""

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import orjson
import pytest
from sqlalchemy import Connection, func, select, text
from tests.service.served_process import Served

from backlit.service.storage.database import engine_at
from backlit.service.storage.schema import project_totals, work_items
from backlit.service.storage.settings import ServiceSettings

pytestmark = pytest.mark.slow

ROUNDS = int(os.environ.get("BACKLIT_ROUNDS", "1"))
WRITERS = 8
SECONDS = 1.0
PATIENCE = 90
COUNTERS = 3
STEPS = 12
"""How often each writer of two servers raises each counter."""


@dataclass
class Written:
    """What one client knows: names that were acknowledged by item, and the write that was under way."""

    names: dict[int, str] = field(default_factory=dict)
    under_way: tuple[int, str] = (0, "")


async def write_until_killed(base: str, header: str, writer: int, written: Written) -> None:
    """Create items and rename each once, noting every answer, until the server is gone."""
    async with httpx.AsyncClient(base_url=f"{base}/api/v1/", headers={"authorization": header}) as client:
        number = 0
        while True:
            name = f"writer {writer}, {number}"
            number += 1
            try:
                body = {"type": "Bug", "projectId": 1, "fields": {"Name": name}}
                created = await client.post("workitems", json=body)
                assert created.status_code == 201, created.text
                item_id = created.json()["id"]
                written.names[item_id] = name
                written.under_way = item_id, f"{name}, renamed"
                changed = await client.put(f"workitems/{item_id}", json={"Name": written.under_way[1]})
                assert changed.status_code == 201, changed.text
                written.names[item_id] = written.under_way[1]
            except httpx.TransportError:
                return


async def one_round(served: Served, header: str) -> list[Written]:
    writers = [Written() for _ in range(WRITERS)]
    tasks = [
        asyncio.create_task(write_until_killed(served.base, header, number, written))
        for number, written in enumerate(writers)
    ]
    await asyncio.sleep(SECONDS)
    for _ in range(PATIENCE):  # a busy machine has written nothing yet
        if sum(len(each.names) for each in writers) > WRITERS:
            break
        await asyncio.sleep(SECONDS)
    await asyncio.to_thread(served.kill)
    await asyncio.gather(*tasks)
    return writers


def missing(connection: Connection, writers: list[Written]) -> list[object]:
    """What was acknowledged and is not there."""
    names = {row.id: row.name for row in connection.execute(select(work_items.c.id, work_items.c.name))}
    return [
        (item_id, name, names.get(item_id))
        for written in writers
        for item_id, name in written.names.items()
        if names.get(item_id) != name and (item_id, names.get(item_id)) != written.under_way
    ]


def faults(connection: Connection) -> list[object]:
    """What is wrong inside the database: pages, references, counters, documents."""
    found: list[object] = []
    if connection.dialect.name == "sqlite":
        found += [row[0] for row in connection.execute(text("PRAGMA integrity_check")) if row[0] != "ok"]
        found += list(connection.execute(text("PRAGMA foreign_key_check")))
    counted = select(work_items.c.project_id, func.count()).group_by(work_items.c.project_id)
    counts = {row[0]: row[1] for row in connection.execute(counted)}
    kept = {row.project_id: row.item_count for row in connection.execute(select(project_totals)) if row.item_count}
    found += [] if counts == kept else [(counts, kept)]
    for row in connection.execute(select(work_items.c.id, work_items.c.name, work_items.c.doc)):
        document = orjson.loads(row.doc)
        if (document["id"], document["fields"]["Name"]) != (row.id, row.name):
            found.append(row)
    return found


async def test_acknowledged_writes_survive_the_death_of_the_server(settings: ServiceSettings, tmp_path: Path) -> None:
    engine = engine_at(settings.database)
    header, acknowledged = "", 0
    for number in range(ROUNDS):
        with Served(tmp_path, settings.database) as served:
            header = header or await asyncio.to_thread(served.sign_in, "maya")
            writers = await one_round(served, header)
        acknowledged += sum(len(written.names) for written in writers)

        with engine.connect() as connection:
            assert missing(connection, writers) == [], f"round {number}"
            assert faults(connection) == [], f"round {number}"
    engine.dispose()
    assert acknowledged > ROUNDS * WRITERS


@pytest.fixture
async def two_servers(settings: ServiceSettings, tmp_path: Path) -> AsyncIterator[list[httpx.AsyncClient]]:
    async with AsyncExitStack() as stack:
        clients = []
        for name in ("first", "second"):
            (tmp_path / name).mkdir()
            served = stack.enter_context(Served(tmp_path / name, settings.database))
            headers = {"authorization": await asyncio.to_thread(served.sign_in, "maya")}
            client = httpx.AsyncClient(base_url=f"{served.base}/api/v1/", headers=headers, timeout=60)
            clients.append(await stack.enter_async_context(client))
        yield clients


async def raise_counters(client: httpx.AsyncClient, items: list[int], seen: list[tuple[int, int, str]]) -> None:
    """Count each item's name up by one, many times, each time only if nobody else did meanwhile."""
    for item_id in items * STEPS:
        while True:
            read = await client.get(f"workitems/{item_id}")
            value = int(read.json()["fields"]["Name"]) + 1
            headers = {"if-match": read.headers["etag"]}
            answer = await client.put(f"workitems/{item_id}", json={"Name": str(value)}, headers=headers)
            if answer.status_code == 412:
                continue
            assert answer.status_code == 201, answer.text
            seen.append((item_id, value, answer.json()["lastModifiedAt"]))
            break


async def create_many(client: httpx.AsyncClient, ids: list[int]) -> None:
    for _ in range(COUNTERS * STEPS):
        body = {"type": "Task", "projectId": 1, "fields": {"Name": "x", "ParentID": 1}}
        answer = await client.post("workitems", json=body)
        if answer.status_code == 400:
            body = {"type": "Bug", "projectId": 1, "fields": {"Name": "x"}}
            answer = await client.post("workitems", json=body)
        assert answer.status_code == 201, answer.text
        ids.append(answer.json()["id"])


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
async def test_two_servers_on_one_database_lose_no_update(
    two_servers: list[httpx.AsyncClient], settings: ServiceSettings
) -> None:
    items = []
    for _ in range(COUNTERS):
        body = {"type": "Bug", "projectId": 1, "fields": {"Name": "0"}}
        items.append((await two_servers[0].post("workitems", json=body)).json()["id"])
    seen: list[tuple[int, int, str]] = []
    ids: list[int] = []

    writers = [raise_counters(client, items, seen) for client in two_servers for _ in range(WRITERS // 4)]
    await asyncio.gather(*writers, *(create_many(client, ids) for client in two_servers for _ in range(WRITERS // 4)))

    for item_id in items:
        mine = sorted((value, stamp) for item, value, stamp in seen if item == item_id)
        assert [value for value, _ in mine] == list(range(1, len(writers) * STEPS + 1))
        stamps = [stamp for _, stamp in mine]
        assert stamps == sorted(set(stamps))
        final = (await two_servers[1].get(f"workitems/{item_id}")).json()
        assert final["fields"]["Name"] == str(len(writers) * STEPS)
    assert len(ids) == len(set(ids))
    engine = engine_at(settings.database)
    with engine.connect() as connection:
        assert faults(connection) == []
    engine.dispose()
