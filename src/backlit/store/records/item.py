"""A work item as a list row, as a whole and as columns of the mirror."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import IntEnum
from functools import lru_cache
from math import inf
from typing import Any, NamedTuple

from msgspec import Struct

from backlit.model.amounts import item_counts, points_of
from backlit.model.dates import parse_datetime
from backlit.model.errors import BadRequest
from backlit.model.fields import FIELD_BY_KEY, SYNC_KEYS, ItemType, Section

LAST_ID = 2**63 - 1
"""The largest possible id."""
Document = dict[str, object]
"""A JSON object as the service sent it."""


class RowSign(IntEnum):
    """The sign of a row. An item's largest sign is shown.

    The last three belong to a plan and are never stored: other values, another iteration, and another user's change
    since.
    """

    NONE = 0
    PENDING = 1
    REFUSED = 2
    CONFLICT = 3
    ALTERED = 4
    PLANNED = 5
    CONTESTED = 6


class ItemRow(NamedTuple):
    """An item in a list. The caller resolves the names of people and places."""

    id: int
    type: str
    name: str
    status: str | None
    estimate: str | None
    owner_id: int | None
    iteration_id: int | None
    area_id: int | None
    parent_id: int | None
    """The item of a task, the Feature of another item."""
    sign: RowSign

    @property
    def is_task(self) -> bool:
        return self.type == "Task"


ROW_COLUMNS = "id, type, name, status, estimate, owner_id, iteration_id, area_id, parent_id, sign"


def row_of(values: Sequence[Any]) -> ItemRow:
    return ItemRow(*values[:9], RowSign(values[9]))  # type: ignore[call-arg] # a row has ten columns


def gone_row(item_id: int) -> ItemRow:
    """Return a placeholder for an item deleted after the view was read."""
    return ItemRow(item_id, "", "", None, None, None, None, None, None, RowSign.NONE)


class Item(Struct, frozen=True):
    """A whole item: `fields` with pending values laid over, `base` as last received."""

    id: int
    type: str
    project_id: int
    fields: Mapping[str, object]
    base: Mapping[str, object]
    created_by: str
    created_at: datetime | None
    last_modified_by: str
    last_modified_at: datetime | None
    sign: RowSign

    @property
    def name(self) -> str:
        return str(self.fields.get("Name") or "")

    @property
    def status(self) -> str:
        return str(self.fields.get("Status") or "")

    @property
    def is_synced(self) -> bool:
        """Report whether another tracker has the item too."""
        return any(self.fields.get(key) for key in SYNC_KEYS)


class FieldNews(Struct, frozen=True):
    """A field as the user last saw it, and its present value."""

    key: str
    before: object
    after: object


def item_of(document: Document, base: Document | None, sign: int) -> Item:
    """Return the item of a document. `base` is the received document, None if it is the same."""
    received = document if base is None else base
    return Item(
        id=id_in(document),
        type=str(document.get("type") or ""),
        project_id=id_in(document, "projectId"),
        fields=fields_in(document),
        base=fields_in(received),
        created_by=str(received.get("createdBy") or ""),
        created_at=moment(received.get("createdAt")),
        last_modified_by=str(received.get("lastModifiedBy") or ""),
        last_modified_at=moment(received.get("lastModifiedAt")),
        sign=RowSign(sign),
    )


def fields_in(document: Mapping[str, object]) -> dict[str, object]:
    """Return the property bag of an item's document, empty if a foreign server sends none."""
    fields = document.get("fields")
    return fields if isinstance(fields, dict) else {}


def is_item(document: Mapping[str, object], item_id: int) -> bool:
    """Report whether a response is the expected item. Proxies can fake a success."""
    return document.get("id") == item_id and isinstance(document.get("fields"), dict)


def number_of(item_id: int | None) -> str:
    """Return the number of an item as people write it; "new" until the service has given one."""
    return f"#{item_id}" if item_id is not None and item_id > 0 else "new"


def whole(value: object) -> int | None:
    return value if type(value) is int else None


def id_in(document: Mapping[str, object], key: str = "id") -> int:
    return whole(document.get(key)) or 0


def moment(value: object) -> datetime | None:
    """Read a server's DateTime. Invalid text gives None."""
    try:
        return parse_datetime(value) if isinstance(value, str) else None
    except BadRequest:
        return None


def is_news(known: Document | None, received: Document) -> bool:
    if known is None:
        return True
    before, now = moment(known.get("lastModifiedAt")), moment(received.get("lastModifiedAt"))
    return known != received and (before is None or now is None or now >= before)


COLUMNS = (
    "id",
    "project_id",
    "type",
    "name",
    "name_fold",
    "status",
    "own_open",
    "is_open",
    "is_excluded",
    "is_task",
    "estimate",
    "points",
    "work_remaining",
    "work_completed",
    "owner_id",
    "iteration_id",
    "area_id",
    "parent_id",
    "own_priority",
    "rank_priority",
    "rank_id",
    "sign",
    "team_id",
    "priority",
    "severity",
    "tags",
    "created_at",
    "modified_at",
)
"""The columns of the mirror's table of items, in the order of `columns_of`."""


def columns_of(
    document: Document, sign: RowSign, number: float | None = None, *, is_open: bool = True, is_excluded: bool = False
) -> tuple[object, ...]:
    """Derive the columns of an item without regard to a parent. Tasks get their item's rank and state later.

    `number` overrides the service's rank. Items without BacklogPriority come last. `is_open` and `is_excluded` follow
    from the status.
    """
    fields = fields_in(document)
    field, top = fields.get, document.get
    item_id = whole(top("id"))
    item_type = str(top("type") or "")
    name = str(field("Name") or "")
    status = text_of(field("Status"))
    estimate = text_of(field("Estimate"))
    own = priority_of(document) if number is None else number
    open_by_itself = int(is_open)
    return (
        item_id,
        whole(top("projectId")) or 0,
        item_type,
        name,
        name.casefold(),
        status,
        open_by_itself,
        open_by_itself,
        int(is_excluded),
        int(item_type == "Task"),
        estimate,
        _points_of(estimate),
        _number(field("WorkRemaining")),
        _number(field("WorkCompleted")),
        whole(field("AssignedToID")),
        whole(field("IterationID")),
        whole(field("AreaID")),
        whole(field("ParentID")),
        own,
        own,
        item_id,
        int(sign),
        whole(field("TeamID")),
        whole(field("Priority")),
        text_of(field("Severity")),
        _tags(field("Tags")),
        _instant(top("createdAt")),
        _instant(top("lastModifiedAt")),
    )


_points_of = lru_cache(maxsize=256)(points_of)


TAG_MARK = "\x1f"
"""The delimiter around each tag in the column of tags."""
_EPOCH = datetime(1970, 1, 1)


def microseconds(moment: datetime) -> int:
    since = moment - _EPOCH
    return (since.days * 86_400 + since.seconds) * 1_000_000 + since.microseconds


def _instant(value: object) -> int | None:
    found = moment(value)
    return None if found is None else microseconds(found)


def _tags(value: object) -> str | None:
    tags = [each for each in value if isinstance(each, str)] if value and isinstance(value, list) else []
    return f"{TAG_MARK}{TAG_MARK.join(tags)}{TAG_MARK}" if tags else None


def priority_of(document: Document) -> float:
    """Return the item's rank in the backlog, infinity without one."""
    value = _number(fields_in(document).get("BacklogPriority"))
    return inf if value is None else value


def _number(value: object) -> float | None:
    return value if type(value) is float else float(value) if type(value) is int else None


def text_of(value: object) -> str | None:
    return None if value is None else str(value)


def is_seen_by_customers(key: str) -> bool:
    """Report whether customers can see a field's value or its effect."""
    field = FIELD_BY_KEY.get(key)
    return field is not None and field.section is Section.PORTAL


def counted_types(types: Iterable[str]) -> str:
    every = list(types)
    tasks = every.count(ItemType.TASK)
    return item_counts(len(every) - tasks, tasks)
