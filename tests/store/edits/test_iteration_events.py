"""The start and the close of an iteration: through the outbox, seen by others, withdrawn by undo."""

import asyncio

import pytest
from tests.store.plan_steps import ITERATIONS, ended_sprint, held
from tests.store.world import World, raised, sent, until

from backlit.model.errors import BadRequest
from backlit.model.planning import IterationEvent
from backlit.store import IterationEntry, Store
from backlit.store.edits.rollover import RolloverDecision, RolloverOutcome


def current(store: Store) -> IterationEntry:
    return store.names.iteration("current")


async def test_a_start_is_recorded_by_the_service_and_seen_by_others(world: World, store: Store) -> None:
    sprint = current(store)
    await store.nodes.record(sprint.id, IterationEvent.START)
    at_once = current(store).started_at
    await sent(store)
    other = await world.online("other")

    assert at_once is not None
    assert other.lookups.iterations()[sprint.id].started_at == current(store).started_at is not None
    assert current(store).closed_at is None


async def test_an_ordinary_change_keeps_the_start(store: Store) -> None:
    sprint = current(store)
    await store.nodes.record(sprint.id, IterationEvent.START)
    await store.nodes.edit(ITERATIONS, sprint.id, {"name": "Renamed"})
    await sent(store)

    assert (current(store).name, current(store).started_at is None) == ("Renamed", False)


async def test_undo_withdraws_and_redo_records_again(world: World, store: Store) -> None:
    sprint = current(store)
    await store.nodes.record(sprint.id, IterationEvent.START)
    await sent(store)
    await store.history.undo()
    undone = current(store).started_at
    await sent(store)
    other = await world.online("other")
    withdrawn = other.lookups.iterations()[sprint.id].started_at
    await store.history.redo()
    await sent(store)

    assert undone is withdrawn is None
    assert current(store).started_at is not None


async def test_a_start_without_a_connection_waits_and_is_sent_later(world: World, store: Store) -> None:
    world.faults.is_down = True
    await store.nodes.record(current(store).id, IterationEvent.START)
    shown, waiting = current(store).started_at, store.outbox.pending
    world.faults.is_down = False
    await store.refresh()
    await sent(store)

    assert shown is not None
    assert waiting == 1


async def test_a_lost_answer_does_not_move_the_start(world: World, store: Store) -> None:
    world.faults.lost_answers["POST"] = 1
    await store.nodes.record(current(store).id, IterationEvent.START)
    await sent(store)
    read = await world.rival.iterations.record(current(store).id, "start")

    assert read["startedAt"] == f"{current(store).started_at:%Y-%m-%dT%H:%M:%S.%f}"[:-3]


async def test_a_server_without_events_says_so_and_nothing_is_asked_of_it(world: World, store: Store) -> None:
    world.faults.lacks = frozenset({"/capabilities"})
    other = await world.online("foreign")
    error = await raised(other.nodes.record(current(other).id, IterationEvent.START))

    assert isinstance(error, BadRequest)
    assert error.message == "This server does not record when sprints start and close: their dates count."
    assert other.outbox.pending == 0


async def test_a_rollover_marks_done_then_closes_and_then_moves(world: World, store: Store) -> None:
    ended, target, rows = await ended_sprint(store, 3)
    done, moved, split = (row.id for row in rows)
    decisions = {
        moved: RolloverDecision(RolloverOutcome.NEXT),
        split: RolloverDecision(RolloverOutcome.SPLIT, 3.0),
        done: RolloverDecision(RolloverOutcome.DONE),
    }
    world.faults.requests.clear()
    await store.rollover.write(ended.id, target.id, decisions, closes=True)
    await sent(store)
    writes = [path for method, path in world.faults.requests if method in {"PUT", "POST"}]
    close = next(at for at, path in enumerate(writes) if path.endswith("/close"))

    assert [path.rpartition("/")[2] for path in writes[:close]] == [str(done)]
    assert {path.rpartition("/")[2] for path in writes[close + 1 :]} == {str(moved), str(split), "workitems"}
    assert store.lookups.iterations()[ended.id].closed_at is not None
    assert await held(world, moved, "IterationID") == [target.id]


async def test_undo_of_a_rollover_opens_the_sprint_again(world: World, store: Store) -> None:
    ended, target, rows = await ended_sprint(store, 1)
    decisions = {rows[0].id: RolloverDecision(RolloverOutcome.NEXT)}
    await store.rollover.write(ended.id, target.id, decisions, closes=True)
    await sent(store)
    await store.history.undo()
    await sent(store)

    assert store.lookups.iterations()[ended.id].closed_at is None
    assert await held(world, rows[0].id, "IterationID") == [ended.id]


@pytest.mark.parametrize("event", IterationEvent)
async def test_the_root_has_neither(store: Store, event: IterationEvent) -> None:
    root = store.lookups.tree(ITERATIONS).roots[0]

    assert "The root cannot be" in (await raised(store.nodes.record(root.id, event))).message


async def test_a_read_of_the_trees_that_began_before_a_start_was_stored_leaves_it(world: World, store: Store) -> None:
    sprint = current(store)
    read, is_sent = asyncio.Event(), asyncio.Event()

    async def hold(method: str, path: str) -> None:
        """Keep back what is read next to the events, which were read before the start."""
        if method == "GET" and path.endswith("/areas") and not read.is_set():
            read.set()
            await is_sent.wait()

    world.faults.before = hold
    refresh = asyncio.create_task(store.refresh())
    await until(read.is_set)
    await asyncio.sleep(0.05)
    await store.nodes.record(sprint.id, IterationEvent.START)
    await sent(store)
    is_sent.set()
    await refresh

    assert current(store).started_at is not None
