"""Keys that arrive together, or shortly after each other, do what they do when they are typed slowly."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

import pytest
from tests.store.world import World, until
from tests.tui.bare_app import BareApp, missing, place_of, said, text_of
from tests.tui.editor_steps import burst
from tests.tui.list_steps import items, press, select, shown
from tests.tui.opened import Open
from tests.tui.plan.plan_screens import plan_of
from textual import events
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.app.screen_navigator import LAST_LOCATION_KEY
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.workers import work

PATIENCE = 300.0
NAME = ("c", "n", "ctrl+u", *"Zebra", "enter")
GAPS = (0.0, 0.03)
"""Seconds between two keys; `benchmarks.bursts` has more of these, and of the ways."""
WAYS = {
    "down": ("5", "j"),
    "a filter by a text": ("/", *"#ID", "enter"),
    "a filter by a query": ("/", *"type:story", "enter"),
    "a filter by a query from another row": ("2", "G", "/", *"type:story", "enter"),
    "a filter by a word from another row": ("2", "G", "/", *"er", "enter"),
    "a filter of groups": ("t", "g", *"Owner", "enter", "4", "G", "/", *"type:story", "enter", "j"),
    "a filter of the plan": ("g", "p", "4", "G", "/", *"type:bug", "enter"),
    "a filter of the board": ("g", "k", "j", "/", *"type:story", "enter"),
    "a filter that was left": ("/", *"type:bug", "enter", "5", "j", "escape"),
    "the next hit": ("/", *"type:story", "enter", "escape", "n"),
    "going to an item": ("#", *"ID", "enter"),
    "the command line": (":", *"ID", "enter"),
    "a status": ("#", *"ID", "enter", "s", "enter"),
    "the editor and back": ("#", *"ID", "enter", "enter", "j", "j", "q"),
    "the areas and back": ("#", *"ID", "enter", "g", "a", "j", "q"),
    "the plan and back": ("#", *"ID", "enter", "g", "p", "g", "b"),
    "groups": ("t", "g", *"Owner", "enter", "j", "j"),
    "a change of the order": ("#", *"ID", "enter", "J", "K"),
    "undo": ("3", "G", *NAME, "u", "j"),
}
USUAL_WAYS = {
    *("a filter by a query from another row", "a filter of the plan", "a filter of the board", "the next hit"),
    *("the command line", "the editor and back", "the plan and back", "groups", "undo"),
}
"""One way of each kind: filters of each list, a hit, a jump, other screens, groups, and another value."""


async def forget_location(store: Store) -> None:
    """Have the application open at the first row, not where the one before it was at the last tick of a timer."""
    store.kept.keep(LAST_LOCATION_KEY, None)
    await until(lambda: store.kept.find(LAST_LOCATION_KEY) is None)


async def named_after(opened: Open, store: Store, type_keys: Callable[[Pilot[None]], Awaitable[None]]) -> list[int]:
    """The items that have the new name when the keys are done."""
    before = {row.id: row.name for row in await shown(store, with_done=True)}
    await forget_location(store)
    async with opened(store) as pilot:
        await type_keys(pilot)
        await done(pilot)
        said = text_of(pilot.app)
    found = [row.id for row in await shown(store, with_done=True) if row.name == "Zebra"]
    assert found, said
    for item_id in found:
        await store.items.edit([item_id], {"Name": before[item_id]})
    return found


async def done(pilot: Pilot[None]) -> None:
    """Wait until every key that was sent has been dealt with, and what it began is over."""
    app = pilot.app
    assert isinstance(app, ChordApp)
    has_all = asyncio.Event()
    app.call_later(has_all.set)  # behind the keys in the application's queue
    await asyncio.wait_for(has_all.wait(), PATIENCE)
    deadline = asyncio.get_running_loop().time() + PATIENCE
    while not app.input.is_idle:
        assert asyncio.get_running_loop().time() < deadline, text_of(app)
        await asyncio.sleep(0.02)
    await press(pilot)


def filled_in(keys: tuple[str, ...], item_id: int) -> list[str]:
    return "\0".join(keys).replace("I\0D", "\0".join(str(item_id))).split("\0")


@pytest.mark.parametrize(
    "way", [pytest.param(way, marks=pytest.mark.slow if way in USUAL_WAYS else pytest.mark.long) for way in WAYS]
)
@pytest.mark.long_but("undo", "groups", "the command line", "the editor and back", "a filter of the board")
async def test_a_verb_behind_other_keys_acts_where_they_lead(store: Store, opened: Open, way: str) -> None:
    story = [row for row in await shown(store) if row.type == "Story"][4]
    keys = [*filled_in(WAYS[way], story.id), *NAME]

    async def slowly(pilot: Pilot[None]) -> None:
        for key in keys:
            await press(pilot, key)

    wanted = await named_after(opened, store, slowly)
    found = {}
    for gap in GAPS:

        async def fast(pilot: Pilot[None], gap: float = gap) -> None:
            for key in keys:
                burst(pilot, key)
                if gap:
                    await asyncio.sleep(gap)

        found[gap] = await named_after(opened, store, fast)

    assert found == dict.fromkeys(GAPS, wanted)


async def test_a_command_that_was_over_at_once_has_its_changes_shown_before_the_next_key() -> None:
    caught_up = []

    class Watched(BareApp):
        def catch_up(self) -> None:
            caught_up.append(self.input.is_idle)

    async def act() -> None:
        assert caught_up == []

    app = Watched()
    async with app.run_test() as pilot:
        app.dispatch.begin(act)
        await pilot.pause()

    assert caught_up == [True]


@pytest.mark.parametrize(
    "verbs",
    [
        *(pytest.param(keys, marks=pytest.mark.slow) for keys in (">uj>", ">>j>")),
        *(pytest.param(keys, marks=pytest.mark.long) for keys in (">j>", "j>k>")),
    ],
)
@pytest.mark.long_but(">uj>")
async def test_planning_in_a_burst_plans_what_slow_keys_plan(store: Store, opened: Open, verbs: Sequence[str]) -> None:
    planned = []
    for is_slow in (True, False):
        await forget_location(store)
        async with plan_of(opened, store) as pilot:
            await press(pilot, "j")  # the first row is a Feature, whose items are asked about
            if is_slow:
                for key in verbs:
                    await press(pilot, key)
            else:
                burst(pilot, *verbs)
                await done(pilot)
            planned.append(store.plan.state.changes)
            for _ in verbs:
                if store.plan.state.changes:
                    await press(pilot, "u")
            assert not store.plan.state.changes, text_of(pilot.app)

    assert planned[0]
    assert planned[1] == planned[0]


@pytest.mark.slow
@pytest.mark.parametrize("step", [("u", "y"), ("u", "y", "ctrl+r", "y")], ids=["undo", "redo"])
@pytest.mark.long_but("undo")
async def test_a_verb_behind_the_undo_of_many_items_acts_where_the_undo_leads(
    store: Store, opened: Open, step: Sequence[str]
) -> None:
    ids = [row.id for row in await shown(store) if row.type == "Story"]
    found = []
    for is_slow in (True, False):

        async def type_keys(pilot: Pilot[None], is_slow: bool = is_slow) -> None:
            await store.items.edit(ids, {"Tags": [f"slow {is_slow}"]})
            for key in ("1", "G", *step, *NAME):
                await press(pilot, key) if is_slow else burst(pilot, key)

        found.append(await named_after(opened, store, type_keys))
        tags = {str(item.fields.get("Tags")) for item in store.batch.items(ids)}
        assert any(f"slow {is_slow}" in each for each in tags) == ("ctrl+r" in step)

    assert found[1] == found[0]
    assert len(found[0]) == 1


@pytest.mark.slow
async def test_planning_behind_the_undo_of_a_saved_plan_plans_what_slow_keys_plan(store: Store, opened: Open) -> None:
    planned = []
    async with plan_of(opened, store) as pilot:
        await press(pilot, "j", ">", "w", "y", "n", "u", "y")  # whether the sprint starts is asked once
    for is_slow in (True, False):
        await forget_location(store)
        async with plan_of(opened, store) as pilot:
            for key in ("j", ">", "j", ">", "w", "y", "u", "y", "j", ">"):
                await press(pilot, key) if is_slow else burst(pilot, key)
            await done(pilot)
            assert "Undone: " in text_of(pilot.app)
            planned.append(store.plan.state.changes)
            await press(pilot, "u")

    assert planned[0]
    assert planned[1] == planned[0]


@pytest.mark.slow
async def test_a_new_item_keeps_the_first_letter_of_its_name(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        for number in range(25):
            burst(pilot, "a", "enter", *f"Made {number:02}", "enter")
        await done(pilot)
        made = sorted(row.name for row in await shown(store) if row.name.startswith("Made"))

    assert made == [f"Made {number:02}" for number in range(25)]


@pytest.mark.slow
async def test_each_name_reaches_the_item_that_was_gone_to(store: Store, opened: Open) -> None:
    rows = (await shown(store))[:25]
    async with opened(store) as pilot:
        for row in rows:
            burst(pilot, "#", *str(row.id), "enter", "c", "n", "ctrl+u", *f"Named {row.id}", "enter")
        await done(pilot)

    names = {row.id: row.name for row in await shown(store)}
    assert [names.get(row.id) for row in rows] == [f"Named {row.id}" for row in rows]


async def test_keys_behind_a_failure_are_dropped_with_a_word(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        cursor = items(pilot).cursor
        burst(pilot, "g", "z", "j", "j", "j")
        await done(pilot)

        assert items(pilot).cursor == cursor
        await until(lambda: "3 more keys were dropped." in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("s", *"qqq"), "No matches"),
        (("c", "p", *"high"), "is a whole number"),
        (("#", *"qqqqq"), "No matches"),
        ((":", *"qqq"), "qqq"),
        (("/", *"type:qqq"), "qqq"),
    ],
    ids=["picker", "line", "finder", "command line", "filter"],
)
@pytest.mark.long_but("line", "filter", "picker")
async def test_keys_behind_a_refused_answer_are_dropped_with_a_word(
    store: Store, opened: Open, asked: Sequence[str], said: str
) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story", "Bug", "Feedback")
        burst(pilot, *asked, "enter", *"jjcn")
        await done(pilot)

        assert said in text_of(pilot.app)
        assert "".join(asked)[-3:] + "jjcn" not in text_of(pilot.app)
        await until(lambda: "4 more keys were dropped." in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_keys_typed_slowly_behind_a_refused_answer_are_dropped_until_a_pause(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story")
        burst(pilot, "c", "p", *"high", "enter")
        for key in "jjcn":
            await asyncio.sleep(0.1)
            burst(pilot, key)
        await until(lambda: "4 more keys were dropped." in text_of(pilot.app), lambda: text_of(pilot.app))
        refused = text_of(pilot.app)
        await press(pilot, *"er")

        assert "is a whole number" in refused
        assert "highj" not in refused
        assert "higher" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_correction_is_taken_at_once_behind_a_refused_answer(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await select(pilot, store, "Story")
        burst(pilot, "c", "p", *"high", "enter", "enter")
        await done(pilot)
        burst(pilot, "ctrl+u", *"7", "enter")
        await done(pilot)

        assert "is a whole number" not in text_of(pilot.app)


async def test_keys_behind_an_escape_that_cancels_nothing_are_not_dropped(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        burst(pilot, "escape", "escape", "j", "j")
        await done(pilot)

        assert items(pilot).cursor == 2


async def test_a_paste_keeps_its_place_among_keys(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        burst(pilot, "c", "n", "ctrl+u")
        pilot.app.post_message(events.Paste("Pasted"))
        burst(pilot, "!", "enter")
        await done(pilot)

        assert "Pasted!" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_hanging_command_shows_the_keys_that_wait_and_ctrl_c_ends_the_wait(
    world: World, store: Store, opened: Open
) -> None:
    async def hang() -> None:
        await asyncio.sleep(60)

    async with opened(store) as pilot:
        pilot.app.run_worker(work(hang), group="writes")
        burst(pilot, "j", "j", "k")
        await until(lambda: "2 keys waiting · esc to drop" in text_of(pilot.app), lambda: text_of(pilot.app))
        burst(pilot, "escape")
        await until(lambda: "2 more keys were dropped." in text_of(pilot.app), lambda: text_of(pilot.app))
        burst(pilot, "j")
        await until(lambda: items(pilot).cursor == 2, lambda: text_of(pilot.app))

        pilot.app.workers.cancel_all()


async def test_an_escape_typed_before_the_wait_was_shown_ends_nothing(store: Store, opened: Open) -> None:
    async def hang() -> None:
        await asyncio.sleep(60)

    async with opened(store) as pilot:
        escape = events.Key("escape", None)
        pilot.app.run_worker(work(hang), group="writes")
        burst(pilot, "j", "j", "k")
        await said(pilot, "2 keys waiting")
        pilot.app.post_message(escape)  # which arrives late
        await said(pilot, "3 keys waiting")

        pilot.app.workers.cancel_all()


@pytest.mark.slow
async def test_a_long_command_is_shown_before_any_key_waits(store: Store, opened: Open) -> None:
    over = asyncio.Event()

    async def hang() -> None:
        await over.wait()

    async with opened(store) as pilot:
        rows = items(pilot).size
        pilot.app.run_worker(work(hang), group="writes")
        burst(pilot, "j")
        await until(lambda: "Working …" in text_of(pilot.app), lambda: text_of(pilot.app))
        during = items(pilot).size
        over.set()
        await until(lambda: "Working …" not in text_of(pilot.app), lambda: text_of(pilot.app))

        assert during == rows


async def test_no_key_waits_for_the_network(world: World, store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        world.faults.is_answered = lambda _path: False
        burst(pilot, "R", "j", "j")
        await until(lambda: items(pilot).cursor == 2, lambda: text_of(pilot.app))

        world.faults.is_answered = lambda _path: True


async def test_a_key_behind_another_report_is_for_that_report(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        assert isinstance(pilot.app, ChordApp)
        pilot.app.input.brief_wait = PATIENCE  # a busy machine reads a report late
        burst(pilot, *"gr", "tab", *"td")
        await done(pilot)

        assert place_of(pilot.app, 1) == "Burnup"
        await until(lambda: missing(pilot.app, ("Burnup", "Day", "Scope")) == [], lambda: text_of(pilot.app))


async def test_keys_from_before_a_failure_that_arrive_behind_it_are_dropped(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        cursor = items(pilot).cursor
        late = [events.Key("j", "j") for _ in range(3)]
        burst(pilot, "g", "z")
        await done(pilot)
        for key in late:
            pilot.app.post_message(key)
        await done(pilot)
        stayed = items(pilot).cursor
        await press(pilot, "j")

        assert stayed == cursor
        assert items(pilot).cursor == cursor + 1
        await until(lambda: "3 more keys were dropped." in text_of(pilot.app), lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_keys_do_not_wait_for_a_history_that_the_service_does_not_give(
    world: World, store: Store, opened: Open
) -> None:
    world.faults.stalls = frozenset({"/history"})

    async with opened(store) as pilot:
        await select(pilot, store, "Story", "Bug")
        before = place_of(pilot.app)
        burst(pilot, "g", "l", "q")
        await until(lambda: any(path.endswith("/history") for _, path in world.faults.requests))
        await until(lambda: place_of(pilot.app) == before, lambda: text_of(pilot.app))
