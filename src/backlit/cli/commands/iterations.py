"""Iterations: the start and the close of a sprint."""

import argparse
import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from backlit.cli.output import announce
from backlit.cli.sprint_closing import SprintClosing
from backlit.cli.synced import counting_changes, synced_store, wait_while
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError
from backlit.model.plain import plain
from backlit.model.planning import IterationEvent
from backlit.store.records.entry import BUSY, EntryState
from backlit.store.records.people import IterationEntry
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
        if event is IterationEvent.CLOSE and not arguments.withdraw:
            closing = SprintClosing.of(store, iteration, arguments)
            announce(closing.words())
            act = closing.write
        else:
            announce([_words(store, iteration, event, is_withdrawn=arguments.withdraw)])
            record = store.nodes.withdraw if arguments.withdraw else store.nodes.record
            act = partial(record, iteration.id, event)
        if not arguments.dry_run:
            is_sent = asyncio.run(_sent(store, act))
            done = f"The {event} of {name} is withdrawn." if arguments.withdraw else f"{name} is {_VERBS[event]}."
            print(done if is_sent else "Saved on this machine; backlit sends it when the server is reachable.")


def _words(store: Store, iteration: IterationEntry, event: IterationEvent, *, is_withdrawn: bool) -> str:
    name = plain(iteration.name)
    if is_withdrawn:
        return f"{name}: the {event} is withdrawn."
    points = store.plan_preview.loads_now([iteration.id])[iteration.id].points
    return f"{name}: {counted(points, 'pt')} become the commitment."


async def _sent(store: Store, act: Callable[[], Awaitable[object]]) -> bool:
    """Run an act, and report whether the service has what it changed; raise BacklitError where it rejects some."""
    with counting_changes(store) as changes:
        await act()
        await wait_while(store, lambda: any(each.state in BUSY for each in changes.all()))
        entries = changes.all()
    held = [each for each in entries if each.state in {EntryState.REFUSED, EntryState.CONFLICT}]
    if held:
        what = "the change" if len(entries) == 1 else f"{len(held)} of {len(entries)} changes"
        reason = plain(held[-1].reason) or "Somebody changed the same."
        raise BacklitError(f"The server rejected {what}: {reason} Press go in backlit for all.")
    return not any(each.state in BUSY for each in entries)
