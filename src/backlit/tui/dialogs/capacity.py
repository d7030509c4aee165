"""The question for the capacity of an iteration."""

from collections.abc import Mapping, Sequence

from backlit.model.errors import BadRequest
from backlit.store.records.people import IterationEntry
from backlit.tui.dialogs.line import LinesDialog
from backlit.tui.fields.dates import typed_number
from backlit.tui.fields.values import number_text
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.target import StoreTarget

LABELS = ("Least points", "Most points")


async def ask_for_capacity(target: StoreTarget, iteration: IterationEntry) -> Mapping[str, float | None] | None:
    """Return the least and the most points that the user types, by the service's keys; None without an answer."""
    lines = list(zip(LABELS, map(_points, (iteration.min_capacity, iteration.max_capacity)), strict=True))
    kept = StoredLines(target.store, f"capacity:{iteration.id}")
    typed = await target.ask(LinesDialog(f"Capacity of {iteration.name}", lines, _check, kept))
    if typed is None:
        return None
    least, most = map(typed_number, typed, LABELS)
    return {"minCapacity": least, "maxCapacity": most}


def _check(typed: Sequence[str]) -> str:
    least, most = map(typed_number, typed, LABELS)
    if least and most and least > most:
        raise BadRequest("The least cannot be more than the most.")
    return ""


def _points(value: float | None) -> str:
    return number_text(value) if value else ""
