"""Documents as they are drawn: the sentence, the chart, the table and the figures of each report."""

from datetime import date, datetime

import pytest
from msgspec.structs import replace
from tests.model.reports.documents import MONDAY, burndown, day, document, week

from backlit.model.errors import ServiceError
from backlit.model.reports.document import NOT_COMMITTED, CellValue, FigureSource, ReportDocument, read_document
from backlit.model.reports.names import ReportName, ReportUnit
from backlit.model.reports.presentation import PRESENTED, present
from backlit.model.reports.report import Bars, Report, StatusStep, Timeline

VELOCITY_COLUMNS = ("Iteration", "Committed", "Change", "Done", "Remaining", "Late", "As of")


def timeline(report: Report) -> Timeline:
    assert isinstance(report.chart, Timeline)
    return report.chart


def bars(report: Report) -> Bars:
    assert isinstance(report.chart, Bars)
    return report.chart


def test_a_burndown_says_what_remains_and_how_far_it_is_from_the_ideal_line() -> None:
    report = present(burndown())

    assert report.headline == "25 of 45 pts remaining today, 17 behind the ideal line."
    assert [(figure.number, figure.words, figure.more) for figure in report.figures] == [
        ("25", "pts remaining", "of 45"),
        ("17", "behind", "ideal 8"),
    ]
    assert report.facts == (("Scope", "40 → 45"), ("Time left", "1 working day"))


def test_a_burndown_shows_the_days_up_to_today_and_charts_all() -> None:
    report = present(burndown())

    assert [row[0] for row in report.table.rows] == [day(2), day(3), day(4), day(5)]
    assert timeline(report).days == tuple(week())
    assert timeline(report).lines[1].values == (40.0, 40.0, 40.0, 45.0, None, None, None)


def test_an_ended_burndown_says_what_it_ended_with() -> None:
    report = present(burndown(as_of=datetime(2026, 3, 20, 12)))

    assert report.headline == "Ended with 25 of 45 pts remaining."


@pytest.mark.parametrize(
    ("behind", "words"), [(-2.0, "2 ahead of the ideal line"), (0.0, "on the ideal line"), (None, "today.")]
)
def test_a_burndown_may_be_ahead_or_have_no_line(behind: float | None, words: str) -> None:
    assert words in present(burndown(behind=behind)).headline


def test_nothing_is_behind_on_the_first_day_of_the_ideal_line() -> None:
    first = present(burndown((40.0, *[None] * 6), (0.0, *[None] * 6), as_of=datetime(2026, 3, 2, 9), behind=8.0))

    assert first.headline == "40 of 40 pts remaining today."
    assert [figure.words for figure in first.figures] == ["pts remaining"]
    assert not timeline(first).has_gap
    assert timeline(present(burndown())).has_gap


def test_a_burndown_of_hours_names_them() -> None:
    rows: list[tuple[CellValue, ...]] = [(MONDAY, 10.0, 3.0, 0.0)]
    hours = document(
        ReportName.BURNDOWN, ("Day", "Remaining", "Completed", "Ideal"), rows, {"behind": 10.0}, unit=ReportUnit.HOURS
    )

    assert present(hours).headline == "Ended with 10 h remaining."


def test_days_before_the_history_are_gaps_and_those_after_a_close_are_none() -> None:
    report = present(burndown((None, 32.0, 28.0, None, None, None, None), (None, 8.0, 8.0, None, None, None, None)))

    assert timeline(report).gaps == {day(2)}


@pytest.mark.parametrize(
    ("source", "title", "words"),
    [
        (FigureSource.HISTORY, "Burndown: Sprint 9", "history of the server"),
        (FigureSource.MACHINE, "Burndown · this machine's records: Sprint 9", "this machine's records"),
        (FigureSource.NOW, "Burndown: Sprint 9", "state of now"),
    ],
)
def test_a_report_names_its_source_and_is_hollow_without_the_history(
    source: FigureSource, title: str, words: str
) -> None:
    report = present(burndown(source=source))

    assert report.title == title
    assert report.notes[0] == f"Source: {words}."
    assert timeline(report).is_hollow is (source is not FigureSource.HISTORY)


def test_a_burnup_says_how_much_of_the_scope_is_done() -> None:
    rows: list[tuple[CellValue, ...]] = [(MONDAY, 8.0, 40.0, 20.0), (day(3), 29.9, 45.0, 66.4)]

    assert present(document(ReportName.BURNUP, ("Day", "Done", "Scope", "%"), rows)).headline == (
        "29.9 of 45 pts done on 3 Mar (66 %)."
    )


@pytest.mark.parametrize(
    ("done", "scope", "words"),
    [(3.0, 7.0, "(43 %)"), (199.5, 200.0, "(99 %)"), (200.0, 200.0, "(100 %)"), (1.0, 1.0, "1 of 1 item done")],
)
def test_a_burnup_rounds_its_share_and_has_all_only_at_the_end(done: float, scope: float, words: str) -> None:
    rows: list[tuple[CellValue, ...]] = [(MONDAY, done, scope, None)]
    answer = document(ReportName.BURNUP, ("Day", "Done", "Scope", "%"), rows, unit=ReportUnit.ITEMS)

    assert words in present(answer).headline


SCOPE_COLUMNS = ("Day", "Scope", "Change", *("Added", "Moved in", "Moved out", "Re-estimated", "Deferred", "Deleted"))


def scope(**summary: float | None) -> ReportDocument:
    rows: list[tuple[CellValue, ...]] = [(MONDAY, 55.0, *[0.0] * 7)]
    return document(ReportName.SCOPE, SCOPE_COLUMNS, rows, summary)


def test_a_scope_change_names_each_cause_with_an_amount() -> None:
    causes = {"added": 3.0, "movedIn": 5.0, "movedOut": 3.0, "reestimated": 3.0, "deferred": 2.0, "deleted": 0.0}
    report = present(scope(committed=51.0, **causes))

    assert report.headline == (
        "51 pts committed; since then 3 pts added, 5 moved in, 3 moved out, +3 re-estimated, 2 deferred."
    )
    assert report.figures[1].number == "+4"


def test_a_scope_change_says_one_item_in_the_singular() -> None:
    rows: list[tuple[CellValue, ...]] = [(MONDAY, 5.0, *[0.0] * 7)]
    summary = {"committed": 4.0, "movedIn": 1.0}
    report = present(document(ReportName.SCOPE, SCOPE_COLUMNS, rows, summary, unit=ReportUnit.ITEMS))

    assert report.headline == "4 items committed; since then 1 item moved in."


def test_a_scope_without_change_or_without_commitment_says_so() -> None:
    assert present(scope(committed=55.0)).headline == "55 pts committed; no change since."
    assert present(scope(committed=None)).headline == "55 pts in scope on 2 Mar."


def test_a_scope_before_the_commitment_is_not_called_committed() -> None:
    rows: list[tuple[CellValue, ...]] = [(day(5), 55.0, *[0.0] * 7)]
    report = present(document(ReportName.SCOPE, SCOPE_COLUMNS, rows, {"committed": 55.0}, notes=[NOT_COMMITTED]))

    assert report.headline == "55 pts in scope today so far."
    assert [(each.number, each.words) for each in report.figures] == [("55", "pts in scope")]
    assert timeline(report).lines == ()


def velocity(rows: list[tuple[CellValue, ...]], *notes: str, **summary: float | None) -> ReportDocument:
    return document(ReportName.VELOCITY, VELOCITY_COLUMNS, rows, summary, about="Shop", notes=notes)


def test_a_velocity_is_the_median_with_its_range_and_mean() -> None:
    rows: list[tuple[CellValue, ...]] = [
        ("Sprint 7", 31.0, 0.0, 31.0, 0.0, 0.0, day(1)),
        ("Sprint 8", 20.0, 0.0, 12.0, 8.0, 0.0, day(5)),
    ]
    report = present(velocity(rows, median=29.0, mean=20.0, low=0.0, high=31.0, sprints=3))

    assert report.headline == "Velocity 29 pts (median of 3 sprints, 0–31; mean 20)."
    assert (bars(report).line, bars(report).line_name) == (29.0, "median 29")
    assert [bar.values for bar in bars(report).bars] == [(31.0, 0.0, 0.0), (0.0, 12.0, 8.0)]
    assert [row[-1] for row in report.table.rows] == [day(1), "now"]


def test_the_sprints_that_a_velocity_is_of_are_told_from_the_others() -> None:
    rows: list[tuple[CellValue, ...]] = [(name, 3.0, 0.0, 3.0, 0.0, 0.0, day(1)) for name in ("S1", "S2", "S3")]
    details: list[dict[str, CellValue]] = [{"iteration": row[0], "samples": int(row[0] != "S1")} for row in rows]
    summary = {"median": 3.0, "sprints": 2}
    report = present(document(ReportName.VELOCITY, VELOCITY_COLUMNS, rows, summary, details=details))

    assert [bar.is_of_line for bar in bars(report).bars] == [False, True, True]
    assert bars(report).line_name == "median 3 of these 2"


def test_a_sprint_that_was_closed_today_is_done_and_one_that_runs_is_done_so_far() -> None:
    rows: list[tuple[CellValue, ...]] = [(name, 9.0, 0.0, 8.0, 1.0, 0.0, day(5)) for name in ("closed", "running")]
    details: list[dict[str, CellValue]] = [{"iteration": row[0], "samples": int(row[0] == "closed")} for row in rows]
    summary = {"median": 8.0, "sprints": 1}
    report = present(document(ReportName.VELOCITY, VELOCITY_COLUMNS, rows, summary, details=details))

    assert [bar.values for bar in bars(report).bars] == [(8.0, 0.0, 1.0), (0.0, 8.0, 1.0)]
    assert [row[-1] for row in report.table.rows] == [day(5), "now"]


def test_a_velocity_of_parallel_sprints_says_that_it_is_of_rounds() -> None:
    report = present(
        velocity([], "2 rounds of parallel sprints.", median=45.0, mean=45.0, low=45.0, high=45.0, sprints=2)
    )

    assert "median of 2 rounds of parallel sprints, 45–45" in report.headline


def test_a_velocity_without_a_closed_sprint_says_so_once() -> None:
    report = present(velocity([], "No velocity yet: no closed sprint."))

    assert report.headline == "No velocity yet: no closed sprint."
    assert report.hidden_notes == ()


FORECAST_COLUMNS = ("Confidence", "Points", "Sprints", "Ends")


def test_a_forecast_says_how_many_sprints_and_until_when() -> None:
    rows: list[tuple[CellValue, ...]] = [("50 %", 29.0, 3, day(30)), ("85 %", 0.0, None, None)]
    report = present(document(ReportName.FORECAST, FORECAST_COLUMNS, rows, {"remaining": 41.0}))

    assert report.headline == (
        "41 pts remaining: 3 sprints (50 %, to 30 Mar), no end in sight (85 %). One sprint: 0–29 pts (85 %–50 %)."
    )


def test_a_forecast_names_the_year_of_an_end_in_another_one() -> None:
    rows: list[tuple[CellValue, ...]] = [("50 %", 29.0, 17, date(2027, 7, 18)), ("85 %", 9.0, None, None)]
    report = present(document(ReportName.FORECAST, FORECAST_COLUMNS, rows, {"remaining": 41.0}))

    assert "17 sprints (50 %, to 18 Jul 2027)" in report.headline
    assert report.figures[0].more == "to 18 Jul 2027"


def test_a_forecast_in_items_has_items_in_its_head() -> None:
    rows: list[tuple[CellValue, ...]] = [("50 %", 29.0, 3, day(30)), ("85 %", 0.0, None, None)]
    report = present(replace(document(ReportName.FORECAST, FORECAST_COLUMNS, rows, {"remaining": 41.0}), unit="items"))

    assert [each.title for each in report.table.columns] == ["Confidence", "Items", "Sprints", "Ends"]


def test_a_forecast_without_enough_sprints_says_what_it_needs() -> None:
    rows: list[tuple[CellValue, ...]] = [("50 %", None, None, None), ("85 %", None, None, None)]
    note = "Too little history for a forecast (2 sprints, 3 needed)."

    report = present(document(ReportName.FORECAST, FORECAST_COLUMNS, rows, {"remaining": 41.0}, notes=[note]))

    assert report.headline == f"41 pts remaining. {note}"


def test_a_cumulative_flow_has_a_layer_for_each_group_and_done_at_the_bottom() -> None:
    columns = ("Day", "Not started", "In progress", "Ready for test", "Done")
    rows: list[tuple[CellValue, ...]] = [(MONDAY, 5, 2, 1, 4), (day(3), 4, 2, 2, 4)]
    report = present(document(ReportName.CUMULATIVE_FLOW, columns, rows, unit=ReportUnit.ITEMS))

    assert [(layer.name, layer.values) for layer in timeline(report).layers] == [
        ("done", (4.0, 4.0)),
        ("testing", (1.0, 2.0)),
        ("in progress", (2.0, 2.0)),
        ("not started", (5.0, 4.0)),
    ]
    assert timeline(report).top == 12.0
    assert report.headline == "4 items in progress or testing on 3 Mar, 4 of 12 done."


def test_cycle_times_say_what_half_and_most_of_the_items_took() -> None:
    columns = ("ID", "Item", "Type", "Started", "Done", "Cycle", "Lead")
    rows: list[tuple[CellValue, ...]] = [
        (7, "Pay", "Story", "2026-03-01T08:00:00.000", "2026-03-03T20:00:00.000", 2.5, 3.5),
        (8, "Ship", "Bug", None, "2026-03-04T20:00:00.000", None, 1.0),
    ]
    summary = {"cycle50": 6.0, "cycle85": 9.0, "lead50": 7.0, "lead85": 12.0}
    report = present(document(ReportName.CYCLE_TIME, columns, rows, summary, unit=ReportUnit.ITEMS))

    assert report.headline == "Half of the items took 6 days or less, 85 % 9 days or less."
    assert [each.words for each in report.figures] == ["d median cycle", "d median lead"]
    assert report.table.rows[0] == (2.5, "#7", "Pay", 3.5, day(1), day(3))
    assert report.table.item_ids == (7, 8)
    assert bars(report).line == 9.0


def test_ages_have_the_oldest_first_and_the_way_of_each_item() -> None:
    columns = ("Days", "ID", "Item", "Status", "Owner", "Since")
    rows: list[tuple[CellValue, ...]] = [
        (10, 36, "Pay", "Blocked", None, day(1)),
        (2, 37, "Ship", "Testing", "jon", day(3)),
    ]
    details: list[dict[str, CellValue]] = [
        {"id": 36, "type": "Story", "status": None, "since": datetime(2026, 2, 20).date()},
        {"id": 36, "type": "Story", "status": "In Progress", "since": datetime(2026, 2, 22).date()},
        {"id": 36, "type": "Story", "status": "Blocked", "since": day(1)},
    ]
    report = present(document(ReportName.AGE, columns, rows, unit=ReportUnit.ITEMS, details=details))

    assert report.headline == "1 of 2 started items in the same status for over a week (oldest: 10 days)."
    assert report.table.item_ways == (
        (StatusStep("", 2), StatusStep("In Progress", 7), StatusStep("Blocked", 4)),
        (StatusStep("Testing", 2),),  # of which no changes are known
    )
    assert [bar.values for bar in bars(report).bars] == [(7, 0.0, 3.0), (0.0, 2.0, 0.0)]


def test_loads_have_the_largest_first_with_its_share() -> None:
    columns = ("Person", "Pts", "Items", "Hours", "Capacity", "Hours capacity")
    rows: list[tuple[CellValue, ...]] = [("ada", 3.0, 2, 0.0, None, None), ("jon", 9.0, 1, 4.0, 8.0, 54.0)]
    details: list[dict[str, CellValue]] = [
        {"person": "jon", "group": "in progress", "points": 9.0, "items": 1},
        {"person": "ada", "group": "not started", "points": 3.0, "items": 2},
    ]
    report = present(document(ReportName.PEOPLE, columns, rows, {"hours": 4.0}, details=details))

    assert report.table.rows == (("jon", 75, 9.0, 1, 4.0, 8.0, 54.0), ("ada", 25, 3.0, 2, 0.0, None, None))
    assert report.headline == "12 pts open, most with jon (9); 4 hours of tasks remaining."
    assert [bar.values for bar in bars(report).bars] == [(9.0, 0.0, 0.0), (0.0, 0.0, 3.0)]


def test_nobody_has_the_most_where_two_have_as_much() -> None:
    rows: list[tuple[CellValue, ...]] = [("ada", 3.0, 1, 0.0, None, None), ("jon", 3.0, 1, 0.0, None, None)]
    columns = ("Person", "Pts", "Items", "Hours", "Capacity", "Hours capacity")
    load = present(document(ReportName.PEOPLE, columns, rows))
    hours: list[tuple[CellValue, ...]] = [("ada", 2.0, 2.0), ("jon", 2.0, 2.0)]
    time = present(document(ReportName.TIME, ("Person", "2026-03-02", "Total"), hours, {"hours": 4, "people": 2}))

    assert (load.headline, [each.words for each in load.figures]) == ("6 pts open.", ["pts open"])
    assert (time.headline, [each.words for each in time.figures]) == ("4 h logged by 2 people.", ["h logged"])


def test_weeks_to_come_stand_only_where_they_have_hours_and_others_with_their_year() -> None:
    weeks = ("2025-W49", *(f"2026-W{week:02}" for week in range(4, 16)))
    hours = [0.0] * len(weeks)
    hours[weeks.index("2026-W14")] = 2.0
    answer = document(ReportName.TIME, ("Person", *weeks, "Total"), [("ada", *hours, 2.0)], {"hours": 2, "people": 1})
    titles = [column.title for column in present(answer).table.columns]

    assert titles == ["Person", "Total", "W49/25", "W04", "W05", "W06", "W07", "W08", "W09", "W10", "W14"]


@pytest.mark.parametrize(
    ("columns", "titles"),
    [
        (("Person", "2026-02-23", "2026-02-24", "Total"), ("Person", "Total", "Mon 23", "Tue 24")),
        (("Type", "2026-W08", "2026-W09", "Total"), ("Type", "Total", "W08", "W09")),
    ],
)
def test_logged_time_has_the_most_hours_first_and_days_or_weeks(
    columns: tuple[str, ...], titles: tuple[str, ...]
) -> None:
    rows: list[tuple[CellValue, ...]] = [("ada", 1.5, 0, 1.5), ("jon", 2, 0.5, 2.5)]
    summary: dict[str, CellValue] = {"hours": 4, "people": 2, "entries": 3}
    report = present(document(ReportName.TIME, columns, rows, summary, unit=ReportUnit.HOURS))

    preposition = "by" if columns[0] == "Person" else "for"
    assert report.headline == f"4 h logged by 2 people, most {preposition} jon (2.5)."
    assert tuple(column.title for column in report.table.columns) == titles
    assert report.table.rows == (("jon", 2.5, 2, 0.5), ("ada", 1.5, 1.5, None))
    assert [bar.values for bar in bars(report).bars] == [(2.5,), (1.5,)]


def test_a_week_without_hours_says_so() -> None:
    empty = document(ReportName.TIME, ("Person", "2026-02-23", "Total"), (), {"hours": 0}, unit=ReportUnit.HOURS)

    assert present(empty).headline == "No hours were logged."


def test_estimates_have_a_bracket_over_the_smaller_half() -> None:
    columns = ("Estimate", "Items", "Pts", "% items")
    rows: list[tuple[CellValue, ...]] = [(1, 2, 2, 20.0), (3, 2, 6, 20.0), (8, 1, 8, 10.0), ("not set", 5, 0, 50.0)]
    report = present(document(ReportName.ESTIMATES, columns, rows))

    assert report.headline == "Half are 3 pts or less, the largest 8; 5 of 10 open items have no number."
    assert (bars(report).within, bars(report).within_words) == (2, "half are 3 or less")
    assert bars(report).unset == {"not set"}


def test_notes_that_the_headline_says_are_not_repeated_and_warnings_stand_apart() -> None:
    notes = ["3 items in Limbo, a status without a meaning.", "Dates changed on 5 Nov."]
    report = present(burndown(notes=notes))

    assert report.warnings == (notes[0],)
    assert report.hidden_notes == (notes[1],)


@pytest.mark.parametrize("name", list(ReportName))
def test_every_report_can_be_drawn_and_has_a_definition_of_some_sentences(name: ReportName) -> None:
    assert name in PRESENTED
    assert 3 <= len(name.sentences) <= 6
    assert all(sentence.endswith(".") and "\n" not in sentence for sentence in name.sentences)


def test_a_document_is_read_as_it_was_sent() -> None:
    sent = burndown()

    assert read_document(sent.wire()).wire() == sent.wire()
    assert present(read_document(sent.wire())).headline == present(sent).headline


@pytest.mark.parametrize(
    "wire",
    [
        [],
        {},
        burndown().wire() | {"rows": [["2026-03-02", 1, 2]], "timeZone": "Nowhere/Else"},
        burndown().wire() | {"rows": [["yesterday", 1, 2, 3]]},
        burndown().wire() | {"rows": [[1]]},
        burndown().wire() | {"asOf": "noon"},
        burndown().wire() | {"timeZone": "/etc/passwd"},
        burndown().wire() | {"asOf": "0001-01-01T00:00:00", "timeZone": "America/New_York"},
        burndown().wire() | {"source": "hearsay"},
    ],
)
def test_a_document_that_is_none_is_refused(wire: object) -> None:
    with pytest.raises(ServiceError, match="The server sent a report that cannot be read"):
        read_document(wire)


def test_a_burndown_without_done_work_says_what_remains() -> None:
    shown = present(burndown(done=(None,) * 7))

    assert shown.headline.startswith("25 pts remaining")


def test_a_document_without_the_columns_of_its_report_cannot_be_shown() -> None:
    other = document(ReportName.BURNDOWN, ("Day",), [(MONDAY,)])

    with pytest.raises(ServiceError, match="The server sent a report that cannot be shown"):
        present(other)
