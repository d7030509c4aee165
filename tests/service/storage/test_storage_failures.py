"""Databases and disks that fail: nothing acknowledged is lost, and the answer says what is wrong."""

import asyncio
import os
import resource
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path

import httpx
import pytest
from sqlalchemy import Connection, delete, func, select, text, update
from tests.service.served_process import PATIENCE, Served

from backlit.model.errors import Conflict, StorageFull, Unavailable
from backlit.service.app import Service
from backlit.service.storage.clock import Clock
from backlit.service.storage.columns import METADATA
from backlit.service.storage.database import engine_at, transient_error_of, writing_engine
from backlit.service.storage.schema import attachments, work_items
from backlit.service.storage.settings import ServiceSettings
from backlit.service.storage.worker_queue import WorkerQueue

WRITERS = 20
STAMPED = sorted(table.name for table in METADATA.sorted_tables if "last_modified_at" in table.c)
ON_SQLITE = pytest.mark.parametrize("database", ["sqlite"], indirect=True)


@pytest.fixture
def lane(empty_url: str) -> Iterator[WorkerQueue]:
    engine = writing_engine(empty_url)
    lane = WorkerQueue(engine, "test", batch=16)
    lane.submit(lambda c: c.execute(text("CREATE TABLE seen (n INTEGER UNIQUE)"))).result()
    yield lane
    lane.close()
    engine.dispose()


def insert(number: int, connection: Connection) -> int:
    connection.execute(text("INSERT INTO seen VALUES (:n)"), {"n": number})
    return number


def blocked(lane: WorkerQueue, gate: threading.Event) -> "Future[bool]":
    """Keep the lane busy until the gate opens."""
    begun = threading.Event()

    def wait(_: Connection) -> bool:
        begun.set()
        return gate.wait(PATIENCE)

    waiting = lane.submit(wait)
    begun.wait(PATIENCE)
    return waiting


def roll_back(connection: Connection) -> None:
    """Undo the whole transaction, as a database does on a full disk."""
    driver = connection.connection.driver_connection
    assert driver is not None
    driver.rollback()


def test_jobs_of_a_shared_commit_are_kept_when_one_of_them_ends_the_transaction(lane: WorkerQueue) -> None:
    gate = threading.Event()
    first = blocked(lane, gate)

    def fail(connection: Connection) -> None:
        roll_back(connection)
        raise Conflict("no")

    before, failing, after = lane.submit(partial(insert, 1)), lane.submit(fail), lane.submit(partial(insert, 2))
    gate.set()

    assert first.result()
    assert [before.result(), after.result()] == [1, 2]
    assert isinstance(failing.exception(), Conflict)
    assert lane.submit(lambda c: c.execute(text("SELECT count(*) FROM seen")).scalar_one()).result() == 2


def test_a_job_is_not_acknowledged_when_its_transaction_ended_unseen(lane: WorkerQueue) -> None:
    def lose(connection: Connection) -> int:
        insert(1, connection)
        roll_back(connection)
        return 1

    with pytest.raises(Exception, match="rolled the change back"):
        lane.submit(lose).result()

    assert lane.submit(lambda c: c.execute(text("SELECT count(*) FROM seen")).scalar_one()).result() == 0


async def write_until_refused(base: str, header: str, size: int, given: list[tuple[int, str]]) -> httpx.Response:
    """Create items until one is refused."""
    async with httpx.AsyncClient(base_url=f"{base}/api/v1/", headers={"authorization": header}, timeout=60) as client:
        while True:
            description = os.urandom(size // 2).hex()
            body = {"type": "Bug", "projectId": 1, "fields": {"Name": "x", "Description": description}}
            answer = await client.post("workitems", json=body)
            if answer.status_code != 201:
                return answer
            given.append((answer.json()["id"], description))


@pytest.mark.slow
@ON_SQLITE
@pytest.mark.parametrize("size", [200, 20_000, 200_000])
@pytest.mark.long_but("20000")
async def test_every_acknowledged_item_is_there_once_when_the_disk_is_full(
    settings: ServiceSettings, tmp_path: Path, size: int
) -> None:
    given: list[tuple[int, str]] = []
    with Served(tmp_path, settings.database) as served:
        header = await asyncio.to_thread(served.sign_in, "maya")
        room = (tmp_path / "service.db").stat().st_size + 50 * size
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (room, room))
        writers = [write_until_refused(served.base, header, size, given) for _ in range(WRITERS)]
        refused = await asyncio.gather(*writers)

    engine = engine_at(settings.database)
    with engine.connect() as connection:
        rows = connection.execute(select(work_items.c.id, work_items.c.description)).all()
    engine.dispose()
    stored = {row.id: row.description for row in rows}
    assert {answer.status_code for answer in refused} <= {503, 507}
    assert all("try again" in answer.json()["message"] for answer in refused)
    assert len({item_id for item_id, _ in given}) == len(given)
    assert [item_id for item_id, description in given if stored.get(item_id) != description] == []


@ON_SQLITE
async def test_a_full_database_answers_507_and_goes_on_when_there_is_room(
    service: Service, maya: httpx.AsyncClient
) -> None:
    write = service.shared.database.write
    pages = write.submit(lambda c: c.execute(text("PRAGMA page_count")).scalar_one()).result()
    write.submit(lambda c: c.execute(text(f"PRAGMA max_page_count={pages}"))).result()

    full = await maya.put("workitems/1", json={"Description": "x" * 500_000})
    write.submit(lambda c: c.execute(text("PRAGMA max_page_count=1000000"))).result()
    again = await maya.put("workitems/1", json={"Description": "x" * 500_000})

    assert (full.status_code, full.headers["retry-after"]) == (507, "2")
    assert full.json()["message"].startswith("The service's disk is full. No changes were made")
    assert again.status_code == 201


@pytest.mark.slow
@ON_SQLITE
async def test_an_upload_to_a_full_disk_answers_507(settings: ServiceSettings, tmp_path: Path) -> None:
    with Served(tmp_path, settings.database, "--files", str(tmp_path / "files")) as served:
        headers = {"authorization": await asyncio.to_thread(served.sign_in, "maya")}
        resource.prlimit(served.process.pid, resource.RLIMIT_FSIZE, (2**20, 2**20))
        async with httpx.AsyncClient(base_url=f"{served.base}/api/v1/", headers=headers, timeout=60) as client:
            files = {"files": ("large.bin", os.urandom(3 * 2**20))}
            answer = await client.post("workitems/1/attachments", files=files)

    assert answer.status_code == StorageFull.status
    assert list((tmp_path / "files" / "incoming").iterdir()) == []


async def test_contents_stay_as_long_as_their_attachment_when_a_commit_with_its_deletion_fails(
    service: Service, maya: httpx.AsyncClient
) -> None:
    made = (await maya.post("workitems/1/attachments", files={"files": ("a.txt", b"kept")})).json()
    database, gate, tries = service.shared.database, threading.Event(), []
    digest = database.slow.submit(
        lambda c: c.execute(select(attachments.c.digest).where(attachments.c.id == made["id"])).scalar_one()
    ).result()
    first = blocked(database.write, gate)

    def remove_once(connection: Connection) -> None:
        tries.append(1)
        if len(tries) > 1:
            raise Conflict("no")
        connection.execute(delete(attachments).where(attachments.c.id == made["id"]))

    removed = database.write.submit(remove_once)
    released = asyncio.create_task(asyncio.to_thread(service.shared.contents.release, [digest]))
    await asyncio.sleep(0.2)
    ended = database.write.submit(roll_back)
    gate.set()

    assert await asyncio.wrap_future(first)
    for job in (removed, ended):
        await asyncio.to_thread(job.exception, PATIENCE)
    await released
    rows = database.slow.submit(
        lambda c: c.execute(select(func.count()).where(attachments.c.digest == digest)).scalar_one()
    ).result()
    assert bool(rows) == service.shared.contents.store.has(digest)


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_write_that_the_server_times_out_is_a_trouble_that_passes(lane: WorkerQueue) -> None:
    def wait(connection: Connection) -> None:
        connection.execute(text("SET LOCAL statement_timeout = '20ms'"))
        connection.execute(text("SELECT pg_sleep(5)"))

    error = lane.submit(wait).exception()

    assert error is not None
    assert isinstance(transient_error_of(error), Unavailable)
    assert lane.submit(partial(insert, 1)).result() == 1


def set_stamps(url: str, table: str, stamp: datetime) -> None:
    engine = writing_engine(url)
    with engine.begin() as connection:
        connection.execute(update(METADATA.tables[table]).values(last_modified_at=stamp))
    engine.dispose()


NOT_IN_THE_SAMPLE = {"attachments", "views", "relations", "links", "acceptance_criteria", "time_entries"}


@pytest.mark.parametrize("table", [name for name in STAMPED if name not in NOT_IN_THE_SAMPLE])
async def test_stamps_go_on_from_the_newest_stored_one_when_the_machines_clock_was_set_back(
    settings: ServiceSettings, table: str
) -> None:
    newest = Clock().now() + timedelta(days=3)
    set_stamps(settings.database, table, newest)
    service = Service(settings)
    await service.start()

    now = service.shared.clock.now()
    await service.stop()

    assert newest <= now < newest + timedelta(minutes=1)


async def test_a_change_is_newer_than_what_another_process_stored_meanwhile(
    settings: ServiceSettings, maya: httpx.AsyncClient
) -> None:
    newest = Clock().now() + timedelta(days=3)
    engine = writing_engine(settings.database)
    with engine.begin() as connection:
        connection.execute(update(work_items).where(work_items.c.id == 2).values(last_modified_at=newest))
    engine.dispose()

    changed = (await maya.put("workitems/1", json={"Name": "newer"})).json()

    assert datetime.fromisoformat(changed["lastModifiedAt"]) >= newest


def test_a_clock_ahead_of_the_machines_still_runs() -> None:
    clock, newest = Clock(), Clock().now() + timedelta(days=1)
    clock.keep_ahead_of(newest)

    threading.Event().wait(0.1)

    assert timedelta(seconds=0.04) < clock.now() - newest < timedelta(minutes=1)


@ON_SQLITE
async def test_a_locked_database_answers_503_and_says_when_to_come_again(
    service: Service, maya: httpx.AsyncClient, tmp_path: Path
) -> None:
    service.shared.database.write.submit(lambda c: c.execute(text("PRAGMA busy_timeout=50"))).result()

    with closing(sqlite3.connect(tmp_path / "service.db", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        locked = await maya.put("workitems/1", json={"Name": "refused"})
        other.execute("ROLLBACK")
    freed = await maya.put("workitems/1", json={"Name": "taken"})

    assert (locked.status_code, locked.headers["retry-after"]) == (503, "2")
    assert locked.json()["message"].startswith("Another program has locked the database.")
    assert freed.status_code == 201


@ON_SQLITE
@pytest.mark.parametrize("name", ["service.db", "service.db-wal"])
async def test_a_database_file_that_was_moved_answers_503_until_it_is_back(
    service: Service, maya: httpx.AsyncClient, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).rename(tmp_path / "moved")

    refused = [await maya.put("workitems/1", json={"Name": "lost"}), await maya.get("workitems/1")]
    (tmp_path / "moved").rename(tmp_path / name)
    taken = await maya.put("workitems/1", json={"Name": "kept"})

    assert [answer.status_code for answer in refused] == [503, 503]
    assert f"{tmp_path / name} was removed or replaced" in refused[0].json()["message"]
    assert (taken.status_code, taken.json()["fields"]["Name"]) == (201, "kept")


@pytest.mark.slow
@ON_SQLITE
def test_a_second_server_on_one_file_is_refused_and_the_command_line_is_not(
    settings: ServiceSettings, tmp_path: Path
) -> None:
    with Served(tmp_path, settings.database):
        (tmp_path / "second").mkdir()
        with Served(tmp_path / "second", settings.database) as second:
            said = second.base
            status = second.process.wait(PATIENCE)
        command = [sys.executable, "-m", "backlit", "admin", "users", "list", "--database", settings.database]
        beside = subprocess.run(command, capture_output=True, text=True, check=True)

    assert status == 1
    assert f"Another server is running on the database {tmp_path / 'service.db'}." in said
    assert "maya" in beside.stdout
    with Served(tmp_path / "second", settings.database) as third:
        assert third.base.startswith("http://")
