"""The form of a sign-in and the welcome, over servers that are made up: keys, sentences, and what is sent."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

import pytest
from tests.store.world import until
from tests.tui.bare_app import BareApp, missing, text_of
from textual.pilot import Pilot
from textual.widgets import Input, Static

from backlit.model.errors import BacklitError, BadRequest, Offline, OtherOrigin, Unauthorized, UntrustedServer
from backlit.model.wrap import TokenGrant
from backlit.tui.app.sign_in import WELCOME_CHOICES, SignInDialog, WelcomeApp, WelcomeDialog, ask_to_join
from backlit.tui.dialogs.dialog import ConfirmDialog, Dialog
from backlit.tui.dialogs.line import LineDialog


class Way:
    """A server that answers as was given beforehand: with an error, or None for a sign-in."""

    reason = "The session has ended."
    server = "https://tracker.example/"
    username = ""

    def __init__(self, *answers: BacklitError | None) -> None:
        self.answers = list(answers)
        self.asked: list[Sequence[str]] = []
        self.is_signed_in = False
        self.profile = "tracker"
        self.is_open = asyncio.Event()
        self.is_open.set()

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        self.asked.append((username, password, approved))
        await self._answer()

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        self.asked.append((code, approved))
        await self._answer()

    def keep(self, user: str, grant: TokenGrant, approved: str) -> None:
        self.asked.append((user, grant.access_token, approved))

    def trust(self, fingerprint: str) -> None:
        self.asked.append((fingerprint,))

    async def _answer(self) -> None:
        await self.is_open.wait()
        answer = self.answers.pop(0)
        if answer is not None:
            raise answer
        self.is_signed_in = True


def form_of(app: BareApp) -> SignInDialog:
    assert isinstance(app.screen, SignInDialog), app.screen
    return app.screen


def note(app: BareApp) -> str:
    """Return the sentence below the form, or with a mark the fault below one of its fields."""
    faults = [str(line.content) for line in form_of(app).query(".fault").results(Static)]
    shown = [f"! {fault}" for fault in faults if fault]
    return "".join(shown) or str(form_of(app).query_one(".reason", Static).content)


def focused(app: BareApp) -> int | None:
    """Return the number of the input with the focus: user name, password, code."""
    inputs = list(form_of(app).query(Input))
    return inputs.index(app.focused) if isinstance(app.focused, Input) else None


Refusal = Callable[..., Awaitable[tuple[str, int | None]]]
OTHER = OtherOrigin("https://tracker.example", "https://sso.example")


@asynccontextmanager
async def shown_form(
    way: Way, answers: list[object], trust: Callable[[str], None] | None = None
) -> AsyncIterator[tuple[BareApp, Pilot[None], Refusal]]:
    """A shown form, and a function that presses a key and returns the note that begins so, and the focus."""
    app = BareApp()
    async with app.run_test(size=(100, 30)) as pilot:
        await app.push_screen(SignInDialog(way, "Sign in", "About this.", "later", trust), answers.append)
        await pilot.pause()

        async def refusal(begin: str, key: str = "enter") -> tuple[str, int | None]:
            form_of(app).press(key)
            await until(lambda: note(app).startswith(begin), lambda: note(app))
            await pilot.pause()
            return note(app), focused(app)

        yield app, pilot, refusal


async def test_the_form_takes_names_and_secrets_and_says_what_is_wrong() -> None:
    way = Way(Unauthorized("no"), Offline("The server is unreachable."))
    async with shown_form(way, []) as (app, pilot, refusal):
        form = form_of(app)
        name, password, code = form.query(Input)
        shown = text_of(app)
        for words in ("Sign in", "Server      https://tracker.example ", "About this.", note(app)):
            assert words in shown
        assert missing(app, ["enter next", "ctrl+t use browser", "esc later"]) == []
        assert (note(app), focused(app), code.display) == ("The session has ended.", 0, True)

        form.type_early(" ")
        assert await refusal("! Enter") == ("! Enter your user name.", 0)
        name.value = "maya "
        assert await refusal("The") == ("The session has ended.", 1)
        assert await refusal("! Enter") == ("! Enter your password.", 1)
        assert await refusal("! Enter", "tab") == (note(app), 0)
        assert await refusal("! Enter", "shift+tab") == (note(app), 1)
        assert await refusal("! Enter", "up") == (note(app), 0)
        assert await refusal("! Enter", "down") == (note(app), 1)
        assert way.asked == []

        password.value = " lantern "
        way.is_open.clear()
        form.press("enter")
        assert (note(app), app.focused) == ("Signing in …", None)
        form.type_early("x")
        form.press("enter")
        form.press("ctrl+t")
        await pilot.pause()
        assert (name.value, password.value, code.value) == ("maya ", " lantern ", "")
        way.is_open.set()
        wrong = "! Wrong user name or password. For single sign-on, use a browser code (ctrl+t)."
        assert await refusal("! Wrong user", "tab") == (wrong, 1)
        assert way.asked == [("maya", " lantern ", "")]
        assert password.selected_text == " lantern "
        assert await refusal("! The") == ("! The server is unreachable.", 1)


async def test_the_form_asks_before_it_sends_a_password_elsewhere() -> None:
    way = Way(OTHER, OTHER, Unauthorized("no"))
    async with shown_form(way, []) as (app, _, _):
        form = form_of(app)
        for line, text in zip(form.query(Input), ("maya", " lantern "), strict=False):
            line.value = text
        form.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmDialog))
        app.screen.dismiss(None)
        await until(lambda: isinstance(app.screen, SignInDialog))
        assert note(app) == f"! {OTHER}"
        form.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmDialog))
        app.screen.dismiss("y")
        await until(lambda: len(way.asked) == 3)
        assert way.asked == [*[("maya", " lantern ", "")] * 2, ("maya", " lantern ", OTHER.other)]
        await until(lambda: note(app).startswith("! Wrong"))


async def test_an_unknown_certificate_is_trusted_only_after_a_yes() -> None:
    untrusted = UntrustedServer("The certificate is not signed by an authority.")
    untrusted.fingerprint, untrusted.details = "sha256:3f", "subject      CN=tracker.example"
    way = Way(untrusted, untrusted, None)
    async with shown_form(way, [], way.trust) as (app, _, _):
        form = form_of(app)
        for line, text in zip(form.query(Input), ("maya", "lantern"), strict=False):
            line.value = text
        form.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmDialog))
        words = ["Unknown certificate", "CN=tracker.example", "trust exactly this one"]
        await until(lambda: not missing(app, words), lambda: text_of(app))
        app.screen.dismiss(None)
        await until(lambda: isinstance(app.screen, SignInDialog))
        form.press("enter")
        await until(lambda: isinstance(app.screen, ConfirmDialog))
        app.screen.dismiss("y")
        await until(lambda: way.is_signed_in)

    assert way.asked == [*[("maya", "lantern", "")] * 2, ("sha256:3f",), ("maya", "lantern", "")]


@pytest.mark.slow
async def test_the_form_takes_a_code_of_the_browser() -> None:
    way, answers = Way(None), list[object]()
    async with shown_form(way, answers) as (app, pilot, refusal):
        form = form_of(app)
        form.press("ctrl+t")
        await pilot.pause()
        shown = text_of(app)
        assert "get a code:" in shown
        assert "https://tracker.example/" in shown
        assert "User name" not in shown
        assert "enter sign in ctrl+t use password esc later" in " ".join(shown.split())
        assert (note(app), focused(app)) == ("", 2)
        assert await refusal("! Enter") == ("! Enter the code.", 2)
        assert await refusal("! Enter", "tab") == ("! Enter the code.", 2)
        form.type_early(" ")
        form.type_early("7")
        form.press("enter")
        await until(lambda: answers)

    assert way.asked == [("7", "")]
    assert answers == [True]


async def test_a_form_is_left_by_esc_and_closes_after_a_sign_in_elsewhere() -> None:
    way = Way(Unauthorized("no"), None)
    app = BareApp()
    answers: list[object] = []
    async with app.run_test(size=(60, 20)) as pilot:
        await app.push_screen(SignInDialog(way, "Sign in", "", "later"), answers.append)
        await pilot.pause()
        form = form_of(app)
        assert "enter next  ctrl+t use browser  esc later" in text_of(app)
        form.press("ctrl+t")
        list(form.query(Input))[2].value = "9"
        form.press("enter")
        await until(lambda: note(app) == "! Wrong or expired code.", lambda: note(app))
        form.press("ctrl+t")
        assert (note(app), [each.value for each in form.query(Input)][2]) == ("", "9")
        form.press("escape")
        await until(lambda: answers)

        await app.push_screen(SignInDialog(way, "Sign in", "", "later"), answers.append)
        form_of(app).close_if_signed_in()
        assert len(answers) == 1
        await app.push_screen(LineDialog("Above"))
        way.is_signed_in = True
        app.screen.dismiss(None)
        await until(lambda: len(answers) == 2)

    assert answers == [None, True]


async def test_a_server_is_asked_for_unless_it_is_given() -> None:
    joined: list[str] = []
    way = Way()

    def join(address: str) -> Way:
        joined.append(address)
        if "example" not in address:
            raise BadRequest(f"“{address}” is no address.")
        return way

    async with BareApp().run_test():
        asked: list[Dialog[object]] = []

        def asking(*answers: object) -> Callable[[Dialog[object]], Awaitable[object]]:
            left = list(answers)

            async def ask(dialog: Dialog[object]) -> object:
                asked.append(dialog)
                return left.pop(0)

            return ask

        assert await ask_to_join(asking(None), join, "", "About.") == ""
        assert joined == []
        assert await ask_to_join(asking("a.example", True), join, "", "About.") == "tracker"
        assert await ask_to_join(asking(None), join, "b.example", "About.") == "tracker"
        with pytest.raises(BadRequest, match="is no address"):
            await ask_to_join(asking(), join, "nowhere", "About.")

        assert joined == ["a.example", "b.example", "nowhere"]
        assert [type(each) for each in asked] == [LineDialog, LineDialog, SignInDialog, SignInDialog]


async def test_the_welcome_asks_until_a_profile_is_chosen() -> None:
    way = Way()
    way.profile = ""
    joined: list[str] = []

    def join(address: str) -> Way:
        joined.append(address)
        if "example" not in address:
            raise BadRequest(f"“{address}” is no address.")
        way.profile = "tracker"
        return way

    app = WelcomeApp(join, "backlit")
    async with app.run_test(size=(80, 30)) as pilot:
        await until(lambda: isinstance(app.screen, WelcomeDialog) and app.screen.query(".-current"))
        welcome = app.screen

        def current() -> int:
            doors = [*app.screen.query(".door")]
            return doors.index(app.screen.query_one(".-current"))

        assert isinstance(welcome, WelcomeDialog)
        shown = text_of(app)
        for number, (_, name, about) in enumerate(WELCOME_CHOICES, 1):
            assert f"{number}  {name}" in shown
            assert about in shown
        found = [current()]
        for key in ("j", "down", "tab", "k", "up", "shift+tab", "x", "4"):
            welcome.type_early(key) if len(key) == 1 else welcome.press(key)
            found.append(current())
        assert found == [0, 1, 2, 0, 2, 1, 0, 0, 0]

        welcome.type_early("3")
        await until(lambda: isinstance(app.screen, LineDialog) and app.screen.query(Input))
        line = app.screen
        assert isinstance(line, LineDialog)
        line.press("enter")
        await pilot.pause()
        assert "“” is no address." in text_of(app)
        assert "your team's server, such as" in text_of(app)
        line.press("escape")
        await until(lambda: isinstance(app.screen, WelcomeDialog) and app.screen is not welcome)
        await pilot.pause()
        again = app.screen
        assert isinstance(again, WelcomeDialog)
        again.type_early("j")
        again.press("enter")
        await until(lambda: app.wanted_profile is not None)

    assert (app.wanted_profile, joined) == ("local", [""])


async def test_the_welcome_is_left_without_a_profile() -> None:
    for key in ("q", "ctrl+c"):
        app = WelcomeApp(lambda _: Way(), "backlit")
        async with app.run_test():
            await until(lambda: isinstance(app.screen, WelcomeDialog) and app.screen.query(".-current"))  # noqa: B023
            welcome = app.screen
            assert isinstance(welcome, WelcomeDialog)
            welcome.type_early(key) if len(key) == 1 else welcome.press(key)
            await until(lambda: not app.is_running or app.screen is not welcome)  # noqa: B023

        assert app.wanted_profile is None


async def test_esc_never_leaves_the_welcome_and_its_keys_are_one_key_away() -> None:
    app = WelcomeApp(lambda _: Way(), "backlit")
    async with app.run_test(size=(80, 24)) as pilot:
        await until(lambda: isinstance(app.screen, WelcomeDialog) and app.screen.query(".-current"))
        welcome = app.screen
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        asked = text_of(app)
        await pilot.press("escape")
        await pilot.pause()

        assert app.screen is welcome
        assert "on every screen" in asked
        assert "on every screen" not in text_of(app)


@pytest.mark.parametrize(("size", "is_shown"), [((80, 24), True), ((60, 20), False)])
async def test_the_welcome_begins_with_the_wordmark_where_there_is_room(size: tuple[int, int], is_shown: bool) -> None:
    app = WelcomeApp(lambda _: Way(), "backlit")
    async with app.run_test(size=size) as pilot:
        await until(lambda: isinstance(app.screen, WelcomeDialog) and app.screen.query(".-current"))
        await pilot.pause()

        assert ("█▀▄ ▄▀█ ▄▀▀ █▄▀ █  █ ▀█▀" in text_of(app)) is is_shown
        assert all(name in text_of(app) for _, name, _ in WELCOME_CHOICES)
