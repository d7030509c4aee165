"""The ways of items as bars of spans."""

import pytest

from backlit.model.reports.report import StatusStep
from backlit.model.statuses import StatusGroups
from backlit.tui.reports.status_spans import shown_days, span_bar

GROUPS = StatusGroups()
LATE = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", "1d", 1), StatusStep("Ready For Test", "9d", 9)


def test_bars_go_back_to_the_first_start_but_not_further_than_four_weeks() -> None:
    stuck = StatusStep("In Progress", "90d", 90)

    assert [shown_days([each], GROUPS) for each in (LATE, (stuck,), ())] == [10, 28, 9]


def test_the_present_span_is_red_where_it_is_over_a_week() -> None:
    assert span_bar(LATE, GROUPS, 10, 50) == [
        (" ◐ 1d", "status-progress on key-background"),
        (" 2d over  ", "background on bar-over"),
        (" ◑ Testing" + " " * 25, "background on status-test"),
    ]


@pytest.mark.parametrize("days", [3, 0])
def test_a_present_span_is_as_long_as_its_status_at_least(days: int) -> None:
    way = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", f"{days}d", days)

    assert "".join(each for each, _ in span_bar(way, GROUPS, 9, 36)) == " ○ 90d  │             ◐ In progress "


def test_the_line_of_a_week_ago_crosses_a_span_that_is_not_over_it() -> None:
    way = StatusStep("Not Done", "90d", 90), StatusStep("In Progress", "2d", 2)

    assert [each for each, look in span_bar(way, GROUPS, 14, 56) if look == "foreground on bar-track"] == ["│"]
