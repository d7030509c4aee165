"""The outbox: the changes that the server does not have yet."""

import argparse
import time
from collections.abc import Sequence
from datetime import UTC, datetime

from backlit.cli.assignments import AssignmentReader, assignment_in
from backlit.cli.changes import POLL_SECONDS, ChangeState, confirm_count, state_of
from backlit.cli.commands.items_set import change_row
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.output import note
from backlit.cli.selection import listed_items
from backlit.cli.synced import synced_store
from backlit.model.errors import BadRequest, Conflict, NotFound, Offline, PartlyDone, UsageFault
from backlit.model.plain import plain
from backlit.store.edits.conflicts import KeptSide
from backlit.store.field_words import FieldWords
from backlit.store.records.changes import ConnectionState
from backlit.store.records.entry import BUSY, ON_NODES, EntryState, OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.store import Store

_COLUMNS = (
    Column("n", "N", is_right=True),
    Column("item", "Item", is_right=True),
    Column("change", "Change"),
    Column("fields", "Fields"),
    Column("state", "State"),
    Column("at", "Made"),
    Column("reason", "Reason"),
)
_VALUE_COLUMNS = (
    Column("field", "Field"),
    Column("before", "Before"),
    Column("mine", "Mine"),
    Column("theirs", "Theirs"),
)
_SIDES = {"mine": KeptSide.MINE, "theirs": KeptSide.THEIRS}
NOTHING = "The outbox is empty: the server has every change."


def list_entries(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _COLUMNS)
    wanted = {EntryState.REFUSED} if arguments.refused else {EntryState.CONFLICT} if arguments.conflict else None
    with synced_store(arguments) as store:
        ids = _chosen_ids(store, arguments)
        entries = [
            each
            for each in store.outbox_entries()
            if (wanted is None or each.state in wanted) and (ids is None or each.item_id in ids)
        ]
        write_rows(arguments, columns, [_row(each) for each in entries], local=store.local, nothing=NOTHING)


def _chosen_ids(store: Store, arguments: argparse.Namespace) -> set[int] | None:
    """Return the items of a query, with done ones: a change may have done them. None without a query."""
    if not (arguments.query or arguments.view or arguments.filter):
        return None
    arguments.done = "yes"
    return {each.id for each in listed_items(store, arguments)}


def _row(entry: OutboxEntry) -> Row:
    return {
        "n": entry.id,
        "item": str(entry.payload.get("name") or "") if entry.kind in ON_NODES else id_of(entry.item_id),
        "change": entry.kind.value,
        "fields": sorted(entry.touched),
        "state": entry.state.value,
        "at": datetime.fromtimestamp(entry.created_at, UTC).replace(microsecond=0, tzinfo=None),
        "reason": entry.reason or None,
    }


def show_entry(arguments: argparse.Namespace) -> None:
    columns = chosen_columns(arguments, _VALUE_COLUMNS)
    with synced_store(arguments) as store:
        entry, words = _entry(store, arguments.entry), FieldWords(store)
        rows = []
        for key, value in entry.fields.items():
            mine = change_row(store, words, key, entry.base.get(key), value)
            theirs = change_row(store, words, key, None, entry.theirs[key]).after if key in entry.theirs else None
            rows.append({"field": key, "before": mine.before, "mine": mine.after, "theirs": theirs})
        if entry.payload.get("text"):
            rows.append({"field": "text", "before": None, "mine": str(entry.payload["text"]), "theirs": None})
        if entry.reason:
            note(arguments, plain(entry.reason))
        write_rows(arguments, columns, rows, nothing=f"The change sets no fields: {entry.kind.value}.")


def send_entries(arguments: argparse.Namespace) -> int:
    """Send what waits; raise Offline where the server is out of reach, Conflict or PartlyDone for what stays."""
    with synced_store(arguments, is_writing=True, is_sending=True) as store:
        if not arguments.dry_run:
            if store.connection.state is not ConnectionState.ONLINE:
                raise Offline("The server cannot be reached, so nothing was sent. The changes wait on this machine.")
            wait_for_all(store, arguments.wait)
        rest = store.outbox_entries()
        write_rows(
            arguments,
            chosen_columns(arguments, _COLUMNS),
            [_row(each) for each in rest],
            local=store.local,
            nothing=NOTHING,
        )
        if arguments.dry_run or not rest:
            return 0
        state, reason = state_of(rest)
        if state is ChangeState.CONFLICT:
            raise Conflict("A change is in conflict. Resolve it: backlit outbox resolve N --mine or --theirs")
        if state is ChangeState.REFUSED:
            raise PartlyDone(f"The server refused a change: {reason}")
        raise Offline("Some changes still wait on this machine.")


def wait_for_all(store: Store, seconds: float) -> None:
    """Wait until nothing is on its way; what stands behind a conflict stays."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        entries = store.outbox_entries()
        held = {each.item_id for each in entries if each.state is EntryState.CONFLICT}
        if not any(each.state in BUSY and each.item_id not in held for each in entries):
            return
        time.sleep(POLL_SECONDS)


def discard_entries(arguments: argparse.Namespace) -> None:
    if bool(arguments.entries) == arguments.all:
        raise UsageFault("Name the changes by their numbers, or all by --all. See: backlit outbox list")
    with synced_store(arguments, is_writing=True) as store:
        entries = store.outbox_entries() if arguments.all else [_entry(store, each) for each in arguments.entries]
        confirm_count(arguments, len(entries), "Discard", noun="change", is_grave=True)
        write_rows(
            arguments,
            chosen_columns(arguments, _COLUMNS),
            [_row(each) for each in entries],
            local=store.local,
            nothing=NOTHING,
        )
        if not arguments.dry_run:
            store.run(_discard(store, entries))


async def _discard(store: Store, entries: Sequence[OutboxEntry]) -> None:
    for entry in reversed(entries):
        found = store.files.journal.entries.find(entry.id)
        if found is not None and found.state is not EntryState.DISCARDED:  # with a new item go those that need it
            await store.conflicts.discard(entry.id)


def resolve_entry(arguments: argparse.Namespace) -> None:
    """Decide each field of a conflict, and queue the result."""
    with synced_store(arguments, is_writing=True) as store:
        case = store.conflicts.case(_entry(store, arguments.entry).id)
        if case is None:
            raise BadRequest(f"Change {arguments.entry} needs no decision. See: backlit outbox list --conflict")
        decisions: dict[str, object] = dict(_decisions(store, arguments.fields))
        usual = KeptSide.MINE if arguments.mine else KeptSide.THEIRS if arguments.theirs else None
        undecided = [field.key for field in case.fields if field.key not in decisions]
        if usual is None and undecided:
            raise UsageFault(f"Decide {', '.join(undecided)}: --mine, --theirs, or --field {undecided[0]}=mine")
        decisions |= dict.fromkeys(undecided, usual)
        if not arguments.dry_run:
            store.run(store.conflicts.resolve(case, decisions))
        rows: list[Row] = [{"field": key, "mine": side is KeptSide.MINE} for key, side in decisions.items()]
        columns = (Column("field", "Field"), Column("mine", "Mine"))
        write_rows(arguments, columns, rows)


def _decisions(store: Store, words: Sequence[str]) -> dict[str, KeptSide]:
    reader, found = AssignmentReader(store), dict[str, KeptSide]()
    for word in words:
        written = assignment_in(word)
        if written is None or written.operator != "=" or written.text.lower() not in _SIDES:
            raise UsageFault(f"--field takes FIELD=mine or FIELD=theirs; “{plain(word, 40)}” is not.")
        found[reader.field(written.name).key] = _SIDES[written.text.lower()]
    return found


def _entry(store: Store, entry_id: int) -> OutboxEntry:
    found = [each for each in store.outbox_entries() if each.id == entry_id]
    if not found:
        raise NotFound(f"The outbox has no change {entry_id}. See: backlit outbox list")
    return found[0]
