"""The welcome of a new user: a choice of the sample, a workspace of one's own, and a team's server."""

from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from backlit.tui.app.sign_in import Join, ask_to_join
from backlit.tui.dialogs.dialog import STYLES, Dialog
from backlit.tui.drawing.text import literal
from backlit.tui.shell.chord_app import ChordApp

SERVER = ""
"""The answer for a server, which has no profile yet."""
DOORS = (
    ("demo", "Look around in a sample", "500 items of a made-up team. Your changes in it are kept."),
    ("local", "Start your own workspace", "Empty, on this machine, without a server."),
    (SERVER, "Join your team's server", "Sign in with the address, user name and password you were given."),
)
"""The profile that each choice opens, its name, and what it is."""
_STEPS = {"down": 1, "j": 1, "tab": 1, "up": -1, "k": -1, "shift+tab": -1}
_ABOUT_JOINING = "backlit keeps a copy of the backlog for work offline."


class WelcomeApp(ChordApp, inherit_bindings=False):
    """Asks where to begin; its caller opens the wanted profile."""

    TITLE = "backlit"
    CSS_PATH = [STYLES.with_name("app.tcss")]
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, join: Join, theme: str, theme_folder: Path | None = None) -> None:
        super().__init__()
        self.use_themes(theme, theme_folder)
        self.wanted_profile: str | None = None
        """The profile to open after this application; None to open none."""
        self._join = join

    def on_mount(self) -> None:
        """Ask."""
        self.dispatch.begin(self._choose)

    async def _choose(self) -> None:
        """Ask until a profile is chosen, or the welcome is left."""
        profile: str | None = SERVER
        while profile == SERVER:
            profile = await self.ask(WelcomeDialog())
            if profile == SERVER:
                profile = await ask_to_join(self.ask, self._join, "", _ABOUT_JOINING)
        self.wanted_profile = profile
        self.exit()


class Door(Static):
    """A choice; a click takes it."""

    class Chosen(Message):
        """The choice was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, index: int, name: str, about: str) -> None:
        key = ("bold $accent", f"{index + 1}  ")
        super().__init__(Content.assemble(key[::-1], (name, "bold"), (f"\n   {about}", "$muted")))
        self._index = index

    def on_click(self, event: events.Click) -> None:
        """Take the choice."""
        event.stop()
        self.post_message(self.Chosen(self._index))


class WelcomeDialog(Dialog[str | None]):
    """The answer is the chosen profile, SERVER for a server; None for none."""

    CSS_PATH = [STYLES, STYLES.with_name("welcome.tcss")]

    def __init__(self) -> None:
        super().__init__("Welcome to backlit")
        self._doors = [Door(index, name, about) for index, (_, name, about) in enumerate(DOORS)]
        self._current = 0

    def content(self) -> ComposeResult:
        """Yield the choices, and the keys."""
        yield Static(literal("Backlog grooming and sprint planning in the terminal. Where do you want to begin?"))
        yield from self._doors
        keys = (("enter", "open"), ("j k", "move"), ("q", "quit"))
        yield Static(Content.assemble(*(part for key, label in keys for part in ((key, "$accent"), f" {label}   "))))

    def on_mount(self) -> None:
        """Point to the first choice."""
        self._point_to(0)

    def type_early(self, character: str) -> None:
        """Take a letter or a digit."""
        number = int(character) if character in "123" else 0
        if number:
            self._choose(number - 1)
        elif character in _STEPS:
            self.press(character)
        elif character == "q":
            self.dismiss(None)

    def press(self, key: str) -> bool:
        """Move, choose or leave."""
        if key in _STEPS:
            self._point_to((self._current + _STEPS[key]) % len(DOORS))
        elif key == "enter":
            self._choose(self._current)
        elif key == "ctrl+c":
            self.dismiss(None)
        else:
            return super().press(key)
        return True

    @on(Door.Chosen)
    def _clicked(self, message: Door.Chosen) -> None:
        self._choose(message.index)

    def _point_to(self, index: int) -> None:
        self._current = index
        for each, door in enumerate(self._doors):
            door.set_class(each == index, "-current")

    def _choose(self, index: int) -> None:
        self.dismiss(DOORS[index][0])
