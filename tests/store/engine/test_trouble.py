"""Trouble with the service: what concerns one entry holds up that entry, what concerns all is waited for, by itself."""

import asyncio
from collections import Counter
from pathlib import Path

import pytest
from tests.store.documents import places_in
from tests.store.service_items import fields, of_type
from tests.store.store_items import shown
from tests.store.world import Said, World, raised, sent, until

from backlit.client.calls import RetryPolicy
from backlit.client.client import Client
from backlit.client.tokens import TokenCache
from backlit.model.errors import TooManyRequests
from backlit.store import ConnectionState, EntryState, Store
from backlit.store.engine.engine import Report
from backlit.store.remote.reachability import RetryPauses
from backlit.store.views.clock import local_time

QUICK = RetryPauses(first_pause=0.02, longest_pause=0.04, in_transit=0.1, sync_every=1000.0)


@pytest.fixture
async def hasty(world: World) -> World:
    """A world whose stores wait shortly, and sync only when asked."""
    world.pacing, world.waits = RetryPolicy(attempts=2, first_pause=0.001, longest_pause=0.5), QUICK
    return world


async def offline(store: Store) -> None:
    await until(lambda: store.connection.state is ConnectionState.OFFLINE, lambda: store.connection)


async def test_a_wish_to_be_left_alone_is_kept_and_said(hasty: World) -> None:
    store = await hasty.online()
    item_id = await of_type(hasty)
    hasty.faults.says = lambda _method, _path: Said(429, [(b"retry-after", b"3600")], b'{"message": "Not so fast."}')

    await store.items.edit([item_id], {"Name": "Later"})
    await offline(store)
    asked = len(hasty.faults.requests)
    error = await raised(store.refresh())
    await asyncio.sleep(0.2)

    assert isinstance(error, TooManyRequests)
    assert store.connection.sentence.startswith("Not so fast. Next attempt at ")
    assert len(hasty.faults.requests) == asked
    assert store.outbox.pending == 1


async def test_a_pause_that_the_service_requests_while_connecting_is_kept(tmp_path: Path) -> None:
    attempts = []

    async def connect(report: Report) -> Client:
        attempts.append(report)
        raise TooManyRequests("Not so fast.", retry_after=600.0)

    store = Store(places_in(tmp_path), connect, local_time, RetryPauses(first_pause=0.005, longest_pause=0.01))
    store.open()
    store.start()
    await until(lambda: attempts)
    await asyncio.sleep(0.1)
    store.close()

    assert len(attempts) == 1


async def test_after_the_wish_all_goes_on_by_itself(hasty: World) -> None:
    store = await hasty.online()
    item_id = await of_type(hasty)
    hasty.faults.says = lambda _method, _path: Said(503, [(b"retry-after", b"1")])

    await store.items.edit([item_id], {"Name": "Later"})
    await offline(store)
    hasty.faults.says = lambda _method, _path: None
    await sent(store)

    assert (await fields(hasty, item_id))["Name"] == "Later"


async def test_a_service_that_comes_back_is_noticed_by_a_cheap_question(hasty: World) -> None:
    store = await hasty.online()
    item_id = await of_type(hasty)
    hasty.faults.is_down = True

    await store.items.edit([item_id], {"Name": "Offline"})
    await offline(store)
    begun = len(hasty.faults.requests)

    def last_parts() -> Counter[str]:
        return Counter(path.rpartition("/")[2] for _, path in hasty.faults.requests[begun:])

    await until(lambda: last_parts()["me"] >= 3)
    asked = last_parts()
    hasty.faults.is_down = False
    await sent(store)
    await until(lambda: store.connection.state is ConnectionState.ONLINE)

    assert asked["me"] >= sum(asked.values()) - 2  # another request may have been repeated at first
    assert store.outbox_entries() == ()


@pytest.mark.slow
async def test_a_long_outage_is_no_refusal(hasty: World) -> None:
    store = await hasty.online()
    item_id = await of_type(hasty)
    hasty.faults.says = lambda _, path: Said(503) if path.endswith(f"/{item_id}") else None

    await store.items.edit([item_id], {"Name": "At last"})
    await until(lambda: sum(path.endswith(f"/{item_id}") for _, path in hasty.faults.requests) > 30)
    assert store.outbox.refused == 0
    hasty.faults.says = lambda _method, _path: None
    await sent(store)

    assert (await fields(hasty, item_id))["Name"] == "At last"


async def test_an_item_that_the_service_fails_over_holds_up_no_other_and_is_given_up_at_last(hasty: World) -> None:
    store = await hasty.online()
    item_id, other_id = await of_type(hasty), await of_type(hasty, "Bug")
    hasty.faults.says = lambda method, _: Said(500) if method == "PUT" else None
    await store.items.edit([item_id], {"Name": "Fails"})
    await until(lambda: hasty.faults.count("PUT") > 1)
    hasty.faults.says = lambda method, path: Said(500) if method == "PUT" and path.endswith(f"/{item_id}") else None

    await store.items.edit([other_id], {"Name": "Passes"})
    await sent(store)

    assert (await fields(hasty, other_id))["Name"] == "Passes"
    (entry,) = store.outbox_entries()
    assert (entry.item_id, entry.state) == (item_id, EntryState.REFUSED)
    assert "repeatedly" in entry.reason


async def test_the_pauses_of_an_entry_grow_with_its_failures(hasty: World) -> None:
    failures: list[int] = []

    class Noted(RetryPauses, frozen=True):
        def pause(self, failures_so_far: int) -> float:
            failures.append(failures_so_far)
            return 0.01

    hasty.waits = Noted(in_transit=0.1, sync_every=1000.0)
    store, item_id = await hasty.online(), await of_type(hasty)
    failures.clear()
    hasty.faults.says = lambda method, _: Said(500) if method == "PUT" else None

    await store.items.edit([item_id], {"Name": "Fails"})
    await sent(store)

    assert failures == [1, 2, 3, 4, 5, 6, 7]


async def test_a_creation_that_failed_late_is_not_sent_again_yet(hasty: World) -> None:
    hasty.waits = RetryPauses(first_pause=0.01, longest_pause=0.02, in_transit=2.0, sync_every=1000.0)
    store, item_id = await hasty.online(), await of_type(hasty)
    await asyncio.sleep(2.0)  # longer than anything is in transit, since the store was opened
    hasty.faults.says = lambda method, _: Said(500) if method == "POST" else None

    await store.items.comment(item_id, "Once")
    await until(lambda: hasty.faults.count("POST") == 1)
    hasty.faults.says = lambda _method, _path: None
    looks = hasty.faults.count("GET")
    await until(lambda: hasty.faults.count("GET") > looks + 3)

    assert hasty.faults.count("POST") == 1


async def test_what_is_edited_while_a_request_hangs_is_sent_beside_it(hasty: World) -> None:
    store = await hasty.online()
    item_id, other_id = await of_type(hasty), await of_type(hasty, "Bug")
    hasty.faults.stalls = frozenset({f"/{item_id}"})
    await store.items.edit([item_id], {"Name": "Hangs"})
    await until(lambda: ("GET", f"/api/v1/workitems/{item_id}") in hasty.faults.requests)

    await store.items.edit([other_id], {"Name": "Passes"})
    await until(lambda: store.outbox.pending == 1)

    assert (await fields(hasty, other_id))["Name"] == "Passes"


@pytest.mark.parametrize("body", [b"{}", b"[]", b"<html>", b'{"id": 1, "fields": null}', b'{"id": 1, "fields": {}}'])
async def test_a_senseless_answer_is_neither_a_conflict_nor_taken_for_the_item(hasty: World, body: bytes) -> None:
    store = await hasty.online()
    item_id = await of_type(hasty)
    assert item_id != 1
    hasty.faults.says = lambda _, path: Said(200, (), body) if path.endswith(f"/{item_id}") else None

    await store.items.edit([item_id], {"Name": "Sense"})
    await until(lambda: len([None for _, path in hasty.faults.requests if path.endswith(f"/{item_id}")]) > 3)
    hasty.faults.says = lambda _method, _path: None
    await sent(store)

    assert store.outbox_entries() == ()
    assert (await fields(hasty, item_id))["Name"] == "Sense"


async def made_without_an_answer(world: World, store: Store, *names: str) -> None:
    """Items are made, but no answer comes, and then nothing more; until `world.faults.says` is set anew."""
    posted: list[str] = []

    def says(method: str, path: str) -> Said | None:
        if posted:
            return Said(503)
        if method == "POST" and path.endswith("/workitems"):
            posted.append(path)
        return None

    for name in names:
        posted.clear()
        world.faults.lost_answers["POST"] = 1
        world.faults.says = says
        await store.items.add("Bug", {"Name": name})
        await until(lambda: posted and store.connection.state is ConnectionState.OFFLINE)
        await until(lambda: all(each.state is EntryState.WAITING for each in store.outbox_entries()))


async def test_an_item_that_somebody_renamed_before_it_was_looked_for_is_not_made_twice(hasty: World) -> None:
    store = await hasty.online()
    before = len(await hasty.names())
    await made_without_an_answer(hasty, store, "Mine")
    made = (await hasty.rival.work_items.page(filter="Name eq 'Mine'")).results
    await hasty.rival.work_items.update(made[0]["id"], {"Name": "Jon's name for it"})

    hasty.faults.says = lambda _method, _path: None
    await sent(store)

    assert store.outbox_entries() == ()
    assert len(await hasty.names()) == before + 1
    assert shown(store, made[0]["id"]).fields["Name"] == "Jon's name for it"


async def test_when_it_cannot_be_told_which_renamed_item_was_made_the_user_is_asked(hasty: World) -> None:
    store = await hasty.online()
    before = len(await hasty.names())
    await made_without_an_answer(hasty, store, "Mine")
    made = (await hasty.rival.work_items.page(filter="Name eq 'Mine'")).results[0]["id"]
    await hasty.rival.work_items.update(made, {"Name": "Jon's name for it"})
    async with Client.inside(hasty.service.asgi, TokenCache(hasty.folder / "elsewhere.json", "maya")) as elsewhere:
        await elsewhere.auth.sign_in_with_code(await asyncio.to_thread(hasty.service.invite, "maya"))
        other = await elsewhere.work_items.create({"type": "Bug", "projectId": 1, "fields": {"Name": "Elsewhere"}})
    await hasty.rival.work_items.update(other["id"], {"Name": "Also renamed"})

    hasty.faults.says = lambda _method, _path: None
    await sent(store)
    (entry,) = store.outbox_entries()
    assert entry.state is EntryState.REFUSED
    assert f"#{made}" in entry.reason
    await store.conflicts.retry(entry.id)
    await sent(store)

    assert store.outbox_entries() == ()
    assert len(await hasty.names()) == before + 3


async def test_a_request_that_may_still_be_on_its_way_is_not_sent_again_yet(hasty: World) -> None:
    hasty.waits = RetryPauses(first_pause=0.01, longest_pause=0.02, in_transit=60.0, sync_every=1000.0)
    store = await hasty.online()
    item_id = await of_type(hasty)
    hasty.faults.says = lambda method, _: Said(504) if method == "POST" else None

    await store.items.comment(item_id, "Once")
    await until(lambda: hasty.faults.count("POST") == 1)
    hasty.faults.says = lambda _method, _path: None
    looks = hasty.faults.count("GET")
    await until(lambda: hasty.faults.count("GET") > looks + 6)

    assert hasty.faults.count("POST") == 1
    assert store.outbox.pending == 1


@pytest.mark.parametrize("body", [b"{}", b'{"id": 1, "fields": 7}', b'{"id": "x"}'])
async def test_a_made_up_answer_is_not_taken_for_what_was_to_be_made(hasty: World, body: bytes) -> None:
    store = await hasty.online()
    item_id = await of_type(hasty)
    hasty.faults.says = lambda method, _: Said(201, (), body) if method == "POST" else None

    temporary = await store.items.add("Bug", {"Name": "Real"})
    comment = await store.items.comment(item_id, "Real, too")
    await until(lambda: hasty.faults.count("POST") >= 2)
    hasty.faults.says = lambda _method, _path: None
    await sent(store)

    assert (await hasty.names()).count("Real") == 1
    assert shown(store, temporary).fields["Name"] == "Real"
    assert [each.text for each in store.comments.of_item(item_id)].count("Real, too") == 1
    assert comment < 0


async def test_who_does_not_know_who_he_is_does_not_take_his_own_for_somebody_elses(hasty: World) -> None:
    store = await hasty.online()
    await made_without_an_answer(hasty, store, "Mine")
    asked = len(hasty.faults.requests)

    hasty.faults.says = lambda _, path: Said(200, (), b"{}") if path.endswith("/users/me") else None
    await until(lambda: sum(path.endswith("/users/me") for _, path in hasty.faults.requests[asked:]) > 3)
    hasty.faults.says = lambda _method, _path: None
    await sent(store)

    assert (await hasty.names()).count("Mine") == 1
