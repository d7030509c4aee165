"""The list of keys that can follow an unfinished chord, and messages."""

import asyncio
import re
import time

from tests.tui.bare_app import BareApp, lines_of, text_of
from textual import events
from textual.pilot import Pilot

from backlit.tui.app.app import BacklitApp
from backlit.tui.widgets.which_key import WHICH_KEY_DELAY

TURNS = 8
"""Turns of the loop between the timer and the list, and a few more."""


class ChordStage(BareApp):
    """Knows the chords of the application."""

    COMMAND_GROUPS = BacklitApp.COMMAND_GROUPS


async def take(pilot: Pilot[None], key: str) -> None:
    assert isinstance(pilot.app, BareApp)
    await pilot.app.dispatch.take(events.Key(key, key if len(key) == 1 else None))


async def test_chord_lists_its_continuations_after_the_delay() -> None:
    async with ChordStage().run_test(size=(120, 40)) as pilot:
        await pilot.press("g")
        await pilot.pause(WHICH_KEY_DELAY + 0.2)

        assert "gb backlog" in text_of(pilot.app)


async def test_no_continuation_wraps_in_a_narrow_terminal() -> None:
    async with ChordStage().run_test(size=(60, 20)) as pilot:
        await pilot.press("g")
        await pilot.pause(WHICH_KEY_DELAY + 0.2)

        shown = [line for line in lines_of(pilot.app) if "  g" in line]
        assert [line for line in lines_of(pilot.app) if line.strip(" ─") and line not in shown] == []
        assert [len(re.findall(r"  g\S+ ", line)) for line in shown] == [2, 2, 2, 1, 1]


async def test_key_between_the_delay_and_the_list_leaves_no_list() -> None:
    async with ChordStage().run_test(size=(120, 40)) as pilot:
        for turns in range(TURNS):
            await take(pilot, "g")
            await asyncio.sleep(WHICH_KEY_DELAY - 0.02)
            time.sleep(0.04)  # noqa: ASYNC251 - the loop is held up until the timer is due
            for _ in range(turns):
                await asyncio.sleep(0)
            await take(pilot, "escape")
            await pilot.pause(0.05)

            assert "gb backlog" not in text_of(pilot.app), turns


async def test_message_shows_markup_and_control_characters_as_text() -> None:
    async with BareApp().run_test(size=(120, 40), notifications=True) as pilot:
        pilot.app.notify("[b]bold[/b] \x1b[31mred", markup=True)
        await pilot.pause(0.1)

        assert "[b]bold[/b] ␛[31mred" in text_of(pilot.app)
