"""Keys to commands: the part of the application that stands between the terminal and the widgets."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from textual import events
from textual.screen import ModalScreen
from textual.timer import Timer

from backlit.model.errors import BacklitError
from backlit.model.planning import OwnCapacities
from backlit.tui import keys
from backlit.tui.acting import CannotAct, contexts_of, handler_of
from backlit.tui.commands import COMMANDS, Command, Context, spelled
from backlit.tui.frames.framed_app import FramedApp
from backlit.tui.text import safe
from backlit.tui.widgets.which_key import WhichKey

if TYPE_CHECKING:
    from backlit.model.templates import Template
    from backlit.tui.acts import Act

WHICH_KEY_DELAY = 0.4
STEPS = frozenset(
    {
        *("item.estimate-up", "item.estimate-down", "item.repeat"),
        *("item.rank-down", "item.rank-up", "item.rank-position"),
    }
)
"""Verbs that say themselves what a count means; to all others it is the number of rows they act on."""


class ChordApp(FramedApp, inherit_bindings=False):
    """An application whose keys come from the command table; dialogs keep their own keys."""

    def __init__(self) -> None:
        super().__init__()
        self._resolver = keys.Resolver()
        self._which_key: Timer | None = None
        self.last_act: Act | None = None
        self.estimate_scale: Sequence[float] = ()
        self.templates: Sequence[Template] = ()
        self.capacities = OwnCapacities()
        self.letter = ""
        self.rows_wanted: int | None = None
        """The rows from the cursor on that the running verb is to act on; None where no count was typed."""
        self.images = "auto"

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""
        self.notify(safe(sentence), markup=False, severity="warning" if is_bad else "information", timeout=6)

    async def on_event(self, event: events.Event) -> None:
        """Resolve chords before Textual sees a key; drop focus reports, each of which restyles everything."""
        if isinstance(event, (events.AppFocus, events.AppBlur)):
            return
        if isinstance(event, events.Key) and not event.is_forwarded and self._take_key(event):
            return
        await super().on_event(event)

    def run_command(self, command: Command, count: int | None = None) -> None:
        """Let the nearest node that can carry the command out do so; say why when none can."""
        handler = handler_of(self.focused or self.screen, command)
        if handler is None:
            self.say(f"“{command.label}” has nothing to act on here.")
            return
        self.rows_wanted = count if command.context is Context.ITEM and command.id not in STEPS else None
        try:
            handler(count)
        except (CannotAct, BacklitError) as reason:
            self.say(str(reason), is_bad=True)
        finally:
            self.rows_wanted = None

    def _take_key(self, event: events.Key) -> bool:
        if isinstance(self.screen, ModalScreen):
            return False
        key = event.character if event.is_printable and event.character and event.character != " " else event.key
        was_waiting = self._resolver.cancel() if key == "escape" else False
        self._hide_which_key()
        if was_waiting:
            return True
        in_text = self.focused is not None and self.focused.check_consume_key("a", "a")
        outcome = self._resolver.feed(key, contexts_of(self.focused or self.screen), in_text=in_text)
        match outcome:
            case keys.Pending(chord) if chord:
                self._which_key = self.set_timer(WHICH_KEY_DELAY, self._show_which_key)
            case keys.Run(command, count, letter):
                self.letter = letter
                self.run_command(command, count)
            case keys.Unknown(chord):
                self._say_unbound(" ".join(chord))
            case keys.Passed() if event.is_printable and not in_text:
                self._say_unbound(key)
                return True
        return not isinstance(outcome, keys.Passed)

    def _say_unbound(self, sequence: str) -> None:
        """Say that a key does nothing here, and what it does elsewhere."""
        elsewhere = next((each for each in COMMANDS if sequence in each.keys), None)
        words = f"{spelled(sequence)} ({elsewhere.label}) has nothing to act on here" if elsewhere else ""
        self.clear_notifications()
        self.say(f"{words or f'{spelled(sequence)} is no command here'}; ? shows the keys.", is_bad=True)

    def _show_which_key(self) -> None:
        continuations = self._resolver.continuations(contexts_of(self.focused or self.screen))
        if continuations:
            self.clear_notifications()
            self.screen.mount(WhichKey(self._resolver.chord, continuations))

    def _hide_which_key(self) -> None:
        if self._which_key:
            self._which_key.stop()
            self._which_key = None
            self.screen.query(WhichKey).remove()
