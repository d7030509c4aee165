"""A dialog with an input of several lines."""

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.widgets.multiline_input import MultilineInput


class TextDialog(Dialog[None]):
    def __init__(self) -> None:
        super().__init__("Text")
        self.input = MultilineInput()

    def content(self) -> list[MultilineInput]:
        return [self.input]
