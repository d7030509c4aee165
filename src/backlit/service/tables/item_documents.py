"""A work item with its JSON document and its calculated fields."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import orjson

from backlit.model.dates import parse_datetime, write_datetime
from backlit.model.fields import FIELD_BY_KEY, Field

TASK_FIGURES = ("PertEstimate", "WorkRemaining", "WorkCompleted")
"""A task's fields that add to its parent's CalculatedEstimate."""

_EMPTY: Mapping[str, Any] = {"Description": "", "Tags": []}


@dataclass(frozen=True, slots=True)
class Item:
    """A work item; `values` has every key of its document, including calculated ones."""

    id: int
    type: str
    project_id: int
    values: Mapping[str, Any]
    created_by: str
    created_at: datetime
    last_modified_by: str
    last_modified_at: datetime

    def document(self, fields: Iterable[Field]) -> bytes:
        """Return the item's JSON document with the given fields."""
        values = self.values
        document = {
            "id": self.id,
            "type": self.type,
            "projectId": self.project_id,
            "fields": {f.key: values.get(f.key, _EMPTY.get(f.key)) for f in fields},
            "createdBy": self.created_by,
            "createdAt": write_datetime(self.created_at),
            "lastModifiedBy": self.last_modified_by,
            "lastModifiedAt": write_datetime(self.last_modified_at),
        }
        return orjson.dumps(document)


def item_of(document: bytes) -> Item:
    """Read an item back from its own document."""
    read = orjson.loads(document)
    return Item(
        read["id"],
        read["type"],
        read["projectId"],
        read["fields"],
        read["createdBy"],
        parse_datetime(read["createdAt"]),
        read["lastModifiedBy"],
        parse_datetime(read["lastModifiedAt"]),
    )


def columns_of(values: Mapping[str, Any]) -> dict[str, Any]:
    """Map values by key to the typed columns; custom fields share the column `cf`."""
    columns = {FIELD_BY_KEY[key].column: value for key, value in values.items() if key in FIELD_BY_KEY}
    custom = {key: value for key, value in values.items() if key not in FIELD_BY_KEY and value is not None}
    return columns | {"cf": custom or None}


def pert(values: Mapping[str, Any]) -> float | None:
    """Return the PERT estimate of a task; None unless all three estimates are set."""
    optimistic, probable, pessimistic = (values.get(f"Estimate{x}") for x in ("Optimistic", "Probable", "Pessimistic"))
    if optimistic is None or probable is None or pessimistic is None:
        return None
    return float((optimistic + 4 * probable + pessimistic) / 6)


def calculated(tasks: Iterable[tuple[float | None, float | None, float | None]]) -> float | None:
    """Return the sum over tasks, by PERT estimate or else by work; None without tasks."""
    sums = [(done or 0.0) + (left or 0.0) if estimate is None else estimate for estimate, left, done in tasks]
    return sum(sums) if sums else None
