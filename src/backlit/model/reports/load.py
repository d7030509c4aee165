"""Report on the workload by person and by area."""

from collections.abc import Sequence
from dataclasses import dataclass

from backlit.model.reports.chart import Bar, Bars, Part, Tone
from backlit.model.reports.formatting import number_text
from backlit.model.reports.report import Column, Measure, Report, ReportName, Table
from backlit.model.trees import Totals

PARTS = (Part("in progress", Tone.STARTED), Part("ready for test", Tone.TESTED), Part("not started", Tone.PLAIN))
NOTHING = Totals()
CURRENT = "Current state, including unsent changes; tasks count in hours only."


@dataclass(frozen=True, slots=True)
class Load:
    """Open work of one person or area: items without tasks, and the remaining hours of tasks."""

    name: str
    started: Totals = NOTHING
    tested: Totals = NOTHING
    waiting: Totals = NOTHING
    hours: float = 0.0

    @property
    def open(self) -> Totals:
        """Return the sum of all groups."""
        return self.started + self.tested + self.waiting

    def __add__(self, other: "Load") -> "Load":
        return Load(
            self.name,
            self.started + other.started,
            self.tested + other.tested,
            self.waiting + other.waiting,
            self.hours + other.hours,
        )


def load_by_person(about: str, loads: Sequence[Load], wanted: Measure) -> Report:
    """Report the open work of each person, largest first."""
    return _report(ReportName.PEOPLE, about, loads, wanted)


def load_by_area(about: str, loads: Sequence[Load], wanted: Measure) -> Report:
    """Report the open work in each area, largest first."""
    return _report(ReportName.AREAS, about, loads, wanted)


def _report(name: ReportName, about: str, loads: Sequence[Load], wanted: Measure) -> Report:
    measure = wanted if any(each.open.points for each in loads) or not loads else Measure.ITEMS
    shown = sorted(
        (each for each in loads if each.open.count or each.hours),
        key=lambda each: (-measure.of(each.open), -each.open.count, -each.hours, each.name),
    )
    bars = tuple(
        Bar(each.name, (measure.of(each.started), measure.of(each.tested), measure.of(each.waiting))) for each in shown
    )
    rows = tuple((each.name, each.open.points, float(each.open.count), each.hours) for each in shown)
    title = "Person" if name is ReportName.PEOPLE else "Area"
    columns = (Column(title, is_text=True), Column("Pts"), Column("Items"), Column("Hours", rank=1))
    return Report(name, about, _headline(name, shown, measure), Bars(PARTS, bars), Table(columns, rows), (CURRENT,))


def _headline(name: ReportName, loads: Sequence[Load], measure: Measure) -> str:
    if not loads:
        return "No open items."
    every = loads[0]
    for each in loads[1:]:
        every += each
    unit = measure.value if measure is Measure.POINTS else "item" if every.open.count == 1 else "items"
    said = f"{number_text(measure.of(every.open))} {unit} open"
    if len(loads) > 1:
        preposition, most = "with" if name is ReportName.PEOPLE else "in", number_text(measure.of(loads[0].open))
        said += f", most {preposition} {loads[0].name} ({most})"
    return f"{said}; {number_text(every.hours)} hours of tasks remaining." if every.hours else f"{said}."
