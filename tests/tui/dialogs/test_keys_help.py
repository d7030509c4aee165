"""The help on keys."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from rich.style import Style
from tests.quiet import rest, strips_of
from tests.store.world import World
from tests.tui.bare_app import BareApp, line_with, lines_of, missing, text_of
from tests.tui.groom_steps import queue_of, unplanned
from tests.tui.list_steps import press
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.store import Store
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import COMMAND_BY_ID, commands_here
from backlit.tui.dialogs.finder import KEY_GAP
from backlit.tui.dialogs.help_list import HelpContents, HelpList, shown_keys
from backlit.tui.dialogs.keys_help import PAIRED_COMMANDS, KeysHelp
from backlit.tui.drawing.themes import CURRENT_PLACE, ThemeStyles
from backlit.tui.shell.dispatch import contexts_of, target_of

HEADS = ("Needed most", "Move", "Filter", "Fields", "Go to", "Signs")
SECONDS = {second for second, _ in PAIRED_COMMANDS.values()}
CONTEXTS = (Context.MOVES, Context.LIST, Context.ITEM, Context.GLOBAL)


@asynccontextmanager
async def asked(
    contexts: Sequence[Context] = CONTEXTS, size: tuple[int, int] = (100, 40)
) -> AsyncIterator[tuple[Pilot[None], BareApp]]:
    async with BareApp().run_test(size=size) as pilot:
        app = pilot.app
        assert isinstance(app, BareApp)
        app.push_screen(KeysHelp(contexts, ["item.status", "g", "list.filter", "app.help"]), app.answers.append)
        await pilot.pause()
        yield pilot, app


def help_of(command: Command) -> str:
    """Return the words for a command, which two directions of a movement share."""
    shared = {each: words for first, (second, words) in PAIRED_COMMANDS.items() for each in (first, second)}
    return shared.get(command.id, command.help.removesuffix("."))


async def test_every_command_of_the_contexts_is_listed_under_what_it_is_for() -> None:
    async with asked(size=(120, 230)) as (_pilot, app):
        wanted = [re.split("; |: | \\(", help_of(command))[0][:30] for command in commands_here(CONTEXTS)]

        assert missing(app, [*wanted, *HEADS]) == []
        assert missing(app, ["Iterations and areas", "Editor"]) == ["Iterations and areas", "Editor"]


@pytest.mark.slow
async def test_typing_searches_labels_helps_and_keys() -> None:
    async with asked() as (pilot, app):
        await pilot.press(*"sprint", *["backspace"] * 6, *"iteration")
        assert "ci   m/" in line_with(app, "▌")
        await pilot.press(*["backspace"] * 9, *"gP")
        assert "Switch to another project or profile" in line_with(app, "▌")


async def test_enter_runs_what_is_under_the_cursor() -> None:
    async with asked() as (pilot, app):
        await pilot.press("down", "enter")

        assert app.answers == [COMMAND_BY_ID["list.filter"]]


async def test_keys_begin_with_ten_needed_commands_and_end_with_the_signs() -> None:
    async with asked(size=(80, 230)) as (_pilot, app):
        lines = lines_of(app)
        at = [next((number for number, line in enumerate(lines) if line.strip("│ ─") == word), 0) for word in HEADS]
        keys = [line[2:20].strip("▌ ").split()[0] for line in lines[at[0] + 1 : at[1] - 1]]

        assert keys[:3] == ["s", "/", "?"]
        assert len(keys) == 10
        assert at == sorted(at)
        assert missing(app, ["◆ Story", "○ not started", "↑ not sent yet", "≠ in conflict", "✓ selected"]) == []


async def test_the_cursor_steps_over_headings() -> None:
    async with asked() as (pilot, app):
        await pilot.press(*["down"] * 10, "enter")

        assert app.answers == [COMMAND_BY_ID["list.down"]]


@pytest.mark.slow
async def test_both_directions_share_a_row_that_runs_the_first_and_are_found_apart() -> None:
    async with asked(size=(120, 230)) as (pilot, app):
        together = line_with(app, "Next or previous match")
        await pilot.press(*"previous match", "enter")

        assert "n   N " in together
        assert app.answers == [COMMAND_BY_ID["list.previous-hit"]]


@pytest.mark.slow
async def test_keys_of_one_effect_share_a_row() -> None:
    async with asked(size=(120, 230)) as (_pilot, app):
        assert text_of(app).count("Fold or unfold tasks or the group") == 1
        assert "h   l   ←   →" in line_with(app, "Fold or unfold tasks or the group")


async def test_the_contents_say_how_many_keys_a_group_has_and_light_that_of_the_cursor() -> None:
    async with asked(size=(120, 40)) as (pilot, app):
        lit = [part.text.split() for line in strips_of(app) for part in line if part.style == _lit(app)]
        await pilot.press("tab")
        await pilot.pause()
        lit += [part.text.split() for line in strips_of(app) for part in line if part.style == _lit(app)]

        assert lit == [["Needed", "most", "10"], ["Move", "8"]]


def _lit(app: BareApp) -> Style:
    return ThemeStyles.of(app.screen.app).on_surface.style(CURRENT_PLACE, bold=True)


async def test_tab_goes_to_the_next_group_and_back_to_the_first_row_of_this_one() -> None:
    async with asked(size=(120, 40)) as (pilot, app):
        await pilot.press("tab", "tab", "down", "shift+tab", "shift+tab", "enter")

        assert app.answers == [COMMAND_BY_ID["list.down"]]


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_without_room_for_contents_the_keys_take_the_whole_width(size: tuple[int, int]) -> None:
    async with asked(size=size) as (_pilot, app):
        assert not app.screen.query_one(HelpContents).display
        assert re.search("▌ s   cs +Change the status", text_of(app))


async def test_a_click_on_a_group_leads_to_its_first_key() -> None:
    async with asked(size=(120, 40)) as (pilot, app):
        y = next(number for number, line in enumerate(lines_of(app)) if "Copy  " in line)
        await pilot.click(offset=(8, y))
        await pilot.press("enter")

        assert app.answers == [COMMAND_BY_ID["item.copy-id"]]


async def test_a_command_is_clicked() -> None:
    async with asked(size=(120, 40)) as (pilot, app):
        line = next(line for line in lines_of(app) if "Find and run a command" in line)
        y = lines_of(app).index(line)
        await pilot.click(offset=(line.index("Find and run"), y))
        await pilot.pause()

        assert re.search("▌ ctrl\\+p +Find and run", lines_of(app)[y])


async def test_keys_are_bold_and_names_of_commands_end_their_group_without() -> None:
    async with asked(size=(120, 230)) as (_pilot, app):
        bold = ThemeStyles.of(app.screen.app).on_surface.style(bold=True)
        keys = {part.text for line in strips_of(app) for part in line if part.style == bold}

        assert {"J", "K", "n", "N", "space", "shift+tab"} <= keys
        assert ":explain" not in keys
        assert text_of(app).index("Show the query behind") > text_of(app).index("Clear all filters")


@pytest.mark.parametrize("size", [(60, 20), (120, 40)])
async def test_the_last_command_has_the_signs_below_it(size: tuple[int, int]) -> None:
    async with asked(size=size) as (pilot, app):
        await pilot.press(*["pagedown"] * 20)

        assert missing(app, ["  Signs", "+ planned here"]) == []


async def test_going_up_to_the_first_shows_its_heading() -> None:
    async with asked(size=(60, 10)) as (pilot, app):
        await pilot.press("pagedown", "pagedown", "pageup", "pageup", "pageup", "up")

        assert "Needed most" in text_of(app)


async def test_escape_leaves_without_running() -> None:
    async with asked() as (pilot, app):
        await pilot.press("escape")

        assert app.answers == [None]


async def test_what_fits_nothing_says_so() -> None:
    async with asked() as (pilot, app):
        await pilot.press(*"qqqqq", "enter")

        assert "No matches" in text_of(app)
        assert app.answers == []


PLACES: Mapping[str, Sequence[str]] = {
    "backlog": (),
    "board": ("g", "k"),
    "plan": ("g", "p"),
    "iterations": ("g", "i"),
    "areas": ("g", "a"),
    "reports": ("g", "r"),
    "inbox": ("g", "h"),
    "outbox": ("g", "o"),
    "grooming": ("g", "q"),
    "editor": ("enter",),
    "comments": ("g", "c"),
    "attachments": ("g", "t"),
    "history": ("g", "l"),
}
"""The screens, and the keys that lead to them from the backlog."""


def keys_and_words(rows: HelpList) -> tuple[list[str], str]:
    """Return all keys that the help shows in its rows and below them, and its whole helps."""
    keys: list[str] = []
    words: list[str] = []
    for line in rows.lines:
        if not line.is_heading:
            shown, others = shown_keys(line)
            keys += [*shown.split(KEY_GAP), *others]
            words += ["|", line.help]
    return keys, " ".join(words)


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.long_but("backlog", "board", "plan", "editor", "inbox")
async def test_the_help_of_each_screen_lists_each_command_and_each_key_once(
    store: Store, opened: Open, place: str
) -> None:
    async with opened(store, (80, 24)) as pilot:
        await press(pilot, *PLACES[place])
        node = pilot.app.focused or pilot.app.screen
        commands = [each for each in commands_here(contexts_of(node)) if target_of(node, each) is not None]
        await press(pilot, "?")
        for size in ((80, 24), (60, 20), (120, 40), (150, 40), (200, 50)):
            await pilot.resize_terminal(*size)
            await rest(pilot)
            keys, words = keys_and_words(pilot.app.screen.query_one(HelpList))

            assert [key for key, count in Counter(keys).items() if count > 1] == []
            assert [each.id for each in commands if f"| {help_of(each)}" not in words] == []


async def test_a_small_terminal_has_the_whole_help_of_the_current_command() -> None:
    async with asked(size=(60, 20)) as (pilot, app):
        await pilot.press("down")
        at = next(number for number, line in enumerate(lines_of(app)) if "Filter by names" in line)

        assert "▌" in lines_of(app)[at]
        assert COMMAND_BY_ID["list.filter"].help.removesuffix(".").split()[-1] in " ".join(lines_of(app)[-4:])
        assert "esc close" in text_of(app)
        assert all(len(line) <= 60 for line in lines_of(app))


@pytest.mark.slow
async def test_the_keys_of_the_present_screen_are_shown_and_run(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "a", "?")
        await pilot.pause()
        assert missing(pilot.app, ["Iterations and areas", "Fold every branch", "Program"]) == []
        assert "Change the status" not in text_of(pilot.app)
        await pilot.press(*"fold all", "enter")
        await pilot.pause()

        assert "▸ Aurora" in line_with(pilot.app, "│▌")


async def test_the_border_of_the_keys_says_how_to_leave_and_where_the_cursor_is() -> None:
    async with asked() as (pilot, app):
        await pilot.press("down")
        await pilot.pause()

        commands = commands_here(CONTEXTS)
        folds = {help_of(each) for each in commands if each.id in PAIRED_COMMANDS}
        is_shared = {each.id: each.id in {*PAIRED_COMMANDS, *SECONDS} or help_of(each) in folds for each in commands}
        offers = len({help_of(each) if is_shared[each.id] else each.id for each in commands})
        assert f" tab  next group   esc  close  2 of {offers} ─╯" in text_of(app)


@pytest.mark.slow
async def test_the_help_of_grooming_begins_with_the_keys_that_answer(world: World, store: Store, opened: Open) -> None:
    item_id = await unplanned(world, store)
    async with opened(store) as pilot:
        await queue_of(pilot, [item_id])
        await press(pilot, "?")

        needed = text_of(pilot.app).split("Needed most")[-1]
        assert [key for key in ("{1-9} ", " o   0 ", " tab ", " enter ") if key not in needed] == []


async def test_the_partner_of_a_needed_key_leaves_no_group_without_keys() -> None:
    async with BareApp().run_test(size=(100, 60)) as pilot:
        pilot.app.push_screen(KeysHelp([Context.TABS, Context.ITEM], ["item.next-tab"]))
        await pilot.pause()

        assert "Next or previous tab of the item" in text_of(pilot.app)
        assert str(Context.TABS) not in text_of(pilot.app)
