"""The number of marked items and their points, counted behind the marking: there may be very many."""

from collections.abc import Callable, Sequence

from textual.widget import Widget

from backlit.model.trees import Totals
from backlit.store.store import Store
from backlit.tui.shell.workers import work

GROUP = "marks"


class MarkTotals:
    """Counts in a worker of its owner, and says when the figures are others."""

    def __init__(self, store: Store, owner: Widget, changed: Callable[[], None]) -> None:
        self.totals = Totals()
        self._store = store
        self._owner = owner
        self._changed = changed

    def measure(self, ids: Sequence[int]) -> None:
        """Count some items."""
        if ids:
            self._owner.run_worker(work(self._measure, ids), exclusive=True, group=GROUP)
        else:
            self._owner.workers.cancel_group(self._owner, GROUP)
            self.totals = Totals()
            self._changed()

    async def _measure(self, ids: Sequence[int]) -> None:
        self.totals = await self._store.batch.totals(ids)
        if self._owner.is_attached:
            self._changed()
