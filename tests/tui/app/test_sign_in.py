"""Signing in: by password, by code, and what goes wrong."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

import pytest
from tests.store.world import Said, World, until
from tests.tui.bare_app import lines_of, messages_of, missing, text_of, words_of_dialog
from tests.tui.editor_steps import burst
from tests.tui.opened import Open
from textual.pilot import Pilot

from backlit.cli.commands.session import RemoteProfileSignIn
from backlit.client.client import root_of
from backlit.client.tokens import LoginCookie, TokenCache
from backlit.config.settings import Profiles, find_locations
from backlit.model.errors import BadRequest
from backlit.store import ConnectionState, Store
from backlit.tui.app.app import BacklitApp
from backlit.tui.app.sign_in import ProfileSignIn, SignInDialog, WelcomeApp
from backlit.tui.backlog.screen import BacklogScreen
from backlit.tui.shell.input_queue import LOOK_EVERY, PAUSE, QUIET_SECONDS


@asynccontextmanager
async def asked(opened: Open, store: Store, size: tuple[int, int] = (80, 24)) -> AsyncIterator[Pilot[None]]:
    """The application over a store that has no tokens: it asks to sign in by itself."""
    async with opened(store, size) as pilot:
        await until(lambda: isinstance(pilot.app.screen, SignInDialog), lambda: store.connection)
        await pilot.pause()
        yield pilot


async def signed_in(pilot: Pilot[None], store: Store) -> None:
    await until(lambda: not isinstance(pilot.app.screen, SignInDialog), lambda: text_of(pilot.app))
    await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)


@pytest.mark.slow
async def test_a_password_signs_in_and_the_backlog_comes(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        await pilot.press(*"maya", "enter", *"lantern", "enter")
        await signed_in(pilot, store)

        user = store.connection.user
        assert user is not None
        assert user.username == "maya"


async def test_a_browsers_session_that_has_ended_is_said_to_be_that(world: World, opened: Open) -> None:
    TokenCache(world.folder / "mine.json", "mine").save_cookie(LoginCookie("ended", time.time()))

    async with asked(opened, world.store()) as pilot:
        assert "The browser session of the cookie has ended" in text_of(pilot.app)


@pytest.mark.slow
async def test_a_wrong_password_is_said_and_typing_begins_it_anew(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        await pilot.press(*"maya", "tab", *"lanter", "enter")
        await until(lambda: "•" in text_of(pilot.app) and "Signing in" not in text_of(pilot.app))
        shown = text_of(pilot.app)
        await asyncio.sleep(PAUSE)
        await pilot.press(*"lantern", "enter")
        await signed_in(pilot, store)

        assert "Wrong user name or password." in shown
        assert "maya" in shown
        assert "••••••" in shown
        assert "lanter" not in shown


@pytest.mark.slow
async def test_keys_typed_while_signing_in_are_no_text_of_the_form(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        world.faults.delay = 0.5
        await pilot.press(*"maya", "tab", *"wrong", "enter", *"jjj")
        during = text_of(pilot.app)
        world.faults.delay = 0.0
        await until(lambda: "Signing in" not in text_of(pilot.app), lambda: text_of(pilot.app))
        await pilot.press(*"kkk")

        assert "Signing in" in during
        assert "mayaj" not in during
        assert "•" * 5 in text_of(pilot.app)
        assert "•" * 6 not in text_of(pilot.app)


@pytest.mark.slow
async def test_a_code_from_the_browser_signs_in(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)
    code = await asyncio.to_thread(world.service.invite, "maya")

    async with asked(opened, store) as pilot:
        await pilot.press("ctrl+t")
        await pilot.pause()
        told = missing(pilot.app, ["/Authentication/RichAppLogin", "Code", "ctrl+t use password"])
        await pilot.press(*code, "enter")
        await signed_in(pilot, store)

        assert told == []


async def test_what_was_typed_is_still_there_after_looking_at_the_other_way(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        await pilot.press(*"maya", "ctrl+t", "ctrl+t")
        await pilot.pause()

        assert missing(pilot.app, ["maya"]) == []


async def test_a_missing_password_is_asked_for_below_its_field(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        await pilot.press(*"maya")
        await pilot.pause()
        first = missing(pilot.app, ["enter next"])
        await pilot.press("enter")
        await pilot.pause()
        then = missing(pilot.app, ["enter sign in", "Enter your password."])
        await pilot.press("enter")
        await pilot.pause()

        assert (first, then) == ([], ["Enter your password."])
        assert line_below(pilot, "Password") == "Enter your password."


def line_below(pilot: Pilot[None], label: str) -> str:
    """Return the words of the dialog on the line below that of a label."""
    lines = [line.strip(" │") for line in lines_of(pilot.app)]
    return lines[next(at for at, line in enumerate(lines) if line.startswith(label)) + 1]


@pytest.mark.slow
async def test_a_fault_stands_below_what_it_is_about(world: World, opened: Open) -> None:
    async with asked(opened, world.store(signed_in=False)) as pilot:
        await pilot.press("enter")
        await pilot.pause()
        assert line_below(pilot, "User name") == "Enter your user name."
        assert line_below(pilot, "Password") != "Enter your user name."

        world.faults.is_down = True
        await pilot.press(*"maya", "tab", *"lantern", "enter")
        await until(lambda: "unavailable" in text_of(pilot.app), lambda: text_of(pilot.app))
        assert "unavailable" in line_below(pilot, "! not encrypted")
        assert line_below(pilot, "User name") == ""


async def test_it_says_what_works_without_a_sign_in(world: World, store: Store, opened: Open) -> None:
    await world.close(store)
    (world.folder / "mine.json").unlink()

    async with asked(opened, world.store(signed_in=False, owner="maya")) as pilot:
        assert "Without signing in you can read, edit and plan" in words_of_dialog(pilot.app)


async def test_it_says_that_nothing_is_here_yet_before_the_first_sign_in(world: World, opened: Open) -> None:
    async with asked(opened, world.store(signed_in=False)) as pilot:
        assert "No copy of the backlog here yet" in words_of_dialog(pilot.app)


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
async def test_all_of_it_fits_a_small_screen(world: World, opened: Open, size: tuple[int, int]) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store, size) as pilot:
        keys = "enter next  ctrl+t use browser  esc back"
        first = missing(pilot.app, ["Server", "User name", "Password", keys])
        await pilot.press("ctrl+t")
        await pilot.pause()

        assert first == []
        assert missing(pilot.app, ["RichAppLogin", "Code", "enter sign in"]) == []


async def test_esc_leaves_it_for_later(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        await pilot.press("escape")
        await pilot.pause()

        assert not isinstance(pilot.app.screen, SignInDialog)


async def test_refreshing_asks_again_who_it_is(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store) as pilot:
        await pilot.press("escape", "R")
        await pilot.pause()

        assert isinstance(pilot.app.screen, SignInDialog)


@pytest.mark.slow
async def test_a_password_goes_to_another_address_only_after_a_yes(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)
    elsewhere = Said(401, [(b"www-authenticate", b'WRAP location="http://login.example/t", client_id=uri:backlit')])
    world.faults.says = lambda _method, path: elsewhere if path.endswith("/users/me") else None

    async with asked(opened, store) as pilot:
        await pilot.press(*"maya", "tab", *"lantern", "enter")
        await until(lambda: not missing(pilot.app, ["Another address", "http://login.example"]))
        before = world.faults.count("POST")
        await asyncio.sleep(PAUSE)
        await pilot.press("enter")
        await pilot.pause()
        assert isinstance(pilot.app.screen, SignInDialog)
        assert "wants sign-ins sent to" in words_of_dialog(pilot.app)
        await pilot.press("enter")
        await until(lambda: not missing(pilot.app, ["and remember that"]))
        await asyncio.sleep(PAUSE)
        await pilot.press("y")
        await until(lambda: ("POST", "/t") in world.faults.requests, lambda: world.faults.requests)

        assert before == 0


@pytest.mark.slow
async def test_an_unreachable_server_is_said_in_the_dialog(world: World, opened: Open) -> None:
    store = world.store(signed_in=False)

    async with asked(opened, store, (60, 20)) as pilot:
        world.faults.is_down = True
        await pilot.press(*"maya", "tab", *"lantern", "enter")
        await until(lambda: "unavailable" in text_of(pilot.app), lambda: text_of(pilot.app))

        assert isinstance(pilot.app.screen, SignInDialog)
        assert "lantern" not in text_of(pilot.app)


async def test_the_field_with_the_focus_has_a_bar_at_its_left(world: World, opened: Open) -> None:
    async with asked(opened, world.store(signed_in=False)) as pilot:
        first = text_of(pilot.app)
        await pilot.press("tab")
        await pilot.pause()
        second = text_of(pilot.app)

    def barred(shown: str) -> list[str]:
        return [line.split("▌")[0].strip("│ ") for line in shown.splitlines() if "▌" in line]

    assert (barred(first), barred(second)) == (["User name"], ["Password"])


@pytest.mark.slow
async def test_the_address_of_a_server_needs_no_protocol() -> None:
    addresses: list[str] = []

    def join(address: str) -> ProfileSignIn:
        addresses.append(str(root_of(address)))
        raise BadRequest("Stop here.")

    async with WelcomeApp(join, "backlit").run_test(size=(60, 20)) as pilot:
        for address in ("team.example:8443", "http://team.example", "no address", "http:/team.example", "file:/etc"):
            await pilot.press("3", *address, "enter", "escape")

    assert addresses == ["https://team.example:8443/", "http://team.example/"]


async def test_it_counts_the_changes_that_wait(world: World, store: Store, opened: Open) -> None:
    await store.items.add("Story", {"Name": "Waits"})
    await world.close(store)
    (world.folder / "mine.json").unlink()

    async with asked(opened, world.store(signed_in=False, owner="maya")) as pilot:
        assert missing(pilot.app, ["1 change of maya waits here, to be sent once maya signs in."]) == []


async def test_it_says_nothing_of_changes_where_none_wait(world: World, opened: Open) -> None:
    async with asked(opened, world.store(signed_in=False)) as pilot:
        assert "to be sent" not in text_of(pilot.app)


@pytest.mark.slow
@pytest.mark.parametrize("way", [pytest.param("password", marks=pytest.mark.slow), "code"])
async def test_another_users_sign_in_opens_their_profile_and_sends_nothing(
    world: World, store: Store, way: str
) -> None:
    await store.items.add("Story", {"Name": "Written by maya"})
    await world.close(store)
    (world.folder / "mine.json").unlink()
    waiting = world.store(signed_in=False, owner="maya")
    locations = find_locations({"BACKLIT_HOME": str(world.folder / "home")})
    code = await asyncio.to_thread(world.service.invite, "jon")
    app = BacklitApp(waiting, join=partial(RemoteProfileSignIn, locations))

    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, SignInDialog) and app.focused is not None)
        if way == "code":
            await pilot.press("ctrl+t", *code, "enter")
        else:
            await pilot.press("shift+tab", "ctrl+u", *"jon", "tab", *"lantern", "enter")
        await until(lambda: app.wanted_profile is not None, lambda: text_of(app))

    made = Profiles(locations).named(app.wanted_profile or "")
    assert (made.user, made.url) == ("jon", waiting.connection.server.rstrip("/"))
    assert TokenCache(locations.tokens(made), made.url or "").load() is not None
    assert waiting.outbox.pending == 1
    assert "Written by maya" not in await world.names()
    assert TokenCache(world.folder / "mine.json", "mine").load() is None


@pytest.mark.slow
async def test_the_owners_name_is_filled_in_and_may_differ_in_case(world: World) -> None:
    app = BacklitApp(world.store(signed_in=False, owner="Maya"))

    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, SignInDialog) and app.focused is not None)
        await pilot.pause()
        assert missing(app, ["Maya"]) == []
        await pilot.press(*"lantern", "enter")
        await signed_in(pilot, app.store)


# While something else is typed

SENTENCE = "typed for something else"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "missed"),
    [
        pytest.param("C", [], id="a comment"),
        pytest.param("/", [], id="a filter"),
        pytest.param(":", ["sign-in needed"], id="a command, which lies over the status line"),
        pytest.param("cn", [], id="a name"),
        pytest.param("s", [], id="a picker"),
    ],
)
@pytest.mark.long_but("a filter", "a comment")
async def test_the_dialog_that_no_key_asked_for_takes_no_text_from_what_is_open(
    store: Store, opened: Open, keys: str, missed: list[str]
) -> None:
    async with opened(store, (80, 24)) as pilot:
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        await pilot.press(*keys)
        before = pilot.app.screen
        await store.engine.sign_out()
        await pilot.pause()
        assert pilot.app.screen is before
        assert missing(pilot.app, ["! signed out", "sign-in needed"]) == missed
        await pilot.press(*SENTENCE)
        await asyncio.sleep(QUIET_SECONDS + 3 * LOOK_EVERY)

        assert pilot.app.screen is before
        assert missing(pilot.app, [SENTENCE]) == []


@pytest.mark.slow
@pytest.mark.parametrize("keys", ["3", "c"])
async def test_the_dialog_that_no_key_asked_for_waits_for_a_pause(store: Store, opened: Open, keys: str) -> None:
    async with opened(store, (80, 24)) as pilot:
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        await pilot.press(*keys)
        await store.engine.sign_out()
        await pilot.pause()
        assert not isinstance(pilot.app.screen, SignInDialog)
        assert missing(pilot.app, ["sign-in needed  R sign in"]) == []
        await pilot.press("escape")
        await until(lambda: isinstance(pilot.app.screen, SignInDialog), lambda: text_of(pilot.app))
        burst(pilot, *"typed-just-then")
        await pilot.pause()
        at_once = text_of(pilot.app)
        await asyncio.sleep(PAUSE)
        await pilot.press("j", "o", "n")

        assert "•" not in at_once
        assert text_of(pilot.app).count("•") == 3


@pytest.mark.slow
async def test_the_dialog_does_not_come_again_after_r_asked_for_it(store: Store, opened: Open) -> None:
    async with opened(store, (80, 24)) as pilot:
        await until(lambda: store.connection.state is ConnectionState.ONLINE, lambda: store.connection)
        await pilot.press("c")
        await store.engine.sign_out()
        await pilot.pause()
        burst(pilot, "escape", "R")
        await pilot.pause()
        by_key = pilot.app.screen
        await pilot.press("escape")
        await asyncio.sleep(QUIET_SECONDS + 3 * LOOK_EVERY)

        assert isinstance(by_key, SignInDialog)
        assert not isinstance(pilot.app.screen, SignInDialog)


@pytest.mark.slow
async def test_a_password_that_is_typed_as_the_dialog_closes_by_itself_runs_no_commands(
    world: World, opened: Open
) -> None:
    store = world.store(signed_in=False)
    code = await asyncio.to_thread(world.service.invite, "maya")

    async with asked(opened, store) as pilot:
        await pilot.press(*"maya", "tab", *"lan")
        await store.engine.sign_in_with_code(code)
        while isinstance(pilot.app.screen, SignInDialog):  # noqa: ASYNC110 - the next keys come at once
            await asyncio.sleep(0)
        burst(pilot, *"tern")  # not pressed: on a busy machine that comes after a pause
        await signed_in(pilot, store)
        await pilot.pause()

        assert type(pilot.app.screen) is BacklogScreen
        await until(lambda: "4 more keys were dropped." in messages_of(pilot.app), lambda: messages_of(pilot.app))
