"""Work items: list, show, log work, and copies of deleted ones."""

import argparse
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, date, datetime
from typing import Any

from msgspec.structs import replace

from backlit.cli.changes import FieldChangeRow, ThingChange, carry_out, write_report
from backlit.cli.commands.item_belongings import belonging_lines, belongings
from backlit.cli.item_columns import COLUMNS_OF_PARTS
from backlit.cli.item_fields import ItemFields
from backlit.cli.item_parts import ItemParts, criteria_text
from backlit.cli.listing import NO_ITEMS, Column, Row, chosen_columns, group_text, named_columns, write_rows
from backlit.cli.output import announce, write_json
from backlit.cli.pager import write_paged
from backlit.cli.selection import item_numbered, listed_items
from backlit.cli.synced import counting_changes, synced_store
from backlit.cli.wiring import chosen_profile
from backlit.config.settings import find_locations
from backlit.model.amounts import hours_of, hours_text
from backlit.model.dates import past_day
from backlit.model.errors import BacklitError, BadRequest, NotFound, UsageFault
from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.plain import plain
from backlit.model.settings.view_settings import MAX_GROUP_LEVELS
from backlit.store.edits.work_log import LoggedWork, type_named
from backlit.store.item_documents import item_address, item_documents
from backlit.store.journal.journal import Journal
from backlit.store.journal.undo_log import KEPT_DAYS, ItemCopy
from backlit.store.records.changes import ConnectionState
from backlit.store.records.entry import EntryState
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item, counted_types, fields_in
from backlit.store.records.people import TreeKind
from backlit.store.records.work import COMPLETED, REMAINING
from backlit.store.store import Store

TIME = "time"
"""The part of items that the local copy may not have completely."""


def list_through_store(arguments: argparse.Namespace) -> None:
    with synced_store(arguments, is_listing=TIME not in arguments.parts) as store:
        fields = ItemFields(store)
        columns = with_parts(arguments, fields, chosen_columns(arguments, fields.columns()))
        groups = named_columns(arguments.group, fields.columns())
        if len(groups) > MAX_GROUP_LEVELS:
            raise UsageFault(f"--group takes {MAX_GROUP_LEVELS} fields at most.")
        items = list(listed_items(store, arguments, arguments.limit))
        if arguments.count:
            _write_counts(arguments, store, items, groups)
            return
        read_times(arguments, store, items)
        below = counted_types(item.type for item in items)
        write_items(arguments, store, items, columns, groups=groups, below=below)


def _write_counts(arguments: argparse.Namespace, store: Store, items: Sequence[Item], groups: Sequence[Column]) -> None:
    """Write how many items there are; with groups a row for each."""
    if not groups:
        print(len(items))
        return
    names = [each.name for each in groups]
    rows = ItemFields(store).rows(items, groups)
    counts = Counter(tuple(group_text(row[name], store.local) or None for name in names) for row in rows)
    counted_rows = [{**dict(zip(names, values, strict=True)), "items": count} for values, count in counts.items()]
    write_rows(arguments, [*groups, Column("items", "Items", is_right=True)], counted_rows, nothing=NO_ITEMS)


def write_items(
    arguments: argparse.Namespace,
    store: Store,
    items: Sequence[Item],
    columns: Sequence[Column] | None = None,
    *,
    groups: Sequence[Column] = (),
    below: str = "",
) -> None:
    """Write items in the chosen format, whole documents as JSON."""
    fields = ItemFields(store)
    columns = columns or chosen_columns(arguments, fields.columns())
    is_whole = _is_of_documents(arguments)
    documents = documents_with_parts(store, items, getattr(arguments, "parts", ())) if is_whole else None
    rows = [] if is_whole else fields.rows(items, [*columns, *groups])
    write_rows(arguments, columns, rows, documents, local=store.local, nothing=NO_ITEMS, groups=groups, below=below)


def _is_of_documents(arguments: argparse.Namespace) -> bool:
    return arguments.json is True or (arguments.format == "ndjson" and not getattr(arguments, "columns", ()))


def documents_with_parts(store: Store, items: Sequence[Item], parts: Sequence[str]) -> list[dict[str, Any]]:
    """Return the documents of items, with what `--with` adds to them."""
    found = ItemParts(store, items)
    documents = item_documents(store, items)
    return [{**document, **found.document(item, parts)} for item, document in zip(items, documents, strict=True)]


def read_times(arguments: argparse.Namespace, store: Store, items: Sequence[Item]) -> None:
    """Read all hours that were logged on the tasks, where they are asked for; the copy has those of late alone."""
    tasks = [item.id for item in items if item.type == ItemType.TASK and item.id > 0]
    if TIME in arguments.parts and tasks and store.connection.state is ConnectionState.ONLINE:
        store.run(store.time_entries.read_of(tasks))


def with_parts(arguments: argparse.Namespace, fields: ItemFields, columns: Sequence[Column]) -> list[Column]:
    """Return columns with those that `--with` adds to a table; raise UsageFault for a part that has none."""
    if _is_of_documents(arguments):
        return list(columns)
    if without := [part for part in arguments.parts if not COLUMNS_OF_PARTS[part]]:
        raise UsageFault(f"--with {without[0]} needs --json or --ndjson.")
    names = {each.name for each in columns}
    more = [name for part in arguments.parts for name in COLUMNS_OF_PARTS[part] if name not in names]
    by_name = {each.name: each for each in fields.columns()}
    return [*columns, *(by_name[name] for name in more)]


_TREE_BY_KEY = {"AreaID": TreeKind.AREAS, "IterationID": TreeKind.ITERATIONS}


def show_item(arguments: argparse.Namespace) -> None:
    # A history and all logged hours are read from the server, which a listing of a fresh copy does not connect to.
    with synced_store(arguments, is_listing=not (arguments.history or TIME in arguments.parts)) as store:
        items = [item_numbered(store, word) for word in arguments.ids]
        read_times(arguments, store, items)
        if arguments.web:
            for item in items:
                print(_address(arguments, item))
            return
        if arguments.json is True:
            documents = documents_with_parts(store, items, arguments.parts)
            for document, item in zip(documents, items, strict=True):
                document.update(belongings(arguments, store, item))
            write_json(documents[0] if len(items) == 1 else documents)
            return
        if arguments.json or arguments.format:
            fields = ItemFields(store)
            columns = with_parts(arguments, fields, chosen_columns(arguments, fields.columns()))
            write_items(arguments, store, items, columns)
            return
        lines: list[str] = []
        for item in items:
            lines += [""] * bool(lines)
            lines.append(plain(f"#{item.id} {item.type}  {item.fields.get('Name') or ''}"))
            lines += [*_lines(store, item), *belonging_lines(arguments, store, item)]
        write_paged(arguments, "".join(f"{line}\n" for line in lines))


def _address(arguments: argparse.Namespace, item: Item) -> str:
    address = item_address(chosen_profile(arguments, find_locations()).url or "", item)
    if not address:
        where = "The server does not have it yet." if item.id < 0 else "The workspace is on this machine."
        raise BadRequest(f"Item {id_of(item.id)} has no address. {where}")
    return plain(address)


def _lines(store: Store, item: Item) -> list[str]:
    shown = {
        key: value
        for key, value in item.fields.items()
        if key != "Name" and value is not None and value not in ("", [])
    }
    labels = {key: FIELD_BY_KEY[key].label if key in FIELD_BY_KEY else key for key in shown}
    width = max(map(len, labels.values()), default=0)
    lines = [f"{plain(labels[key]):{width}}  {_said(store, key, value)}" for key, value in shown.items()]
    for relation in store.relations.of_item(item.id):
        other = store.item(relation.other_id)
        named = f"{id_of(relation.other_id)} {other.name if other else ''}".rstrip()
        lines.append(f"{relation.word:{width}}  {plain(named)}")
    if criteria := store.criteria.of_item(item.id):
        lines += ["", *map(plain, criteria_text(criteria).splitlines())]
    for link in store.links.of_item(item.id):
        lines.append(f"{'Link':{width}}  {plain(f'{link.text} {link.url}')}")
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


_TRASH = (
    Column("kept", "Kept"),
    Column("id", "ID", is_right=True),
    Column("type", "Type"),
    Column("tasks", "Tasks", is_right=True),
    Column("comments", "Comments", is_right=True),
    Column("name", "Name"),
)


def show_trash(arguments: argparse.Namespace) -> int:
    if arguments.restore:
        return _restore(arguments)
    columns, locations = chosen_columns(arguments, _TRASH), find_locations()
    path = locations.journal(chosen_profile(arguments, locations))
    copies: list[tuple[float, ItemCopy]] = []
    if path.exists():
        with closing(Journal(path, is_for_reading=True)) as journal:
            copies = journal.trash.every(arguments.id)
    if arguments.id is not None and not copies:
        raise NotFound(f"No copy of item {arguments.id}. Copies are kept for {KEPT_DAYS} days.")
    if arguments.id is not None:
        write_json(copies[0][1].document())
    else:
        write_rows(
            arguments, columns, [_copy_row(*each) for each in copies], local=_here, nothing="The trash is empty."
        )
    return 0


def _restore(arguments: argparse.Namespace) -> int:
    """Make a deleted item again from its copy."""
    if arguments.id is None:
        raise UsageFault("Name the item: backlit trash --restore ID")
    with synced_store(arguments, is_writing=True) as store:
        store.lookups.need_writer()
        copies = store.files.journal.trash.every(arguments.id)
        if store.item(arguments.id) is not None:
            raise NotFound(f"Item {arguments.id} is not deleted.")
        if not copies:
            raise NotFound(f"No copy of item {arguments.id}.")
        name = str(fields_in(copies[0][1].item).get("Name") or "")
        thing = ThingChange(arguments.id, arguments.id, (FieldChangeRow("restored", "", name),), name=name)
        made: list[int] = []

        async def restore(_planned: Sequence[ThingChange]) -> None:
            made.append(await store.history.restore_copy(arguments.id))

        report = carry_out(
            arguments, store, [thing], restore, finds=lambda _thing, entry: entry.item_id in _ids(store, made)
        )
        report.things = [replace(each, key=id_of(*_ids(store, made))) if made else each for each in report.things]
        return write_report(arguments, report, store)


def _ids(store: Store, made: Sequence[int]) -> list[int]:
    return [store.files.journal.real_id(each) for each in made]


def _here(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC).astimezone()


def _copy_row(kept_at: float, copy: ItemCopy) -> Row:
    return {
        "kept": datetime.fromtimestamp(kept_at, UTC).replace(tzinfo=None),
        "id": copy.item_id,
        "type": copy.item.get("type"),
        "tasks": len(copy.tasks),
        "comments": len(copy.comments),
        "name": fields_in(copy.item).get("Name"),
    }


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
        types, log = store.lookups.time_entry_types(), store.work_log
        day = _past_day(store, arguments.date)
        done = LoggedWork(hours, type_named(types, arguments.type), arguments.note, remaining, day)
        if types and log.has_entries and not done.entry_type:
            done = replace(done, entry_type=log.last_type if log.last_type in types else types[0])
        after = done.changes(task.fields) if log.counts else {}
        when = (day or store.today()).isoformat()
        words = " ".join(part for part in (when, f"{hours_text(hours)}h", done.entry_type, done.note) if part)
        announce(
            [
                *(f"{label}  {_change(task.fields.get(key), after[key])}" for label, key in _LOGGED if key in after),
                f"entry      {plain(words)}" if log.has_entries else f"comment    {plain(done.comment)}",
            ]
        )
        if not arguments.dry_run:
            import asyncio  # 50 ms, which reading saves

            print(asyncio.run(logged(store, task, done)))


def _past_day(store: Store, text: str | None) -> date | None:
    """Return the day of the work; raise BadRequest for one that is to come."""
    if text is None:
        return None
    day, today = past_day(text, store.local_today(), "--date"), store.local_today()
    if day > today:
        raise BadRequest(f"--date: {day.isoformat()} is to come. Log work that is done.")
    return day


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
            import asyncio

            await asyncio.sleep(POLL_SECONDS)
    if store.work_log.has_entries:
        return "Logged as a time entry."
    return "Logged: hours added to the task and noted in a comment (the server has no time entries)."
