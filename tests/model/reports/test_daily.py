"""Burndown, burnup and scope change against numbers computed by hand on a small history."""

from collections.abc import Callable
from datetime import date

import pytest
from msgspec.structs import replace

from backlit.model.reports.daily import (
    IN_OUT_ITEMS_NOTE,
    IN_OUT_NOTE,
    NET_CHANGE_NOTE,
    DayProgress,
    RecordedPeriod,
    ScopeFlow,
    burndown,
    burnup,
    flow_of,
    scope_change,
)
from backlit.model.reports.formats import as_svg
from backlit.model.reports.report import Measure, Report, Timeline
from backlit.model.trees import NodeTotals

MONDAY, THURSDAY, FRIDAY = date(2026, 3, 2), date(2026, 3, 5), date(2026, 3, 6)


def day(number: int) -> date:
    return date(2026, 3, number)


def progress(number: int, scope: tuple[int, float], done: tuple[int, float]) -> DayProgress:
    return DayProgress(day(number), NodeTotals(*scope), NodeTotals(*done))


HISTORY = (
    progress(1, (7, 30.0), (0, 0.0)),
    progress(2, (8, 40.0), (0, 0.0)),
    progress(3, (8, 40.0), (2, 8.0)),
    progress(5, (9, 45.0), (5, 20.0)),
)
"""A five-day iteration seen on Thursday: nothing was recorded on Wednesday; Sunday is before it."""
SIX_DAYS = (*HISTORY, progress(6, (8, 42.0), (6, 22.0)))


def course(
    history: tuple[DayProgress, ...] = HISTORY, today: date = THURSDAY, sample_until: date | None = None
) -> RecordedPeriod:
    return RecordedPeriod("Sprint 9", MONDAY, FRIDAY, today, history, sample_until)


def timeline(report: Report) -> Timeline:
    assert isinstance(report.chart, Timeline)
    return report.chart


@pytest.mark.parametrize(
    ("before", "after", "flow"),
    [
        (None, None, ScopeFlow()),
        (None, 0.0, ScopeFlow(came=NodeTotals(1, 0.0))),
        (None, 3.0, ScopeFlow(came=NodeTotals(1, 3.0))),
        (0.0, None, ScopeFlow(went=NodeTotals(1, 0.0))),
        (3.0, None, ScopeFlow(went=NodeTotals(1, 3.0))),
        (3.0, 5.0, ScopeFlow(sized=2.0)),
        (3.0, 0.0, ScopeFlow(sized=-3.0)),
    ],
)
def test_an_item_comes_goes_or_changes_its_size(before: float | None, after: float | None, flow: ScopeFlow) -> None:
    assert flow_of(before, after) == flow


def test_the_burndown_is_what_is_left_day_by_day() -> None:
    report = burndown(course())

    assert report.table.rows == (
        (day(2), 40.0, 0.0, 32.0),
        (day(3), 32.0, 8.0, 24.0),
        (day(4), None, None, 16.0),
        (day(5), 25.0, 20.0, 8.0),
    )
    assert report.headline == "25 of 45 pts left today, 17 pts behind."


def test_a_day_without_a_record_is_a_gap_in_the_chart_and_named() -> None:
    report = burndown(course())

    assert timeline(report).bars.values == (40.0, 32.0, None, 25.0, None)
    assert timeline(report).gaps == {day(4)}
    assert report.notes[:2] == (
        "Based on this machine's records of 3 of 4 days; the server keeps no history.",
        "No data for 4 Mar (backlit was not running).",
    )


def test_today_is_a_gap_until_it_is_recorded() -> None:
    assert course(HISTORY[:3]).gaps == (day(4), day(5))


def test_the_straight_line_falls_to_nothing_on_the_last_day() -> None:
    line, _scope = timeline(burndown(course())).lines

    assert line.values == (32.0, 24.0, 16.0, 8.0, 0.0)


def test_the_burnup_is_what_is_done_under_the_scope_of_the_day() -> None:
    report = burnup(course())

    assert report.table.rows == (
        (day(2), 0.0, 40.0, 0.0),
        (day(3), 8.0, 40.0, 20.0),
        (day(4), None, None, None),
        (day(5), 20.0, 45.0, 44.0),
    )
    assert timeline(report).lines[0].values == (40.0, 40.0, None, 45.0, None)
    assert report.headline == "20 of 45 pts done today; +20 since 2 Mar."


def test_the_scope_changes_from_one_record_to_the_next() -> None:
    report = scope_change(course(SIX_DAYS, today=day(6)))

    assert [row[2] for row in report.table.rows] == [None, 0.0, None, 5.0, -3.0]
    assert [row[3:6] for row in report.table.rows] == [(None, None, None)] * 5
    assert report.headline == "42 pts, +2 since 2 Mar; additions and removals were not recorded."
    assert report.notes[-1].startswith("A – in In and Out: only the net change was recorded")


def test_scope_report_separates_added_and_removed_items_if_logged() -> None:
    report = scope_change(replace(course(SIX_DAYS, today=day(6)), flows=FLOWS))

    assert [row[1:6] for row in report.table.rows] == [
        (40.0, None, None, None, None),
        (40.0, 0.0, 5.0, 5.0, 0.0),
        (None, None, None, None, None),
        (45.0, 5.0, 8.0, 1.0, -2.0),
        (42.0, -3.0, 0.0, 3.0, 0.0),
    ]
    assert report.headline == (
        "42 pts; since 2 Mar 13 pts in 3 items added, 9 pts in 3 items removed, −2 by new estimates."
    )


def test_records_beyond_the_days_of_the_course_do_not_count() -> None:
    late = progress(9, (1, 1.0), (1, 1.0))

    for report in (burndown, burnup, scope_change):
        assert report(course((*SIX_DAYS, late), day(9))) == report(course(SIX_DAYS, day(9)))
    unestimated = (progress(1, (7, 30.0), (0, 0.0)), progress(2, (8, 0.0), (0, 0.0)))
    assert burndown(course(unestimated, day(2))).headline.startswith("8 of 8 items left today")


def test_a_change_that_the_log_does_not_explain_is_named_apart() -> None:
    history = (progress(2, (4, 20.0), (0, 0.0)), progress(3, (4, 20.0), (0, 0.0)), progress(5, (5, 25.0), (0, 0.0)))
    known = replace(course(history), flows={day(5): ScopeFlow(came=NodeTotals(1, 5.0))})
    wrong = replace(course(history), flows={day(5): ScopeFlow(came=NodeTotals(1, 4.0))})

    report = scope_change(known)
    said = "25 pts; since 2 Mar 5 pts in 1 item added, nothing removed, ±0 of it as net change only."
    assert (report.headline, report.notes[-2:]) == (said, (IN_OUT_NOTE, NET_CHANGE_NOTE))
    assert scope_change(wrong).headline == "25 pts, +5 since 2 Mar; additions and removals were not recorded."
    assert scope_change(wrong).notes[-1] == NET_CHANGE_NOTE
    assert IN_OUT_NOTE not in scope_change(wrong).notes


def test_scope_log_is_used_only_when_it_explains_the_whole_change() -> None:
    flows = {
        day(3): ScopeFlow(),
        day(5): ScopeFlow(came=NodeTotals(2, 5.0)),
        day(6): ScopeFlow(went=NodeTotals(1, 3.0)),
    }
    report = scope_change(replace(course(SIX_DAYS, today=day(6)), flows=flows))

    assert [row[3] for row in report.table.rows] == [None, 0.0, None, None, 0.0]
    assert report.headline == (
        "42 pts; since 2 Mar nothing added, 3 pts in 1 item removed, +5 of it as net change only."
    )


def test_records_that_begin_in_the_middle_make_a_line_from_what_there_was_then() -> None:
    report = burndown(course(HISTORY[2:]))

    assert [row[1:] for row in report.table.rows] == [
        (None, None, 32.0),
        (32.0, 8.0, 24.0),
        (None, None, 16.0),
        (25.0, 20.0, 8.0),
    ]
    assert report.notes[1:] == (
        "No data for 2 Mar, 4 Mar (backlit was not running).",
        "The ideal line falls evenly from 40 pts, the scope first recorded on 3 Mar.",
    )


def test_burndown_rises_for_reopened_items() -> None:
    history = (progress(2, (4, 20.0), (0, 0.0)), progress(3, (4, 20.0), (3, 12.0)), progress(4, (4, 20.0), (1, 5.0)))

    assert [row[1] for row in burndown(course(history)).table.rows] == [20.0, 8.0, 15.0, None]
    assert burnup(course(history)).headline == "5 of 20 pts done on 4 Mar; +5 since 2 Mar."


def test_all_is_done_only_where_nothing_is_left() -> None:
    history = (progress(2, (300, 300.0), (299, 299.0)), progress(3, (300, 300.0), (300, 300.0)))

    assert [row[3] for row in burnup(course(history)).table.rows[:2]] == [99.0, 100.0]


def test_items_are_counted_where_that_is_wanted_or_nothing_is_estimated() -> None:
    unestimated = tuple(
        DayProgress(each.day, NodeTotals(each.scope.count), NodeTotals(each.done.count)) for each in HISTORY
    )

    assert burndown(course(), Measure.ITEMS).headline == "4 of 9 items left today, 2.4 items behind."
    assert burndown(course(unestimated)).headline == "4 of 9 items left today, 2.4 items behind."


def test_without_a_record_nothing_is_drawn_and_that_is_said() -> None:
    report = burndown(course(()))

    assert report.headline == "No data yet. Recording starts with the next sync."
    assert timeline(report).bars.values == (None,) * 5
    assert timeline(report).lines[0].values == (None,) * 5
    assert report.notes == ("Based on this machine's records of 0 of 4 days; the server keeps no history.",)


@pytest.mark.parametrize("report", [burndown, burnup, scope_change])
def test_a_chart_without_records_is_empty_and_still_drawn(report: Callable[[RecordedPeriod], Report]) -> None:
    empty, drawn = report(course(())), report(course())

    assert [each.chart.is_empty for each in (empty, drawn)] == [True, False]
    assert [each.has_hidden_notes for each in (empty, drawn)] == [False, True]
    assert "<rect" in as_svg(empty)


def test_unrecorded_iteration_reports_its_current_state() -> None:
    now = progress(9, (5, 21.0), (4, 16.0))
    unestimated = progress(9, (5, 0.0), (4, 0.0))

    assert burnup(RecordedPeriod("Sprint 9", MONDAY, FRIDAY, day(9), (), now=now)).headline == (
        "It has ended, and no day was recorded. Currently 16 of 21 pts are done."
    )
    assert burndown(RecordedPeriod("Sprint 9", MONDAY, FRIDAY, day(1), (), now=unestimated)).headline == (
        "It has not started. Currently 4 of 5 items are done."
    )


def test_a_period_has_no_line_to_fall_along() -> None:
    report = burndown(RecordedPeriod("90 days", MONDAY, THURSDAY, THURSDAY, HISTORY, is_period=True))

    assert timeline(report).lines == ()
    assert report.headline == "25 of 45 pts left today."
    assert [column.title for column in report.table.columns] == ["Day", "Remaining", "Done"]
    assert report.table.rows[0] == (day(2), 40.0, 0.0)


def test_an_iteration_to_come_has_no_gaps() -> None:
    report = burnup(course((), today=date(2026, 2, 1)))

    assert timeline(report).gaps == frozenset()
    assert report.notes == ("Starts on 2 Mar; no data yet.",)


def test_made_up_records_are_called_so_where_any_are_shown() -> None:
    said = "Demo data up to 3 Mar."

    assert said in burndown(course(sample_until=day(3))).notes
    assert said.replace("3 Mar", "2 Mar") in burndown(course(sample_until=day(2))).notes
    assert said.replace("3 Mar", "1 Mar") not in burndown(course(sample_until=day(1))).notes


FLOWS = {
    day(3): ScopeFlow(NodeTotals(1, 5.0), NodeTotals(1, 5.0)),
    day(5): ScopeFlow(NodeTotals(2, 8.0), NodeTotals(1, 1.0), -2.0),
    day(6): ScopeFlow(went=NodeTotals(1, 3.0)),
}
TWO_DAYS = (progress(2, (4, 20.0), (3, 12.0)), progress(5, (4, 20.0), (1, 5.0)))


@pytest.mark.parametrize(
    ("report", "history", "headline"),
    [
        (burndown, HISTORY[:3], "32 of 40 pts left on 3 Mar, 8 pts behind."),
        (burndown, (progress(2, (8, 40.0), (1, 8.0)),), "32 of 40 pts left on 2 Mar, on the ideal line."),
        (
            burndown,
            (progress(5, (8, 40.0), (5, 38.0)),),
            "2 of 40 pts left today, 6 pts ahead.",
        ),
        (burnup, HISTORY[:2], "0 of 40 pts done on 2 Mar."),
        (burnup, HISTORY[3:], "20 of 45 pts done today."),
        (burnup, TWO_DAYS, "5 of 20 pts done today; −7 since 2 Mar."),
        (scope_change, HISTORY[:2], "40 pts on 2 Mar; a change needs a second record."),
        (scope_change, TWO_DAYS, "20 pts, ±0 since 2 Mar; additions and removals were not recorded."),
    ],
)
def test_the_headline_says_the_last_record_and_the_way_to_it(
    report: Callable[[RecordedPeriod], Report], history: tuple[DayProgress, ...], headline: str
) -> None:
    assert report(course(history)).headline == headline


@pytest.mark.parametrize("report", [burndown, burnup, scope_change])
@pytest.mark.parametrize(
    ("today", "said"),
    [
        (day(1), "It has not started."),
        (day(2), "No data yet. Recording starts with the next sync."),
        (day(6), "No data yet. Recording starts with the next sync."),
        (day(7), "It has ended, and no day was recorded."),
    ],
)
def test_a_period_without_records_says_where_it_stands(
    report: Callable[[RecordedPeriod], Report], today: date, said: str
) -> None:
    empty, now = progress(9, (0, 0.0), (0, 0.0)), progress(9, (5, 21.0), (4, 16.0))

    assert report(course((), today)).headline == report(replace(course((), today), now=empty)).headline == said
    whole = f"{said} Currently 16 of 21 pts are done."
    assert report(replace(course((), today), now=now)).headline == whole


def test_the_scope_in_items_has_no_columns_of_points() -> None:
    recorded = replace(course(SIX_DAYS, today=day(6)), flows=FLOWS)
    items, points = scope_change(recorded, Measure.ITEMS), scope_change(recorded)

    assert items.headline == "8 items; since 2 Mar 3 added, 3 removed."
    assert items.table.rows[3] == (day(5), 9.0, 1.0, 2.0, 1.0)
    assert points.table.rows[3] == (day(5), 45.0, 5.0, 8.0, 1.0, -2.0, 9.0)
    assert [len(each.table.columns) for each in (items, points)] == [5, 7]
    assert timeline(points).bars.values == (40.0, 40.0, None, 45.0, 42.0)
    assert [line.values for line in timeline(points).lines] == [(40.0,) * 5]
    assert timeline(points).gaps == timeline(burnup(recorded)).gaps == {day(4)}


@pytest.mark.parametrize(
    ("days", "measure", "notes"),
    [
        ((3, 5, 6), Measure.POINTS, (IN_OUT_NOTE,)),
        ((3, 5, 6), Measure.ITEMS, (IN_OUT_ITEMS_NOTE,)),
        ((5,), Measure.POINTS, (IN_OUT_NOTE, NET_CHANGE_NOTE)),
        ((), Measure.POINTS, (NET_CHANGE_NOTE,)),
    ],
)
def test_the_notes_explain_the_columns_of_the_scope(
    days: tuple[int, ...], measure: Measure, notes: tuple[str, ...]
) -> None:
    recorded = replace(course(SIX_DAYS, today=day(6)), flows={day(each): FLOWS[day(each)] for each in days})

    assert scope_change(recorded, measure).notes[2:] == notes
    assert scope_change(course(HISTORY[:2])).notes[2:] == ()


def test_the_figures_of_a_burndown_are_what_is_left_and_how_far_it_is_from_the_ideal_line() -> None:
    report = burndown(course())
    left, apart = report.figures

    assert f"{left.number} of" in report.headline
    assert (
        f"{apart.number} pts {apart.words}" in report.headline or f"{apart.number} pt {apart.words}" in report.headline
    )
    assert dict(report.facts).keys() >= {"Scope"}
