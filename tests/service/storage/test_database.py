"""Lanes, transactions, migrations and the life of a service."""

import asyncio
import sqlite3
import threading
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import closing
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import Connection, select, text, update
from sqlalchemy.event import listen
from tests.store.documents import places_in
from tests.store.world import until

from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import BadRequest, Conflict, ServiceError, StorageError
from backlit.model.statuses import StatusGroup
from backlit.service.admin.check import Checker
from backlit.service.admin.value_lists import set_groups
from backlit.service.app import Service
from backlit.service.files.local import open_content_store
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import engine_at, writing_engine
from backlit.service.storage.migrations import VERSION
from backlit.service.storage.schema import (
    HISTORY_COLUMNS,
    OBJECTS_BELOW_ITEMS,
    activity_marks,
    change_texts,
    changes,
    due_field_of_project,
    iteration_log,
    mentions,
    read_activities,
    schema_version,
    status_groups,
    users,
    work_items,
    workspace,
)
from backlit.service.storage.settings import ServiceSettings
from backlit.service.storage.worker_queue import WorkerQueue
from backlit.service.tables.changes import last_revision
from backlit.store import ConnectionState, Store
from backlit.store.engine.engine import Report
from backlit.store.records.item import ItemRow
from backlit.store.views.query import ViewSpec

pytestmark = pytest.mark.postgresql


@pytest.fixture
def lane(empty_url: str) -> Iterator[WorkerQueue]:
    engine = writing_engine(empty_url)
    listen(engine, "connect", limit_statements)
    lane = WorkerQueue(engine, "test", batch=16, time_limit=0.05)
    lane.submit(lambda c: c.execute(text("CREATE TABLE seen (n INTEGER UNIQUE)"))).result()
    yield lane
    lane.close()
    engine.dispose()


def limit_statements(connection: Any, _record: object) -> None:
    if not hasattr(connection, "set_progress_handler"):
        connection.execute("SET statement_timeout = '50ms'")
        connection.commit()


def insert(number: int, connection: Connection) -> int:
    connection.execute(text("INSERT INTO seen VALUES (:n)"), {"n": number})
    return number


def blocked_lane(lane: WorkerQueue, gate: threading.Event) -> "Future[bool]":
    """Keep the lane busy, alone, until the gate opens."""
    begun = threading.Event()

    def wait(_: Connection) -> bool:
        begun.set()
        return gate.wait(60)

    blocked = lane.submit(wait)
    begun.wait(60)
    return blocked


def seen(lane: WorkerQueue) -> list[int]:
    return lane.submit(lambda c: list(c.execute(text("SELECT n FROM seen ORDER BY n")).scalars())).result()


def test_writes_that_wait_share_a_commit_and_only_the_bad_one_fails(lane: WorkerQueue) -> None:
    gate = threading.Event()
    blocked = blocked_lane(lane, gate)
    refusal = Conflict("no")

    def refuse(connection: Connection) -> None:
        insert(99, connection)
        raise refusal

    jobs = [lane.submit(partial(insert, n)) for n in (1, 2, 2, 3)]
    bad = lane.submit(refuse)
    good = lane.submit(lambda c: insert(4, c))
    last = lane.submit(refuse)
    gate.set()

    assert blocked.result()
    assert [job.result() for job in (*jobs[:2], jobs[3], good)] == [1, 2, 3, 4]
    assert "unique" in str(jobs[2].exception()).lower()
    assert bad.exception() is last.exception() is refusal
    assert seen(lane) == [1, 2, 3, 4]


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_jobs_that_share_a_commit_need_no_statement_of_their_own(empty_url: str) -> None:
    statements: list[str] = []
    engine = writing_engine(empty_url)
    listen(engine, "connect", lambda connection, _: connection.set_trace_callback(statements.append))
    lane = WorkerQueue(engine, "test", batch=16)
    lane.submit(lambda c: c.execute(text("CREATE TABLE seen (n INTEGER UNIQUE)"))).result()
    gate = threading.Event()

    def refuse(_: Connection) -> None:
        raise Conflict("no")

    jobs: list[Future[Any]] = [blocked_lane(lane, gate)]
    statements.clear()
    jobs += [lane.submit(partial(insert, 1)), lane.submit(refuse), lane.submit(partial(insert, 2))]
    gate.set()
    outcomes = [job.exception() for job in jobs]
    lane.close()
    engine.dispose()

    assert [type(outcome).__name__ for outcome in outcomes] == ["NoneType", "NoneType", "Conflict", "NoneType"]
    assert [statement.partition(" ")[0] for statement in statements] == [
        "COMMIT",
        "BEGIN",
        "INSERT",
        "INSERT",
        "COMMIT",
    ]


def test_a_job_that_fails_alone_leaves_nothing_behind(lane: WorkerQueue) -> None:
    def fail(connection: Connection) -> None:
        insert(1, connection)
        raise Conflict("no")

    with pytest.raises(Conflict):
        lane.submit(fail).result()

    assert seen(lane) == []


def test_a_query_that_takes_too_long_is_refused_and_the_lane_goes_on(lane: WorkerQueue) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i % 7 + 1 FROM n) SELECT count(*) FROM n"

    with pytest.raises(BadRequest, match=r"^\$filter: .*0\.05 s"):
        lane.submit(lambda c: c.execute(text(endless)).scalar_one()).result()

    assert seen(lane) == []


def test_a_closed_lane_takes_no_more_work(lane: WorkerQueue) -> None:
    lane.close()

    with pytest.raises(ServiceError, match="stopping"):
        lane.submit(lambda _: None)


async def test_work_that_nobody_waits_for_any_more_is_not_begun(lane: WorkerQueue) -> None:
    gate = threading.Event()
    blocked = blocked_lane(lane, gate)
    waiting = asyncio.ensure_future(lane.run(lambda c: insert(7, c)))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.sleep(0)
    gate.set()
    blocked.result()

    assert seen(lane) == []


async def test_a_newer_database_is_refused_and_left_alone(settings: ServiceSettings) -> None:
    engine = writing_engine(settings.database)
    with engine.begin() as connection:
        connection.execute(update(schema_version).values(version=VERSION + 1))
    engine.dispose()

    with pytest.raises(StorageError, match="newer backlit"):
        await Service(settings).start()


async def test_an_older_database_is_brought_up_and_keeps_what_it_has(tmp_path: Path) -> None:
    old = tmp_path / "old.db"
    with closing(sqlite3.connect(old)) as connection:
        connection.executescript((Path(__file__).parent / "version_1.sql").read_text(encoding="utf-8"))
    names = names_in(old)
    for path in (old, tmp_path / "new.db"):
        service = Service(ServiceSettings(f"sqlite:///{path}", tmp_path / "files"))
        await service.start()
        await service.stop()

    engine = engine_at(f"sqlite:///{old}")
    with engine.connect() as read:
        problems = list(Checker(read, open_content_store(tmp_path / "files")).problems())
    engine.dispose()
    assert (problems, names_in(old)) == ([], names)
    assert tables_in(old) == tables_in(tmp_path / "new.db")


def without_objects_below_items(connection: Connection) -> None:
    """Give a database what it had before schema 9."""
    for table in OBJECTS_BELOW_ITEMS:
        table.drop(connection)
    connection.execute(text("ALTER TABLE projects DROP COLUMN work_from_time"))
    without_due_fields(connection)


def without_due_fields(connection: Connection) -> None:
    """Give a database what it had before schema 10."""
    due_field_of_project.drop(connection)
    connection.execute(text("ALTER TABLE custom_fields DROP COLUMN is_due"))


async def test_a_database_of_schema_3_keeps_its_items_and_a_client_learns_the_groups(
    settings: ServiceSettings, tmp_path: Path
) -> None:
    engine = writing_engine(settings.database)
    names = select(work_items.c.name).order_by(work_items.c.id)
    with engine.begin() as connection:
        before = connection.execute(names).scalars().all()
        status_groups.drop(connection)
        for table in (changes, change_texts, iteration_log, workspace):
            table.drop(connection)
        without_objects_below_items(connection)
        for column in HISTORY_COLUMNS:
            connection.execute(text(f"ALTER TABLE projects DROP COLUMN {column}"))
        connection.execute(update(schema_version).values(version=3))
    service = Service(settings)
    await service.start()
    with engine.connect() as connection:
        upgraded = connection.execute(select(schema_version.c.version)).scalar_one()
        after = connection.execute(names).scalars().all()

    async def connect(_report: Report) -> Client:
        client = Client.inside(service.asgi, TokenCache(tmp_path / "tokens.json", "maya"))
        await client.auth.sign_in_with_code(await asyncio.to_thread(service.invite, "maya"))
        return client

    store = Store(places_in(tmp_path / "client"), connect)
    store.open()
    store.start()
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
    started = [each.id for each in await rows_of(store) if each.status == "In Progress"]
    every = len(await rows_of(store))
    with engine.begin() as connection:
        set_groups(connection, "1", ["In Progress=done"])
    engine.dispose()
    await store.refresh()
    await until(lambda: store.lookups.status_groups().of("In Progress") is StatusGroup.DONE)
    left = await rows_of(store)
    await asyncio.to_thread(store.close)
    await service.stop()

    assert (upgraded, after) == (VERSION, before)
    assert started
    assert not {each.id for each in left}.intersection(started)
    assert len(left) < every


async def rows_of(store: Store) -> list[ItemRow]:
    view = store.view(ViewSpec())
    await view.load()
    return view.rows(0, 1000)


def names_in(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM work_items ORDER BY id")]


def tables_in(path: Path) -> set[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        found = connection.execute("SELECT name, type, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
        # A column that an upgrade adds stands last.
        return {
            (name, str(sorted(connection.execute(_COLUMNS, [name]), key=str)) if kind == "table" else sql)
            for name, kind, sql in found
        }


_COLUMNS = 'SELECT name, type, "notnull", trim(dflt_value, char(39)), pk FROM pragma_table_info(?)'


async def test_database_rejects_foreign_files(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("not a database, but long enough to be taken for one" * 50)

    with pytest.raises(StorageError, match=r"text\.db"):
        await Service(ServiceSettings(f"sqlite:///{tmp_path}/text.db", tmp_path)).start()


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
async def test_commits_are_flushed_to_the_disk(service: Service) -> None:
    def pragmas(connection: Connection) -> tuple[object, ...]:
        return tuple(
            connection.execute(text(f"PRAGMA {name}")).scalar_one() for name in ("journal_mode", "synchronous")
        )

    assert await service.shared.database.write.run(pragmas) == ("wal", 2)


async def test_answered_writes_are_in_the_file(service: Service, maya: httpx.AsyncClient) -> None:
    answer = await maya.put("workitems/1", json={"Name": "durable"})

    engine = engine_at(service.settings.database)
    with engine.connect() as connection:
        row = connection.execute(select(work_items.c.name, work_items.c.doc).where(work_items.c.id == 1)).one()
    engine.dispose()
    assert row == ("durable", answer.content)


async def test_a_stopped_service_leaves_no_thread_and_a_new_one_goes_on(settings: ServiceSettings) -> None:
    before = set(threading.enumerate())
    first = Service(settings)
    await first.start()
    await first.start()
    code = first.invite("maya")
    await first.stop()
    await first.stop()
    assert not [t for t in set(threading.enumerate()) - before if t.name.startswith("backlit")]

    second = Service(settings)
    await second.start()
    async with httpx.AsyncClient(transport=httpx.ASGITransport(second.asgi), base_url="http://backlit.test") as client:
        form = {"wrap_client_id": "uri:backlit", "wrap_verification_code": code}
        assert (await client.post("/Authenticate/WRAPv0.9", data=form)).status_code == 200
    await second.stop()


def test_the_service_runs_on_a_loop_of_another_thread(settings: ServiceSettings) -> None:
    service = Service(settings)
    asyncio.run(service.start())

    async def health() -> int:
        transport = httpx.ASGITransport(service.asgi)
        async with httpx.AsyncClient(transport=transport, base_url="http://backlit.test") as client:
            return (await client.get("/api/v1/users")).status_code

    assert asyncio.run(health()) == 401
    asyncio.run(service.stop())


async def test_the_clock_never_goes_back_and_counts_milliseconds() -> None:
    clock = Clock()

    moments = [clock.now() for _ in range(1000)]

    assert moments == sorted(moments)
    assert all(moment.microsecond % 1000 == 0 and moment.tzinfo is None for moment in moments)


def test_a_clock_behind_a_stamp_goes_on_from_it_at_half_pace_until_the_time_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    began, clock = datetime(2030, 1, 1), Clock()

    def shown(seconds: float) -> float:
        monkeypatch.setattr(time, "monotonic", lambda: 1000.0 + seconds)
        return (clock.now() - began).total_seconds()

    monkeypatch.setattr(time, "monotonic", lambda: 1000.0)
    clock.follow(began)
    clock.keep_ahead_of(began + timedelta(seconds=10))
    clock.keep_ahead_of(began - timedelta(hours=1))

    assert [shown(seconds) for seconds in (0, 4, 20, 30, 30.0015)] == [10, 12, 20, 30, 30.001]


async def test_after_an_upgrade_all_earlier_activities_are_read(settings: ServiceSettings, tmp_path: Path) -> None:
    engine = writing_engine(settings.database)
    with engine.begin() as connection:
        without_objects_below_items(connection)
        for table in (mentions, activity_marks, read_activities):
            table.drop(connection)
        connection.execute(update(schema_version).values(version=7))
    service = Service(settings)
    await service.start()
    await service.stop()

    with engine.connect() as connection:
        marks = connection.execute(select(activity_marks.c.user_id, activity_marks.c.read_to)).all()
        last = last_revision(connection)
        everybody = connection.execute(select(users.c.id)).scalars().all()
    engine.dispose()
    assert last > 0
    assert sorted(marks) == [(user_id, last) for user_id in sorted(everybody)]
