"""Pure: which iterations are under way, come next and came before, by their dates."""

from collections.abc import Iterable, Sequence
from datetime import date

from backlit.store.people import IterationEntry


def leaves(iterations: Iterable[IterationEntry]) -> list[IterationEntry]:
    """Those that work is planned into: no releases, not the root, and none that is divided into others."""
    every = list(iterations)
    divided = {each.path.rpartition("\\")[0] for each in every if not each.is_release}
    return [each for each in every if not each.is_release and "\\" in each.path and each.path not in divided]


def current(iterations: Iterable[IterationEntry], today: date) -> list[IterationEntry]:
    """Those that began and have not ended; there may be several side by side."""
    return [each for each in iterations if each.start and each.end and each.start <= today <= each.end]


def following(iterations: Iterable[IterationEntry], today: date) -> Sequence[IterationEntry]:
    """Of those that begin after today, the ones that begin first."""
    starts = [(each.start, each) for each in iterations if each.start and each.start > today]
    first = min((start for start, _ in starts), default=None)
    return [each for start, each in starts if start == first]


def preceding(iterations: Iterable[IterationEntry], today: date) -> Sequence[IterationEntry]:
    """Of those that ended before today, the ones that ended last."""
    ends = [(each.end, each) for each in iterations if each.end and each.end < today]
    last = max((end for end, _ in ends), default=None)
    return [each for end, each in ends if end == last]
