"""Reports with a row for each item: age in status, and cycle time."""

from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise

from backlit.model.amounts import counted
from backlit.model.reports.document import CellValue, ReportDocument
from backlit.model.reports.report import (
    Bar,
    BarPart,
    Bars,
    Figure,
    Report,
    ReportColumn,
    ReportTable,
    StatusStep,
    Tone,
    number_text,
)
from backlit.model.statuses import StatusGroup, StatusGroups

STUCK_DAYS = 7
"""Days beyond which an item counts as stuck."""
AGE_PARTS = (
    BarPart("in progress", Tone.STARTED),
    BarPart("testing", Tone.TESTED),
    BarPart("over a week", Tone.LATE),
)
AGE_COLUMNS = (
    ReportColumn("Days"),
    ReportColumn("ID", rank=2),
    ReportColumn("Item", is_text=True, least=24, is_item=True),
    ReportColumn("Status", is_text=True, rank=2, least=11, is_status=True, is_in_way=True),
    ReportColumn("Owner", is_text=True, rank=1, is_owner=True),
    ReportColumn("Since", is_text=True, rank=3, is_in_way=True),
)
CYCLE_COLUMNS = (
    ReportColumn("Cycle", has_decimal=True),
    ReportColumn("ID", rank=2),
    ReportColumn("Item", is_text=True, least=28, is_item=True),
    ReportColumn("Lead", rank=1, has_decimal=True),
    ReportColumn("Started", is_text=True, rank=3),
    ReportColumn("Done", is_text=True, rank=2),
)


def age(document: ReportDocument) -> Report:
    days = [number or 0.0 for number in document.numbers("Days")]
    ids = _ids(document)
    bars = tuple(
        Bar(f"#{item_id} {row[2]}", _age_parts(age, str(row[3])))
        for row, item_id, age in zip(document.rows, ids, days, strict=True)
    )
    steps: dict[int, list[Mapping[str, CellValue]]] = {item_id: [] for item_id in ids}
    for detail in document.details:
        if isinstance(item_id := detail.get("id"), int) and item_id in steps:
            steps[item_id].append(detail)
    rows = tuple(
        (age, f"#{item_id}", *(cell or "" for cell in row[2:5]), row[5])
        for row, item_id, age in zip(document.rows, ids, days, strict=True)
    )
    types = tuple(str(steps[item_id][0].get("type") or "") if steps[item_id] else "" for item_id in ids)
    ways = tuple(
        _way(steps[item_id], document.today) or (StatusStep(str(row[3]), round(age)),)
        for row, item_id, age in zip(document.rows, ids, days, strict=True)
    )
    chart = Bars(AGE_PARTS, bars, line=STUCK_DAYS, line_name="a week")
    table = ReportTable(AGE_COLUMNS, rows, ids, types, ways)
    return Report(document, _age_headline(days), chart, table, _age_figures(days))


def _age_parts(age: float, status: str) -> tuple[float, ...]:
    week, over = min(age, STUCK_DAYS), max(0.0, age - STUCK_DAYS)
    return (0.0, week, over) if StatusGroups().of(status) is StatusGroup.READY_FOR_TEST else (week, 0.0, over)


def _ids(document: ReportDocument) -> tuple[int, ...]:
    return tuple(value if isinstance(value, int) else 0 for value in document.column("ID"))


def _way(steps: Sequence[Mapping[str, CellValue]], today: date) -> tuple[StatusStep, ...]:
    """Return the days in each status up to now, after the days before the first of them."""
    known = [(step.get("status"), day) for step in steps if isinstance(day := step.get("since"), date)]
    found = []
    for (status, day), (_, end) in pairwise([*known, (None, today)]):
        days = max(0, (end - day).days)
        if status or days:
            found.append(StatusStep(str(status or ""), days))
    return tuple(found)


def _age_headline(days: Sequence[float]) -> str:
    if not days:
        return "Nothing is in progress."
    stuck = sum(each > STUCK_DAYS for each in days)
    items = counted(len(days), "started item")
    return f"{stuck:,} of {items} in the same status for over a week (oldest: {counted(max(days), 'day')})."


def _age_figures(days: Sequence[float]) -> tuple[Figure, ...]:
    if not days:
        return ()
    stuck = sum(each > STUCK_DAYS for each in days)
    tone = Tone.LATE if stuck else Tone.PLAIN
    return (
        Figure(
            number_text(max(days)), "days the oldest", f"in its status, {stuck:,} of {len(days):,} over a week", tone
        ),
    )


def cycle_time(document: ReportDocument) -> Report:
    ids = _ids(document)
    cycles = document.numbers("Cycle")
    names = [str(name or "") for name in document.column("Item")]
    bars = tuple(
        Bar(f"#{item_id} {name}", (cycle or 0.0,)) for item_id, name, cycle in zip(ids, names, cycles, strict=True)
    )
    others = [document.column(title) for title in ("Lead", "Started", "Done")]
    rows = tuple(
        (cycle, f"#{item_id}", name, lead, _day(started), _day(done))
        for cycle, item_id, name, lead, started, done in zip(cycles, ids, names, *others, strict=True)
    )
    types = tuple(str(item_type or "") for item_type in document.column("Type"))
    limit = document.figure("cycle85") or 0.0
    chart = Bars((BarPart("days", Tone.DONE),), bars, is_in_time=True, line=limit, line_name="85 %")
    table = ReportTable(CYCLE_COLUMNS, rows, ids, types)
    return Report(document, _cycle_headline(document), chart, table, _times(document))


def _day(value: CellValue) -> CellValue:
    """Return the day of a DateTime as it was sent."""
    return date.fromisoformat(value[:10]) if isinstance(value, str) else value


def _cycle_headline(document: ReportDocument) -> str:
    half, most = document.figure("cycle50"), document.figure("cycle85")
    if half is not None and most is not None:
        return f"Half of the items took {_days(half)} or less, 85 % {_days(most)} or less."
    lead = document.figure("lead50")
    if lead is not None:
        return f"No item was started and then done; half were done within {_days(lead)} of their creation."
    return "No item is done yet."


def _days(days: float) -> str:
    return counted(round(days, 1), "day")


def _times(document: ReportDocument) -> tuple[Figure, ...]:
    found = []
    for key, words in (("cycle", "d median cycle"), ("lead", "d median lead")):
        half, most = document.figure(f"{key}50"), document.figure(f"{key}85")
        if half is not None and most is not None:
            found.append(Figure(number_text(half), words, f"85 %: {number_text(most)}"))
    return tuple(found)
