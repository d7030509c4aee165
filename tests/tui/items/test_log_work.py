"""Logging work from the terminal: the dialog, the timer, and what the service then has."""

from pathlib import Path

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, sent, until
from tests.tui.bare_app import BareApp, missing, scrollbar_beside, text_of
from tests.tui.list_steps import fields_of, go_to, press, status_line
from tests.tui.opened import Open

from backlit.store import ConnectionState, EntryState, Store
from backlit.store.edits.work_log import LoggedWork
from backlit.tui.items.log_work import LogWorkDialog, LogWorkForm, draft_key
from backlit.tui.shell.drafts import StoredDraft


def work_of(store: Store, item_id: int) -> tuple[float, float]:
    item = store.item(item_id)
    assert item is not None
    completed, remaining = (item.fields.get(key) or 0.0 for key in ("WorkCompleted", "WorkRemaining"))
    assert isinstance(completed, int | float)
    assert isinstance(remaining, int | float)
    return completed, remaining


@pytest.mark.slow
async def test_hours_are_logged_by_keys_and_undone_by_one(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        completed, remaining = work_of(store, task_id)
        before = await fields_of(world, store, task_id)
        written = len(store.time_entries.of_task(task_id))
        await press(pilot, "L", *"1,5", "tab", *"te", "tab", "tab", *"both browsers", "enter")
        fields = await fields_of(world, store, task_id)
        logged = store.time_entries.of_task(task_id)[0]
        await press(pilot, "u")
        after = await fields_of(world, store, task_id)

        assert (fields["WorkCompleted"], fields["WorkRemaining"]) == (completed + 1.5, max(0, remaining - 1.5))
        assert (logged.hours, logged.type, logged.note) == (1.5, "Testing", "both browsers")
        assert [after[key] for key in ("WorkCompleted", "WorkRemaining")] == [
            before[key] for key in ("WorkCompleted", "WorkRemaining")
        ]
        assert len(store.time_entries.of_task(task_id)) == written


@pytest.mark.slow
async def test_offline_it_is_logged_and_undone_too(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        completed, _ = work_of(store, task_id)
        world.faults.is_down = True
        await press(pilot, "L", "2", "enter")
        logged = work_of(store, task_id)[0]
        await until(lambda: store.connection.state is ConnectionState.OFFLINE)
        await until(lambda: all(each.state is EntryState.WAITING for each in store.outbox_entries()))
        await press(pilot, "u")
        undone = work_of(store, task_id)[0]
        await press(pilot, "ctrl+r")
        world.faults.is_down = False
        await press(pilot, "R")

        assert (logged, undone) == (completed + 2, completed)
        assert (await fields_of(world, store, task_id))["WorkCompleted"] == completed + 2
        assert store.time_entries.of_task(task_id)[0].hours == 2


@pytest.mark.slow
async def test_the_dialog_says_what_it_will_do(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Task")
        await press(pilot, "L", *"1:30")
        said = [
            "Logs 1.5 h Development on",
            "next type",
            "Development  Testing",
            "Day         today",
        ]

        assert missing(pilot.app, said) == []


@pytest.mark.slow
async def test_hours_may_be_typed_on_the_command_line(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        completed, _ = work_of(store, task_id)
        await press(pilot, ":", *"log 1,5h", "enter", "enter")

        assert (await fields_of(world, store, task_id))["WorkCompleted"] == completed + 1.5


@pytest.mark.slow
async def test_what_was_typed_is_there_again_until_it_is_logged(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        await press(pilot, "L", "2", "tab", "tab", "tab", *"half done", "escape", "L")
        there_again = text_of(pilot.app)
        await press(pilot, "enter")
        logged = store.time_entries.of_task(task_id)[0]
        await press(pilot, "L")

        assert "2 h Development" in there_again
        assert "half done" in there_again
        assert "This was kept from before; it has not been logged." in there_again
        assert logged.note == "half done"
        assert "kept from before" not in text_of(pilot.app)


@pytest.mark.parametrize(("given", "timed", "hours"), [("", None, "2"), ("", 0.75, "0.75"), ("1.5", None, "1.5")])
async def test_kept_hours_stand_only_where_none_are_given_or_timed(
    tmp_path: Path, given: str, timed: float | None, hours: str
) -> None:
    with offline_store(tmp_path, [item(1, kind="Task")]) as store:
        await store.drafts.save(draft_key(1), {"Hours": "2", "Note": "half done"})
        form = LogWorkForm(["Development"], "Development", timed, None, lambda: 2700.0)
        async with BareApp().run_test() as pilot:
            (task,) = store.batch.items([1])
            pilot.app.push_screen(LogWorkDialog(task, form, StoredDraft(store, draft_key(1)), given))
            await pilot.pause()

            assert f"[time] {hours}h Development: half done" in text_of(pilot.app)


@pytest.mark.parametrize(("width", "line"), [(80, "Development     Development  Testing"), (44, "ctrl+n  Development")])
async def test_types_stand_beside_their_field_where_there_is_room(tmp_path: Path, width: int, line: str) -> None:
    form = LogWorkForm(["Development", "Testing"], "Development", None, None, lambda: 0.0)
    with offline_store(tmp_path, [item(1, kind="Task")]) as store:
        async with BareApp().run_test(size=(width, 24)) as pilot:
            (task,) = store.batch.items([1])
            pilot.app.push_screen(LogWorkDialog(task, form, StoredDraft(store, draft_key(1)), "1"))
            await pilot.pause()

            assert line in text_of(pilot.app)


@pytest.mark.slow
async def test_the_lines_are_read_as_they_stand_and_the_facts_follow_them(tmp_path: Path) -> None:
    table: list[tuple[str, str, str, str, LoggedWork, str, str]] = [
        ("2", "Development", "6", "", LoggedWork(2.0, "Development"), "Saves a comment", "3 of 9 h are done"),
        (
            "2",
            "testing",
            "0",
            " both ",
            LoggedWork(2.0, "Testing", "both", 0.0),
            "Saves a comment",
            "3 of 3 h are done",
        ),
        (
            "1h30m",
            "te",
            "",
            "",
            LoggedWork(1.5, "Testing", "", 0.0),
            "Saves a comment",
            "2.5 of 2.5 h are done",
        ),
        ("9", "", "0.5", "", LoggedWork(9.0, "", "", 0.5), "Saves a comment", "10 of 10.5 h are done"),
    ]
    form = LogWorkForm(["Development", "Testing"], "Development", None, None, lambda: 0.0)
    app = BareApp()
    with offline_store(tmp_path, [item(1, kind="Task", WorkCompleted=1.0, WorkRemaining=8.0)]) as store:
        (task,) = store.batch.items([1])
        async with app.run_test(size=(100, 30)) as pilot:
            for *typed, expected, done, left in table:
                dialog = LogWorkDialog(task, form, StoredDraft(store, draft_key(1)))
                app.push_screen(dialog, app.answers.append)
                await pilot.pause()
                for line, text in zip(dialog.inputs, typed, strict=True):
                    line.value = str(text)
                    await pilot.pause()
                assert missing(app, [str(done), str(left)]) == []
                dialog.press("enter")
                await pilot.pause()
                assert app.answers[-1] == expected, typed


@pytest.mark.slow
async def test_a_type_is_completed_in_its_line_when_it_is_left(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Task")
        await press(pilot, "L", "1", "tab", *"te", "tab")

        assert missing(pilot.app, ["Type        Testing", "Logs 1 h Testing"]) == []


@pytest.mark.slow
async def test_the_type_that_was_chosen_last_is_offered_again(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Task")
        await press(pilot, "L", "1", "ctrl+n", "ctrl+n", "enter", "L", "1")

        assert "1 h Design" in text_of(pilot.app)


@pytest.mark.slow
async def test_what_remains_follows_the_hours_until_it_is_typed(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        await press(pilot, "L", *"999", "tab", "tab", *"7", "enter")
        fields = await fields_of(world, store, task_id)

        assert fields["WorkRemaining"] == 7


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "remaining"),
    [
        pytest.param(("2", "enter"), None, id="hours alone"),
        pytest.param(("2", "tab", "tab", "tab", *"a note", "enter"), None, id="all lines passed"),
        pytest.param(("2", "tab", "tab", *"5", "backspace", "enter"), None, id="a number taken back"),
        pytest.param(("2", "tab", "tab", *"5", "enter"), 5, id="a number"),
    ],
)
@pytest.mark.long_but("hours alone", "a number")
async def test_remaining_hours_that_are_not_set_stay_so_until_a_number_is_typed(
    world: World, store: Store, opened: Open, keys: tuple[str, ...], remaining: float | None
) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        await store.items.edit([task_id], {"WorkRemaining": None})
        await press(pilot, "L")
        facts = text_of(pilot.app)
        await press(pilot, *keys)
        fields = await fields_of(world, store, task_id)

        assert "was not set" in facts
        assert fields["WorkRemaining"] == remaining


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "sentence"),
    [
        (("x", "enter"), "Hours: enter hours such as 2"),
        (("0", "enter"), "Hours: enter more than 0"),
        (("1", "tab", *"zzz", "enter"), "Type: choose one of Development"),
        (("1", "tab", "tab", *"-1", "enter"), "Remaining: enter "),
    ],
)
@pytest.mark.long_but("keys0", "keys2")
async def test_what_is_wrong_is_said_by_the_field(
    store: Store, opened: Open, keys: tuple[str, ...], sentence: str
) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Task")
        await press(pilot, "L", *keys)

        assert sentence in text_of(pilot.app)


async def test_what_is_no_task_has_no_hours(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Story")
        await press(pilot, "L")

        assert "Work is logged on tasks; A adds one" in text_of(pilot.app)


@pytest.mark.slow
async def test_the_timer_is_started_shown_and_logged(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        completed, _ = work_of(store, task_id)
        await press(pilot, "L", "ctrl+t")
        await until(lambda: f"◷ 0:00 #{task_id}" in status_line(pilot))
        await store.files.write(lambda writer: writer.journal.drafts.save("timer", _begun_earlier(store, 0.75)))
        await press(pilot, "g", "i", ":", *"stop", "enter")
        dialog = text_of(pilot.app)
        await press(pilot, "enter")
        fields = await fields_of(world, store, task_id)

        assert "0.75" in dialog
        assert "running here for 0:45" in dialog
        assert fields["WorkCompleted"] == completed + 0.75
        assert store.timer.running is None
        await until(lambda: "◷" not in status_line(pilot))


@pytest.mark.slow
async def test_leaving_the_dialog_lets_the_timer_run_on(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Task")
        await press(pilot, ":", *"timer", "enter")
        await press(pilot, "L", "escape")

        assert store.timer.running is not None


@pytest.mark.slow
async def test_a_stopped_timer_leaves_its_time_in_the_line(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        completed, _ = work_of(store, task_id)
        await press(pilot, ":", *"timer", "enter")
        await press(pilot, "L", "ctrl+t")
        stopped = store.timer.running is None
        await press(pilot, "enter")
        await sent(store)

        assert stopped
        assert work_of(store, task_id)[0] == completed + 0.01


@pytest.mark.slow
async def test_there_is_one_timer_at_a_time(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        task_id = await go_to(pilot, store, "Task")
        await press(pilot, ":", *"timer", "enter")
        await press(pilot, "j")
        while True:
            item = store.item(pilot.app.screen.current().id)  # type: ignore[attr-defined] # the backlog
            if item is not None and item.type == "Task":
                break
            await press(pilot, "j")
        await press(pilot, "L", "ctrl+t")

        assert f"The timer runs on #{task_id}" in text_of(pilot.app)


def _begun_earlier(store: Store, hours: float) -> dict[str, object]:
    running = store.timer.running
    assert running is not None
    return {"item": running.item_id, "began": running.began_at - hours * 3600}


@pytest.mark.slow
async def test_the_label_of_the_current_input_is_brighter_than_the_others(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await go_to(pilot, store, "Task")
        await press(pilot, "L", "tab")
        hours, kind, *others = [label.rich_style.color for label in pilot.app.screen.query(".label")]

        assert kind != hours
        assert set(others) == {hours}


async def test_the_list_behind_a_dialog_has_no_scroll_bar(store: Store, opened: Open) -> None:
    async with opened(store, (60, 20)) as pilot:
        before = scrollbar_beside(pilot.app)
        await go_to(pilot, store, "Task")
        await press(pilot, "L")

        assert (len(before) > 0, scrollbar_beside(pilot.app)) == (True, [])
