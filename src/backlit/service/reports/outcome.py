"""The outcome of a sprint: committed, done, spill-over, rolled over, late and change."""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from backlit.service.reports.context import ItemSelection, ReportContext
from backlit.service.reports.events import ItemState
from backlit.service.reports.history import CountedWalk, HistoryStep, Moment
from backlit.service.reports.iterations import ReportedIteration, SprintSpan, span_of
from backlit.service.tables.changes import ChangeAct


class SprintOutcome(Struct, frozen=True):
    """The figures of one sprint in the unit of its report.

    `remaining` is the spill-over of a closed sprint. `is_seen` is False where the history begins after the end: then
    the figures are those of now.
    """

    iteration: ReportedIteration
    span: SprintSpan
    is_closed: bool
    is_seen: bool
    committed: float | None
    done: float
    remaining: float
    late: float
    done_before: Sequence[ItemState] = ()
    """Items that were done before they were moved into the sprint."""

    @property
    def change(self) -> float | None:
        return None if self.committed is None else self.done + self.remaining - self.committed


def outcome_of(iteration: ReportedIteration, context: ReportContext) -> SprintOutcome:
    return _SprintReading(iteration, context).outcome()


def ever_had_items(iteration: ReportedIteration, context: ReportContext) -> bool:
    """Return True for a sprint that had a counted item at its commitment, its end, or between the two."""
    return _SprintReading(iteration, context).ever_had_items()


class _SprintReading:
    """The states and steps of the history that the figures of one sprint are made of."""

    def __init__(self, iteration: ReportedIteration, context: ReportContext) -> None:
        self._iteration = iteration
        self._context = context
        self._history = context.history
        self._span = span_of(iteration, context.calendar)
        self._selection = context.selection_of(iteration)
        self._is_closed = self._span.is_closed(context.now)
        self._is_seen = self._history.knows(min(self._span.end, context.now))
        self._end = self._span.end if self._is_closed and self._is_seen else context.now

    def outcome(self) -> SprintOutcome:
        at_end = self._counted(self._end)
        done = [item for item in at_end if item.is_done]
        remaining = [item for item in at_end if not item.is_done]
        late: list[ItemState] = []
        if self._is_closed and self._is_seen:
            parts = [*self._parts_after_end()]
            late = [*self._late(remaining)]
            done, remaining = (
                [*done, *parts],
                [*remaining, *rolled_over(self._context, self._selection, self._iteration)],
            )
            left = self._amount(remaining) - self._amount(parts)
        else:
            left = self._amount(remaining)
        return SprintOutcome(
            iteration=self._iteration,
            span=self._span,
            is_closed=self._is_closed,
            is_seen=self._is_seen,
            committed=self._committed(),
            done=self._amount(done),
            remaining=left,
            late=self._amount(late),
            done_before=[item for item in at_end if item.is_done and self._was_done_before(item)],
        )

    def ever_had_items(self) -> bool:
        first = min(self._span.commitment, self._end)
        walk = CountedWalk(self._history.state(first))
        if any(self._selection.has(item) for item in walk.counted()):
            return True
        changes = (change for step in self._history.between(first, self._end) for change in walk.follow(step))
        return any(self._selection.has(change.after) for change in changes)

    def _amount(self, items: Sequence[ItemState]) -> float:
        return self._context.amount(items)

    def _counted(self, moment: Moment) -> list[ItemState]:
        return self._selection.counted(self._history.state(moment))

    def _committed(self) -> float | None:
        moment = min(self._span.commitment, self._context.now)
        return self._amount(self._counted(moment)) if self._history.knows(moment) else None

    def _parts_after_end(self) -> Iterator[ItemState]:
        """Return the done parts that the rollover made after the end, as they were made."""
        for step in self._history.between(self._end, self._context.now):
            part = step.after
            if part is not None and is_part(step) and part.is_done and self._selection.has(part):
                yield part

    def _late(self, remaining: Sequence[ItemState]) -> Iterator[ItemState]:
        wanted = {item.id for item in remaining}
        return (item for item in self._selection.counted(self._context.present) if item.id in wanted and item.is_done)

    def _was_done_before(self, item: ItemState) -> bool:
        """Return True for an item that was done when it last came into the sprint from another."""
        for step in reversed(self._history.steps_by_item.get(item.id, ())):
            if step.moment >= self._end:
                continue
            is_in = step.after is not None and self._selection.covers(step.after.iteration_id)
            was_in = step.before is not None and self._selection.covers(step.before.iteration_id)
            if is_in and not was_in:
                return step.before is not None and step.before.is_done
        return False


def is_part(step: HistoryStep) -> bool:
    """Return True for the creation of the done part of an item that was split."""
    return step.act is ChangeAct.CREATED and step.after is not None and step.after.split_from is not None


def rolled_over(
    context: ReportContext, selection: ItemSelection, iteration: ReportedIteration
) -> tuple[ItemState, ...]:
    """Return the unfinished items that were moved to a later sprint between the last working day and the end.

    Each stands once, as it was after its last such move; what is back at the end stands there.
    """
    span = span_of(iteration, context.calendar)
    walk = CountedWalk(context.history.state(span.last_day))
    moved: dict[int, ItemState] = {}
    end = min(span.end, context.now)
    for step in context.history.between(span.last_day, end):
        own, *_ = walk.follow(step)
        if own.before is None or own.after is None or own.before.is_done or own.after.is_done:
            continue
        goal = context.tree.get(own.after.iteration_id)
        is_later = goal is not None and context.tree.is_sprint(goal) and goal.start > iteration.start
        if is_later and selection.has(own.before) and not selection.covers(own.after.iteration_id):
            moved[own.after.id] = own.after
    at_end = context.history.state(end).items
    return tuple(
        item
        for item in moved.values()
        if (last := at_end.get(item.id)) is None or not selection.covers(last.iteration_id)
    )


def carried_over(context: ReportContext) -> str:
    """Return the amount that was moved from a sprint into a later one at its end; empty without any."""
    if context.iteration is None or not context.tree.is_sprint(context.iteration):
        return ""
    moved = rolled_over(context, context.selection, context.iteration)
    return context.amount_text(context.amount(moved)) if moved else ""


def carried_over_notes(context: ReportContext) -> Sequence[str]:
    """Return what the work of a sprint no longer has, as it went on to a later one."""
    amount = carried_over(context)
    return [f"{amount} carried over into a later sprint at the end."] if amount else []
