"""The loops of a session: what an outage, a sign-in, another process or a rebuilt mirror sets going again."""

import asyncio
import os
import time
from pathlib import Path

import pytest
from tests.store.engine.sessions import Shown, running
from tests.store.reading import Begin, Reading
from tests.store.world import Said, raised, until

from backlit.client.tokens import TokenCache
from backlit.model.wrap import TokenGrant
from backlit.store.engine.session import SyncSession
from backlit.store.records.changes import ConnectionState, ConnectionStatus, StoreChange, Subject
from backlit.store.remote.reachability import RetryPauses
from backlit.store.sqlite.process_lock import BEAT, HolderState, SharedLock
from backlit.store.sync.sync import NOUNS_EVERY

PATIENT = RetryPauses(first_pause=1000.0, longest_pause=1000.0, in_transit=0.0, sync_every=1000.0)


def asked(reading: Reading, last: str) -> int:
    return sum(path.endswith(f"/{last}") for _, path in reading.faults.requests)


def name_of(reading: Reading, item_id: int) -> object:
    found = reading.store.item(item_id)
    return found and found.fields["Name"]


async def work_to_do(reading: Reading, session: SyncSession) -> None:
    """Leave an edit, a lookup and another user's change to each loop."""
    await reading.store.items.edit([1], {"Name": "Mine"})
    reading.server.unlisted["57"] = "ursula"
    session.user_lookup.want(57)
    reading.server.change("jon", 2, {"Name": "By Jon"})


async def all_done(reading: Reading) -> None:
    await until(lambda: reading.server.names()[1] == "Mine")
    await until(lambda: 57 in reading.store.lookups.known_people())
    await until(lambda: name_of(reading, 2) == "By Jon")


async def lost(reading: Reading, session: SyncSession, shown: Shown) -> None:
    """Have a look find that the service is gone."""
    reading.server.is_down = True
    session.look_at(1)
    await until(lambda: shown.said[-1] == "lost")


async def test_a_sign_in_sets_every_loop_going(begin: Begin) -> None:
    reading = await begin()
    async with running(reading, PATIENT) as (session, _):
        reading.faults.says = lambda _, path: Said(401) if path.endswith("/58") or "WRAP" in path else None
        session.user_lookup.want(58)
        await until(lambda: asked(reading, "58"))
        reading.faults.says = lambda _method, _path: None
        await session.sign_out()
        await work_to_do(reading, session)
        await session.sign_in("pat", "secret", "")

        await all_done(reading)
        await until(lambda: 58 in reading.store.lookups.known_people())


async def test_the_end_of_an_outage_sets_every_loop_going(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        await lost(reading, session, shown)
        await work_to_do(reading, session)
        await until(lambda: asked(reading, "me") > 1)
        reading.server.is_down = False

        await all_done(reading)


async def test_an_outage_lets_only_the_cheap_question_through(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        await lost(reading, session, shown)
        reading.faults.requests.clear()
        await work_to_do(reading, session)
        session.use_project(7)
        session.wake()
        session.look_at(2)
        await until(lambda: asked(reading, "me") > 3)

        assert len(reading.faults.requests) == asked(reading, "me")


async def test_a_rejected_sign_in_ends_the_requests_until_the_next_one(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        reading.faults.says = lambda _, path: Said(401) if path.endswith("/1") or "WRAP" in path else None
        session.look_at(1)
        await until(lambda: shown.said[-1].startswith("failed"))
        reading.faults.says = lambda _method, _path: None
        reading.faults.requests.clear()
        await work_to_do(reading, session)
        session.use_project(7)
        session.look_at(2)
        for _ in range(20):
            await asyncio.sleep(0)
        silent = list(reading.faults.requests)
        await session.sign_in("pat", "secret", "")
        await all_done(reading)

        assert silent == []


async def test_a_failing_sync_is_repeated_after_growing_pauses(begin: Begin) -> None:
    failures: list[int] = []

    class Noted(RetryPauses, frozen=True):
        def pause(self, failures_so_far: int) -> float:
            failures.append(failures_so_far)
            return 0.0

    reading = await begin()
    async with running(reading, Noted(sync_every=1000.0)) as (session, shown):
        for _ in range(2):
            left = [500, 500]
            reading.faults.says = lambda _, path, left=left: (  # type: ignore[misc] # bound at once
                Said(left.pop()) if left and path.endswith("/workitems") else None
            )
            done = shown.said.count("succeeded")
            session.use_project(7)
            await until(lambda done=done: shown.said.count("succeeded") > done)  # type: ignore[misc] # bound at once

    assert (failures, sum(each.startswith("failed") for each in shown.said)) == ([1, 2, 1, 2], 4)


async def test_a_refresh_reads_the_user_and_hurries_what_failed(begin: Begin) -> None:
    reading = await begin()
    async with running(reading, PATIENT) as (session, shown):
        reading.faults.says = lambda method, _: Said(500) if method == "PUT" else None
        await reading.store.items.edit([1], {"Name": "Mine"})
        session.wake()
        await until(lambda: reading.store.outbox_entries()[0].reason)
        jon = Said(200, body=b'{"id": 4, "name": "jon"}')
        reading.faults.says = lambda _, path: jon if path.endswith("/users/me") else None
        await session.refresh()
        await until(lambda: reading.server.names()[1] == "Mine")
        reading.faults.says = lambda _, path: Said(500) if path.endswith("/workitems") else None
        error = await raised(session.refresh())

    assert shown.users[:2] == ["pat", "jon"]
    assert f"failed: {error}" in shown.said


async def test_users_are_read_again_after_a_while(begin: Begin, monkeypatch: pytest.MonkeyPatch) -> None:
    later, real = 0.0, time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + later)
    reading = await begin()
    async with running(reading) as (session, shown):
        read: list[int] = []
        for later in (0.0, NOUNS_EVERY, NOUNS_EVERY + 1.0):  # noqa: B007 # the clock reads it
            done = shown.said.count("succeeded")
            session.use_project(7)
            await until(lambda done=done: shown.said.count("succeeded") > done)  # type: ignore[misc] # bound at once
            read.append(asked(reading, "me"))

    assert read == [0, 1, 1]


# Items that are looked at


async def test_a_look_stores_only_the_item_that_it_asked_for(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, _):
        body = b'{"id": 2, "projectId": 7, "type": "Story", "fields": {"Name": "Wrong"}}'
        reading.faults.says = lambda _, path: Said(200, body=body) if path.endswith("/1") else None
        session.look_at(1)
        await until(lambda: asked(reading, "attachments"))
        reading.server.change("jon", 2, {"Name": "By Jon"})
        session.look_at(2)
        await until(lambda: name_of(reading, 2) == "By Jon")

        assert name_of(reading, 1) == "Item 1"


async def test_a_look_tells_a_new_comment_and_that_the_last_one_is_gone(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, _):
        heard: list[StoreChange] = []
        reading.store.subscribe(lambda change: heard.append(change) if change.kind is Subject.COMMENTS else None)
        made = reading.server.comment("jon", 1, "Look")
        for count in (1, 2):
            session.look_at(1, is_forced=True)
            session.look_at(2, is_forced=True)
            await until(lambda count=count: len(heard) >= count)  # type: ignore[misc] # bound at once
            reading.server.comments.pop(made["id"], None)

        assert [each.ids for each in heard] == [frozenset({1}), frozenset({1})]
        assert reading.store.comments.of_item(1) == ()


@pytest.mark.parametrize(("status", "tries"), [(400, 1), (403, 1), (404, 1), (500, 1), (429, 2), (503, 2)])
async def test_a_failed_lookup_is_repeated_only_after_a_failure_of_the_whole_service(
    begin: Begin, status: int, tries: int
) -> None:
    reading = await begin()
    async with running(reading) as (session, _):
        reading.server.unlisted["58"] = "vera"
        reading.faults.says = lambda _, path: Said(status) if path.endswith("/57") else None
        session.user_lookup.want(57)
        session.user_lookup.want(58)
        await until(lambda: asked(reading, "57"))
        await until(lambda: asked(reading, "58") or tries > 1)
        reading.faults.says = lambda _method, _path: None

        def are_known() -> bool:
            session.user_lookup.go_on()
            return {57, 58} <= reading.store.lookups.known_people().keys()

        await until(are_known)

        assert [path.rpartition("/")[2] for _, path in reading.faults.requests if "/users/" in path] == [
            *["57"] * tries,
            "58",
        ]


# Other processes


@pytest.mark.parametrize(
    ("state", "before", "said"),
    [
        (ConnectionState.ONLINE, 5.0, ["succeeded"]),
        (ConnectionState.ONLINE, None, ["succeeded"]),
        (ConnectionState.ONLINE, 9.0, []),
        (ConnectionState.LOADING, 5.0, []),
    ],
)
async def test_the_sync_of_another_process_is_shown_with_its_time(
    begin: Begin, state: ConnectionState, before: float | None, said: list[str]
) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        shown.connection = ConnectionStatus(state, synced_at=before)
        await publish_sync(reading, 9.0)
        shown.said.clear()
        session.poll_other_processes()

        assert shown.said == said
        assert shown.details == (9.0, "") or not said


async def publish_sync(reading: Reading, synced_at: float) -> None:
    lock = SharedLock(reading.store.files.places.syncing(7))
    async with lock.held("loading"):
        lock.publish(HolderState(synced_at=synced_at))
    lock.close()


async def test_the_sync_of_another_process_ends_a_long_pause(begin: Begin) -> None:
    reading = await begin()
    async with running(reading, PATIENT) as (session, shown):
        await lost(reading, session, shown)
        reading.server.is_down = False
        reading.server.change("jon", 2, {"Name": "By Jon"})
        shown.connection = ConnectionStatus(ConnectionState.OFFLINE, synced_at=5.0)
        await publish_sync(reading, 9.0)
        session.poll_other_processes()

        await until(lambda: name_of(reading, 2) == "By Jon")


async def test_a_sign_out_and_a_sign_in_elsewhere_are_taken_over(begin: Begin, tmp_path: Path) -> None:
    tokens = TokenCache(tmp_path / "pat.json", "here")
    reading = await begin()
    async with running(reading) as (session, shown):
        tokens.clear()
        session.poll_other_processes()
        session.poll_other_processes()
        said, details = list(shown.said), shown.details
        await work_to_do(reading, session)
        tokens.save(TokenGrant("name=pat&HMACSHA256=abc%3D", "again", 3600))
        session.poll_other_processes()
        await all_done(reading)

    assert (said[2:], details) == (["signed out: You are signed out."], (0, 0, {"user": None}))


async def test_an_unreadable_sign_in_file_is_left_to_the_next_request(begin: Begin, tmp_path: Path) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        (tmp_path / "pat.json").unlink()
        (tmp_path / "pat.json").mkdir()
        session.poll_other_processes()

        assert shown.said[2:] == []


@pytest.mark.parametrize(("stalled", "place"), [("/workitems", "syncing"), ("/workitems/1", "sending")])
async def test_a_long_request_gives_signs_of_life_to_other_processes(
    begin: Begin, monkeypatch: pytest.MonkeyPatch, stalled: str, place: str
) -> None:
    reading = await begin()
    places = reading.store.files.places
    file = places.syncing(7) if place == "syncing" else places.sending
    later, real = 0.0, time.monotonic
    monkeypatch.setattr(time, "monotonic", lambda: real() + later)
    async with running(reading) as (session, _):
        reading.faults.stalls = frozenset({stalled})
        await reading.store.items.edit([1], {"Name": "Mine"})
        session.use_project(7)
        session.wake()
        await until(lambda: asked(reading, stalled.rpartition("/")[2]))
        os.utime(file, (0, 0))
        session.poll_other_processes()
        quiet = file.stat().st_mtime
        later = BEAT
        session.poll_other_processes()

        assert (quiet, file.stat().st_mtime > 0) == (0, True)


async def test_a_load_tells_its_progress_to_other_processes(begin: Begin) -> None:
    reading = await begin()
    file = reading.store.files.places.syncing(7)
    async with running(reading) as (session, _):
        told: list[int] = []

        async def look(_method: str, path: str) -> None:
            if path.endswith("/workitems"):
                told.append(SharedLock(file).state().total)

        reading.faults.before = look
        await session.refresh(is_full=True)

    assert {0, 2} <= set(told)


# A rebuilt mirror


async def filled_again(reading: Reading, shown: Shown, syncs: int) -> None:
    await until(lambda: shown.said.count("succeeded") >= syncs, lambda: shown.said)
    assert reading.ids() == [1, 2]
    kinds = "SELECT DISTINCT kind FROM resources ORDER BY kind"
    assert [kind for (kind,) in reading.store.files.mirror.execute(kinds)] == ["areas", "iterations", "project", "user"]
    assert await reading.note("me")


async def test_a_rebuilt_mirror_is_filled_with_everything(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        reading.store.files.renew()
        session.poll_other_processes()
        sentence = shown.details
        session.poll_other_processes()

        await filled_again(reading, shown, 2)
        assert sentence == (0, 0, {})


async def test_a_mirror_rebuilt_during_a_sync_is_rebuilt_once_more(begin: Begin) -> None:
    reading = await begin()
    async with running(reading) as (session, shown):
        once = [reading.store.files.renew]

        async def renew(_method: str, path: str) -> None:
            if path.endswith("/workitems") and once:
                once.pop()()

        reading.faults.before = renew
        session.use_project(7)
        await until(lambda: shown.said.count("succeeded") == 2, lambda: shown.said)

        assert reading.store.files.generation == 2
        assert "failed: The local copy of the backlog was damaged. Loading it again." in shown.said
