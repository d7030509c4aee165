"""Reports of several sprints: their velocity, and the forecast that follows from it."""

from datetime import date

from backlit.model.amounts import counted
from backlit.model.dates import written_day
from backlit.model.planning import Velocity
from backlit.model.reports.document import FigureSource, ReportDocument
from backlit.model.reports.names import ReportUnit
from backlit.model.reports.report import (
    UNIT_WORDS,
    Bar,
    BarPart,
    Bars,
    Figure,
    Report,
    ReportColumn,
    ReportTable,
    Tone,
    amount_text,
    number_text,
)

NO_VELOCITY = "No velocity yet: no closed sprint."
VELOCITY_COLUMNS = (
    ReportColumn("Iteration", is_text=True),
    ReportColumn("Committed", rank=1),
    ReportColumn("Change", is_signed=True, rank=2),
    ReportColumn("Done"),
    ReportColumn("Remaining"),
    ReportColumn("Late", rank=4, is_spare=True),
    ReportColumn("As of", is_text=True, rank=3),
)
VELOCITY_PARTS = (BarPart("done", Tone.DONE), BarPart("done so far", Tone.UNDERWAY), BarPart("not done", Tone.LEFT))
FORECAST_COLUMNS = (  # the amounts, whose unit is their head, follow the first
    ReportColumn("Confidence", is_text=True),
    ReportColumn("Sprints"),
    ReportColumn("Ends", is_text=True),
)


def velocity(document: ReportDocument) -> Report:
    figures: tuple[Figure, ...] = ()
    headline = NO_VELOCITY
    found = velocity_of(document)
    if found.median is not None:
        headline = f"Velocity {amount_text(found.median, document.unit)} ({velocity_basis(found)})."
        unit = UNIT_WORDS[ReportUnit(document.unit)]
        noun = "round" if found.is_of_rounds else "sprint"
        low, high = number_text(found.low), number_text(found.high)
        more = f"of {counted(found.samples, noun)}, from {low} to {high}, mean {number_text(found.mean)}"
        figures = (Figure(number_text(found.median), f"{unit} median", more, Tone.DONE),)
    names, ends = document.column("Iteration"), document.column("As of")
    samples = [bool(each.get("samples")) for each in document.details]
    is_sample = samples or [True] * len(names)
    # A sample is closed, if only today.
    is_closed = samples or [False] * len(names)
    is_running = [end == document.today and not closed for end, closed in zip(ends, is_closed, strict=True)]
    numbers = zip(names, document.numbers("Done"), document.numbers("Remaining"), is_running, is_sample, strict=True)
    bars = []
    for name, done, remaining, has_more, is_of_line in numbers:
        so_far = (0.0, done or 0.0) if has_more else (done or 0.0, 0.0)
        bars.append(Bar(str(name), (*so_far, remaining or 0.0), is_of_line))
    pairs = zip(document.rows, is_running, strict=True)
    rows = tuple((*row[:-1], "now" if has_more else row[-1]) for row, has_more in pairs)
    of_these = "" if all(is_sample) else f" of these {found.samples}{' rounds' * found.is_of_rounds}"
    median = found.median or 0.0
    line_name = f"median {number_text(median)}{of_these}"
    chart = Bars(VELOCITY_PARTS, tuple(bars), is_in_time=True, line=median, line_name=line_name)
    return Report(document, headline, chart, ReportTable(VELOCITY_COLUMNS, rows), figures)


def velocity_of(document: ReportDocument) -> Velocity:
    low, high, mean = (document.figure(key) or 0.0 for key in ("low", "high", "mean"))
    return Velocity(
        document.figure("median"),
        mean,
        low,
        high,
        int(document.figure("sprints") or 0),
        is_of_rounds=any(note.endswith("of parallel sprints.") for note in document.notes),
        is_of_machine=document.source is FigureSource.MACHINE,
    )


def range_text(velocity: Velocity) -> str:
    return f"{number_text(velocity.low)}–{number_text(velocity.high)}"


def velocity_basis(velocity: Velocity) -> str:
    """Return what a velocity is the median of, with their range and mean."""
    noun = "round" if velocity.is_of_rounds else "sprint"
    samples = counted(velocity.samples, noun) + " of parallel sprints" * velocity.is_of_rounds
    return f"median of {samples}, {range_text(velocity)}; mean {number_text(velocity.mean)}"


def forecast(document: ReportDocument) -> Report:
    rows = tuple(tuple(row) for row in document.rows)
    sprints = document.numbers("Sprints")
    bars = tuple(Bar(str(row[0]), (number or 0.0,)) for row, number in zip(rows, sprints, strict=True))
    chart = Bars((BarPart("sprints", Tone.LEFT),), bars if any(sprints) else ())
    confidence, *others = FORECAST_COLUMNS
    table = ReportTable((confidence, ReportColumn(document.unit.capitalize(), rank=1), *others), rows)
    remaining = document.figure("remaining") or 0.0
    left = f"{amount_text(remaining, document.unit)} remaining"
    amounts = document.numbers("Points")
    if not any(number is not None for number in (*sprints, *amounts)):
        reason = next((note for note in document.notes if note.startswith(("Too little", "No end"))), "")
        return Report(document, f"{left}. {reason}".strip(), chart, table)
    today = document.as_of.date()
    said = [_sprints_words(row, number, today) for row, number in zip(rows, sprints, strict=True)]
    range_words = _amount_range(amounts, document.unit) if None not in amounts else ""
    one = f" One sprint: {range_words}." if range_words else ""
    facts = [("Remaining", amount_text(remaining, document.unit))]
    facts += [("One sprint", range_words)] if range_words else []
    figures = tuple(
        Figure(number_text(number), f"{'sprint' if number == 1 else 'sprints'}, {row[0]}", _end_words(row[-1], today))
        for row, number in zip(rows, sprints, strict=True)
        if number is not None
    )
    return Report(document, f"{left}: {', '.join(said)}.{one}", chart, table, figures, tuple(facts))


def _sprints_words(row: tuple[object, ...], number: float | None, today: date) -> str:
    if number is None:
        return f"no end in sight ({row[0]})"
    end = _end_words(row[-1], today)
    return f"{counted(number, 'sprint')} ({row[0]}{', ' * bool(end)}{end})"


def _end_words(end: object, today: date) -> str:
    return f"to {written_day(end, today)}" if isinstance(end, date) else ""


def _amount_range(amounts: tuple[float | None, ...], unit: str) -> str:
    """Write what one sprint brings: 0–29 pts (85 %–50 %)."""
    median, low = (amount or 0.0 for amount in amounts)
    return f"{number_text(low)}–{amount_text(median, unit)} (85 %–50 %)"
