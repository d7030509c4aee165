"""Import of work items from a CSV or JSON file."""

import argparse
import asyncio
import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec import Struct, field, structs

from backlit.cli.item_fields import document_of
from backlit.cli.output import announce
from backlit.cli.questions import agrees, confirm_estimates
from backlit.cli.synced import counting_changes, read_input, synced_store, wait_while
from backlit.cli.terminal_input import PIPE, can_ask
from backlit.model.amounts import counted
from backlit.model.errors import AnswerNeeded, BacklitError, BadRequest, StorageError
from backlit.model.fields import FIELD_BY_KEY, PROPERTY_BY_LOWER_NAME, Field, ItemType, Settable
from backlit.model.plain import plain
from backlit.model.query.keys import field_named
from backlit.model.settings.user_settings import json_in
from backlit.store.edits.checks import ON_ADD, ON_EDIT, check
from backlit.store.edits.items import ItemWithTasks
from backlit.store.field_words import FieldReading, FieldWords
from backlit.store.records.entry import EntryCause
from backlit.store.records.item import Item, is_seen_by_customers
from backlit.store.records.merge import is_same
from backlit.store.store import Store

MAX_IMPORTED_ITEMS = 2_000
MAX_FAULT_LINES, MAX_EFFECT_LINES = 20, 40
"""Lines on the screen; a report has all."""
MAX_PLACES = 5
"""Rows that are named beside one fault."""
_BEGIN = re.compile(r"[^\s,\]]")
_LINE = re.compile(r"Line (\d+)")


_UNSENT_MARK = "unsent"
"""The key with which `items list --json` marks an unsent change; it is no field."""
_ONLY_THE_SERVER, _NOT_FOR_THE_TYPE = "which the server sets", "whose type has no such field"


class ImportRow(Struct, frozen=True):
    """An item of an import file: its place, the number of an existing item, its type, and values by field key.

    With `is_written`, values are texts as people write them; otherwise JSON values. `computed` has the values that only
    the server sets, by field key. With `names_parent`, the file has a place for the parent of a task. `fault` says why
    the row is no item; its values are checked all the same, so that one reading tells all that is wrong.
    """

    place: str
    item_id: int | None
    type: str
    values: Mapping[str, object]
    is_written: bool
    computed: Mapping[str, object] = {}
    names_parent: bool = False
    fault: str = ""


class LeftOut(NamedTuple):
    """Why a value of a file is not taken over."""

    label: str
    noun: str
    reason: str


class ImportFaults(BadRequest):
    """The faults of a file, as `place: sentence`. The message has each sentence once; `lines` has every fault."""

    def __init__(self, faults: Sequence[str]) -> None:
        self.lines = tuple(sorted(dict.fromkeys(faults), key=_line_of))
        places: dict[str, list[str]] = {}
        for fault in self.lines:
            place, _, sentence = fault.partition(": ")
            places.setdefault(sentence, []).append(place)
        grouped = [f"{_counted_places(all_places)}: {sentence}" for sentence, all_places in places.items()]
        super().__init__("\n".join(cut(grouped, MAX_FAULT_LINES, "fault")))


def _line_of(fault: str) -> int:
    found = _LINE.match(fault)
    return int(found[1]) if found else 0


def _counted_places(places: Sequence[str]) -> str:
    named = "; ".join(places[:MAX_PLACES])
    return named if len(places) <= MAX_PLACES else f"{named} and {len(places) - MAX_PLACES:,} more"


def cut(lines: Sequence[str], limit: int, noun: str) -> list[str]:
    """Return the first lines and the number of the rest."""
    rest = len(lines) - limit
    return (
        [*lines[:limit], f"… and {counted(rest, f'more {noun}')}; --report FILE writes all."] if rest > 1 else [*lines]
    )


def rows_of(text: str, custom: Collection[Field], faults: list[str], *, is_json: bool) -> list[ImportRow]:
    """Read all rows of a file and add what is wrong with it; raise BadRequest for a file without rows."""
    return list(_json_rows(text, custom, faults) if is_json else _csv_rows(text, custom, faults))


def _csv_rows(text: str, custom: Collection[Field], faults: list[str]) -> Iterator[ImportRow]:
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    try:
        names = next(reader, [])
        if not any(name.strip() for name in names):
            raise BadRequest("The file has no headings on its first line, such as: type,Name")
        heading = [_key(name.strip(), custom, "Line 1", faults) for name in names]
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
            yield _row(place, given, is_written=True, names_parent="ParentID" in heading)
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
        keys = {_key(key, custom, place, faults): value for key, value in flat.items() if key != _UNSENT_MARK}
        given = {key: value for key, value in keys.items() if key}
        yield _row(place, given, is_written=False, names_parent="ParentID" in given)


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


def _row(place: str, given: Mapping[str, object], *, is_written: bool, names_parent: bool) -> ImportRow:
    number, type_name = given.get("id"), str(given.get("type") or "")
    text = str(number).strip().removeprefix("#") if number not in (None, "") else ""
    types = {each.casefold(): each.value for each in ItemType}
    item_type = types.get(type_name.strip().casefold(), "")
    is_number = text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0
    fault = ""
    if text and not is_number:
        fault = f"{text[:24]!r} is not an item number."
    elif not text and not item_type:
        fault = f"a new item needs a type, one of: {', '.join(types.values())}."
    fields = {key: value for key, value in given.items() if key not in {"id", "type"}}
    computed = {key: value for key, value in fields.items() if _computed_field(key)}
    values = {key: value for key, value in fields.items() if key not in computed}
    item_id = int(text) if is_number else None
    return ImportRow(place, item_id, item_type, values, is_written, computed, names_parent, fault)


def _computed_field(key: str) -> Field | None:
    field = FIELD_BY_KEY.get(key) or PROPERTY_BY_LOWER_NAME.get(key.casefold())
    return field if field is not None and field.settable is Settable.NEVER else None


class ImportEffect(Struct):
    """The effect of an import file: new items with their tasks, changes by item number, and faults."""

    families: list[ItemWithTasks] = field(default_factory=list)
    changes: dict[int, Mapping[str, object]] = field(default_factory=dict)
    items: dict[int, Item] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    left_out: Counter[LeftOut] = field(default_factory=Counter)
    """How many values of the file are not taken over."""
    has_new_item: bool = False
    """Whether a new item that can have tasks stands above, be it right or not."""
    tasks_below: int = 0
    """Tasks that go below the new item above them, as the file has no place for their parent."""

    @property
    def is_for_customers(self) -> bool:
        """True if customers can see a part of the import: a Feedback item or its fields."""
        written = [*(each.fields for each in self.families), *self.changes.values()]
        return any(is_seen_by_customers(key) and value for each in written for key, value in each.items())

    @property
    def estimates(self) -> Iterator[object]:
        """Estimates that are set, as they would be saved."""
        for values in (*(each.fields for each in self.families), *self.changes.values()):
            yield values.get("Estimate")

    def summary(self) -> Iterator[str]:
        made = sum(1 + len(family.tasks) for family in self.families)
        yield f"{made:,} new, {len(self.changes):,} changed." if made or self.changes else "Nothing changes."
        mirrored = sum(self.items[item_id].is_synced for item_id in self.changes)
        if mirrored:
            yield f"{mirrored:,} of them {'is' if mirrored == 1 else 'are'} synced with another tracker."
        for (label, noun, reason), values in self.left_out.items():
            yield f"Left out: {label} of {counted(values, noun)}, {reason}."
        if self.tasks_below:
            yield f"{counted(self.tasks_below, 'task')} without a parent below the new item above."


def import_items(arguments: argparse.Namespace) -> None:
    text = read_input(arguments.file, "items")
    is_json = arguments.format == "json" or (not arguments.format and text.lstrip().startswith(("[", "{")))
    name = "standard input" if arguments.file == PIPE else arguments.file
    with synced_store(arguments, is_writing=True) as store:
        try:
            found = planned(store, text, is_json=is_json)
            if found.faults:
                raise ImportFaults(found.faults)
        except BadRequest as error:
            _write_report(arguments.report, error.lines if isinstance(error, ImportFaults) else [error.message])
            raise BadRequest(f"Could not import the items in {name}.\n{error.message}\nNo changes were made.") from None
        effects = [*_described(store, found)]
        _write_report(arguments.report, [*effects, *found.summary()])
        announce(map(plain, [*cut(effects, MAX_EFFECT_LINES, "line"), *found.summary()]))
        if arguments.dry_run or not (found.families or found.changes):
            return
        can_answer = arguments.file != PIPE and can_ask()
        if found.changes and not arguments.yes:
            _confirm(len(found.changes), can_answer=can_answer)
        if not arguments.keep_estimates:
            confirm_estimates(found.estimates, can_answer=can_answer)
        if found.is_for_customers and not arguments.customers_see:
            raise AnswerNeeded("Customers can see some of these changes. To allow that, add --customers-see.")
        asyncio.run(write_import(store, found))


def _write_report(file: str | None, lines: Iterable[str]) -> None:
    if file is None:
        return
    try:
        Path(file).write_text("".join(f"{plain(line)}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise StorageError(f"Could not write the report {file}: {error.strerror}. No changes were made.") from error


def _confirm(changes: int, *, can_answer: bool) -> None:
    """Ask before existing items change, as another tracker may have given the ids.

    Raises BadRequest for a no, AnswerNeeded where it cannot ask: without a terminal, or after the file came from it.
    """
    items = counted(changes, "existing item")
    # Their items would be overwritten by those of the same numbers.
    if not can_answer:
        raise AnswerNeeded(
            f"The ids in the file are those of {items}. To change {'it' if changes == 1 else 'them'}, add --yes."
            " If another tracker gave the ids, remove their column. No changes were made."
        )
    if not agrees(f"Change {items}?"):
        raise BadRequest("Import cancelled: no changes were made.")


def planned(store: Store, text: str, *, is_json: bool) -> ImportEffect:
    """Compare a file with the store; raise BadRequest for a file without rows."""
    found = ImportEffect()
    rows = rows_of(text, store.lookups.custom_fields(), found.faults, is_json=is_json)
    if len(rows) > MAX_IMPORTED_ITEMS:
        limit = f"the limit is {MAX_IMPORTED_ITEMS:,} per import"
        found.faults.append(f"{rows[0].place}: the file has {len(rows):,} items; {limit}. Split the file.")
        del rows[MAX_IMPORTED_ITEMS:]
    found.items = {item.id: item for item in store.batch.items([row.item_id for row in rows if row.item_id])}
    first_rows: dict[int, str] = {}
    for row in rows:
        errors = {"": row.fault} if row.fault else {}
        found.has_new_item = found.has_new_item or (row.item_id is None and row.type != ItemType.TASK)
        if row.item_id is not None and first_rows.setdefault(row.item_id, row.place) != row.place:
            errors["id"] = f"item {row.item_id} appears twice in the file."
        try:
            if row.item_id is not None:
                _change(store, found, row, errors)
            elif row.fault:
                _check_alone(store, row, row.type, errors)
            else:
                _add(store, found, row, errors)
        except BadRequest as fault:
            found.faults += [f"{row.place}: {sentence}" for sentence in fault.errors.values() or [str(fault)]]
    return found


def _add(store: Store, found: ImportEffect, row: ImportRow, errors: dict[str, str]) -> None:
    values = _values(store, row, row.type, errors)
    is_below = row.type == ItemType.TASK and "ParentID" not in row.values
    if is_below and row.names_parent:
        errors["ParentID"] = "the task names no parent; give it a ParentID."
    elif is_below and not found.has_new_item:
        errors["ParentID"] = "place a task below its new item, or give it a ParentID."
    parent = values.get("ParentID")
    if isinstance(parent, int) and ((item := store.item(parent)) is None or item.project_id != store.project_id):
        errors["ParentID"] = f"this project has no item {parent} for a parent."
    _check(row.type, {"Name": None, **values}, store, ON_ADD, errors)
    for key, value in row.computed.items():
        if value not in (None, ""):
            found.left_out[LeftOut(_label(store, key), "new item", _ONLY_THE_SERVER)] += 1
    if is_below and found.families:
        above = found.families[-1]
        found.families[-1] = ItemWithTasks(above.type, above.fields, [*above.tasks, values])
        found.tasks_below += 1
    else:
        found.families.append(ItemWithTasks(row.type, values))


def _check(
    item_type: str,
    values: Mapping[str, object],
    store: Store,
    settable: frozenset[Settable],
    errors: dict[str, str],
) -> dict[str, object]:
    """Check values beside errors that were found before; raise BadRequest with all of them."""
    checked: dict[str, object] = {}
    try:
        checked = check(item_type, values, store.lookups, settable)
    except BadRequest as error:
        errors = {**error.errors, **errors}
    if errors:
        raise BadRequest(" ".join(errors.values()), errors)
    return checked


def _change(store: Store, found: ImportEffect, row: ImportRow, errors: dict[str, str]) -> None:
    item = found.items.get(row.item_id or 0)
    if item is None or item.project_id != store.project_id:
        _check_alone(store, row, row.type, errors | {"id": f"this project has no item {row.item_id}."})
        return
    if row.type and row.type != item.type:
        errors["type"] = f"item {item.id} is a {item.type}; an import cannot change the type."
        _check_alone(store, row, row.type, errors)
    values = _values(store, row, item.type, errors)
    changed = {key: value for key, value in values.items() if not is_same(item.fields.get(key), value)}
    if changed or errors:
        found.changes[item.id] = _check(item.type, changed, store, ON_EDIT, errors)
    now = document_of(item)
    for key, value in row.computed.items():
        # Unchanged ones come from an export, and nobody wants them changed.
        if value not in (None, "") and str(value) not in {str(now.get(key)), str(item.fields.get(key))}:
            found.left_out[LeftOut(_label(store, key), "existing item", _ONLY_THE_SERVER)] += 1
    for key in row.values.keys() - values.keys() - errors.keys():
        found.left_out[LeftOut(_label(store, key), "existing item", _NOT_FOR_THE_TYPE)] += 1


def _check_alone(store: Store, row: ImportRow, item_type: str, errors: dict[str, str]) -> None:
    """Check the values of a row that is no item; raise BadRequest. Without a type, any type may have them."""
    for key in row.values:
        types = [item_type] if item_type else _field(store, key).types
        faults = [_fault(store, row, key, each) for each in types]
        if all(faults):
            errors.setdefault(key, faults[0])
    raise BadRequest(" ".join(errors.values()), errors)


def _fault(store: Store, row: ImportRow, key: str, item_type: str) -> str:
    errors: dict[str, str] = {}
    try:
        values = _values(store, structs.replace(row, values={key: row.values[key]}), item_type, errors)
        _check(item_type, values, store, ON_ADD, errors)
    except BadRequest as error:
        return str(error)
    return ""


def _values(store: Store, row: ImportRow, item_type: str, errors: dict[str, str]) -> dict[str, object]:
    """Return the values of a row; add an error for each that cannot be read.

    An existing item has no value for a field that its type lacks.
    """
    reading = FieldReading(store)
    found: dict[str, object] = {}
    for key, value in row.values.items():
        known = _field(store, key)
        if not known.applies_to(item_type) and row.item_id is not None:
            continue
        if isinstance(value, str) and (row.is_written or known.key.endswith("ID")):
            try:
                found[key] = reading.read(known, item_type, value)
            except BadRequest as error:
                errors[key] = str(error)
        else:
            found[key] = value
    return found


def _field(store: Store, key: str) -> Field:
    return FIELD_BY_KEY.get(key) or next(each for each in store.lookups.custom_fields() if each.key == key)


def _label(store: Store, key: str) -> str:
    known = PROPERTY_BY_LOWER_NAME.get(key.casefold())
    return (known or _field(store, key)).label


def _described(store: Store, found: ImportEffect) -> Iterator[str]:
    words = FieldWords(store)
    for item_id, changes in found.changes.items():
        item = found.items[item_id]
        parts = [
            f"{_field(store, key).label} {words.written(_field(store, key), item.fields.get(key))}"
            f" → {words.written(_field(store, key), value)}"
            for key, value in changes.items()
        ]
        yield f"#{item_id}  {', '.join(parts)}  ({item.fields.get('Name')})"
    for family in found.families:
        yield f"new  {family.type}  {family.fields.get('Name')}"
        yield from (f"new    Task  {task.get('Name')}" for task in family.tasks)


async def write_import(store: Store, found: ImportEffect) -> None:
    """Write the new items as one step and the changes as another; print what became of them."""
    with counting_changes(store) as changes:
        if found.families:
            await store.items.add_families(found.families, EntryCause.IMPORT)
        if found.changes:
            await store.items.edit_each(found.changes, cause=EntryCause.IMPORT)
        await wait_while(store, lambda: bool(store.outbox.pending))
    if store.outbox.pending:
        print(changes.words())
        return
    held = store.outbox.refused + store.outbox.conflicts
    if held:
        raise BacklitError(f"The server rejected {counted(held, 'change')}. Press go in backlit for the reasons.")
    print("Written.")
