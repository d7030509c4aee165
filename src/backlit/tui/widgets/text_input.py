"""Input of several lines."""

from rich.text import Text
from textual.widgets import TextArea
from textual.widgets.text_area import Location

from backlit.tui.drawing.text import WholeCharacters, boundary
from backlit.tui.widgets.inputs import InOrder, actions_of


class TextInput(InOrder, TextArea):
    """Several wrapped lines with a steady cursor; tab leaves the input."""

    ACTIONS = actions_of(TextArea.BINDINGS)

    def __init__(self, text: str = "", *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(text, compact=True, soft_wrap=True, tab_behavior="focus", id=id)
        self.cursor_blink = False

    def put(self, text: str) -> None:
        """Insert text at the cursor, in place of the selection."""
        self.replace(text, *self.selection, maintain_selection_offset=False)

    def get_line(self, line_index: int) -> Text:
        """Return a line whose styles take no visible character apart."""
        line = super().get_line(line_index)
        return line if line.plain.isascii() else WholeCharacters(line.plain, end="", no_wrap=True)

    def get_cursor_left_location(self) -> Location:
        """Return the location of the character on the left, whole."""
        row, column = super().get_cursor_left_location()
        return row, boundary(self.document.get_line(row), column, is_after=False)

    def get_cursor_right_location(self) -> Location:
        """Return the location of the character on the right, whole."""
        row, column = super().get_cursor_right_location()
        return row, boundary(self.document.get_line(row), column, is_after=True)
