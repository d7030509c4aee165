"""Asking how many points an iteration may hold."""

from collections.abc import Callable, Mapping, Sequence

from textual.app import App

from backlit.model.errors import BadRequest
from backlit.store.people import IterationEntry
from backlit.tui.typed_days import typed_number
from backlit.tui.widgets.tree_columns import number_text

LABELS = ("Least points", "Most points")


def ask_capacity(
    app: App[object], iteration: IterationEntry, answered: Callable[[Mapping[str, float | None]], None]
) -> None:
    """Ask for the least and the most; the answer has both, by the service's keys."""
    from backlit.tui.dialogs.lines import LinesDialog

    def read(typed: Sequence[str]) -> str:
        least, most = map(typed_number, typed, LABELS)
        if least and most and least > most:
            raise BadRequest("The least cannot be more than the most.")
        return ""

    def take(typed: tuple[str, ...] | None) -> None:
        if typed is not None:
            least, most = map(typed_number, typed, LABELS)
            answered({"minCapacity": least, "maxCapacity": most})

    lines = list(zip(LABELS, map(_points, (iteration.min_capacity, iteration.max_capacity)), strict=True))
    app.push_screen(LinesDialog(f"Capacity of {iteration.name}", lines, read), take)


def _points(value: float | None) -> str:
    return number_text(value) if value else ""
