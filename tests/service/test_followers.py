"""A server with hundreds of followers: its other callers, and its end."""

import asyncio
import shutil
from pathlib import Path

import httpx
import pytest
from tests.service.crowd import STREAMS_PER_USER, Crowd, sign_in_crowd
from tests.service.served_process import PATIENCE, Served

from backlit.service.storage.settings import ServiceLimits, ServiceSettings

pytestmark = pytest.mark.slow

PEOPLE = 63


@pytest.mark.long
async def test_a_server_with_500_followers_of_one_address_answers_others_and_ends_at_once(
    sample_file: Path, tmp_path: Path
) -> None:
    shutil.copy(sample_file, tmp_path / "service.db")
    database = f"sqlite:///{tmp_path}/service.db"
    headers = sign_in_crowd(ServiceSettings(database, tmp_path / "files"), PEOPLE)
    limits = ServiceLimits()
    with Served(tmp_path, database, "--max-requests", "16") as served:
        async with (
            asyncio.timeout(PATIENCE),
            Crowd(served.base, headers) as crowd,
            httpx.AsyncClient(base_url=served.base, timeout=PATIENCE) as client,
        ):
            assert len(crowd.streams) == PEOPLE * STREAMS_PER_USER > limits.connections_per_address
            assert (await client.get("/healthz")).status_code == 200
            head = {"authorization": headers[0]}
            answer = await client.put("/api/v1/workitems/1", json={"Name": "new"}, headers=head)
            assert answer.status_code == 201
            assert await crowd.until_all(b"event: changes") == len(crowd.streams)

            ended = asyncio.create_task(asyncio.to_thread(served.stop))
            assert await crowd.until_all(b'data: {"reason":"stop"}') == len(crowd.streams)
            assert await ended == 0
