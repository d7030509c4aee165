"""The help on keys and the palette."""

import re
from collections import Counter
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager

import pytest
from tests.quiet import rest, strips_of
from tests.store.world import until
from tests.tui.bare_app import BareApp, line_with, lines_of, missing, text_of
from tests.tui.list_steps import press
from tests.tui.opened import Open
from tests.tui.target import FakeTarget
from textual.pilot import Pilot

from backlit.store import Store, ViewSpec
from backlit.tui.app.global_commands import PAIRED_COMMANDS, KeysHelp
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import COMMAND_BY_ID, commands_here, commands_in
from backlit.tui.dialogs.finder import KEY_GAP, OfferList, OffersDialog
from backlit.tui.dialogs.palette import Palette, command_offers, item_search
from backlit.tui.drawing.themes import ThemeStyles
from backlit.tui.shell.dispatch import contexts_of

HEADS = ("Needed most", "Signs", "Lists", "Items", "Everywhere", "Moving in lists")
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


async def test_every_command_of_the_contexts_is_listed_under_their_names() -> None:
    async with asked(size=(120, 160)) as (_pilot, app):
        wanted = [re.split("; |: | \\(", help_of(command))[0][:30] for command in commands_here(CONTEXTS)]

        assert missing(app, [*wanted, "Lists", "Items", "Everywhere"]) == []
        assert missing(app, ["Iterations and areas", "Editor"]) == ["Iterations and areas", "Editor"]


@pytest.mark.slow
async def test_typing_searches_labels_helps_and_keys() -> None:
    async with asked() as (pilot, app):
        await pilot.press(*"sprint", *["backspace"] * 6, *"iteration")
        assert "ci  m/" in line_with(app, "▌")
        await pilot.press(*["backspace"] * 9, *"gP")
        assert "Switch to another project or profile" in line_with(app, "▌")


async def test_enter_runs_what_is_under_the_cursor() -> None:
    async with asked() as (pilot, app):
        await pilot.press("down", "enter")

        assert app.answers == [COMMAND_BY_ID["list.filter"]]


async def test_keys_begin_with_ten_needed_commands_and_the_signs_and_end_with_movement() -> None:
    async with asked(size=(120, 200)) as (_pilot, app):
        lines = lines_of(app)
        at = {word: next(number for number, line in enumerate(lines) if f" {word}" in line) for word in HEADS}

        keys = [(line[2:20].strip("│▌ ").split() or [""])[0] for line in lines[at["Needed most"] + 1 : at["Signs"]]]
        assert [each for each in keys if each][:3] == ["s", "/", "?"]
        assert len([each for each in keys if each and not each.startswith((":", "╰"))]) == 10
        assert missing(app, ["◆ Story", "○ not started", "↑ not sent yet", "≠ in conflict", "✓ selected"]) == []
        assert sorted(HEADS, key=lambda word: at[word]) == list(HEADS)


async def test_the_cursor_steps_over_headings() -> None:
    async with asked() as (pilot, app):
        await pilot.press(*["down"] * 10, "enter")
        lists = [each for each in commands_in((Context.LIST,)) if each.id != "list.filter"]

        assert app.answers == lists[:1]


@pytest.mark.slow
async def test_both_directions_share_a_row_that_runs_the_first_and_are_found_apart() -> None:
    async with asked(size=(120, 160)) as (pilot, app):
        together = line_with(app, "Next or previous match")
        await pilot.press(*"previous match", "enter")

        assert "n or N " in together
        assert app.answers == [COMMAND_BY_ID["list.previous-hit"]]


@pytest.mark.slow
async def test_keys_of_one_effect_share_a_row() -> None:
    async with asked(size=(120, 160)) as (_pilot, app):
        assert text_of(app).count("Fold or unfold tasks or the group") == 1
        assert "h  ← or l  →" in line_with(app, "Fold or unfold tasks or the group")


async def test_a_column_that_begins_inside_a_section_names_it_and_is_clicked_by_row() -> None:
    async with asked(size=(120, 40)) as (pilot, app):
        first, below = lines_of(app)[3:5]
        keys = below[62:].split()[0]
        await pilot.click(OfferList, offset=(70, 1))
        await pilot.pause()

        assert re.search("(Lists|Items), continued ─+ +┃", first)
        assert keys in line_with(app, "▌")


async def test_three_columns_stand_beside_each_other_from_150_columns_and_are_clicked_by_row() -> None:
    async with asked(size=(150, 30)) as (pilot, app):
        heads, below = lines_of(app)[3:5]
        keys = below[105:].split()[0]
        await pilot.click(OfferList, offset=(110, 1))
        await pilot.pause()

        assert ", continued" in heads
        assert missing(app, ["◑ testing", "– not estimated", "~ edited in plan", "+ planned here"]) == []
        assert keys in line_with(app, "▌")


async def test_keys_are_bold_without_grounds_and_the_needed_most_stand_in_a_frame() -> None:
    async with asked(size=(120, 200)) as (_pilot, app):
        theme = ThemeStyles.of(app.screen.app)
        focus, bold = theme.style("focus").color, theme.style("foreground", bold=True)
        strips = strips_of(app)
        first = next(y for y, line in enumerate(lines_of(app)) if "Needed most" in line)
        end = next(y for y, line in enumerate(lines_of(app)) if y > first and "╰──" in line)
        column = [part for line in strips for part in line if part.style == bold and part.cell_length == 15]
        edges = [
            [part for part in strips[y] if part.style and part.style.color == focus] for y in range(first, end + 1)
        ]

        assert {"J or K", "n or N", "space"} <= {part.text.strip() for part in column}
        assert not [part.text for part in column if ":" in part.text]
        assert all(len(parts) >= 2 for parts in edges)
        assert end - first >= 11


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


def keys_and_words(offers: OfferList) -> tuple[list[str], str]:
    """Return all keys that a list of offers shows, and its whole helps."""
    keys: list[str] = []
    words: list[str] = []
    for index, line in enumerate(offers.lines):
        if line.is_heading and not line.is_continued:
            continue
        drawn = offers.render_row(index, is_cursor=False).text
        assert line.keys in drawn
        assert re.split("; |: | \\(", line.help)[0][:20] in drawn
        for part in line.keys.split(KEY_GAP):
            keys += [part] if part.startswith(":") else [key for key in part.split() if key != "or"]
        words += [line.help] if line.is_continued else ["|", line.help]
    return keys, " ".join(filter(None, words))


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.long_but("backlog", "board", "plan", "editor", "inbox")
async def test_the_help_of_each_screen_lists_each_command_and_each_key_once(
    store: Store, opened: Open, place: str
) -> None:
    async with opened(store, (80, 24)) as pilot:
        await press(pilot, *PLACES[place])
        commands = commands_here(contexts_of(pilot.app.focused or pilot.app.screen))
        await press(pilot, "?")
        for size in ((80, 24), (60, 20), (120, 40), (150, 40), (200, 50)):
            await pilot.resize_terminal(*size)
            await rest(pilot)
            keys, words = keys_and_words(pilot.app.screen.query_one(OfferList))

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


async def test_the_last_lines_of_the_current_command_are_in_sight() -> None:
    async with asked(size=(60, 20)) as (pilot, app):
        offers = app.screen.query_one(OfferList)
        for _ in range(60):
            await pilot.press("down")
            current = offers.current
            assert current is not None
            end = next(at for at in range(offers.cursor + 1, 999) if not offers.lines[at].is_continued)

            assert end <= offers.top + offers.page


@pytest.mark.slow
async def test_the_keys_of_the_present_screen_are_shown_and_run(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("g", "a", "?")
        await pilot.pause()
        assert missing(pilot.app, ["Iterations and areas", "Fold every branch", "Everywhere"]) == []
        assert "Change the status" not in text_of(pilot.app)
        await pilot.press(*"fold all", "enter")
        await pilot.pause()

        assert "▸ Aurora" in line_with(pilot.app, "▌")


async def item_named(store: Store) -> tuple[int, str]:
    view = store.view(ViewSpec())
    await view.load()
    row = view.rows(0, 1)[0]
    return row.id, row.name


@asynccontextmanager
async def palette_of(store: Store) -> AsyncIterator[tuple[Pilot[None], BareApp]]:
    async with BareApp().run_test(size=(100, 30)) as pilot:
        app = pilot.app
        assert isinstance(app, BareApp)
        app.push_screen(Palette(command_offers(CONTEXTS), item_search(FakeTarget(store))), app.answers.append)
        await pilot.pause()
        yield pilot, app


async def test_the_palette_finds_items_by_name(store: Store) -> None:
    item_id, name = await item_named(store)
    async with palette_of(store) as (pilot, app):
        app.screen.query_one("Input").value = name  # type: ignore[attr-defined] # an Input has one
        await until(lambda: f"#{item_id}" in text_of(app), lambda: text_of(app))
        await pilot.press("enter")

        assert app.answers == [item_id]


async def test_the_palette_finds_an_item_by_id(store: Store) -> None:
    item_id, name = await item_named(store)
    async with palette_of(store) as (pilot, app):
        await pilot.press("#", *str(item_id))
        await until(lambda: name[:30] in text_of(app), lambda: text_of(app))
        await pilot.press("enter")

        assert app.answers == [item_id]


async def test_an_id_that_is_typed_out_needs_no_search(store: Store) -> None:
    item_id, _ = await item_named(store)
    async with palette_of(store) as (pilot, app):
        app.screen.query_one("Input").value = f"#{item_id}"  # type: ignore[attr-defined] # an Input has one
        await pilot.press("enter")

        assert app.answers == [item_id]


async def test_items_that_come_later_leave_the_cursor_where_it_is(store: Store) -> None:
    async with palette_of(store) as (pilot, app):
        await pilot.press("a", "down")
        await until(lambda: "Items" in text_of(app), lambda: text_of(app))
        second = app.screen.query_one("OfferList")
        await pilot.pause()

        assert second.cursor == 2  # type: ignore[attr-defined] # the heading, the first, the second


async def test_the_palette_names_groups_recent_commands_first_and_has_keys_at_the_right(store: Store) -> None:
    async with BareApp().run_test(size=(100, 60)) as pilot:
        app = pilot.app
        assert isinstance(app, BareApp)
        recent = ["item.comment", "list.filter"]
        app.push_screen(Palette(command_offers(CONTEXTS, recent), item_search(FakeTarget(store)), len(recent)))
        await pilot.pause()
        offers = app.screen.query_one(OfferList)
        headings = [each.label for each in offers.lines if each.is_heading]
        rows = [each.value.id for each in offers.lines[1:3] if isinstance(each.value, Command)]
        line = line_with(app, COMMAND_BY_ID["item.comment"].help.removesuffix("."))

        assert headings[:2] == ["Recent", "Items"]
        assert headings[-1] == "Elsewhere"
        assert rows == recent
        assert re.search(r"comment .* C +[│┃]", line)


async def test_the_palette_runs_commands_before_items(store: Store) -> None:
    async with palette_of(store) as (pilot, app):
        await pilot.press(*"refresh")
        await pilot.pause()
        await pilot.press("enter")

        assert app.answers == [COMMAND_BY_ID["app.refresh"]]


@pytest.mark.slow
async def test_the_palette_opens_from_a_text_input_too(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("/", *"sh", "ctrl+p")
        await pilot.pause()

        assert "Palette" in text_of(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize("size", [(120, 40), (80, 24), (60, 20)])
async def test_the_palette_fits_the_terminal(store: Store, opened: Open, size: tuple[int, int]) -> None:
    async with opened(store, size) as pilot:
        await pilot.press("ctrl+p", *"a")
        await until(lambda: "Items" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert "esc close" in " ".join(text_of(pilot.app).split())


ORDINARY_WORDS = {
    "assign": "item.assign",
    "assignee": "item.assign",
    "sprint": "app.plan",
    "points": "item.estimate",
    "size": "item.estimate",
    "label": "item.tags",
    "search": "list.filter",
    "find": "list.filter",
    "rename": "item.name",
    "title": "item.name",
    "archive": "item.done",
    "close": "item.done",
    "done": "item.done",
    "export": "item.copy-tsv",
    "csv": "item.copy-tsv",
    "print": "app.reports",
    "due": "app.iterations",
    "deadline": "item.due",
    "history": "item.history",
    "activity": "item.history",
    "settings": "app.settings",
    "holidays": "app.settings",
    "working days": "app.settings",
    "time zone": "app.settings",
    "wip": "app.settings",
    "config": "app.profile",
    "login": "app.connect",
    "server": "app.connect",
    "connect": "app.connect",
    "parent": "item.feature",
    "kanban": "app.board",
    "burndown": "app.reports",
    "remove": "item.delete",
    "new": "item.add",
    "quit": "app.back",
    "upload": "item.attachments",
    "clone": "item.duplicate",
    "subtask": "item.add-task",
    "hours": "item.log",
    "notifications": "app.inbox",
    "dark": "app.theme",
    "shortcuts": "app.help",
    "person": "item.assign",
    "tag": "item.tags",
    "delete": "item.delete",
    "link": "item.copy-id",
    "epic": "item.feature",
    "create": "item.add",
    "bug": "item.add",
    "claim": "item.assign-me",
    "reply": "item.comment",
    "refinement": "app.groom",
    "notes": "item.description",
    "blocked": "item.blocking",
    "velocity": "app.reports",
    "reorder": "item.rank-down",
    "workflow": "item.status",
    "urgency": "item.priority",
    "favorite": "view.save",
    "swimlanes": "list.group",
    "revert": "app.undo",
    "reload": "app.refresh",
    "copy": "item.copy-id",
    "split": "item.split",
    "offline": "app.saved",
    "password": "app.connect",
    "roadmap": "app.iterations",
    "mention": "item.comment",
    "notify": "app.inbox",
    "dependency": "item.relate",
    "users": "item.assign",
    "sign out": "app.profile",
    "start sprint": "app.plan",
}


@pytest.mark.parametrize("word", ORDINARY_WORDS)
def test_ordinary_words_find_their_command_first(word: str) -> None:
    dialog = OffersDialog[object]("Palette", "", command_offers(CONTEXTS))

    first = next(offer for offer in dialog.fitting(word) if not offer.is_dim)

    assert first.value is COMMAND_BY_ID[ORDINARY_WORDS[word]]


def test_the_palette_offers_recent_commands_first_and_no_cursor_movement() -> None:
    offers = command_offers(CONTEXTS, ["app.theme", "list.sort"])

    assert [offer.value for offer in offers[:2]] == [COMMAND_BY_ID["app.theme"], COMMAND_BY_ID["list.sort"]]
    assert all(isinstance(offer.value, Command) and offer.value.context is not Context.MOVES for offer in offers)


def test_the_palette_offers_commands_of_other_places_dim_and_last() -> None:
    offers = command_offers(CONTEXTS)

    elsewhere = [offer for offer in offers if offer.is_dim]
    assert offers[-len(elsewhere) :] == elsewhere
    carry_over = next(offer for offer in elsewhere if offer.value is COMMAND_BY_ID["plan.rollover"])
    assert (carry_over.keys, carry_over.help.partition(" · ")[0]) == ("gp gw", "Plan")


def test_the_palette_offers_no_negative_command_above_its_positive() -> None:
    dialog = OffersDialog[object]("Palette", "", command_offers(CONTEXTS))

    for word, pair in {
        "assign": ["item.assign-me", "item.unassign"],
        "open": ["item.open", "item.reopen"],
        "undo": ["app.undo", "app.redo"],
        "filter": ["list.filter", "list.no-filter"],
    }.items():
        found = [offer.value for offer in dialog.fitting(word)]
        places = [found.index(COMMAND_BY_ID[each]) for each in pair if COMMAND_BY_ID[each] in found]
        assert places == sorted(places), word


@pytest.mark.slow
async def test_a_command_of_another_place_says_where_it_works(store: Store, opened: Open) -> None:
    async with opened(store) as pilot:
        await pilot.press("ctrl+p", *"carry over", "enter")
        await pilot.pause()

        assert "“carry over” works in the plan only. gp goes there." in text_of(pilot.app)


async def test_the_border_of_the_keys_says_how_to_leave_and_where_the_cursor_is() -> None:
    async with asked() as (pilot, app):
        await pilot.press("down")
        await pilot.pause()

        commands = commands_here(CONTEXTS)
        folds = {help_of(each) for each in commands if each.id in PAIRED_COMMANDS}
        is_shared = {each.id: each.id in {*PAIRED_COMMANDS, *SECONDS} or help_of(each) in folds for each in commands}
        offers = len({help_of(each) if is_shared[each.id] else each.id for each in commands})
        assert f" esc  close  2 of {offers} ─╯" in text_of(app)
