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


@pytest.mark.slow
def test_one_follower_more_than_the_server_takes_is_told_when_to_come_again(sample_file: Path, tmp_path: Path) -> None:
    shutil.copy(sample_file, tmp_path / "service.db")
    with (
        Served(tmp_path, f"sqlite:///{tmp_path}/service.db", "--max-followers", "1") as served,
        httpx.Client(base_url=f"{served.base}/api/v1/", timeout=PATIENCE) as client,
    ):
        maya, jon = ({"authorization": served.sign_in(user)} for user in ("maya", "jon"))
        with client.stream("GET", "changes/stream", headers=maya) as first:
            lines = first.iter_lines()  # kept: its end would be that of the stream
            next(lines)
            with client.stream("GET", "changes/stream", headers=jon) as second:
                status, after = second.status_code, second.headers.get("retry-after", "")

    assert (first.status_code, status) == (200, 429)
    assert 20 <= int(after) <= 40
