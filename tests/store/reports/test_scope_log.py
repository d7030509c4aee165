"""The log of what enters and leaves iterations, by day, and the journal's tables behind reports."""

from datetime import date, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put
from tests.store.views.filled_store import TODAY, filled

from backlit.model.reports.machine.daily import ScopeFlow
from backlit.model.trees import NodeTotals
from backlit.store import Store
from backlit.store.files.files import WriteContext
from backlit.store.journal.reports import IterationPoints, ObservedStatus, ScopeMove, TrackedDays
from backlit.store.records.item import Document
from backlit.store.reports.records import ScopeLog

NEXT = TODAY + timedelta(1)


def later(document: Document, hour: int) -> Document:
    return {**document, "lastModifiedAt": f"2026-03-02T{hour:02}:00:00.000"}


async def test_items_that_enter_leave_and_change_are_noted_from_the_second_day(tmp_path: Path) -> None:
    today = [TODAY]
    with filled(tmp_path) as store:
        log = ScopeLog(store.files, lambda: today[0])
        await log.note(1)
        assert await log.flows(1, frozenset({11}), [TODAY]) == {}
        assert store.files.journal.scope_log.moves(1, "[11, 12, 13, 15, 16]", TODAY, NEXT) == []

        today[0] = NEXT
        moved, sized = (
            item(1, Estimate="3", IterationID=13),
            item(5, kind="Bug", IterationID=11, Estimate="5", Status="Done"),
        )
        put(store, [later(moved, 1), later(sized, 1)])
        await log.note(1)
        flows = [(await log.flows(1, frozenset(each), [TODAY, NEXT])) for each in ({11}, {13}, {11, 13}, {99})]
        assert flows == [
            {NEXT: ScopeFlow(went=NodeTotals(1, 3.0), sized=3.0)},
            {NEXT: ScopeFlow(came=NodeTotals(1, 3.0))},
            {NEXT: ScopeFlow(sized=3.0)},
            {},
        ]
        ends = [
            (11, frozenset({13}), NEXT, NEXT),
            (11, frozenset({12}), NEXT, NEXT),
            (11, frozenset({13}), TODAY, TODAY),
        ]
        assert await log.carried(1, ends) == [NodeTotals(1, 3.0), NodeTotals(), NodeTotals()]
        assert await log.flows(1, frozenset({11}), []) == {}

        put(store, [later(item(1, Estimate="3", IterationID=11), 2)])
        await log.note(1)
        assert await log.flows(1, frozenset({11}), [NEXT]) == {NEXT: ScopeFlow(sized=3.0)}


async def test_unchanged_items_hide_no_changed_ones(tmp_path: Path) -> None:
    today, numbers = [TODAY], range(100, 120)
    with filled(tmp_path) as store:
        put(store, [item(each, IterationID=11) for each in numbers])
        log = ScopeLog(store.files, lambda: today[0])
        await log.note(1)
        today[0] = NEXT
        put(store, [later(item(each, IterationID=13), 1) for each in numbers if each % 2])
        await log.note(1)

        assert (await log.flows(1, frozenset({13}), [NEXT]))[NEXT].came.count == 10


async def test_an_iteration_that_ended_long_ago_is_no_longer_tracked(tmp_path: Path) -> None:
    today = [TODAY]
    with filled(tmp_path) as store:
        log = ScopeLog(store.files, lambda: today[0])
        await log.note(1)
        before = store.files.journal.scope_log.followed(1)
        for days in (58, 59):
            today[0] = TODAY + timedelta(days)
            put(store, [later(item(7, kind="Issue", IterationID=13, Name=str(days)), days - 50)])
            await log.note(1)
            after = store.files.journal.scope_log.followed(1)
            assert after[12] == (TrackedDays(TODAY) if days == 58 else TrackedDays(TODAY, TODAY + timedelta(days - 1)))

    assert before == dict.fromkeys((11, 12, 13, 14, 15, 16, 17), TrackedDays(TODAY))
    assert after[11] == TrackedDays(TODAY)


@pytest.mark.parametrize(("day", "is_covered"), [(9, False), (10, False), (11, True), (20, True), (21, False)])
def test_a_tracked_day_needs_a_record_before_it(day: int, is_covered: bool) -> None:
    assert TrackedDays(date(2026, 3, 10), date(2026, 3, 20)).covers(date(2026, 3, day)) is is_covered
    assert TrackedDays(date(2026, 3, 10)).covers(date(2026, 3, day)) is (day > 10)


ONE, TWO, THREE = (date(2026, 3, day) for day in (1, 2, 3))
SEEN = ObservedStatus("Done", TWO, None)


def fill(writer: WriteContext) -> None:
    """Write the same for two projects, two iterations and three days."""
    journal = writer.journal
    for project in (1, 2):
        for day in (ONE, TWO, THREE):
            lines = [(iteration, f"{{}}{project}{iteration}{day.day}", 0.0, 0.0) for iteration in (0, 5, 6)]
            journal.snapshots.put(project, day, lines, [])
            journal.scope_log.move(project, day, [ScopeMove(each, 7, None, day.day) for each in (5, 6)])
        journal.scope_log.put(project, [(7, IterationPoints(5, project)), (8, IterationPoints(6, project))], [])
        journal.status_history.put(project, [(7, SEEN), (8, SEEN._replace(before=ONE))])


def test_records_are_those_of_the_project_the_iteration_and_the_days(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        store.files.submit(fill).result()
        found = store.files.journal

        assert [row[:2] for row in found.snapshots.of_day(1, TWO)] == [(0, "{}102"), (5, "{}152"), (6, "{}162")]
        assert [row[:2] for row in found.snapshots.of_iteration(2, 5)] == [
            (str(day), f"{{}}25{day.day}") for day in (ONE, TWO, THREE)
        ]
        assert found.snapshots.of_iterations(1, "[5]", TWO, THREE) == [(str(TWO), "{}152"), (str(THREE), "{}153")]
        assert found.snapshots.recorded(1, TWO, TWO) == [str(TWO)]
        assert found.scope_log.moves(1, "[5]", ONE, TWO) == [(str(ONE), None, 1.0), (str(TWO), None, 2.0)]
        assert found.scope_log.places(2) == {7: IterationPoints(5, 2.0), 8: IterationPoints(6, 2.0)}
        assert found.status_history.of_project(1) == {7: SEEN, 8: SEEN._replace(before=ONE)}
        empty_a_day(store)
        assert [row[0] for row in found.snapshots.of_day(1, TWO)] == [0, 6]
        assert [len(found.snapshots.of_day(project, day)) for project, day in ((1, ONE), (2, TWO))] == [3, 3]
        assert (found.scope_log.places(1), len(found.scope_log.places(2))) == ({8: IterationPoints(6, 1.0)}, 2)
        assert [set(found.status_history.of_project(project)) for project in (1, 2)] == [{8}, {7, 8}]


def empty_a_day(store: Store) -> None:
    def act(writer: WriteContext) -> None:
        writer.journal.snapshots.put(1, TWO, [], [5])
        writer.journal.scope_log.put(1, [], [7])
        writer.journal.status_history.put(1, [], [7])

    store.files.submit(act).result()
