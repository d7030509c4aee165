"""The report of one sprint as Markdown, from the documents of its velocity and its scope."""

from collections.abc import Callable, Iterator, Sequence
from datetime import date, datetime

from msgspec import Struct

from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.formats import escaped
from backlit.model.reports.report import amount_text, day_text, number_text, signed_text
from backlit.model.reports.sprint_reports import NO_VELOCITY, velocity_basis, velocity_of

_MINUS = frozenset({"Moved out", "Deferred", "Deleted"})


class SprintSummary(Struct, frozen=True):
    """A sprint with its days, its own figures, the velocity of the project, and the scope of the sprint.

    It was started and closed at times of the service, None without such an event.
    """

    name: str
    start: date
    end: date
    figures: ReportDocument
    velocity: ReportDocument
    scope: ReportDocument
    started_at: datetime | None = None
    closed_at: datetime | None = None

    def markdown(self, local: Callable[[datetime], datetime]) -> str:
        """Return the text for a reader, whose time `local` returns."""
        lines = [f"# {escaped(self.name)}", "", self._dates(local), ""]
        lines += [*self._figures(), "", "## Scope changes", "", *self._changes(), "", "## Velocity", ""]
        lines += [*self._velocity(), "", *self._notes()]
        return "\n".join(lines).rstrip("\n") + "\n"

    def _dates(self, local: Callable[[datetime], datetime]) -> str:
        days = f"{day_text(self.start)} – {day_text(self.end)} {self.end.year}"
        events = {"started": self.started_at, "closed": self.closed_at}
        found = {verb: local(at) for verb, at in events.items() if at is not None}
        times = [f"{verb} on {day_text(at.date())} at {at:%H:%M}" for verb, at in found.items()]
        return ", ".join([days, *times])

    def _row(self) -> dict[str, CellValue]:
        """Return the figures of the sprint by title; nothing for one that has not begun."""
        rows = (row for row in self.figures.rows if row[0] == self.name)
        return dict(zip(self.figures.columns, next(rows, ()), strict=False))

    def _figures(self) -> Iterator[str]:
        row = self._row()
        left = "Spill-over" if row.get("As of") != self.figures.today else "Remaining"
        yield f"| Committed | Change | Done | {left} | Late |"
        yield "| ---: | ---: | ---: | ---: | ---: |"
        cells = [_text(row.get(title), is_signed=title == "Change") for title in _TITLES]
        yield f"| {' | '.join(cells)} |"

    def _changes(self) -> Sequence[str]:
        """Return each change of the scope with its item."""
        unit = self.scope.unit
        rows = []
        for change in self.scope.details:
            cause, amount, day = change.get("cause"), change.get("amount"), change.get("day")
            if isinstance(amount, int | float) and isinstance(day, date):
                effect = signed_text(-amount if cause in _MINUS else amount)
                name = escaped(str(change.get("item") or ""))
                rows.append(f"| {day_text(day)} | \\#{change.get('id')} | {name} | {cause} | {effect} |")
        if not rows:
            return ["No change since the commitment."]
        return [f"| Day | ID | Item | Cause | {unit.capitalize()} |", "| --- | ---: | --- | --- | ---: |", *rows]

    def _velocity(self) -> Iterator[str]:
        found = velocity_of(self.velocity)
        if found.median is None:
            yield NO_VELOCITY
        else:
            yield f"{amount_text(found.median, self.velocity.unit)} ({velocity_basis(found)})"

    def _notes(self) -> Iterator[str]:
        about = (note for note in self.figures.notes if note.startswith(f"{self.name}:"))
        for note in (*about, *self.scope.notes):
            yield f"- {escaped(note)}"


_TITLES = ("Committed", "Change", "Done", "Remaining", "Late")


def _text(value: CellValue, *, is_signed: bool) -> str:
    if not isinstance(value, int | float):
        return "–"
    return signed_text(value) if is_signed else number_text(value)
