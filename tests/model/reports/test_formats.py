"""Reports as Markdown, CSV and SVG: readable by other programs, whatever people call their things."""

import csv
import json
from datetime import date, timedelta
from xml.etree import ElementTree as ET

import pytest
from msgspec.structs import replace
from tests.model.reports.documents import document

from backlit.model.reports.formats import FORMATS
from backlit.model.reports.names import ReportName
from backlit.model.reports.report import (
    Bar,
    BarPart,
    Bars,
    Report,
    ReportColumn,
    ReportTable,
    Series,
    Timeline,
    Tone,
    Value,
    ranges_text,
    ticks,
    value_text,
)

HOSTILE = "=1+1 | <b>\x1b[31m *you*"
DAYS = tuple(date(2026, 3, number) for number in (2, 3, 4))


def by_person(*notes: str) -> Report:
    columns = (ReportColumn("Person", is_text=True), ReportColumn("Pts"), ReportColumn("Change", is_signed=True))
    rows = ((HOSTILE, 1234.5, -3.0), ("jon", None, 2.0))
    chart = Bars((BarPart("open", Tone.PLAIN),), (Bar(HOSTILE, (1234.5,)), Bar("jon", (0.0,))))
    figures = document(ReportName.PEOPLE, ("Person", "Pts", "Change"), rows, about="Sprint <9>", notes=notes)
    return Report(figures, "One & two.", chart, ReportTable(columns, rows))


def by_day() -> Report:
    bars = Series("left", Tone.LEFT, (8.0, None, 4.0))
    line = Series("ideal line", Tone.GUIDE, (6.0, 4.0, 2.0))
    chart = Timeline(DAYS, bars, (line,), frozenset({DAYS[1]}), DAYS[2])
    rows = tuple(zip(DAYS, (8.0, None, 4.0), strict=True))
    figures = document(ReportName.BURNDOWN, ("Day", "Left"), rows)
    return Report(figures, "4 left.", chart, ReportTable((ReportColumn("Day"), ReportColumn("Left")), rows))


def test_markdown_has_the_sentence_the_table_and_the_notes() -> None:
    assert FORMATS[".md"](by_person("A note.")) == (
        "# Load by person: Sprint \\<9\\>\n\nOne & two.\n\n"
        "| Person | Pts | Change |\n| --- | ---: | ---: |\n"
        "| =1+1 \\| \\<b\\>�\\[31m \\*you\\* | 1,234.5 | −3 |\n| jon | – | +2 |\n\n"
        "- Source: history of the server.\n- A note.\n"
    )


def test_csv_has_plain_numbers_and_no_formulas() -> None:
    rows = list(csv.reader(FORMATS[".csv"](by_person()).splitlines()))

    assert rows == [["Person", "Pts", "Change"], ["'=1+1 | <b>�[31m *you*", "1234.5", "-3"], ["jon", "", "2"]]


@pytest.mark.parametrize(
    ("value", "written"),
    [
        *(("+1", "'+1"), ("-1", "'-1"), ("@x", "'@x"), ("=1", "'=1"), ("1+1", "1+1"), ("a,b", '"a,b"')),
        *((1 / 3, "0.3333"), (-0.00001, "0"), (1e6, "1000000"), (None, '""')),
    ],
)
def test_csv_writes_a_value_for_a_spreadsheet(value: Value, written: str) -> None:
    report = Report(document(ReportName.AREAS, ("A",), ((value,),)), "y", Bars((), ()), ReportTable((), ()))

    assert FORMATS[".csv"](report) == f"A\n{written}\n"


def test_csv_has_iso_dates_and_leaves_empty_what_was_not_recorded() -> None:
    assert FORMATS[".csv"](by_day()) == "Day,Left\n2026-03-02,8\n2026-03-03,\n2026-03-04,4\n"


@pytest.mark.parametrize("report", [by_person(), by_day()], ids=["bars", "days"])
def test_the_svg_is_well_formed_and_says_what_it_is(report: Report) -> None:
    root = ET.fromstring(FORMATS[".svg"](report))
    texts = [each.text or "" for each in root.iter("{http://www.w3.org/2000/svg}text")]

    assert report.title in texts
    assert report.headline in texts
    assert not any("\x1b" in text for text in texts)


def drawn(report: Report) -> list[str]:
    """The place and the size of each shape, and the place of each text."""
    root = ET.fromstring(FORMATS[".svg"](report))
    looks = ("x", "y", "width", "height", "d", "fill", "stroke", "stroke-dasharray")
    return [
        " ".join([*(each.attrib[look] for look in looks if look in each.attrib), each.text or ""]).strip()
        for each in root
        if not each.tag.endswith("title") and each.get("text-anchor") != "start"
    ]


def test_the_svg_draws_days_to_scale() -> None:
    assert drawn(by_day()) == [
        "800 433 #fdfcf9",
        "M64 344.0H776 #d5d2cb",
        "56.0 348.0 #5d636d 0",
        "M64 279.0H776 #d5d2cb",
        "56.0 283.0 #5d636d 2",
        "M64 214.0H776 #d5d2cb",
        "56.0 218.0 #5d636d 4",
        "M64 149.0H776 #d5d2cb",
        "56.0 153.0 #5d636d 6",
        "M64 84.0H776 #d5d2cb",
        "56.0 88.0 #5d636d 8",
        "99.6 84.0 166.1 260.0 #d9922e",
        "420.0 340.0 #5d636d ?",
        "574.3 214.0 166.1 130.0 #d9922e",
        "M182.7 149.0h0L420.0 214.0L657.3 279.0 none #9a4f4f 2 5",
        "182.7 362.0 #5d636d 2 Mar",
        "420.0 362.0 #5d636d 3 Mar",
        "657.3 362.0 #5d636d 4 Mar",
        "24 386 11 11 #d9922e",
        "92 386 11 11 #9a4f4f",
    ]


def test_the_svg_breaks_a_line_where_a_day_has_no_number() -> None:
    chart = by_day().chart
    assert isinstance(chart, Timeline)
    line = Series("scope", Tone.SCOPE, (8.0, None, 4.0))

    assert "M182.7 84.0h0M657.3 214.0h0 none #33363f" in drawn(replace(by_day(), chart=replace(chart, lines=(line,))))


@pytest.mark.parametrize(("count", "every"), [(12, 1), (13, 2), (60, 6), (712, 58), (1424, 58)])
def test_the_svg_names_as_many_days_as_have_room(count: int, every: int) -> None:
    days = tuple(date(2026, 1, 1) + timedelta(number) for number in range(count))
    chart = Timeline(days, Series("left", Tone.LEFT, (1.0,) * count), (), frozenset(), days[-1])

    named = [text for text in drawn(replace(by_day(), chart=chart)) if " 362.0 " in text]
    assert len(named) == -(-count // every)


def test_the_svg_draws_bars_to_scale_with_their_parts_in_a_row_and_notes_below() -> None:
    parts = (BarPart("started", Tone.STARTED), BarPart("open", Tone.PLAIN))
    chart = Bars(parts, (Bar("maya", (10.0, 30.0)), Bar("jon", (0.0, 20.0))))
    report = replace(by_person("A note.", "word " * 40), chart=chart)

    assert drawn(report) == [
        "800 248 #fdfcf9",
        "182.0 96.0 #22252b maya",
        "190.0 84 131.5 15 #d9922e",
        "321.5 84 394.5 15 #7b8794",
        "182.0 120.0 #22252b jon",
        "190.0 108 0.0 15 #d9922e",
        "190.0 108 263.0 15 #7b8794",
        "24 150 11 11 #d9922e",
        "113 150 11 11 #7b8794",
    ]


def test_the_svg_explains_gaps_where_there_are_some() -> None:
    chart = by_day().chart
    assert isinstance(chart, Timeline)

    assert "? no record" in FORMATS[".svg"](by_day())
    assert "? no record" not in FORMATS[".svg"](replace(by_day(), chart=replace(chart, gaps=frozenset())))


def test_json_is_the_document_as_it_was_sent() -> None:
    assert json.loads(FORMATS[".json"](by_day())) == by_day().document.wire()


def test_the_svg_stacks_layers_and_draws_figures_without_history_hollow() -> None:
    chart = by_day().chart
    assert isinstance(chart, Timeline)
    layers = (Series("done", Tone.DONE, (1.0, 2.0, 3.0)), Series("open", Tone.PLAIN, (3.0, 2.0, None)))

    stacked = drawn(replace(by_day(), chart=replace(chart, layers=layers, lines=())))
    hollow = drawn(replace(by_day(), chart=replace(chart, is_hollow=True)))

    assert sum(shape.endswith("#5f9a4f") for shape in stacked) == 3 + 1
    assert sum("none #d9922e" in shape for shape in hollow) == 2


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
    days = tuple(date(2026, 1, 1) + timedelta(number) for number in range(count + 1))
    bars = Series("left", Tone.LEFT, (*(None if at in gaps else 1.0 for at in range(count)), None))
    chart = Timeline(days, bars, (), frozenset(days[at] for at in gaps), days[-2])

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


@pytest.mark.parametrize(
    ("value", "column", "text"),
    [
        *(
            (None, ReportColumn("x"), "–"),
            (date(2026, 3, 7), ReportColumn("x", is_text=True), "7 Mar"),
            ("now", ReportColumn("x"), "now"),
        ),
        *(
            (1234.0, ReportColumn("x"), "1,234"),
            (2.25, ReportColumn("x"), "2.2"),
            (-0.04, ReportColumn("x"), "0"),
            (-3.0, ReportColumn("x"), "-3"),
        ),
        *((3.0, ReportColumn("x", has_decimal=True), "3.0"), (1234.56, ReportColumn("x", has_decimal=True), "1,234.6")),
        *((0.5, ReportColumn("x", is_signed=True), "+0.5"), (-0.5, ReportColumn("x", is_signed=True), "−0.5")),
        *((3.0, ReportColumn("x", is_signed=True), "+3"), (-3.5, ReportColumn("x", is_signed=True), "−3.5")),
        *((-0.04, ReportColumn("x", is_signed=True), "0"), (0.0, ReportColumn("x", is_signed=True), "0")),
    ],
)
def test_a_value_is_written_as_its_column_has_it(value: Value, column: ReportColumn, text: str) -> None:
    assert value_text(value, column) == text


def test_the_longest_bar_is_the_top_of_a_chart() -> None:
    bars = (Bar("jon", (0.0, 20.0)), Bar("maya", (10.0, 30.0)), Bar("ann", ()))

    assert (Bars((), bars).top, Bars((), ()).top) == (40.0, 0.0)
