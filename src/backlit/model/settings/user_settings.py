"""Settings of profiles and screens: names, item templates and boards, from JSON or TOML.

Each function that reads a table or a value raises BadRequest, which names the setting and the fault.
"""

import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from backlit.model.errors import BadRequest
from backlit.model.fields import CUSTOM_KINDS, FEATURE_ID, FIELD_BY_KEY, SYNC_KEYS, ItemType, Kind, Settable
from backlit.model.person_load import PersonLoad
from backlit.model.query.keys import field_named

if TYPE_CHECKING:
    from pathlib import Path

_DEEP = "lists or tables are nested too deeply; write them flat"
_TOO_MANY_DIGITS = "a number has thousands of digits; shorten it"


def json_in(text: str | bytes) -> Any:
    """Read JSON; raise ValueError whose text is the fault in words, for the middle of a sentence."""
    try:
        written = text.decode("utf-8-sig") if isinstance(text, bytes) else text
    except UnicodeDecodeError:
        raise ValueError("it is not text in UTF-8") from None
    if not written.strip():
        raise ValueError("it is empty")
    try:
        return json.loads(written)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"line {error.lineno}, column {error.colno} cannot be read as JSON") from None
    except ValueError:
        raise ValueError(_TOO_MANY_DIGITS) from None


def toml_in(content: bytes, path: "Path") -> dict[str, Any]:
    """Read the TOML of a file that a person wrote.

    Raises ValueError whose text is the file with the line of the fault, and the fault in words: `x.toml, line 3: …`.
    """
    import tomllib

    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise ValueError(f"{path}, line {line}: it is not text in UTF-8") from None
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(f"{path}: {_DEEP}") from None
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{path}, {_toml_fault(str(error), text)}") from None
    except ValueError:
        raise ValueError(f"{path}: {_TOO_MANY_DIGITS}") from None


_TOML_FAULTS = (
    ("Invalid statement", "it begins neither with a key nor with a [table]"),
    ("Expected newline or end of document", "more follows after its end"),
    ("Invalid value", "there is no value after the =, or a text without quotes"),
    ("Expected '=' after a key", "there is no = after the key"),
    ("Invalid initial character for a key part", "a key or the name of a table needs quotes, or is missing"),
    ("Expected ']]'", "the name of a table has no ]] after it"),
    ("Expected ']'", "the name of a table has no ] after it"),
    ("Cannot declare", "this table is written twice"),
    ("Cannot redefine namespace", "this table is written twice"),
    ("Cannot mutate immutable namespace", "this table is written twice"),
    ("Cannot overwrite a value", "this is set twice"),
    ("Duplicate inline table key", "this is set twice"),
    ("Unclosed array", "a list has no ] at its end"),
    ("Unclosed inline table", "a table has no } at its end"),
    ("Unescaped '\\'", "a \\ in a text is written \\\\"),
    ("Invalid hex value", "a \\u in a text has too few digits after it"),
    ("Escaped character is not", "a \\u in a text stands for no character"),
    ("Unterminated string", "a text has no quote at its end"),
    ('Expected "', "a text has no quote at its end"),
    ("Illegal character '\\n'", "a text has no quote at its end"),
    ("Found invalid character '\\n'", "a text has no quote at its end"),
    ("Illegal character", "it has a control character"),
    ("Found invalid character", "it has a control character"),
    ("Invalid date", "there is no such date or time"),
)
"""What tomllib says of a fault, by the words it begins with, and what is said of it here; new words are "not TOML"."""


def _toml_fault(said: str, text: str) -> str:
    words = next((words for begin, words in _TOML_FAULTS if said.startswith(begin)), "it is not TOML")
    place = re.search(_LINE, said) or (re.search(_LINE, _said_of(f"{text}'")) if said.startswith(_OPEN_QUOTE) else None)
    line = int(place[1]) if place else text.rstrip().count("\n") + 1
    return f"line {line}: {words}"


_LINE = r"at line ([0-9]+)"
_OPEN_QUOTE = 'Expected "\'"'
"""Said at the end of the document; of a text that a quote there closes tomllib says the line it began on."""


def _said_of(text: str) -> str:
    import tomllib

    try:
        tomllib.loads(text)
    except ValueError as error:
        return str(error)
    return ""


KINDS = tuple(kind for kind in (*CUSTOM_KINDS, Kind.TAGS) if kind is not Kind.CHOICE)
"""The kinds that a foreign service's fields can be said to have; the values of a choice are not known."""
"""Kinds that a project's own field may have."""


class OwnCapacities(Struct, frozen=True):
    """Personal capacities per iteration, by user name; 0 means no limit.

    The interface has no personal capacity, so the setting is local. `special` holds capacities of single
    iterations, by name.
    """

    usual: Mapping[str, PersonLoad] = field(default_factory=dict)
    special: Mapping[str, Mapping[str, PersonLoad]] = field(default_factory=dict)

    def of(self, user: str, iteration: str) -> PersonLoad | None:
        """Return a person's capacity in an iteration; None if not set."""
        return self.special.get(iteration, {}).get(user) or self.usual.get(user)


class OwnNames(Struct, frozen=True):
    """The settings `[teams]`, `[fields]`, `[due]` and `project`."""

    teams: Mapping[int, str] = field(default_factory=dict)
    project_id: int | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds of fields without a definition from the service, by key; they overrule the kind guessed from values."""
    due: str | None = None
    """The key of the field with due dates, for a service that names none."""


class Template(Struct, frozen=True):
    """A template of new items; `fields` holds values as people write them, by field key."""

    name: str
    type: ItemType
    fields: Mapping[str, object] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()


def writable_field_key(item_type: ItemType, text: str) -> str:
    """Return the key of a field that a template may set; a project's own key stays as written.

    Raises BadRequest, whose sentence can follow "In the template …, ".
    """
    found = FIELD_BY_KEY["Name"] if text == "Name" else field_named(text)
    key = "Estimate" if found is not None and found.kind is Kind.COMPUTED and text.lower() == "est" else text
    known = FIELD_BY_KEY.get(key) or found
    if known is None and key.endswith("_cf"):
        return key
    if known is None:
        raise BadRequest(f"the field {text!r} is unknown.")
    if known.settable is not Settable.ALWAYS or known.key in SYNC_KEYS or not known.applies_to(item_type):
        raise BadRequest(f"a {item_type.lower()} has no writable field {text!r}.")
    return known.key


RELEASE = "release"
"""The column source "release", whose columns hold all iterations of a release; not a field."""
STATUS = "Status"
COLUMN_KINDS = frozenset({Kind.STATUS, Kind.ITERATION, Kind.USER, Kind.TEAM, Kind.CHOICE})
LANE_KINDS = COLUMN_KINDS | {Kind.AREA, Kind.INTEGER, Kind.TAGS, Kind.ITEM}
"""Kinds of fields for columns, and for swimlanes; the type of an item also makes lanes."""
COLUMN_WORDS = ("status", "iter", "release", "owner", "team", "severity")
LANE_WORDS = ("area", "iter", "owner", "team", "tags", "feature", "parent", "type", "severity")
PARENT = "ParentID"
"""The swimlane source for boards of tasks."""


class ColumnSettings(Struct, frozen=True):
    """A column of the settings: its field and the values in it, as people write them."""

    of: str
    values: tuple[str, ...]
    name: str = ""
    limit: int | None = None
    is_collapsed: bool | None = None


class BoardSettings(Struct, frozen=True):
    """The table `[board]` in `config.toml`; `columns` and `lanes` are field keys, `lanes` may be empty.

    `written` is the table as it is written, empty without one: it tells a default from the same value written out.
    """

    columns: str = STATUS
    lanes: str = ""
    column: tuple[ColumnSettings, ...] = ()
    written: str = ""


USUAL_BOARD = BoardSettings()


def column_key(value: object) -> str:
    if isinstance(value, str) and value.casefold() == RELEASE:
        return RELEASE
    field = field_named(value) if isinstance(value, str) else None
    if field is not None and field.kind in COLUMN_KINDS:
        return field.key
    if isinstance(value, str) and value.endswith("_cf"):
        return value
    raise BadRequest(f"A board cannot have columns by {value!r}. Choose from: {', '.join(COLUMN_WORDS)}.")


def lane_key(value: object) -> str:
    """Return the key of a swimlane source, empty for none. Raises BadRequest for an unknown one."""
    field = field_named(value) if isinstance(value, str) else None
    if value == "" or (isinstance(value, str) and value.endswith("_cf")):
        return str(value)
    if isinstance(value, str) and value.casefold() == "feature":
        return FEATURE_ID
    if field is not None and (field.kind in LANE_KINDS or field.key == "type"):
        return field.key
    raise BadRequest(f"A board cannot have swimlanes by {value!r}. Choose from: {', '.join(LANE_WORDS)}.")
