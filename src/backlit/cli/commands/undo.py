"""Undo and redo of the last change, across commands and screens."""

import argparse
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from backlit.cli.changes import (
    ChangeReport,
    FieldChangeRow,
    ThingChange,
    carry_out,
    confirm_count,
    write_report,
)
from backlit.cli.commands.items_set import change_row
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.output import note
from backlit.cli.synced import synced_store
from backlit.model.errors import Conflict
from backlit.model.plain import plain
from backlit.model.trees import NO_TOTALS
from backlit.store.field_words import FieldWords
from backlit.store.records.entry import ON_NODES, EntryKind, EntryState, OutboxEntry
from backlit.store.records.entry_values import id_of
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.undo.history import Reversal
from backlit.store.undo.operations import DeleteNodeOperation

_STEPS = (
    Column("n", "N", is_right=True),
    Column("at", "Made"),
    Column("change", "Change"),
    Column("items", "Items"),
    Column("fields", "Fields"),
    Column("name", "Name"),
)
LISTED_STEPS = 20


def revert(arguments: argparse.Namespace) -> int:
    """Undo the last changes, or make those again that were undone; return the exit code."""
    if arguments.list:
        return _list_steps(arguments)
    verb = "Redo" if arguments.is_redo else "Undo"
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        if arguments.steps > 1:
            steps = _steps(store, arguments, arguments.steps)
            if arguments.dry_run:
                _write_steps(arguments, store, steps)
                return 0
            confirm_count(arguments, len(steps), verb, noun="step")
            arguments.steps = len(steps)
        report = ChangeReport()
        for _ in range(arguments.steps):
            done = _revert_one(arguments, store, verb)
            if done is None:
                break
            report = ChangeReport([*report.things, *done.things], done.step)
        else:
            return write_report(arguments, report, store)
        note(arguments, f"There is nothing to {verb.lower()}.")
        return write_report(arguments, report, store)


def _revert_one(arguments: argparse.Namespace, store: Store, verb: str) -> ChangeReport | None:
    """Undo or redo one act; return None where there is none."""
    history = store.history
    offered = store.run(history.to_redo() if arguments.is_redo else history.to_undo())
    if offered is None:
        return None
    if offered.is_impossible:
        raise Conflict("What was changed is gone, so the change stays as it is.")
    things = list(_things(store, offered))
    confirm_count(arguments, len(things), f"{verb} the change of", is_grave=offered.is_grave)
    return carry_out(arguments, store, things, lambda _: history.redo() if arguments.is_redo else history.undo())


def _list_steps(arguments: argparse.Namespace) -> int:
    chosen_columns(arguments, _STEPS)
    with synced_store(arguments, is_listing=True) as store:
        _write_steps(arguments, store, _steps(store, arguments, max(arguments.steps, LISTED_STEPS)))
    return 0


def _steps(store: Store, arguments: argparse.Namespace, limit: int) -> list[int]:
    return store.run(store.history.acts(limit, is_redo=arguments.is_redo))


def _write_steps(arguments: argparse.Namespace, store: Store, steps: Sequence[int]) -> None:
    """Write what each step changed, the next one to be undone first."""
    rows = [_step_row(at, _entries_of(store, step)) for at, step in enumerate(steps, 1)]
    nothing = "There is nothing to redo." if arguments.is_redo else "There is nothing to undo."
    write_rows(arguments, chosen_columns(arguments, _STEPS), rows, local=store.local, nothing=nothing)


def _entries_of(store: Store, step: int) -> Sequence[OutboxEntry]:
    """Return what a step changed; of one that only withdrew unsent changes, these."""
    journal = store.files.journal
    withdrawn = (journal.entries.find(each) for each in journal.undo_log.withdrawn(step))
    return journal.entries.of_step(step) or [each for each in withdrawn if each is not None]


def _step_row(number: int, entries: Sequence[OutboxEntry]) -> Row:
    items = dict.fromkeys(each.item_id for each in entries if each.kind not in ON_NODES)
    names = (str(each.payload.get("name") or each.fields.get("Name") or "") for each in entries)
    return {
        "n": number,
        "at": datetime.fromtimestamp(entries[0].created_at, UTC).replace(microsecond=0, tzinfo=None),
        "change": ", ".join(dict.fromkeys(each.kind.value for each in entries)),
        "items": [str(id_of(each)) for each in items],
        "fields": sorted({key for each in entries for key in each.touched}),
        "name": next(filter(None, names), None),
    }


def _things(store: Store, offered: Reversal) -> Iterator[ThingChange]:
    """Yield what changes: the fields of items, and in words what is made, deleted or moved."""
    words = FieldWords(store)
    by_item: dict[int, list[FieldChangeRow]] = {}
    for change in offered.changes:
        row = change_row(store, words, change.key, change.before, change.after)
        by_item.setdefault(change.item_id, []).append(row)
    for named, effect in (
        (offered.given_up, "discarded"),
        (offered.deleted, "deleted"),
        (offered.returned, "returned"),
        (offered.made_again, "made again"),
        (offered.moved, "at its former rank"),
    ):
        for each in named:
            by_item.setdefault(each.id, []).append(FieldChangeRow("item", plain(each.name), effect))
    for gone in offered.objects_deleted:
        by_item.setdefault(gone.item_id, []).append(FieldChangeRow(gone.noun, plain(gone.text), "deleted"))
    for again in offered.objects_made_again:
        by_item.setdefault(again.item_id, []).append(FieldChangeRow(again.noun, "", plain(again.text)))
    for item_id, rows in by_item.items():
        yield ThingChange(item_id, id_of(item_id), tuple(rows))
    others = [
        *(_node_row(each, _effect_on_node(each)) for each in offered.nodes),
        *(_node_row(each.entry, _deletion_words(each)) for each in offered.nodes_deleted),
        *(_node_row(each.entry, "made again") for each in offered.nodes_made),
    ]
    if others or not by_item:
        yield ThingChange(0, "", tuple(others) or (FieldChangeRow("change", "", "as before"),))


def _node_row(entry: OutboxEntry, effect: str) -> FieldChangeRow:
    tree = entry.payload.get("tree")
    noun = "iteration" if tree == TreeKind.ITERATIONS else "area" if tree == TreeKind.AREAS else "node"
    return FieldChangeRow(noun, plain(str(entry.payload.get("name") or "")), effect)


def _effect_on_node(entry: OutboxEntry) -> str:
    """Return what becomes of a node whose unsent change is discarded, or whose discarded change returns."""
    is_back = entry.state is EntryState.DISCARDED
    match entry.kind:
        case EntryKind.NODE_ADD:
            return "made again" if is_back else "deleted"
        case EntryKind.NODE_DELETE:
            return "deleted" if is_back else "returned"
        case _:
            return "as before"


def _deletion_words(deletion: DeleteNodeOperation) -> str:
    moved = deletion.moved.words if deletion.moved != NO_TOTALS else ""
    return f"deleted; {moved} to {plain(deletion.target)}" if moved else "deleted"
