"""Pure: which iteration is planned."""

from collections.abc import Sequence
from datetime import date

from backlit.store.iterations_by_date import current, following
from backlit.store.people import IterationEntry


def target_of(targets: Sequence[IterationEntry], remembered: int | None, today: date) -> IterationEntry | None:
    """The one that was planned before, else the next, else the current, else the last; None where there is none."""
    known = [each for each in targets if each.id == remembered]
    found = [*known, *following(targets, today), *current(targets, today), *targets[-1:]]
    return found[0] if found else None
