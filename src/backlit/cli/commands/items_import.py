"""Import of work items from a CSV or JSON file."""

import argparse
import asyncio
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, field

from backlit.cli.output import tell
from backlit.cli.synced import read_input, synced_store, wait_while
from backlit.model.amounts import counted
from backlit.model.errors import BacklitError, BadRequest
from backlit.model.fields import FIELD_BY_KEY, PROPERTY_BY_LOWER_NAME, Field, ItemType, Settable
from backlit.model.plain import plain
from backlit.model.query.keys import field_named
from backlit.model.settings.user_settings import json_in
from backlit.store.edits.checks import ON_ADD, ON_EDIT, check
from backlit.store.edits.items import Family
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.store import Store
from backlit.tui.fields.acts import is_for_customers, is_synced
from backlit.tui.fields.values import FieldReading, FieldWords

MOST = 2_000
_BEGIN = re.compile(r"[^\s,\]]")


UNSENT = frozenset({"projectId", "createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt", "unsent"})
"""Read-only keys in the output of `items list --json`; an import ignores them."""


class ImportRow(Struct, frozen=True):
    """An item of an import file: its place, the number of an existing item, its type, and values by field key.

    With `is_written`, values are texts as people write them; otherwise JSON values.
    """

    place: str
    item_id: int | None
    type: str
    values: Mapping[str, object]
    is_written: bool


def rows_of(text: str, custom: Collection[Field], *, is_json: bool) -> list[ImportRow]:
    """Read all rows of a file; raise BadRequest with a line for each error, which names its place."""
    faults: list[str] = []
    rows = list(_json_rows(text, custom, faults) if is_json else _csv_rows(text, custom, faults))
    if faults:
        raise BadRequest("\n".join(faults))
    return rows


def _csv_rows(text: str, custom: Collection[Field], faults: list[str]) -> Iterator[ImportRow]:
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    try:
        heading = [_key(name.strip(), custom, "Line 1", faults) for name in next(reader, [])]
        known = [key for key in heading if key]
        faults += [
            f"Line 1: two columns name the field {key}." for key, columns in Counter(known).items() if columns > 1
        ]
        for cells in reader:
            place = f"Line {reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(heading):
                faults.append(f"{place}: expected {len(heading)} columns, found {len(cells)}.")
                continue
            given = {key: cell for key, cell in zip(heading, cells, strict=True) if key and cell.strip()}
            yield from _row(place, given, faults, is_written=True)
    except csv.Error as error:
        faults.append(f"Line {reader.line_num}: {error}.")


def _json_rows(text: str, custom: Collection[Field], faults: list[str]) -> Iterator[ImportRow]:
    try:
        found = json_in(text)
    except ValueError as error:
        raise BadRequest(f"The file is not valid JSON: {error}.") from None
    objects: Sequence[object] = found if isinstance(found, list) else [found]
    for number, (each, line) in enumerate(zip(objects, _lines_of(text), strict=False), 1):
        place = f"Line {line}, item {number}"
        if not isinstance(each, dict):
            faults.append(f"{place}: an item is a JSON object; this is not one.")
            continue
        fields = each.get("fields", {})
        flat = {key: value for key, value in each.items() if key != "fields"}
        flat |= fields if isinstance(fields, dict) else {}
        keys = {_key(key, custom, place, faults): value for key, value in flat.items() if key not in UNSENT}
        given = {key: value for key, value in keys.items() if key}
        yield from _row(place, given, faults, is_written=False)


def _lines_of(text: str) -> Iterator[int]:
    """Yield the lines on which the items of valid JSON begin: those of a list, or of the only one."""
    decoder = json.JSONDecoder()
    line, before = 1, 0
    at = text.index("[") + 1 if text.lstrip().startswith("[") else 0
    while begin := _BEGIN.search(text, at):
        line += text.count("\n", before, begin.start())
        yield line
        before = begin.start()
        _, at = decoder.raw_decode(text, before)


def _key(name: str, custom: Collection[Field], place: str, faults: list[str]) -> str:
    """Return the key of a heading's field: a key, a short key or a label. Add a fault for an unknown one."""
    lower = name.casefold()
    if lower in {"id", "type"}:
        return lower
    known = {each.label.casefold(): each.key for each in (*FIELD_BY_KEY.values(), *custom)}
    if lower in {"est", "points"}:
        return "Estimate"
    field = field_named(name, custom)
    key = field.key if field else known.get(lower)
    if key is None:
        faults.append(f"{place}: unknown field {name!r}.")
    return key or ""


def _row(place: str, given: Mapping[str, object], faults: list[str], *, is_written: bool) -> Iterator[ImportRow]:
    """Yield the row, or add its fault."""
    number, type_name = given.get("id"), str(given.get("type") or "")
    text = str(number).strip().removeprefix("#") if number not in (None, "") else ""
    if text and not (text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0):
        faults.append(f"{place}: {text[:24]!r} is not an item number.")
        return
    types = {each.casefold(): each.value for each in ItemType}
    item_type = types.get(type_name.strip().casefold(), "")
    if not text and not item_type:
        faults.append(f"{place}: a new item needs a type, one of: {', '.join(types.values())}.")
        return
    values = {key: value for key, value in given.items() if key not in {"id", "type"} and not _is_computed(key)}
    yield ImportRow(place, int(text) if text else None, item_type, values, is_written)


def _is_computed(key: str) -> bool:
    field = FIELD_BY_KEY.get(key) or PROPERTY_BY_LOWER_NAME.get(key.casefold())
    return field is not None and field.settable is Settable.NEVER


class Import(Struct):
    """The effect of an import file: new items with their tasks, changes by item number, and faults."""

    families: list[Family] = field(default_factory=list)
    changes: dict[int, Mapping[str, object]] = field(default_factory=dict)
    items: dict[int, Item] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)

    @property
    def is_for_customers(self) -> bool:
        """True if customers can see a part of the import: a Feedback item or its fields."""
        written = [*(each.fields for each in self.families), *self.changes.values()]
        return any(is_for_customers(key) and value for each in written for key, value in each.items())


def import_items(arguments: argparse.Namespace) -> None:
    """Print the effect of the file; without --dry-run, save it and wait for the service."""
    text = read_input(arguments.file, "items")
    is_json = arguments.format == "json" or (not arguments.format and text.lstrip().startswith(("[", "{")))
    with synced_store(arguments, is_writing=True) as store:
        try:
            rows = rows_of(text, store.lookups.custom_fields(), is_json=is_json)
        except BadRequest as error:
            name = "standard input" if arguments.file == "-" else arguments.file
            raise BadRequest(f"Could not read the items in {name}.\n{error.message}\nNo changes were made.") from None
        found = planned(store, rows)
        if found.faults:
            raise BadRequest("\n".join([*found.faults, "No changes were made."]))
        tell(map(plain, _described(store, found)))
        if arguments.dry_run or not (found.families or found.changes):
            return
        if found.is_for_customers and not arguments.customers_see:
            raise BacklitError("Customers can see some of these changes. To allow that, add --customers-see.")
        asyncio.run(_write(store, found))


def planned(store: Store, rows: Sequence[ImportRow]) -> Import:
    """Plan the effect of rows in the current project; collect the faults of all rows."""
    if len(rows) > MOST:
        raise BadRequest(f"The file has {len(rows):,} items; the limit is {MOST:,} per import. Split the file.")
    found = Import(items={item.id: item for item in store.batch.items([row.item_id for row in rows if row.item_id])})
    for row in rows:
        try:
            if row.item_id is None:
                _add(store, found, row)
            else:
                _change(store, found, row)
        except BadRequest as fault:
            found.faults.append(f"{row.place}: {fault}")
    return found


def _add(store: Store, found: Import, row: ImportRow) -> None:
    values = _values(store, row, row.type)
    if row.type == ItemType.TASK and "ParentID" not in values:
        if not found.families:
            raise BadRequest("place a task below its new item, or give it a ParentID.")
        check(row.type, {"Name": None, **values}, store.lookups, ON_ADD)
        above = found.families[-1]
        found.families[-1] = Family(above.type, above.fields, [*above.tasks, values])
        return
    check(row.type, {"Name": None, **values}, store.lookups, ON_ADD)
    found.families.append(Family(row.type, values))


def _change(store: Store, found: Import, row: ImportRow) -> None:
    item = found.items.get(row.item_id or 0)
    if item is None or item.project_id != store.project_id:
        raise BadRequest(f"this project has no item {row.item_id}.")
    if row.type and row.type != item.type:
        raise BadRequest(f"item {item.id} is a {item.type}; an import cannot change the type.")
    if item.id in found.changes:
        raise BadRequest(f"item {item.id} appears twice in the file.")
    values = _values(store, row, item.type)
    changed = {key: value for key, value in values.items() if not is_same(item.fields.get(key), value)}
    if changed:
        found.changes[item.id] = check(item.type, changed, store.lookups, ON_EDIT)


def _values(store: Store, row: ImportRow, item_type: str) -> dict[str, object]:
    reading = FieldReading(store)
    found: dict[str, object] = {}
    for key, value in row.values.items():
        known = _field(store, key)
        if not known.applies_to(item_type) and row.item_id is not None:
            continue
        if isinstance(value, str) and (row.is_written or known.key.endswith("ID")):
            found[key] = reading.read(known, item_type, value)
        else:
            found[key] = value
    return found


def _field(store: Store, key: str) -> Field:
    return FIELD_BY_KEY.get(key) or next(each for each in store.lookups.custom_fields() if each.key == key)


def _described(store: Store, found: Import) -> Iterator[str]:
    words = FieldWords(store)
    for family in found.families:
        yield f"new  {family.type}  {family.fields.get('Name')}"
        yield from (f"new    Task  {task.get('Name')}" for task in family.tasks)
    for item_id, changes in found.changes.items():
        item = found.items[item_id]
        parts = [
            f"{_field(store, key).label} {words.written(_field(store, key), item.fields.get(key))}"
            f" → {words.written(_field(store, key), value)}"
            for key, value in changes.items()
        ]
        yield f"#{item_id}  {', '.join(parts)}  ({item.fields.get('Name')})"
    made = sum(1 + len(family.tasks) for family in found.families)
    yield f"{made:,} new, {len(found.changes):,} changed." if made or found.changes else "Nothing changes."
    mirrored = sum(is_synced(found.items[item_id]) for item_id in found.changes)
    if mirrored:
        yield f"{mirrored:,} of them {'is' if mirrored == 1 else 'are'} synced with another tracker."


async def _write(store: Store, found: Import) -> None:
    """Write the new items as one step and the changes as another."""
    if found.families:
        await store.items.add_families(found.families)
    if found.changes:
        await store.items.edit_each(found.changes)
    await wait_while(store, lambda: bool(store.outbox.pending))
    if store.outbox.pending:
        print("Saved on this machine; backlit sends it when the server is reachable.")
        return
    held = store.outbox.refused + store.outbox.conflicts
    if held:
        raise BacklitError(f"The server rejected {counted(held, 'change')}. Press go in backlit for the reasons.")
    print("Written.")
