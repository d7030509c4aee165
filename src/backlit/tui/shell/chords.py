"""Chords: resolves keys to commands, and shows the keys that can follow."""

from collections.abc import Callable, Sequence

from textual import events
from textual.app import App
from textual.content import Content
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Static

from backlit.tui.commands import keys
from backlit.tui.commands.command import Command, spelled
from backlit.tui.commands.dispatch import contexts_of
from backlit.tui.commands.table import COMMANDS

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


class Chords:
    """Takes the keys of an application before Textual; dialogs keep their own keys."""

    def __init__(
        self, app: App[None], run: Callable[[Command, int | None, str], None], refuse: Callable[[str], None]
    ) -> None:
        self._app = app
        self._run = run
        self._refuse = refuse
        self._resolver = keys.Resolver()
        self._which_key = WhichKeyHint(app)

    @property
    def is_begun(self) -> bool:
        """Return whether a chord is unfinished."""
        return bool(self._resolver.chord)

    @property
    def is_in_text(self) -> bool:
        """Return whether a text input has the focus."""
        return self._app.focused is not None and self._app.focused.check_consume_key("a", "a")

    def take(self, event: events.Key) -> bool:
        """Take a key; return False for a key that Textual is to handle."""
        if isinstance(self._app.screen, ModalScreen):
            return False
        key = event.character if event.is_printable and event.character and event.character != " " else event.key
        was_waiting = self._resolver.cancel() if key == "escape" else False
        self._which_key.hide()
        if was_waiting:
            return True
        in_text, contexts = self.is_in_text, contexts_of(self._app.focused or self._app.screen)
        outcome = self._resolver.feed(key, contexts, in_text=in_text)
        match outcome:
            case keys.Pending(chord) if chord:
                self._which_key.show_soon(chord, self._resolver.continuations(contexts))
            case keys.Run(command, count, letter):
                self._run(command, count, letter)
            case keys.Unknown(chord):
                self._refuse_unbound(" ".join(chord))
            case keys.Passed() if event.is_printable and not in_text:
                self._refuse_unbound(key)
                return True
        return not isinstance(outcome, keys.Passed)

    def _refuse_unbound(self, sequence: str) -> None:
        """Refuse a key that does nothing here, and name its command elsewhere."""
        elsewhere = next((each for each in COMMANDS if sequence in each.keys), None)
        words = f"{spelled(sequence)} ({elsewhere.label}) has nothing to act on here" if elsewhere else ""
        self._app.clear_notifications()
        self._refuse(f"{words or f'{spelled(sequence)} is no command here'}; ? shows the keys.")
