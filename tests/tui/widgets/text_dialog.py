"""A dialog with an input of several lines."""

from collections.abc import Sequence

from backlit.tui.dialogs.dialog import Dialog
from backlit.tui.widgets.multiline_input import MultilineInput


class TextDialog(Dialog[None]):
    def __init__(self, names: Sequence[str] = ()) -> None:
        super().__init__("Text")
        self.input = MultilineInput(names=names)

    def content(self) -> list[MultilineInput]:
        return [self.input]
