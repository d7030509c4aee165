"""What of the backlog fits which iteration, by what was done in those before: lines in the plan's backlog."""

from collections.abc import Mapping, Sequence

from backlit.model.fields import FIELD_BY_KEY, ItemType
from backlit.model.planning import Load, Velocity, forecast
from backlit.model.trees import Totals
from backlit.store.people import IterationEntry
from backlit.store.rows import Row, RowSign
from backlit.store.store import Store
from backlit.store.views import View
from backlit.store.views_groups import GroupLine
from backlit.tui.plan_words import points_of_row
from backlit.tui.widgets.plan_pane import FORECAST

LOOKED_AT = 400
"""Rows of the backlog that are foretold."""


class Forecast:
    """Divides a backlog, and names the parts; what has no estimate takes no room, and the names say so."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._unestimated: dict[object, int] = {}

    def divide(
        self,
        view: View,
        totals: Totals,
        velocity: Velocity,
        upcoming: Sequence[IterationEntry],
        loads: Mapping[int, Load],
    ) -> None:
        """Put a line over what fits each iteration, if anything can be said; `totals` are those of the whole list."""
        mean = velocity.mean
        if not (mean and upcoming and view.count):
            return
        rows = view.rows(0, LOOKED_AT)
        at = [index for index, row in enumerate(rows) if _is_planned(row)]
        points = [points_of_row(rows[index]) for index in at]
        rooms = [mean - loads[each.id].points for each in upcoming]
        parts: list[tuple[object, int, Totals]] = []
        start = end = 0
        self._unestimated = {}
        for number, stop in forecast(points, rooms):
            place = upcoming[number].id
            end = at[stop] if stop < len(at) else len(rows)
            parts.append((place, end, Totals(stop - start, sum(points[start:stop]))))
            self._unestimated[place] = sum(_lacks_estimate(rows[index]) for index in at[start:stop])
            start = stop
        if end < view.count:
            taken = sum((part[2] for part in parts), Totals())
            parts.append((None, view.count, Totals(totals.count - taken.count, max(0.0, totals.points - taken.points))))
        if len(parts) > 1:
            view.divide(FORECAST, parts)

    def name(self, line: GroupLine) -> str:
        """What a part is called."""
        found = self._store.iterations().get(line.value) if isinstance(line.value, int) else None
        if found is None:
            return "later"
        unestimated = self._unestimated.get(line.value, 0)
        return f"fits {found.name}" + (f", {unestimated} without estimate" if unestimated else "")


def _is_planned(row: Row) -> bool:
    return row.type != ItemType.TASK and row.sign is not RowSign.LEAVING


def _lacks_estimate(row: Row) -> bool:
    return FIELD_BY_KEY["Estimate"].applies_to(row.type) and not points_of_row(row)
