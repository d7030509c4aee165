"""The names of items' columns, and the values that follow from an item's document."""

from collections.abc import Callable, Mapping

from backlit.cli.listing import Column
from backlit.model.amounts import points_of
from backlit.store.records.entry_values import id_of

SHORT_NAMES: Mapping[str, tuple[str, str]] = {
    "id": ("ID", ""),
    "type": ("Type", ""),
    "status": ("Status", "Status"),
    "est": ("Points", "Estimate"),
    "owner": ("Owner", "AssignedToID"),
    "name": ("Name", "Name"),
    "iter": ("Iteration", "IterationID"),
    "area": ("Area", "AreaID"),
    "team": ("Team", "TeamID"),
    "tags": ("Tags", "Tags"),
    "parent": ("Parent", "ParentID"),
    "priority": ("Priority", "Priority"),
    "class": ("Class", "PriorityClass"),
    "severity": ("Severity", "Severity"),
    "blocking": ("Blocking", "IsBlocking"),
    "left": ("Left", "WorkRemaining"),
    "spent": ("Spent", "WorkCompleted"),
    "created": ("Created", ""),
    "changed": ("Changed", ""),
    "by": ("By", ""),
    "lint": ("Not ready", ""),
    "unsent": ("Unsent", ""),
    "due": ("Due", ""),
    "feature": ("Feature", ""),
    "blocks": ("Blocks", ""),
    "blocked by": ("Blocked by", ""),
    "related": ("Related", ""),
    "duplicates": ("Duplicates", ""),
    "criteria": ("Criteria", ""),
    "links": ("Links", ""),
    "ownerId": ("Owner ID", "AssignedToID"),
    "iterId": ("Iteration ID", "IterationID"),
    "areaId": ("Area ID", "AreaID"),
    "teamId": ("Team ID", "TeamID"),
}
"""The names of columns beside the keys of fields: heading, and the field that the value is of."""
USUAL = ("id", "type", "status", "est", "owner", "name")
_RIGHT = frozenset({"id", "est", "priority", "left", "spent", "parent"})
PLAIN = frozenset({*USUAL, "tags", "priority", "class", "severity", "blocking", "left", "spent"})
"""Columns whose values follow from an item's document and the names of users alone."""
RELATION_COLUMNS: Mapping[str, str] = {
    "feature": "Parent",
    "blocks": "Blocks",
    "blocked by": "Blocked By",
    "related": "Related",
    "duplicates": "Duplicates",
}
"""Columns of other items, and the type of relation from the item's side."""
COLUMNS_OF_PARTS: Mapping[str, tuple[str, ...]] = {
    "relations": tuple(RELATION_COLUMNS),
    "criteria": ("criteria",),
    "links": ("links",),
    "comments": (),
    "time": (),
}
"""The columns of what `--with` adds to items."""
PART_COLUMNS = frozenset({column for columns in COLUMNS_OF_PARTS.values() for column in columns})


def short_columns() -> list[Column]:
    """Return the columns of SHORT_NAMES, the usual ones first, in their order."""
    usual = [Column(name, SHORT_NAMES[name][0], name in _RIGHT) for name in USUAL]
    rest = [Column(name, told[0], name in _RIGHT, False) for name, told in SHORT_NAMES.items() if name not in USUAL]
    return [*usual, *rest]


def plain_value(
    item_id: int, item_type: str, fields: Mapping[str, object], name: str, username: Callable[[int], str | None]
) -> object:
    """Return the value of a column of PLAIN."""
    if name == "id":
        return id_of(item_id)
    if name == "type":
        return item_type
    value = fields.get(SHORT_NAMES[name][1])
    if name == "est":
        points = points_of(value) if isinstance(value, str) else None
        return value if points is None else int(points) if points.is_integer() else points
    if name == "owner" and isinstance(value, int) and not isinstance(value, bool):
        found = username(value)
        return f"user {value}" if found is None else found
    return value
