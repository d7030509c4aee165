"""Groups of statuses, from not started to done."""

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType


class StatusGroup(StrEnum):
    """The common groups of all projects' statuses."""

    NOT_STARTED = "not started"
    IN_PROGRESS = "in progress"
    READY_FOR_TEST = "ready for test"
    DONE = "done"
    EXCLUDED = "excluded"
    UNKNOWN = "unknown"
    """The group of a status that nothing explains. Its items are open, and count as not started in reports."""


CONFIGURABLE = tuple(group for group in StatusGroup if group is not StatusGroup.UNKNOWN)
"""The groups that a setting may name."""

_NAMES: Mapping[StatusGroup, Sequence[str]] = {
    StatusGroup.NOT_STARTED: (
        *("not done", "not started", "unstarted", "new", "open", "reopened", "to do", "todo", "backlog", "idea"),
        *("proposed", "planned", "specified", "approved", "ready", "ready for development", "ready to start"),
    ),
    StatusGroup.IN_PROGRESS: (
        *("active", "in progress", "started", "doing", "in work", "working", "in development", "developing"),
        *("implementing", "review", "in review", "code review", "in code review"),
    ),
    StatusGroup.READY_FOR_TEST: (
        *("ready for test", "ready for testing", "ready to test", "test", "in test", "testing", "qa", "in qa"),
        *("ready for qa", "verifying", "in verification", "acceptance"),
    ),
    StatusGroup.DONE: (
        *("done", "closed", "complete", "completed", "finished", "resolved", "fixed", "verified", "released"),
        *("deployed", "shipped", "delivered"),
    ),
    StatusGroup.EXCLUDED: (
        *("deferred", "deleted", "postponed", "removed", "rejected", "cancelled", "canceled", "duplicate"),
        *("obsolete", "won't do", "won't fix", "wontfix"),
    ),
}
_GROUP_BY_NAME: Mapping[str, StatusGroup] = MappingProxyType(
    {name: group for group, names in _NAMES.items() for name in names}
)
_DEFAULT_LABELS: Mapping[str, str] = {"Not Done": "Not done", "In Progress": "In progress", "Ready For Test": "Testing"}
STARTED_GROUPS = frozenset({StatusGroup.IN_PROGRESS, StatusGroup.READY_FOR_TEST})
_NOT_OPEN = frozenset({StatusGroup.DONE, StatusGroup.EXCLUDED})
_COURSE = (StatusGroup.NOT_STARTED, StatusGroup.IN_PROGRESS, StatusGroup.READY_FOR_TEST, StatusGroup.DONE)


class StatusGroups:
    """The groups of a project's statuses: configured, or guessed from the name or from the place in a list.

    `lists` holds each type's statuses in the project's order.
    """

    __slots__ = ("_groups",)

    def __init__(
        self, configured: Mapping[str, StatusGroup] | None = None, lists: Iterable[Sequence[str]] = ()
    ) -> None:
        self._groups = {_folded(status): group for status, group in (configured or {}).items()}
        named = dict(self._groups)
        for statuses in lists:
            found = [named.get(_folded(each)) or _by_name(each) for each in statuses]
            for at, status in enumerate(statuses):
                self._groups.setdefault(_folded(status), found[at] or _by_place(found, at))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, StatusGroups) and self._groups == other._groups

    def __hash__(self) -> int:
        return hash(frozenset(self._groups.items()))

    def of(self, status: str | None) -> StatusGroup:
        """Return the group of a status in any case. An item without a status is not started."""
        if not status:
            return StatusGroup.NOT_STARTED
        return self._groups.get(_folded(status)) or _by_name(status) or StatusGroup.UNKNOWN

    def is_open(self, status: str | None) -> bool:
        """Return True for a status that is neither done nor excluded."""
        return self.of(status) not in _NOT_OPEN

    def first(self, statuses: Iterable[str], group: StatusGroup) -> str | None:
        return next((each for each in statuses if self.of(each) is group), None)


def status_word(status: str | None) -> str:
    return _DEFAULT_LABELS.get(status or "", status or "")


@lru_cache(maxsize=1024)  # asked for each row that is drawn
def _folded(status: str) -> str:
    return " ".join(status.casefold().replace("_", " ").replace("-", " ").split())


def _by_name(status: str) -> StatusGroup | None:
    return _GROUP_BY_NAME.get(_folded(status))


def _by_place(found: Sequence[StatusGroup | None], at: int) -> StatusGroup:
    """Guess from the nearest known groups before and after. Work begins with the first status in progress."""
    before = next((each for each in reversed(found[:at]) if each in _COURSE), None)
    after = next((each for each in found[at + 1 :] if each in _COURSE), None)
    match before, after:
        case ((None | StatusGroup.NOT_STARTED), (StatusGroup.NOT_STARTED | StatusGroup.IN_PROGRESS)):
            return StatusGroup.NOT_STARTED
        case StatusGroup.NOT_STARTED, (StatusGroup.READY_FOR_TEST | StatusGroup.DONE):
            return StatusGroup.IN_PROGRESS
        case ((StatusGroup.IN_PROGRESS | StatusGroup.READY_FOR_TEST), StatusGroup()):
            return before
    return StatusGroup.UNKNOWN
