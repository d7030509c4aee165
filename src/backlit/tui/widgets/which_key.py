"""The popup of keys that can follow those of an unfinished chord."""

from collections.abc import Sequence

from textual.app import App
from textual.content import Content
from textual.timer import Timer
from textual.widgets import Static

from backlit.model.settings.key_sequences import spelled
from backlit.tui.commands.command import Command

COLUMNS = 4
PADDING = 2
"""Cells at each side of the popup."""
WHICH_KEY_DELAY = 0.4
"""Seconds after the last key of an unfinished chord."""


class WhichKey(Static):
    """The popup of keys that can follow, in as many columns as fit into some cells; the next key closes it."""

    def __init__(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]], room: int) -> None:
        entries = [(f"{spelled(' '.join(chord))}{spelled(rest)}", command.label) for rest, command in continuations]
        for count in range(COLUMNS, 0, -1):
            rows = -(-len(entries) // count)
            columns = [entries[start : start + rows] for start in range(0, len(entries), rows)]
            widths = [max(len(key) + len(label) for key, label in column) + 4 for column in columns]
            if sum(widths) <= room:
                break
        cells = [
            [Content.assemble((f"{key} ", "bold"), (label.ljust(width - len(key)), "$muted")) for key, label in column]
            for column, width in zip(columns, widths, strict=True)
        ]
        lines = [Content("").join(column[row] for column in cells if row < len(column)) for row in range(rows)]
        super().__init__(Content("\n").join(lines))


class WhichKeyHint:
    """Shows the popup over an application after a pause inside a chord."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._timer: Timer | None = None

    def show_soon(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]]) -> None:
        if continuations:
            timer: Timer = self._app.set_timer(WHICH_KEY_DELAY, lambda: self._show(chord, continuations, timer))
            self._timer = timer

    def hide(self) -> None:
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._app.screen.query(WhichKey).remove()

    def _show(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]], timer: Timer) -> None:
        if timer is not self._timer or not self._app.screen_stack:
            return  # the next key came between the timer and this call, or the application's end
        self._app.clear_notifications()
        self._app.screen.mount(WhichKey(chord, continuations, self._app.size.width - 2 * PADDING))
