"""The commands of the application against a target that is no application."""

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import cast

import pytest
from tests.store.documents import item, offline_store
from tests.store.world import World, raised, sent, until
from tests.tui.target import Answer, FakeTarget, rows_of, run, stage, words_of
from textual.screen import Screen
from textual.widget import Widget

from backlit.model.errors import BadRequest
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.store.edits.work_log import LoggedWork
from backlit.store.undo.history import Reversal
from backlit.tui.app import global_commands, history, navigation, projects
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.screen_navigator import AppLocation, JumpHistory, RecentItems, ScreenNavigator
from backlit.tui.commands.command import CannotAct, Command, CommandContext
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.dialogs.finder import Offer
from backlit.tui.dialogs.palette import ItemSearch
from backlit.tui.dialogs.pick import Choice
from backlit.tui.drawing import themes
from backlit.tui.drawing.text import shortened
from backlit.tui.items.item_screen import ITEM_COMMANDS
from backlit.tui.items.log_work import LogWorkDialog
from backlit.tui.shell import macros
from backlit.tui.shell.dispatch import Dispatch
from backlit.tui.shell.target import ItemDestination


class FakePlaces:
    """The places of no application: the backlog, with or without a screen over it."""

    def __init__(self, *, has_screen_over: bool = False) -> None:
        self.here = AppLocation("backlog", 7)
        self.recent = RecentItems()
        self.jumps = JumpHistory()
        self.has_screen_over = has_screen_over
        self.may_leave = True
        self.went: list[str] = []
        self.reversals: list[Reversal] = []
        self.signs_in = False

    def sign_in(self) -> None:
        self.signs_in = True

    def show_reversal(self, done: Reversal) -> None:
        self.reversals.append(done)

    async def switch_to(self, mode: str) -> bool:
        if self.may_leave:
            self.went.append(mode)
        return self.may_leave

    async def go(self, mode: str) -> bool:
        return await self.switch_to(mode)

    async def return_to(self, place: AppLocation) -> None:
        self.here = place

    def end_range(self) -> None:
        """There is no list."""

    def close_top(self) -> bool:
        return self.has_screen_over


class FakeApplication(FakeTarget):
    """The target of the application's commands."""

    def __init__(self, store: Store, answers: tuple[object, ...] = (), places: FakePlaces | None = None) -> None:
        super().__init__(store, (), answers)
        self.fake_places = places or FakePlaces()
        self.navigator = cast("ScreenNavigator", self.fake_places)
        self.history_lock = asyncio.Lock()
        self.interrupted_at = float("-inf")
        self.profiles = ["here", "local", "demo-500-1"]
        self.wanted_profile: str | None = None
        self.offered_themes = themes.load_themes(None)[0]
        self.theme = "backlit"
        self.is_running_something = self.has_unsaved_text = False
        self.has_ended = False
        self.dispatch = cast("Dispatch", FakeDispatch())
        self.workers: dict[str, Callable[[], Coroutine[object, object, None]]] = {}

    def stop_running(self) -> bool:
        return self.is_running_something

    def run_worker(
        self, act: Callable[[], Coroutine[object, object, None]], *, group: str, exclusive: bool = False
    ) -> None:
        assert exclusive
        self.workers[group] = act

    def exit(self) -> None:
        self.has_ended = True


class FakeDispatch:
    """The focus on a list of items, and the commands that were to run."""

    def __init__(self) -> None:
        self.focused_node = Focused()
        self.ran: list[str] = []

    def hidden(self) -> frozenset[str]:
        return frozenset()

    def run(self, command: Command) -> None:
        self.ran.append(command.id)


class Focused(Widget):
    """A widget with the commands of items and of the application."""

    COMMAND_GROUPS = (*ITEM_COMMANDS, *BacklitApp.COMMAND_GROUPS)


def call(command_id: str, count: int | None = None, text: str = "") -> CommandContext:
    return CommandContext(COMMAND_BY_ID[command_id], count, "", text)


async def story(store: Store) -> int:
    view = store.view(ViewSpec())
    await view.load()
    return next(row.id for row in view.rows(0, 100) if row.type == "Story")


def name_of(store: Store, item_id: int) -> object:
    item = store.item(item_id)
    return item.fields["Name"] if item else None


# Places


async def test_a_mode_is_gone_to_by_the_argument_of_its_row(store: Store) -> None:
    target = FakeApplication(store)

    for mode in ("board", "plan", "areas"):
        await navigation.go(cast("navigation.NavigationCommandTarget", target), call(f"app.{mode}"))

    assert target.fake_places.went == ["board", "plan", "areas"]


async def test_a_count_goes_so_many_jumps_back_and_forward_again(tmp_path: Path) -> None:
    with offline_store(tmp_path) as store:
        target = FakeApplication(store)
        as_target, places = cast("navigation.NavigationCommandTarget", target), target.fake_places
        left = [AppLocation("board"), AppLocation("plan"), AppLocation("areas")]
        for each in left:
            places.jumps.leave(each)
        start = places.here

        await navigation.jump_back(as_target, call("app.jump-back", 2))
        back = places.here
        await navigation.jump_forward(as_target, call("app.jump-forward", 2))

    assert (back, places.here) == (left[1], start)


@pytest.mark.slow
async def test_back_quits_at_the_backlog_where_all_is_sent(store: Store) -> None:
    target = FakeApplication(store)

    await navigation.back(cast("navigation.NavigationCommandTarget", target), call("app.back"))

    assert target.has_ended


async def test_back_closes_what_is_on_top_and_does_not_quit(store: Store) -> None:
    target = FakeApplication(store, places=FakePlaces(has_screen_over=True))

    await navigation.back(cast("navigation.NavigationCommandTarget", target), call("app.back"))

    assert not target.has_ended


@pytest.mark.parametrize(("answer", "has_ended"), [("y", True), (None, False)])
async def test_back_asks_before_it_quits_while_changes_wait(
    world: World, store: Store, answer: str | None, has_ended: bool
) -> None:
    item_id = await story(store)
    world.faults.is_down = True
    await raised(store.refresh())
    await until(lambda: store.connection.state is ConnectionState.OFFLINE)
    await store.items.edit([item_id], {"Name": "Waits"})
    target = FakeApplication(store, answers=(answer,))

    await navigation.back(cast("navigation.NavigationCommandTarget", target), call("app.back"))

    assert (len(target.asked), target.has_ended) == (1, has_ended)


async def test_quitting_and_the_command_for_it_count_the_changes_that_wait(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2)]) as store:
        target = FakeApplication(store, answers=(None, "q"))
        for item_id in (1, 2):
            await store.items.edit([item_id], {"Name": "Waits"})
            global_commands.say_saved(target, call("app.saved"))
            await navigation.back(cast("navigation.NavigationCommandTarget", target), call("app.back"))

    kept = "kept and sent the next time backlit runs. y q quit esc stay"
    assert [" ".join(words_of(each).split()) for each in target.asked] == [
        f"Quit 1 change is waiting to be sent. It is {kept}",
        f"Quit 2 changes are waiting to be sent. They are {kept}",
    ]
    assert target.said == [f"Saved locally. {each} waiting to be sent." for each in ("1 change is", "2 changes are")]
    assert target.has_ended


def test_a_second_interrupt_quits_and_one_that_stops_something_does_not_count(store: Store) -> None:
    target = FakeApplication(store)
    as_target = cast("navigation.NavigationCommandTarget", target)

    target.is_running_something = True
    navigation.interrupt(as_target, call("app.interrupt"))
    target.is_running_something = False
    navigation.interrupt(as_target, call("app.interrupt"))
    first = target.has_ended
    navigation.interrupt(as_target, call("app.interrupt"))

    assert (first, target.has_ended) == (False, True)
    assert target.said[0] == "Press ctrl+c again to quit."


def test_recent_items_come_first_among_the_found_ones_and_others_that_fit_last() -> None:
    async def find(_query: str) -> list[Offer]:
        return []

    lamp, sofa, table = (Offer(at, f"#{at}", name) for at, name in ((3, "Lamp"), (5, "Sofa"), (7, "Table lamp")))
    with stage():
        dialog = navigation.GoToDialog([lamp, sofa], ItemSearch(find, lambda _item_id: None))
        plain = [each.value for each in dialog.arranged("", [table])]
        found = [each.value for each in dialog.arranged("la", [table, sofa])]

    assert plain == [None, 3, 5]
    assert found == [5, 7, 3]


# Undo and redo


async def test_undo_and_redo_step_by_the_count_and_say_the_field(store: Store) -> None:
    item_id = await story(store)
    before = name_of(store, item_id)
    for name in ("One", "Two"):
        await store.items.edit([item_id], {"Name": name})
    target = FakeApplication(store)

    await history.undo(target, call("app.undo", 2))
    undone = name_of(store, item_id)
    await history.redo(target, call("app.redo"))

    assert (undone, name_of(store, item_id)) == (before, "One")
    both = f"Name of #{item_id} back to One; Name of #{item_id} back to {shortened(str(before), 40)}"
    assert target.said[-2] == f"Undone 2 steps: {both}."
    assert target.said[-1] == f"Redone: Name of #{item_id} to One."
    await sent(store)


async def test_undo_says_that_there_is_nothing_to_undo(store: Store) -> None:
    target = FakeApplication(store)

    await history.undo(target, call("app.undo"))

    assert target.said == ["Nothing to undo."]


async def test_undo_over_a_form_with_newer_changes_leaves_saved_ones_and_names_the_key_for_those(store: Store) -> None:
    view = store.view(ViewSpec())
    await view.load()
    item_id = view.rows(0, 1)[0].id
    await store.items.edit([item_id], {"Name": "Saved"})
    target = FakeApplication(store)
    target.has_unsaved_text = True

    with pytest.raises(CannotAct, match="not saved: gu takes back the current field"):
        await history.undo(target, call("app.undo"))

    assert name_of(store, item_id) == "Saved"
    await sent(store)


@pytest.mark.parametrize("is_agreed", [True, False])
async def test_undoing_many_items_is_asked_about_first(store: Store, is_agreed: bool) -> None:
    view = store.view(ViewSpec())
    await view.load()
    ids = [row.id for row in view.rows(0, 40) if row.type == "Story"]
    before = [name_of(store, each) for each in ids]
    await store.items.edit(ids, {"Name": "Alike"})
    target = FakeApplication(store, answers=(is_agreed,))

    await history.undo(target, call("app.undo", 3))

    assert len(target.asked) == 1
    assert [name_of(store, each) for each in ids] == (before if is_agreed else ["Alike"] * len(ids))
    await sent(store)


async def test_an_undo_that_becomes_another_one_while_it_is_asked_about_is_asked_about_again(store: Store) -> None:
    view = store.view(ViewSpec())
    await view.load()
    ids = [row.id for row in view.rows(0, 40) if row.type == "Story"]
    await store.items.edit(ids, {"Name": "Alike"})

    class ChangedMeanwhile(FakeApplication):
        async def ask(self, dialog: Screen[Answer]) -> Answer:
            if not self.asked:
                await store.items.edit(ids[:-1], {"Name": "Changed meanwhile"})
            return await super().ask(dialog)

    target = ChangedMeanwhile(store, answers=(True, True))

    await history.undo(target, call("app.undo"))

    assert len(target.asked) == 2
    assert {name_of(store, each) for each in ids} == {"Alike"}
    await sent(store)


# Projects, profiles, themes


async def test_a_project_is_chosen_by_the_beginning_of_its_name(store: Store) -> None:
    other = next(each for each in store.lookups.projects() if each.id != store.project_id)
    target = cast("projects.ProjectCommandTarget", FakeApplication(store))

    await projects.choose_project(target, call("app.project", text=other.name[:4].lower()))

    assert store.project_id == other.id


async def test_an_unknown_project_is_refused_with_the_names_of_those_there_are(store: Store) -> None:
    target = cast("projects.ProjectCommandTarget", FakeApplication(store))

    with pytest.raises(BadRequest, match=f"Unknown project “nowhere”. Projects: .*{store.lookups.projects()[0].name}"):
        await projects.choose_project(target, call("app.project", text="nowhere"))


@pytest.mark.parametrize(("may_leave", "wanted"), [(True, "demo-500-1"), (False, None)])
async def test_a_profile_is_opened_unless_a_screen_is_to_stay(
    store: Store, may_leave: bool, wanted: str | None
) -> None:
    target = FakeApplication(store)
    target.fake_places.may_leave = may_leave

    await projects.choose_profile(cast("projects.ProjectCommandTarget", target), call("app.profile", text="demo"))

    assert (target.wanted_profile, target.has_ended) == (wanted, may_leave)


async def test_the_profile_that_is_open_is_refused(store: Store) -> None:
    target = FakeApplication(store)

    with pytest.raises(CannotAct, match="This profile is already open"):
        await projects.choose_profile(cast("projects.ProjectCommandTarget", target), call("app.profile", text="here"))


async def test_a_theme_is_put_on_by_its_name_and_completed(store: Store) -> None:
    target = FakeApplication(store)
    as_target = cast("global_commands.ApplicationCommandTarget", target)

    await global_commands.choose_theme(as_target, call("app.theme", text="paper"))

    assert target.theme == "paper"
    assert "paper" in [each.text for each in global_commands.complete_theme(as_target, "pa", 2)]
    with pytest.raises(BadRequest, match="Unknown theme “pape”"):
        await global_commands.choose_theme(as_target, call("app.theme", text="pape"))


def test_it_is_said_that_all_is_sent(store: Store) -> None:
    target = FakeApplication(store)

    global_commands.say_saved(target, call("app.saved"))

    assert target.said == ["All changes are saved."]


async def test_a_changed_theme_is_told_with_the_way_to_keep_it_and_a_left_choice_restores_the_one_before(
    store: Store,
) -> None:
    def try_another(_: Screen[object]) -> None:
        target.theme = "paper"

    target = FakeApplication(store, answers=(try_another, Choice("paper", "paper"), Choice("paper", "paper")))
    as_target = cast("global_commands.ApplicationCommandTarget", target)
    themes = []
    for _ in range(3):
        with stage():
            await global_commands.choose_theme(as_target, call("app.theme"))
        themes.append(target.theme)

    kinds = {each.label: each.hint for each in rows_of(target.asked[0])}
    assert (kinds["backlit"], kinds["paper"], kinds["ansi"]) == ("dark", "light", "terminal colours")
    assert themes == ["backlit", "paper", "paper"]
    assert target.said == ['To keep it, set theme = "paper" in config.toml.']


# The palette


async def test_a_found_command_runs_and_is_offered_first_next_time(store: Store) -> None:
    chosen = ["item.status", "app.theme", "item.status"]
    target = FakeApplication(store, answers=tuple(COMMAND_BY_ID[each] for each in chosen))
    as_target = cast("global_commands.ApplicationCommandTarget", target)
    target.session.recent_commands = tuple(f"item.{number}" for number in range(8))

    with stage():
        for _ in chosen:
            await global_commands.find(as_target, call("app.palette"))

    assert cast("FakeDispatch", target.dispatch).ran == chosen
    assert target.session.recent_commands == ("item.status", "app.theme", *(f"item.{number}" for number in range(6)))


async def test_a_found_item_opens_and_a_command_of_another_place_is_refused_with_its_key(store: Store) -> None:
    target = FakeApplication(store, answers=(COMMAND_BY_ID["plan.send"], None, 7))
    as_target = cast("global_commands.ApplicationCommandTarget", target)

    with stage():
        with pytest.raises(CannotAct, match=r"works in the plan only\. gp goes there\."):
            await global_commands.find(as_target, call("app.palette"))
        for _ in range(2):
            await global_commands.find(as_target, call("app.palette"))

    assert (target.opened, target.session.recent_commands) == ([(7, ItemDestination.EDITOR, None)], ())
    assert cast("FakeDispatch", target.dispatch).ran == []


# Fetching, and the timer


async def test_changes_are_fetched_and_a_full_resync_and_failures_are_told(world: World, store: Store) -> None:
    target = FakeApplication(store)
    as_target = cast("global_commands.ApplicationCommandTarget", target)
    found = []
    for command in (global_commands.refresh, global_commands.resync):
        command(as_target, call("app.refresh"))
        await target.workers.pop("refresh")()
        found.append(list(target.said))
    world.faults.is_down = True
    global_commands.refresh(as_target, call("app.refresh"))
    await target.workers.pop("refresh")()

    assert found == [["Up to date."], ["Up to date.", "Full resync finished."]]
    assert len(target.said) == 3
    assert target.said[-1].startswith("! ")
    assert not target.fake_places.signs_in


async def test_the_changes_that_wait_are_counted(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1)]) as store:
        target = FakeTarget(store)
        for name in ("One", "Two"):
            await store.items.edit([1], {"Name": name})
            global_commands.say_saved(target, call("app.saved"))
        await store.items.add("Story", {"Name": "New"})
        global_commands.say_saved(target, call("app.saved"))

    assert target.said[-1].startswith("Saved locally. ")
    assert "All changes" not in " ".join(target.said)


async def test_stop_logs_the_timer_s_task_and_ends_the_timer_of_a_task_that_is_gone(tmp_path: Path) -> None:
    with offline_store(tmp_path, [item(1), item(2, kind="Task"), item(3, kind="Task")]) as store:
        target = FakeTarget(store, [3], [None, LoggedWork(1.0)])
        with pytest.raises(CannotAct, match=r"No timer is running\. L, then ctrl\+t starts one"):
            await run(target, "app.stop-timer")
        await store.timer.start(2)
        await run(target, "app.stop-timer")
        goes_on = store.timer.running is not None
        asked = target.asked[0]
        assert isinstance(asked, LogWorkDialog)
        assert asked.inputs[0].value == "0.01"
        await run(target, "app.stop-timer")
        ended = store.timer.running is None
        await store.timer.start(3)
        store.files.submit(lambda writer: writer.mirror.remove_items([3])).result()

        with pytest.raises(CannotAct, match="Timer stopped: #3 no longer exists"):
            await run(target, "app.stop-timer")

        assert (goes_on, ended, store.timer.running) == (True, True, None)
        assert {each.item_id for each in store.outbox_entries()} == {2}


def test_a_macro_that_was_never_recorded_is_refused() -> None:
    class Target:
        recorder = macros.Recorder(cast("macros.MacroApp", None))

    with pytest.raises(CannotAct, match="There is no macro z"):
        macros.play(Target(), CommandContext(COMMAND_BY_ID["macro.play"], None, "z"))
    with pytest.raises(CannotAct, match="No macro has been played yet"):
        macros.play(Target(), call("macro.again"))
