"""Reports with a row for each day: burndown, burnup, scope change and cumulative flow."""

from collections.abc import Mapping, Sequence
from datetime import date

from msgspec.structs import replace

from backlit.model.amounts import counted
from backlit.model.reports.document import CellValue, FigureSource, ReportDocument
from backlit.model.reports.names import ReportUnit
from backlit.model.reports.report import (
    UNIT_WORDS,
    Figure,
    Report,
    ReportColumn,
    ReportTable,
    Series,
    Timeline,
    Tone,
    amount_text,
    day_text,
    number_text,
    signed_text,
    unit_noun,
)

COLUMNS: Mapping[str, ReportColumn] = {
    "Day": ReportColumn("Day", is_text=True),
    "Ideal": ReportColumn("Ideal", rank=2, has_decimal=True),
    "Change": ReportColumn("Change", is_signed=True),
    "Re-estimated": ReportColumn("Re-estimated", is_signed=True, rank=2),
    **{title: ReportColumn(title, rank=1) for title in ("Done", "Completed", "%", "Added", "Moved in", "Moved out")},
    **{title: ReportColumn(title, rank=3) for title in ("Deferred", "Deleted", "Items")},
}
Values = Sequence[float | None]


class DaysOfReport:
    """The days of a document, with what the reports of days have in common."""

    def __init__(self, document: ReportDocument) -> None:
        self.document = document
        self.days = document.days
        self.today = document.today

    @property
    def is_of_machine(self) -> bool:
        return self.document.source is FigureSource.MACHINE

    def last(self, values: Values) -> tuple[date | None, float | None]:
        """Return the last day with a value, and the value."""
        known = [(day, value) for day, value in zip(self.days, values, strict=True) if value is not None]
        return known[-1] if known else (None, None)

    def gaps(self, values: Values) -> frozenset[date]:
        """Return the days without a value before the last one that has it, or up to today where machines record."""
        last = self.today if self.is_of_machine else self.last(values)[0]
        pairs = zip(self.days, values, strict=True)
        return frozenset(day for day, value in pairs if value is None and last is not None and day <= last)

    def timeline(self, bars: Series, lines: Sequence[Series] = (), layers: Sequence[Series] = ()) -> Timeline:
        is_hollow = self.document.source is not FigureSource.HISTORY
        gaps = self.gaps(bars.values)
        return Timeline(self.days, bars, tuple(lines), gaps, self.today, tuple(layers), is_hollow=is_hollow)

    def table(self) -> ReportTable:
        """Return the days up to today."""
        columns = tuple(COLUMNS.get(title, ReportColumn(title)) for title in self.document.columns)
        return ReportTable(columns, tuple(tuple(row) for row in self.document.rows if _day_of(row) <= self.today))

    def noun(self, amount: float) -> str:
        return unit_noun(amount, self.document.unit)

    def when(self, day: date) -> str:
        return "today" if day == self.today else f"on {day_text(day)}"

    def is_before_first_fall(self, ideal: Values, committed: float | None) -> bool:
        """Return whether today is the first day on which the ideal line falls, or one before it.

        The line has the work of the end of a day: until that of the first one nothing can be behind it.
        """
        before = (value for day, value in zip(self.days, ideal, strict=True) if day < self.today)
        return self.today in self.days and all(value == committed for value in before)

    @property
    def is_over(self) -> bool:
        return bool(self.days) and self.days[-1] < self.today

    @property
    def without_data(self) -> str:
        if self.days and self.days[0] > self.today:
            return f"Starts on {day_text(self.days[0])}; no data yet."
        return "No data yet. Recording starts with the next sync." if self.is_of_machine else "No data for these days."

    @property
    def days_left(self) -> tuple[tuple[str, str], ...]:
        """Return the working days after today, on which the ideal line falls."""
        if "Ideal" not in self.document.columns:
            return ()
        ideal = self.document.numbers("Ideal")
        pairs = list(zip(self.days, ideal, [None, *ideal[:-1]], strict=True))
        falling = sum(
            day > self.today and value is not None and before is not None and value < before
            for day, value, before in pairs
        )
        return (("Time left", counted(falling, "working day")),) if falling else ()


def _day_of(row: Sequence[CellValue]) -> date:
    return row[0] if isinstance(row[0], date) else date.max


def burndown(document: ReportDocument) -> Report:
    days = DaysOfReport(document)
    is_hours = document.unit == ReportUnit.HOURS
    remaining = document.numbers("Remaining")
    done = document.numbers("Completed" if is_hours else "Done")
    ideal = document.numbers("Ideal") if "Ideal" in document.columns else ()
    scope = tuple(_sum(pair) for pair in zip(remaining, done, strict=True))
    lines = [Series("ideal", Tone.GUIDE, ideal, document.figure("committed"))] if ideal else []
    lines += [Series("scope", Tone.SCOPE, scope)] if ideal and not is_hours else []
    chart = days.timeline(Series("remaining", Tone.LEFT, remaining), lines)
    day, left = days.last(remaining)
    if day is None or left is None:
        return Report(document, days.without_data, chart, days.table())
    whole = None if is_hours else days.last(scope)[1]
    of_whole = f" of {number_text(whole)}" if whole is not None else ""
    amount = f"{number_text(left)}{of_whole} {days.noun(left if whole is None else whole)}"
    behind = document.figure("behind")
    if behind is not None and behind > 0 and days.is_before_first_fall(ideal, document.figure("committed")):
        behind, chart = None, replace(chart, has_gap=False)
    chart = replace(chart, gap=behind)
    if days.is_over:
        headline = f"Ended with {amount} remaining."
    else:
        headline = f"{amount} remaining {days.when(day)}{_behind_words(behind)}."
    is_reached = days.is_over and number_text(left) == "0"
    tone = Tone.DONE if is_reached else Tone.PLAIN
    figures = [Figure(number_text(left), f"{days.noun(left)} remaining", of_whole.strip(), tone)]
    if behind is not None and number_text(behind) != "0":
        word, tone = ("behind", Tone.LATE) if behind > 0 else ("ahead", Tone.DONE)
        figures.append(Figure(number_text(abs(behind)), word, f"ideal {number_text(left - behind)}", tone))
    return Report(document, headline, chart, days.table(), tuple(figures), (*_scope_facts(scope), *days.days_left))


def _sum(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) if len(known) == len(values) else None


def _behind_words(behind: float | None) -> str:
    if behind is None:
        return ""
    if number_text(behind) == "0":
        return ", on the ideal line"
    return f", {number_text(abs(behind))} {'behind' if behind > 0 else 'ahead of'} the ideal line"


def _scope_facts(scope: Values) -> tuple[tuple[str, str], ...]:
    known = [number_text(value) for value in scope if value is not None]
    if not known:
        return ()
    return (("Scope", known[0] if known[0] == known[-1] else f"{known[0]} → {known[-1]}"),)


def burnup(document: ReportDocument) -> Report:
    days = DaysOfReport(document)
    done, scope = document.numbers("Done"), document.numbers("Scope")
    chart = days.timeline(Series("done", Tone.DONE, done), [Series("scope", Tone.SCOPE, scope)])
    day, finished = days.last(done)
    whole = days.last(scope)[1]
    if day is None or finished is None or whole is None:
        return Report(document, days.without_data, chart, days.table())
    # What is not all done is not written as 100 %.
    percent = f" ({min(99, round(100 * finished / whole)) if finished < whole else 100} %)" if whole else ""
    headline = f"{number_text(finished)} of {number_text(whole)} {days.noun(whole)} done {days.when(day)}{percent}."
    figures = (
        Figure(number_text(finished), f"{days.noun(finished)} done", f"of {number_text(whole)}", Tone.DONE),
        Figure(number_text(whole - finished), f"{days.noun(whole - finished)} to go"),
    )
    return Report(document, headline, chart, days.table(), figures, _scope_facts(scope))


_CAUSES = {
    "added": "{} added",
    "movedIn": "{} moved in",
    "movedOut": "{} moved out",
    "reestimated": "{} re-estimated",
    "deferred": "{} deferred",
    "deleted": "{} deleted",
}


def scope_change(document: ReportDocument) -> Report:
    days = DaysOfReport(document)
    scope, committed = document.numbers("Scope"), document.figure("committed")
    committed = committed if document.is_committed else None
    lines = [Series("committed", Tone.GUIDE, (committed,) * len(days.days))] if committed is not None else []
    chart = days.timeline(Series("scope", Tone.PLAIN, scope), lines)
    day, now = days.last(scope)
    if day is None or now is None:
        return Report(document, days.without_data, chart, days.table())
    figures = [Figure(number_text(now), f"{days.noun(now)} in scope")]
    if committed is None:
        so_far = "" if document.is_committed else " so far"
        headline = f"{number_text(now)} {days.noun(now)} in scope {days.when(day)}{so_far}."
    else:
        figures.append(Figure(signed_text(now - committed), "since", "the commitment"))
        headline = f"{amount_text(committed, document.unit)} committed; {_cause_words(document)}."
    return Report(document, headline, chart, days.table(), tuple(figures), _scope_facts(scope))


def _cause_words(document: ReportDocument) -> str:
    """Return the amount of each cause, the first of them with the unit."""
    causes = [(key, amount) for key in _CAUSES if (amount := document.figure(key))]
    if not causes:
        return "no change since"
    texts = [signed_text(amount) if key == "reestimated" else number_text(amount) for key, amount in causes]
    key, amount = causes[0]
    if key == "reestimated":
        texts[0] += f" {UNIT_WORDS[ReportUnit(document.unit)]}"
    else:
        texts[0] = amount_text(amount, document.unit)
    return "since then " + ", ".join(_CAUSES[key].format(text) for (key, _), text in zip(causes, texts, strict=True))


_LAYERS = (
    ("Done", "done", Tone.DONE),
    ("Ready for test", "testing", Tone.TESTED),
    ("In progress", "in progress", Tone.STARTED),
    ("Not started", "not started", Tone.PLAIN),
)


def cumulative_flow(document: ReportDocument) -> Report:
    days = DaysOfReport(document)
    layers = [Series(name, tone, document.numbers(title)) for title, name, tone in _LAYERS]
    whole = tuple(_sum(values) for values in zip(*(layer.values for layer in layers), strict=True))
    chart = days.timeline(Series("all", Tone.PLAIN, whole), layers=layers)
    day, _ = days.last(whole)
    if day is None:
        return Report(document, days.without_data, chart, days.table())
    now = {layer.name: days.last(layer.values)[1] or 0.0 for layer in layers}
    started = now["in progress"] + now["testing"]
    headline = (
        f"{amount_text(started, document.unit)} in progress or testing {days.when(day)},"
        f" {number_text(now['done'])} of {number_text(sum(now.values()))} done."
    )
    figures = (
        Figure(number_text(started), "in progress", f"{number_text(now['testing'])} of them testing"),
        Figure(
            number_text(now["done"]),
            f"{days.noun(now['done'])} done",
            f"of {number_text(sum(now.values()))}",
            Tone.DONE,
        ),
    )
    facts = (("Days", counted(sum(value is not None for value in whole), "day")),)
    return Report(document, headline, chart, days.table(), figures, facts)
