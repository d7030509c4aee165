"""Velocity and carry-over against numbers computed by hand."""

from datetime import date, timedelta

import pytest
from msgspec.structs import replace

from backlit.model.reports.daily import DayProgress
from backlit.model.reports.report import SAMPLE_NOTE, Bars, Measure
from backlit.model.reports.velocity import IterationRecord, last_day_of_work, velocity
from backlit.model.trees import NodeTotals

FIRST = date(2026, 1, 5)
TODAY = date(2026, 2, 20)


def run(
    number: int, recorded: list[tuple[int, float, float]], now: tuple[float, float] = (0.0, 0.0)
) -> IterationRecord:
    """A two-week iteration; its records by day from its start: scope and done."""
    start = FIRST + timedelta(days=14 * (number - 1))
    progress = [
        DayProgress(start + timedelta(days=offset), NodeTotals(9, scope), NodeTotals(4, done))
        for offset, scope, done in recorded
    ]
    return IterationRecord(
        f"Sprint {number}", start, start + timedelta(days=13), progress, DayProgress(TODAY, *map(totals, now))
    )


def totals(points: float) -> NodeTotals:
    return NodeTotals(1 if points else 0, points)


RUNS = [
    run(1, [(0, 30.0, 0.0), (13, 34.0, 27.0), (14, 20.0, 20.0)]),
    run(2, [(1, 28.0, 3.0), (10, 28.0, 19.0)]),
    run(3, [], now=(25.0, 20.0)),
    run(4, [(0, 32.0, 0.0), (4, 33.0, 5.0)]),
]
"""Sprint 4 is under way; 3 was never recorded; 2 not after its eleventh day; 1 was emptied after its end."""


def test_each_iteration_is_what_it_began_with_what_was_done_and_what_was_carried_over() -> None:
    report = velocity("all", RUNS, TODAY, Measure.POINTS)

    assert report.table.rows == (
        ("Sprint 1", 30.0, 4.0, 27.0, 7.0, date(2026, 1, 18)),
        ("Sprint 2", 28.0, 0.0, 19.0, 9.0, date(2026, 1, 29)),
        ("Sprint 3", None, None, 20.0, 5.0, "now"),
        ("Sprint 4", 32.0, 1.0, 5.0, 28.0, "today"),
    )
    assert isinstance(report.chart, Bars)
    assert [bar.values for bar in report.chart.bars] == [
        (27.0, 0.0, 7.0),
        (19.0, 0.0, 9.0),
        (20.0, 0.0, 5.0),
        (0.0, 5.0, 28.0),
    ]
    assert report.chart.line == 22.0


def test_the_average_is_of_the_finished_ones_only() -> None:
    assert velocity("all", RUNS, TODAY, Measure.POINTS).headline == (
        "22 pts on average over the last 3 finished iterations, 19–27 over all 3."
    )


def test_velocity_notes_unrecorded_iterations() -> None:
    missing = "shown in their current state, without moved-out work and with work completed later."

    assert velocity("all", RUNS, TODAY, Measure.POINTS).notes == (
        "Based on this machine's records: 2 of 3 finished iterations; the server keeps no history.",
        f"No record of 1 iteration: {missing}",
        "1 iteration without a record of the last days: see “As of”.",
    )


def test_an_iteration_that_ends_today_is_not_finished() -> None:
    report = velocity("all", RUNS[:2], RUNS[1].end, Measure.POINTS)

    assert report.headline == "27 pts in the only finished iteration."
    assert report.notes == ("Based on this machine's records: 1 of 1 finished iteration; the server keeps no history.",)
    assert velocity("all", RUNS[:1], RUNS[0].end, Measure.POINTS).notes == ()


@pytest.mark.parametrize(("end", "last"), [(4, 4), (6, 6), (7, 6), (8, 6), (9, 9)])
def test_the_last_day_of_work_is_the_friday_before_a_weekend(end: int, last: int) -> None:
    assert last_day_of_work(date(2026, 3, end)) == date(2026, 3, last)


NONE = "No velocity yet: no finished iteration has completed work."


@pytest.mark.parametrize(
    ("runs", "said"),
    [
        (RUNS[3:], NONE),
        (RUNS[:1], "27 pts in the only finished iteration."),
        ([run(1, [(13, 9.0, 0.5)])], "0.5 pts in the only finished iteration."),
        ([run(1, [(13, 9.0, 0.0)])], NONE),
        ([], NONE),
    ],
)
def test_there_may_be_too_few_for_an_average(runs: list[IterationRecord], said: str) -> None:
    assert velocity("all", runs, TODAY, Measure.POINTS).headline == said


def test_the_average_is_of_the_last_three_of_more() -> None:
    runs = [run(number, [(0, 40.0, 0.0), (13, 40.0, done)]) for number, done in ((1, 40.0), (2, 10.0), (3, 20.0))]
    fourth = replace(run(3, [(0, 40.0, 0.0), (13, 40.0, 33.0)]), name="Sprint 3b")
    report = velocity("all", [*runs, fourth], TODAY, Measure.POINTS, sample_until=FIRST)

    assert report.headline == "21 pts on average over the last 3 finished iterations, 10–40 over all 4."
    assert report.notes[0] == f"{SAMPLE_NOTE} up to 5 Jan."
    assert isinstance(report.chart, Bars)
    assert report.chart.is_in_time
    day_before = velocity("all", runs, TODAY, Measure.POINTS, sample_until=FIRST - timedelta(days=1))
    assert not any(SAMPLE_NOTE in note for note in day_before.notes)


def test_points_are_counted_if_any_iteration_has_an_estimate() -> None:
    unestimated = run(2, [(0, 0.0, 0.0), (13, 0.0, 0.0)])

    def measured(*runs: IterationRecord) -> list[tuple[object, ...]]:
        return [row[:4] for row in velocity("all", runs, TODAY, Measure.POINTS).table.rows]

    assert measured(RUNS[0], unestimated) == [("Sprint 1", 30.0, 4.0, 27.0), ("Sprint 2", 0.0, 0.0, 0.0)]
    assert measured(unestimated) == [("Sprint 2", 9.0, 0.0, 4.0)]


def test_items_are_counted_where_that_is_wanted() -> None:
    assert velocity("all", RUNS[:1], TODAY, Measure.ITEMS).table.rows == (
        ("Sprint 1", 9.0, 0.0, 4.0, 5.0, date(2026, 1, 18)),
    )


def test_an_iteration_without_anything_done_is_said_and_not_in_the_average() -> None:
    runs = [*RUNS[:2], run(3, [(0, 12.0, 0.0)])]
    idle = replace(runs[2], recorded=[replace(each, done=totals(0)) for each in runs[2].recorded])
    report = velocity("all", [*runs[:2], idle], TODAY, Measure.POINTS)

    assert report.headline == "23 pts on average over the last 2 finished iterations, 19–27 over all 2."
    assert report.notes[-1] == "1 iteration without completed work: not in the average."


def test_work_that_was_moved_out_at_the_end_is_left_and_earlier_records_do_not_count() -> None:
    early = run(1, [(-3, 99.0, 50.0), (0, 30.0, 0.0), (13, 34.0, 27.0)])
    report = velocity("all", [replace(early, carried=NodeTotals(2, 5.0))], TODAY, Measure.POINTS)

    assert report.table.rows == (("Sprint 1", 30.0, 9.0, 27.0, 12.0, date(2026, 1, 18)),)
    assert isinstance(report.chart, Bars)
    assert report.chart.bars[0].values == (27.0, 0.0, 12.0)
    assert report.notes[-1] == "1 iteration with work moved to a later one on the last day: counted as not completed."


def test_records_that_begin_in_the_middle_are_said() -> None:
    report = velocity("all", [run(1, [(5, 30.0, 10.0), (13, 30.0, 27.0)])], TODAY, Measure.POINTS)

    assert report.table.rows[0][:4] == ("Sprint 1", 30.0, 0.0, 27.0)
    assert report.notes[-1].startswith("1 iteration without a record of the first days: “Committed” is")


@pytest.mark.parametrize(("first", "last", "lacking"), [(2, 11, (False, False)), (3, 10, (True, True))])
def test_two_days_at_either_end_may_lack_a_record(first: int, last: int, lacking: tuple[bool, bool]) -> None:
    found = run(1, [(first, 30.0, 0.0), (last, 30.0, 9.0)])

    assert (found.lacks_first_days, found.lacks_last_days) == lacking
