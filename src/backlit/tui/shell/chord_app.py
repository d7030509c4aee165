"""The part of the application between terminal and widgets: queues input for the dispatch, asks and says."""

import asyncio
from functools import partial
from typing import TYPE_CHECKING, TypeVar, cast

from textual import events
from textual.filter import LineFilter
from textual.message import Message
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.timer import Timer

from backlit.config import clipboard
from backlit.model.amounts import counted
from backlit.tui.commands.table import COMMAND_BY_ID
from backlit.tui.drawing import themes
from backlit.tui.drawing.framed_app import FramedApp
from backlit.tui.drawing.text import SafeFilter, safe
from backlit.tui.shell.dispatch import Dispatch
from backlit.tui.shell.input_queue import PAUSE, AnswerRefused, InputQueue
from backlit.tui.shell.macros import Recorder
from backlit.tui.shell.target import Session
from backlit.tui.shell.workers import work
from backlit.tui.widgets.side_lines import SidesLine, WaitingKeys
from backlit.tui.widgets.storage_errors import showing_storage_errors

if TYPE_CHECKING:
    from subprocess import Popen

Answer = TypeVar("Answer")

INPUT = (events.InputEvent, events.Paste)
"""Events from the terminal, whose order is kept."""


class ChordApp(FramedApp, inherit_bindings=False):
    """An application whose keys come from the command table; dialogs keep their own keys."""

    input: InputQueue

    def __init__(self) -> None:
        super().__init__()
        self.recorder = Recorder(self)
        self.dispatch = Dispatch(self, self.recorder, super().on_event, self.say)
        self.input = InputQueue(self, self.dispatch.take, self.catch_up, partial(_say_waiting, self))
        self.session = Session()
        self.faults = 0
        """Number of warnings and errors shown."""
        self._safe_filter = SafeFilter()
        self._dropped = 0
        self._drop_timer: Timer | None = None
        self.outside: Popen[bytes] | None = None
        """The user's editor, while it has the terminal."""

    def get_theme_variable_defaults(self) -> dict[str, str]:
        """Return backlit's own colours, for themes without them."""
        return dict(themes.VARIABLE_DEFAULTS)

    def get_line_filters(self) -> list[LineFilter]:
        """Return Textual's filters, and the one against control characters where frames do not replace those."""
        usual = super().get_line_filters()
        return list(usual) if self.is_framed else [*usual, self._safe_filter]

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer; for commands, which run in workers. Keys go to the dialog meanwhile."""
        with self.input.pausing():
            return cast("Answer", await self.push_screen_wait(dialog))

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""
        self.notify(sentence, markup=False, severity="warning" if is_bad else "information", timeout=6)

    def copy(self, text: str, words: str) -> None:
        """Put a text on the clipboard; say so in words, with the route that it took."""
        self.copy_to_clipboard(text)
        if self._driver is not None and (sequence := clipboard.passed_through(text)):
            self._driver.write(sequence)
        found = clipboard.routes()

        async def say_route() -> None:
            self.say(f"{words}, by {await asyncio.to_thread(clipboard.taken_by, found, text)}.")

        self.run_worker(work(say_route), group="copy")

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = True,  # noqa: ARG002 - nothing of ours is markup
    ) -> None:
        """Show a message; a warning drops the waiting keys, which were meant for another state.

        Errors come from background work, which no key waits for.
        """
        super().notify(safe(message), title=title, severity=severity, timeout=timeout, markup=False)
        if severity != "information":
            self.faults += 1
            self.recorder.stop(message)
        if severity == "warning":
            _say_dropped(self, self.input.fail())

    async def on_sides_line_asked(self, message: SidesLine.Asked) -> None:
        """Run the command of a clicked word."""
        self.dispatch.run(COMMAND_BY_ID[message.command_id])

    def on_answer_refused(self, message: AnswerRefused) -> None:
        """Drop the keys behind a refused answer, and end a replay."""
        self.recorder.stop(message.reason)
        _say_dropped(self, self.input.refuse())

    async def _dispatch_message(self, message: Message) -> None:
        """Handle a message; shows a StorageError."""
        with showing_storage_errors(self):
            await super()._dispatch_message(message)

    async def on_event(self, event: events.Event) -> None:
        """Queue input of the terminal; drop focus reports, each of which restyles everything."""
        if isinstance(event, (events.AppFocus, events.AppBlur)):
            return
        if isinstance(event, INPUT) and not event.is_forwarded:
            _say_dropped(self, await self.input.put(event))
        else:
            await super().on_event(event)

    def leave(self, status: int, message: str | None) -> None:
        """Exit with a status, and a message if there is one."""
        self.exit(return_code=status, message=message)

    def catch_up(self) -> None:
        """Pass written changes to the screens; for subclasses with a store."""

    def _say_dropped(self, count: int) -> None:
        """Say how many keys were dropped, once a pause follows them."""

        def say_all() -> None:
            self.say(f"{counted(self._dropped, 'more key was', 'more keys were')} dropped.")
            self._dropped = 0

        self._dropped += count
        if count:
            if self._drop_timer is not None:
                self._drop_timer.stop()
            self._drop_timer = self.set_timer(PAUSE, say_all)


def _say_dropped(app: ChordApp, count: int) -> None:
    if count:
        app.say(f"{counted(count, 'more key was', 'more keys were')} dropped.")


def _say_waiting(app: ChordApp, count: int | None) -> None:
    """Show that a command works, with the number of waiting keys, at the foot of the screen; remove it at None."""
    shown = next(iter(app.screen.query(WaitingKeys)), None)
    if count is None:
        for screen in app.screen_stack:
            screen.query(WaitingKeys).remove()
    elif shown is not None:
        shown.say(count)
    else:
        app.screen.mount(WaitingKeys(count))
