"""Output formats of reports: Markdown of the words and the table, CSV and JSON of the figures, SVG of the chart."""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from html import escape
from textwrap import wrap

from backlit.model.plain import plain
from backlit.model.reports.report import (
    Bars,
    Report,
    Series,
    Timeline,
    Tone,
    day_text,
    number_text,
    ticks,
    value_text,
)


def as_csv(report: Report) -> str:
    return report.document.csv()


def as_json(report: Report) -> str:
    return json.dumps(report.document.wire(), indent=2, ensure_ascii=False) + "\n"


_SPECIAL = re.compile(r"([\\|`*_<>\[\]#~]|&(?=#?\w+;))")


def as_markdown(report: Report) -> str:
    """Write headings, sentences and a table; escape Markdown in names."""
    columns = report.table.columns
    rows = [
        [value_text(value, column) for value, column in zip(row, columns, strict=True)] for row in report.table.rows
    ]
    rules = ["---" if column.is_text else "---:" for column in columns]
    parts = [f"# {escaped(report.title)}", "", escaped(report.headline), ""]
    parts += [_line([escaped(column.title) for column in columns]), _line(rules)]
    parts += [_line([escaped(cell) for cell in row]) for row in rows]
    if report.notes:
        parts += ["", *(f"- {escaped(note)}" for note in report.notes)]
    return "\n".join(parts) + "\n"


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def escaped(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", plain(text))


WIDTH, LEFT, RIGHT = 800, 64, 24
TOP, PLOT = 84, 260
"""Top of the chart below the title, and height of its plot."""
ROW, BAR = 24, 15
ROOM_FOR_GAP = 8
"""Width of a day from which each day without a record has its own sign, not each stretch."""
LABEL_WIDTH = 190
"""Room for the names of bars."""
NOTE_LINE = 17
NOTE_LENGTH = 118
"""Characters of a note per line."""
COLOURS: Mapping[Tone, str] = {
    Tone.DONE: "#5f9a4f",
    Tone.LEFT: "#d9922e",
    Tone.STARTED: "#d9922e",
    Tone.TESTED: "#4d8fb8",
    Tone.UNDERWAY: "#94bd88",
    Tone.PLAIN: "#7b8794",
    Tone.LATE: "#c4695f",
    Tone.SCOPE: "#33363f",
    Tone.GUIDE: "#9a4f4f",
}
INK, PALE, RULE, PAPER = "#22252b", "#5d636d", "#d5d2cb", "#fdfcf9"


def as_svg(report: Report) -> str:
    chart = report.chart
    height, drawn = _timeline(chart) if isinstance(chart, Timeline) else _bars(chart)
    notes = [line for note in report.notes for line in wrap(plain(note), NOTE_LENGTH)]
    bottom = TOP + height + 36
    total = bottom + NOTE_LINE * len(notes) + 12
    size = f'width="{WIDTH}" height="{total}" viewBox="0 0 {WIDTH} {total}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" font-size="13">',
        f"<title>{_text(report.title)}</title>",
        f'<rect width="{WIDTH}" height="{total}" fill="{PAPER}"/>',
        _label(24, 34, report.title, size=19, weight="600"),
        _label(24, 58, report.headline),
        *drawn,
        *_legend(chart, bottom - 8),
        *(_label(24, bottom + 10 + NOTE_LINE * n, line, fill=PALE, size=12) for n, line in enumerate(notes)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _timeline(chart: Timeline) -> tuple[int, list[str]]:
    scale = ticks(chart.top, 6)
    room = WIDTH - LEFT - RIGHT
    slot = room / max(1, len(chart.days))

    def height_of(value: float) -> float:
        return value / scale[-1] * PLOT

    parts = []
    for tick in scale:
        y = TOP + PLOT - height_of(tick)
        parts.append(f'<path d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}" stroke="{RULE}"/>')
        parts.append(_label(LEFT - 8, y + 4, number_text(tick), anchor="end", fill=PALE))
    parts += _layers(chart, slot, height_of)
    for at, (day, value) in enumerate(zip(chart.days, chart.bars.values, strict=True)):
        x = LEFT + slot * at
        if value is not None and not chart.layers:
            high = height_of(value)
            box = f'x="{x + slot * 0.15:.1f}" y="{TOP + PLOT - high:.1f}" width="{slot * 0.7:.1f}" height="{high:.1f}"'
            colour = COLOURS[chart.bars.tone]
            look = f'fill="none" stroke="{colour}"' if chart.is_hollow else f'fill="{colour}"'
            parts.append(f"<rect {box} {look}/>")
        elif day in chart.gaps and (slot >= ROOM_FOR_GAP or chart.days[max(0, at - 1)] not in chart.gaps or at == 0):
            parts.append(_label(x + slot / 2, TOP + PLOT - 4, "?", anchor="middle", fill=PALE, size=11))
    parts += [_stroke(line, slot, height_of) for line in chart.lines]
    parts += _days(chart, slot)
    return PLOT + 24, parts


def _layers(chart: Timeline, slot: float, height_of: Callable[[float], float]) -> Iterator[str]:
    below = [0.0] * len(chart.days)
    for layer in chart.layers:
        for at, value in enumerate(layer.values):
            if value:
                top = TOP + PLOT - height_of(below[at] + value)
                box = f'x="{LEFT + slot * at:.1f}" y="{top:.1f}" width="{slot:.1f}" height="{height_of(value):.1f}"'
                yield f'<rect {box} fill="{COLOURS[layer.tone]}"/>'
                below[at] += value


def _stroke(line: Series, slot: float, height_of: Callable[[float], float]) -> str:
    """Draw a line through the middles of the days, broken at days without a number."""
    path, is_on = [], False
    for at, value in enumerate(line.values):
        if value is not None:
            point = f"{LEFT + slot * (at + 0.5):.1f} {TOP + PLOT - height_of(value):.1f}"
            path.append(f"L{point}" if is_on else f"M{point}h0")
        is_on = value is not None
    dashes = ' stroke-dasharray="2 5"' if line.tone is Tone.GUIDE else ""
    look = f'stroke="{COLOURS[line.tone]}" stroke-width="2.5" stroke-linecap="round"{dashes}'
    return f'<path d="{"".join(path)}" fill="none" {look}/>'


def _days(chart: Timeline, slot: float) -> Iterator[str]:
    every = max(1, -(-58 // max(1, int(slot))))
    for at in range(0, len(chart.days), every):
        yield _label(
            LEFT + slot * (at + 0.5), TOP + PLOT + 18, day_text(chart.days[at]), anchor="middle", fill=PALE, size=12
        )


def _bars(chart: Bars) -> tuple[int, list[str]]:
    scale = ticks(chart.top, 6)
    room = WIDTH - LABEL_WIDTH - RIGHT - 60
    parts = []
    for row, bar in enumerate(chart.bars):
        y = TOP + ROW * row
        parts.append(_label(LABEL_WIDTH - 8, y + 12, plain(bar.label, 28), anchor="end"))
        x = float(LABEL_WIDTH)
        for value, part in zip(bar.values, chart.parts, strict=True):
            wide = value / scale[-1] * room
            box = f'x="{x:.1f}" y="{y}" width="{wide:.1f}" height="{BAR}"'
            parts.append(f'<rect {box} fill="{COLOURS[part.tone]}"/>')
            x += wide
        parts.append(_label(x + 6, y + 12, number_text(bar.total), fill=PALE))
    return ROW * max(1, len(chart.bars)), parts


def _legend(chart: Timeline | Bars, y: float) -> Iterator[str]:
    names = (
        [(each.name, each.tone) for each in (*(chart.layers or [chart.bars]), *chart.lines)]
        if isinstance(chart, Timeline)
        else [(each.name, each.tone) for each in chart.parts]
    )
    if isinstance(chart, Timeline) and chart.gaps:
        names.append(("? no record", Tone.PLAIN))
    x = 24.0
    for name, tone in names:
        if not name.startswith("?"):
            yield f'<rect x="{x:.0f}" y="{y - 10:.0f}" width="11" height="11" fill="{COLOURS[tone]}"/>'
            x += 17
        yield _label(x, y, name, fill=PALE, size=12)
        x += 7.2 * len(name) + 22


def _label(
    x: float, y: float, text: str, *, anchor: str = "start", fill: str = INK, size: int = 13, weight: str = "400"
) -> str:
    look = f'fill="{fill}" font-size="{size}" font-weight="{weight}" text-anchor="{anchor}"'
    return f'<text x="{x:.1f}" y="{y:.1f}" {look}>{_text(text)}</text>'


def _text(text: str) -> str:
    return escape(plain(text), quote=True)


FORMATS: Mapping[str, Callable[[Report], str]] = {
    ".md": as_markdown,
    ".csv": as_csv,
    ".json": as_json,
    ".svg": as_svg,
}
