"""Work items as rows of listings and as JSON documents, with names beside ids."""

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from backlit.cli.listing import Column, Row
from backlit.cli.option_values import NEW
from backlit.model.amounts import points_of
from backlit.model.dates import write_datetime
from backlit.model.fields import FIELDS
from backlit.store.records.entry import TEMPORARY_IDS
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

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
    "ownerId": ("Owner ID", "AssignedToID"),
    "iterId": ("Iteration ID", "IterationID"),
    "areaId": ("Area ID", "AreaID"),
    "teamId": ("Team ID", "TeamID"),
}
"""The names of columns beside the keys of fields: heading, and the field that the value is of."""
USUAL = ("id", "type", "status", "est", "owner", "name")
_RIGHT = frozenset({"id", "est", "priority", "left", "spent", "parent"})
_TREES = {"iter": TreeKind.ITERATIONS, "area": TreeKind.AREAS}


def id_of(item_id: int) -> int | str:
    """Return an item's number, or what stands for it until the server gives one."""
    return item_id if item_id > 0 else f"{NEW}{item_id - TEMPORARY_IDS}"


class ItemFields:
    """The columns of items and their values."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._keys = [field.key for field in (*FIELDS, *store.lookups.custom_fields())]

    def columns(self) -> list[Column]:
        """Return all columns; the usual ones first, in their order."""
        short = [Column(name, SHORT_NAMES[name][0], name in _RIGHT) for name in USUAL]
        more = [Column(name, told[0], name in _RIGHT, False) for name, told in SHORT_NAMES.items() if name not in USUAL]
        taken = {name.lower() for name in SHORT_NAMES}
        return [*short, *more, *(Column(key, key, is_usual=False) for key in self._keys if key.lower() not in taken)]

    def rows(self, items: Sequence[Item], columns: Iterable[Column]) -> list[Row]:
        names = [each.name for each in columns]
        if "owner" in names:
            asyncio.run(self._load_owners(items))
        unready = self._store.cells.values([item.id for item in items], ["lint"]) if "lint" in names else {}
        return [{name: self._value(item, name, unready) for name in names} for item in items]

    async def _load_owners(self, items: Iterable[Item]) -> None:
        await self._store.everybody.load_users(item.fields.get("AssignedToID") for item in items)

    def _value(self, item: Item, name: str, unready: Mapping[int, Mapping[str, object]]) -> object:
        match name:
            case "id":
                return id_of(item.id)
            case "type":
                return item.type
            case "created":
                return item.created_at
            case "changed":
                return item.last_modified_at
            case "by":
                return item.created_by
            case "unsent":
                return item.sign.name.lower() if item.sign else None
            case "lint":
                return unready.get(item.id, {}).get("lint")
            case "est":
                estimate = item.fields.get("Estimate")
                points = points_of(estimate) if isinstance(estimate, str) else None
                return estimate if points is None else _whole(points)
        key = SHORT_NAMES[name][1] if name in SHORT_NAMES else name
        value = item.fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return self._name(name, value)
        return value

    def _name(self, name: str, value: int) -> object:
        lookups = self._store.lookups
        if name == "owner":
            person = lookups.known_people().get(value)
            return person.username if person else f"user {value}"
        if name == "team":
            return lookups.teams().get(value) or f"team {value}"
        if name in _TREES:
            tree = lookups.tree(_TREES[name])
            return tree.path(value) if value in tree else str(value)
        return id_of(value) if name == "parent" else value

    def documents(self, items: Sequence[Item]) -> list[dict[str, Any]]:
        """Return whole JSON objects, with the project's name and the names of what the fields refer to."""
        projects = {each.id: each.name for each in self._store.lookups.projects()}
        return [
            document_of(item) | {"project": projects.get(item.project_id), "names": self._names(item)} for item in items
        ]

    def _names(self, item: Item) -> dict[str, object]:
        lookups, found = self._store.lookups, dict[str, object]()
        for key in ("AssignedToID", "TeamID", "ParentID"):
            value = item.fields.get(key)
            if not isinstance(value, int):
                continue
            if key == "AssignedToID":
                person = lookups.known_people().get(value)
                found[key] = {"user": person.username, "name": person.display_name} if person else None
            elif key == "TeamID":
                found[key] = {"name": name} if (name := lookups.teams().get(value)) else None
            else:
                parent = self._store.item(value)
                found[key] = {"name": parent.fields.get("Name")} if parent else None
        for key, kind in (("IterationID", TreeKind.ITERATIONS), ("AreaID", TreeKind.AREAS)):
            value, tree = item.fields.get(key), lookups.tree(kind)
            if isinstance(value, int):
                is_known = value in tree
                path = tree.path(value) if is_known else ""
                found[key] = {"name": path.rpartition("\\")[2], "path": path} if is_known else None
        return found


def document_of(item: Item) -> dict[str, Any]:
    """Return an item's JSON object with its unsent changes; `sign` marks an item that has any."""
    document: dict[str, Any] = {
        "id": item.id if item.id > 0 else None,
        "type": item.type,
        "projectId": item.project_id,
        "fields": dict(item.fields),
        "createdBy": item.created_by,
        "createdAt": _moment(item.created_at),
        "lastModifiedBy": item.last_modified_by,
        "lastModifiedAt": _moment(item.last_modified_at),
    }
    local = {} if item.id > 0 else {"local": id_of(item.id)}
    return document | local | ({"unsent": item.sign.name.lower()} if item.sign else {})


def _moment(moment: datetime | None) -> str | None:
    return None if moment is None else write_datetime(moment)


def _whole(number: float) -> float | int:
    return int(number) if number.is_integer() else number
