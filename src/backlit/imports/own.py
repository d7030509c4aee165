"""Files with backlit's own headings: fields by name, numbers of existing items, tasks below their items."""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from backlit.imports.drafts.dates import DateReading
from backlit.imports.drafts.draft import Draft, Drafts
from backlit.imports.faults import Remark
from backlit.imports.origin import key_in
from backlit.imports.own_parts import (
    PART_HEADINGS,
    OwnParts,
    RowParts,
    part_heading,
    parts_of_cells,
    parts_of_json,
)
from backlit.imports.people import PeopleMatching
from backlit.imports.plan import ImportPlan
from backlit.imports.reading.json_files import line_of_each
from backlit.imports.reading.source import Source, SourceKind
from backlit.imports.words.tables import type_named
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, PROPERTY_BY_LOWER_NAME, Field, ItemType, Kind, Settable
from backlit.model.query.keys import field_named
from backlit.model.spreadsheets import undefused
from backlit.store.edits.checks import ON_ADD, ON_EDIT, check
from backlit.store.edits.imports import ImportedChange, NewItem
from backlit.store.field_words import FieldReading
from backlit.store.records.item import Item
from backlit.store.records.merge import is_same
from backlit.store.store import Store

_UNSENT_MARK = "unsent"
"""The key with which `items list --json` marks an unsent change; it is no field."""
_ONLY_THE_SERVER, _NOT_FOR_THE_TYPE = "which the server sets", "whose type has no such field"
_SHORT = {"est": "Estimate", "points": "Estimate"}
_MOVED = {
    "id": "key",
    "ParentID": "parent",
    "createdAt": "created",
    "createdBy": "author",
    "blocks": "link:Blocks",
    "blocked by": "link:Blocked by",
    "related": "link:Relates to",
    "duplicates": "link:Duplicate of",
    "duplicated by": "link:Duplicated by",
    "links": "-",
}
"""What the fields of an export hold in another project, by their keys."""
_COMMENT = re.compile(r"comment \d+")
_BESIDE = re.compile(r"comment \d+|iteration (start|end)|files")
"""Columns that an export has for other projects alone."""
_TYPES = {each.casefold(): each.value for each in ItemType}


class OwnRow(Struct, frozen=True):
    """A row: its line, the number of an existing item, its type as written, and values by field key.

    With `is_written`, values are texts as people write them; otherwise JSON values. `computed` has the values that only
    the server sets, by field key. With `names_parent`, the file has a place for the parent of a task. `fault` says why
    the row is no item; its values are checked all the same, so that one reading tells all that is wrong.
    """

    line: int
    item_id: int | None
    word: str
    values: Mapping[str, object]
    is_written: bool
    computed: Mapping[str, object] = {}
    names_parent: bool = False
    fault: str = ""
    parts: RowParts = RowParts()

    @property
    def type(self) -> str:
        """The type that the word means; a task that may stand alone, and one without a parent, are a story."""
        found = _TYPES.get(self.word.casefold()) or type_named(self.word)
        return ItemType.STORY if found in {"", "Work"} or (found == "Task" and not self.is_task) else found

    @property
    def is_task(self) -> bool:
        return self.word.casefold() == "task" or (type_named(self.word) == "Task" and bool(self.values.get("ParentID")))


def is_own(source: Source, custom: Collection[Field]) -> bool:
    """Report whether a file has backlit's own headings: type and Name, or numbers beside its own keys alone."""
    if source.kind is SourceKind.JSON:
        objects = source.json if isinstance(source.json, list) else [source.json]
        first = next((each for each in objects if isinstance(each, dict)), None)
        if first is None or {"number", "iid", "cards", "issues", "idList"} & first.keys():
            return False
        return bool({"fields", "type", "id"} & first.keys()) and (
            "fields" in first or any(_key_of(key, custom) for key in first if key != "id")
        )
    if source.table is None:
        return False
    headings = [heading.strip() for heading in source.table.headings]
    lower = {heading.casefold() for heading in headings}
    if {"type", "name"} <= lower and not lower & {"issue key", "work item type", "tracker", "state", "section/column"}:
        return True
    keys = {key for heading in headings if (key := _key_of(heading, custom))}
    is_spelled_so = bool(set(headings) & {*FIELD_BY_KEY, *_SHORT} - {"Name", "Status", "Priority", "Severity", "Tags"})
    return "id" in headings and len(keys) == len(headings) and (is_spelled_so or "name" not in lower)


def as_of_another_project(source: Source, custom: Collection[Field]) -> tuple[Source, dict[str, str]]:
    """Return the file without what defuses formulas, and what its columns hold where `id` is another project's number.

    Nothing where it has no numbers with types and names, without which no item can be made.
    """
    table = source.table
    if table is None:
        return source, {}
    words = {heading: _MOVED.get(key, key) for heading in table.headings if (key := _key_of(heading.strip(), custom))}
    words |= {heading: "comment" for heading in table.headings if _COMMENT.fullmatch(heading.strip())}
    if not {"key", "type", "Name"} <= set(words.values()):
        return source, {}
    rows = [structs.replace(row, cells=[*map(undefused, row.cells)]) for row in table.rows]
    return structs.replace(source, table=structs.replace(table, rows=rows)), words


def names_an_item_here(store: Store, drafts: Drafts, name: str) -> bool:
    """Report whether a number in the file is that of an item here, with its type and name.

    One that came from the source of this name with this very number says nothing.
    """
    here = {item.id: item for item in store.batch.items([int(each.key) for each in drafts.items if _is_number(each)])}
    return any(
        item.type == each.type
        and item.fields.get("Name") == each.title
        and key_in(str(item.fields.get("Description") or ""), name) != each.key
        for each in drafts.items
        if _is_number(each) and (item := here.get(int(each.key)))
    )


def _is_number(draft: Draft) -> bool:
    return draft.key.isascii() and draft.key.isdigit() and len(draft.key) <= 18


def planned_rows(store: Store, source: Source, skipped: Collection[int] = ()) -> ImportPlan:
    """Compare a file of backlit's own with the project, without the rows of some lines. Nothing is written."""
    return _OwnPlanning(store, source, skipped).run()


def _key_of(name: str, custom: Collection[Field]) -> str:
    """Return the key of a heading's field: a key, a short key or a label; empty for an unknown one."""
    lower = name.casefold()
    if lower in {"id", "type"}:
        return lower
    if lower in _SHORT:
        return _SHORT[lower]
    if part := part_heading(name):
        return part
    if lower == "due":
        return next((field.key for field in custom if field.is_due), "")
    known = {each.label.casefold(): each.key for each in (*FIELD_BY_KEY.values(), *custom)}
    field = field_named(name, custom)
    return field.key if field else known.get(lower, "")


class _OwnPlanning:
    def __init__(self, store: Store, source: Source, skipped: Collection[int]) -> None:
        self._store = store
        self._plan = ImportPlan("", "backlit's own headings")
        self._custom = store.lookups.custom_fields()
        self._parts = OwnParts(store, self._plan)
        rows = self._of_table(source) if source.table else self._of_json(source)
        self._rows = [row for row in rows if row.line not in skipped]
        self._people = PeopleMatching(store.imports.people(), {}, {})
        self._left_out: Counter[tuple[str, str, str]] = Counter()
        self._has_new_item = False
        self._tasks_below = 0
        created = [str(row.computed.get("createdAt") or "") for row in self._rows]
        self._dates = DateReading(created, is_english=True)

    def run(self) -> ImportPlan:
        plan, store = self._plan, self._store
        items = {item.id: item for item in store.batch.items([row.item_id for row in self._rows if row.item_id])}
        first_lines: dict[int, int] = {}
        for row in self._rows:
            try:
                self._compare(row, items.get(row.item_id or 0), first_lines)
            except BadRequest as error:
                self._parts.faulty_row()
                for key, sentence in error.errors.items():
                    plan.faults.append(Remark(row.line, sentence, column=key, value=str(row.values.get(key) or "")))
        # Rows may name rows further down.
        for number, row in enumerate([] if plan.faults else self._rows):
            for heading, text, sentence in self._parts.relate(number, row.parts):
                plan.faults.append(Remark(row.line, sentence, column=heading, value=text))
        for (label, noun, reason), count in self._left_out.items():
            plan.notes.append(f"Left out: {label} of {count:,} {noun}{'s' * (count != 1)}, {reason}.")
        if self._tasks_below:
            words = f"{self._tasks_below:,} task{'s' * (self._tasks_below != 1)}"
            plan.notes.append(f"{words} without a parent below the new item above.")
        return plan

    def _compare(self, row: OwnRow, item: Item | None, first_lines: dict[int, int]) -> None:
        """Plan the new item of a row, or its changes; raise BadRequest with the faults of the row."""
        errors = {"": row.fault} if row.fault else {}
        is_new_item = row.item_id is None and row.type != ItemType.TASK
        self._has_new_item = self._has_new_item or is_new_item
        if row.item_id is not None and first_lines.setdefault(row.item_id, row.line) != row.line:
            errors["id"] = f"item {row.item_id} appears twice in the file."
        if row.fault:
            self._check_alone(row, row.type if row.word else "", errors)
        elif row.item_id is None:
            self._add(row, errors)
        else:
            self._change(item, row, errors)

    # Rows

    def _of_table(self, source: Source) -> Iterator[OwnRow]:
        table = source.table
        assert table is not None
        self._plan.warnings += [Remark(line, sentence) for line, sentence in table.warnings]
        heading = [_key_of(name.strip(), self._custom) for name in table.headings]
        heading = [key if key not in PART_HEADINGS or self._parts.offers(key) else "" for key in heading]
        for position, (name, key) in enumerate(zip(table.headings, heading, strict=True)):
            self._leave_out(name, 0 if key else sum(bool(row.cells[position].strip()) for row in table.rows))
        for key, columns in Counter(key for key in heading if key).items():
            if columns > 1:
                self._plan.faults.append(Remark(1, f"two columns name the field {key}."))
        for row in table.rows:
            given = {key: undefused(cell) for key, cell in zip(heading, row.cells, strict=True) if key and cell.strip()}
            parts = parts_of_cells({key: given.pop(key) for key in PART_HEADINGS & given.keys()})
            found = self._row(row.line, given, is_written=True, names_parent="ParentID" in heading)
            yield structs.replace(found, parts=parts)

    def _of_json(self, source: Source) -> Iterator[OwnRow]:
        objects: Sequence[object] = source.json if isinstance(source.json, list) else [source.json]
        lines = line_of_each(source.text) if isinstance(source.json, list) else [1]
        for each, line in zip(objects, [*lines, *[1] * len(objects)], strict=False):
            if not isinstance(each, dict):
                self._plan.faults.append(Remark(line, "an item is a JSON object; this is not one."))
                continue
            fields = each.get("fields", {})
            flat = {key: value for key, value in each.items() if key != "fields"}
            flat |= fields if isinstance(fields, dict) else {}
            given = {}
            for name, value in flat.items():
                if key := _key_of(name.strip(), self._custom):
                    given[key] = value
                elif name != _UNSENT_MARK:
                    self._leave_out(name, value not in (None, "", []))
            parts = {key: given.pop(key) for key in PART_HEADINGS & given.keys()}
            for key in [key for key in parts if not self._parts.offers(key)]:
                self._leave_out(key, bool(parts.pop(key)))
            found = self._row(line, given, is_written=False, names_parent="ParentID" in given)
            yield structs.replace(found, parts=parts_of_json(parts))

    def _leave_out(self, name: str, values: int) -> None:
        if values and name.strip() and not _BESIDE.fullmatch(name.strip()):
            self._plan.left_out[name] = self._plan.left_out.get(name, 0) + values

    def _row(self, line: int, given: Mapping[str, object], *, is_written: bool, names_parent: bool) -> OwnRow:
        number, word = given.get("id"), str(given.get("type") or "").strip()
        text = str(number).strip().removeprefix("#") if number not in (None, "") else ""
        is_number = text.isascii() and text.isdigit() and len(text) <= 18 and int(text) > 0
        fault = ""
        if text and not is_number:
            fault = f"{text[:24]!r} is not an item number."
        elif not text and not word:
            fault = f"a new item needs a type, one of: {', '.join(_TYPES.values())}."
        fields = {key: value for key, value in given.items() if key not in {"id", "type"}}
        computed = {key: value for key, value in fields.items() if _is_computed(key)}
        values = {key: value for key, value in fields.items() if key not in computed}
        item_id = int(text) if is_number else None
        return OwnRow(line, item_id, word, values, is_written, computed, names_parent, fault)

    # New items and changes

    def _add(self, row: OwnRow, errors: dict[str, str]) -> None:
        known = _TYPES.get(row.word.casefold()) or type_named(row.word)
        if not known:
            self._warn(row, f"The type {row.word!r} is unknown: taken as Story")
        elif known == "Task" and not row.is_task:
            self._warn(row, f"{row.word!r} has no parent: taken as Story")
        self._plan.types[row.word, row.type] += 1
        row, kept = self._with_unknown_owner_kept(row)
        values = self._values(row, row.type, errors)
        is_below = row.type == ItemType.TASK and "ParentID" not in row.values
        if is_below and row.names_parent:
            errors["ParentID"] = "the task names no parent; give it a ParentID."
        elif is_below and not self._has_new_item:
            errors["ParentID"] = "place a task below its new item, or give it a ParentID."
        parent = values.get("ParentID")
        if isinstance(parent, int) and not self._is_here(self._store.item(parent)):
            errors["ParentID"] = f"this project has no item {parent} for a parent."
        kept = [*self._created(row), *kept]
        if kept:
            above = str(values.get("Description") or "")
            values["Description"] = f"{above}\n\n---\n{' · '.join(kept)}".lstrip("\n")
        checked = self._check(row.type, {"Name": None, **values}, errors, is_new=True)
        for key, value in row.computed.items():
            if value not in (None, "") and key not in {"createdAt", "createdBy"}:
                self._left_out[self._label(key), "new item", _ONLY_THE_SERVER] += 1
        objects = self._parts.objects(row.type, None, row.parts)
        fields = {key: value for key, value in checked.items() if value is not None}
        item, file_id = NewItem(row.type, fields, objects=objects), self._parts.new_item(row.type, str(fields["Name"]))
        items = self._plan.items
        if is_below and items:
            self._plan.places_of_new[file_id] = len(items) - 1, len(items[-1].tasks)
            items[-1] = structs.replace(items[-1], tasks=[*items[-1].tasks, item])
            self._tasks_below += 1
        else:
            self._plan.places_of_new[file_id] = len(items), None
            items.append(item)

    def _with_unknown_owner_kept(self, row: OwnRow) -> tuple[OwnRow, list[str]]:
        """Return the row with its owner found in every spelling, and what is kept of an unknown one."""
        owner = row.values.get("AssignedToID")
        if not isinstance(owner, str) or not owner.strip() or owner.strip() == "–":
            return row, []
        from backlit.imports.formats.columns import names_of_person

        names = names_of_person(owner.strip())
        found = self._people.find(names)
        shown = self._people.shown(names)
        values = {key: value for key, value in row.values.items() if key != "AssignedToID"}
        if found is not None:
            self._plan.people[shown, self._people.user_name(found)] += 1
            return structs.replace(row, values={**values, "AssignedToID": found}), []
        if self._people.is_ambiguous(names) or owner.strip().isdecimal():
            return row, []  # the field says what is wrong
        self._plan.people[shown, ""] += 1
        return structs.replace(row, values=values), [f"Owner: {shown}"]

    def _created(self, row: OwnRow) -> list[str]:
        """Return what is kept of the time and the author of a new item, which only the server sets."""
        when, author = row.computed.get("createdAt"), str(row.computed.get("createdBy") or "").strip()
        date = self._dates.read(when)
        parts = [f"Created {date.shown}" if date else "", f"by {author}" if author else ""]
        text = " ".join(filter(None, parts))
        return [text if date else f"Created {text}"] if text else []

    def _is_here(self, item: Item | None) -> bool:
        return item is not None and item.project_id == self._store.project_id

    def _change(self, item: Item | None, row: OwnRow, errors: dict[str, str]) -> None:
        if item is None or not self._is_here(item):
            errors["id"] = f"this project has no item {row.item_id}."
            self._check_alone(row, row.type if row.word else "", errors)
            return
        if row.word and row.type != item.type:
            errors["type"] = f"item {item.id} is a {item.type}; an import cannot change the type."
            self._check_alone(row, row.type, errors)
        values = self._values(row, item.type, errors)
        changed = {key: value for key, value in values.items() if not is_same(item.fields.get(key), value)}
        objects = self._parts.objects(item.type, item.id, row.parts)
        if changed or objects or errors:
            checked = self._check(item.type, changed, errors, is_new=False)
            self._plan.changes.append(ImportedChange(item.id, checked, objects=objects))
        else:
            self._plan.unchanged += 1
        self._parts.existing_item(item.id, item.name)
        now = {**item.fields, **_properties(item)}
        for key, value in row.computed.items():
            # Unchanged ones come from an export, and nobody wants them changed.
            if value not in (None, "") and str(value).removesuffix("Z") != str(now.get(key)):
                self._left_out[self._label(key), "existing item", _ONLY_THE_SERVER] += 1
        for key in row.values.keys() - values.keys() - errors.keys():
            self._left_out[self._label(key), "existing item", _NOT_FOR_THE_TYPE] += 1

    def _check(
        self, item_type: str, values: Mapping[str, object], errors: dict[str, str], *, is_new: bool
    ) -> dict[str, object]:
        """Check values beside errors that were found before; raise BadRequest with all of them."""
        checked: dict[str, object] = {}
        try:
            checked = check(item_type, values, self._store.lookups, ON_ADD if is_new else ON_EDIT)
        except BadRequest as error:
            errors = {**error.errors, **errors}
        if errors:
            raise BadRequest(" ".join(errors.values()), errors)
        return checked

    def _check_alone(self, row: OwnRow, item_type: str, errors: dict[str, str]) -> None:
        """Check the values of a row that is no item; raise BadRequest. Without a type, any type may have them."""
        for key in row.values:
            types = [item_type] if item_type else self._field(key).types
            faults = [self._fault(row, key, each) for each in types]
            if all(faults):
                errors.setdefault(key, faults[0])
        raise BadRequest(" ".join(errors.values()), errors)

    def _fault(self, row: OwnRow, key: str, item_type: str) -> str:
        errors: dict[str, str] = {}
        try:
            values = self._values(structs.replace(row, values={key: row.values[key]}), item_type, errors)
            self._check(item_type, values, errors, is_new=True)
        except BadRequest as error:
            return str(error)
        return ""

    def _values(self, row: OwnRow, item_type: str, errors: dict[str, str]) -> dict[str, object]:
        """Return the values of a row; add an error for each that cannot be read.

        An existing item has no value for a field that its type lacks.
        """
        reading = FieldReading(self._store)
        found: dict[str, object] = {}
        for key, value in row.values.items():
            known = self._field(key)
            if not known.applies_to(item_type) and row.item_id is not None:
                continue
            if known.kind is Kind.LONG_TEXT:
                found[key] = value  # with the line end that it may end with
            elif isinstance(value, str) and (row.is_written or known.key.endswith("ID")):
                try:
                    found[key] = reading.read(known, item_type, value)
                except BadRequest as error:
                    errors[key] = str(error)
            else:
                found[key] = value
        return found

    def _field(self, key: str) -> Field:
        return FIELD_BY_KEY.get(key) or next(each for each in self._custom if each.key == key)

    def _label(self, key: str) -> str:
        known = PROPERTY_BY_LOWER_NAME.get(key.casefold())
        return (known or self._field(key)).label

    def _warn(self, row: OwnRow, sentence: str) -> None:
        self._plan.warnings.append(Remark(row.line, sentence))


def _properties(item: Item) -> dict[str, object]:
    from backlit.model.dates import write_datetime

    created, modified = item.created_at, item.last_modified_at
    return {
        "projectId": item.project_id,
        "createdBy": item.created_by,
        "createdAt": write_datetime(created) if created else None,
        "lastModifiedBy": item.last_modified_by,
        "lastModifiedAt": write_datetime(modified) if modified else None,
    }


def _is_computed(key: str) -> bool:
    field = FIELD_BY_KEY.get(key) or PROPERTY_BY_LOWER_NAME.get(key.casefold())
    return field is not None and field.settable is Settable.NEVER
