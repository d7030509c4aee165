"""Keys that are recorded under a letter and played again."""

import asyncio
from collections.abc import Callable, Coroutine, Iterable
from typing import cast

import pytest
from tests.store.world import World, sent, until
from tests.tui.bare_app import text_of
from tests.tui.list_steps import fields_of, items, press, shown
from tests.tui.opened import Open
from textual import events
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.commands.command import CannotAct
from backlit.tui.shell.macros import MacroApp, Recorder


async def played(pilot: Pilot[None], *keys: str) -> None:
    await pilot.press(*keys)
    app = pilot.app
    assert isinstance(app, BacklitApp)
    await until(lambda: not app.recorder.is_playing)
    await press(pilot)


@pytest.mark.slow
async def test_a_macro_does_the_same_to_the_next_rows(world: World, store: Store, opened: Open) -> None:
    rows = (await shown(store))[:4]
    async with opened(store) as pilot:
        await press(pilot, "Q", "a", "c", "n", "ctrl+u", *"Named anew", "enter", "m", "n", "j", "Q")
        said = text_of(pilot.app)
        await played(pilot, "@", "a")
        await played(pilot, "2", "@", "@")
        fields = [await fields_of(world, store, row.id) for row in rows]

        assert "Recorded 17 keys as macro a. @a plays it." in said
        assert [each["Name"] for each in fields] == ["Named anew"] * 4
        assert len({each["IterationID"] for each in fields}) == 1


@pytest.mark.slow
async def test_a_macro_stops_where_something_fails_and_says_where(world: World, store: Store, opened: Open) -> None:
    rows = await shown(store)
    first = next(index for index, row in enumerate(rows) if row.type == "Task") - 1
    async with opened(store) as pilot:
        await press(pilot, *str(first + 1), "G", "Q", "b", "+", "j", "Q", "k")
        await played(pilot, "2", "@", "b")

        assert "Macro b stopped after 3 keys, 1 skipped: A task has no estimate." in text_of(pilot.app)
        assert items(pilot).current_id == rows[first + 1].id
        await sent(store)


@pytest.mark.slow
async def test_a_macro_that_plays_itself_comes_to_an_end(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "Q", "a", "j", "Q")
        await press(pilot, "Q", "b", *["@", "a"], "Q")
        await press(pilot, "Q", "a", *["@", "b"], "Q")
        await played(pilot, "9", "9", "9", "9", "@", "a")

        assert "more than 20,000 keys" in text_of(pilot.app)


class FakePlayer:
    """Notes the keys that macros press; a capital letter plays the macro of its small one, and ! fails."""

    def __init__(self) -> None:
        self.input = self
        self.recorder = Recorder(cast("MacroApp", self))
        self.pressed = ""
        self.said: list[str] = []
        self.is_done = asyncio.Event()

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        self.said.append(f"! {sentence}" if is_bad else sentence)

    def run_worker(self, act: Callable[[], Coroutine[object, object, None]], *, group: str) -> None:
        async def run() -> None:
            await act()
            self.is_done.set()

        self.running = asyncio.create_task(run(), name=group)

    async def give(self, event: events.Key, besides: Iterable[str]) -> None:
        assert not self.recorder.takes(event, is_free=True), besides
        self.pressed += event.key
        if event.key == "!":
            self.recorder.stop("No item.")
        if event.key.isupper():
            self.recorder.play(event.key.lower(), 1)

    def record(self, letter: str, keys: str) -> None:
        self.recorder.record(letter)
        for key in f"{keys}Q":
            self.recorder.takes(events.Key(key, key), is_free=True)


async def test_a_macro_in_a_macro_is_played_before_the_rest_of_it() -> None:
    player = FakePlayer()
    player.record("a", "xBy")
    player.record("b", "12")

    player.recorder.play("a", 2)
    await player.is_done.wait()

    assert player.pressed == "xB12y" * 2


async def test_the_last_macro_is_played_again_by_the_count_until_it_fails() -> None:
    player = FakePlayer()
    player.record("a", "x")
    player.record("b", "y!z")
    for letter, count in (("a", 1), ("", 2)):
        player.recorder.play(letter, count)
        await player.is_done.wait()
        player.is_done.clear()
    again = player.pressed
    player.recorder.play("b", 1)
    await player.is_done.wait()

    assert (again, player.pressed) == ("xxx", "xxxy!")
    assert player.said == [
        *("Recording macro a. Q ends it.", "Recorded 1 key as macro a. @a plays it."),
        *("Recording macro b. Q ends it.", "Recorded 3 keys as macro b. @b plays it."),
        "! Macro b stopped after 2 keys, 1 skipped: No item.",
    ]
    assert (player.recorder.is_playing, player.recorder.stop()) == (False, False)


def test_a_recording_ends_at_a_free_q_and_is_not_played_before() -> None:
    player = FakePlayer()
    player.recorder.record("a")
    taken = [player.recorder.takes(events.Key("Q", "Q"), is_free=False)]
    with pytest.raises(CannotAct, match=r"Macro a is being recorded\. Q ends it"):
        player.recorder.play("a", 1)
    taken += [player.recorder.takes(events.Key("Q", "Q"), is_free=True) for _ in range(2)]

    assert taken == [False, True, False]
    assert player.said[1:] == ["Recorded 1 key as macro a. @a plays it."]
    with pytest.raises(CannotAct, match="Macro a is too long: it would press more than 20,000 keys"):
        player.recorder.play("a", 20_001)


async def test_what_was_never_recorded_is_said(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await press(pilot, "@", "z")
        nothing = text_of(pilot.app)
        await press(pilot, "@", "@")

        assert "There is no macro z. Qz records one." in nothing
        assert "No macro has been played yet" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_letter_q_in_a_text_does_not_end_the_recording(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        for keys in ("Qa/", "Qu", ["enter"], ["escape"], "Q"):
            await press(pilot, *keys)

        assert "Recorded 5 keys as macro a." in text_of(pilot.app)
