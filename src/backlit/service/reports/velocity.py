"""Velocity: the done work of the last closed sprints, or of rounds of parallel ones."""

from collections.abc import Iterator, Sequence
from statistics import median

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import VELOCITY_WINDOW, shares_round
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.service.reports.context import ReportContext
from backlit.service.reports.outcome import SprintOutcome, ever_had_items, outcome_of

COLUMNS = ("Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of")


class SprintRound(Struct, frozen=True):
    """Sprints that share one velocity, in order of their start."""

    outcomes: tuple[SprintOutcome, ...]

    @property
    def is_closed(self) -> bool:
        return all(outcome.is_closed for outcome in self.outcomes)

    @property
    def done(self) -> float:
        return sum(outcome.done for outcome in self.outcomes)


class VelocitySamples(Struct, frozen=True):
    """The samples of the window, the oldest first, with the rounds that they are sums of."""

    rounds: tuple[SprintRound, ...]

    @property
    def amounts(self) -> tuple[float, ...]:
        return tuple(each.done for each in self.rounds)

    @property
    def has_parallel(self) -> bool:
        return any(len(each.outcomes) > 1 for each in self.rounds)

    @property
    def mean(self) -> float | None:
        return sum(self.amounts) / len(self.amounts) if self.rounds else None

    @property
    def median(self) -> float | None:
        return median(self.amounts) if self.rounds else None

    @property
    def low(self) -> float | None:
        return min(self.amounts, default=None)

    @property
    def high(self) -> float | None:
        return max(self.amounts, default=None)


def rounds_of(outcomes: Sequence[SprintOutcome], *, for_team: bool) -> list[SprintRound]:
    """Gather outcomes in order of start; the sprints of one team are rounds of their own.

    Only the last round can take a sprint: what shares half of its days with an earlier one shares them with that too.
    """
    found: list[list[SprintOutcome]] = []
    for outcome in outcomes:
        if found and not for_team and shares_round(found[-1][0].iteration.span, outcome.iteration.span):
            found[-1].append(outcome)
        else:
            found.append([outcome])
    return [SprintRound(tuple(each)) for each in found]


def velocity_samples(context: ReportContext, iteration_id: int | None) -> VelocitySamples:
    """Return the samples of the sprints below an iteration, or of all."""
    outcomes = [outcome for outcome in _outcomes(context, iteration_id) if outcome.is_seen]
    rounds = rounds_of(outcomes, for_team=context.question.team_id is not None)
    return VelocitySamples(tuple([each for each in rounds if each.is_closed][-VELOCITY_WINDOW:]))


def _outcomes(context: ReportContext, iteration_id: int | None) -> list[SprintOutcome]:
    """Return those of the sprints that ever had a counted item, in order of their start."""
    sprints = context.tree.sprints(iteration_id)
    return [outcome_of(sprint, context) for sprint in sprints if ever_had_items(sprint, context)]


def velocity(context: ReportContext) -> ReportDocument:
    iteration_id = context.question.iteration_id
    begun = [outcome for outcome in _outcomes(context, iteration_id) if outcome.iteration.start <= context.today]
    samples = velocity_samples(context, iteration_id)
    summary: dict[str, CellValue] = {
        "mean": samples.mean,
        "median": samples.median,
        "low": samples.low,
        "high": samples.high,
        "sprints": len(samples.rounds),
    }
    rows = [_row(outcome, context) for outcome in begun]
    sampled = {outcome.iteration.id for each in samples.rounds for outcome in each.outcomes}
    details: list[dict[str, CellValue]] = [
        {"iteration": outcome.iteration.name, "samples": int(outcome.iteration.id in sampled)} for outcome in begun
    ]
    notes = _notes(context, begun, samples)
    return context.document(ReportName.VELOCITY, summary, COLUMNS, rows, notes, details=details)


def _row(outcome: SprintOutcome, context: ReportContext) -> tuple[CellValue, ...]:
    is_past = outcome.is_closed and outcome.is_seen
    return (
        outcome.iteration.name,
        outcome.committed,
        outcome.change,
        outcome.done,
        outcome.remaining,
        outcome.late,
        outcome.span.end_day if is_past else context.today,
    )


def _notes(context: ReportContext, begun: Sequence[SprintOutcome], samples: VelocitySamples) -> Iterator[str]:
    if not samples.rounds:
        yield "No velocity yet: no closed sprint."
    if samples.has_parallel:
        yield f"{counted(len(samples.rounds), 'round')} of parallel sprints."
    for outcome in begun:
        name = outcome.iteration.name
        if not outcome.is_seen:
            yield f"{name} ended before the history begins: its figures are those of now, and in no velocity."
        if outcome.late:
            yield f"{name}: {context.amount_text(outcome.late)} done after the end, in no velocity."
        if outcome.done_before:
            done = context.amount_text(context.amount(outcome.done_before))
            items = counted(len(outcome.done_before), "item")
            yield f"{name}: {items} ({done}) done before being moved here."
