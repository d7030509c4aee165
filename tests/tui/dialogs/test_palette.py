"""The palette."""

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.store.world import until
from tests.tui.bare_app import BareApp, line_with, text_of
from tests.tui.opened import Open
from tests.tui.target import FakeTarget
from textual.pilot import Pilot

from backlit.store import Store, ViewSpec
from backlit.tui.commands.command import Command, Context
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.dialogs.finder import OfferList, OffersDialog
from backlit.tui.dialogs.palette import Palette, command_offers, item_search

CONTEXTS = (Context.MOVES, Context.LIST, Context.ITEM, Context.GLOBAL)


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

        assert headings[:2] == ["Recent", "Open and edit"]
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
