"""Settings of profiles and screens: names, item templates and boards, from JSON or TOML.

Each function that reads a table or a value raises BadRequest, which names the setting and the fault.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct, field

from backlit.model.amounts import PersonLoad
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS, ItemType, Kind, Settable
from backlit.model.query.keys import field_named
from backlit.model.statuses import CONFIGURABLE, StatusGroup

_DEEP = "lists or tables are nested too deeply; write them flat"
_TOO_MANY_DIGITS = "a number has thousands of digits; shorten it"


def json_in(text: str | bytes) -> Any:
    import json

    try:
        return json.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except json.JSONDecodeError:
        raise
    except ValueError:
        raise ValueError(_TOO_MANY_DIGITS) from None


def toml_in(text: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError(_DEEP) from None
    except tomllib.TOMLDecodeError:
        raise
    except ValueError:
        raise ValueError(_TOO_MANY_DIGITS) from None


KINDS = (Kind.TEXT, Kind.LONG_TEXT, Kind.INTEGER, Kind.NUMBER, Kind.BOOLEAN, Kind.TAGS)
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
    """The settings `[teams]`, `[fields]` and `project`."""

    teams: Mapping[int, str] = field(default_factory=dict)
    project_id: int | None = None
    kinds: Mapping[str, Kind] = field(default_factory=dict)
    """Kinds of fields without a definition from the service, by key; they overrule the kind guessed from values."""


def team_names(table: object) -> dict[int, str]:
    if not isinstance(table, dict) or not all(key.isdecimal() and isinstance(name, str) for key, name in table.items()):
        raise BadRequest('The setting "teams" must be a table of names by number, [teams] with 3 = "Payments"')
    return {int(key): name for key, name in table.items()}


def project_number(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise BadRequest('The setting "project" must be the number of a project')
    return value


def status_meanings(table: object) -> dict[str, StatusGroup]:
    groups = {each.replace(" ", "_"): each for each in CONFIGURABLE}
    lists = table.items() if isinstance(table, dict) else [("", None)]
    for name, statuses in lists:
        if name not in groups or not isinstance(statuses, list) or not all(isinstance(each, str) for each in statuses):
            raise BadRequest(
                'The setting "statuses" must be a table of lists, [statuses] with in_progress = ["Review"]; the lists'
                f" are {', '.join(groups)}"
            )
    return {status: groups[name] for name, statuses in lists for status in statuses or ()}


def field_kinds(kinds: object) -> dict[str, Kind]:
    if not isinstance(kinds, dict) or not all(key.endswith("_cf") and kind in KINDS for key, kind in kinds.items()):
        raise BadRequest(f'The setting "fields" must be a table of kinds by key, Ticket_cf = one of {", ".join(KINDS)}')
    return {key: Kind(kind) for key, kind in kinds.items()}


OWN_KEYS = ("name", "type", "tasks")


class Template(Struct, frozen=True):
    """A template of new items; `fields` holds values as people write them, by field key."""

    name: str
    type: ItemType
    fields: Mapping[str, object] = field(default_factory=dict)
    tasks: tuple[str, ...] = ()


def templates_in(value: object) -> tuple[Template, ...]:
    tables = value if isinstance(value, list) else [None]
    if not all(isinstance(each, Mapping) for each in tables):
        raise BadRequest("Write templates as [[template]], each with a name and a type.")
    return tuple(map(_template, tables))


def _template(table: Mapping[str, object]) -> Template:
    name, type_name, tasks = (table.get(key, "") for key in OWN_KEYS)
    if not isinstance(name, str) or not name.strip():
        raise BadRequest('A template has no name. Add: name = "…".')
    types = {each.casefold(): each for each in ItemType if each is not ItemType.TASK}
    item_type = types.get(type_name.casefold()) if isinstance(type_name, str) else None
    if item_type is None:
        raise BadRequest(f"The template {name!r} has no type. Choose from: {', '.join(types.values())}.")
    tasks = tasks or []
    if not isinstance(tasks, list) or not all(isinstance(each, str) and each.strip() for each in tasks):
        raise BadRequest(f'In the template {name!r}, "tasks" must be a list of names.')
    fields = {_key(name, item_type, key): value for key, value in table.items() if key not in OWN_KEYS}
    for key, value in fields.items():
        if not _is_value(value):
            raise BadRequest(
                f"In the template {name!r}, {key} must be a text, a number, true or false, or a list of texts."
            )
    return Template(name.strip(), item_type, fields, tuple(each.strip() for each in tasks))


def _key(name: str, item_type: ItemType, text: str) -> str:
    """Return the key of a writable field; a project's own key stays as written."""
    found = FIELD_BY_KEY["Name"] if text == "Name" else field_named(text)
    key = "Estimate" if found is not None and found.kind is Kind.COMPUTED and text.lower() == "est" else text
    known = FIELD_BY_KEY.get(key) or found
    if known is None and key.endswith("_cf"):
        return key
    if known is None:
        raise BadRequest(f"In the template {name!r}, the field {text!r} is unknown.")
    if known.settable is not Settable.ALWAYS or known.key in SYNC_KEYS or not known.applies_to(item_type):
        raise BadRequest(f"In the template {name!r}, a {item_type.lower()} has no writable field {text!r}.")
    return known.key


def _is_value(value: object) -> bool:
    texts = value if isinstance(value, list) else [value]
    is_list = isinstance(value, list)
    return all(isinstance(each, str) or (not is_list and isinstance(each, bool | int | float)) for each in texts)


RELEASE = "release"
"""The column source "release", whose columns hold all iterations of a release; not a field."""
STATUS = "Status"
COLUMN_KINDS = frozenset({Kind.STATUS, Kind.ITERATION, Kind.USER, Kind.TEAM, Kind.CHOICE})
LANE_KINDS = COLUMN_KINDS | {Kind.AREA, Kind.INTEGER, Kind.TAGS, Kind.ITEM}
"""Kinds of fields for columns, and for swimlanes; the type of an item also makes lanes."""
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


def board_settings(entry: object) -> BoardSettings:
    if not isinstance(entry, Mapping):
        raise BadRequest('The setting "board" must be a table.')
    _refuse_unknown("The board", entry, ("columns", "lanes", "column"))
    columns = column_key(entry.get("columns", STATUS))
    lanes = lane_key(entry.get("lanes", ""))
    tables = entry.get("column", [])
    if not isinstance(tables, Sequence) or not all(isinstance(each, Mapping) for each in tables):
        raise BadRequest("Write a board's columns as [[board.column]].")
    written = json.dumps(entry, sort_keys=True, default=str)
    return BoardSettings(columns, lanes, tuple(_column(each, columns) for each in tables), written)


def column_key(value: object) -> str:
    if isinstance(value, str) and value.casefold() == RELEASE:
        return RELEASE
    field = field_named(value) if isinstance(value, str) else None
    if field is not None and field.kind in COLUMN_KINDS:
        return field.key
    if isinstance(value, str) and value.endswith("_cf"):
        return value
    raise BadRequest(
        f"A board cannot have columns by {value!r}. Choose from: status, iter, release, owner, team, severity."
    )


def lane_key(value: object) -> str:
    """Return the key of a swimlane source, empty for none. Raises BadRequest for an unknown one."""
    field = field_named(value) if isinstance(value, str) else None
    if value == "" or (isinstance(value, str) and value.endswith("_cf")):
        return str(value)
    if field is not None and (field.kind in LANE_KINDS or field.key == "type"):
        return field.key
    raise BadRequest(
        f"A board cannot have swimlanes by {value!r}."
        " Choose from: area, iter, owner, team, tags, parent, type, severity."
    )


def _column(entry: Mapping[str, object], board_key: str) -> ColumnSettings:
    values = entry.get("values", [])
    listed = [values] if isinstance(values, str) else values
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) for each in listed):
        raise BadRequest('A column of the board has no values. Add, for example: values = ["In Progress"].')
    what = f"The column {listed[0]!r}"
    _refuse_unknown(what, entry, ("of", "values", "name", "limit", "collapsed"))
    name, limit, collapsed = entry.get("name", ""), entry.get("limit"), entry.get("collapsed")
    if not isinstance(name, str):
        raise BadRequest(f'{what}: "name" must be a text.')
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise BadRequest(f'{what}: "limit" must be a whole number of 1 or more.')
    if collapsed is not None and not isinstance(collapsed, bool):
        raise BadRequest(f'{what}: "collapsed" must be true or false.')
    return ColumnSettings(column_key(entry.get("of", board_key)), tuple(listed), name.strip(), limit, collapsed)


def _refuse_unknown(what: str, entry: Mapping[str, object], known: Sequence[str]) -> None:
    unknown = sorted(entry.keys() - set(known))
    if unknown:
        raise BadRequest(f"{what}: unknown {', '.join(map(repr, unknown))}. Choose from {', '.join(known)}.")
