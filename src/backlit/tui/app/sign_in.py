"""The ways in: the sign-in to a server, by password or code, and the welcome of a new user, who may begin with one."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Protocol, cast
from urllib.parse import urlsplit

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Input, Static

from backlit.model.errors import BacklitError, BadRequest, OtherOrigin, Unauthorized, UntrustedServer
from backlit.model.wrap import LOGIN_PATH, TokenGrant
from backlit.store.engine.other_user import OtherUser
from backlit.store.records.changes import ConnectionState
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import STYLES, AnswerKey, ConfirmDialog, Dialog
from backlit.tui.dialogs.line import LineDialog
from backlit.tui.drawing.frame import KeptFrame
from backlit.tui.drawing.text import literal, safe
from backlit.tui.drawing.themes import use_themes
from backlit.tui.shell.chord_app import ChordApp
from backlit.tui.shell.drafts import StoredLines
from backlit.tui.shell.input_queue import AnswerRefused
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import LineInput
from backlit.tui.widgets.wordmark import Wordmark

_SENTENCES_NOT_REPEATED = frozenset({"", "You are not signed in.", "You are signed out."})
"""Sentences that the dialog need not repeat; any other one is the reason for the sign-in."""
LOOPBACK_HOSTS = frozenset({"localhost", "127.0.0.1", "::1"})
"""Hosts to which no password leaves the machine."""
_STEPS = {"tab": 1, "down": 1, "shift+tab": -1, "up": -1}


class ServerSignIn(Protocol):
    """A server that a user signs in to.

    `reason` is a warning, `username` the user who is expected, if one is, `profile` the name of another profile that
    the sign-in belongs to.
    """

    reason: str
    username: str
    profile: str

    @property
    def server(self) -> str: ...

    @property
    def is_signed_in(self) -> bool: ...

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        """Sign in with a password. Raises BacklitError; OtherOrigin before a password goes to another address."""

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        """Sign in with a code from the browser. Raises as `sign_in` does."""


class ProfileSignIn(ServerSignIn, Protocol):
    """A sign-in that makes the profile of its user."""

    def trust(self, fingerprint: str) -> None:
        """Trust the certificate with this key from now on, and no other."""

    def keep(self, user: str, grant: TokenGrant, approved: str) -> None: ...


ProfileSignInFactory = Callable[[str], ProfileSignIn]
"""Returns the sign-in to the server at an address. Raises BadRequest for text that is no address."""


async def ask_to_join(
    ask: Callable[[Dialog[Any]], Awaitable[Any]],
    join: ProfileSignInFactory,
    address: str,
    about: str,
    kept: StoredLines | None = None,
) -> str:
    """Ask for the address of a server, unless it is given, and for a sign-in; return the profile, empty after esc.

    Raises BadRequest for a given text that is no address.
    """

    def fault(text: str) -> str | None:
        try:
            join(text)
        except BadRequest as error:
            return str(error)
        return None

    note = "The address of your team's server, such as backlit.example.com"
    address = address or await ask(LineDialog("Connect to a server", "", fault, note=note, kept=kept)) or ""
    if not address:
        return ""
    way = join(address)
    await ask(SignInDialog(way, "Connect to a server", about, "cancel", way.trust))
    return way.profile


class StoreSignIn:
    """The sign-in of a store to its server; another user than the store's gets a profile of their own."""

    def __init__(self, store: Store, join: ProfileSignInFactory | None = None) -> None:
        self._store = store
        self._join = join
        self.profile = ""
        sentence = store.connection.sentence
        self.reason = "" if self.is_signed_in or sentence in _SENTENCES_NOT_REPEATED else sentence
        self.username = store.engine.owner

    @property
    def server(self) -> str:
        return self._store.connection.server or "the server"

    @property
    def is_signed_in(self) -> bool:
        return bool(self.profile) or self._store.connection.state is not ConnectionState.SIGNED_OUT

    async def sign_in(self, username: str, password: str, approved: str = "") -> None:
        await self._sign_in(self._store.engine.sign_in(username, password, approved), approved)

    async def sign_in_with_code(self, code: str, approved: str = "") -> None:
        await self._sign_in(self._store.engine.sign_in_with_code(code, approved), approved)

    async def _sign_in(self, asked: Awaitable[None], approved: str) -> None:
        try:
            await asked
        except OtherUser as other:
            if self._join is None:
                raise
            way = self._join(self.server)
            await asyncio.to_thread(way.keep, other.user, other.grant, approved)
            self.profile = way.profile


class SignInField(Vertical):
    """A label with its input, or with what stands in its place, and below them what is wrong with it."""

    def __init__(self, label: str, value: Widget) -> None:
        super().__init__(classes="field")
        self._label = label
        self._value = value
        self._fault = Static(classes="fault")

    def compose(self) -> ComposeResult:
        yield Horizontal(Static(literal(self._label), classes="label"), self._value, classes="labelled")
        yield self._fault

    def blame(self, sentence: str) -> None:
        self._fault.update(literal(sentence))


class SignInDialog(Dialog[bool | None]):
    """Asks until its way is signed in, and answers True then; esc leaves it. `about` says what happens."""

    CSS_PATH = [STYLES, STYLES.with_name("sign_in.tcss")]

    def __init__(
        self,
        way: ServerSignIn,
        title: str,
        about: str,
        leave: str,
        trust: Callable[[str], None] | None = None,
    ) -> None:
        super().__init__(title)
        self._way = way
        self._trust = trust
        self._about = about
        self._leave = leave
        self._with_code = False
        self.is_asking = False
        self._username, self._password, self._code = LineInput(way.username), LineInput(password=True), LineInput()
        server = way.server.rstrip("/")
        is_open = server.startswith("http://") and urlsplit(server).hostname not in LOOPBACK_HOSTS
        note = "\n! not encrypted: passwords can be read on the way" if is_open else ""
        named = Static(Content.assemble((safe(server), "$foreground"), (note, "$warn")), classes="server")
        self._server = SignInField("Server", named)
        self._fields = {
            each: SignInField(label, each)
            for label, each in (("User name", self._username), ("Password", self._password), ("Code", self._code))
        }
        self._with_password = Vertical(self._fields[self._username], self._fields[self._password])
        page = f"{server}{LOGIN_PATH}"
        self._for_code = Vertical(
            Static(literal("Sign in at this address in a browser to get a code:"), classes="about"),
            Static(literal(page), classes="address"),
            self._fields[self._code],
        )
        self._note = Static(literal(way.reason), classes="reason")

    def content(self) -> ComposeResult:
        yield Wordmark()
        yield self._server
        yield self._with_password
        yield self._for_code
        if self._about:
            yield Static(literal(self._about), classes="foot")
        yield self._note

    def on_mount(self) -> None:
        self._show_form()

    @on(events.Resize)
    def _fit_wordmark(self) -> None:
        self.query_one(Wordmark).fit()

    @property
    def _inputs(self) -> tuple[LineInput, ...]:
        return (self._code,) if self._with_code else (self._username, self._password)

    def _show_form(self) -> None:
        self._with_password.display = not self._with_code
        self._for_code.display = self._with_code
        self.set_focus(self._first)
        self._name_keys()

    @property
    def _first(self) -> LineInput:
        """The first empty input, else the last one."""
        return next((each for each in self._inputs if not each.value), self._inputs[-1])

    @on(Input.Changed)
    @on(events.DescendantFocus)
    def _name_keys(self) -> None:
        is_last = all(each is self.focused or each.value.strip() for each in self._inputs)
        other = "use password" if self._with_code else "use browser"
        self.name_keys(("enter", "sign in" if is_last else "next"), ("ctrl+t", other), ("esc", self._leave))

    def _say(self, sentence: str) -> None:
        """Say what happens, in place of what was wrong."""
        self._forget_faults()
        self._note.update(literal(sentence))

    def _forget_faults(self) -> None:
        for field in (self._server, *self._fields.values()):
            field.blame("")

    # Keys

    def press(self, key: str) -> bool:
        if self.is_asking and key != "escape":
            pass  # the answer may open another screen, or keep this form for a correction
        elif key in _STEPS:
            self._step(_STEPS[key])
        elif key == "enter":
            self._enter()
        elif key == "ctrl+t":
            self._with_code = not self._with_code
            self._say("")
            self._show_form()
        else:
            return super().press(key)
        return True

    def type_early(self, character: str) -> None:
        """Type into the first empty input, unless an answer is on its way."""
        if not self.is_asking:
            self._first.put(character)

    def _step(self, by: int) -> None:
        inputs = self._inputs
        here = next((index for index, each in enumerate(inputs) if each is self.focused), 0)
        self.set_focus(inputs[(here + by) % len(inputs)])

    def _enter(self) -> None:
        empty = next((each for each in self._inputs if not each.value.strip()), None)
        if empty is not None:
            self._forget_faults()
            if empty is self.focused:
                self._fields[empty].blame(_NEEDED[[*self._fields].index(empty)])
            self.set_focus(empty)
            return
        self._start()

    def _start(self, approved: str = "") -> None:
        self.is_asking = True
        self._say("Signing in …")
        self.set_focus(None)
        self.run_worker(work(self._sign_in, approved), exclusive=True, group="sign in")

    async def _sign_in(self, approved: str) -> None:
        try:
            if self._with_code:
                await self._way.sign_in_with_code(self._code.value.strip(), approved)
            else:
                await self._way.sign_in(self._username.value.strip(), self._password.value, approved)
        except OtherOrigin as error:
            self._refuse(str(error), self._server)
            cast("ChordApp", self.app).dispatch.begin(self._ask_for, error)
        except UntrustedServer as error:
            self._refuse(str(error), self._server)
            if error.fingerprint and self._trust is not None:
                cast("ChordApp", self.app).dispatch.begin(self._ask_for_trust, error, self._trust)
        except Unauthorized:
            sentence = _CODE_REFUSED if self._with_code else _REFUSED
            self._refuse(sentence, self._fields[self._inputs[-1]])
            self._inputs[-1].select_all()  # nobody sees its mistake: typing replaces it
        except BacklitError as error:
            self._refuse(str(error), self._server)
        else:
            self._say("Signed in.")
            self.close_if_signed_in()
        finally:
            self.is_asking = False

    async def _ask_for(self, error: OtherOrigin) -> None:
        answer = AnswerKey("y", f"send it to {error.other}, and remember that")
        question = ConfirmDialog("Another address", str(error), [answer], "cancel")
        if await cast("ChordApp", self.app).ask(question) == "y":
            self._start(error.other)

    async def _ask_for_trust(self, error: UntrustedServer, trust: Callable[[str], None]) -> None:
        words = f"{error.message}\n\n{error.details}\n\nCompare the key with those who run the server."
        question = ConfirmDialog("Unknown certificate", words, [AnswerKey("y", "trust exactly this one")], "cancel")
        if await cast("ChordApp", self.app).ask(question) == "y":
            trust(error.fingerprint)
            self._start()

    def _refuse(self, sentence: str, field: SignInField) -> None:
        """Say what is wrong below the field that it is about."""
        self._say("")
        field.blame(sentence)
        self.set_focus(self._inputs[-1])
        self.post_message(AnswerRefused(sentence))

    # Closing

    def on_screen_resume(self) -> None:
        """Close after a sign-in that happened while another screen was on top."""
        self.close_if_signed_in()

    def close_if_signed_in(self) -> bool:
        """Close where its way is signed in; return False where it is not, or another screen is on top."""
        closes = self.is_current and self._way.is_signed_in
        if closes:
            self.dismiss(True)
        return closes


_NEEDED = ("Enter your user name.", "Enter your password.", "Enter the code.")
_REFUSED = "Wrong user name or password. For single sign-on, use a browser code (ctrl+t)."
_CODE_REFUSED = "Wrong or expired code."


# The welcome

SERVER_CHOICE = ""
"""The answer for a server, which has no profile yet."""
WELCOME_CHOICES = (
    ("demo", "Look around in a sample", "500 made-up items. Your changes are kept."),
    ("local", "Start your own workspace", "Empty, on this machine, without a server."),
    (SERVER_CHOICE, "Join your team's server", "You need its address and a user name."),
)
"""The profile that each choice opens, its name, and what it is."""
_WELCOME_KEYS = (
    "j k move, enter opens, 1 2 3 open at once, q quits.",
    "Later, on every screen: ? keys, : commands, u undo, esc back.",
)
_ABOUT_LOCAL_COPY = "backlit keeps a copy of the backlog for work offline."


class WelcomeApp(ChordApp, inherit_bindings=False):
    """Asks where to begin; its caller opens the wanted profile."""

    TITLE = "backlit"
    CSS_PATH = [STYLES.with_name("app.tcss")]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, join: ProfileSignInFactory, theme: str, theme_folder: Path | None = None) -> None:
        super().__init__()
        use_themes(self, theme, theme_folder)
        self.wanted_profile: str | None = None
        """The profile to open after this application; None to open none."""
        self.last_frame: KeptFrame | None = None
        """No start shows the welcome at once."""
        self._join = join

    def on_mount(self) -> None:
        self.dispatch.begin(self._choose)

    async def _choose(self) -> None:
        profile: str | None = SERVER_CHOICE
        while profile == SERVER_CHOICE:
            profile = await self.ask(WelcomeDialog())
            if profile == SERVER_CHOICE:
                profile = await ask_to_join(self.ask, self._join, "", _ABOUT_LOCAL_COPY)
        self.wanted_profile = profile
        self.exit()


class WelcomeDialog(Dialog[str | None]):
    """The answer is the chosen profile, SERVER for a server; None for none."""

    CSS_PATH = [STYLES, STYLES.with_name("welcome.tcss")]

    def __init__(self) -> None:
        super().__init__("Welcome to backlit")
        self.name_keys(("1 2 3", "choose"), ("enter", "open"), ("?", "keys"), ("q", "quit"))
        self._doors = [
            Static(
                Content.assemble((f"{key}  ", "bold"), (name, "bold"), (f"\n   {about}", "$muted")),
                classes="door",
            )
            for key, (_, name, about) in enumerate(WELCOME_CHOICES, 1)
        ]
        self._current = 0
        self._help = Static(Content("\n").join(literal(line) for line in _WELCOME_KEYS), classes="keys")

    def content(self) -> ComposeResult:
        yield Wordmark()
        yield Static(literal("Where do you want to begin?"))
        yield from self._doors
        yield self._help

    def on_mount(self) -> None:
        self._show_help(is_shown=False)
        self._point_to(0)

    @on(events.Resize)
    def _fit_wordmark(self) -> None:
        self._show_help(is_shown=self._help.display)

    def _show_help(self, *, is_shown: bool) -> None:
        """Show or hide the keys, which take the rows of the wordmark."""
        self._help.display = is_shown
        wordmark = self.query_one(Wordmark)
        wordmark.fit()
        wordmark.display = wordmark.display and not is_shown

    def type_early(self, character: str) -> None:
        number = int(character) if character in "123" else 0
        if number:
            self._choose(number - 1)
        elif character == "?":
            self._show_help(is_shown=not self._help.display)
        elif character == "q":
            self.dismiss(None)
        else:
            self.press({"j": "down", "k": "up"}.get(character, character))

    def press(self, key: str) -> bool:
        if key in _STEPS:
            self._point_to((self._current + _STEPS[key]) % len(WELCOME_CHOICES))
        elif key == "enter":
            self._choose(self._current)
        elif key == "ctrl+c":
            self.dismiss(None)
        elif key != "escape":  # esc goes back, and there is nothing to go back to
            return super().press(key)
        else:
            self._show_help(is_shown=False)
        return True

    def on_click(self, event: events.Click) -> None:
        if event.widget in self._doors:
            self._choose(self._doors.index(event.widget))

    def _point_to(self, index: int) -> None:
        self._current = index
        for each, door in enumerate(self._doors):
            door.set_class(each == index, "-current")

    def _choose(self, index: int) -> None:
        self.dismiss(WELCOME_CHOICES[index][0])
