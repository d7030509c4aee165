"""What processes on one PostgreSQL tell each other."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import httpx
import psycopg
import pytest
from sqlalchemy import make_url, text
from tests.service.every_call import item
from tests.service.followed import PATIENCE, following

from backlit.service.admin.workspace import writing
from backlit.service.app import Service
from backlit.service.storage.clock import Clock
from backlit.service.storage.database import Database, parsed_url
from backlit.service.storage.notifications import CHANGES_CHANNEL, PRESENCE_CHANNEL, Notification, listen
from backlit.service.storage.settings import ServiceSettings

pytestmark = [pytest.mark.postgresql, pytest.mark.parametrize("database", ["postgresql"], indirect=True)]

OWN = "own"
END_LISTENERS = (
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'"
)


class Listener:
    """What one process hears."""

    def __init__(self, connection: "psycopg.AsyncConnection[tuple[object, ...]]") -> None:
        self.connection = connection
        self.heard: asyncio.Queue[Notification] = asyncio.Queue()

    async def next(self) -> Notification:
        async with asyncio.timeout(PATIENCE):
            return await self.heard.get()


def plain(settings: ServiceSettings) -> str:
    return make_url(settings.database).set(drivername="postgresql").render_as_string(hide_password=False)


@asynccontextmanager
async def listening(settings: ServiceSettings) -> AsyncIterator[Listener]:
    async with await psycopg.AsyncConnection.connect(plain(settings), autocommit=True) as connection:
        listener = Listener(connection)
        task = asyncio.create_task(listen(parsed_url(settings.database), OWN, listener.heard.put_nowait))
        try:
            assert (await listener.next()).channel == CHANGES_CHANNEL
            yield listener
        finally:
            task.cancel()
            await asyncio.wait([task])


async def test_a_process_hears_others_and_not_itself(settings: ServiceSettings) -> None:
    async with listening(settings) as listener:
        for payload in (f"{OWN}:mine", "other:theirs: [1]"):
            await listener.connection.execute("SELECT pg_notify(%s, %s)", (PRESENCE_CHANNEL, payload))

        assert await listener.next() == Notification(PRESENCE_CHANNEL, "theirs: [1]")


async def test_a_broken_connection_is_made_again_and_counts_as_a_commit(settings: ServiceSettings) -> None:
    async with listening(settings) as listener:
        ended = await listener.connection.execute(END_LISTENERS)
        assert await ended.fetchall() == [(True,)]

        assert await listener.next() == Notification(CHANGES_CHANNEL, "")
        await listener.connection.execute("SELECT pg_notify(%s, 'other:x')", (PRESENCE_CHANNEL,))
        assert await listener.next() == Notification(PRESENCE_CHANNEL, "x")


async def test_each_commit_is_told_once_and_a_rollback_not(settings: ServiceSettings) -> None:
    def write(value: str) -> None:
        with writing(settings) as connection:
            connection.execute(text("UPDATE projects SET description = :value"), {"value": value})
            if value == "undone":
                raise ZeroDivisionError

    async with listening(settings) as listener:
        with pytest.raises(ZeroDivisionError):
            await asyncio.to_thread(write, "undone")
        await asyncio.to_thread(write, "kept")
        told = await listener.next()
        await listener.connection.execute("SELECT pg_notify(%s, 'other:last')", (PRESENCE_CHANNEL,))
        last = await listener.next()
        found = await listener.connection.execute("SELECT DISTINCT description FROM projects")
        kept = await found.fetchall()

    assert (told.channel, last.payload) == (CHANGES_CHANNEL, "last")
    assert kept == [("kept",)]


async def test_writes_of_one_batch_are_told_once(settings: ServiceSettings) -> None:
    gate, loop = asyncio.Event(), asyncio.get_running_loop()
    database = Database(settings.database, Clock())
    await asyncio.to_thread(database.open)
    write = database.write

    def slow(_: object) -> None:
        asyncio.run_coroutine_threadsafe(gate.wait(), loop).result()

    async with listening(settings) as listener:
        first = asyncio.create_task(write.run(slow))
        await asyncio.sleep(0)
        rest = [
            asyncio.create_task(write.run(lambda connection: connection.execute(text("SELECT 1")).scalar()))
            for _ in range(9)
        ]
        await asyncio.sleep(0)
        gate.set()
        await asyncio.gather(first, *rest)
        await listener.connection.execute("SELECT pg_notify(%s, 'other:last')", (PRESENCE_CHANNEL,))
        heard = [await listener.next()]
        while heard[-1].payload != "last":
            heard.append(await listener.next())
    await asyncio.to_thread(database.close)

    # One commit, or two where the first write began before the others came.
    assert 1 <= [notification.channel for notification in heard].count(CHANGES_CHANNEL) <= 2


async def test_changes_of_another_process_are_sent_while_the_listening_connection_is_broken(
    settings: ServiceSettings, maya: httpx.AsyncClient, jon: httpx.AsyncClient, service: Service
) -> None:
    async with await psycopg.AsyncConnection.connect(plain(settings), autocommit=True) as connection:
        other = Service(settings)
        await other.start()
        try:
            async with following(other, jon) as follower:
                await follower.next("hello")
                await connection.execute(END_LISTENERS)
                story = await item(maya)
                told = await follower.next("changes")
        finally:
            await other.stop()

    assert [each["id"] for each in told.data["changes"]] == [story]
