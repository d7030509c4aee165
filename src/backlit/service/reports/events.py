"""Changes of items as reports read them, and what an item is between two of them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from backlit.model.amounts import points_of
from backlit.model.fields import UNCOUNTED_TYPES, ItemType
from backlit.model.statuses import StatusGroup
from backlit.service.tables.changes import ChangeAct

ARRIVALS = frozenset({ChangeAct.CREATED, ChangeAct.CAME})
DEPARTURES = frozenset({ChangeAct.REMOVED, ChangeAct.LEFT})


class ItemChange(Struct, frozen=True):
    """A change of an item: old and new value by key, all of them where it arrives or departs.

    `at` is UTC without a zone. `is_rename` marks a change of the name of a value, which is no change of the item.
    """

    revision: int
    at: datetime
    item_id: int
    act: ChangeAct
    fields: Mapping[str, tuple[Any, Any]]
    is_rename: bool = False


class ItemState(Struct, frozen=True):
    """What figures take from an item at one moment; its status has the group that it has now."""

    id: int
    type: str
    name: str
    status: str
    group: StatusGroup
    has_meaning: bool
    estimate: str
    points: float
    iteration_id: int | None
    team_id: int | None
    feature_id: int | None
    parent_id: int | None
    owner_id: int | None
    area_id: int | None
    hours: float
    hours_completed: float
    split_from: int | None
    created_at: datetime | None

    @property
    def is_task(self) -> bool:
        return self.type == ItemType.TASK

    @property
    def is_feature(self) -> bool:
        return self.type == ItemType.FEATURE

    @property
    def is_open(self) -> bool:
        return not (self.is_done or self.is_excluded)

    @property
    def is_done(self) -> bool:
        return self.group is StatusGroup.DONE

    @property
    def is_excluded(self) -> bool:
        return self.group is StatusGroup.EXCLUDED

    @property
    def may_count(self) -> bool:
        """True for a counted item, and for a Feature whether or not a counted item is below it."""
        return self.type not in UNCOUNTED_TYPES and not self.is_excluded


def item_state(item_id: int, values: Mapping[str, Any], group_of: Callable[[str], StatusGroup]) -> ItemState:
    """Read an item from its values by key, `type`, `createdAt` and `splitFrom` among them."""
    status, estimate = values.get("Status") or "", values.get("Estimate") or ""
    group = group_of(status)
    return ItemState(
        id=item_id,
        type=values["type"],
        name=values.get("Name") or "",
        status=status,
        # Work without a meaning never disappears from a scope.
        group=StatusGroup.NOT_STARTED if group is StatusGroup.UNKNOWN else group,
        has_meaning=group is not StatusGroup.UNKNOWN,
        estimate=estimate,
        points=points_of(estimate) or 0.0,
        iteration_id=values.get("IterationID"),
        team_id=values.get("TeamID"),
        feature_id=values.get("FeatureID"),
        parent_id=values.get("ParentID"),
        owner_id=values.get("AssignedToID"),
        area_id=values.get("AreaID"),
        hours=values.get("WorkRemaining") or 0.0,
        hours_completed=values.get("WorkCompleted") or 0.0,
        split_from=values.get("splitFrom"),
        created_at=values.get("createdAt"),
    )
