"""Reports of the open work: by person, by area and by estimate."""

from collections.abc import Sequence
from itertools import accumulate

from backlit.model.amounts import counted
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.names import ReportUnit
from backlit.model.reports.report import (
    Bar,
    BarPart,
    Bars,
    Figure,
    Report,
    ReportColumn,
    ReportTable,
    Tone,
    amount_text,
    leads,
    number_text,
    unit_noun,
)
from backlit.model.statuses import StatusGroup

GROUPS = (StatusGroup.IN_PROGRESS, StatusGroup.READY_FOR_TEST, StatusGroup.NOT_STARTED)
NO_AREA = "no area"
PARTS = (BarPart("in progress", Tone.STARTED), BarPart("testing", Tone.TESTED), BarPart("not started", Tone.PLAIN))
ESTIMATE_COLUMNS = (
    ReportColumn("Estimate", is_text=True),
    ReportColumn("Items"),
    ReportColumn("Pts"),
    ReportColumn("% items", rank=1),
)


def people(document: ReportDocument) -> Report:
    return _loads(document, "person", "with")


def areas(document: ReportDocument) -> Report:
    return _loads(document, "area", "in")


def _loads(document: ReportDocument, noun: str, preposition: str) -> Report:
    """Return the loads, the largest first."""
    is_points = document.unit == ReportUnit.POINTS
    title, key = ("Pts", "points") if is_points else ("Items", "items")
    at = document.columns.index(title)
    shown = sorted(document.rows, key=lambda row: -_number(row[at]))
    whole = sum(_number(row[at]) for row in shown)
    groups: dict[tuple[object, object], float] = {}
    for detail in document.details:
        groups[detail.get(noun), detail.get("group")] = _number(detail.get(key))
    labels = {row[0]: _area_label(str(row[0])) if noun == "area" else str(row[0]) for row in shown}
    bars = tuple(
        Bar(labels[row[0]], tuple(groups.get((row[0], group.value), 0.0) for group in GROUPS))
        if any((row[0], group.value) in groups for group in GROUPS)
        else Bar(labels[row[0]], (0.0, 0.0, _number(row[at])))
        for row in shown
    )
    rows = tuple((labels[row[0]], round(100 * _number(row[at]) / whole) if whole else None, *row[1:]) for row in shown)
    others = [
        ReportColumn(other, rank=other not in {"Pts", "Items"}, is_spare=other == "Hours")
        for other in document.columns[1:]
    ]
    columns = (
        ReportColumn(noun.capitalize(), is_text=True, is_owner=noun == "person"),
        ReportColumn("%", rank=1),
        *others,
    )
    most = labels[shown[0][0]] if shown else ""
    headline = _load_headline(document, shown, at, f"{preposition} {most}")
    figures = list[Figure]()
    if len(shown) > 1:
        hours = document.figure("hours")
        tasks = f"{counted(hours, 'hour')} of tasks" if hours else ""
        figures.append(Figure(number_text(whole), f"{unit_noun(whole, document.unit)} open", tasks))
    if leads([_number(row[at]) for row in shown]):
        figures.append(Figure(number_text(_number(shown[0][at])), f"most {preposition}", most, is_phrase=True))
    return Report(document, headline, Bars(PARTS, bars), ReportTable(columns, rows), tuple(figures))


def _number(value: CellValue) -> float:
    return float(value) if isinstance(value, int | float) else 0.0


def _area_label(path: str) -> str:
    """Return an area below the root of its project, which all paths begin with."""
    root, *below = path.split("\\")
    return " › ".join(below) if below else f"{root} itself" if path != NO_AREA else path


def _load_headline(document: ReportDocument, rows: Sequence[Sequence[CellValue]], at: int, most: str) -> str:
    if not rows:
        return "No open items."
    said = f"{amount_text(sum(_number(row[at]) for row in rows), document.unit)} open"
    if leads([_number(row[at]) for row in rows]):
        said += f", most {most} ({number_text(_number(rows[0][at]))})"
    hours = document.figure("hours")
    return f"{said}; {counted(round(hours, 2), 'hour')} of tasks remaining." if hours else f"{said}."


def estimates(document: ReportDocument) -> Report:
    counts = [_number(row[1]) for row in document.rows]
    labels = [value if isinstance(value, str) else number_text(_number(value)) for value in document.column("Estimate")]
    rows = tuple(
        (label, row[1], row[2] if not isinstance(row[0], str) else None, round(_number(row[3])))
        for label, row in zip(labels, document.rows, strict=True)
    )
    bars = tuple(Bar(label, (count,)) for label, count in zip(labels, counts, strict=True))
    unset = frozenset(value for value in document.column("Estimate") if isinstance(value, str))
    known = [
        (_number(row[0]), count)
        for row, count in zip(document.rows, counts, strict=True)
        if not isinstance(row[0], str)
    ]
    total, estimated = sum(counts), sum(count for _, count in known)
    up_to = list(accumulate(count for _, count in known))
    within = next((at for at, seen in enumerate(up_to, 1) if 2 * seen >= estimated), 0) if known else 0
    words = f"half are {number_text(known[within - 1][0])} or less" if within else ""
    parts = (BarPart("items", Tone.LEFT),)
    chart = Bars(parts, bars, is_upright=True, unset=unset, within=within, within_words=words)
    return Report(document, _estimates_headline(known, within, total), chart, ReportTable(ESTIMATE_COLUMNS, rows))


def _estimates_headline(known: Sequence[tuple[float, float]], within: int, total: float) -> str:
    if not total:
        return "No open items."
    without = total - sum(count for _, count in known)
    have = "has" if 1 in (without, total) else "have"
    lacking = f"{without:,.0f} of {counted(total, 'open item')} {have} no number"
    lacking = lacking if without else "every open item has a number"
    if not known:
        return f"{lacking}."
    half, largest = known[within - 1][0], known[-1][0]
    return f"Half are {counted(half, 'pt')} or less, the largest {number_text(largest)}; {lacking}."
