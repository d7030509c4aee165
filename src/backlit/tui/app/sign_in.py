"""The sign-in: with a password, or with a code from the service's login page."""

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.widgets import Static

from backlit.model.errors import BacklitError, OtherOrigin, Unauthorized
from backlit.store.records.changes import ConnectionState
from backlit.store.store import Store
from backlit.tui.dialogs.dialog import Answer, ConfirmDialog
from backlit.tui.drawing.text import literal
from backlit.tui.shell.store_screen import ChangeBatch, StoreScreen
from backlit.tui.shell.workers import work
from backlit.tui.widgets.inputs import LineInput
from backlit.tui.widgets.side_lines import RuleLine, SidesLine

CODE_PAGE = "/Authentication/RichAppLogin"
_PLAIN = frozenset({"", "You are not signed in.", "You are signed out."})
"""Sentences that this screen need not repeat; any other one is the reason for the sign-in."""
_STEPS = {"tab": 1, "down": 1, "shift+tab": -1, "up": -1}


class SignInScreen(StoreScreen[None]):
    """Asks until the store is signed in, then closes itself; esc closes it to work offline."""

    AUTO_FOCUS = "#username"
    CSS_PATH = "../styles/sign_in.tcss"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self._with_code = False
        self._is_asking = False
        self._title, self._hints = SidesLine(id="title"), SidesLine(id="hints")
        self._note = Static(literal(""), id="note")

    def compose(self) -> ComposeResult:
        """Compose both forms; one is hidden."""
        server = self.store.connection.server or "the server"
        self._username, self._password, self._code = LineInput(), LineInput(password=True), LineInput()
        self._username.id = "username"
        yield self._title
        yield RuleLine("─")
        with VerticalScroll(id="sign-in", can_focus=False):
            yield Static(literal(f"Server     {server}"), classes="words")
            with Vertical(id="with-password"):
                yield Static(literal("User name"), classes="label")
                yield self._username
                yield Static(literal("Password"), classes="label")
                yield self._password
            with Vertical(id="with-code"):
                yield Static(literal("Sign in at this address in a browser to get a code:"), classes="words")
                yield Static(literal(server.rstrip("/") + CODE_PAGE), classes="address")
                yield Static(literal("Code"), classes="label")
                yield self._code
            yield self._note
        yield RuleLine("─")
        yield self._hints

    def on_mount(self) -> None:
        """Show the form for the password, and the reason for the sign-in."""
        connection = self.store.connection
        if connection.state is ConnectionState.SIGNED_OUT and connection.sentence not in _PLAIN:
            self._say(connection.sentence)
        self._title.say([(" backlit ", "accent"), (" Sign in", "foreground")])
        self._show_way()

    @property
    def _inputs(self) -> tuple[LineInput, ...]:
        return (self._code,) if self._with_code else (self._username, self._password)

    def _show_way(self) -> None:
        self.query_one("#with-password").display = not self._with_code
        self.query_one("#with-code").display = self._with_code
        other = "use a password" if self._with_code else "use a code"
        self._hints.say([(f" enter sign in  ctrl+t {other}  esc not now ", "muted")])
        self.set_focus(self._inputs[0])

    def _say(self, sentence: str, *, is_bad: bool = False) -> None:
        self._note.set_class(is_bad, "-bad")
        self._note.update(literal(sentence))

    # Keys

    def press(self, key: str) -> bool:
        """Step through the inputs, sign in, or switch the form."""
        if key in _STEPS:
            self._step(_STEPS[key])
        elif key == "enter":
            self._enter()
        elif key == "ctrl+t":
            self._with_code = not self._with_code
            self._say("")
            self._show_way()
        else:
            return False
        return True

    def on_key(self, event: events.Key) -> None:
        """Take keys that arrive before an input has the focus."""
        if event.is_printable and event.character:
            self._inputs[0].put(event.character)
        elif not self.press(event.key):
            return
        event.stop()
        event.prevent_default()

    def _step(self, by: int) -> None:
        inputs = self._inputs
        here = next((index for index, each in enumerate(inputs) if each is self.focused), 0)
        self.set_focus(inputs[(here + by) % len(inputs)])

    def _enter(self) -> None:
        empty = next((each for each in self._inputs if not each.value.strip()), None)
        if self._is_asking:
            return
        if empty is not None:
            self.set_focus(empty)
            self._say(_NEEDED_WITH_CODE if self._with_code else _NEEDED)
            return
        self._start()

    def _start(self, approved: str = "") -> None:
        self._is_asking = True
        self._say("Signing in …")
        self.run_worker(work(self._sign_in, approved), exclusive=True, group="sign in")

    async def _sign_in(self, approved: str) -> None:
        try:
            if self._with_code:
                await self.store.engine.sign_in_with_code(self._code.value.strip(), approved)
            else:
                await self.store.engine.sign_in(self._username.value.strip(), self._password.value, approved)
        except OtherOrigin as error:
            self._say(str(error), is_bad=True)
            self.begin(self._ask_for, error)
        except Unauthorized:
            self._say(_CODE_REFUSED if self._with_code else _REFUSED, is_bad=True)
            self._ask_again()
        except BacklitError as error:
            self._say(str(error), is_bad=True)
        else:
            self._say("Signed in.")
            self._close_if_signed_in()
        finally:
            self._is_asking = False

    async def _ask_for(self, error: OtherOrigin) -> None:
        """Ask once whether to send the typed secrets to another address."""
        answer = Answer("y", f"send it to {error.other}, and remember that")
        question = ConfirmDialog("Another address", str(error), [answer], "cancel")
        if await self.ask(question) == "y":
            self._start(error.other)

    def _ask_again(self) -> None:
        """Select the hidden secret, as nobody sees its mistake: typing replaces it."""
        wrong = self._inputs[-1]
        wrong.select_all()
        self.set_focus(wrong)

    # The store

    def store_changed(self, changes: ChangeBatch) -> None:  # noqa: ARG002 - any change will do
        """Close after any sign-in."""
        self._close_if_signed_in()

    def on_screen_resume(self) -> None:
        """Close after a sign-in that happened while another screen was on top."""
        super().on_screen_resume()
        self._close_if_signed_in()

    def _close_if_signed_in(self) -> None:
        if self.is_current and self.store.connection.state is not ConnectionState.SIGNED_OUT:
            self.dismiss(None)


_NEEDED = "Enter your user name and password."
_NEEDED_WITH_CODE = "Enter the code."
_REFUSED = "Wrong user name or password. For single sign-on, use a code (ctrl+t)."
_CODE_REFUSED = "Wrong or expired code."
