"""Application of an edited text plan."""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from pathlib import Path

from backlit.cli.commands.plan_base import was_of
from backlit.cli.commands.plan_changes_text import described
from backlit.cli.synced import synced_store
from backlit.model.errors import BacklitError, BadRequest, StorageError
from backlit.model.fields import FIELD_BY_KEY
from backlit.store.planning.draft import Touch, Touches, Values
from backlit.store.planning.plan import PlanChange
from backlit.store.planning.text import ExportedItem, PlanLine, labels_of, read_base, read_plan
from backlit.store.records.changes import ConnectionState
from backlit.store.records.item import Item
from backlit.store.store import Store

LOOK_EVERY = 0.2


def run(arguments: argparse.Namespace) -> None:
    """Print the changes; without --dry-run, save them as one step and wait for the service."""
    text = _read(arguments.file)
    with synced_store(arguments) as store:
        difference = differing(store, text, is_over_theirs=arguments.mine)
        for line in described(store, difference, labels_of(store.plan.iterations.targets())):
            print(line)
        changes = _changes(difference)
        if changes and not arguments.dry_run:
            asyncio.run(_write(store, changes))
        contested = sum(bool(change.contests) for change in difference)
        if contested:
            was = "One change was" if contested == 1 else f"{contested} changes were"
            raise BacklitError(
                f"{was} skipped: others changed the same fields. To overwrite their changes, add --mine."
            )


def differing(store: Store, text: str, *, is_over_theirs: bool) -> list[PlanChange]:
    """Compare a text with the store; raise BadRequest for an unreadable line."""
    lines = read_plan(text, labels_of(store.plan.iterations.targets()), store.plan.iterations.backlog_id)
    return _along(store, store.plan.try_out(_wanted(store, lines, read_base(text))), is_over_theirs=is_over_theirs)


def _read(file: str) -> str:
    try:
        return sys.stdin.read() if file == "-" else Path(file).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise StorageError(f"Could not read the plan: {error} ({file}).") from error


def _wanted(store: Store, plan: Mapping[int, Sequence[PlanLine]], base: Mapping[int, ExportedItem]) -> Touches:
    """Collect the changes of the lines; raise BadRequest for an unknown item or person."""
    people = {person.username: person.id for person in store.lookups.people().values()}
    items = {item.id: item for item in store.batch.items([line.id for lines in plan.values() for line in lines])}
    now = store.plan.iterations.as_is(items)
    owners = {number: name for name, number in people.items()}
    unplanned = set(store.lookups.iterations()) - {each.id for each in store.plan.iterations.targets()}
    wanted: dict[int, dict[str, Touch]] = {}
    for place, lines in plan.items():
        for line in lines:
            if line.id not in items:
                raise BadRequest(f"This project has no item {line.id}.")
            mine = {"IterationID": place, **_values(items[line.id], line, people)}
            as_is = was_of(now[line.id], owners)
            was = base.get(line.id, as_is)
            wanted[line.id] = dict(_touches(Change(mine, now[line.id], line, as_is, was), unplanned))
    return wanted


@dataclass(frozen=True, slots=True)
class Change:
    """A line of a plan with its values at export and now, both as text."""

    mine: Values
    now: Values
    line: PlanLine
    as_is: ExportedItem
    was: ExportedItem


def _touches(change: Change, unplanned: AbstractSet[object]) -> Iterator[tuple[str, Touch]]:
    """Return the changes of a line, based on the current value if it is unchanged since the export."""
    mine, now, was, as_is = change.mine, change.now, change.was, change.as_is
    place, stood = mine["IterationID"], now["IterationID"]
    if not _is_one_place(place, was.place, unplanned) and not _is_one_place(place, stood, unplanned):
        yield "IterationID", Touch(stood if _is_one_place(was.place, stood, unplanned) else was.place, place)
    if "Estimate" in mine and change.line.estimate != was.estimate:
        yield "Estimate", Touch(now["Estimate"] if was.estimate == as_is.estimate else was.estimate, mine["Estimate"])
    if "AssignedToID" in mine and change.line.owner != was.owner:
        base = now["AssignedToID"] if was.owner == as_is.owner else was.owner
        yield "AssignedToID", Touch(base, mine["AssignedToID"])


def _is_one_place(one: object, other: object, unplanned: AbstractSet[object]) -> bool:
    """Compare two iterations; to a plan, all unplanned ones are the backlog."""
    return one == other or (one in unplanned and other in unplanned)


def _values(item: Item, line: PlanLine, people: Mapping[str, int]) -> dict[str, object]:
    owner = line.owner or ""
    known = people.get(owner, int(owner[5:]) if owner.startswith("user ") and owner[5:].isdecimal() else None)
    if owner and known is None:
        raise BadRequest(f"Item {line.id}: unknown user {owner!r}. Known users: {', '.join(people)}.")
    given = {"Estimate": line.estimate, "AssignedToID": known}
    return {key: value for key, value in given.items() if value is not None or FIELD_BY_KEY[key].applies_to(item.type)}


def _along(store: Store, difference: Sequence[PlanChange], *, is_over_theirs: bool) -> list[PlanChange]:
    """Add the tasks that follow their items, and overwrite others' changes if requested."""
    agreed = [change.over_theirs() for change in difference] if is_over_theirs else difference
    changes = _changes(agreed)
    along = store.plan.along(changes)
    now = store.plan.iterations.as_is(along)
    tasks = store.plan.try_out(
        {
            task_id: {key: Touch(now[task_id][key], mine) for key, mine in values.items()}
            for task_id, values in along.items()
            if task_id not in changes
        }
    )
    return [each for change in agreed for each in (change, *(task for task in tasks if task.parent_id == change.id))]


def _changes(difference: Sequence[PlanChange]) -> dict[int, Values]:
    return {each.id: {key: touch.mine for key, touch in each.fields.items()} for each in difference if each.fields}


async def _write(store: Store, changes: Mapping[int, Values]) -> None:
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
        raise BacklitError(
            f"{sent.held} of {sent.total} were rejected by the server. Press go in backlit for the reasons."
        )
    if sent is not None:
        print(f"{_items(written)} saved on this machine; backlit sends them when the server is reachable.")
        return
    print(f"{_items(written)} written.")


def _items(count: int) -> str:
    return "1 item" if count == 1 else f"{count} items"
