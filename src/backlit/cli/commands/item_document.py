"""Work items of the store as JSON documents and as filter values."""

from datetime import datetime
from typing import Any

from backlit.model.dates import write_datetime
from backlit.store.records.item import Item


def document_of(item: Item) -> dict[str, Any]:
    """Return an item's JSON object with its unsent changes; `sign` marks an item that has any."""
    document: dict[str, Any] = {
        "id": item.id,
        "type": item.type,
        "projectId": item.project_id,
        "fields": dict(item.fields),
        "createdBy": item.created_by,
        "createdAt": _text(item.created_at),
        "lastModifiedBy": item.last_modified_by,
        "lastModifiedAt": _text(item.last_modified_at),
    }
    return document | ({"unsent": item.sign.name.lower()} if item.sign else {})


def values_of(item: Item) -> dict[str, object]:
    """Return the item's properties by their flat names."""
    return {
        **item.fields,
        "id": item.id,
        "type": item.type,
        "projectId": item.project_id,
        "createdBy": item.created_by,
        "createdAt": item.created_at,
        "lastModifiedBy": item.last_modified_by,
        "lastModifiedAt": item.last_modified_at,
    }


def _text(moment: datetime | None) -> str | None:
    return None if moment is None else write_datetime(moment)
