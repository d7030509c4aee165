"""A work item of the store as the interface's JSON, and as values that a filter reads."""

from datetime import datetime
from typing import Any

from backlit.model.dates import write_datetime
from backlit.store.rows import Item


def document_of(item: Item) -> dict[str, Any]:
    """The JSON object of SPEC 2.1, with unsent changes in it; `sign` is there when there are any."""
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
    """The item's properties by their flat names."""
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
