"""Work items: list, show, log work, and copies of deleted ones."""

import argparse
import asyncio
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from backlit.cli.output import announce, table, write_json
from backlit.cli.synced import counting_changes, synced_store
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import find_locations
from backlit.model.amounts import hours_of, hours_text
from backlit.model.dates import write_datetime
from backlit.model.errors import BacklitError, BadRequest, NotFound
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.filters import matches
from backlit.model.odata import parse_filter
from backlit.model.plain import plain
from backlit.model.settings.view_settings import sort_key
from backlit.store.edits.work_log import COMPLETED, REMAINING, LoggedWork, type_named
from backlit.store.journal.journal import Journal
from backlit.store.journal.undo_log import KEPT_DAYS, ItemCopy
from backlit.store.records.changes import ConnectionState
from backlit.store.records.entry import EntryState
from backlit.store.records.item import Item, counted_types, fields_in
from backlit.store.records.people import TreeKind
from backlit.store.store import Store
from backlit.store.views.query import ViewSpec

_ITEM_RIGHT = frozenset({0, 3})

_ITEM_HEADER = ("ID", "Type", "Status", "Points", "Owner", "Name")


def list_items(arguments: argparse.Namespace) -> None:
    with synced_store(arguments) as store:
        sort = tuple(sort_key(each) for each in arguments.sort.split(",")) if arguments.sort else ()
        spec = ViewSpec(with_done=not arguments.query, query=arguments.query or "", sort=sort)
        items = list(islice(_chosen(store, arguments.filter, spec), arguments.limit or None))
        if arguments.json:
            write_json([document_of(item) for item in items])
            return
        asyncio.run(store.everybody.load_users(item.fields.get("AssignedToID") for item in items))
        people = {person.id: person.username for person in store.lookups.known_people().values()}
        for line in table(_ITEM_HEADER, [_item_row(item, people) for item in items], _ITEM_RIGHT):
            print(line)
        if sys.stdout.isatty():
            print(counted_types(item.type for item in items))


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


def _item_row(item: Item, people: dict[int, str]) -> list[str]:
    owner = item.fields.get("AssignedToID")
    name = people.get(owner, f"user {owner}") if isinstance(owner, int) else ""
    texts = [item.fields.get(key) for key in ("Status", "Estimate", "Name")]
    status, estimate, title = ("" if text is None else str(text) for text in texts)
    return [str(item.id), item.type, status, estimate, name, title]


_TREE_BY_KEY = {"AreaID": TreeKind.AREAS, "IterationID": TreeKind.ITERATIONS}


def show_item(arguments: argparse.Namespace) -> None:
    with synced_store(arguments) as store:
        item = store.item(arguments.id)
        if item is None:
            raise NotFound(f"Work item {arguments.id} does not exist here, or you have no access to it.")
        if arguments.json:
            write_json(document_of(item))
            return
        print(plain(f"#{item.id} {item.type}  {item.fields.get('Name') or ''}"))
        for line in _lines(store, item):
            print(line)


def _lines(store: Store, item: Item) -> list[str]:
    shown = {
        key: value
        for key, value in item.fields.items()
        if key != "Name" and value is not None and value not in ("", [])
    }
    labels = {key: FIELD_BY_KEY[key].label if key in FIELD_BY_KEY else key for key in shown}
    width = max(map(len, labels.values()), default=0)
    lines = [f"{plain(labels[key]):{width}}  {_said(store, key, value)}" for key, value in shown.items()]
    for comment in store.comments.of_item(item.id):
        when = store.local(comment.created_at).isoformat(" ", "minutes") if comment.created_at else "not sent yet"
        lines += ["", f"{plain(comment.author)}  {when}", _block(comment.text)]
    return lines


def _said(store: Store, key: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, int):
        return plain(_name_of(store, key, value) or str(value))
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return "\n" + _block(text) if "\n" in text else plain(text)


def _name_of(store: Store, key: str, identity: int) -> str | None:
    if kind := _TREE_BY_KEY.get(key):
        tree = store.lookups.tree(kind)
        return tree.path(identity) if identity in tree else None
    if key == "TeamID":
        return store.lookups.teams().get(identity)
    person = store.lookups.known_people().get(identity) if key == "AssignedToID" else None
    return person.display_name if person else None


def _block(text: str) -> str:
    return "\n".join("  " + plain(line) for line in text.splitlines())


def document_of(item: Item) -> dict[str, Any]:
    """Return an item's JSON object with its unsent changes; `sign` marks an item that has any."""
    document: dict[str, Any] = {
        "id": item.id,
        "type": item.type,
        "projectId": item.project_id,
        "fields": dict(item.fields),
        "createdBy": item.created_by,
        "createdAt": _text(item.created_at),
        "lastModifiedBy": item.last_modified_by,
        "lastModifiedAt": _text(item.last_modified_at),
    }
    return document | ({"unsent": item.sign.name.lower()} if item.sign else {})


def values_of(item: Item) -> dict[str, object]:
    return {
        **item.fields,
        "id": item.id,
        "type": item.type,
        "projectId": item.project_id,
        "createdBy": item.created_by,
        "createdAt": item.created_at,
        "lastModifiedBy": item.last_modified_by,
        "lastModifiedAt": item.last_modified_at,
    }


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else write_datetime(moment)


_TRASH_HEADER = ("Kept", "ID", "Type", "Tasks", "Comments", "Name")
_TRASH_RIGHT = frozenset({1, 3, 4})


def show_trash(arguments: argparse.Namespace) -> None:
    locations = find_locations()
    path = locations.journal(chosen_profile(arguments, locations))
    copies: list[tuple[float, ItemCopy]] = []
    if path.exists():
        with closing(Journal(path, is_for_reading=True)) as journal:
            copies = journal.trash.every(arguments.id)
    if arguments.id is None:
        for line in table(_TRASH_HEADER, [_copy_row(*each) for each in copies], _TRASH_RIGHT):
            print(line)
        return
    if not copies:
        raise NotFound(f"No copy of item {arguments.id}. Copies are kept for {KEPT_DAYS} days.")
    write_json(copies[0][1].document())


def _copy_row(kept_at: float, copy: ItemCopy) -> list[str]:
    day = datetime.fromtimestamp(kept_at, UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    name, item_type = fields_in(copy.item).get("Name"), copy.item.get("type")
    return [day, str(copy.item_id), str(item_type), str(len(copy.tasks)), str(len(copy.comments)), str(name or "")]


POLL_SECONDS = 0.1
SEND_TIMEOUT = 60.0
"""Seconds to wait for the service."""
_HELD = {EntryState.REFUSED, EntryState.CONFLICT}


_LOGGED = (("completed", COMPLETED), ("remaining", REMAINING))


def log_work(arguments: argparse.Namespace) -> None:
    hours = hours_of(arguments.hours)
    remaining = None if arguments.remaining is None else hours_of(arguments.remaining, "Remaining", least=0.0)
    with synced_store(arguments, is_writing=True) as store:
        task = store.item(arguments.id)
        if task is None:
            raise NotFound(f"Work item {arguments.id} does not exist here, or you have no access to it.")
        if task.type != ItemType.TASK:
            raise BadRequest("Only tasks take logged work.")
        done = LoggedWork(
            hours, type_named(store.lookups.time_entry_types(), arguments.type), arguments.note, remaining
        )
        after = done.changes(task.fields)
        announce(
            [
                *(f"{label}  {_change(task.fields.get(key), after[key])}" for label, key in _LOGGED),
                f"comment    {plain(done.comment)}",
            ]
        )
        if not arguments.dry_run:
            print(asyncio.run(logged(store, task, done)))


def _change(before: object, after: object) -> str:
    return f"{_hours(before)} → {_hours(after)}" if after is not None else f"{_hours(before)} (not set)"


def _hours(value: object) -> str:
    return f"{hours_text(value)} h" if isinstance(value, int | float) else "–"


async def logged(store: Store, task: Item, done: LoggedWork) -> str:
    """Save the work, and wait until the service has it; return what became of it, or raise BacklitError."""
    with counting_changes(store):
        await store.work_log.log(task.id, done, {REMAINING: task.fields.get(REMAINING)})
        deadline = time.monotonic() + SEND_TIMEOUT
        while waiting := [each for each in store.outbox_entries() if each.item_id == task.id]:
            if any(each.state in _HELD for each in waiting):
                raise BacklitError("The server rejected the change. Press go in backlit for the reason.")
            if store.connection.state is not ConnectionState.ONLINE or time.monotonic() > deadline:
                return "Saved on this machine; backlit sends it when the server is reachable."
            await asyncio.sleep(POLL_SECONDS)
    return "Logged: hours added to the task and noted in a comment (the server has no time entries)."
