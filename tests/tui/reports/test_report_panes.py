"""The columns of a report's table: what they need, and what gives way where it is narrow."""

from tests.model.reports.documents import day, document

from backlit.model.reports.names import ReportName
from backlit.model.reports.presentation import present
from backlit.model.reports.report import Bars, Report, ReportColumn, ReportTable, Series, Timeline, Tone, Value
from backlit.tui.reports.report_panes import natural_width, widths_of

LAYERS = ("Day", "Not started", "In progress", "Ready for test", "Done")


def report_of(columns: tuple[ReportColumn, ...], chart: Bars | Timeline, *rows: tuple[Value, ...]) -> Report:
    figures = document(ReportName.CUMULATIVE_FLOW, [column.title for column in columns], ())
    return Report(figures, "4 left.", chart, ReportTable(columns, rows))


def test_a_table_without_items_has_room_for_the_word_beside_their_sign() -> None:
    report = report_of((ReportColumn("Item", is_text=True, least=28, is_item=True),), Bars((), ()))

    assert widths_of(report, 60) == {0: len("◆ Item")}


def test_titles_of_figures_are_cut_before_the_last_column_is_lost() -> None:
    columns = [ReportColumn(title, rank=number) for number, title in enumerate(LAYERS)]
    chart = Timeline((day(2),), Series("done", Tone.DONE, (0.0,)), (), frozenset(), day(2))
    report = report_of(tuple(columns), chart, (day(2), 20.0, 16.0, 1.0, 0.0))
    narrow, wide = widths_of(report, 37), widths_of(report, 80)

    assert len(narrow) == len(LAYERS)
    assert sum(narrow.values()) + 2 * (len(LAYERS) - 1) <= 37
    assert min(narrow.values()) >= len("Done")
    assert wide == {0: len("2 Mar"), 1: 11, 2: 11, 3: 14, 4: 4}
    assert natural_width(report) > 37


def test_the_hours_of_a_workload_are_left_out_where_nobody_has_any() -> None:
    titles = ("Person", "Pts", "Items", "Hours")
    some, none = (present(document(ReportName.PEOPLE, titles, [("ada", 3.0, 1, hours)])) for hours in (2.0, 0.0))

    assert [some.table.columns[at].title for at in widths_of(some, 80)] == ["Person", "%", "Pts", "Items", "Hours"]
    assert [none.table.columns[at].title for at in widths_of(none, 80)] == ["Person", "%", "Pts", "Items"]
