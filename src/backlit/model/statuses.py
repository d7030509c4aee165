"""Groups of statuses, from not started to done."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class StatusGroup(StrEnum):
    """The common groups of all projects' statuses."""

    NOT_STARTED = "not started"
    IN_PROGRESS = "in progress"
    READY_FOR_TEST = "ready for test"
    DONE = "done"
    EXCLUDED = "excluded"


_GROUP_BY_STATUS: Mapping[str, StatusGroup] = MappingProxyType(
    {
        "not done": StatusGroup.NOT_STARTED,
        "active": StatusGroup.IN_PROGRESS,
        "in progress": StatusGroup.IN_PROGRESS,
        "ready for test": StatusGroup.READY_FOR_TEST,
        "done": StatusGroup.DONE,
        "closed": StatusGroup.DONE,
        "deferred": StatusGroup.EXCLUDED,
        "deleted": StatusGroup.EXCLUDED,
    }
)

_NOT_OPEN = frozenset({StatusGroup.DONE, StatusGroup.EXCLUDED})


def group_of(status: str | None) -> StatusGroup:
    """Return the group of a Status in any case; None is not started, an unknown one in progress."""
    if status is None:
        return StatusGroup.NOT_STARTED
    return _GROUP_BY_STATUS.get(status.strip().lower(), StatusGroup.IN_PROGRESS)


def is_open(status: str | None) -> bool:
    """Return True for a Status that is not done, deferred or deleted."""
    return group_of(status) not in _NOT_OPEN
