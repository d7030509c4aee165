"""Iterations: the start and the close of a sprint."""

import argparse
import asyncio

from backlit.cli.output import announce
from backlit.cli.synced import counting_changes, synced_store, wait_while
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.plain import plain
from backlit.model.planning import IterationEvent
from backlit.store.records.entry import BUSY, EntryState, OutboxEntry
from backlit.store.records.people import IterationEntry, TreeKind
from backlit.store.store import Store

_VERBS = {IterationEvent.START: "started", IterationEvent.CLOSE: "closed"}


def record_event(arguments: argparse.Namespace) -> None:
    event = IterationEvent(arguments.event)
    with synced_store(arguments, is_writing=True) as store:
        store.nodes.need_events()
        iteration = store.names.iteration(arguments.iteration)
        at = iteration.started_at if event is IterationEvent.START else iteration.closed_at
        name = plain(iteration.name)
        if (at is None) == arguments.withdraw:
            when = "" if at is None else f" on {store.local(at):%Y-%m-%d at %H:%M}"
            print(f"{name} is not {_VERBS[event]}." if at is None else f"{name} was {_VERBS[event]}{when} already.")
            return
        announce([_words(store, iteration, event, is_withdrawn=arguments.withdraw)])
        if not arguments.dry_run:
            print(asyncio.run(_recorded(store, iteration, event, is_withdrawn=arguments.withdraw)))


def _words(store: Store, iteration: IterationEntry, event: IterationEvent, *, is_withdrawn: bool) -> str:
    name = plain(iteration.name)
    if is_withdrawn:
        return f"{name}: the {event} is withdrawn."
    if event is IterationEvent.START:
        points = store.plan_preview.loads_now([iteration.id])[iteration.id].points
        return f"{name}: {counted(points, 'pt')} become the commitment."
    totals = store.lookups.totals(TreeKind.ITERATIONS).get(iteration.id)
    left = f" {counted(totals.count, 'item')} unfinished (gw in backlit carries them over)." if totals else ""
    return f"{name}: what is done later is late.{left}"


async def _recorded(store: Store, iteration: IterationEntry, event: IterationEvent, *, is_withdrawn: bool) -> str:
    """Record the event, and wait until the service has it; return what became of it, or raise BacklitError."""
    act = store.nodes.withdraw if is_withdrawn else store.nodes.record
    with counting_changes(store):
        await act(iteration.id, event)
        await wait_while(store, lambda: any(each.state in BUSY for each in _unsent(store, iteration)))
    left = _unsent(store, iteration)
    if any(each.state is EntryState.REFUSED for each in left):
        raise BacklitError(f"The server rejected the change: {plain(left[-1].reason)}")
    if left:
        return "Saved on this machine; backlit sends it when the server is reachable."
    name = plain(iteration.name)
    return f"The {event} of {name} is withdrawn." if is_withdrawn else f"{name} is {_VERBS[event]}."


def _unsent(store: Store, iteration: IterationEntry) -> list[OutboxEntry]:
    return [each for each in store.outbox_entries() if each.event is not None and each.node_id == iteration.id]
