"""The screens after the server has ended the user's sign-in: no rows until the same user signs in again."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial

import pytest
from sqlalchemy import Connection
from tests.store.world import World, sent, until
from tests.tui.bare_app import missing, text_of
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.model.errors import SignInNeeded
from backlit.service.tables import sign_ins
from backlit.store import ConnectionState, Store, ViewSpec
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.locked import LockedScreen
from backlit.tui.app.screen_navigator import LOCKED
from backlit.tui.app.sign_in import SignInDialog
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.drawing.textual_private import screens_of


def in_database(world: World, act: Callable[[Connection], object]) -> None:
    world.service.shared.database.write.submit(act).result()


async def end_sign_in(world: World, store: Store) -> None:
    """End all sign-ins of maya at the service, and have the store notice."""
    user = store.lookups.me()
    assert user is not None
    in_database(world, lambda connection: sign_ins.revoke_all(connection, user.id))
    with suppress(SignInNeeded):
        await store.refresh()


def name_in(store: Store) -> str:
    """The name of the first row, by which it is looked for on the screen."""
    return str(store.view(ViewSpec()).rows(0, 1)[0].name)[:20]


@asynccontextmanager
async def locked(world: World, store: Store, opened: Open) -> AsyncIterator[Pilot[None]]:
    """The application over a store that was open when the server ended the sign-in; the sign-in was left by esc."""
    async with opened(store, (100, 30)) as pilot:
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        assert missing(pilot.app, [name_in(store)]) == []
        await end_sign_in(world, store)
        await until(lambda: isinstance(pilot.app.screen, SignInDialog), lambda: text_of(pilot.app))
        await pilot.pause()
        assert missing(pilot.app, [name_in(store)]) == [name_in(store)]
        await pilot.press("escape")
        await until(lambda: isinstance(pilot.app.screen, LockedScreen), lambda: text_of(pilot.app))
        await pilot.pause()
        yield pilot


def is_shown(pilot: Pilot[None], words: str) -> bool:
    return missing(pilot.app, [words]) == []


async def test_no_row_is_shown_behind_the_sign_in_nor_after_it_is_left(
    world: World, store: Store, opened: Open
) -> None:
    async with locked(world, store, opened) as pilot:
        shown = ["locked until maya signs in", "enter sign in again", "    p open another profile", "    q quit"]
        await pilot.press("escape", "g", "b", "j", "l")
        await pilot.pause()

        assert missing(pilot.app, [*shown, name_in(store)]) == [name_in(store)]


async def test_the_same_user_alone_opens_it_again_and_what_waits_is_sent(
    world: World, store: Store, opened: Open
) -> None:
    async with locked(world, store, opened) as pilot:
        await store.items.add("Story", {"Name": "Waits for maya"})
        for user, is_locked in (("jon", True), ("maya", False)):
            await pilot.press("enter")
            await until(lambda: isinstance(pilot.app.screen, SignInDialog), lambda: text_of(pilot.app))
            await pilot.press("ctrl+t", *await asyncio.to_thread(world.service.invite, user), "enter")
            words = "this profile belongs to maya" if is_locked else name_in(store)
            await until(partial(is_shown, pilot, words), lambda: text_of(pilot.app))
            assert store.connection.is_locked == is_locked
            if is_locked:
                await pilot.press("escape")
        await sent(store)

        assert "Waits for maya" in await world.names()


async def test_a_dialog_that_was_open_keeps_its_text(world: World, store: Store, opened: Open) -> None:
    async with opened(store, (100, 30)) as pilot:
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        await pilot.press(":", *"fac")
        await end_sign_in(world, store)
        await until(lambda: pilot.app.current_mode == LOCKED, lambda: text_of(pilot.app))
        await pilot.press(*"q" * 9)  # typed for the dialog, and no command of what took its place
        await store.engine.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))

        await until(lambda: missing(pilot.app, [":fac"]) == [], lambda: text_of(pilot.app))


async def test_a_start_shows_no_row_of_a_locked_copy(world: World, store: Store, opened: Open) -> None:
    await end_sign_in(world, store)
    name = name_in(store)
    await world.close(store)
    store = world.store(signed_in=False, owner="maya")

    async with opened(store, (100, 30)) as pilot:
        assert pilot.app.current_mode == LOCKED
        assert not any(isinstance(each, BacklogScreen) for each in screens_of(pilot.app))
        await until(lambda: isinstance(pilot.app.screen, SignInDialog), lambda: text_of(pilot.app))
        assert missing(pilot.app, ["Your session has ended", name]) == [name]
        await store.engine.sign_in_with_code(await asyncio.to_thread(world.service.invite, "maya"))

        await until(lambda: missing(pilot.app, [name]) == [], lambda: text_of(pilot.app))


@pytest.mark.slow
async def test_another_profile_or_server_is_a_way_out(world: World, store: Store) -> None:
    await end_sign_in(world, store)
    await world.close(store)
    app = BacklitApp(world.store(signed_in=False, owner="maya"), profiles=["mine", "other"])

    async with app.run_test(size=(100, 30)) as pilot:
        await until(lambda: isinstance(app.screen, SignInDialog), lambda: text_of(app))
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("p")
        await until(lambda: missing(app, ["Another profile", "other"]) == [], lambda: text_of(app))
        await pilot.press("enter")
        await until(lambda: app.wanted_profile == "other", lambda: text_of(app))
