"""The names of views beside each other; a click goes to one."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.theme_styles import Looks

MORE = "…"


class TabLine(Widget):
    """One line, away where there is one tab only; where not all fit, those around the present one are shown."""

    DEFAULT_CSS = "TabLine { height: 1; display: none; }"

    class Chosen(Message):
        """A tab was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._tabs: Sequence[str] = ()
        self._current = 0

    def say(self, names: Sequence[str], current: int) -> None:
        """Show some names with their numbers, one of them in colour."""
        tabs = [f" {number} {safe(name)} " for number, name in enumerate(names, 1)]
        if (tabs, current) != (self._tabs, self._current):
            self._tabs, self._current = tabs, current
            self.display = len(names) > 1
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the line."""
        looks, width = Looks.of(self.app), self.size.width
        segments = []
        for index, text in self._in_sight():
            colour = "muted" if index is None else "accent" if index == self._current else "muted"
            segments.append(Segment(text, looks.style(colour, bold=index == self._current)))
        return Strip(segments).adjust_cell_length(width, looks.style())

    def on_click(self, event: events.Click) -> None:
        """Go to the tab under the pointer."""
        begun = 0
        for index, text in self._in_sight():
            begun += cell_len(text)
            if event.x < begun:
                if index is not None:
                    self.post_message(self.Chosen(index))
                return

    def _in_sight(self) -> list[tuple[int | None, str]]:
        """The tabs that fit around the present one, with a sign where others are left out."""
        room = self.size.width - 4
        first = last = self._current
        while True:
            wider = [(first - 1, last), (first, last + 1)]
            fits = [
                (low, high)
                for low, high in wider
                if low >= 0 and high < len(self._tabs) and sum(map(cell_len, self._tabs[low : high + 1])) <= room
            ]
            if not fits:
                break
            first, last = fits[-1] if last - self._current <= self._current - first else fits[0]
        shown: list[tuple[int | None, str]] = [
            (index, fit(self._tabs[index], min(cell_len(self._tabs[index]), max(1, room))))
            for index in range(first, last + 1)
        ]
        return [
            *([(None, f" {MORE}")] if first else []),
            *shown,
            *([(None, MORE)] if last < len(self._tabs) - 1 else []),
        ]
