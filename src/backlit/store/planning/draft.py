"""Plan draft: planned values, the values they started from, and their comparison with the current ones."""

from collections.abc import Callable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from backlit.store.records.entry import ITEM_PLACES
from backlit.store.records.merge import is_same

PLANNED = ("IterationID", "Estimate", "AssignedToID")
"""The planned fields. All other fields change at once."""
MOST_STEPS = 100
"""The most undoable steps of a draft."""

Values = Mapping[str, object]


class PlannedValue(Struct, frozen=True):
    """A field in a draft: its value at planning time and its planned value."""

    base: object
    mine: object


Touches = Mapping[int, Mapping[str, PlannedValue]]
"""By item and field."""


class DraftStep(Struct, frozen=True):
    """The earlier plan of the items that a step touched, and the journal's last act before it; None where unknown."""

    before: Touches
    act: int | None = None


class ContestedValue(Struct, frozen=True):
    """A planned value of a field that another user changed since."""

    touch: PlannedValue
    theirs: object


class PlanState(Struct, frozen=True):
    """The comparison of a draft with the current values.

    `changes` is the effective plan. `contests` holds fields that other users changed since: their values win until
    the field is planned again. `gone` are deleted items. A planned value that has come true is left out.
    """

    changes: Mapping[int, Values] = field(default_factory=dict)
    contests: Mapping[int, Mapping[str, ContestedValue]] = field(default_factory=dict)
    gone: frozenset[int] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.changes or self.contests or self.gone)


class PlanDraft(Struct, frozen=True):
    """An unsaved plan. Each change returns a new draft.

    `past` and `future` hold the undoable and the redoable steps, the next one last. `target` is the planned iteration,
    `step` the journal's step of the last save, `act` its last act while the draft is changed.
    """

    items: Touches = field(default_factory=dict)
    past: tuple[DraftStep, ...] = ()
    future: tuple[DraftStep, ...] = ()
    target: int | None = None
    step: int | None = None
    act: int | None = None

    def stage(self, changes: Mapping[int, Values], now: Mapping[int, Values]) -> "PlanDraft":
        """Plan values for items. `now` holds the current values, which the plan starts from.

        Values equal to the current ones are not planned.
        """
        staged = {}
        for item_id, values in changes.items():
            touches = dict(self.items.get(item_id, {}))
            for key, mine in values.items():
                base = now[item_id].get(key)
                touches.pop(key, None)
                if not is_same(base, mine):
                    touches[key] = PlannedValue(base, mine)
            staged[item_id] = touches
        return self._changed(staged)

    def drop(self, keys_of: Mapping[int, tuple[str, ...]]) -> "PlanDraft":
        kept = {
            item_id: {key: touch for key, touch in self.items.get(item_id, {}).items() if key not in keys}
            for item_id, keys in keys_of.items()
        }
        return self._changed(kept)

    def _changed(self, touches: Touches) -> "PlanDraft":
        step = self._step_to(touches, self.act)
        if step.before == touches:
            return self
        return replace(self, items=_with(self.items, touches), past=(*self.past, step)[-MOST_STEPS:], future=())

    def _step_to(self, touches: Touches, act: int | None) -> DraftStep:
        return DraftStep({item_id: self.items.get(item_id, {}) for item_id in touches}, act)

    def undone(self) -> "PlanDraft":
        *past, step = self.past
        future = (*self.future, self._step_to(step.before, step.act))
        return replace(self, items=_with(self.items, step.before), past=tuple(past), future=future)

    def redone(self) -> "PlanDraft":
        *future, step = self.future
        past = (*self.past, self._step_to(step.before, step.act))
        return replace(self, items=_with(self.items, step.before), past=past, future=tuple(future))

    def emptied(self) -> "PlanDraft":
        return self._changed({item_id: {} for item_id in self.items})

    def written(self, done: Mapping[int, tuple[str, ...]], step: int | None) -> "PlanDraft":
        """Remove saved items from the draft. Their steps belong to the journal from then on."""
        kept = {
            item_id: {key: touch for key, touch in self.items.get(item_id, {}).items() if key not in keys}
            for item_id, keys in done.items()
        }
        return PlanDraft(_with(self.items, kept), (), (), self.target, self.step if step is None else step)

    def compared(self, now: Mapping[int, Values]) -> PlanState:
        """Compare the draft with the current values. Items missing from `now` are gone."""
        changes: dict[int, Values] = {}
        contests: dict[int, dict[str, ContestedValue]] = {}
        for item_id, touches in self.items.items():
            if item_id not in now:
                continue
            values = {}
            for key, touch in touches.items():
                theirs = now[item_id].get(key)
                if is_same(theirs, touch.base):
                    values[key] = touch.mine
                elif not is_same(theirs, touch.mine):
                    contests.setdefault(item_id, {})[key] = ContestedValue(touch, theirs)
            if values:
                changes[item_id] = values
        return PlanState(changes, contests, frozenset(self.items.keys() - now.keys()))

    def renamed(self, real_id: Callable[[int], int]) -> "PlanDraft":
        return PlanDraft(
            _renamed(self.items, real_id),
            tuple(replace(each, before=_renamed(each.before, real_id)) for each in self.past),
            tuple(replace(each, before=_renamed(each.before, real_id)) for each in self.future),
            None if self.target is None else real_id(self.target),
            self.step,
        )

    @property
    def document(self) -> dict[str, object]:
        return {
            "items": _written(self.items),
            "past": [[each.act, _written(each.before)] for each in self.past],
            "future": [[each.act, _written(each.before)] for each in self.future],
            "target": self.target,
            "step": self.step,
        }


def _with(items: Touches, changed: Touches) -> Touches:
    return {item_id: touches for item_id, touches in {**items, **changed}.items() if touches}


def _renamed(items: Touches, real_id: Callable[[int], int]) -> Touches:
    return {
        real_id(item_id): {
            key: PlannedValue(_place(key, touch.base, real_id), _place(key, touch.mine, real_id))
            for key, touch in touches.items()
        }
        for item_id, touches in items.items()
    }


def _place(key: str, value: object, real_id: Callable[[int], int]) -> object:
    return real_id(value) if key in ITEM_PLACES and isinstance(value, int) else value


# As it is kept


def draft_of(document: Mapping[str, object] | None) -> PlanDraft:
    found = document or {}
    target, step = found.get("target"), found.get("step")
    return PlanDraft(
        _read(found.get("items")),
        _steps_read(found.get("past")),
        _steps_read(found.get("future")),
        target if isinstance(target, int) else None,
        step if isinstance(step, int) else None,
    )


def _written(items: Touches) -> dict[str, object]:
    return {
        str(item_id): {key: [touch.base, touch.mine] for key, touch in touches.items()}
        for item_id, touches in items.items()
    }


def _read(items: object) -> Touches:
    found = items if isinstance(items, dict) else {}
    return {
        int(item_id): {key: PlannedValue(*pair) for key, pair in touches.items()} for item_id, touches in found.items()
    }


def _steps_read(steps: object) -> tuple[DraftStep, ...]:
    """Read steps; those of earlier versions have no act."""
    found = steps if isinstance(steps, list) else []
    pairs = (each if isinstance(each, list) else (None, each) for each in found)
    return tuple(DraftStep(_read(before), act) for act, before in pairs)
