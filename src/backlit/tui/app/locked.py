"""The screen in place of all others while the local copy is locked, as the server has ended the user's sign-in."""

from enum import StrEnum

from textual.app import ComposeResult
from textual.content import Content
from textual.message import Message
from textual.widgets import Static

from backlit.tui.dialogs.dialog import STYLES, Dialog
from backlit.tui.drawing.text import literal, safe
from backlit.tui.widgets.wordmark import Wordmark

LOCKED_SENTENCE = (
    "The server has ended this sign-in. The copy of the backlog on this machine is locked until {whom} in."
)


class WayOut(StrEnum):
    """A way out of a locked copy; the value is its key."""

    SIGN_IN = "enter"
    PROFILE = "p"
    QUIT = "q"


_WORDS = {
    WayOut.SIGN_IN: "sign in again",
    WayOut.PROFILE: "open another profile or server",
    WayOut.QUIT: "quit",
}


class LockedScreen(Dialog[None]):
    """Says why there are no rows, and what waits; the screens below keep what was typed into them."""

    CSS_PATH = [STYLES, STYLES.with_name("welcome.tcss")]

    class Shown(Message):
        """It is on the screen."""

    class Chosen(Message):
        """The user chose a way out."""

        def __init__(self, way: WayOut) -> None:
            super().__init__()
            self.way = way

    def __init__(self, *sentences: str) -> None:
        super().__init__("backlit · locked")
        self._sentences = sentences

    def content(self) -> ComposeResult:
        yield Wordmark()
        for sentence in self._sentences:
            yield Static(literal(sentence), classes="sentence")
        width = max(map(len, WayOut))
        rows = [Content.assemble((f"  {way:>{width}} ", "bold"), safe(words)) for way, words in _WORDS.items()]
        yield Static(Content("\n").join(rows))

    def on_mount(self) -> None:
        self.query_one(Wordmark).fit()
        self.call_after_refresh(self.post_message, self.Shown())

    def on_resize(self) -> None:
        self.query_one(Wordmark).fit()

    def type_early(self, character: str) -> None:
        self.press(character)

    def press(self, key: str) -> bool:
        way = next((each for each in WayOut if each == key), None)
        if way is not None:
            self.post_message(self.Chosen(way))
        return way is not None
