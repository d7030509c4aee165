"""The history of a project's items: their state at each moment, and the changes between two."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cache, cached_property
from typing import Any, NamedTuple

from msgspec import Struct

from backlit.model.statuses import StatusGroups
from backlit.service.reports.events import ARRIVALS, DEPARTURES, ItemChange, ItemState, item_state
from backlit.service.tables.changes import ChangeAct

LAST_OF_MOMENT = 2**63


class Moment(NamedTuple):
    """A moment before which changes have happened; the revision tells apart changes of one millisecond."""

    at: datetime
    revision: int = 0


def now_moment(now: datetime) -> Moment:
    """Return the moment after every change up to now."""
    return Moment(now, LAST_OF_MOMENT)


class HistoryStep(Struct, frozen=True):
    """A change of an item, with its state before and after; None where it is not in the project."""

    moment: Moment
    item_id: int
    act: ChangeAct
    before: ItemState | None
    after: ItemState | None
    is_rename: bool


Items = Mapping[int, ItemState]


class ProjectState(Struct, frozen=True):
    """The items at one moment."""

    items: Items

    def counted(self) -> Iterator[ItemState]:
        """Return the counted items: a Feature only while no counted item is below it."""
        covered = covered_features(self.items)
        return (item for item in self.items.values() if is_counted(item, covered))


def is_counted(item: ItemState, covered: frozenset[int]) -> bool:
    return item.may_count and not (item.is_feature and item.id in covered)


def covered_features(items: Items) -> frozenset[int]:
    """Return the items with a counted one below them, of which the Features do not count."""
    covered: set[int] = set()
    for item in items.values():
        if item.feature_id is None or not item.may_count:
            continue
        feature_id: int | None = item.feature_id
        while feature_id is not None and feature_id not in covered:
            covered.add(feature_id)
            feature = items.get(feature_id)
            feature_id = None if feature is None else feature.feature_id
    return frozenset(covered)


class CountedChange(NamedTuple):
    """A counted item before and after a step; None while it does not count."""

    before: ItemState | None
    after: ItemState | None


class CountedWalk:
    """A walk over the steps after a state, which tells how each changes the counted items."""

    def __init__(self, state: ProjectState) -> None:
        self._items = dict(state.items)
        self._covered = covered_features(self._items)

    def counted(self) -> list[ItemState]:
        return [item for item in self._items.values() if self._counts(item)]

    def follow(self, step: HistoryStep) -> tuple[CountedChange, ...]:
        """Take a step; the change of its item comes first, then the Features that it covers or uncovers."""
        before = self._if_counted(step.before)
        _take(self._items, step)
        was_covered = self._covered
        if any(item is not None and item.feature_id is not None for item in (step.before, step.after)):
            self._covered = covered_features(self._items)
        own = CountedChange(before, self._if_counted(step.after))
        # Features that keep their place without a step of their own.
        others = sorted((was_covered ^ self._covered) - {step.item_id})
        found = [item for item_id in others if (item := self._items.get(item_id)) is not None]
        features = [item for item in found if item.is_feature and item.may_count]
        return (own, *(self._uncovered(feature) for feature in features))

    def _counts(self, item: ItemState) -> bool:
        return is_counted(item, self._covered)

    def _if_counted(self, item: ItemState | None) -> ItemState | None:
        return item if item is not None and self._counts(item) else None

    def _uncovered(self, feature: ItemState) -> CountedChange:
        return CountedChange(feature, None) if feature.id in self._covered else CountedChange(None, feature)


class ProjectHistory:
    """The items of a project, or some of them, over time.

    `since` is when the history begins; None: with the project. `baseline` holds the items as they were then, which is
    neither their creation nor a change of their status.
    """

    def __init__(self, since: datetime | None, baseline: Items, steps: Sequence[HistoryStep]) -> None:
        self.since = since
        self.baseline = baseline
        self.steps = steps

    def knows(self, moment: Moment) -> bool:
        return self.since is None or moment.at >= self.since

    def states(self, moments: Iterable[Moment]) -> Iterator[ProjectState]:
        """Return the state at each of some ordered moments: the items after all steps before it."""
        items, position = dict(self.baseline), 0
        for moment in moments:
            while position < len(self.steps) and self.steps[position].moment < moment:
                _take(items, self.steps[position])
                position += 1
            yield ProjectState(dict(items))

    def state(self, moment: Moment) -> ProjectState:
        return next(self.states((moment,)))

    def between(self, first: Moment, last: Moment) -> Iterator[HistoryStep]:
        return (step for step in self.steps if first <= step.moment < last)

    @cached_property
    def steps_by_item(self) -> Mapping[int, Sequence[HistoryStep]]:
        found: defaultdict[int, list[HistoryStep]] = defaultdict(list)
        for step in self.steps:
            found[step.item_id].append(step)
        return found


def _take(items: dict[int, ItemState], step: HistoryStep) -> None:
    if step.after is None:
        items.pop(step.item_id, None)
    else:
        items[step.item_id] = step.after


def history_of(
    present: Mapping[int, Mapping[str, Any]],
    events: Iterable[ItemChange],
    groups: StatusGroups,
    since: datetime | None = None,
) -> ProjectHistory:
    """Undo the events, the newest first, from the present values of the items by id."""
    return _Undoing(present, groups).history(events, since)


class _Undoing:
    """Values on their way back from now to the beginning of the history."""

    def __init__(self, present: Mapping[int, Mapping[str, Any]], groups: StatusGroups) -> None:
        self._values = {item_id: dict(values) for item_id, values in present.items()}
        self._group_of = cache(groups.of)
        self._renames: dict[tuple[str, str], str] = {}
        """Today's names of earlier statuses, by type: past and present have to agree on what a status means."""
        self._states = {item_id: self._state(item_id) for item_id in self._values}

    def history(self, events: Iterable[ItemChange], since: datetime | None) -> ProjectHistory:
        ordered = sorted(events, key=lambda event: event.revision)
        steps = [self._undo(event, at) for event, at in reversed(list(_with_growing_times(ordered)))]
        baseline = {item_id: state for item_id, state in self._states.items() if state is not None}
        return ProjectHistory(since, baseline, tuple(reversed(steps)))

    def _undo(self, event: ItemChange, at: datetime) -> HistoryStep:
        item_id = event.item_id
        after = self._states.get(item_id)
        if event.is_rename:
            self._remember_rename(event)
        if event.act in ARRIVALS:
            self._values.pop(item_id, None)
        elif event.act in DEPARTURES:
            self._values[item_id] = {key: old for key, (old, _) in event.fields.items()}
        else:
            self._values[item_id] |= {key: old for key, (old, _) in event.fields.items()}
        before = self._states[item_id] = self._state(item_id)
        return HistoryStep(Moment(at, event.revision), item_id, event.act, before, after, event.is_rename)

    def _remember_rename(self, event: ItemChange) -> None:
        old, new = event.fields.get("Status", (None, None))
        if old and new:
            item_type = self._values[event.item_id]["type"]
            self._renames[item_type, old] = self._renames.get((item_type, new), new)

    def _state(self, item_id: int) -> ItemState | None:
        values = self._values.get(item_id)
        if values is None:
            return None
        status = values.get("Status")
        if status and (name := self._renames.get((values["type"], status))):
            values = {**values, "Status": name}
        return item_state(item_id, values, self._group_of)


def _with_growing_times(events: Iterable[ItemChange]) -> Iterator[tuple[ItemChange, datetime]]:
    """Return each event with a time that is not before that of any earlier event.

    The stamps of one object always grow, so that one of two changes of a millisecond may be stamped a tick late.
    """
    last: datetime | None = None
    for event in events:
        last = event.at if last is None else max(last, event.at)
        yield event, last
