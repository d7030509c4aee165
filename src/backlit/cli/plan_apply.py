"""Do what a plan that was written as text and changed says."""

import argparse
import asyncio
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from backlit.cli.synced import synced_store
from backlit.model.errors import BacklitError, BadRequest, StorageError
from backlit.model.fields import FIELD_BY_KEY
from backlit.model.plain import plain
from backlit.store.changes import ConnectionState
from backlit.store.plan_draft import PLANNED
from backlit.store.plan_reading import PlanChange
from backlit.store.plan_text import BACKLOG, NONE, PlanLine, labels_of, read_plan
from backlit.store.rows import Item
from backlit.store.store import Store

LOOK_EVERY = 0.2
_LABELS = {"IterationID": "", "Estimate": "points ", "AssignedToID": "owner "}


def run(arguments: argparse.Namespace) -> None:
    """Say what changes; without --dry-run write it as one step, and wait until the service has it."""
    text = _read(arguments.file)
    with synced_store(arguments) as store:
        labels = labels_of(store.plan.targets())
        changes = store.plan.along(_wanted(store, read_plan(text, labels, store.plan.backlog_id)))
        difference = store.plan.try_out(changes)
        for line in described(store, difference, labels):
            print(line)
        if difference and not arguments.dry_run:
            asyncio.run(_write(store, changes))


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"The plan cannot be read: {error} ({file}).") from error


def _wanted(store: Store, plan: Mapping[int, Sequence[PlanLine]]) -> dict[int, dict[str, object]]:
    """The values that the lines ask for; raises BadRequest for an item or a person that is not there."""
    people = {person.username: person.id for person in store.people().values()}
    items = {item.id: item for item in store.batch.items([line.id for lines in plan.values() for line in lines])}
    planned = {each.id for each in store.plan.targets()}
    wanted: dict[int, dict[str, object]] = {}
    for place, lines in plan.items():
        for line in lines:
            if line.id not in items:
                raise BadRequest(f"There is no item {line.id} in this project.")
            wanted[line.id] = _values(items[line.id], line, people)
            is_there = place not in planned and items[line.id].fields.get("IterationID") not in planned
            wanted[line.id] |= {} if is_there else {"IterationID": place}
    return wanted


def _values(item: Item, line: PlanLine, people: Mapping[str, int]) -> dict[str, object]:
    owner = line.owner or ""
    known = people.get(owner, int(owner[5:]) if owner.startswith("user ") and owner[5:].isdecimal() else None)
    if owner and known is None:
        raise BadRequest(f"Item {line.id}: there is no user {owner!r}. There are: {', '.join(people)}.")
    given = {"Estimate": line.estimate, "AssignedToID": known}
    return {key: value for key, value in given.items() if value is not None or FIELD_BY_KEY[key].applies_to(item.type)}


async def _write(store: Store, changes: Mapping[int, Mapping[str, object]]) -> None:
    await store.plan.stage(changes)
    written = await store.plan.commit(change for change in store.plan.difference() if change.id in changes)
    deadline = time.monotonic() + LOOK_EVERY * 5
    while (sent := store.plan.sent()) is not None and sent.waiting:
        is_online = store.connection.state is ConnectionState.ONLINE
        if not is_online and time.monotonic() > deadline:
            break
        if sys.stderr.isatty():
            print(f"\r{sent.done} of {sent.total} sent ", end="", file=sys.stderr, flush=True)
        await asyncio.sleep(LOOK_EVERY)
    if sent is not None and sent.held:
        raise BacklitError(f"{sent.held} of {sent.total} were not taken by the service; the outbox (go) says why.")
    if sent is not None:
        print(f"{_items(written)} kept on this machine, to be sent when the service can be reached.")
        return
    print(f"{_items(written)} written.")


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"


def described(store: Store, difference: Sequence[PlanChange], labels: Mapping[int, str]) -> list[str]:
    """Iteration by iteration how full they get, then item by item what changes."""
    if not difference:
        return ["Nothing changes."]
    names = {**labels, store.plan.backlog_id: BACKLOG}
    people = {person.id: person.username for person in store.people().values()}

    def shown(key: str, value: object) -> str:
        if value is None or value == "":
            return NONE
        found = names if key == "IterationID" else people if key == "AssignedToID" else {}
        return plain(found.get(value, str(value)) if isinstance(value, int) else str(value))

    lines = []
    for change in difference:
        parts = [
            f"{_LABELS[key]}{shown(key, touch.base)} → {shown(key, touch.mine)}"
            for key, touch in sorted(change.fields.items(), key=lambda each: PLANNED.index(each[0]))
        ]
        lines.append(f"{change.id}  {plain(change.name, 48)}:  {', '.join(parts)}")
    return [*_loads(store, difference, labels), *lines]


def _loads(store: Store, difference: Sequence[PlanChange], labels: Mapping[int, str]) -> list[str]:
    """Only of iterations whose points change, against what they may hold."""
    changes = {change.id: {key: touch.mine for key, touch in change.fields.items()} for change in difference}
    places = {value for change in difference for value in (change.place, changes[change.id].get("IterationID"))}
    iterations = store.iterations()
    found = []
    for place, load in store.plan.loads_now([each for each in labels if each in places], changes).items():
        most = iterations[place].max_capacity
        over = f"  ! {load.points - most:g} too many" if most and load.points > most else ""
        found.append(f"{labels[place]}: {load.points:g}{f' of at most {most:g}' if most else ''} points{over}")
    return found
