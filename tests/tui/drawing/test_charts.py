"""Charts as cells: bars in eighths, gaps as gaps, labels that never overlap, in any size."""

from datetime import date, timedelta
from itertools import pairwise

import pytest
from msgspec.structs import replace
from rich.color import ColorSystem
from tests.model.reports.documents import burndown, day, document
from textual.theme import Theme

from backlit.model.planning import Capacity
from backlit.model.planning import PlannedLoad as Planned
from backlit.model.reports.document import CellValue
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.presentation import present
from backlit.model.reports.report import Bar, BarPart, Bars, Chart, Report, Series, Timeline, Tone
from backlit.model.working_days import WorkingDays
from backlit.tui.drawing.charts import Row, capacity_bar, legend, scaled_bar, stacked_bar
from backlit.tui.drawing.histogram import draw_histogram
from backlit.tui.drawing.themes import TODAY, ThemeStyles, load_themes
from backlit.tui.drawing.timeline_chart import draw_timeline

MONDAY = date(2026, 3, 2)
VELOCITY = ("Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of")
SPRINTS: list[tuple[CellValue, ...]] = [
    ("Sprint 7", 30.0, 0.0, 4.0, 26.0, 0.0, MONDAY),
    ("Sprint 8", 30.0, 0.0, 12.0, 18.0, 0.0, day(5)),
]
FLOW: list[tuple[CellValue, ...]] = [(MONDAY, 5, 2, 1, 4), (day(3), 4, 2, 2, 4)]
ADA: list[dict[str, CellValue]] = [
    {"person": "ada", "group": group, "points": 9.0} for group in ("in progress", "ready for test", "not started")
]
AGES: list[tuple[CellValue, ...]] = [
    (12, 1, "Pay", "In Progress", "ada", MONDAY),
    (3, 2, "Ship", "Testing", "jon", MONDAY),
]
REPORTS = tuple(
    present(each)
    for each in (
        burndown(),
        document(ReportName.BURNUP, ("Day", "Done", "Scope", "%"), [(MONDAY, 8.0, 40.0, 20.0)]),
        document(ReportName.SCOPE, ("Day", "Scope"), [(MONDAY, 40.0), (day(3), 42.0)], {"committed": 40.0}),
        document(ReportName.CUMULATIVE_FLOW, ("Day", "Not started", "In progress", "Ready for test", "Done"), FLOW),
        document(ReportName.VELOCITY, VELOCITY, SPRINTS, {"median": 8.0, "mean": 8.0, "low": 4.0, "high": 12.0}),
        document(ReportName.PEOPLE, ("Person", "Pts", "Items", "Hours"), [("ada", 27.0, 3, 0.0)], details=ADA),
        document(ReportName.AGE, ("Days", "ID", "Item", "Status", "Owner", "Since"), AGES, unit=ReportUnit.ITEMS),
    )
)
"""The reports whose charts have more than one series."""


def lines(rows: list[Row]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def days(*values: float | None, today: int = 99, guide: tuple[float, ...] = ()) -> Timeline:
    every = tuple(MONDAY + timedelta(n) for n in range(len(values)))
    gaps = frozenset(day for day, value in zip(every, values, strict=True) if value is None)
    line = Series("line", Tone.GUIDE, guide or (None,) * len(values))
    return Timeline(every, Series("left", Tone.LEFT, values), (line,), gaps, MONDAY + timedelta(today))


def test_a_day_off_of_the_project_has_the_value_of_the_last_record() -> None:
    chart = days(4.0, None, 1.0, 2.5, today=3)
    tuesday_off = replace(chart, work=WorkingDays(days_off=frozenset({MONDAY + timedelta(1)})))

    rows = lines(draw_timeline(tuesday_off, 36, 6))

    assert "┈" in "".join(lines(draw_timeline(chart, 36, 6)))
    assert "┈" not in "".join(rows)


def test_a_line_of_days_is_as_high_as_their_numbers_over_an_area() -> None:
    rows = draw_timeline(days(4.0, None, 1.0, 2.5, today=3), 36, 6)

    assert lines(rows) == [
        "4 ┤▀▀▀▀▀▀▀▀┈┈┈┈┈┈┈┈                 ",
        "  │                        ▄▄▄▄▄▄▄▄▄",
        "2 ┤                        █        ",
        "  │                ▀▀▀▀▀▀▀▀▀        ",
        "0 └▀▀▀▀▀▀▀▀────────▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀▀",
        "   ╵2 Mar                 today▲    ",
    ]
    assert _cells(rows)[1][3:11] == [(" ", "bar on chart-area")] * 8


@pytest.mark.parametrize(("most", "tick"), [(4.0, "5"), (7.0, "10"), (27.0, "50")])
def test_the_tick_of_a_chart_of_one_line_is_not_below_its_values(most: float, tick: str) -> None:
    assert [row.split()[0] for row in lines(draw_timeline(days(most, 1.0), 36, 3))[:2]] == [tick, "0"]


def test_a_day_without_a_record_has_a_thin_line_and_no_area() -> None:
    rows = _cells(draw_timeline(days(4.0, None, 1.0), 36, 6))

    assert rows[0][14:25] == [("┈", "muted")] * 11
    assert {colour for row in rows[1:4] for _, colour in row[14:25]} == {"foreground"}


def test_days_off_have_the_area_of_the_last_day_and_none_after_the_last_record() -> None:
    chart, ended = days(4.0, 4.0, 4.0, 4.0, 4.0, None, None, 4.0), days(4.0, 4.0, 4.0, 4.0, 4.0, None, None)

    assert [lines(draw_timeline(each, 40, 6))[0].count("▀") for each in (chart, ended)] == [37, 26]
    assert lines([legend(chart, draw_timeline(chart, 40, 6))]) == ["▀ left  ⠒⠤ line  "]


@pytest.mark.parametrize(
    ("left", "colour", "words"), [(4.0, "bar-over", "2 behind"), (1.0, "bar-done", "1 ahead"), (2.0, "", "")]
)
def test_only_the_last_record_shows_its_gap_to_the_ideal_line(left: float, colour: str, words: str) -> None:
    rows = _cells(draw_timeline(days(4.0, 4.0, left, None, today=2, guide=(4.0, 3.0, 2.0, 1.0)), 36, 10))
    gap = {(x, each) for row in rows for x, (sign, each) in enumerate(row) if sign == "█" and each != "bar"}

    assert {each for _, each in gap} == ({colour} if colour else set())
    assert {x for x, _ in gap} <= set(range(3 + 16, 3 + 25))
    assert any(words in line for line in lines(draw_timeline(_guided(left), 36, 10)))


def _guided(left: float) -> Timeline:
    return days(4.0, 4.0, left, None, today=2, guide=(4.0, 3.0, 2.0, 1.0))


def test_a_step_of_the_scope_is_named_where_it_happens() -> None:
    grown = burndown((40.0, 32.0, 34.0, 25.0, None, None, None), (0.0, 8.0, 12.0, 20.0, None, None, None))
    rows = lines(draw_timeline(present(grown).chart, 60, 12))  # type: ignore[arg-type] # a burndown has a timeline

    assert any("╭ scope up 6 ──" in row for row in rows)


def test_a_step_of_less_than_a_line_is_named_too() -> None:
    every = tuple(MONDAY + timedelta(day) for day in range(4))
    chart = Timeline(every, Series("scope", Tone.PLAIN, (60.0, 60.0, 59.0, 59.0)), (), frozenset(), every[-1])

    assert any("─ scope 60 → 59 ─" in row or "━ scope 60 → 59 ━" in row for row in lines(draw_timeline(chart, 60, 8)))


def test_a_few_steps_are_named_together_behind_the_last_and_of_many_the_largest() -> None:
    few = replace(days(*[0.0] * 8), lines=(Series("scope", Tone.SCOPE, (5.0, 2.0, *[8.0] * 6)),))
    many = replace(days(*[0.0] * 8), lines=(Series("scope", Tone.SCOPE, (5.0, 2.0, 8.0, 9.0, *[7.0] * 4)),))

    assert any("╭ scope 5 → 2 → 8 ──" in row for row in lines(draw_timeline(few, 60, 12)))
    assert any("╰ scope down 2 ──" in row for row in lines(draw_timeline(many, 60, 12)))


def test_layers_stand_on_each_other_and_a_thin_one_has_a_cell() -> None:
    layers = (
        Series("done", Tone.DONE, (2.0,)),
        Series("testing", Tone.TESTED, (0.01,)),
        Series("new", Tone.PLAIN, (2.0,)),
    )
    chart = replace(days(4.01), layers=layers)

    drawn = ["".join(text for text, _ in row).rstrip() for row in draw_timeline(chart, 8, 8)]

    assert [row[3:] for row in drawn[:-2] if row[3:]] == ["░░░░░", "░░░░░", "▒▒▒▒▒", "█████", "█████"]
    assert lines([legend(chart)]) == ["█ done  ▒ testing  ░ new  ⠒⠤ line  ┈ no record  "]


def test_a_step_without_room_in_its_line_has_no_name() -> None:
    chart = replace(days(0.0, 0.0, 0.0), lines=(Series("scope", Tone.SCOPE, (1.0, 4.0, 2.0)),))

    assert not any("scope" in row or "up" in row for row in lines(draw_timeline(chart, 18, 8)))


def test_a_scope_is_one_line_with_its_rises_and_falls() -> None:
    chart = replace(days(0.0, 0.0, 0.0), lines=(Series("scope", Tone.SCOPE, (1.0, 4.0, 2.0)),))

    rows = [row[3:12] for row in lines(draw_timeline(chart, 18, 8))]

    assert rows[0] == "     ╭───"
    assert {row[5] for row in rows[1:4]} == {"│"}
    assert rows[4].startswith("─────╯")


def test_a_hollow_area_is_its_line_alone() -> None:
    rows = draw_timeline(replace(days(4.0, 1.0), is_hollow=True), 36, 6)

    assert {colour for row in rows for _, colour in row if "chart-area" in colour} == set()
    assert lines(rows)[0].count("─") == 16


def test_a_bracket_stands_over_the_smaller_half_of_the_estimates() -> None:
    bars = tuple(Bar(str(number), (1.0,)) for number in (1, 2, 3, 5))
    chart = Bars((BarPart("items", Tone.LEFT),), bars, is_upright=True, within=3, within_words="half are 3 or less")

    assert lines(draw_histogram(chart, 48, 12))[0].rstrip() == "╭────── half are 3 or less ──────╮"
    assert "half" not in lines(draw_histogram(chart, 48, 7))[0]


def test_an_upright_column_is_as_high_as_its_number_and_those_without_an_estimate_are_outlined() -> None:
    bars = (Bar("1", (4.0,)), Bar("not set", (2.0,)))
    chart = Bars((BarPart("items", Tone.LEFT),), bars, is_upright=True, unset=frozenset({"not set"}))

    assert lines(draw_histogram(chart, 12, 7)) == [
        " 4          ",
        "████        ",
        "████   2    ",
        "████  ▒▒▒▒  ",
        "████  ▒▒▒▒  ",
        "──────────  ",
        " 1    not   ",
    ]


@pytest.mark.parametrize(("most", "height"), [(107.0, 27), (105.0, 8), (31.0, 14), (3.0, 9)])
def test_the_scale_ends_near_the_largest_number(most: float, height: int) -> None:
    rows = lines(draw_timeline(days(most, 1.0), 40, height))

    assert any(set(row) & set("▀▄") for row in rows[:2])


def test_the_chosen_day_is_marked_below_its_bar_in_place_of_today() -> None:
    *_, axis, labels = draw_timeline(days(4.0, 3.0, 2.0, 1.0, today=3), 36, 6, 1)

    assert lines([axis])[0] == "0 └" + "▀" * 33
    assert lines([labels])[0].index("▲") == 3 + 8 + 3
    assert "▲3 Mar" in [text.strip() for text, colour in labels if colour == "foreground"]
    assert ("today", TODAY) in [(text.strip("╵ "), colour) for text, colour in labels]
    assert "today" in lines([labels])[0]


def _cells(rows: list[Row]) -> list[list[tuple[str, str]]]:
    return [[(sign, colour) for text, colour in row for sign in text] for row in rows]


def test_the_ideal_line_has_dots_above_the_area_and_over_it() -> None:
    rows = draw_timeline(days(4.0, 0.5, 0.5, 4.0, guide=(4.0, 3.0, 2.0, 1.0)), 36, 10)
    dots = {colour for row in rows for text, colour in row if any("\u2800" < sign <= "\u28ff" for sign in text)}

    assert dots == {"foreground", "foreground on bar", "foreground on bar-over"}


def test_the_ideal_line_is_behind_that_of_the_remaining_points_where_both_are_level() -> None:
    rows = draw_timeline(days(4.0, 4.0, 4.0, guide=(4.0, 4.0, 4.0)), 36, 10)

    assert not {sign for row in _cells(rows) for sign, _ in row if "\u2800" < sign <= "\u28ff"}


def test_the_ideal_line_begins_at_what_was_committed_and_is_straight() -> None:
    chart = replace(days(12.0, 12.0, 12.0, 12.0, 12.0, guide=(8.0, 6.0, 4.0, 2.0, 0.0)), has_gap=False)
    rows = _cells(draw_timeline(replace(chart, lines=(replace(chart.lines[0], start=10.0),)), 54, 14))
    dots = [(x, y) for y, row in enumerate(rows) for x, (sign, _) in enumerate(row) if "\u2800" < sign <= "\u28ff"]
    widths = [sum(at == y for _, at in dots) for y in sorted({y for _, y in dots})]

    assert dots[0][0] == 4
    assert set(widths[1:-1]) <= {4, 5, 6}


def test_a_day_chosen_in_a_longer_chart_is_not_marked_in_a_shorter_one() -> None:
    chart = days(4.0, 3.0, 2.0)

    assert draw_timeline(chart, 36, 10, 29) == draw_timeline(chart, 36, 10)


@pytest.mark.parametrize("known", [20, 21])
def test_the_gap_is_that_of_the_last_day_and_has_the_figure_of_the_report(known: int) -> None:
    values = [40.0] * known + [None] * (40 - known)
    chart = days(*values, guide=tuple(39.0 - n for n in range(40)))  # two days to a column
    own, named = ("\n".join(lines(draw_timeline(each, 24, 20))) for each in (chart, replace(chart, gap=3.1)))

    assert f" {known} behind" in own
    assert " 3.1 behind" in named


@pytest.mark.parametrize(
    ("values", "column"),
    [((4.0, 1.0), "██████▀ ▀"), ((4.0, 1.5), "█████▀  ▀"), ((1.0, 3.5), "█████▀ ▀"), ((4.0, 0.0), "████████▀")],
)
def test_the_lines_of_two_days_meet(values: tuple[float, float], column: str) -> None:
    rows = _cells(draw_timeline(days(*values), 36, 10))

    assert "".join(row[3 + 16][0] for row in rows[:-1]).lstrip() == column


def test_an_area_and_its_gap_end_at_zero_where_the_ideal_line_reaches_it() -> None:
    rows = _cells(draw_timeline(days(4.0, 4.0, 4.0, guide=(4.0, 2.0, 0.0)), 36, 10))
    axis = next(row for row in rows if ("▀", "chart-area") in row)

    assert {cell for cell in axis if cell[0] not in "└─ 0"} == {("▀", "chart-area"), ("▀", "bar-over")}


@pytest.mark.parametrize("height", range(6, 34))
def test_ticks_are_evenly_spaced(height: int) -> None:
    rows = lines(draw_timeline(days(105.0, 80.0, 20.0), 40, height))
    at = [y for y, line in enumerate(rows) if "┤" in line or "└" in line]

    assert len({after - before for before, after in pairwise(at)}) == 1


def test_more_days_than_cells_share_columns_and_the_last_record_counts() -> None:
    values = [1.0, None, None, 2.0] * 30
    (top, *_) = rows = lines(draw_timeline(days(*values), 34, 6))

    assert len(top) == 34
    assert "┈" not in "".join(rows)
    assert sum(row.count("▀") for row in rows[:-2]) == 31


@pytest.mark.parametrize("count", [17, 24, 31, 33, 40])
def test_days_fill_the_room_where_each_has_less_than_two_cells(count: int) -> None:
    rows = lines(draw_timeline(days(*[2.0] * count), 34, 6))

    assert rows[0] == "2 ┤" + "▀" * 31


@pytest.mark.parametrize("width", [10, 24, 37, 60, 120])
@pytest.mark.parametrize("height", [1, 2, 3, 7, 12, 30])
@pytest.mark.parametrize("count", [1, 5, 14, 84, 365])
def test_a_timeline_stays_in_its_cells(width: int, height: int, count: int) -> None:
    chart = days(*(float(n % 50) for n in range(count)), guide=tuple(float(n) for n in range(count)), today=count // 2)
    rows = lines(draw_timeline(chart, width, height))

    assert {len(row) for row in rows} == {width}
    assert height - 6 <= len(rows) <= height


def test_a_small_number_is_still_seen_and_none_is_not() -> None:
    rows = lines(draw_timeline(days(1000.0, 1.0, 0.0), 30, 8))

    assert rows[-2].count("▀") == 15
    assert rows[-2].endswith("▀────────")


def bars(*values: tuple[float, ...], average: float = 0.0) -> Bars:
    parts = (BarPart("done", Tone.DONE), BarPart("left", Tone.LEFT))[: len(values[0])] if values else ()
    return Bars(parts, tuple(Bar(f"Sprint {n}", each) for n, each in enumerate(values, 1)), line=average)


def bar_texts(chart: Bars, room: int) -> list[str]:
    return lines([(*stacked_bar(chart, bar, room),) for bar in (*chart.bars, Bar("", (0.0,) * len(chart.parts)))])


def test_bars_are_as_long_as_their_parts() -> None:
    assert bar_texts(bars((8.0, 2.0), (3.0, 0.0)), 10) == ["████████▒▒", "███       ", "          "]


def test_a_line_of_the_average_crosses_all_bars() -> None:
    assert bar_texts(bars((8.0, 2.0), (3.0, 0.0), average=6.0), 10) == ["██████│█▒▒", "███   │   ", "      │   "]


def test_bars_that_the_line_is_not_of_have_another_one_which_the_legend_names() -> None:
    chart = bars((8.0, 2.0), (3.0, 0.0), average=6.0)
    first, second = chart.bars
    chart = replace(chart, bars=(replace(first, is_of_line=False), second), line_name="median")

    assert bar_texts(chart, 10)[:2] == ["██████┊█▒▒", "███   │   "]
    assert lines([legend(chart)]) == ["█ done  ▒ left  │ median  ┊ others  "]


def test_a_bar_above_the_average_goes_beyond_its_line_and_one_below_it_does_not() -> None:
    chart = bars((6.9, 0.0), (7.0, 0.0), (7.1, 2.9), average=7.0)

    assert bar_texts(chart, 10)[:3] == ["██████▉│  ", "███████│  ", "███████│█▒"]
    assert stacked_bar(chart, chart.bars[2], 10)[1] == ("│", "background on bar-done")


def test_a_line_leaves_no_gap_in_what_is_left() -> None:
    chart = bars((3.0, 7.0), average=6.0)

    assert stacked_bar(chart, chart.bars[0], 10)[2] == ("│", "foreground on chart-shade")


@pytest.mark.parametrize("room", [0, 1, 8, 80])
@pytest.mark.parametrize("values", [[(0.0, 0.0)], [(0.4, 0.1)], [(1e6, 3.0), (0.0, 1.0)]])
def test_bars_never_leave_their_cells(room: int, values: list[tuple[float, ...]]) -> None:
    assert {len(text) for text in bar_texts(bars(*values, average=0.3), room)} == {room}


def test_the_legend_names_what_the_signs_mean() -> None:
    gap = days(1.0, None)

    assert lines([legend(gap, draw_timeline(gap, 36, 6))]) == ["▀ left  ⠒⠤ line  ┈ no record  "]
    assert lines([legend(bars((1.0, 1.0)))]) == ["█ done  ▒ left  "]
    assert legend(bars((1.0,))) == ()
    assert legend(bars(average=6.0)) == ()


def drawing_of(chart: Chart) -> list[Row]:
    if isinstance(chart, Timeline):
        return draw_timeline(chart, 60, 12)
    return [(*stacked_bar(chart, bar, 60),) for bar in chart.bars]


@pytest.mark.parametrize("report", REPORTS[:-1], ids=lambda report: report.kind)
def test_the_series_of_a_chart_differ_by_sign_and_not_by_colour_alone(report: Report) -> None:
    chart = report.chart
    series = len(chart.parts) + bool(chart.line) if isinstance(chart, Bars) else 1 + len(chart.lines)
    if isinstance(chart, Timeline) and chart.layers:
        series = len(chart.layers)
    rows = drawing_of(chart)
    signs = {text.strip() for text, colour in legend(chart, rows) if colour != "muted"}
    drawn = "".join(lines(rows))

    assert len(signs) == series > 1
    assert sorted(sign for sign in signs if not set(sign) & set(drawn)) == []


@pytest.mark.parametrize("theme", load_themes(None)[0], ids=lambda theme: theme.name)
@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.kind)
def test_nothing_in_a_chart_has_the_colour_of_the_ground_in_16_colours(report: Report, theme: Theme) -> None:
    styles = ThemeStyles({**theme.to_color_system().generate(), **theme.variables})
    used = {colour for row in [*drawing_of(report.chart), legend(report.chart)] for _, colour in row}

    for name in sorted(used):
        style = styles.style(name)
        assert style.color is not None
        assert style.bgcolor is not None
        shown, ground = (each.downgrade(ColorSystem.STANDARD) for each in (style.color, style.bgcolor))
        assert shown.is_default or shown.number != ground.number, name


def test_a_capacity_bar_meets_the_line_of_the_minimum_from_the_minimum_on() -> None:
    below, reached = ("".join(text for text, _ in capacity_bar(points, 0, Capacity(32, 42), 24)) for points in (31, 32))

    assert below.startswith("█" * 17 + "░│")
    assert reached.startswith("█" * 18 + "│")


@pytest.mark.parametrize(
    ("points", "narrow", "wide"),
    [
        (0, "░░░░░░░░░│░│", "░░░░░░░░░░░░░░░░░│░░░░│"),
        (26, "█████████│░│", "█████████████████│░░░░│"),
        (30, "█████████│░│", "█████████████████│██░░│"),
        (33, "█████████│█│", "█████████████████│███░│"),
        (35, "█████████│█│", "█████████████████│███░│"),
        (36, "█████████│█│", "█████████████████│████│"),
    ],
)
def test_a_capacity_bar_is_full_at_the_maximum_alone(points: float, narrow: str, wide: str) -> None:
    drawn = ["".join(text for text, _ in capacity_bar(points, 0, Capacity(26, 36), width)) for width in (12, 23)]

    assert drawn == [narrow, wide]


def test_capacity_bars_share_a_scale_where_one_is_given() -> None:
    bars = [scaled_bar(Planned(points=10), Capacity(20, most), 40, 40) for most in (40, 30)]
    drawn = ["".join(text for text, _ in bar) for bar in bars]

    assert [each.index("│") for each in drawn] == [20, 20]
    assert [each.count("█") for each in drawn] == [10, 10]
    assert [len(each) for each in drawn] == [40, 40]
    assert drawn[1].endswith("│" + " " * 10)
