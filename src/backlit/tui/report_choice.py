"""What the reports on the screen are about: what was chosen, or the usual, and what stands beside it."""

from collections.abc import Sequence

from backlit.store.coverages import PERIODS, Coverage, Coverages
from backlit.tui.acting import CannotAct


class ReportChoice:
    """Follows the project: a chosen iteration keeps the days that it has now."""

    def __init__(self, coverages: Coverages) -> None:
        self._coverages = coverages
        self._chosen: Coverage | None = None

    def choose(self, coverage: Coverage | None) -> None:
        """Have the reports on something; on the usual where that is None."""
        self._chosen = coverage

    @property
    def coverage(self) -> Coverage:
        """What the reports are about now."""
        chosen = self._chosen
        if chosen is None:
            return self._coverages.usual()
        if chosen.node_id is None:
            return self._coverages.period((chosen.end - chosen.start).days + 1)
        return next(
            (each for each in self._coverages.iterations() if each.node_id == chosen.node_id), self._coverages.usual()
        )

    def offered(self) -> Sequence[Coverage]:
        """All that can be chosen."""
        return [*(self._coverages.period(days) for days in PERIODS), *self._coverages.iterations()]

    def turn(self, steps: int) -> None:
        """Choose the iteration that comes so many later, of a release the release; CannotAct where there is none."""
        here, leaves = self.coverage, self._coverages.leaves()
        others = [each for each in self._coverages.iterations() if each not in leaves]
        row = leaves if here in leaves else sorted(others, key=lambda each: each.start)
        if here not in row:
            raise CannotAct("A period ends today; fi chooses an iteration or a release.")
        at = row.index(here) + steps
        if not 0 <= at < len(row):
            raise CannotAct("There is none after this one." if steps > 0 else "There is none before this one.")
        self._chosen = row[at]
