"""Load, estimates and ages against numbers computed by hand."""

from datetime import date

import pytest
from msgspec.structs import replace

from backlit.model.reports.formats import FORMATS
from backlit.model.reports.open_items import (
    EstimateCount,
    OpenWorkload,
    StatusStart,
    TimeInStatus,
    age,
    estimates,
    load_by_area,
    load_by_person,
)
from backlit.model.reports.report import Bars, Measure, Report
from backlit.model.trees import NodeTotals

TODAY = date(2026, 3, 11)
LOADS = [
    OpenWorkload("ada", waiting=NodeTotals(2, 5.0)),
    OpenWorkload("jon", started=NodeTotals(1, 8.0), tested=NodeTotals(1, 3.0), waiting=NodeTotals(1, 2.0), hours=6.5),
    OpenWorkload("maya", hours=0.0),
    OpenWorkload("nobody", waiting=NodeTotals(3, 0.0), hours=2.0),
]


def bars(report: Report) -> dict[str, tuple[float, ...]]:
    assert isinstance(report.chart, Bars)
    return {bar.label: bar.values for bar in report.chart.bars}


def test_load_is_shown_for_those_who_have_any_the_most_first() -> None:
    report = load_by_person("Sprint 9", LOADS, Measure.POINTS)

    assert report.table.rows == (
        ("jon", 72.0, 13.0, 3.0, 6.5),
        ("ada", 28.0, 5.0, 2.0, 0.0),
        ("nobody", 0.0, 0.0, 3.0, 2.0),
    )
    assert bars(report) == {"jon": (8.0, 3.0, 2.0), "ada": (0.0, 0.0, 5.0), "nobody": (0.0, 0.0, 0.0)}
    assert report.headline == "18 pts open, most with jon (13); 8.5 hours of tasks remaining."


def test_shares_are_shown_and_are_in_no_csv() -> None:
    report = load_by_person("Sprint 9", LOADS, Measure.POINTS)

    assert [column.title for column in report.table.columns] == ["Person", "%", "Pts", "Items", "Hours"]
    assert FORMATS[".csv"](report).splitlines()[0] == "Person,Pts,Items,Hours"
    assert {line.count(",") for line in FORMATS[".csv"](report).splitlines()} == {3}


def test_a_person_with_hours_of_tasks_only_is_shown() -> None:
    report = load_by_person("Sprint 9", [OpenWorkload("eve", hours=3.0), *LOADS], Measure.POINTS)

    assert report.table.rows[-1] == ("eve", 0.0, 0.0, 0.0, 3.0)


def test_the_headline_names_the_most_loaded_of_several() -> None:
    one = load_by_person("Sprint 9", [LOADS[0]], Measure.ITEMS)

    assert "most" not in one.headline


@pytest.mark.parametrize(
    ("loads", "headline"),
    [
        ([OpenWorkload("ada", waiting=NodeTotals(1, 1.0))], "1 pt open."),
        ([OpenWorkload("ada", waiting=NodeTotals(1, 2.0), hours=1.0)], "2 pts open; 1 hour of tasks remaining."),
        ([OpenWorkload("ada", waiting=NodeTotals(1, 0.0)), OpenWorkload("jon")], "1 item open."),
        ([OpenWorkload("ada", hours=2.0)], "0 items open; 2 hours of tasks remaining."),
    ],
)
def test_the_headline_names_hours_only_where_tasks_have_some(loads: list[OpenWorkload], headline: str) -> None:
    assert load_by_area("Sprint 9", loads, Measure.POINTS).headline == headline


def test_load_may_be_counted_in_items() -> None:
    report = load_by_area("Sprint 9", LOADS, Measure.ITEMS)

    assert bars(report) == {"jon": (1.0, 1.0, 1.0), "nobody": (0.0, 0.0, 3.0), "ada": (0.0, 0.0, 2.0)}
    assert report.headline.startswith("8 items open, most in jon (3)")


def test_the_headline_of_estimates_says_none_without_a_number() -> None:
    complete = estimates("Sprint 9", [EstimateCount(2.0, True, 2)])

    assert complete.headline == "Half are 2 pts or less, the largest 2; every open item has a number."


def test_estimates_are_counted_by_size_those_without_a_number_last() -> None:
    sizes = [
        EstimateCount(None, False, 4),
        EstimateCount(8.0, True, 1),
        EstimateCount(1.0, True, 2),
        EstimateCount(None, True, 1),
        EstimateCount(3.0, True, 2),
    ]
    report = estimates("whole backlog", sizes)

    assert report.table.rows == (
        ("1", 2.0, 2.0, 20.0),
        ("3", 2.0, 6.0, 20.0),
        ("8", 1.0, 8.0, 10.0),
        ("no number", 1.0, None, 10.0),
        ("not set", 4.0, None, 40.0),
    )
    assert report.headline == "Half are 3 pts or less, the largest 8; 5 of 10 open items have no number."


@pytest.mark.parametrize(("counts", "shares"), [((3,), [100.0]), ((1, 2), [33.0, 67.0]), ((1, 199), [0.0, 100.0])])
def test_shares_of_estimates_are_whole_per_cent(counts: tuple[int, ...], shares: list[float]) -> None:
    sizes = [EstimateCount(float(points), True, count) for points, count in enumerate(counts)]

    assert [row[3] for row in estimates("whole backlog", sizes).table.rows] == shares


def test_half_of_an_even_number_of_estimates_is_the_smaller_one() -> None:
    report = estimates("whole backlog", [EstimateCount(1.0, True, 2), EstimateCount(3.0, True, 2)])

    assert report.headline.startswith("Half are 1 pt or less, the largest 3;")


@pytest.mark.parametrize(
    ("is_exact", "sample_until", "notes"),
    [
        ([True], None, ["Based on"]),
        ([False], TODAY, ["“Or before”"]),
        ([True, False], date(2026, 3, 3), ["Based on", "“Or before”"]),
        ([True, False], date(2026, 3, 4), ["Demo data up to 4 Mar.", "Based on", "“Or before”"]),
    ],
)
def test_age_report_names_the_origin_of_its_days(
    is_exact: list[bool], sample_until: date | None, notes: list[str]
) -> None:
    since = date(2026, 3, 4)
    stays = [replace(stay(number, since), is_exact=each) for number, each in enumerate(is_exact)]

    found = age("Sprint 9", stays, TODAY, sample_until).notes
    assert [text.startswith(begin) for text, begin in zip(found, notes, strict=True)] == [True] * len(notes)


@pytest.mark.parametrize(("is_exact", "since"), [(True, "4 Mar"), (False, "4 Mar or before")])
def test_age_report_shows_each_item_with_its_owner_and_first_day(is_exact: bool, since: str) -> None:
    item = replace(stay(7, date(2026, 3, 4)), is_exact=is_exact, type="Bug")
    report = age("Sprint 9", [item], TODAY)

    assert report.table.rows == ((7.0, "#7", "Item 7", "in progress", "jon", since),)
    assert report.table.item_types == ("Bug",)
    assert report.headline == "0 of 1 started item in the same status for over a week, the oldest for 7 days."


def test_estimates_without_any_number_say_so() -> None:
    report = estimates("Sprint 9", [EstimateCount(None, True, 1), EstimateCount(None, False, 3)])

    assert report.headline == "4 of 4 open items have no number."


@pytest.mark.parametrize("sizes", [[], [EstimateCount(None, False, 0)]])
def test_reports_say_that_nothing_is_open(sizes: list[EstimateCount]) -> None:
    assert estimates("Sprint 9", []).headline == "No open items."
    assert load_by_person("Sprint 9", [], Measure.POINTS).headline == "No open items."
    assert age("Sprint 9", [], TODAY).headline == "Nothing is in progress."


def stay(item_id: int, since: date) -> TimeInStatus:
    return TimeInStatus(item_id, f"Item {item_id}", "in progress", "jon", since)


def test_an_item_that_changed_after_today_has_no_age() -> None:
    stay = TimeInStatus(1, "Item 1", "Doing", "jon", date(2026, 3, 12))

    assert [stay.days(date(2026, 3, day)) for day in (11, 12, 14)] == [0, 0, 2]


OPENED, ACTIVATED = date(2026, 2, 27), date(2026, 3, 2)


@pytest.mark.parametrize(
    ("before", "is_exact", "created", "way"),
    [
        ((), True, None, [("not-started", "8d")]),
        ((), False, date(2026, 3, 1), [("", "created 2d before"), ("not-started", "at least 8d")]),
        (
            (StatusStart(OPENED, "Open"), StatusStart(date(2026, 2, 28), "Open"), StatusStart(ACTIVATED, "Active")),
            True,
            None,
            [("Open", "3d"), ("Active", "1d"), ("not-started", "8d")],
        ),
        (
            (StatusStart(OPENED, "Open", is_exact=False), StatusStart(ACTIVATED, "Active")),
            False,
            None,
            [("Open", "at least 3d"), ("Active", "at most 1d"), ("not-started", "at least 8d")],
        ),
        (
            (StatusStart(OPENED, "Open", is_exact=False), StatusStart(ACTIVATED, "Active", is_exact=False)),
            True,
            None,
            [("Open", "about 3d"), ("Active", "at least 1d"), ("not-started", "8d")],
        ),
    ],
)
def test_age_report_tells_the_statuses_of_each_item(
    before: tuple[StatusStart, ...], is_exact: bool, created: date | None, way: list[tuple[str, str]]
) -> None:
    item = replace(stay(1, date(2026, 3, 3)), status="not-started", is_exact=is_exact, created=created, before=before)

    (found,) = age("Sprint 9", [item], TODAY).table.item_ways
    assert [(each.status, each.words) for each in found] == way


def test_age_report_lists_the_oldest_first_with_item_ids() -> None:
    stays = [
        stay(1, TODAY),
        stay(2, date(2026, 3, 4)),
        stay(3, date(2026, 1, 1)),
        stay(4, date(2026, 3, 3)),
    ]
    report = age("Sprint 9", stays, TODAY)

    assert [row[0] for row in report.table.rows] == [69.0, 8.0, 7.0, 0.0]
    assert report.table.item_ids == (3, 4, 2, 1)
    assert bars(report) == {"#3 Item 3": (7, 62), "#4 Item 4": (7, 1), "#2 Item 2": (7, 0), "#1 Item 1": (0, 0)}
    assert report.headline == "2 of 4 started items in the same status for over a week, the oldest for 69 days."
