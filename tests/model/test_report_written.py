"""Reports as Markdown, CSV and SVG: readable by other programs, whatever people call their things."""

import csv
from dataclasses import replace
from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest

from backlit.model.reports.formats import FORMATS
from backlit.model.reports.report import (
    LEFT_OUT,
    SAMPLE,
    Bar,
    Bars,
    Column,
    Part,
    Report,
    Series,
    Table,
    Timeline,
    Tone,
    ranges_text,
    ticks,
)

HOSTILE = "=1+1 | <b>\x1b[31m *you*"
DAYS = tuple(date(2026, 3, number) for number in (2, 3, 4))


def by_person() -> Report:
    columns = (Column("Person", is_text=True), Column("Pts"), Column("Change", is_signed=True))
    rows = ((HOSTILE, 1234.5, -3.0), ("jon", None, 2.0))
    chart = Bars((Part("open", Tone.PLAIN),), (Bar(HOSTILE, (1234.5,)), Bar("jon", (0.0,))))
    return Report("Load by person", "Sprint <9>", "One & two.", chart, Table(columns, rows), ("A note.",))


def by_day() -> Report:
    bars = Series("left", Tone.LEFT, (8.0, None, 4.0))
    line = Series("ideal line", Tone.GUIDE, (6.0, 4.0, 2.0))
    chart = Timeline(DAYS, bars, (line,), frozenset({DAYS[1]}), DAYS[2])
    rows = tuple(zip(DAYS, (8.0, None, 4.0), strict=True))
    return Report("Burndown", "Sprint 9", "4 left.", chart, Table((Column("Day"), Column("Left")), rows))


def test_markdown_has_the_sentence_the_table_and_the_notes() -> None:
    assert FORMATS[".md"](by_person()) == (
        "# Load by person: Sprint \\<9\\>\n\nOne & two.\n\n"
        "| Person | Pts | Change |\n| --- | ---: | ---: |\n"
        "| =1+1 \\| \\<b\\>�\\[31m \\*you\\* | 1,234.5 | −3 |\n| jon | – | +2 |\n\n- A note.\n"
    )


def test_csv_has_plain_numbers_and_no_formulas() -> None:
    rows = list(csv.reader(FORMATS[".csv"](by_person()).splitlines()))

    assert rows == [["Person", "Pts", "Change"], ["'=1+1 | <b>�[31m *you*", "1234.5", "-3"], ["jon", "", "2"]]


def test_csv_has_iso_dates_and_leaves_empty_what_was_not_recorded() -> None:
    assert FORMATS[".csv"](by_day()) == "Day,Left\n2026-03-02,8\n2026-03-03,\n2026-03-04,4\n"


@pytest.mark.parametrize("report", [by_person(), by_day()], ids=["bars", "days"])
def test_the_svg_is_well_formed_and_says_what_it_is(report: Report) -> None:
    root = ET.fromstring(FORMATS[".svg"](report))
    texts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]

    assert report.title in texts
    assert report.headline in texts
    assert not any("\x1b" in text for text in texts)


def test_the_svg_explains_gaps_where_there_are_some() -> None:
    chart = by_day().chart
    assert isinstance(chart, Timeline)

    assert "? no record" in FORMATS[".svg"](by_day())
    assert "? no record" not in FORMATS[".svg"](replace(by_day(), chart=replace(chart, gaps=frozenset())))


def test_a_report_tells_its_notes_apart() -> None:
    report = replace(by_day(), notes=(f"{LEFT_OUT} 3 items.", f"{SAMPLE} up to 3 Mar.", "Another."))

    assert (report.warnings, report.badge) == ((f"{LEFT_OUT} 3 items.",), f"{SAMPLE} up to 3 Mar")
    assert (by_day().warnings, by_day().badge) == ((), "")


def test_the_svg_draws_a_bar_for_each_recorded_day_and_a_question_mark_for_a_gap() -> None:
    text = FORMATS[".svg"](by_day())

    assert text.count("<rect") - 1 - 2 == 2
    assert text.count(">?</text>") == 1


@pytest.mark.parametrize(
    ("count", "gaps", "marks"),
    [
        *((4, {0, 1, 3}, 3), (4, set(), 0), (200, {0}, 1), (200, {0, 1, 2}, 1), (200, {1, 2, 3, 150}, 2)),
        *((200, {198, 199}, 1), (200, {0, 2, 4}, 3)),
    ],
)
def test_the_svg_marks_each_gap_and_a_stretch_of_narrow_days_once(count: int, gaps: set[int], marks: int) -> None:
    days = tuple(date(2026, 1, 1) + timedelta(number) for number in range(count))
    bars = Series("left", Tone.LEFT, tuple(None if at in gaps else 1.0 for at in range(count)))
    chart = Timeline(days, bars, (), frozenset(days[at] for at in gaps), days[-1])

    assert FORMATS[".svg"](replace(by_day(), chart=chart)).count(">?</text>") == marks


@pytest.mark.parametrize(
    ("top", "most", "scale"),
    [
        (0.0, 4, (0, 1)), (0.4, 4, (0, 1)), (3.0, 4, (0, 1, 2, 3)), (45.0, 4, (0, 20, 40, 60)), (40.0, 3, (0, 20, 40)),
        (842.0, 3, (0, 500, 1000)), (12.0, 2, (0, 20)),
    ],
)  # fmt: skip
def test_the_scale_ends_on_a_round_number_above_all(top: float, most: int, scale: tuple[int, ...]) -> None:
    assert ticks(top, most) == scale


def test_stretches_of_days_are_named_together() -> None:
    days = [date(2026, 2, 27), date(2026, 2, 28), date(2026, 3, 1), date(2026, 3, 4), date(2026, 3, 6)]

    assert ranges_text(days) == "27 Feb–1 Mar, 4 Mar, 6 Mar"
    assert ranges_text([date(2026, 3, n) for n in range(1, 8, 2)]) == "1 Mar, 3 Mar, 5 Mar, 7 Mar"
    assert ranges_text([date(2026, 3, n) for n in range(1, 16, 2)]) == "1 Mar, 3 Mar, 5 Mar, 7 Mar and 4 more gaps"
