"""Saved views as they are written: a table of a file, and the words for columns, orders and fields in it."""

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from backlit.model.errors import BadRequest, UnknownName
from backlit.model.fields import Kind
from backlit.model.filters import SortKey
from backlit.model.nearest import did_you_mean
from backlit.model.query.keys import LINT_KEY, all_keys, field_named

ALWAYS_SHOWN = frozenset({"Name", "id", "type"})
"""Fields that every row shows anyway."""
MAX_GROUP_LEVELS = 2

MAX_COLUMN_WIDTH = 60


# A text, compiled when a column is first read: most lists name none.
_WRITTEN = r"(?P<key>\w+)(?: +(?P<width>\d{1,3}))?(?P<grows> *\+)?(?: +drop +(?P<drop>\d{1,2}))?"


class ChosenColumn(Struct, frozen=True):
    """A requested column: its field or computed key, width (0: usual), growth, and drop order in narrow lists.

    The column with the smallest `drop` goes first. Columns with 0 follow, the last one first.
    """

    key: str
    width: int = 0
    grows: bool = False
    drop: int = 0

    def __str__(self) -> str:
        parts = [self.key, str(self.width) if self.width else "", f"drop {self.drop}" if self.drop else ""]
        parts[1] += "+" if self.grows else ""
        return " ".join(part for part in parts if part)


FEATURE_KEY, CRITERIA_KEY = "feature", "criteria"
ROLLUP_KEY, PROGRESS_KEY = "rollup", "progress"
"""Columns of Features: done and all points below one, and the share of them, from 0 to 1."""


class ComputedColumn(Struct, frozen=True):
    """A column that is no field: its key, heading and usual width."""

    key: str
    title: str
    width: int
    is_number: bool = False


COMPUTED_COLUMNS: Mapping[str, ComputedColumn] = MappingProxyType(
    {
        column.key: column
        for column in (
            ComputedColumn(LINT_KEY, "Not ready", 20),
            ComputedColumn(FEATURE_KEY, "Feature", 24),
            ComputedColumn(CRITERIA_KEY, "Criteria", 8, is_number=True),
            ComputedColumn(ROLLUP_KEY, "Done", 7, is_number=True),
            ComputedColumn(PROGRESS_KEY, "Progress", 8),
        )
    }
)
"""Columns to show and to sort by; `store.views.computed` has the value of each."""


def column_wish(text: str, key_of: Callable[[str], str]) -> ChosenColumn:
    found = re.fullmatch(_WRITTEN, " ".join(text.split()), re.ASCII)
    if found is None:
        raise UnknownName(f"Unknown column “{text.strip()}”. Example: status, tags 14+, iter drop 1.")
    key = _column_key(found["key"], key_of)
    width = int(found["width"] or 0)
    field = field_named(key)
    if key in ALWAYS_SHOWN:
        raise BadRequest(f"{found['key']} is always shown and cannot be a column.")
    if field is not None and field.kind is Kind.LONG_TEXT:
        raise BadRequest(f"{field.label} is too long for a column. Use the preview.")
    if width > MAX_COLUMN_WIDTH:
        raise BadRequest(f"A column can be {MAX_COLUMN_WIDTH} wide at most, {found['key']} has {width}.")
    return ChosenColumn(key, width, bool(found["grows"]), int(found["drop"] or 0))


def without_repeats(wishes: Sequence[ChosenColumn]) -> tuple[ChosenColumn, ...]:
    return tuple({wish.key: wish for wish in reversed(wishes)}[key] for key in dict.fromkeys(w.key for w in wishes))


class ViewTable(Struct, frozen=True):
    """A table `[[view]]`, checked; its words are read by `column_wish`, `sort_key` and `field_key`."""

    name: str
    query: str = ""
    sort: tuple[str, ...] = ()
    group: tuple[str, ...] = ()
    done: bool = False
    columns: tuple[str, ...] = ()


def _column_key(text: str, key_of: Callable[[str], str]) -> str:
    key = text.lower()
    return key if key in COMPUTED_COLUMNS else key_of(text)


def sort_key(text: str, key_of: Callable[[str], str] | None = None) -> SortKey:
    """Read `changed desc` or `-changed`. `key_of` returns the field of a name, by default `field_key`."""
    words = text.removeprefix("-").split()
    if len(words) not in {1, 2} or (len(words) == 2 and words[1].lower() not in {"asc", "desc"}):
        raise UnknownName(f'Unknown order {text!r}. Write a field name, followed by "desc" for descending order.')
    key = _column_key(words[0], key_of or field_key)
    return SortKey(key, text.startswith("-") or words[-1].lower() == "desc")


def field_key(text: str) -> str:
    """Return the field of a name. Custom fields need their full key. Raises BadRequest for any other name."""
    computed = COMPUTED_COLUMNS.get(text.lower())
    if computed is not None:
        raise BadRequest(f"“{computed.title}” can be shown and sorted by, not grouped by. Choose a field.")
    field = field_named(text)
    if field is None and not text.endswith("_cf"):
        near = did_you_mean(text, all_keys())
        raise UnknownName(f"There is no field {text!r}. Custom fields end in _cf.{near}")
    return field.key if field else text
