"""The timeline of iterations: one scale of days, what is done and planned, and today."""

from datetime import date

import pytest
from tests.store.world import until
from tests.tui.bare_app import line_with, lines_of, text_of
from tests.tui.opened import Open

from backlit.model.planning import PlannedLoad
from backlit.store import IterationEntry, Store
from backlit.tui.trees.timeline import IterationTimeline

TODAY = date(2026, 3, 11)
LINE = IterationTimeline(date(2026, 3, 2), 42, 1, TODAY)


def sprint(start: date, end: date, least: float | None = None, most: float | None = None) -> IterationEntry:
    return IterationEntry(1, "Sprint", "Sprint", start, end, least, most, is_release=False)


def drawn(line: IterationTimeline, iteration: IterationEntry | None, load: PlannedLoad | None = None) -> str:
    return "".join(text for text, _ in line.row(iteration, load)).rstrip()


def test_it_begins_on_a_monday_with_a_quarter_before_today() -> None:
    line = IterationTimeline.around(TODAY, 40, 2)

    assert line.start.weekday() == 0
    assert 14 <= (TODAY - line.start).days <= 27


def test_days_stand_over_the_bars_that_begin_on_them_where_they_fit() -> None:
    before = [date(2026, 2, 16), date(2026, 3, 2), date(2026, 3, 9), date(2026, 3, 16)]
    after = [date(2026, 3, 23), date(2026, 3, 30), date(2026, 4, 11)]

    assert LINE.labels([*before, *after]) == f"2 Mar    ┊today{' ' * 6}23 Mar".ljust(42)


def test_a_sprint_is_as_long_as_its_days_and_its_parts_are_shares_of_the_target() -> None:
    row = drawn(LINE, sprint(date(2026, 3, 16), date(2026, 3, 29), 20, 28), PlannedLoad(4, 20, 10))

    assert row == " " * 9 + "┊" + " " * 4 + "█████▓▓▓▓▓░░░░"


def test_what_is_over_the_target_has_another_colour() -> None:
    parts = LINE.row(sprint(date(2026, 3, 16), date(2026, 3, 29), None, 14), PlannedLoad(4, 28, 0))

    assert [(text, colour) for text, colour in parts if "▓" in text] == [("▓" * 7, "bar on bar"), ("▓" * 7, "bar-over")]


def test_a_release_is_a_way_and_is_cut_at_the_ends_of_the_timeline() -> None:
    assert drawn(LINE, sprint(date(2026, 3, 4), date(2026, 3, 8))) == "  ╶───╴  ┊"
    assert drawn(LINE, sprint(date(2026, 2, 1), date(2026, 5, 1))) == "─" * 9 + "┼" + "─" * 32


def test_today_goes_through_the_bar_of_its_sprint() -> None:
    parts = LINE.row(sprint(date(2026, 3, 2), date(2026, 3, 15), None, 14), PlannedLoad(4, 14, 7))

    assert ("┊", "background on bar") in parts


def test_the_last_iteration_ends_where_the_timeline_does() -> None:
    end = date(2026, 4, 5)
    line = IterationTimeline.around(TODAY, 40, 2, end)

    assert len(drawn(line, sprint(date(2026, 3, 23), end, None, 14), PlannedLoad(4, 14, 0))) == 40


def test_a_row_without_days_has_today_alone() -> None:
    assert drawn(LINE, None) == " " * 9 + "┊"
    assert ("┊", "today") in LINE.row(None, None)


@pytest.mark.slow
@pytest.mark.parametrize(("width", "has_timeline"), [(100, False), (120, True), (160, True), (200, True)])
async def test_a_wide_terminal_has_a_timeline_between_dates_and_figures(
    store: Store, opened: Open, width: int, *, has_timeline: bool
) -> None:
    async with opened(store, (width, 40)) as pilot:
        await pilot.press("g", "i")
        await until(lambda: "Sprint 14" in text_of(pilot.app), lambda: text_of(pilot.app))
        headings, row = lines_of(pilot.app)[2], line_with(pilot.app, "▌")

        assert ("Load / target" in headings) is has_timeline
        assert ("Capacity" in headings) is not has_timeline
        assert bool({*row} & {*"█▓░"}) is has_timeline
        assert ("█ done ▓ planned ░ to target" in lines_of(pilot.app)[1]) is has_timeline
