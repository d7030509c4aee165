"""Long reads, which users share in turns: their order, their limits, and what a user beside a busy one is answered."""

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from functools import partial

import httpx
import pytest
from sqlalchemy import Connection, Engine, text

from backlit.model.errors import BadRequest, TooManyRequests, Unavailable
from backlit.service.app import Service
from backlit.service.storage.database import SLOW_READ_SHARE, SLOW_READERS, engine_at
from backlit.service.storage.jobs import SharePerUser
from backlit.service.storage.worker_queue import WorkerQueue

pytestmark = pytest.mark.postgresql

A, B, C = 1, 2, 3
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i % 7 + 1 FROM n) SELECT count(*) FROM n"
EVERY = "length(name) gt 0"
SCAN = {"$filter": "Status eq 'Done'"}

MakeLane = Callable[..., WorkerQueue]


@pytest.fixture
def make_lane(empty_url: str) -> Iterator[MakeLane]:
    made: list[tuple[Engine, WorkerQueue]] = []

    def make_lane(
        *, threads: int, running: int, waiting: int = 8, time_limit: float = 60.0, head_start: float = 0.0
    ) -> WorkerQueue:
        engine = engine_at(empty_url, time_limit)
        shares = SharePerUser(running=running, waiting=waiting)
        lane = WorkerQueue(engine, "test", threads=threads, time_limit=time_limit, shares=shares, head_start=head_start)
        made.append((engine, lane))
        return made[-1][1]

    yield make_lane
    for engine, lane in made:
        lane.close()
        engine.dispose()


def answer(connection: Connection) -> str:
    connection.execute(text("SELECT 1"))  # PostgreSQL begins a transaction with its first statement
    return "answered"


class Holding:
    """Work that goes on until it is released."""

    def __init__(self) -> None:
        self.begun = threading.Semaphore(0)
        self._gate = threading.Event()

    def __call__(self, connection: Connection) -> bool:
        answer(connection)
        self.begun.release()
        return self._gate.wait(60)

    def release(self) -> None:
        self._gate.set()


@asynccontextmanager
async def held(lane: WorkerQueue, user_id: int, count: int, running: int) -> AsyncIterator[Holding]:
    """Keep reads of a user running and waiting."""
    hold = Holding()
    tasks = [asyncio.create_task(lane.run(hold, user_id)) for _ in range(count)]
    try:
        for _ in range(running):
            assert await asyncio.to_thread(hold.begun.acquire, timeout=60)
        yield hold
    finally:
        hold.release()
        await asyncio.gather(*tasks)


def endless(connection: Connection) -> None:
    connection.execute(text(ENDLESS)).scalar_one()


async def test_users_take_turns_whoever_came_first(make_lane: MakeLane) -> None:
    lane = make_lane(threads=1, running=1)
    order: list[int] = []

    def note(user_id: int, connection: Connection) -> None:
        answer(connection)
        order.append(user_id)

    async with held(lane, C, 1, running=1):
        waiting = [asyncio.create_task(lane.run(partial(note, n), n)) for n in (A, A, A, A, B, B, C)]
        await asyncio.sleep(0)
    await asyncio.gather(*waiting)

    assert order == [A, B, C, A, B, A, A]


async def test_two_reads_of_a_user_run_at_once_and_the_others_leave_room(make_lane: MakeLane) -> None:
    lane = make_lane(threads=3, running=2)
    async with held(lane, A, 5, running=2) as hold:
        answered = await lane.run(answer, B)

        assert answered == "answered"
        assert not hold.begun.acquire(blocking=False)


async def test_reads_with_a_head_start_run_one_after_the_other(make_lane: MakeLane) -> None:
    lane = make_lane(threads=3, running=2, head_start=60.0)
    met = threading.Barrier(2)

    def work(connection: Connection) -> bool:
        answer(connection)
        with suppress(threading.BrokenBarrierError):
            met.wait(0.02)
        return met.broken

    alone = await asyncio.gather(*(lane.run(work, user_id) for user_id in (A, B, C)))

    assert alone == [True] * 3


async def test_a_read_begins_beside_one_whose_head_start_is_over(make_lane: MakeLane) -> None:
    lane = make_lane(threads=3, running=2, head_start=0.01)
    met = threading.Barrier(3)

    def work(connection: Connection) -> int:
        answer(connection)
        return met.wait(60)

    order = await asyncio.gather(*(lane.run(work, user_id) for user_id in (A, A, B)))

    assert sorted(order) == [0, 1, 2]


async def test_a_read_behind_a_full_queue_is_refused_for_its_user_alone(make_lane: MakeLane) -> None:
    lane = make_lane(threads=2, running=1, waiting=3)
    async with held(lane, A, 4, running=1):
        with pytest.raises(TooManyRequests, match="4 long reads") as refused:
            await lane.run(answer, A)

        assert refused.value.retry_after
        assert await lane.run(answer, B) == "answered"
        assert await lane.run(answer) == "answered"


async def test_reads_that_nobody_waits_for_any_more_leave_the_queue(make_lane: MakeLane) -> None:
    lane = make_lane(threads=1, running=1, waiting=2)
    async with held(lane, A, 1, running=1):
        left = [asyncio.create_task(lane.run(answer, A)) for _ in range(2)]
        await asyncio.sleep(0)
        for task in left:
            task.cancel()
        await asyncio.wait(left)
        new = asyncio.create_task(lane.run(answer, A))
        await asyncio.sleep(0)

    assert await new == "answered"


async def test_waiting_counts_towards_the_limit_and_the_answer_blames_the_right_one(make_lane: MakeLane) -> None:
    lane = make_lane(threads=2, running=2, time_limit=0.05)
    async with held(lane, A, 2, running=2):
        with pytest.raises(TooManyRequests, match="Your other long reads"):
            await lane.run(answer, A)
        with pytest.raises(Unavailable, match="busy with other reads"):
            await lane.run(answer, B)


async def test_a_read_begun_when_its_time_is_over_is_ended_at_once(make_lane: MakeLane) -> None:
    lane = make_lane(threads=1, running=1, time_limit=0.05)
    hold = Holding()
    first, late = lane.submit(hold), lane.submit(endless)
    assert await asyncio.to_thread(hold.begun.acquire, timeout=60)
    await asyncio.sleep(0.06)
    hold.release()

    with pytest.raises(Unavailable, match="busy with other reads"):
        await asyncio.wrap_future(late)
    assert first.result()


async def test_a_read_that_runs_too_long_is_to_be_narrowed(make_lane: MakeLane) -> None:
    lane = make_lane(threads=1, running=1, time_limit=0.05)

    with pytest.raises(BadRequest, match=r"^\$filter: .*0\.05 s; narrow it"):
        await lane.run(endless, A)


async def test_a_user_beside_a_busy_one_is_answered(
    service: Service, maya: httpx.AsyncClient, jon: httpx.AsyncClient
) -> None:
    me = (await maya.get("users/me")).json()["id"]
    slow = service.shared.database.slow
    async with held(slow, me, SLOW_READ_SHARE.running + SLOW_READ_SHARE.waiting, running=SLOW_READ_SHARE.running):
        refused = await maya.get("workitems", params=SCAN)
        answers = [await jon.get(path, params=SCAN) for path in ("workitems", "workitems/1/tasks")]
        comments = await jon.get("comments", params={"$filter": "contains(description,'a')"})
        quick = await maya.get("workitems/1")

    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1
    assert f"{SLOW_READ_SHARE.running + SLOW_READ_SHARE.waiting} long reads" in refused.json()["message"]
    assert [answer.status_code for answer in (*answers, comments, quick)] == [200] * 4
    assert (await maya.get("workitems", params=SCAN)).status_code == 200


@pytest.mark.parametrize(
    "path", ["areas", "projects/1/iterations", "projects", "teams", "projects/1/timeentrytypes", "users"]
)
@pytest.mark.long_but("sqlite", "postgresql-users")
async def test_what_a_list_compares_is_not_compared_on_the_event_loop(
    service: Service, maya: httpx.AsyncClient, path: str
) -> None:
    me = (await maya.get("users/me")).json()["id"]
    every = SLOW_READ_SHARE.running + SLOW_READ_SHARE.waiting
    async with held(service.shared.database.slow, me, every, running=SLOW_READ_SHARE.running):
        compared = [await maya.get(path, params=given) for given in ({"$filter": EVERY}, {"$orderby": "name"})]
        whole = await maya.get(path)

    assert [each.status_code for each in compared] == [429, 429]
    assert whole.status_code == 200
    assert (await maya.get(path, params={"$filter": EVERY})).json()["results"] == whole.json()["results"]


async def test_a_short_read_that_turns_out_long_counts_for_its_user(service: Service) -> None:
    database = service.shared.database
    calls: list[int] = []

    def work(connection: Connection) -> str:
        calls.append(1)
        if len(calls) == 1:
            endless(connection)
        return answer(connection)

    async with held(
        database.slow, A, SLOW_READ_SHARE.running + SLOW_READ_SHARE.waiting, running=SLOW_READ_SHARE.running
    ):
        with pytest.raises(TooManyRequests):
            await database.read(endless, lambda: A)

    assert await database.read(work, lambda: A) == "answered"
    assert len(calls) == 2


def test_a_thread_is_left_when_one_user_has_all_that_it_may() -> None:
    assert SLOW_READ_SHARE.running == 2
    assert SLOW_READ_SHARE.running < SLOW_READERS
