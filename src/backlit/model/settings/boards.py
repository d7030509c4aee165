"""Settings of the board: columns, the values of each, limits and swimlanes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind
from backlit.model.query.keys import field_named

RELEASE = "release"
"""The column source "release", whose columns hold all iterations of a release; not a field."""
STATUS = "Status"
COLUMN_KINDS = frozenset({Kind.STATUS, Kind.ITERATION, Kind.USER, Kind.TEAM, Kind.CHOICE})
LANE_KINDS = COLUMN_KINDS | {Kind.AREA, Kind.INTEGER, Kind.TAGS, Kind.ITEM}
"""Kinds of fields for columns, and for swimlanes; the type of an item also makes lanes."""
PARENT = "ParentID"
"""The swimlane source for boards of tasks."""


@dataclass(frozen=True, slots=True)
class ColumnSettings:
    """A column of the settings: its field and the values in it, as people write them."""

    of: str
    values: tuple[str, ...]
    name: str = ""
    limit: int | None = None
    is_collapsed: bool | None = None


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """The table `[board]` in `config.toml`; `columns` and `lanes` are field keys, `lanes` may be empty."""

    columns: str = STATUS
    lanes: str = ""
    column: tuple[ColumnSettings, ...] = ()


USUAL_BOARD = BoardSettings()


def board_settings(entry: object) -> BoardSettings:
    """Read the `[board]` table. Raises BadRequest that names the fault."""
    if not isinstance(entry, Mapping):
        raise BadRequest('The setting "board" must be a table.')
    _refuse_unknown("The board", entry, ("columns", "lanes", "column"))
    columns = column_key(entry.get("columns", STATUS))
    lanes = lane_key(entry.get("lanes", ""))
    tables = entry.get("column", [])
    if not isinstance(tables, Sequence) or not all(isinstance(each, Mapping) for each in tables):
        raise BadRequest("Write a board's columns as [[board.column]].")
    return BoardSettings(columns, lanes, tuple(_column(each, columns) for each in tables))


def column_key(value: object) -> str:
    """Return the key of a column source. Raises BadRequest for an unknown one."""
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
