"""The rank of items in the backlog."""

import argparse
from collections.abc import Sequence

from backlit.cli.changes import FieldChangeRow, ThingChange, carry_out, confirm_count, write_report
from backlit.cli.output import note
from backlit.cli.selection import item_numbered, selected_items
from backlit.cli.synced import synced_store
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec

ONLY_HERE = "This server keeps no order that people may change: the rank is known only on this machine."


def rank_items(arguments: argparse.Namespace) -> int:
    """Move items, as a block in their own order, to a place of the backlog; return the exit code."""
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        items = selected_items(store, arguments.words, arguments)
        beside = arguments.before or arguments.after
        neighbour = item_numbered(store, beside) if beside else None
        confirm_count(arguments, len(items), "Rank")
        place = _place(arguments, neighbour)
        things = [
            ThingChange(each.id, id_of(each.id), (FieldChangeRow("rank", "", place),), name=each.name) for each in items
        ]
        if not store.ranking.is_offered:
            note(arguments, ONLY_HERE)
        report = carry_out(arguments, store, things, lambda _: _rank(store, items, neighbour, arguments))
        return write_report(arguments, report, store)


def _place(arguments: argparse.Namespace, neighbour: Item | None) -> str:
    if neighbour is not None:
        return f"{'before' if arguments.before else 'after'} {id_of(neighbour.id)}"
    return "top" if arguments.top else "bottom"


async def _rank(store: Store, items: Sequence[Item], neighbour: Item | None, arguments: argparse.Namespace) -> None:
    view, ids = store.view(ViewSpec(with_done=True)), [item.id for item in items]
    if neighbour is not None:
        await store.ranking.beside(view, ids, neighbour.id, is_above=bool(arguments.before))
    elif arguments.top:
        await store.ranking.to_top(view, ids)
    else:
        await store.ranking.to_bottom(view, ids)
