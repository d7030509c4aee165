"""The base of dialogs: a thin frame over the screen, and no key lost while it opens."""

from pathlib import Path
from typing import TypeVar

from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.screen import ModalScreen

from backlit.tui.drawing.text import literal
from backlit.tui.widgets.inputs import LineInput

__all__ = ["Dialog", "LineInput", "Result"]

Result = TypeVar("Result")

STYLES = Path(__file__).parent.parent / "styles" / "dialogs.tcss"


class Dialog(ModalScreen[Result]):
    """A frame with a title; subclasses put their widgets into it and name what keys do."""

    CSS_PATH = [STYLES]

    def __init__(self, title: str) -> None:
        super().__init__()
        self.frame = Vertical(classes="frame")
        self.frame.border_title = literal(title)

    def compose(self) -> ComposeResult:
        """Put the content into the frame."""
        with self.frame:
            yield from self.content()

    def content(self) -> ComposeResult:
        """Yield the widgets inside the frame."""
        yield from ()

    def press(self, key: str) -> bool:
        """Act on a key that is not text; whether it was one of this dialog's."""
        if key != "escape":
            return False
        self.dismiss(None)
        return True

    def type_early(self, character: str) -> None:
        """Take a letter that was typed before the input had the focus."""

    def on_key(self, event: events.Key) -> None:
        """Take keys where no input has the focus."""
        if not self.is_current:
            pass  # it was closed by a key that ended a wait
        elif event.is_printable and event.character:
            self.type_early(event.character)
        elif not self.press(event.key):
            return
        event.stop()
        event.prevent_default()
