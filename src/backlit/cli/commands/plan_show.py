"""The plan: iterations with their load against capacity, and the draft of this machine."""

import argparse

from backlit.cli.changes import confirm_count
from backlit.cli.listing import Column, Row, chosen_columns, write_rows
from backlit.cli.synced import synced_store
from backlit.model.amounts import counted
from backlit.store.records.people import IterationEntry
from backlit.store.store import Store

_COLUMNS = (
    Column("id", "ID", is_right=True),
    Column("start", "Start"),
    Column("end", "End"),
    Column("points", "Points", is_right=True),
    Column("min", "Min", is_right=True),
    Column("max", "Max", is_right=True),
    Column("planned", "Planned", is_right=True),
    Column("name", "Name"),
    Column("path", "Path", is_usual=False),
)


def show_plan(arguments: argparse.Namespace) -> None:
    """Write a row for each iteration: its points under the draft, and how many items the draft moves into it."""
    columns = chosen_columns(arguments, _COLUMNS)
    with synced_store(arguments, is_listing=True) as store:
        chosen = _chosen(store, arguments)
        loads = store.plan_preview.loads_now([each.id for each in chosen])
        moves = [
            change.fields["IterationID"].mine for change in store.plan.difference() if "IterationID" in change.fields
        ]
        rows: list[Row] = [
            {
                "id": each.id,
                "start": each.start,
                "end": each.end,
                "points": loads[each.id].points,
                "min": each.min_capacity,
                "max": each.max_capacity,
                "planned": moves.count(each.id),
                "name": each.name,
                "path": each.path,
            }
            for each in chosen
        ]
        write_rows(arguments, columns, rows, nothing="There is no iteration that has not ended.")


def _chosen(store: Store, arguments: argparse.Namespace) -> list[IterationEntry]:
    if arguments.iteration:
        return [store.names.iteration(text) for text in arguments.iteration]
    today = store.today()
    return [each for each in store.plan.iterations.targets() if not each.is_over(today)]


def discard_plan(arguments: argparse.Namespace) -> None:
    """Discard the draft, after a question; the planning screen can undo that."""
    with synced_store(arguments, is_writing=True) as store:
        planned = len(store.plan.draft.items)
        if not planned:
            print("There is no planning draft.")
            return
        confirm_count(arguments, planned, "Discard the plan of", is_grave=True)
        if not arguments.dry_run:
            store.run(store.plan.discard())
        words = "would be discarded" if arguments.dry_run else "was discarded"
        print(f"The plan of {counted(planned, 'item')} {words}.")
