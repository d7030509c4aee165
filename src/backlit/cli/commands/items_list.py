"""List work items in backlog order."""

import argparse
import asyncio
from collections.abc import Iterator
from itertools import islice

from backlit.cli.commands.item_document import document_of, values_of
from backlit.cli.json_output import write_json
from backlit.cli.synced import synced_store
from backlit.cli.table import table
from backlit.model.filters import matches
from backlit.model.odata import parse_filter
from backlit.store.records.item import Item
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec
from backlit.store.views.saved import sort_key

_HEADER = ("ID", "Type", "Status", "Points", "Owner", "Name")
_RIGHT = frozenset({0, 3})


def run(arguments: argparse.Namespace) -> None:
    """List the items of the current project, with unsent changes applied."""
    with synced_store(arguments) as store:
        sort = tuple(sort_key(each) for each in arguments.sort.split(",")) if arguments.sort else ()
        spec = ViewSpec(with_done=not arguments.query, query=arguments.query or "", sort=sort)
        items = list(islice(_chosen(store, arguments.filter, spec), arguments.limit))
        if arguments.json:
            write_json([document_of(item) for item in items])
            return
        asyncio.run(store.everybody.meet(item.fields.get("AssignedToID") for item in items))
        people = {person.id: person.username for person in store.everybody.known().values()}
        for line in table(_HEADER, [_row(item, people) for item in items], _RIGHT):
            print(line)


def _chosen(store: Store, text: str | None, spec: ViewSpec) -> Iterator[Item]:
    condition = parse_filter(text, store.lookups.custom_fields()) if text else None
    view = store.view(spec)
    if view.query.has_words:
        asyncio.run(store.search.read_all())
    asyncio.run(view.load())
    for row in view.rows(0, view.count or 0):
        item = store.item(row.id)
        if item is not None and (condition is None or matches(condition, values_of(item))):
            yield item


def _row(item: Item, people: dict[int, str]) -> list[str]:
    owner = item.fields.get("AssignedToID")
    name = people.get(owner, f"user {owner}") if isinstance(owner, int) else ""
    texts = [item.fields.get(key) for key in ("Status", "Estimate", "Name")]
    status, estimate, title = ("" if text is None else str(text) for text in texts)
    return [str(item.id), item.type, status, estimate, name, title]
