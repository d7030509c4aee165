"""Where a Status stands on the way from not started to done (SPEC 2.1 and 3)."""

from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType


class StatusGroup(StrEnum):
    """What every Status comes down to, whatever a project calls it."""

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
    """Place a Status, in any case; no Status counts as not started, a project's own as in progress."""
    if status is None:
        return StatusGroup.NOT_STARTED
    return _GROUP_BY_STATUS.get(status.strip().lower(), StatusGroup.IN_PROGRESS)


def is_open(status: str | None) -> bool:
    """Whether there is still something to do: neither done nor deferred nor deleted."""
    return group_of(status) not in _NOT_OPEN
