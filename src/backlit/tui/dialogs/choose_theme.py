"""The colour theme, put on while the cursor is on it."""

from collections.abc import Callable, Iterable

from textual import on
from textual.theme import Theme
from textual.widgets import Input

from backlit.tui.dialogs.pick import Choice, PickDialog
from backlit.tui.widgets.line_list import LineList


class ChooseTheme(PickDialog):
    """Pick a theme by its looks; `wear` is told which one is under the cursor."""

    def __init__(self, themes: Iterable[Theme], current: str, wear: Callable[[str], None]) -> None:
        super().__init__("Theme", [Choice(theme.name, theme.name, _kind(theme)) for theme in themes], current)
        self._wear = wear

    @on(LineList.Highlighted)
    def _cursor_moved(self, message: LineList.Highlighted) -> None:
        message.stop()
        self._try_on()

    @on(Input.Changed)
    def _narrowed(self) -> None:
        """The rows are others only after the picker's own handler, which comes later."""
        self.call_later(self._try_on)

    def _try_on(self) -> None:
        if self.current is not None:
            self._wear(str(self.current.value))


def _kind(theme: Theme) -> str:
    if theme.ansi:
        return "the terminal's colours"
    return "dark" if theme.dark else "light"
