"""The part of the application between terminal and widgets: resolves keys to commands and runs them."""

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple, cast

from textual import events
from textual.dom import DOMNode
from textual.notifications import SeverityLevel
from textual.screen import Screen
from textual.worker import get_current_worker

from backlit.model.errors import BacklitError, sentence_of
from backlit.tui.commands.command import Call, CannotAct, Command
from backlit.tui.commands.dispatch import is_awaited, runner_of
from backlit.tui.drawing.frames.framed_app import FramedApp
from backlit.tui.drawing.text import safe
from backlit.tui.shell.chords import Chords
from backlit.tui.shell.input_queue import InputQueue
from backlit.tui.shell.target import Session
from backlit.tui.shell.workers import COMMANDS_GROUP, work
from backlit.tui.widgets.side_lines import WaitingKeys

if TYPE_CHECKING:
    from subprocess import Popen

Answer = TypeVar("Answer")
Arguments = TypeVarTuple("Arguments")

INPUT = (events.InputEvent, events.Paste)
"""Events from the terminal, whose order is kept."""


class ChordApp(FramedApp, inherit_bindings=False):
    """An application whose keys come from the command table; dialogs keep their own keys."""

    def __init__(self) -> None:
        super().__init__()
        self.chords = Chords(self, self.run_command, partial(self.say, is_bad=True))
        self.input = InputQueue(self, self.deal_with, self.catch_up, self._say_waiting)
        self.session = Session()
        self.faults = 0
        """Number of warnings and errors shown."""
        self.outside: Popen[bytes] | None = None
        """The user's editor, while it has the terminal."""

    @property
    def focused_node(self) -> DOMNode:
        """Return the node that keys go to."""
        return self.focused or self.screen

    async def ask(self, dialog: Screen[Answer]) -> Answer:
        """Show a dialog and return its answer; for commands, which run in workers. Keys go to the dialog meanwhile."""
        with self.input.pausing(get_current_worker()):
            return cast("Answer", await self.push_screen_wait(dialog))

    def say(self, sentence: str, *, is_bad: bool = False) -> None:
        """Show a short message."""
        self.notify(sentence, markup=False, severity="warning" if is_bad else "information", timeout=6)

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
            self.note_fault(message)
        if severity == "warning":
            self._say_dropped(self.input.fail())

    def note_fault(self, _message: str) -> None:
        """Count a message that says that something was refused or went wrong."""
        self.faults += 1

    async def on_event(self, event: events.Event) -> None:
        """Queue input of the terminal; drop focus reports, each of which restyles everything."""
        if isinstance(event, (events.AppFocus, events.AppBlur)):
            return
        if isinstance(event, INPUT) and not event.is_forwarded:
            self._say_dropped(await self.input.put(event))
        else:
            await super().on_event(event)

    async def deal_with(self, event: events.Event) -> None:
        """Resolve chords before Textual sees a key."""
        if not (isinstance(event, events.Key) and self.chords.take(event)):
            await super().on_event(event)

    def leave(self, status: int, message: str | None) -> None:
        """Exit with a status, and a message if there is one."""
        self.exit(return_code=status, message=message)

    def catch_up(self) -> None:
        """Pass written changes to the screens; for subclasses with a store."""

    def _say_dropped(self, count: int) -> None:
        if count:
            self.say(f"{count:,} more {'key was' if count == 1 else 'keys were'} dropped.")

    def _say_waiting(self, count: int) -> None:
        """Show the number of waiting keys at the foot of the screen; remove it at 0."""
        shown = next(iter(self.screen.query(WaitingKeys)), None)
        if shown is not None and count:
            shown.say(count)
        elif count:
            self.screen.mount(WaitingKeys(count))
        else:
            self.query(WaitingKeys).remove()

    def run_command(
        self, command: Command, count: int | None = None, letter: str = "", node: DOMNode | None = None
    ) -> None:
        """Run a command on the nearest node that offers it, from the focus or a node up; say why none can."""
        runner = runner_of(node or self.focused_node, command)
        if runner is None:
            self.say(f"“{command.label}” has nothing to act on here.")
        elif is_awaited(runner):
            self.begin(runner, Call(command, count, letter))
        else:
            with self._saying_why():
                runner(Call(command, count, letter))

    def begin(self, act: Callable[[*Arguments], Awaitable[None] | None], *args: *Arguments) -> None:
        """Run an awaited act as commands run: its errors are shown."""
        self.run_worker(work(self._await, act, *args), group=COMMANDS_GROUP)

    async def _await(self, act: Callable[..., Awaitable[None] | None], *args: object) -> None:
        with self._saying_why():
            await cast("Awaitable[None]", act(*args))

    @contextmanager
    def _saying_why(self) -> Iterator[None]:
        """Show the error of a command that cannot run or failed."""
        try:
            yield
        except (CannotAct, BacklitError) as reason:
            self.say(sentence_of(reason), is_bad=True)
