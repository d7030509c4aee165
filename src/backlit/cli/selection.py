"""The items that a command is about: numbers, standard input, a query, or a saved view."""

import argparse
import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path

from backlit.cli.list_spec import list_spec
from backlit.cli.synced import read_input
from backlit.cli.terminal_input import PIPE
from backlit.config.settings import find_locations
from backlit.config.view_files import read_views
from backlit.model.errors import NameNotFound, NotFound, UsageFault
from backlit.model.filters import matches
from backlit.model.nearest import did_you_mean
from backlit.model.plain import plain
from backlit.store.records.entry_values import NEW, TEMPORARY_IDS, id_of
from backlit.store.records.item import LAST_ID, Item
from backlit.store.store import Store
from backlit.store.views.saved import SavedView, saved_views

_NUMBER = re.compile(rf"#?(?P<id>[0-9]{{1,19}})|{NEW}(?P<entry>[0-9]{{1,15}})", re.ASCII)
NOT_HERE = "does not exist here, or you have no access to it."


def number_in(word: str) -> int | None:
    """Return the id of `12`, `#12` or `new-3`, None for another word."""
    found = _NUMBER.fullmatch(word.strip())
    if found is None:
        return None
    item_id = int(found["id"]) if found["id"] else TEMPORARY_IDS + int(found["entry"])
    return item_id if 0 < item_id <= LAST_ID or item_id < 0 else None


def need_number(word: str) -> int:
    item_id = number_in(word)
    if item_id is None:
        raise UsageFault(f"“{plain(word, 40)}” is no item's number. Write one such as 12, or {NEW}3 of an unsent item.")
    return item_id


def item_numbered(store: Store, word: str) -> Item:
    """Return the item of a number; raise NotFound."""
    return _found(store, need_number(word))


def item_named(store: Store, text: str) -> Item:
    """Return the item of a number or of a part of a name; raise NameNotFound for several and for none."""
    if number_in(text) is not None:
        return item_numbered(store, text)
    found = store.lookups.items_named(text)
    if len(found) > 1:
        shown = ", ".join(f"{id_of(item_id)} {name}" for item_id, name in found[:3])
        raise NameNotFound(f"“{plain(text, 60)}” fits several items: {plain(shown, 200)}. Write the number.")
    if not found:
        raise NameNotFound(f"No item has “{plain(text, 60)}” in its name.")
    return _found(store, found[0][0])


def _found(store: Store, item_id: int) -> Item:
    item = store.item(item_id)
    if item is None:
        number = item_id if item_id > 0 else f"{NEW}{item_id - TEMPORARY_IDS}"
        raise NotFound(f"Work item {number} {NOT_HERE}")
    return item


def selected_items(store: Store, words: Sequence[str], arguments: argparse.Namespace) -> list[Item]:
    """Return the items of numbers, of standard input for `-`, or of a query, filter or view, each once.

    Raises UsageFault without any or with both, NotFound for a number without an item.
    """
    is_asked = bool(arguments.query or arguments.view or arguments.filter)
    if bool(words) == is_asked:
        both = "Name items by numbers, or by a query or view, not by both."
        raise UsageFault(both if words else "Name items: by their numbers, by - (standard input), --query or --view.")
    if is_asked:
        return list(listed_items(store, arguments))
    ids = [item_id for word in words for item_id in (_piped_numbers() if word == PIPE else [need_number(word)])]
    if not ids:
        raise UsageFault("Standard input has no item numbers.")
    return list({item.id: item for item in (_found(store, item_id) for item_id in ids)}.values())


def _piped_numbers() -> Iterator[int]:
    """Yield the numbers in the first column of each line of standard input."""
    for line in read_input(PIPE, "item numbers").splitlines():
        if line.strip():
            yield need_number(line.split("\t")[0].split()[0])


def listed_items(store: Store, arguments: argparse.Namespace, limit: int | None = None) -> Iterator[Item]:
    """Yield the items of a query, a view and a filter, in their order."""
    condition = None
    if arguments.filter:
        from backlit.model.odata import parse_filter  # 5 ms, which other commands save

        condition = parse_filter(arguments.filter, store.lookups.custom_fields())
    view = store.view(list_spec(arguments, view_named(store, arguments.view) if arguments.view else None))
    if view.query.has_words:
        store.run(store.search.read_all())
    store.run(view.load())
    count = view.count or 0
    rows = view.rows(0, count if condition is not None or not limit else min(count, limit))
    done = 0
    for row in rows:
        item = store.item(row.id)
        if item is not None and (condition is None or matches(condition, values_of(item))):
            yield item
            done += 1
            if done == limit:
                return


def all_views(store: Store) -> list[SavedView]:
    """Return the saved views of the user's and the repository's files, and of the service."""
    views = read_views(find_locations(), Path.cwd())
    found = {view.name: view for view in saved_views([*views.own, *views.shared])}
    for kept in store.kept_views.all():
        found.setdefault(kept.view.name, kept.view)
    return list(found.values())


def view_named(store: Store, name: str) -> SavedView:
    """Return a saved view by its name in any case; raise NameNotFound."""
    views = all_views(store)
    found = [view for view in views if view.name.casefold() == name.casefold()]
    if not found:
        names = [view.name for view in views]
        near = did_you_mean(name, names) or f" Views: {', '.join(map(plain, names)) or 'none'}."
        raise NameNotFound(f"There is no view “{plain(name, 60)}”.{near}")
    if found[0].fault:
        raise NameNotFound(found[0].fault)
    return found[0]


def values_of(item: Item) -> dict[str, object]:
    """Return an item's values by the names of OData properties."""
    times: dict[str, datetime | None] = {"createdAt": item.created_at, "lastModifiedAt": item.last_modified_at}
    people = {"createdBy": item.created_by, "lastModifiedBy": item.last_modified_by}
    return {**item.fields, "id": item.id, "type": item.type, "projectId": item.project_id, **people, **times}
