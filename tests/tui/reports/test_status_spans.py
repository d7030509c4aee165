"""The ways of items as bars of spans."""

import pytest

from backlit.model.reports.report import StatusStep
from backlit.model.statuses import StatusGroups
from backlit.tui.reports.status_spans import day_axis, shown_days, span_bar

GROUPS = StatusGroups()
LATE = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", "1d", 1), StatusStep("Ready For Test", "9d", 9)


def test_bars_go_back_to_the_first_start_but_not_further_than_four_weeks() -> None:
    stuck = StatusStep("In Progress", "90d", 90)

    assert [shown_days([each], GROUPS, 80) for each in (LATE, (stuck,), ())] == [10, 28, 9]
    assert shown_days([(stuck,)], GROUPS, 30) == 14


def test_the_present_span_is_red_where_it_is_over_a_week() -> None:
    assert span_bar(LATE, GROUPS, 10, 80) == [
        (" ◐ 1d   ", "status-progress on key-background"),
        (" 2 days over    ", "background on bar-over"),
        ("│", "muted on span-test"),
        (" ◑ Testing" + " " * 45, "status-test on span-test"),
    ]


def test_the_days_over_a_week_stand_behind_the_status_where_the_red_part_has_no_room() -> None:
    assert span_bar(LATE, GROUPS, 10, 50)[1:] == [
        (" " * 10, "background on bar-over"),
        ("│", "muted on span-test"),
        (" ◑ Testing", "status-test on span-test"),
        ("  2 days over" + " " * 11, "conflict on span-test"),
    ]


def test_the_days_over_a_week_are_brief_in_a_narrow_bar() -> None:
    way = (StatusStep("In Progress", "200d", 200),)
    ready = StatusStep("In Progress", "1d", 1), StatusStep("In Progress", "8d", 8)

    assert span_bar(way, GROUPS, 14, 30)[0] == (f"{' ← +193d':<15}", "background on bar-over")
    assert span_bar(ready, GROUPS, 9, 30)[-1] == ("  +1d   ", "conflict on span-progress")


def test_a_span_that_is_not_over_a_week_stays_behind_the_line_and_has_no_red() -> None:
    way = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", "5d", 5)

    assert span_bar(way, GROUPS, 28, 30) == [
        (" ← ○ Not done 90d     ", "muted on bar-track"),
        ("│", "muted on span-progress"),
        (" ◐     ", "status-progress on span-progress"),
    ]


def test_a_span_from_before_the_first_day_says_so() -> None:
    way = (StatusStep("In Progress", "40d", 40),)

    assert span_bar(way, GROUPS, 28, 70)[0] == (f"{' ← 33 days over':<52}", "background on bar-over")


def test_the_axis_names_the_first_day_a_week_ago_and_today() -> None:
    assert "".join(text for text, _ in day_axis(10, 50)) == "10 days ago    │ a week ago" + f"{'today':>23}"
    assert "".join(text for text, _ in day_axis(28, 30)) == "28d ago    a week ago │  today"
    assert "".join(text for text, _ in day_axis(14, 30)) == "    a week ago │         today"


@pytest.mark.parametrize("days", [3, 0])
def test_a_present_span_is_as_long_as_its_status_at_least(days: int) -> None:
    way = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", f"{days}d", days)

    assert "".join(each for each, _ in span_bar(way, GROUPS, 9, 36)) == " ← ○ 90d│             ◐ In progress "


def test_the_line_of_a_week_ago_crosses_a_span_that_is_not_over_it() -> None:
    way = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", "2d", 2)

    assert next(each for each, look in span_bar(way, GROUPS, 14, 56) if look == "muted on bar-track")[28] == "│"
