"""Single lines around the panes: title, status with key hints, rules, tabs, and notes about keys."""

from collections.abc import Sequence

from rich.cells import cell_len
from rich.segment import Segment
from textual import events
from textual.app import App
from textual.content import Content
from textual.message import Message
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget
from textual.widgets import Static

from backlit.model.amounts import counted
from backlit.tui.commands.command import DIGITS, Command, spelled
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.drawing.text import fit, safe
from backlit.tui.drawing.themes import ThemeStyles

Part = tuple[str, str]
"""A text and the theme variable that colours it."""


SCRAP = 12
"""Cells of a left part below which it is dropped, unless it is shorter."""


class SidesLine(Widget):
    """A line with parts on the left and on the right; parts are dropped where it is tight."""

    DEFAULT_CSS = "SidesLine { height: 1; }"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._left: tuple[Part, ...] = ()
        self._right: tuple[Part, ...] = ()

    def say(self, left: Sequence[Part], right: Sequence[Part] = ()) -> None:
        """Show other parts; repaints only on a change."""
        if (self._left, self._right) != (tuple(left), tuple(right)):
            self._left, self._right = tuple(left), tuple(right)
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the line."""
        theme = ThemeStyles.of(self.app)
        width = self.size.width
        right = [(safe(text), colour) for text, colour in self._right]
        while right and sum(cell_len(text) for text, _ in right) > width - min(width // 2, self._left_width()):
            right.pop(0)
        left_width = max(0, width - sum(cell_len(text) for text, _ in right))
        segments: list[Segment] = []
        taken = 0
        for text, colour in self._left:
            whole = cell_len(safe(text))
            if segments and left_width - taken < min(whole, SCRAP):
                break
            shown = fit(text, min(whole, left_width - taken))
            taken += cell_len(shown)
            segments.append(Segment(shown, theme.style(colour)))
        segments.append(Segment(" " * (left_width - taken), theme.style()))
        segments += [Segment(text, theme.style(colour)) for text, colour in right]
        return Strip(segments).adjust_cell_length(width, theme.style())

    def _left_width(self) -> int:
        return sum(cell_len(safe(text)) for text, _ in self._left) + 1


def hints(command_ids: Sequence[str]) -> list[Part]:
    """Return keys and labels of some commands, for the right of a status line."""
    commands = [COMMAND_BY_ID[command_id] for command_id in command_ids]
    return [*((f"  {_hinted(command.keys[0])} {command.label}", "muted") for command in commands), (" ", "muted")]


def _hinted(keys: str) -> str:
    """Return the keys of a hint, with any digit as 1-9."""
    return spelled(keys).replace(DIGITS, DIGITS.strip("{}"))


class RuleLine(Widget):
    """A thin rule, with a junction where a vertical line meets it."""

    DEFAULT_CSS = "RuleLine { height: 1; }"

    def __init__(self, sign: str, *, id: str | None = None) -> None:  # noqa: A002 - Textual's name
        super().__init__(id=id)
        self._sign = sign
        self._junction: int | None = None

    def join_at(self, column: int | None) -> None:
        """Set the column of the junction; None removes it."""
        if column != self._junction:
            self._junction = column
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the rule."""
        width, at = self.size.width, self._junction
        text = "─" * width if at is None else "─" * at + self._sign + "─" * (width - at - 1)
        return Strip([Segment(text[:width], ThemeStyles.of(self.app).style("rule"))])


MORE = "…"


class TabLine(Widget):
    """Tabs by name; hidden with only one. In tight space, those around the current tab are shown."""

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
        """Show some names with their numbers, the current one in colour."""
        tabs = [f" {number} {safe(name)} " for number, name in enumerate(names, 1)]
        if (tabs, current) != (self._tabs, self._current):
            self._tabs, self._current = tabs, current
            self.display = len(names) > 1
            self.refresh()

    def render_line(self, y: int) -> Strip:  # noqa: ARG002 - there is one
        """Draw the line."""
        theme, width = ThemeStyles.of(self.app), self.size.width
        segments = []
        for index, text in self._in_sight():
            colour = "muted" if index is None else "accent" if index == self._current else "muted"
            segments.append(Segment(text, theme.style(colour, bold=index == self._current)))
        return Strip(segments).adjust_cell_length(width, theme.style())

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
        """Return the tabs that fit around the current one, with signs for the rest."""
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


class WaitingKeys(Static):
    """A note that a command works, with the number of keys that wait for its end."""

    def __init__(self, count: int) -> None:
        super().__init__(_words(count))

    def say(self, count: int) -> None:
        """Show another number."""
        self.update(_words(count), layout=False)


def _words(count: int) -> Content:
    if not count:
        return Content(" Working … ")
    return Content(f" {counted(count, 'key')} waiting · esc to drop ")


# Keys that can follow

COLUMNS = 4
DELAY = 0.4
"""Seconds after the last key of an unfinished chord."""


class WhichKey(Static):
    """The popup of keys that can follow, in columns; the next key closes it."""

    def __init__(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]]) -> None:
        entries = [(f"{spelled(' '.join(chord))}{spelled(rest)}", command.label) for rest, command in continuations]
        rows = -(-len(entries) // COLUMNS)
        columns = [entries[start : start + rows] for start in range(0, len(entries), rows)]
        widths = [max(len(key) + len(label) for key, label in column) + 4 for column in columns]
        lines = []
        for row in range(rows):
            cells = [
                Content.assemble(
                    (f"{column[row][0]} ", "bold $accent"), column[row][1].ljust(width - len(column[row][0]))
                )
                for column, width in zip(columns, widths, strict=True)
                if row < len(column)
            ]
            lines.append(Content("").join(cells))
        super().__init__(Content("\n").join(lines))


class WhichKeyHint:
    """Shows the popup over an application after a pause inside a chord."""

    def __init__(self, app: App[None]) -> None:
        self._app = app
        self._timer: Timer | None = None

    def show_soon(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]]) -> None:
        """Show the popup after the delay, if any key can follow."""
        if continuations:
            timer: Timer = self._app.set_timer(DELAY, lambda: self._show(chord, continuations, timer))
            self._timer = timer

    def hide(self) -> None:
        """Close the popup, or cancel its delay."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
            self._app.screen.query(WhichKey).remove()

    def _show(self, chord: Sequence[str], continuations: Sequence[tuple[str, Command]], timer: Timer) -> None:
        if timer is not self._timer:
            return  # the next key came between the timer and this call
        self._app.clear_notifications()
        self._app.screen.mount(WhichKey(chord, continuations))
