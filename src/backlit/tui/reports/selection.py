"""The selected report, its measure, and the iteration, release or period that it covers."""

from collections.abc import Sequence

from backlit.model.reports.report import Measure, ReportName
from backlit.store.reports.reports import PERIODS, Coverage, Coverages
from backlit.tui.commands.command import CannotAct


class ReportSelection:
    """The selection of the reports' screen; it follows the project, as a chosen iteration may get other days."""

    def __init__(self, coverages: Coverages) -> None:
        self.name = ReportName.BURNDOWN
        self.measure = Measure.POINTS
        self._coverages = coverages
        self._chosen: Coverage | None = None

    def choose(self, coverage: Coverage | None) -> None:
        """Choose a coverage; None chooses the usual one."""
        self._chosen = coverage

    @property
    def coverage(self) -> Coverage:
        """The coverage, with the days that it has now."""
        chosen = self._chosen
        if chosen is None:
            return self._coverages.usual()
        if chosen.node_id is None:
            return self._coverages.period((chosen.end - chosen.start).days + 1)
        return next(
            (each for each in self._coverages.iterations() if each.node_id == chosen.node_id), self._coverages.usual()
        )

    def offered(self) -> Sequence[Coverage]:
        """Return every coverage that can be chosen."""
        return [*(self._coverages.period(days) for days in PERIODS), *self._coverages.iterations()]

    def turn(self, steps: int) -> None:
        """Choose the iteration some steps later, for a release the release; raises CannotAct where there is none."""
        here, leaves = self.coverage, self._coverages.leaves()
        others = [each for each in self._coverages.iterations() if each not in leaves]
        row = leaves if here in leaves else sorted(others, key=lambda each: each.start)
        if here not in row:
            raise CannotAct("A period ends today; fi chooses an iteration or a release.")
        at = row.index(here) + steps
        if not 0 <= at < len(row):
            raise CannotAct("There is none after this one." if steps > 0 else "There is none before this one.")
        self._chosen = row[at]
