"""Project settings: what is shown with its source, how each is changed, and what is said where it cannot be."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

import orjson
import pytest
from tests.store.world import Said, World, until
from tests.tui.bare_app import heading_of, line_with, lines_of, place_of, said, text_of, words_of_dialog
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.client.client import Client
from backlit.store import ConnectionState, Store
from backlit.tui.dialogs.line import FormDialog
from backlit.tui.dialogs.pick import PickDialog, PickManyDialog
from backlit.tui.settings.screen import SettingsScreen

CALENDAR, ESTIMATES, STATUSES = "Calendar", "Estimates", "What a status means"
LIMITS, READY = "Work in progress", "Ready check"
SIZES = [pytest.param(size, marks=pytest.mark.slow) for size in ((200, 50), (120, 40), (80, 24))] + [(60, 20)]


async def settings_of(client: Client) -> dict[str, Any]:
    return (await client.projects.settings(1).fetch()).document


@asynccontextmanager
async def settings_screen(opened: Open, store: Store, size: tuple[int, int] = (120, 40)) -> AsyncIterator[Pilot[None]]:
    async with opened(store, size) as pilot:
        await pilot.press("g", "S")
        await until(lambda: isinstance(pilot.app.screen, SettingsScreen), lambda: text_of(pilot.app))
        await said(pilot, "Time zone")
        yield pilot


def value_in(pilot: Pilot[None], section: str, label: str) -> tuple[str, str]:
    """Return the words of a setting and its source."""
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    return next((row.words, row.source.value) for row in screen.rows if (row.section, row.label) == (section, label))


async def has_value(pilot: Pilot[None], section: str, label: str, words: str, source: str) -> None:
    """Wait until the screen shows a value and its source."""
    await until(
        lambda: isinstance(pilot.app.screen, SettingsScreen) and value_in(pilot, section, label) == (words, source),
        lambda: text_of(pilot.app),
    )


async def go_to(pilot: Pilot[None], section: str, label: str) -> None:
    """Move the cursor to a setting by the keyboard."""
    screen = pilot.app.screen
    assert isinstance(screen, SettingsScreen)
    place = next(at for at, row in enumerate(screen.rows) if (row.section, row.label) == (section, label))
    await pilot.press("g", "g", *["j"] * place)
    await pilot.pause()


async def ask(pilot: Pilot[None], kind: type) -> None:
    await pilot.press("enter")
    await until(lambda: isinstance(pilot.app.screen, kind), lambda: text_of(pilot.app))


async def test_all_that_a_team_agrees_on_is_shown_with_its_source(store: Store, opened: Open) -> None:
    async with settings_screen(opened, store) as pilot:
        for section in (CALENDAR, ESTIMATES, STATUSES, LIMITS, READY):
            assert section in text_of(pilot.app)
        assert place_of(pilot.app) == "Settings"
        assert line_with(pilot.app, "Working days").split("│")[1].split() == ["Working", "days", "Mon–Fri", "project"]
        assert "this machine" in line_with(pilot.app, "Estimate scale")
        assert "by its name" in line_with(pilot.app, "◑ ready for test")


@pytest.mark.parametrize("size", SIZES)
async def test_every_size_shows_the_setting_its_source_and_what_it_decides(
    store: Store, opened: Open, size: tuple[int, int]
) -> None:
    async with settings_screen(opened, store, size) as pilot:
        await said(pilot, "begin and end")
        await pilot.press("G")
        await said(pilot, "of this type needs")
        lines = lines_of(pilot.app)

        assert "Project settings" in heading_of(pilot.app)
        assert "Task" in line_with(pilot.app, "▌")
        assert "default" in line_with(pilot.app, "▌")
        assert "keys" in lines[-1]


@pytest.mark.slow
async def test_working_days_are_picked_and_saved_for_everybody(world: World, store: Store, opened: Open) -> None:
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, CALENDAR, "Working days")
        await ask(pilot, PickManyDialog)
        await pilot.press("tab", "enter")
        await has_value(pilot, CALENDAR, "Working days", "Tue–Fri", "project")

    assert (await settings_of(world.rival))["workingDays"] == ["tue", "wed", "thu", "fri"]


@pytest.mark.slow
async def test_a_time_zone_is_found_by_its_name(world: World, store: Store, opened: Open) -> None:
    async with settings_screen(opened, store) as pilot:
        await ask(pilot, PickDialog)
        await pilot.press(*"berlin", "enter")
        await has_value(pilot, CALENDAR, "Time zone", "Europe/Berlin", "project")

    assert (await settings_of(world.rival))["timeZone"] == "Europe/Berlin"


@pytest.mark.slow
async def test_a_line_says_what_it_comes_to_and_what_is_wrong_below_it(
    world: World, store: Store, opened: Open
) -> None:
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, ESTIMATES, "Estimate scale")
        await ask(pilot, FormDialog)
        await pilot.press(*"3 2", "enter")
        await pilot.pause()
        wrong = words_of_dialog(pilot.app)
        await pilot.press("ctrl+u", *"1 2 4")
        await pilot.pause()
        right = words_of_dialog(pilot.app)
        await pilot.press("enter")
        await has_value(pilot, ESTIMATES, "Estimate scale", "1 · 2 · 4", "project")

    assert "must be rising numbers" in wrong
    assert "3 steps: 1 · 2 · 4" in right
    assert (await settings_of(world.rival))["estimateScale"] == [1, 2, 4]


@pytest.mark.slow
async def test_days_off_are_added_to_those_that_are_there(world: World, store: Store, opened: Open) -> None:
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, CALENDAR, "Days off")
        for day, words in (("2099-12-25", "25 Dec 2099"), ("2099-12-26", "25 Dec 2099, 26 Dec 2099")):
            await ask(pilot, FormDialog)
            await pilot.press(*day, "enter")
            await has_value(pilot, CALENDAR, "Days off", words, "project")

    assert (await settings_of(world.rival))["daysOff"] == ["2099-12-25", "2099-12-26"]


@pytest.mark.slow
async def test_a_status_means_what_a_digit_says_and_x_takes_that_back(world: World, store: Store, opened: Open) -> None:
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, STATUSES, "Testing")
        await ask(pilot, PickDialog)
        await pilot.press("4")
        await has_value(pilot, STATUSES, "Testing", "done", "project")
        changed = (await settings_of(world.rival))["statusGroups"]["Ready For Test"]
        await pilot.press("x")
        await has_value(pilot, STATUSES, "Testing", "ready for test", "by its name")

    assert changed == "done"
    assert (await settings_of(world.rival))["statusGroups"]["Ready For Test"] == "ready for test"


@pytest.mark.slow
async def test_rules_and_limits_are_set_by_type_and_status(world: World, store: Store, opened: Open) -> None:
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, LIMITS, "In progress")
        await ask(pilot, FormDialog)
        await pilot.press("4", "enter")
        await has_value(pilot, LIMITS, "In progress", "at most 4 items", "project")
        await go_to(pilot, READY, "Story")
        await ask(pilot, PickManyDialog)
        await pilot.press("tab", "enter")
        await has_value(pilot, READY, "Story", "owner, area, maturity, stale", "project")

    found = await settings_of(world.rival)
    assert found["wipLimits"] == {"In Progress": 4}
    assert found["readyRules"] == {"Story": ["owner", "area", "maturity", "stale"]}


@pytest.mark.slow
async def test_a_refused_value_stays_below_its_setting_with_the_sentence_of_the_service(
    world: World, store: Store, opened: Open
) -> None:
    sentence = "daysOff may not be so at all."
    body = orjson.dumps({"message": sentence, "errors": {"daysOff": sentence}})
    refusal = Said(400, ((b"content-type", b"application/json"),), body)
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, CALENDAR, "Days off")
        world.faults.says = lambda method, path: refusal if (method, path[-8:]) == ("PUT", "settings") else None
        await ask(pilot, FormDialog)
        await pilot.press(*"2099-12-25", "enter")
        await said(pilot, f"! {sentence}")
        lines = lines_of(pilot.app)
        below = next(at for at, line in enumerate(lines) if f"! {sentence}" in line.split("││")[0])
        await until(lambda: (store.drafts.find("typed:setting:1:daysOff:") or {}).get("lines") is not None)
        await ask(pilot, FormDialog)
        again = words_of_dialog(pilot.app)
        world.faults.says = lambda _method, _path: None
        await pilot.press("enter")
        await has_value(pilot, CALENDAR, "Days off", "25 Dec 2099", "project")
        await until(lambda: f"! {sentence}" not in text_of(pilot.app), lambda: text_of(pilot.app))

    assert "Days off" in lines[below - 1]
    assert "2099-12-25" in again
    assert (await settings_of(world.rival))["daysOff"] == ["2099-12-25"]


@pytest.mark.slow
async def test_what_somebody_else_changed_meanwhile_is_not_replaced_unseen(
    world: World, store: Store, opened: Open
) -> None:
    boss = await world.client("maya")
    async with settings_screen(opened, store) as pilot:
        await go_to(pilot, CALENDAR, "Time zone")
        await ask(pilot, PickDialog)
        await boss.projects.settings(1).update({"timeZone": "Asia/Tokyo"})
        await pilot.press(*"berlin", "enter")
        await said(pilot, "! Somebody else has changed this meanwhile.")
        await has_value(pilot, CALENDAR, "Time zone", "Asia/Tokyo", "project")
        left = await settings_of(boss)
        await ask(pilot, PickDialog)
        await pilot.press("enter")
        await has_value(pilot, CALENDAR, "Time zone", "Europe/Berlin", "project")

    await boss.aclose()
    assert left["timeZone"] == "Asia/Tokyo"


@pytest.mark.slow
async def test_what_another_manager_saves_is_shown_after_a_refresh(world: World, store: Store, opened: Open) -> None:
    boss = await world.client("maya")
    async with settings_screen(opened, store) as pilot:
        await boss.projects.settings(1).update({"timeZone": "Asia/Tokyo"})
        await pilot.press("R")
        await has_value(pilot, CALENDAR, "Time zone", "Asia/Tokyo", "project")
    await boss.aclose()


@pytest.mark.parametrize("role", ["reader", "contributor"])
async def test_others_than_managers_read_only_and_are_told_why(
    world: World, store: Store, opened: Open, role: str
) -> None:
    def demote() -> None:
        with closing(sqlite3.connect(world.folder / "service.sqlite")) as database, database:
            database.execute("UPDATE grants SET role = ? WHERE role = 'manager'", (role,))

    await asyncio.to_thread(demote)
    await store.refresh()
    async with settings_screen(opened, store) as pilot:
        await pilot.press("enter")
        await said(pilot, f"read only: you are a {role}", "Only managers change the settings")

        assert isinstance(pilot.app.screen, SettingsScreen)
        assert "change" not in lines_of(pilot.app)[-1]


@pytest.mark.slow
async def test_a_server_without_settings_shows_those_of_this_machine_and_says_so(world: World, opened: Open) -> None:
    world.without_history()
    store = await world.online("foreign")
    async with settings_screen(opened, store) as pilot:
        await said(pilot, "This server keeps no settings of a project", "that of this machine")
        await pilot.press("enter")

        assert isinstance(pilot.app.screen, SettingsScreen)


@pytest.mark.slow
async def test_without_a_connection_the_last_values_are_shown_and_none_is_changed(
    world: World, store: Store, opened: Open
) -> None:
    boss = await world.client("maya")
    await boss.projects.settings(1).update({"timeZone": "Europe/Berlin"})
    await boss.aclose()
    await store.refresh()
    world.faults.is_down = True
    async with settings_screen(opened, store) as pilot:
        await pilot.press("R")
        await until(lambda: store.connection.state is ConnectionState.OFFLINE, lambda: store.connection)
        await pilot.press("enter")
        await said(pilot, "offline: of the last sync", "Settings are changed on the server")

        assert isinstance(pilot.app.screen, SettingsScreen)
        assert value_in(pilot, CALENDAR, "Time zone") == ("Europe/Berlin", "project")
