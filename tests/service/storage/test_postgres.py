"""What PostgreSQL alone has: a server that can go away, several services at once, a database that is not empty."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, func, select, text
from sqlalchemy.exc import OperationalError
from tests.service.postgres import Postgres
from tests.service.served_process import PATIENCE

from backlit.model.errors import StorageError
from backlit.model.wrap import TOKEN_PATH, authorization_header, parse_grant
from backlit.service.admin.workspace import write_local
from backlit.service.app import Service
from backlit.service.sample.workspace import write_sample
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import engine_at, parsed_url, writing_engine
from backlit.service.storage.schema import users, work_items
from backlit.service.storage.settings import ServiceSettings
from backlit.service.storage.worker_queue import WorkerQueue


@pytest.fixture
def database() -> str:
    return "postgresql"


@pytest.fixture
def lane(empty_url: str) -> Iterator[WorkerQueue]:
    engine = writing_engine(empty_url)
    lane = WorkerQueue(engine, "test", batch=16)
    yield lane
    lane.close()
    engine.dispose()


def cut_off(connection: Connection) -> None:
    """End all connections to the database, as a server that restarts does."""
    connection.execute(
        text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()")
    )


async def test_reads_and_writes_go_on_after_the_connections_broke(service: Service) -> None:
    shared = service.shared.database
    engine = engine_at(service.settings.database)
    with engine.connect() as connection, pytest.raises(OperationalError):
        cut_off(connection)
    engine.dispose()

    count = await shared.fast.run(lambda c: c.execute(select(func.count()).select_from(work_items)).scalar_one())

    assert count == 160
    assert service.invite("maya")


def test_work_that_the_other_transaction_undid_is_done_again(lane: WorkerQueue) -> None:
    tries = []

    def work(connection: Connection) -> int:
        tries.append(1)
        if len(tries) < 3:
            connection.execute(text("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$"))
        return len(tries)

    assert lane.submit(work).result() == 3


async def test_writes_of_two_services_wait_for_each_other(service: Service, settings: ServiceSettings) -> None:
    other = Service(settings)
    await other.start()
    gate, begun = threading.Event(), threading.Event()

    def wait(_: Connection) -> bool:
        begun.set()
        return gate.wait(60)

    first = service.shared.database.write.submit(wait)
    begun.wait(60)
    second = other.shared.database.write.submit(lambda _: True)

    await asyncio.sleep(0.1)
    assert not second.done()
    gate.set()
    assert first.result()
    assert second.result()
    await other.stop()


async def test_two_services_that_start_at_once_make_the_tables_once(empty_url: str, tmp_path: Path) -> None:
    services = [Service(ServiceSettings(empty_url, tmp_path)) for _ in range(2)]

    await asyncio.gather(*(service.start() for service in services))

    await asyncio.gather(*(service.stop() for service in services))


def test_the_clock_is_the_databases(empty_url: str) -> None:
    clock = Clock()
    engine = writing_engine(empty_url, clock)

    with engine.begin() as connection:
        moment = connection.execute(text("SELECT timezone('UTC', clock_timestamp())")).scalar_one()
    engine.dispose()

    assert isinstance(moment, datetime)
    assert abs((clock.now() - moment).total_seconds()) < 1


AHEAD = """
CREATE SCHEMA ahead;
CREATE FUNCTION ahead.clock_timestamp() RETURNS timestamptz LANGUAGE sql
AS $$ SELECT pg_catalog.clock_timestamp() + interval '1 day' $$;
DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = ahead, pg_catalog, public', current_database()); END $$
"""
"""A server whose clock is a day ahead of this machine's."""


async def test_the_service_follows_the_databases_clock(settings: ServiceSettings) -> None:
    engine = writing_engine(settings.database)
    with engine.connect() as connection:
        connection.connection.driver_connection.execute(AHEAD)  # type: ignore[union-attr] # it is open
        connection.connection.commit()
    engine.dispose()
    service = Service(settings)
    await service.start()
    transport = httpx.ASGITransport(service.asgi)
    async with httpx.AsyncClient(transport=transport, base_url="http://backlit.test/api/v1/") as client:
        form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": service.invite("maya")}
        grant = parse_grant((await client.post(f"http://backlit.test{TOKEN_PATH}", data=form)).text, "tracker.example")
        client.headers["authorization"] = authorization_header(grant.access_token)
        made = await client.post("workitems", json={"type": "Bug", "projectId": 1, "fields": {"Name": "x"}})
    await service.stop()

    ahead = datetime.fromisoformat(made.json()["createdAt"]) - datetime.now(UTC).replace(tzinfo=None)
    assert timedelta(hours=23) < ahead < timedelta(hours=25)


def test_a_workspace_is_written_into_an_empty_database_only(empty_url: str, tmp_path: Path) -> None:
    settings = ServiceSettings(empty_url, tmp_path)
    write_local(settings, "robin")

    with pytest.raises(StorageError, match="already in use"):
        write_sample(settings, 1)

    engine = engine_at(empty_url)
    with engine.connect() as connection:
        assert connection.execute(select(users.c.name)).scalars().all() == ["robin"]
    engine.dispose()


@pytest.mark.slow
async def test_a_sample_that_was_broken_off_is_refused_and_can_be_made_again(empty_url: str, tmp_path: Path) -> None:
    settings = ServiceSettings(empty_url, tmp_path)

    def interrupt(_done: int, _total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write_sample(settings, 1, progress=interrupt)

    with pytest.raises(StorageError, match="incomplete"):
        await Service(settings).start()
    assert write_sample(settings, 1).items == 1


def test_a_server_that_is_not_there_is_said(postgres: Postgres, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="database nowhere cannot be used"):
        asyncio.run(Service(ServiceSettings(postgres.url("nowhere"), tmp_path)).start())


@pytest.mark.parametrize("url", ["mysql://host/db", "postgresql+asyncpg://host/db", "nonsense"])
def test_other_databases_are_refused(url: str) -> None:
    with pytest.raises(StorageError, match=r"postgresql://"):
        parsed_url(url)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder in which another user may run a server."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.mark.slow
@pytest.mark.parametrize(("processes", "number"), [(0, signal.SIGKILL), (2, signal.SIGINT)])
@pytest.mark.long_but("0-9")
def test_an_interrupted_run_leaves_no_server_behind(open_folder: Path, processes: int, number: int) -> None:
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-m",
        "postgresql",
        "-n",
        str(processes),
        "tests/service/routes/test_trees.py",
    ]
    run = subprocess.Popen(
        command,
        env={**os.environ, "PYTEST_DEBUG_TEMPROOT": str(open_folder)},
        stdout=subprocess.DEVNULL,
        start_new_session=True,
    )
    wait_until(lambda: bool(servers(open_folder)))
    run.send_signal(number)
    run.wait(PATIENCE)

    wait_until(lambda: not list(open_folder.glob("backlit-postgres-*")))


def servers(folder: Path) -> list[Path]:
    return list(folder.glob("backlit-postgres-*/postmaster.pid"))


def wait_until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)
