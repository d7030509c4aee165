"""Forecast: how much a sprint will bring, and how many sprints the remaining work will take."""

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date
from fractions import Fraction
from statistics import median, multimode

from msgspec import Struct

from backlit.model.amounts import counted
from backlit.model.planning import MIN_FORECAST_SAMPLES, shares_round
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportName
from backlit.model.working_days import DAY
from backlit.service.reports.context import ReportContext
from backlit.service.reports.iterations import ReportedIteration
from backlit.service.reports.outcome import ever_had_items
from backlit.service.reports.velocity import velocity_samples

MAX_FORECAST_SPRINTS = 200
"""Eight years of sprints of two weeks; a later end is none that anybody plans with."""
CONFIDENCES = (50, 85)
DEFAULT_SPRINT_DAYS = 14
COLUMNS = ("Confidence", "Points", "Sprints", "Ends")


def reached_amount(samples: Sequence[float], confidence: int) -> float:
    """Return the largest amount that at least so many per cent of the samples reach."""
    highest_first = sorted(samples, reverse=True)
    return highest_first[-(-confidence * len(samples) // 100) - 1]


def sprints_needed(samples: Sequence[float], remaining: float, confidences: Sequence[int]) -> list[int | None]:
    """Return the smallest numbers of draws whose sum reaches the remaining work with a probability of so many per cent.

    The distribution is the convolution of the samples in whole numbers, so that everybody gets the same one. None:
    more draws than `MAX_FORECAST_SPRINTS`.
    """
    goal = Fraction(str(remaining))
    draws = Counter(Fraction(str(sample)) for sample in samples)
    found: dict[int, int] = {}
    # The number of ways to each sum that does not reach the goal yet.
    ways = {Fraction(0): 1} if goal > 0 else {}
    for sprints in range(MAX_FORECAST_SPRINTS + 1):
        missed, every = sum(ways.values()), len(samples) ** sprints
        for confidence in confidences:
            if 100 * (every - missed) >= confidence * every:
                found.setdefault(confidence, sprints)
        if len(found) == len(confidences):
            break
        ways = _with_one_more(ways, draws, goal)
    return [found.get(confidence) for confidence in confidences]


def _with_one_more(ways: dict[Fraction, int], draws: Counter[Fraction], goal: Fraction) -> dict[Fraction, int]:
    sums: Counter[Fraction] = Counter()
    for amount, count in ways.items():
        for sample, times in draws.items():
            if amount + sample < goal:
                sums[amount + sample] += count * times
    return dict(sums)


class PlannedRound(Struct, frozen=True):
    """Sprints that run together, of which at least one is not closed yet."""

    sprints: tuple[ReportedIteration, ...]

    @property
    def end(self) -> date:
        return max(sprint.end for sprint in self.sprints)

    @property
    def max_capacity(self) -> float | None:
        """The sum of the maxima; None where one is not set."""
        maxima = [sprint.max_capacity for sprint in self.sprints if sprint.max_capacity]
        return sum(maxima) if len(maxima) == len(self.sprints) else None


def planned_rounds(context: ReportContext) -> list[PlannedRound]:
    """Return the rounds of sprints that are not closed yet; those of a team leave out what is only of others."""
    rounds: list[list[ReportedIteration]] = []
    for sprint in context.tree.sprints():
        if not (ever_had_items(sprint, context) or _is_free(sprint, context)):
            continue
        if rounds and context.question.team_id is None and shares_round(rounds[-1][0].span, sprint.span):
            rounds[-1].append(sprint)
        else:
            rounds.append([sprint])
    return [PlannedRound(tuple(each)) for each in rounds if not all(map(context.is_closed, each))]


def _is_free(sprint: ReportedIteration, context: ReportContext) -> bool:
    """Return True for a sprint to come in which nobody has planned anything."""
    covered = context.tree.coverage(sprint.id)
    is_empty = not any(item.iteration_id in covered for item in context.present.counted())
    return is_empty and not context.is_closed(sprint)


def capacity_limit(rounds: Sequence[PlannedRound]) -> float | None:
    """Return the maximum of the current sprint, else of the next one that has one; None cuts nothing."""
    return next((each.max_capacity for each in rounds if each.max_capacity), None)


def end_of_round(context: ReportContext, rounds: Sequence[PlannedRound], number: int) -> date:
    """Return the last day of the so-manyth round from now on; beyond the planned ones each has the usual length."""
    if number <= len(rounds):
        return rounds[number - 1].end
    sprints = list(context.tree.sprints())
    lengths = multimode(sprint.days for sprint in sprints)
    usual = context.default_length or DEFAULT_SPRINT_DAYS
    days = usual if not lengths or usual in lengths else lengths[-1]
    last = max([context.today - DAY, *(sprint.end for sprint in sprints)])
    return last + DAY * days * (number - len(rounds))


def forecast(context: ReportContext) -> ReportDocument:
    """Answer with a team's samples from everywhere, also for the remaining work of a release."""
    remaining = context.amount(item for item in context.selection.counted(context.present) if not item.is_done)
    samples = velocity_samples(context, None).amounts
    rounds = planned_rounds(context)
    limit = capacity_limit(rounds)
    cut = [sample if limit is None else min(sample, limit) for sample in samples]
    sprints: list[int | None] = [None, None]
    amounts: list[float | None] = [None, None]
    if len(samples) >= MIN_FORECAST_SAMPLES:
        sprints = list(sprints_needed(cut, remaining, CONFIDENCES))
        amounts = _amounts_of_one(context, samples, limit)
    ends = [end_of_round(context, rounds, number) if number else None for number in sprints]
    summary: dict[str, CellValue] = {
        "remaining": remaining,
        "sprints50": sprints[0],
        "sprints85": sprints[1],
        "ends50": ends[0],
        "ends85": ends[1],
    }
    rows = [
        (f"{confidence} %", amount, number, end)
        for confidence, amount, number, end in zip(CONFIDENCES, amounts, sprints, ends, strict=True)
    ]
    return context.document(ReportName.FORECAST, summary, COLUMNS, rows, _notes(cut, sprints))


def _amounts_of_one(context: ReportContext, samples: Sequence[float], limit: float | None) -> list[float | None]:
    """Return what the asked sprint will bring, never above its own maximum; else what the next one will."""
    sprint = context.iteration
    if sprint is not None and context.tree.is_sprint(sprint):
        limit = sprint.max_capacity or None
    found = [median(samples), reached_amount(samples, 85)]
    return [amount if limit is None else min(amount, limit) for amount in found]


def _notes(samples: Sequence[float], sprints: Sequence[int | None]) -> Iterator[str]:
    if len(samples) < MIN_FORECAST_SAMPLES:
        yield f"Too little history for a forecast ({counted(len(samples), 'sprint')}, {MIN_FORECAST_SAMPLES} needed)."
    elif None in sprints:
        yield f"No end within {MAX_FORECAST_SPRINTS} sprints." if any(samples) else "No end in sight."
