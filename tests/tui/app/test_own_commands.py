"""Commands of the user in the screens: by key, palette word and prompt, on the selection, their output made safe."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.store.world import until
from tests.tui.bare_app import text_of
from tests.tui.opened import leave_tasks_shown
from textual.pilot import Pilot

from backlit.model.settings.key_sequences import KeyPreset
from backlit.model.settings.own_commands import CommandOutput, CommandPrompt, CommandSubject, OwnCommand
from backlit.store import Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.commands.keymap import use_keys

COMMANDS = (
    OwnCommand("show", "Show it", ("printf", "%s and %s", "{id}", "{profile}"), keys="y b"),
    OwnCommand("count", "Count them", shell="printf '%s' {ids}", keys="y c", subject=CommandSubject.ITEMS),
    OwnCommand(
        "page",
        "Read it",
        shell="printf 'a\\033[31mb\\n'; seq 2 500",
        keys="y p",
        subject=CommandSubject.LIST,
        output=CommandOutput.PAGER,
    ),
    OwnCommand(
        "ask",
        "Ask it",
        ("printf", "%s", "{prompt.base}!"),
        keys="y a",
        subject=CommandSubject.ANYWHERE,
        confirm="Now?",
        prompts=(CommandPrompt("base", "Base", default="main"),),
    ),
    OwnCommand("fail", "Fail it", shell="echo no >&2; exit 4", keys="y f", subject=CommandSubject.ANYWHERE),
    OwnCommand("node", "Name it", ("printf", "%s", "{iter}"), keys="y i", subject=CommandSubject.ITERATION),
    OwnCommand("theme", "A taken word", ("printf", "own theme"), subject=CommandSubject.ANYWHERE),
)


@asynccontextmanager
async def opened_with_commands(store: Store) -> AsyncIterator[Pilot[None]]:
    await leave_tasks_shown(store)
    app = BacklitApp(store, commands=COMMANDS, profiles=("work",))
    try:
        async with app.run_test(size=(120, 40), notifications=True) as pilot:
            await pilot.pause()
            yield pilot
    finally:
        use_keys(KeyPreset.VIM, {})


async def shown(pilot: Pilot[None], words: str) -> None:
    await until(lambda: words in text_of(pilot.app), lambda: text_of(pilot.app))


async def test_a_key_runs_a_command_on_the_item_under_the_cursor(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press("y", "b")

        await shown(pilot, "and work")
        assert "Show it: " in text_of(pilot.app)


@pytest.mark.slow
async def test_the_selection_is_what_a_command_on_items_gets(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press("space", "space", "y", "c")
        await until(lambda: "Count them: " in text_of(pilot.app), lambda: text_of(pilot.app))
        words = text_of(pilot.app).split("Count them: ")[1].split()[0]
        assert words.count(",") == 1

        await pilot.press("y", "b")
        await shown(pilot, "“Show it” takes one item, not 2 items.")


@pytest.mark.slow
async def test_output_is_read_in_a_pager_without_its_escape_sequences(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press("y", "p")

        await shown(pilot, "a␛[31mb")
        await pilot.press("end")
        await shown(pilot, "… 101 more lines")


@pytest.mark.slow
async def test_a_command_asks_first_and_runs_after_a_yes(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press(*":ask", "enter")
        await shown(pilot, "Ask it: Base")
        await pilot.press(*"dev", "enter")
        await shown(pilot, "Now?")
        await pilot.press("y")

        await shown(pilot, "Ask it: dev!")


@pytest.mark.slow
async def test_a_failure_is_told_with_its_last_line(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press("y", "f")

        await shown(pilot, "“Fail it” ended with 4. no")


@pytest.mark.slow
async def test_a_command_on_an_iteration_runs_in_the_tree(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press("y", "i")
        await shown(pilot, "yi is not a command here")
        await pilot.press("g", "i", "g", "g", "y", "i")
        await shown(pilot, "Name it: Aurora")

        await pilot.press("g", "a", "y", "i")
        await shown(pilot, "“Name it” is for one iteration; there is none under the cursor.")


@pytest.mark.slow
async def test_a_word_that_a_command_of_ours_has_is_run_behind_run(store: Store) -> None:
    async with opened_with_commands(store) as pilot:
        await pilot.press(*":run theme", "enter")

        await shown(pilot, "A taken word: own theme")
