"""How a board is set up: what its columns stand for, which values share one, how many cards a column may hold."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from backlit.model.errors import BadRequest
from backlit.model.fields import Kind
from backlit.model.query.keys import field_named

RELEASE = "release"
"""What columns stand for that have all iterations of a release in them; no field of an item."""
STATUS = "Status"
COLUMN_KINDS = frozenset({Kind.STATUS, Kind.ITERATION, Kind.USER, Kind.TEAM, Kind.CHOICE})
LANE_KINDS = COLUMN_KINDS | {Kind.AREA, Kind.INTEGER, Kind.TAGS, Kind.ITEM}
"""What fields hold that boards have columns by, and swimlanes; the type of an item makes lanes too."""
PARENT = "ParentID"
"""What swimlanes stand for where the cards are tasks."""


@dataclass(frozen=True, slots=True)
class ColumnSettings:
    """One column as written: of which field, and which values (as people write them) it holds."""

    of: str
    values: tuple[str, ...]
    name: str = ""
    limit: int | None = None
    is_collapsed: bool | None = None


@dataclass(frozen=True, slots=True)
class BoardSettings:
    """What `[board]` in `config.toml` says; `columns` and `lanes` are keys of fields, `lanes` is empty for none."""

    columns: str = STATUS
    lanes: str = ""
    column: tuple[ColumnSettings, ...] = ()


USUAL_BOARD = BoardSettings()


def board_settings(entry: object) -> BoardSettings:
    """Read the `[board]` table. Raises BadRequest saying what is wrong with it."""
    if not isinstance(entry, Mapping):
        raise BadRequest('The setting "board" is a table.')
    _refuse_unknown("The board", entry, ("columns", "lanes", "column"))
    columns = column_key(entry.get("columns", STATUS))
    lanes = lane_key(entry.get("lanes", ""))
    tables = entry.get("column", [])
    if not isinstance(tables, Sequence) or not all(isinstance(each, Mapping) for each in tables):
        raise BadRequest("A board's columns are written as [[board.column]].")
    return BoardSettings(columns, lanes, tuple(_column(each, columns) for each in tables))


def column_key(value: object) -> str:
    """The key of what columns can stand for. Raises BadRequest for anything else."""
    if isinstance(value, str) and value.casefold() == RELEASE:
        return RELEASE
    field = field_named(value) if isinstance(value, str) else None
    if field is not None and field.kind in COLUMN_KINDS:
        return field.key
    if isinstance(value, str) and value.endswith("_cf"):
        return value
    raise BadRequest(f"A board has no columns by {value!r}; it can have: status, iter, release, owner, team, severity.")


def lane_key(value: object) -> str:
    """The key of what swimlanes can stand for, empty for none. Raises BadRequest for anything else."""
    field = field_named(value) if isinstance(value, str) else None
    if value == "" or (isinstance(value, str) and value.endswith("_cf")):
        return str(value)
    if field is not None and (field.kind in LANE_KINDS or field.key == "type"):
        return field.key
    raise BadRequest(
        f"A board has no swimlanes by {value!r}; it can have: area, iter, owner, team, tags, parent, type, severity."
    )


def _column(entry: Mapping[str, object], board_key: str) -> ColumnSettings:
    values = entry.get("values", [])
    listed = [values] if isinstance(values, str) else values
    if not isinstance(listed, list) or not listed or not all(isinstance(each, str) for each in listed):
        raise BadRequest('A column of the board has no values; write values = ["In Progress"] in it.')
    what = f"The column {listed[0]!r}"
    _refuse_unknown(what, entry, ("of", "values", "name", "limit", "collapsed"))
    name, limit, collapsed = entry.get("name", ""), entry.get("limit"), entry.get("collapsed")
    if not isinstance(name, str):
        raise BadRequest(f'{what}: "name" is a text.')
    if limit is not None and (isinstance(limit, bool) or not isinstance(limit, int) or limit < 1):
        raise BadRequest(f'{what}: "limit" is a whole number from 1 on.')
    if collapsed is not None and not isinstance(collapsed, bool):
        raise BadRequest(f'{what}: "collapsed" is true or false.')
    return ColumnSettings(column_key(entry.get("of", board_key)), tuple(listed), name.strip(), limit, collapsed)


def _refuse_unknown(what: str, entry: Mapping[str, object], known: Sequence[str]) -> None:
    unknown = sorted(entry.keys() - set(known))
    if unknown:
        raise BadRequest(f"{what} has no {', '.join(map(repr, unknown))}; it can have {', '.join(known)}.")
