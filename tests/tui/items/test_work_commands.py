"""Logging work against a target without an application: the dialog's answers, its draft and the timer."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from tests.store.documents import item, offline_store, put, put_nouns
from tests.tui.bare_app import BareApp
from tests.tui.target import FakeTarget, run

from backlit.store import EntryKind, Store
from backlit.store.edits.work_log import LoggedWork
from backlit.store.records.people import TIME_ENTRY_TYPES
from backlit.tui.commands.command import CannotAct
from backlit.tui.items.log_work import LogWorkDialog, ToggleTimer, draft_key

TYPED = {"Hours": "2", "Type": "Testing", "Remaining": None, "Note": "half done"}


class Clock:
    """A clock that stands still."""

    def __init__(self) -> None:
        self.now = datetime(2026, 3, 2, 10)

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    task = {"kind": "Task", "ParentID": 1}
    documents = [item(1), item(2, WorkRemaining=8.0, **task), item(3, **task)]  # type: ignore[arg-type]
    with offline_store(tmp_path, documents, clock) as store:
        yield store


def logged(store: Store) -> list[tuple[EntryKind, int, dict[str, object], dict[str, object]]]:
    return [(each.kind, each.item_id, dict(each.payload), dict(each.base)) for each in store.outbox_entries()]


def lines_of(dialog: object) -> list[str]:
    assert isinstance(dialog, LogWorkDialog)
    return [line.value for line in dialog.inputs]


async def test_work_is_logged_on_the_task_with_what_was_seen_and_its_draft_goes(store: Store) -> None:
    for task_id in (2, 3):
        await store.drafts.save(draft_key(task_id), TYPED)
    target = FakeTarget(store, [2], [LoggedWork(2.0, "Testing", "half", remaining=1.0), None])

    await run(target, "item.log", text="1h30m")
    await run(target, "item.log")

    assert [lines_of(each)[:2] for each in target.asked] == [["1h30m", ""], ["", ""]]  # no such type here
    edit, comment = logged(store)
    assert edit == (
        *(EntryKind.EDIT, 2, {"WorkCompleted": 2.0, "WorkRemaining": 1.0}),
        {"WorkCompleted": None, "WorkRemaining": 8.0},
    )
    assert comment[2] == {"text": "[time] 2h Testing: half"}
    assert target.said == ["2 h logged on #2: work fields and a comment. u to undo."]
    assert [store.drafts.find(draft_key(each)) is None for each in (2, 3)] == [True, False]


async def test_another_number_of_remaining_hours_is_seen_as_a_conflict(store: Store) -> None:
    def change(_: object) -> LoggedWork:
        put(store, [item(2, kind="Task", ParentID=1, WorkRemaining=5.0)])
        return LoggedWork(2.0, remaining=1.0)

    await run(FakeTarget(store, [2], [change]), "item.log")

    assert logged(store)[0][3]["WorkRemaining"] == 8.0


@pytest.mark.parametrize("command_id", ["item.log", "item.timer"])
async def test_work_is_logged_on_tasks_alone(store: Store, command_id: str) -> None:
    target = FakeTarget(store, [1])

    with pytest.raises(CannotAct, match="Work is logged on tasks; A adds one to this item"):
        await run(target, command_id)

    assert (target.asked, store.timer.running) == ([], None)


async def test_the_timer_is_started_once_and_asked_about_on_its_own_task(store: Store, clock: Clock) -> None:
    target = FakeTarget(store, [2], [None, LoggedWork(0.75), None])
    await run(target, "item.timer")
    clock.now += timedelta(minutes=45)

    await run(target, "item.timer")
    on = store.timer.running
    target.ids = [3]
    with pytest.raises(CannotAct, match="The timer runs on #2; :stop logs its time first"):
        await run(target, "item.timer")
    target.ids = [2]
    await run(target, "item.timer")

    assert on is not None
    assert [lines_of(each)[0] for each in target.asked] == ["0.75", "0.75"]
    assert target.said[0] == "The timer runs; :stop or L on this task logs its time."
    assert store.timer.running is None


async def test_a_timer_started_in_the_dialog_logs_nothing_and_keeps_the_typed_lines(store: Store) -> None:
    await store.drafts.save(draft_key(2), TYPED)
    target = FakeTarget(store, [2], [ToggleTimer(False, TYPED)])

    await run(target, "item.log")

    running = store.timer.running
    assert running is not None
    assert (running.item_id, logged(store), target.answers) == (2, [], [])
    assert store.drafts.find(draft_key(2)) == TYPED


async def test_a_timer_stopped_in_the_dialog_leaves_its_hours_and_the_typed_lines(store: Store) -> None:
    target = FakeTarget(store, [2], [ToggleTimer(True, TYPED), None])
    await store.timer.start(2)

    await run(target, "item.log")

    assert store.timer.running is None
    assert logged(store) == []
    async with BareApp().run_test() as pilot:
        pilot.app.push_screen(target.asked[1])
        await pilot.pause()
        assert lines_of(target.asked[1]) == ["2", "Testing", "6", "half done"]


async def test_a_timer_on_another_task_is_not_the_time_of_this_one(store: Store, clock: Clock) -> None:
    await store.timer.start(3)
    clock.now += timedelta(hours=2)
    target = FakeTarget(store, [2], [None])

    await run(target, "item.log")

    assert lines_of(target.asked[0])[0] == ""


async def test_the_last_type_is_offered_again_where_the_project_still_has_it(store: Store) -> None:
    def name_types(*names: str) -> None:
        types = [{"id": at, "name": name, "projectId": 1} for at, name in enumerate(names, 1)]
        put_nouns(store, **{TIME_ENTRY_TYPES: types})

    name_types("Development", "Testing")
    target = FakeTarget(store, [2], [LoggedWork(1.0, "Testing"), None, None])
    for _ in range(2):
        await run(target, "item.log")
    name_types("Development", "Design")
    await run(target, "item.log")

    assert [lines_of(each)[1] for each in target.asked] == ["Development", "Testing", "Development"]
