"""Changes that a command makes: shown, asked for, journalled, sent, and told row by row."""

import argparse
import sys
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct, field
from msgspec.structs import replace

from backlit.cli.listing import Column, chosen_columns, write_rows
from backlit.cli.synced import SentChanges, counting_changes
from backlit.cli.terminal_input import can_ask, read_line
from backlit.model.amounts import counted
from backlit.model.errors import AnswerNeeded, BadRequest, exit_code_of
from backlit.model.plain import plain
from backlit.store.records.changes import ConnectionState
from backlit.store.records.entry import BUSY, EntryState, OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store

POLL_SECONDS = 0.02
UNREACHABLE_SECONDS = 1.0
"""Seconds to wait for a server that is not reachable now: it may come back at once."""


class ChangeState(StrEnum):
    """What became of a change."""

    PLANNED = "planned"
    """Not made: a dry run."""
    SAVED = "saved"
    QUEUED = "queued"
    REFUSED = "refused"
    CONFLICT = "conflict"
    UNCHANGED = "unchanged"


class FieldChangeRow(Struct, frozen=True):
    """A value before and after, as people read it; long texts in their first lines."""

    field: str
    before: str
    after: str


class ThingChange(Struct, frozen=True):
    """The change of an item or another thing; `key` is what stands in the column of its id."""

    id: int
    key: int | str
    changes: tuple[FieldChangeRow, ...] = ()
    state: ChangeState = ChangeState.PLANNED
    reason: str = ""
    name: str = ""


class ChangeReport(Struct):
    """What a command is about to change, and then what it changed."""

    things: list[ThingChange] = field(default_factory=list)
    step: int | None = None


_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("field", "Field"),
    Column("before", "Before"),
    Column("after", "After"),
    Column("state", "State"),
    Column("reason", "Reason", is_usual=False),
    Column("name", "Name", is_usual=False),
)
INVALID = 6
"""The exit code of a value that an item cannot have."""
_EXIT = {ChangeState.REFUSED: INVALID, ChangeState.CONFLICT: 7}


def confirm_count(
    arguments: argparse.Namespace, count: int, verb: str, *, noun: str = "item", is_grave: bool = False
) -> None:
    """Ask before more than one thing is changed, and before any grave change.

    Raises AnswerNeeded where it cannot ask, BadRequest for another answer.
    """
    if arguments.yes or arguments.dry_run or (count < 2 and not is_grave):
        return
    what = counted(count, noun)
    if not can_ask() or not sys.stderr.isatty():
        raise AnswerNeeded(f"{verb} {what}: add --yes. No changes were made.")
    if read_line(f"{verb} {what}? Type {count}: ").strip() != str(count):
        raise BadRequest("Cancelled: no changes were made.")


def carry_out(
    arguments: argparse.Namespace,
    store: Store,
    things: Sequence[ThingChange],
    act: Callable[[Sequence[ThingChange]], Awaitable[object]],
    *,
    finds: Callable[[ThingChange, OutboxEntry], bool] | None = None,
    is_deletion: bool = False,
) -> ChangeReport:
    """Make the planned changes and wait for the server; a dry run makes none.

    `finds` tells whether an entry is of a thing, by default by the item's id. A deletion without an entry withdrew what
    was never sent.
    """
    planned = [each for each in things if each.state is ChangeState.PLANNED]
    report = ChangeReport(list(things))
    if arguments.dry_run or not planned:
        return report

    async def run() -> Sequence[OutboxEntry]:
        with counting_changes(store) as changes:
            await act(planned)
            await wait_until_sent(store, changes, arguments)
            return changes.all()

    entries = store.run(run())
    report.step = max((each.step for each in entries), default=None)
    without_entry = ChangeState.SAVED if is_deletion else ChangeState.UNCHANGED
    is_of = finds or (lambda thing, entry: store.files.journal.real_id(thing.id) == entry.item_id)
    report.things = [
        _after(store, each, [entry for entry in entries if is_of(each, entry)], without_entry)
        if each.state is ChangeState.PLANNED
        else each
        for each in things
    ]
    return report


async def wait_until_sent(store: Store, changes: SentChanges, arguments: argparse.Namespace) -> None:
    """Wait until the server has the changes, for as long as the options say."""
    if arguments.offline:
        return
    begun = time.monotonic()
    while any(each.state in BUSY and not _is_behind_conflict(store, each.item_id) for each in changes.all()):
        waited = time.monotonic() - begun
        is_away = store.connection.state is not ConnectionState.ONLINE
        if waited >= (min(arguments.wait, UNREACHABLE_SECONDS) if is_away else arguments.wait):
            return
        import asyncio

        await asyncio.sleep(POLL_SECONDS)


def _is_behind_conflict(store: Store, item_id: int) -> bool:
    """Report whether an earlier change of the item waits for the user, and later ones behind it."""
    waiting = store.files.journal.entries.undelivered([item_id]) if item_id else ()
    return any(each.state is EntryState.CONFLICT for each in waiting)


def _after(store: Store, thing: ThingChange, entries: Sequence[OutboxEntry], without_entry: ChangeState) -> ThingChange:
    item_id = store.files.journal.real_id(thing.id)
    key = id_of(item_id) if item_id and isinstance(thing.key, int | str) and thing.id else thing.key
    state, reason = state_of(entries) if entries else (without_entry, "")
    if state is ChangeState.QUEUED and _is_behind_conflict(store, item_id):
        state, reason = ChangeState.CONFLICT, "an earlier change of it is in conflict. See: backlit outbox list"
    return replace(thing, key=key, state=state, reason=reason)


def state_of(entries: Sequence[OutboxEntry]) -> tuple[ChangeState, str]:
    """Return what became of the entries of a thing, with the reason of a refusal."""
    for state, meaning in ((EntryState.CONFLICT, ChangeState.CONFLICT), (EntryState.REFUSED, ChangeState.REFUSED)):
        held = [each for each in entries if each.state is state]
        if held:
            return meaning, plain(held[-1].reason) or "somebody changed the same"
    if any(each.state in BUSY for each in entries):
        return ChangeState.QUEUED, ""
    return (ChangeState.SAVED if entries else ChangeState.UNCHANGED), ""


def write_report(arguments: argparse.Namespace, report: ChangeReport, store: Store) -> int:
    """Write a row for each changed field, say what was not done, and return the exit code."""
    columns = chosen_columns(arguments, _COLUMNS)
    rows = [
        {
            "id": each.key,
            "field": change.field,
            "before": change.before,
            "after": change.after,
            "state": _state_words(each),
            "reason": each.reason,
            "name": each.name,
        }
        for each in report.things
        for change in each.changes or (FieldChangeRow("", "", ""),)
    ]
    document = change_list(arguments, report, store)
    if arguments.json is True:
        from backlit.cli.output import write_json

        write_json(document)
    else:
        write_rows(arguments, columns, rows, document["items"], nothing="Nothing to change.")  # type: ignore[arg-type]
    sys.stdout.flush()
    return tell_rest(arguments, report)


def carry_out_on_item(
    arguments: argparse.Namespace,
    store: Store,
    item: Item,
    rows: Sequence[FieldChangeRow],
    act: Callable[[], Awaitable[object]],
    *,
    is_deletion: bool = False,
) -> int:
    """Change what is on an item, as the rows tell it, and return the exit code; without rows nothing is done."""
    things = [ThingChange(item.id, id_of(item.id), tuple(rows), name=item.name)] if rows else []
    return write_report(arguments, carry_out(arguments, store, things, lambda _: act(), is_deletion=is_deletion), store)


def change_list(arguments: argparse.Namespace, report: ChangeReport, store: Store) -> Mapping[str, object]:
    """Return the published document of changes."""
    projects = {each.id: each.name for each in store.lookups.projects()}
    items = [
        {
            **({"id": each.key} if isinstance(each.key, int) else {"id": None, "local": each.key}),
            "state": each.state.value,
            **({"reason": each.reason} if each.reason else {}),
            "changes": [{"field": one.field, "before": one.before, "after": one.after} for one in each.changes],
        }
        for each in report.things
    ]
    dry = {"dryRun": True} if arguments.dry_run else {}
    undo = {} if report.step is None else {"undo": report.step}
    return {"project": projects.get(store.project_id or 0), **dry, "items": items, **undo}


def _state_words(thing: ThingChange) -> str:
    return f"{thing.state.value}: {thing.reason}" if thing.reason else thing.state.value


def tell_rest(arguments: argparse.Namespace, report: ChangeReport) -> int:
    """Say on standard error what was refused or waits, and return the exit code."""
    held = [each for each in report.things if each.state in _EXIT]
    for each in held:
        print(f"backlit: {plain(str(each.key))} {each.state.value}: {plain(each.reason)}", file=sys.stderr)
    if held:
        states = {each.state for each in held}
        return _EXIT[held[0].state] if len(held) == len(report.things) and len(states) == 1 else 8
    queued = [each for each in report.things if each.state is ChangeState.QUEUED]
    if queued and not (arguments.offline or arguments.wait == 0.0):
        what, them = counted(len(queued), "change is", "changes are"), "it" if len(queued) == 1 else "them"
        print(f"backlit: {what} kept on this machine; backlit sends {them} with the next sync.", file=sys.stderr)
        return 5
    return 0


def refused(thing: ThingChange, error: BadRequest) -> ThingChange:
    """Return a change that this machine refuses already, with the reason."""
    if exit_code_of(error) != INVALID:
        raise error
    return replace(thing, state=ChangeState.REFUSED, reason=error.message)
