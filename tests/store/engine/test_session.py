"""A session by itself: what it reads of the items that are looked at, and what it shows of the connection."""

import asyncio

import pytest
from tests.store.engine.sessions import running
from tests.store.reading import Begin, Reading
from tests.store.world import Said, until


def reads(reading: Reading) -> list[str]:
    return [path.rpartition("/")[2] for _, path in reading.faults.requests if path.rpartition("/")[2].isdigit()]


async def test_a_session_names_the_user_and_the_synced_project(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (_, shown):
        assert (shown.users, shown.said) == (["pat"], ["synced 7", "succeeded"])


@pytest.mark.parametrize(
    ("looks", "read"),
    [
        ([(1, False), (1, False)], ["1"]),
        ([(1, False), (1, True)], ["1", "1"]),
        ([(-5, False), (0, True)], []),
        ([(1, True), (1, False), (-5, True)], ["1"]),
    ],
)
async def test_an_item_is_read_once_in_a_while_or_on_demand(
    begin: Begin, looks: list[tuple[int, bool]], read: list[str]
) -> None:
    reading = await begin()
    async with running(reading) as (session, _):
        for item_id, is_forced in (*looks, (2, True)):
            session.look_at(item_id, is_forced=is_forced)
            if item_id > 0:
                await until(lambda at=item_id: str(at) in reads(reading))  # type: ignore[misc] # bound at once
                await asyncio.sleep(0)
        await until(lambda: len(reads(reading)) > len(read))
        await asyncio.sleep(0.05)  # another read would come

        assert sorted(reads(reading)) == [*read, "2"]


async def test_the_item_looked_at_last_is_read_first(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, _):
        session.look_at(1)
        session.look_at(2)
        await until(lambda: len(reads(reading)) == 2)

        assert reads(reading) == ["2", "1"]


@pytest.mark.parametrize("failing", ["/1", "/1/comments"])
async def test_a_look_during_an_outage_is_told_and_later_ones_work(begin: Begin, failing: str) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        reading.faults.says = lambda _, path: Said(503) if path.endswith(failing) else None
        session.look_at(1)
        await until(lambda: "found" in shown.said)
        reading.server.change("jon", 2, {"Name": "By Jon"})
        session.look_at(2)
        await until(lambda: (found := reading.store.item(2)) and found.fields["Name"] == "By Jon")

        assert shown.said[2:4] == ["lost", "found"]


@pytest.mark.parametrize("status", [400, 500])
async def test_an_item_that_cannot_be_read_alone_is_not_told(begin: Begin, status: int) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        reading.faults.says = lambda _, path: Said(status) if path.endswith("/1") else None
        session.look_at(2)
        session.look_at(1)
        await until(lambda: reads(reading) == ["1", "2"])

        assert [each for each in shown.said if each.startswith(("lost", "failed"))] == []


async def test_a_comment_that_waits_stays_beside_those_that_are_read(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, _):
        await reading.store.items.comment(1, "Mine")
        reading.server.comment("jon", 1, "By Jon")
        session.look_at(1)
        await until(lambda: "By Jon" in [each.text for each in reading.store.comments.of_item(1)])

        assert {each.text for each in reading.store.comments.of_item(1)} == {"By Jon", "Mine"}


async def test_whoever_signs_in_next_is_named_by_the_next_sync(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        await session.sign_out()
        await session.sign_in("jon", "secret", "")
        jon = Said(200, body=b'{"id": 4, "name": "jon"}')
        reading.faults.says = lambda _, path: jon if path.endswith("/users/me") else None
        await until(lambda: shown.said.count("succeeded") == 2)

        assert shown.users == ["pat", "jon"]


async def test_nothing_is_sent_or_read_after_signing_out(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        await session.sign_out()
        reading.faults.requests.clear()
        await reading.store.items.edit([1], {"Name": "Mine"})
        session.look_at(1)
        session.use_project(7)
        session.user_lookup.want(9)
        session.wake()
        for _ in range(20):
            await asyncio.sleep(0)

        assert (shown.said[-1], reading.faults.requests) == ("signed out: You are signed out.", [])
        assert shown.details == (0, 0, {"user": None})
