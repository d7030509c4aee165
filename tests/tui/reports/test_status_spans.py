"""The ways of items as bars of spans."""

from datetime import date

import pytest
from rich.cells import cell_len

from backlit.model.reports.report import StatusStep
from backlit.model.statuses import StatusGroups
from backlit.tui.reports.status_spans import DayScale, day_axis, day_scale, span_bar, without_words

GROUPS = StatusGroups()
LATE = StatusStep("Not Done", 90), StatusStep("In Progress", 1), StatusStep("Ready For Test", 9)


def text_of(way: tuple[StatusStep, ...], scale: DayScale) -> str:
    return "".join(text for text, _ in span_bar(way, GROUPS, scale))


def test_spans_go_back_to_the_first_start_but_not_further_than_three_weeks() -> None:
    stuck = StatusStep("In Progress", 90)

    assert [day_scale([each], GROUPS, 80).days for each in (LATE, (stuck,), ())] == [10, 21, 9]
    assert day_scale([(stuck,)], GROUPS, 50) == DayScale(50, 16)


def test_spans_fill_their_room_where_its_cells_are_no_multiple_of_the_days() -> None:
    scale = DayScale(86, 10)

    assert [scale.at(ago) for ago in (10, 7, 1, 0)] == [0, 26, 77, 86]


def test_the_present_span_says_how_far_it_is_over_a_week_as_far_as_it_has_room() -> None:
    assert span_bar(LATE, GROUPS, DayScale(100, 10)) == [
        (" ◐ 1 d    ", "status-progress on key-background"),
        (" " * 20, "status-test on span-test"),
        ("│", "muted on span-test"),
        (" ◑ Testing 9 days", "status-test on span-test"),
        (" · 2 days over a week", "conflict on span-test"),
        (" " * 31, "status-test on span-test"),
    ]
    assert "│ ◑ Testing 9 days · 2 days over " in text_of(LATE, DayScale(50, 10))
    assert text_of(LATE, DayScale(44, 22)).rstrip().endswith("│ ◑ 9 d")


def test_a_span_from_before_the_first_day_has_an_arrow_and_says_all_its_days() -> None:
    way = (StatusStep("In Progress", 200),)

    assert text_of(way, DayScale(60, 20)) == f"{' ←':<39}│ ◐ In progress 200 d"


def test_a_span_that_is_not_over_a_week_stays_behind_the_line_and_has_no_red() -> None:
    way = StatusStep("Not Done", 90), StatusStep("In Progress", 5)

    assert span_bar(way, GROUPS, DayScale(90, 10)) == [
        (f"{'│':>28}{'':<17}", "muted"),
        (f"{' ◐ In progress 5 days':<45}", "status-progress on span-progress"),
    ]


def test_the_lines_around_the_words_of_a_bar_have_its_grounds_and_the_line() -> None:
    assert without_words(span_bar(LATE, GROUPS, DayScale(100, 10))) == [
        (" " * 10, "status-progress on key-background"),
        (" " * 20, "status-test on span-test"),
        ("│", "muted on span-test"),
        (" " * 17, "status-test on span-test"),
        (" " * 21, "conflict on span-test"),
        (" " * 31, "status-test on span-test"),
    ]


@pytest.mark.parametrize(
    ("days", "words", "own"),
    [
        (2, " ◐ In progress 2 d ", "rogress 2 d "),
        (1, " ◐ In progress 1 d ", "s 1 d "),
        (0, " ◐ In progress today ", ""),
    ],
)
def test_a_status_that_does_not_fit_into_its_days_begins_on_those_before(days: int, words: str, own: str) -> None:
    shown = span_bar((StatusStep("Not Done", 90), StatusStep("In Progress", days)), GROUPS, DayScale(60, 10))

    assert "".join(text for text, _ in shown).endswith(words)
    assert "".join(text for text, look in shown if look.endswith(" on span-progress")) == own


@pytest.mark.parametrize("before", [StatusStep("Not Done", 90), StatusStep("", 3)])
def test_the_time_before_the_start_is_left_out(before: StatusStep) -> None:
    way = before, StatusStep("In Progress", 6)

    assert text_of(way, DayScale(200, 10)) == f"{'│':>61}{'':<19}{' ◐ In progress 6 days':<120}"


def test_the_name_of_a_status_takes_its_cells() -> None:
    assert cell_len(text_of((StatusStep("検査中", 9),), DayScale(60, 10))) == 60


@pytest.mark.parametrize(("scale", "first"), [(DayScale(100, 10), "1 Mar"), (DayScale(27, 9), "2 Mar")])
def test_the_axis_names_the_first_day_a_week_ago_and_today(scale: DayScale, first: str) -> None:
    axis = "".join(text for text, _ in day_axis(scale, date(2026, 3, 11)))

    assert axis == f"{first:<{scale.week}}│ a week ago{'today':>{scale.width - scale.week - 12}}"


def test_the_axis_of_a_tiny_bar_has_what_fits() -> None:
    assert "".join(text for text, _ in day_axis(DayScale(20, 10), date(2026, 3, 11))) == "1 Mar │        today"
    assert "".join(text for text, _ in day_axis(DayScale(18, 9), date(2026, 3, 11))) == f"{'│':>5}{'today':>13}"
