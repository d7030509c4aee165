"""Charts as cells: bars in eighths, gaps as gaps, labels that never overlap, in any size."""

from datetime import date, timedelta

import pytest

from backlit.model.reports.report import Bar, Bars, Part, Series, Timeline, Tone
from backlit.tui.drawing.charts import Row, draw, legend

MONDAY = date(2026, 3, 2)


def lines(rows: list[Row]) -> list[str]:
    return ["".join(text for text, _ in row) for row in rows]


def days(*values: float | None, today: int = 99, guide: tuple[float, ...] = ()) -> Timeline:
    every = tuple(MONDAY + timedelta(n) for n in range(len(values)))
    gaps = frozenset(day for day, value in zip(every, values, strict=True) if value is None)
    line = Series("line", Tone.GUIDE, guide or (None,) * len(values))
    return Timeline(every, Series("left", Tone.LEFT, values), (line,), gaps, MONDAY + timedelta(today))


def test_bars_of_days_are_as_high_as_their_numbers_and_a_gap_is_a_question_mark() -> None:
    assert lines(draw(days(4.0, None, 1.0, 2.5, today=3), 36, 6)) == [
        "5 ┤▂▂▂▂▂▂▂                          ",
        "  │███████                          ",
        "  │███████                 ███████  ",
        "  │███████    ?    ▆▆▆▆▆▆▆ ███████  ",
        "0 ┼───────────────────────────▲──── ",
        "   2 Mar                    today   ",
    ]


def test_more_days_than_cells_share_columns_and_the_last_record_counts() -> None:
    values = [1.0, None, None, 2.0] * 30
    (top, *_) = rows = lines(draw(days(*values), 34, 6))

    assert len(top) == 34
    assert "?" not in "".join(rows)
    assert rows[3].count("█") == 30


@pytest.mark.parametrize("width", [10, 24, 37, 60, 120])
@pytest.mark.parametrize("height", [1, 2, 3, 7, 12, 30])
@pytest.mark.parametrize("count", [1, 5, 14, 84, 365])
def test_a_timeline_fills_its_cells_exactly(width: int, height: int, count: int) -> None:
    chart = days(*(float(n % 50) for n in range(count)), guide=tuple(float(n) for n in range(count)), today=count // 2)
    rows = lines(draw(chart, width, height))

    assert [len(row) for row in rows] == [width] * height


def test_a_small_number_is_still_seen_and_none_is_not() -> None:
    rows = lines(draw(days(1000.0, 1.0, 0.0), 30, 8))

    assert rows[5].count("▁") > 0
    assert rows[5].rstrip().endswith("▁")


def bars(*values: tuple[float, ...], keeps_last: bool = False) -> Bars:
    parts = (Part("done", Tone.DONE), Part("left", Tone.LEFT))[: len(values[0])] if values else ()
    return Bars(parts, tuple(Bar(f"Sprint {n}", each) for n, each in enumerate(values, 1)), keeps_last)


def test_bars_are_as_long_as_their_parts_with_the_number_at_the_end() -> None:
    assert lines(draw(bars((8.0, 2.0), (3.0, 0.0)), 24, 2)) == ["Sprint… ██████████▒▒▒ 10", "Sprint… ████ 3"]


def test_where_there_is_no_room_for_all_bars_that_is_said() -> None:
    first = lines(draw(bars(*[(1.0, 1.0)] * 9), 40, 4))
    last = lines(draw(bars(*[(1.0, 1.0)] * 9, keeps_last=True), 40, 4))

    assert first[0].startswith("Sprint 1 ")
    assert first[-1] == "… and 6 more in the table"
    assert last[0] == "… and 6 more in the table"
    assert last[-1].startswith("Sprint 9 ")


@pytest.mark.parametrize("width", [12, 30, 80])
@pytest.mark.parametrize("values", [[], [(0.0, 0.0)], [(0.4, 0.1)], [(1e6, 3.0), (0.0, 1.0)]])
def test_bars_never_leave_their_cells(width: int, values: list[tuple[float, ...]]) -> None:
    assert all(len(line) <= max(width, 18) for line in lines(draw(bars(*values), width, 9)))


def test_a_name_of_the_service_cannot_break_the_chart() -> None:
    chart = Bars((Part("open", Tone.PLAIN),), (Bar("\x1b[31m日本\n語のとても長い名前です", (3.0,)),))

    (line, *_) = lines(draw(chart, 30, 3))
    assert "\x1b" not in line
    assert "\n" not in line


def test_the_legend_names_what_the_signs_mean() -> None:
    assert lines([legend(days(1.0, None))]) == ["█ left  • line  ? no record"]
    assert lines([legend(bars((1.0, 1.0)))]) == ["█ done  ▒ left  "]
    assert legend(bars((1.0,))) == ()
