"""Current, next and previous iterations, by their dates."""

from collections.abc import Iterable, Sequence
from datetime import date

from backlit.store.records.people import IterationEntry


def leaves(iterations: Iterable[IterationEntry]) -> list[IterationEntry]:
    """Return the plannable iterations: no releases, no root, and no parents of others."""
    every = list(iterations)
    divided = {each.path.rpartition("\\")[0] for each in every if not each.is_release}
    return [each for each in every if not each.is_release and "\\" in each.path and each.path not in divided]


def current(iterations: Iterable[IterationEntry], today: date) -> list[IterationEntry]:
    """Return the iterations that have begun and not ended. Several may overlap."""
    return [each for each in iterations if each.start and each.end and each.start <= today <= each.end]


def following(iterations: Iterable[IterationEntry], today: date) -> Sequence[IterationEntry]:
    """Return the next iterations to begin after today."""
    starts = [(each.start, each) for each in iterations if each.start and each.start > today]
    first = min((start for start, _ in starts), default=None)
    return [each for start, each in starts if start == first]


def preceding(iterations: Iterable[IterationEntry], today: date) -> Sequence[IterationEntry]:
    """Return the last iterations that ended before today."""
    ends = [(each.end, each) for each in iterations if each.end and each.end < today]
    last = max((end for end, _ in ends), default=None)
    return [each for end, each in ends if end == last]
