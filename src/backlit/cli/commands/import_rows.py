"""Rows of an import file, from CSV or JSON, with their places for error messages."""

import csv
import io
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, PROPERTY_BY_LOWER_NAME, Field, ItemType, Settable
from backlit.model.query.keys import field_named
from backlit.model.settings.documents import json_in

UNSENT = frozenset({"projectId", "createdBy", "createdAt", "lastModifiedBy", "lastModifiedAt", "unsent"})
"""Read-only keys in the output of `items list --json`; an import ignores them."""


@dataclass(frozen=True, slots=True)
class ImportRow:
    """An item of an import file: its place, the number of an existing item, its type, and values by field key.

    With `is_written`, values are texts as people write them; otherwise JSON values.
    """

    place: str
    item_id: int | None
    type: str
    values: Mapping[str, object]
    is_written: bool


def rows_of(text: str, custom: Collection[Field], *, is_json: bool) -> list[ImportRow]:
    """Read all rows of a file; raise BadRequest that names the place of an error."""
    return list(_json_rows(text, custom) if is_json else _csv_rows(text, custom))


def _csv_rows(text: str, custom: Collection[Field]) -> Iterator[ImportRow]:
    delimiter = "\t" if "\t" in text.partition("\n")[0] else ","
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, strict=True)
    try:
        heading = [_key(name.strip(), custom, "Line 1") for name in next(reader, [])]
        if len(set(heading)) < len(heading):
            raise BadRequest("Line 1: two columns name the same field.")
        for cells in reader:
            place = f"Line {reader.line_num}"
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(heading):
                raise BadRequest(f"{place}: expected {len(heading)} columns, found {len(cells)}.")
            given = {key: cell for key, cell in zip(heading, cells, strict=True) if cell.strip()}
            yield _row(place, given, is_written=True)
    except csv.Error as error:
        raise BadRequest(f"Line {reader.line_num}: {error}.") from None


def _json_rows(text: str, custom: Collection[Field]) -> Iterator[ImportRow]:
    try:
        found = json_in(text)
    except ValueError as error:
        raise BadRequest(f"The file is not valid JSON: {error}.") from None
    objects: Sequence[object] = found if isinstance(found, list) else [found]
    for number, each in enumerate(objects, 1):
        if not isinstance(each, dict):
            raise BadRequest(f"Item {number} is not a JSON object.")
        fields = each.get("fields", {})
        flat = {key: value for key, value in each.items() if key != "fields"}
        flat |= fields if isinstance(fields, dict) else {}
        place = f"Item {number}"
        given = {_key(key, custom, place): value for key, value in flat.items() if key not in UNSENT}
        yield _row(place, given, is_written=False)


def _key(name: str, custom: Collection[Field], place: str) -> str:
    """Return the key of a heading's field: a key, a short key or a label."""
    lower = name.casefold()
    if lower in {"id", "type"}:
        return lower
    known = {each.label.casefold(): each.key for each in (*FIELD_BY_KEY.values(), *custom)}
    if lower in {"est", "points"}:
        return "Estimate"
    field = field_named(name, custom)
    key = field.key if field else known.get(lower)
    if key is None:
        raise BadRequest(f"{place}: unknown field {name!r}.")
    return key


def _row(place: str, given: Mapping[str, object], *, is_written: bool) -> ImportRow:
    number, type_name = given.get("id"), str(given.get("type") or "")
    text = str(number).strip().removeprefix("#") if number not in (None, "") else ""
    if text and not (text.isascii() and text.isdigit() and 0 < int(text[:18]) == int(text)):
        raise BadRequest(f"{place}: {text[:24]!r} is not an item number.")
    types = {each.casefold(): each.value for each in ItemType}
    item_type = types.get(type_name.strip().casefold(), "")
    if not text and not item_type:
        raise BadRequest(f"{place}: a new item needs a type, one of: {', '.join(types.values())}.")
    values = {key: value for key, value in given.items() if key not in {"id", "type"} and not _is_computed(key)}
    return ImportRow(place, int(text) if text else None, item_type, values, is_written)


def _is_computed(key: str) -> bool:
    field = FIELD_BY_KEY.get(key) or PROPERTY_BY_LOWER_NAME.get(key.casefold())
    return field is not None and field.settable is Settable.NEVER
