"""Work items as JSON documents: what the interface has, with unsent changes, and names beside ids."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from backlit.model.dates import write_datetime
from backlit.store.records.entry_values import id_of
from backlit.store.records.item import Item
from backlit.store.records.people import TreeKind
from backlit.store.store import Store

_TREES = (("IterationID", TreeKind.ITERATIONS), ("AreaID", TreeKind.AREAS))


def item_documents(store: Store, items: Sequence[Item]) -> list[dict[str, Any]]:
    """Return whole JSON objects, with the project's name and the names of what the fields refer to."""
    projects = {each.id: each.name for each in store.lookups.projects()}
    return [
        document_of(item) | {"project": projects.get(item.project_id), "names": _names(store, item)} for item in items
    ]


def item_address(server: str, item: Item) -> str:
    """Return the address of an item at a server; empty without one, and for an item that it does not have yet."""
    return f"{server.rstrip('/')}/api/v1/workitems/{item.id}" if server and item.id > 0 else ""


def _names(store: Store, item: Item) -> dict[str, object]:
    lookups, found = store.lookups, dict[str, object]()
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
            parent = store.item(value)
            found[key] = {"name": parent.fields.get("Name")} if parent else None
    for key, kind in _TREES:
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
